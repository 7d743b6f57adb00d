"""
Inside the consensus
====================

:class:`~mvgraph.GraphConsensus` fuses many base partitions. ``partition_weights_``
holds their weights; the names contain the scaling, the number of principal components,
the pipeline and the number of the anchor set. See :doc:`/default_rule`.
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
# Total weight of each pipeline, over all scalings and anchor sets:

total = defaultdict(float)
for name, weight in weights.items():
    total[name.split(", ")[-2]] += weight
names = sorted(total, key=total.get)
fig, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.barh(names, [total[name] for name in names], color="#2f7de1")
ax.set(xlabel="share of the total weight")
plt.show()
