"""
How many clusters?
==================

:class:`~mvgraph.ChooseK` draws rows several times and counts the communities of two
neighbour graphs of each draw, the mean of the views' own and the joint one, without
labels. ``best_k_`` is the median number, ``k_range_`` the fewest and the most that any
draw found, and ``confidence_`` how much the clusters of two draws agree. For other
numbers than the best one, the table shows how stable their clusters are.
"""

import matplotlib.pyplot as plt

from mvgraph import ChooseK, datasets

data = datasets.load_digits_views()
choice = ChooseK(range(2, 16), random_state=0).fit(data.views)

print("classes: 10, chosen:", choice.best_k_, "range:", *choice.k_range_)
print(f"agreement of draws: {choice.confidence_:.2f}")
for row in choice.table_:
    print(*(f"{key} {value:<6.3g}" for key, value in row.items()))

# %%
# What decides: the shares of draws that have k communities, and stability over k.

choice.plot()
plt.show()
