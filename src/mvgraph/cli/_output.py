"""Write result files: to a temporary name beside the target, then renamed."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import count, islice
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeAlias

import numpy as np

from mvgraph.cli._annotated import ANNOTATED, check_annotated, write_annotated
from mvgraph.ops.wording import extra
from mvgraph.persistence.files import (
    check_target,
    replace_bytes,
    replacing,
)

__all__ = [
    "check_labels",
    "check_plot_target",
    "labels_summary",
    "replace_bytes",
    "write_csv",
    "write_labels",
]

#: Columns of consecutive samples: label, and confidence where it is known.
Block: TypeAlias = dict[str, np.ndarray]

PARQUET = (".parquet", ".pq")
#: Endings that say what is written; a name without any gets the first.
LABELS, PLOTS = (".csv", ".tsv", *PARQUET, *ANNOTATED), (".png", ".svg", ".pdf")


def check_labels(path: Path | None, *sources: str | Path) -> Path | None:
    """Find out before a long computation whether labels can be written here.

    Returns
    -------
    Path or None
        None, which is standard output, for None and ``-``.

    Raises
    ------
    ValueError
        The file is one of the sources, or lies in one. See also `check_target`.
    ImportError
        A Parquet file is wanted and pyarrow is not installed.
    """
    if path is None or path == Path("-"):
        return None
    target = path.resolve()
    for source in (Path(s).resolve() for s in sources if path.exists()):
        if target == source or source in target.parents:
            raise ValueError(
                f"{path}: the labels would replace the data or the model, or a file "
                f"in it ({source}); name another file"
            )
    check_target(path, LABELS)
    if path.suffix.lower() in ANNOTATED:
        check_annotated(path, sources[0])
    if path.suffix.lower() in PARQUET:
        with extra(f"writing {path.name}", "pyarrow", "files"):
            import pyarrow  # noqa: F401
    return path


def check_plot_target(path: Path) -> None:
    """Find out before a long computation whether a plot can be written here.

    Raises
    ------
    ValueError
        See `check_target`.
    ImportError
        Matplotlib is not installed.
    """
    check_target(path, PLOTS)
    with extra(f"drawing {path.name}", "matplotlib", "plots"):
        import matplotlib  # noqa: F401


def write_labels(
    path: Path | None,
    ids: Sequence[Any] | None,
    blocks: Iterable[Block],
    source: str | Path = "",
    n_clusters: int | None = None,
) -> None:
    """Write ids and labels as Parquet, TSV or, for a name without ending, CSV.

    AnnData and MuData: see `write_annotated`.

    Parameters
    ----------
    path : Path or None
        None: standard output.
    ids : sequence or None
        Without ids, samples are numbered from 0.
    blocks : iterable of dict
        Columns of consecutive samples; each block is written before the next is taken.
    source : str or Path
        The input.
    n_clusters : int, optional
        Of the model.
    """
    if path is None:
        write_csv(sys.stdout, ids, blocks)
        return
    suffix = path.suffix.lower()
    if suffix in ANNOTATED:
        write_annotated(path, source, ids, blocks, n_clusters)
        return
    with replacing(path) as file:
        if suffix in PARQUET:
            _write_parquet(file, ids, blocks)
            return
        text = io.TextIOWrapper(file, "utf-8", newline="")
        write_csv(text, ids, blocks, "\t" if suffix == ".tsv" else ",")
        text.detach()


def _write_parquet(
    file: BinaryIO, ids: Sequence[Any] | None, blocks: Iterable[Block]
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = None if ids is None else pa.array(ids)
    with ExitStack() as stack:
        writer, start = None, 0
        for block in blocks:
            n = len(block["label"])
            own = names[start : start + n] if names is not None else None
            own = pa.array(range(start, start + n)) if own is None else own
            table = pa.table({"id": own, **block})
            if writer is None:
                writer = stack.enter_context(pq.ParquetWriter(file, table.schema))
            writer.write_table(table)
            start += n


def write_csv(
    file: TextIO,
    ids: Sequence[Any] | None,
    blocks: Iterable[Block],
    separator: str = ",",
) -> None:
    """Write lines of id, label and, where the model knows it, confidence."""
    writer = csv.writer(file, delimiter=separator, lineterminator="\n")
    names: Iterator[Any] = count() if ids is None else iter(ids)
    for i, block in enumerate(blocks):
        if i == 0:
            writer.writerow(["id", *block])
        columns = [
            [f"{value:.6g}" for value in column] if column.dtype.kind == "f" else column
            for column in block.values()
        ]
        # the columns first: zip would take an id more than there are labels
        rows = zip(*columns, islice(names, len(block["label"])), strict=True)
        writer.writerows((name, *row) for *row, name in rows)
    file.flush()


def labels_summary(
    dataset: Any, method: str, model: Any, output: Path | None
) -> dict[str, Any]:
    """Describe a clustering, ready for JSON; with the labels, if no file has them."""
    labels, sizes = np.unique(model.labels_, return_counts=True)
    summary = {
        "data": dataset.name,
        "method": method,
        "n": len(model.labels_),
        "sizes": {str(c): int(n) for c, n in zip(labels, sizes, strict=True)},
    }
    weights = vars(model).get("view_weights_")
    if weights is not None:
        pairs = zip(dataset.views.names, weights.tolist(), strict=True)
        summary["view_weights"] = dict(pairs)
    if output is not None:
        return summary | {"output": str(output)}
    ids = range(len(model.labels_)) if dataset.ids is None else dataset.ids
    return summary | {"ids": list(map(str, ids)), "labels": model.labels_.tolist()}
