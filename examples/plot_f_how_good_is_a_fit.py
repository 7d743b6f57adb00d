"""
How good is a fit?
==================

Without classes, three pictures show how far to trust the clusters: the tree of
communities that they are made of, the silhouettes of the samples, and their confidence.
"""

import matplotlib.pyplot as plt

from mvgraph import GraphConsensus, datasets
from mvgraph.display import ConfidenceDisplay, DendrogramDisplay, SilhouetteDisplay

data = datasets.make_ambiguous_views(500, n_clusters=5, noise=1.3, random_state=0)
model = GraphConsensus(n_clusters=5, random_state=0).fit(data.views)

# %%
# Communities merge into clusters, and left of the dashed line clusters merge.
# ``model.cut(k)`` gives the clustering of any other number without a new fit.

DendrogramDisplay.from_estimator(model, name="Tree").plot()
plt.show()

# %%
# The silhouette compares the distance to the own cluster with that to the nearest other
# one, in the embedding. It compares clusters of one fit; other fits have embeddings of
# their own.

SilhouetteDisplay.from_estimator(model, name="Silhouettes").plot()
plt.show()

# %%
# The confidence of a sample is its largest membership: how much of one cluster it was
# together with in the base partitions.

ConfidenceDisplay.from_estimator(model, name="Confidence").plot()
plt.show()
