"""
First clusters
==============

The 1797 digits of scikit-learn, described by five views that are computed from the
pixels. :class:`~mvgraph.GraphConsensus` receives all five views and the number of
clusters, which it would otherwise look for. The labels are used only to score the
result.
"""

import matplotlib.pyplot as plt

from mvgraph import GraphConsensus, datasets, methods, metrics
from mvgraph.display import EmbeddingDisplay

data = datasets.load_digits_views()
print(data.views)

# %%
# Fit, and compare the scores with k-means on the joined, z-scored views.

model = GraphConsensus(n_clusters=10, random_state=0).fit(data.views)
kmeans = methods.get("kmeans-concat").make(10, random_state=0).fit(data.views)

for name, fitted in [("GraphConsensus", model), ("k-means", kmeans)]:
    scores = metrics.scores(data.labels, fitted.labels_)
    print(f"{name:15}", *(f"{key} {value:.3f}" for key, value in scores.items()))

# %%
# How well the clusters of each single view agree with the result:

for name, weight in zip(data.views.names, model.view_weights_, strict=True):
    print(f"{name:10} {weight:.2f}")

# %%
# A map of the samples, one colour per cluster. It is laid out from the views alone.

map_ = EmbeddingDisplay.from_estimator(model, data.views, name="The digits")
map_.plot()
plt.show()
