"""
What makes a cluster
====================

:func:`~mvgraph.explain` shows for every cluster which samples are typical of it and
which features distinguish it, and for every sample how much each view supports its
cluster.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from mvgraph import AnchorFilter, datasets, explain

data = datasets.load_digits_views()
model = AnchorFilter(n_clusters=10, random_state=0).fit(data.views)
why = explain(model, data.views, n_exemplars=8, n_features=2)

# %%
# Features that distinguish the first two clusters: the difference between the means
# inside and outside, in standard deviations.

print("cluster view       feature difference")
for row in why.features[:20]:
    print("{cluster:7} {view:10} {feature:7} {difference:10.2f}".format(**row))

# %%
# The same as a picture, for one view: the size of a dot is the share of samples in the
# cluster with a value above zero; it is red if the cluster has more than the others.

why.plot("profiles", n_features=2)

# %%
# The contribution of each view: the mean over the samples of each cluster.

print("        ", *(f"{name:>9}" for name in why.view_names))
for k in range(10):
    mean = why.contributions[model.labels_ == k].mean(axis=0)
    print("cluster", k, *(f"{share:9.2f}" for share in mean))

# %%
# The exemplars: the samples nearest to the centre of their cluster in the embedding.

images = load_digits().images
fig, axes = plt.subplots(10, 8, figsize=(4, 5), layout="constrained")
for ax in axes.flat:
    ax.set_axis_off()
for row in why.exemplars:
    axes[row["cluster"], row["rank"]].imshow(images[row["row"]], cmap="Greys")
print("sizes:", np.bincount(model.labels_).tolist())
plt.show()
