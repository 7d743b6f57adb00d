"""The result of methods that find communities in a graph of samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.base.checks import communities_note
from mvgraph.base.result import Result
from mvgraph.graphs.communities import search_resolution

__all__ = ["community_fit"]


def community_fit(
    W: sp.csr_matrix,
    find: Callable[[float], np.ndarray],
    n_clusters: int,
    resolution: float | None,
    **more: Any,
) -> Result:
    """Find communities of W at a resolution, or search one that gives n_clusters.

    A search that misses the number is reported; a resolution that was given is not.
    ``more`` are further fields of the result.
    """
    search = search_resolution(find, n_clusters, resolution)
    best, given = search.best, resolution is not None
    return Result(
        best.labels,
        affinity=W,
        history=search.history,
        extra={"n_communities_": best.found, "resolution_": best.resolution},
        warnings=() if given else communities_note(best.found, n_clusters),
        **more,
    )
