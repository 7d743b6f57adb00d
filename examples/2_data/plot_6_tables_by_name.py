"""
Tables in different order
=========================

Rows are matched by their names, not by their position. Here two tables list nearly the
same people in different order. They become views of the same rows.
"""

import matplotlib.pyplot as plt
import pandas as pd

from mvgraph import GraphConsensus, as_views, datasets, pl

data = datasets.make_ambiguous_views(300, n_views=2, n_clusters=4, random_state=1)
people = [f"p{i:03}" for i in range(300)]
blood = pd.DataFrame(data.views.arrays[0], index=people)
survey = pd.DataFrame(data.views.arrays[1], index=people).sample(
    frac=0.9, random_state=1
)
print(blood.index[:3].tolist(), survey.index[:3].tolist())

# %%
# By default, people who are not in both tables lead to an error that counts them.

try:
    as_views({"blood": blood, "survey": survey})
except ValueError as error:
    print(error)

# %%
# ``join="outer"`` keeps everyone; ``join="inner"`` keeps those in both tables.

views = as_views({"blood": blood, "survey": survey}, join="outer")
model = GraphConsensus(n_clusters=4, random_state=0).fit(views)
labels = model.labels_frame()
print(labels.head())

# %%
# The labels have the names as their index, so they can be joined to any other table.

truth = pd.Series(data.labels, index=people, name="class")
pl.compare(truth, labels, names=["class", "cluster"], show=False)
plt.show()
