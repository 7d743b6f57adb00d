"""
New samples
===========

The model is fitted on 80 % of 1000 digits and predicts the clusters of the other 20 %,
from the nearest anchors of each new sample and from linear discriminants of the
clusters. Views may be missing for new samples too.
"""

import matplotlib.pyplot as plt
import numpy as np

from mvgraph import GraphConsensus, Views, datasets, metrics

data = datasets.load_digits_views()
rng = np.random.default_rng(0)
rows = rng.permutation(len(data.labels))[:1000]
old, new = rows[:800], rows[800:]

model = GraphConsensus(n_clusters=10, random_state=0).fit(data.views[old])
print("fitted:", round(metrics.accuracy(data.labels[old], model.labels_), 3))

# %%
# All five views, then fewer and fewer, chosen at random for every sample.

accuracy = {}
for n_views in range(5, 0, -1):
    rank = rng.random((len(new), 5)).argsort(axis=1)
    arrays = [x[new].copy() for x in data.views.arrays]
    for v, x in enumerate(arrays):
        x[rank[:, v] >= n_views] = np.nan
    labels = model.predict(Views(arrays, data.views.names))
    accuracy[n_views] = metrics.accuracy(data.labels[new], labels)

fig, ax = plt.subplots(figsize=(5, 2.6), layout="constrained")
bars = ax.bar(list(accuracy), list(accuracy.values()), color="#2f7de1")
ax.bar_label(bars, fmt="%.2f")
ax.set(xlabel="views that the new samples have", ylabel="accuracy", ylim=(0, 1))
plt.show()
