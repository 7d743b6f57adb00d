"""
The graphs before and after learning
====================================

:class:`~mvgraph.MGL` with the steps of the paper (``basis="identity"``) starts from one
graph per view, between samples and anchors, and optimises them jointly until the mean
graph has exactly K components. Rows and columns
are sorted by the clusters found.
"""

import matplotlib.pyplot as plt

from mvgraph import MGL, datasets
from mvgraph.display import ConvergenceDisplay, GraphDisplay

data = datasets.make_ambiguous_views(600, n_clusters=5, random_state=0)
model = MGL(n_clusters=5, basis="identity", random_state=0).fit(data.views)
print(model.graph_.shape, "components:", model.n_components_, model.partition_)

# %%
# The graphs of the views have links between clusters; the learned one has none.

GraphDisplay.from_estimator(model, data.views).plot()
plt.show()

# %%
# The residuals of the ADMM. The weight beta of the rank term changes only after both
# have converged.

ConvergenceDisplay.from_estimator(model).plot()
plt.show()
