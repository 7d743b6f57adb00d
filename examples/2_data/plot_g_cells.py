"""
Cells in two modalities
=======================

:func:`mvgraph.tl.cluster` takes an AnnData or a MuData and writes the results into it,
as scanpy does. Here 600 cells have reduced RNA and surface proteins; one pair of types
differs only in the RNA, another only in the proteins.
"""

import anndata
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import mvgraph.tl
from mvgraph import metrics

rng = np.random.default_rng(0)
kind = rng.integers(0, 4, 600)
rna, adt = np.array([0, 1, 2, 2]), np.array([0, 0, 1, 2])
cells = anndata.AnnData(obs=pd.DataFrame(index=[f"cell{i}" for i in range(600)]))
for key, groups, d in (("X_pca", rna, 20), ("X_adt", adt, 10)):
    centres = 1.5 * rng.normal(size=(3, d))
    cells.obsm[key] = centres[groups[kind]] + rng.normal(size=(600, d))

# %%
# It writes labels, a joint graph and an embedding, under the names that scanpy expects.

mvgraph.tl.cluster(cells, n_clusters=4, use_rep=["X_pca", "X_adt"])
print(cells)
clusters = cells.obs["mvgraph"].astype(int).to_numpy()
print(f"accuracy: {metrics.accuracy(kind, clusters):.3f}")

# %%
# Each modality alone confuses two types. Which types the cells of each cluster have:

cells.obs["type"] = kind
mvgraph.pl.compare(cells, "type", "mvgraph", show=False)
plt.show()
