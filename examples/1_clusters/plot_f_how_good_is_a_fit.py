"""
How good is a fit?
==================

Without known classes, three pictures show how far to trust the clusters: the tree of
their communities, the silhouettes of the samples, and the confidence.
"""

# sphinx_gallery_thumbnail_number = 2
import matplotlib.pyplot as plt

from mvgraph import GraphConsensus, datasets
from mvgraph.display import ConfidenceDisplay, DendrogramDisplay, SilhouetteDisplay

data = datasets.make_ambiguous_views(500, n_clusters=5, noise=1.3, random_state=0)
model = GraphConsensus(n_clusters=5, random_state=0).fit(data.views)

# %%
# Communities merge into clusters; left of the dashed line, clusters merge.
# ``model.cut(k)`` gives the clustering of any other number without a new fit.

DendrogramDisplay.from_estimator(model, name="Tree").plot()
plt.show()

# %%
# The silhouette compares the distance to the sample's own cluster with that to the
# nearest other one, in each view alone. Here no view shows the clusters by itself, so
# the values are low, though the views together find them.

SilhouetteDisplay.from_estimator(model, data.views, name="Silhouettes").plot()
plt.show()

# %%
# The confidence of a sample is its largest membership: how much of a cluster it was
# together with in the base partitions.

ConfidenceDisplay.from_estimator(model, name="Confidence").plot()
plt.show()
