"""
How many clusters?
==================

:class:`~mvgraph.ChooseK` compares numbers of clusters by criteria that need no labels:
the eigengap of the joint graph, the stability of the cut over resamples of rows and
anchors, and silhouette and modularity on the graph. They often disagree. ``best_k_``,
the number with the largest product of stability and modularity, may be coarser than the
classes that you expect. Read the table: a number at which two criteria have a maximum
deserves a closer look.
"""

import matplotlib.pyplot as plt

from mvgraph import ChooseK, datasets

data = datasets.load_digits_views()
choice = ChooseK(range(2, 16), random_state=0).fit(data.views)

print("classes: 10, chosen:", choice.best_k_)
for row in choice.table_:
    print(*(f"{key} {value:<6.3g}" for key, value in row.items()))

# %%
# The criteria over k.

fig, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
choice.plot(ax)
plt.show()
