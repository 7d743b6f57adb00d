"""
Samples with missing views
==========================

A row that is NaN throughout means that the view is missing for this sample. The sample
is kept and clustered by its other views. Here rows of the first view are removed at
random.
"""

import matplotlib.pyplot as plt
import numpy as np

from mvgraph import GraphConsensus, Views, datasets, metrics

data = datasets.make_ambiguous_views(300, n_clusters=5, random_state=0)
rng = np.random.default_rng(0)


def without(share: float) -> Views:
    """Remove a share of the rows of the first view."""
    first, *rest = (x.copy() for x in data.views.arrays)
    first[rng.random(len(first)) < share] = np.nan
    return Views([first, *rest])


# %%
# The mask shows which sample has which view.

views = without(0.3)
print(views)
print("present:", views.mask.mean(axis=0).round(2))

# %%
# Accuracy over all samples, complete or not.

shares = [0.0, 0.3, 0.6, 0.9]
accuracy = []
for share in shares:
    model = GraphConsensus(n_clusters=5, random_state=0).fit(without(share))
    accuracy.append(metrics.accuracy(data.labels, model.labels_))

fig, ax = plt.subplots(figsize=(5, 3), layout="constrained")
ax.plot(shares, accuracy, "o-", color="#2f7de1")
ax.set(xlabel="share of rows without the first view", ylabel="accuracy")
ax.set(ylim=(0, 1.05))
plt.show()
