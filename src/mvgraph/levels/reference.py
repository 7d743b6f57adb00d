"""What one group of the same shape would show."""

from __future__ import annotations

import numpy as np

from mvgraph.base.run import StageTimer
from mvgraph.graphs.neighbors import GraphSource
from mvgraph.graphs.representations import UNIT, Representation, finish
from mvgraph.levels.draws import MANY, draw_trees
from mvgraph.levels.evidence import Reference, mean_stability
from mvgraph.levels.valleys import side_by_side, valleys

#: Draws of a reference, and references of few samples: so many samples in all, at most
#: so many references. Their stability varies; that of 600 samples hardly does.
N_DRAWS = 2
SAMPLES, MOST = 600, 9


def reference_of(
    arrays: list[np.ndarray],
    source: GraphSource,
    numbers: np.ndarray,
    seed: int,
    k: int,
    stages: StageTimer,
) -> Reference:
    """Look at normal samples with the mean and covariance of the data.

    Features that vary together, within a view or across views, give cuts that are found
    again without any clusters; what exceeds this does not come from them.

    Parameters
    ----------
    arrays : list of V ndarray of shape (n, d_v)
        The views that the trees were grown on.
    source : GraphSource
        Of these views.
    numbers : ndarray of int
        Ascending; of clusters.
    seed : int
    k : int
        Neighbours.
    stages : StageTimer
    """
    X = np.hstack(arrays).astype(np.float64)
    mean, n = X.mean(axis=0), len(X)
    values, axes = np.linalg.eigh((X - mean).T @ (X - mean) / max(n - 1, 1))
    root = axes * np.sqrt(np.maximum(values, 0))
    ends = np.cumsum([x.shape[1] for x in arrays])[:-1]
    found, several = [], int(np.clip(SAMPLES // n, 1, MOST))
    with stages("levels: draws of one group", several * (N_DRAWS + 1)) as step:
        for r in range(several):
            rng = np.random.default_rng([seed, r])
            drawn = mean + rng.standard_normal((n, len(root))) @ root.T
            views = finish(np.split(drawn, ends, axis=1), unit=True)
            near = GraphSource.of(Representation(UNIT, views), source.informative, MANY)
            trees = draw_trees(near, seed + r, N_DRAWS, k, step)
            both = side_by_side(views, near.weights)
            of_cuts = valleys(trees["joint"][0], near.joint.indices, both, numbers)
            found.append((mean_stability(trees, numbers, n), of_cuts.median))
    return Reference(*(np.array(x) for x in zip(*found, strict=True)))
