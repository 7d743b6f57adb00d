"""
How many clusters?
==================

``n_clusters="auto"``, the default, looks for the number of clusters. The same search on
its own is :class:`~mvgraph.ChooseK`. It draws rows several times, without labels, grows
a tree of communities of each draw, and checks which clusters are found again. Numbers
that stand out are ``levels_``, the most probable first. For every number, ``table_``
has its probability, how stable its clusters are, and how stable those of noise are.
"""

import matplotlib.pyplot as plt

from mvgraph import ChooseK, datasets

data = datasets.load_digits_views()
choice = ChooseK(random_state=0).fit(data.views)

print("classes: 10, found:", choice.best_k_, "range:", *choice.k_range_)
for level in choice.levels_:
    print(f"{level.k} clusters: confidence {level.confidence:.2f}", end=", ")
    print(f"stability {level.stability:.2f}")

# %%
# What decides: the probability and the stability of every number.

choice.plot()
plt.show()
