"""
Subtypes of patients
====================

Assays are often tables with the patients in columns, and not every patient is in every
table. Here two tables are generated: 150 patients of three subtypes, 30 of whom have no
second assay.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from mvgraph import ChooseK, GraphConsensus, as_views, metrics
from mvgraph.display import ConfidenceDisplay

rng = np.random.default_rng(0)
subtype = rng.integers(0, 3, 150)
patients = [f"patient-{i:03}" for i in range(150)]


def assay(name: str, n: int) -> pd.DataFrame:
    """Draw n features, of which 20 differ between the subtypes."""
    means = np.zeros((3, n))
    means[:, :20] = rng.normal(size=(3, 20))
    values = means[subtype] + rng.normal(size=(150, n))
    rows = [f"{name}{i}" for i in range(n)]
    return pd.DataFrame(values.T, index=rows, columns=patients)


mrna, mirna = assay("gene", 200), assay("mir", 60).drop(columns=patients[::5])
print(mrna.shape, mirna.shape)

# %%
# Transpose the tables, and keep the patients that are in only one of them.

views = as_views({"mrna": mrna.T, "mirna": mirna.T}, join="outer")
choice = ChooseK(range(2, 9), random_state=0).fit(views)
print("suggested:", choice.best_k_, "range:", *choice.k_range_)

# %%
# With few patients, first check how well two seeds agree, then look at every patient.

first, second = (GraphConsensus(3, random_state=seed).fit(views) for seed in (0, 1))
print(f"agreement of two seeds: {metrics.ari(first.labels_, second.labels_):.2f}")
print(first.labels_frame().head())

ConfidenceDisplay.from_estimator(first, name="Confidence of the patients").plot()
plt.show()
