"""
Inside the consensus
====================

:class:`~mvgraph.GraphConsensus` fuses many base partitions. ``partition_weights_``
contains their weights; the names consist of the scaling, the graph and the cut. See
:doc:`/default_rule`.
"""

from collections import defaultdict

import matplotlib.pyplot as plt

from mvgraph import GraphConsensus, datasets

data = datasets.make_ambiguous_views(500, n_clusters=6, noise=1.3, random_state=0)
model = GraphConsensus(n_clusters=6, random_state=0).fit(data.views)
print(model.n_iter_, "base partitions, consensus by", model.rule_)

# %%
# The five largest weights:

weights = model.partition_weights_
for name in sorted(weights, key=weights.get, reverse=True)[:5]:
    print(f"{weights[name]:.4f}  {name}")

# %%
# Total weight of each graph, over all scalings and cuts:

total = defaultdict(float)
for name, weight in weights.items():
    total[name.split(", ")[-2]] += weight
names = sorted(total, key=total.get)
fig, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.barh(names, [total[name] for name in names], color="#2f7de1")
ax.set(xlabel="share of the total weight")
plt.show()
