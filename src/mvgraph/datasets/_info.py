"""Describe a multi-view file: sizes, stored types, and possible problems."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from mvgraph.datasets._catalogue import BuiltIn, find, open_built_in
from mvgraph.datasets._fetch import digest
from mvgraph.datasets._load import Parts, read_parts
from mvgraph.datasets._open import Asked, KeyMap, open_for
from mvgraph.datasets._places import Data
from mvgraph.datasets._report import report
from mvgraph.datasets.formats.table import stem_of
from mvgraph.datasets.layout.labels import renumber
from mvgraph.datasets.layout.missing import empty_rows
from mvgraph.persistence.files import replace_text
from mvgraph.tables.encoders import Encoders
from mvgraph.tables.schema_file import schema_text

SORTED_WARNING = (
    "samples are stored class by class: shuffle them before comparing methods,"
    " because some depend on the order"
)


def info(
    path: str | Path,
    key_map: KeyMap | None = None,
    *,
    write: str | Path | None = None,
    **reading: Any,
) -> dict[str, Any]:
    """Describe a file or folder of views, or a data set, without changing anything.

    Parameters
    ----------
    path, key_map
        As in :func:`load`.
    write : path, optional
        A YAML file to write, with which `load` reads the data in the same way: a start
        for another choice of columns, kinds and ways to fill empty cells.
    **reading
        Any of orientation, join, ids, column, normalise_ids, columns, drop, kinds,
        impute, schema, encoders and memory_limit, as in :func:`load`.

    Returns
    -------
    dict
        ``name``, ``format``, ``sha256`` (None unless it is a file), ``n``, ``k`` and
        ``label_counts`` (None without labels), ``labels_sorted``, ``order_warning``
        (None or a sentence), ``duplicate_rows`` (equal in every view), ``columns`` (of
        tables with other columns than numbers: kind, use, share of empty cells),
        ``reading`` (how it was read, and what was left out; None for built-in data) and
        ``views``: a list of dicts with ``name``, ``shape`` (samples, features),
        ``stored`` (type in the file), ``sparse``, ``nonzero_fraction``,
        ``duplicate_rows``, ``constant_columns``, ``zero_rows``,
        ``missing_rows`` and ``missing_values`` (NaN in rows that are not missing).

    Raises
    ------
    ValueError
        As in :func:`load`.

    Examples
    --------
    >>> import tempfile, pathlib, numpy as np
    >>> from mvgraph import datasets
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "two.npz")
    ...     np.savez(path, p=np.ones((4, 3)), q=np.eye(4), labels=[3, 3, 5, 5])
    ...     found = datasets.info(path)
    >>> found["k"], found["labels_sorted"], found["views"][0]["duplicate_rows"]
    (2, True, 3)
    """
    name, kind, file, parts, read, rows = _read(path, Asked(key_map, **reading), write)
    n = parts.matrices[0].shape[0]
    present = parts.present
    if present is None:
        present = np.ones((n, len(parts.matrices)), dtype=bool)
    keys = [row_keys(matrix) for matrix in parts.matrices]
    views = [
        _describe_view(name, matrix, row_digests, flags)
        for name, matrix, row_digests, flags in zip(
            parts.names, parts.matrices, keys, present.T, strict=True
        )
    ]
    whole_rows = [b"".join(row) for row in zip(*keys, strict=True)]
    return {
        "name": name,
        "format": kind,
        "sha256": digest(file) if file is not None and file.is_file() else None,
        "n": n,
        **_describe_labels(parts.labels),
        "duplicate_rows": n - len(set(whole_rows)),
        "columns": rows,
        "reading": read,
        "views": views,
    }


def _read(
    path: Data, asked: Asked, write: str | Path | None
) -> tuple[str, str, Path | None, Parts, dict[str, Any] | None, list[dict[str, Any]]]:
    """Return name, format, file, content, report and columns of a set or a file."""
    source_or_set = find(path)
    if isinstance(source_or_set, BuiltIn):
        views, labels, name, ids, _ = open_built_in(
            source_or_set, asked.key_map, asked.orientation
        )
        parts = Parts(list(views.names), list(views.arrays), labels, None, ids)
        return name, source_or_set.kind, None, parts, None, []
    source = open_for(source_or_set, asked, look=True)
    parts = read_parts(source, asked.variables)
    if write is not None:
        known = source.encoders or Encoders(())
        ids = () if parts.ids is None else known.ids
        text = schema_text(known.tables, known.single, parts.names, ids)
        replace_text(write, text)
    rows = [] if source.encoders is None else source.encoders.rows()
    read = report(source, parts, kinds=False).to_dict()
    return stem_of(source.path), source.kind, source.path, parts, read, rows


def row_keys(matrix: Any) -> list[bytes]:
    """Return a digest per row; equal rows have equal digests, -0 counts as 0."""
    if sparse.issparse(matrix):
        rows = sparse.csr_matrix(matrix, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        ends = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
        parts = ((rows.indices[a:b], rows.data[a:b]) for a, b in ends)
        return [_digest(i.tobytes() + x.tobytes()) for i, x in parts]
    return [_digest((row + 0.0).tobytes()) for row in matrix]


def _describe_view(
    name: str, matrix: Any, keys: list[bytes], present: np.ndarray
) -> dict[str, Any]:
    is_sparse = sparse.issparse(matrix)
    rows = sparse.csr_matrix(matrix) if is_sparse else np.asarray(matrix[:])
    values, empty = rows.data if is_sparse else rows, empty_rows(rows)
    # an empty row with entries that are stored is NaN, unless these are zeros
    is_nan = np.asarray(abs(rows).max(axis=1).toarray() if is_sparse else rows[:, :1])
    missing = ~present | (empty & np.isnan(is_nan).ravel())
    filled = np.flatnonzero(~missing)
    held = rows[filled]
    return {
        "name": name,
        "shape": tuple(int(side) for side in matrix.shape),
        "stored": str(matrix.dtype),
        "sparse": is_sparse,
        "nonzero_fraction": int(np.count_nonzero(values) - np.isnan(values).sum())
        / (matrix.shape[0] * matrix.shape[1]),
        "duplicate_rows": len(filled) - len({keys[i] for i in filled}),
        "constant_columns": _constant_columns(held),
        "zero_rows": int((empty & ~missing).sum()),
        "missing_rows": int(missing.sum()),
        "missing_values": int(np.isnan(held.data if is_sparse else held).sum()),
    }


def _describe_labels(labels: np.ndarray | None) -> dict[str, Any]:
    if labels is None:
        return dict.fromkeys(
            ("k", "label_counts", "labels_sorted", "order_warning"), None
        )
    values, codes = renumber(labels)
    whole = values.astype(np.int64) if values.dtype.kind in "fc" else values
    counts = np.bincount(codes)
    in_order = bool(len(values) == 1 + np.count_nonzero(np.diff(codes)))
    return {
        "k": len(values),
        "label_counts": {
            str(value): int(count) for value, count in zip(whole, counts, strict=True)
        },
        "labels_sorted": in_order,
        "order_warning": SORTED_WARNING if in_order else None,
    }


def _constant_columns(rows: Any) -> int:
    """Count columns with one value over all rows."""
    if not rows.shape[0]:
        return 0
    if sparse.issparse(rows):
        low, high = rows.min(axis=0).toarray(), rows.max(axis=0).toarray()
    else:
        low, high = np.fmin.reduce(rows), np.fmax.reduce(rows)
    return int((~(low < high)).sum())  # also columns of NaN alone


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()
