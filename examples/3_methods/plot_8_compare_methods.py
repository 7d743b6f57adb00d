"""
Compare methods on the same rows
================================

Every method has a name. :func:`mvgraph.evaluation.evaluate` shuffles the rows, fits,
and scores, as ``mvgraph evaluate`` does. The data have three views; each of them merges
different pairs of clusters.
"""

import matplotlib.pyplot as plt

from mvgraph import datasets, methods
from mvgraph.display import method_styles
from mvgraph.evaluation.protocol import evaluate

data = datasets.make_ambiguous_views(400, n_clusters=8, noise=1.3, random_state=0)
names = [
    "graph-consensus",
    "anchor-filter",
    "sfmc",
    "amgl",
    "co-reg",
    "spectral-concat",
]
names += ["kmeans-concat", "tbgl"]

# %%
# ``order_free`` is True if a method does not depend on the order of the rows.

results = {}
for name in names:
    results[name] = evaluate(data, name, seed=0, repeats=1)
    free = "order-free" if methods.get(name).order_free else "depends on row order"
    print(f"{name:16} acc {results[name]['acc']:.3f}  {free}")

# %%
# Accuracy, with the rows shuffled. Methods of one kind have one colour.

names.sort(key=lambda name: results[name]["acc"])
values = [results[name]["acc"] for name in names]
fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
styles = method_styles({name: methods.get(name).family for name in names})
bars = ax.barh(names, values, color=[styles[name].colour for name in names])
ax.bar_label(bars, fmt="%.2f", padding=3)
ax.set(xlabel="accuracy, rows shuffled", xlim=(0, 1.1))
plt.show()
