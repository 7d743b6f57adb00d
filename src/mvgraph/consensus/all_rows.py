"""Labels, memberships, graph and embedding of all rows, wherever they lie."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.base.result import Result
from mvgraph.base.run import StageTimer
from mvgraph.consensus.extension import Extended, Extension
from mvgraph.engines import map_engine
from mvgraph.graphs import partition
from mvgraph.graphs.bipartite import ROWS_PER_BLOCK, stack_rows
from mvgraph.ops.parallel import slices
from mvgraph.views.container import Views
from mvgraph.views.rows import Rows

#: Rows of a dask chunk that are extended at a time.
ROWS_PER_PIECE = 8 * ROWS_PER_BLOCK


class AllRows(NamedTuple):
    """What all rows got, as fields of a result, and the leaves of the tree."""

    result: Result
    leaves: np.ndarray  # (N,)


def extend(
    views: Views, extension: Extension, engine: Any, stages: StageTimer
) -> AllRows:
    """Give every row labels, memberships, a row of the graph, an embedding, a leaf.

    Of dask arrays, labels and leaves are computed now; the rest is dask arrays, which
    are computed when they are read.

    Parameters
    ----------
    views : Views
        All rows of the views that are used.
    extension : Extension
    engine : see mvgraph.engines.map_engine
    stages : StageTimer
    """
    source, far = Rows(views), views.on_workers
    with map_engine(engine, far, ROWS_PER_BLOCK) as runner:
        total = runner.count_blocks(source)
        with stages("labels of all rows", total) as progress:
            if far:
                blocks = _counted(
                    runner.map(partial(_summary, extension), source), progress
                )
                return _stay(views, extension, list(chain.from_iterable(blocks)))
            blocks = runner.map(extension.extend, source)
            return _collect(len(views), extension, _counted(blocks, progress))


def _counted(blocks: Iterator[Any], progress: Any) -> Iterator[Any]:
    for block in blocks:
        yield block
        progress()


def _collect(n: int, extension: Extension, blocks: Iterator[Extended]) -> AllRows:
    """Put the blocks of all rows together in this process."""
    parts: list[Extended] = []

    def graphs() -> Iterator[sp.csr_matrix]:
        for block in blocks:
            parts.append(block._replace(graph=None))
            yield block.graph

    Z = stack_rows(graphs(), n, extension.n_anchors, extension.row_entries)
    labels, memberships, embedding, leaves, score, part = (
        np.concatenate([part._asdict()[name] for part in parts])
        for name in (
            *("labels", "memberships", "embedding", "leaves"),
            *("outlier_score", "outlier_part"),
        )
    )
    return AllRows(
        Result(
            labels,
            embedding=embedding,
            graph=Z,
            memberships=memberships,
            outlier_score=score,
            outlier_part=part,
            n_components=partition.components(Z)[0],
        ),
        leaves,
    )


class _Summary(NamedTuple):
    """What the client needs of a block of rows: little."""

    labels: np.ndarray
    leaves: np.ndarray
    components: partition.Joined


def _pieces(extension: Extension, views: Views, first_row: int) -> Iterator[Extended]:
    """Extend a block of any size; only a piece of it is held in all fields."""
    for rows in slices(len(views), ROWS_PER_PIECE):
        yield extension.extend(views[rows], first_row + rows.start)


def _summary(extension: Extension, views: Views, first_row: int) -> list[_Summary]:
    return [
        _Summary(piece.labels, piece.leaves, partition.joined(piece.graph))
        for piece in _pieces(extension, views, first_row)
    ]


def _field(name: str, extension: Extension, views: Views, first_row: int) -> Any:
    pieces = [p._asdict()[name] for p in _pieces(extension, views, first_row)]
    if name == "graph":
        return sp.vstack(pieces, format="csr")
    return np.concatenate(pieces)


def _stay(views: Views, extension: Extension, blocks: list[_Summary]) -> AllRows:
    """Return what was computed, and dask arrays of what can be."""
    from mvgraph.engines.distributed import lazy_rows

    K, M = extension.memberships.shape[1], extension.n_anchors

    def lazy(name: str, dtype: Any, width: int | None = None, meta: Any = None) -> Any:
        f = partial(_field, name, extension)
        return lazy_rows(f, Rows(views), dtype, width, meta)

    empty = sp.csr_matrix((0, M), dtype=np.float32)
    result = Result(
        np.concatenate([block.labels for block in blocks]),
        embedding=lazy("embedding", np.float32, extension.embedding.shape[1]),
        graph=lazy("graph", np.float32, M, empty),
        memberships=lazy("memberships", np.float32, K),
        outlier_score=lazy("outlier_score", np.float32),
        outlier_part=lazy("outlier_part", np.int16),
        n_components=partition.count_joined([b.components for b in blocks]),
        lazy_labels=lazy("labels", np.int64),
    )
    return AllRows(result, np.concatenate([block.leaves for block in blocks]))
