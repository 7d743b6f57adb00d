"""
The graphs before and after learning
====================================

:class:`~mvgraph.AnchorFilter` starts from one graph per view, between samples and
anchors, and turns them into one graph with exactly K components. Rows and columns are
sorted by the clusters found.
"""

import warnings

import matplotlib.pyplot as plt

from mvgraph import MGL, AnchorFilter, RowOrderWarning, datasets
from mvgraph.display import ConvergenceDisplay, GraphDisplay

data = datasets.make_ambiguous_views(600, n_clusters=5, random_state=0)
model = AnchorFilter(n_clusters=5, random_state=0).fit(data.views)
print(model.graph_.shape, "components:", model.n_components_, model.partition_)

# %%
# The graphs of the views have links between clusters; the learned one has none.

GraphDisplay.from_estimator(model, data.views).plot()
plt.show()

# %%
# :class:`~mvgraph.MGL` reaches K components by ADMM, as published. The weight beta of
# the rank term changes only after both residuals have converged. Its result depends on
# the order of the rows; `fit` warns about it.

warnings.simplefilter("ignore", RowOrderWarning)
published = MGL(n_clusters=5).fit(data.views)
ConvergenceDisplay.from_estimator(published).plot()
plt.show()
