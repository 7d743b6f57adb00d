"""
A view that is unrelated to the others
======================================

Two views separate some of the clusters. The third has clear clusters too, but they
describe something else. :class:`~mvgraph.GraphConsensus` tests which views are related
to another view, and leaves the third out.
"""

import matplotlib.pyplot as plt

from mvgraph import GraphConsensus, datasets, methods, metrics

data = datasets.make_misleading_view(600, n_clusters=6, random_state=1)
model = GraphConsensus(n_clusters=6, random_state=0).fit(data.views)

print("linked views:", model.linked_views_)
print("view weights:", model.view_weights_.round(3))

# %%
# Compared with k-means on all three views, with a spectral cut of the joined views,
# and with k-means on the two views that belong together:

accuracy = {"GraphConsensus": metrics.accuracy(data.labels, model.labels_)}
for name in ["kmeans-concat", "spectral-concat"]:
    other = methods.get(name).make(6, random_state=0).fit(data.views)
    accuracy[name] = metrics.accuracy(data.labels, other.labels_)
good = methods.get("kmeans-concat").make(6, random_state=0)
good.fit(data.views.select([0, 1]))
accuracy["k-means, good views"] = metrics.accuracy(data.labels, good.labels_)

fig, ax = plt.subplots(figsize=(6, 2.2), layout="constrained")
bars = ax.barh(list(accuracy), list(accuracy.values()), color="#7f8790")
bars[0].set_color("#2f7de1")
ax.bar_label(bars, fmt="%.2f", padding=3)
ax.set(xlim=(0, 1.08), xlabel="accuracy")
ax.invert_yaxis()
plt.show()
