"""Matrix Market files, and count matrices of 10x Genomics (HDF5, folders)."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from mvgraph.datasets.formats.hdf5 import check_links, import_h5py
from mvgraph.datasets.formats.limits import (
    check_size,
    output_of,
    read_unpacked,
    readable,
)
from mvgraph.datasets.layout.source import ReadOptions, Source
from mvgraph.views.casting import check_sparse
from mvgraph.views.joining import joint_rows, refuse_repeated, take_rows

MARKET = (".mtx", ".mtx.gz")


def is_market(file: Path) -> bool:
    """Return whether a file has an ending of Matrix Market."""
    return file.name.lower().endswith(MARKET)


def read_market(path: Path, options: ReadOptions) -> Source:
    """Read one matrix; samples lie in rows or in columns, both are usual.

    Raises
    ------
    ValueError
        If the file is damaged, or would not fit into memory.
    """
    with readable(path, "Matrix Market file"):
        matrix = read_matrix(path, options)
    name = path.name.split(".mtx")[0]
    views = {name: matrix}
    return Source(path, "Matrix Market file", views, options, views=tuple(views))


def read_matrix(path: Path, options: ReadOptions) -> Any:
    """Read a matrix as CSR, or as an array if it is stored as one.

    SciPy's parser crashes on some damaged files, so another process tries it first.

    Raises
    ------
    ValueError
    """
    from scipy.io import mmread

    content = _content(path, options)
    output_of("market", path, options)
    matrix = mmread(io.BytesIO(content))
    if np.iscomplexobj(matrix):
        raise ValueError("it holds complex numbers")
    if not sparse.issparse(matrix):
        return matrix
    check_size(path.name, 8 * sum(matrix.shape), options)
    matrix = sparse.coo_matrix(matrix)
    if matrix.nnz and (
        min(matrix.row.min(), matrix.col.min()) < 0
        or matrix.row.max() >= matrix.shape[0]
        or matrix.col.max() >= matrix.shape[1]
    ):
        raise ValueError("an entry is outside the matrix")
    return sparse.csr_matrix(matrix)


_PARTS = {"barcodes", "data", "indices", "indptr", "shape"}
_FEATURES = ("features.tsv", "genes.tsv")


class Counts(NamedTuple):
    """Counts of one matrix: cells x features, and the names of both."""

    matrix: sparse.csr_matrix
    barcodes: np.ndarray
    features: list[str]
    kinds: list[str] | None  # feature_type of every feature, version 3


def is_tenx_file(path: Path) -> bool:
    """Return whether the groups of an HDF5 file are counts written by cellranger."""
    h5py = import_h5py(path)
    try:
        with h5py.File(path, "r") as file:
            groups = [g for g in (file.get(name) for name in file) if g is not None]
            return bool(groups) and all(
                isinstance(g, h5py.Group) and set(g) >= _PARTS for g in groups
            )
    except (OSError, RuntimeError, KeyError, ValueError):
        return False  # the HDF5 reader reports the error


def is_tenx_folder(path: Path) -> bool:
    """Return whether a folder has matrix.mtx, barcodes.tsv and features or genes."""
    names = {file.name.removesuffix(".gz") for file in path.iterdir()}
    return {"matrix.mtx", "barcodes.tsv"} <= names and bool(names & {*_FEATURES})


def read_tenx_file(path: Path, options: ReadOptions) -> Source:
    """Read one view per feature type (version 3) or per genome (version 2).

    Raises
    ------
    ImportError, ValueError
    """
    h5py = import_h5py(path)
    with readable(path, "10x HDF5 file"), h5py.File(path, "r") as file:
        check_links(path, file)
        counts = {name: _counts(path, file[name], options) for name in file}
    return _source(path, "10x HDF5 file", counts, options)


def read_tenx_folder(path: Path, options: ReadOptions) -> Source:
    """Read matrix.mtx, barcodes.tsv and features.tsv (or genes.tsv), gzip or not.

    Raises
    ------
    ValueError
        If the files do not belong together.
    """
    files = {file.name.removesuffix(".gz"): file for file in path.iterdir()}
    named = next(files.pop(name) for name in _FEATURES if name in files)
    matrix, barcodes = files.pop("matrix.mtx"), files.pop("barcodes.tsv")
    with readable(matrix, "Matrix Market file"):
        counts = sparse.csr_matrix(read_matrix(matrix, options).T)
    cells = [row[0] for row in _rows(barcodes, options)]
    rows = _rows(named, options)
    names = [row[1] if len(row) > 1 else row[0] for row in rows]
    kinds = [row[2] for row in rows if len(row) > 2]
    if counts.shape != (len(cells), len(rows)):
        raise ValueError(
            f"{path.name}: {matrix.name} is {counts.shape[1]} x {counts.shape[0]}, but"
            f" {named.name} names {len(rows)} features and {barcodes.name} {len(cells)}"
            " cells. Use the three files of one run"
        )
    for left in files.values():
        options.log.leave_out(left.name, "not one of the three files of 10x")
    counts_of_cells = Counts(
        counts,
        np.array(cells),
        _different(names, [row[0] for row in rows]),
        kinds if len(kinds) == len(rows) else None,
    )
    return _source(path, "10x folder", {"counts": counts_of_cells}, options)


def _counts(path: Path, group: Any, options: ReadOptions) -> Counts:
    for name in _PARTS:
        part = group[name]
        check_size(f"{path.name}: {part.name}", part.nbytes, options)
    shape = tuple(int(side) for side in group["shape"][()])
    check_size(f"{path.name}: {group.name}", 8 * sum(shape), options)
    # genes x cells by columns is cells x genes by rows
    matrix = sparse.csr_matrix(
        (group["data"][()], group["indices"][()], group["indptr"][()]),
        shape=shape[::-1],
    )
    check_sparse(matrix, f"{path.name}: {group.name}")
    features = group.get("features", group)
    ids = _words(features["id" if "id" in features else "genes"])
    names = _words(features["name" if "name" in features else "gene_names"])
    kinds = _words(features["feature_type"]) if "feature_type" in features else None
    barcodes = np.array(_words(group["barcodes"]))
    if matrix.shape != (len(barcodes), len(names)):
        raise ValueError(
            f"{path.name}: {group.name} is {matrix.shape[0]} cells x"
            f" {matrix.shape[1]} features, but names {len(barcodes)} and {len(names)}."
            " Write the file again"
        )
    return Counts(matrix, barcodes, _different(names, ids), kinds)


def _source(
    path: Path, kind: str, counts_by_name: dict[str, Counts], options: ReadOptions
) -> Source:
    """Split by feature type; put the cells of several genomes into one order."""
    parts: dict[str, Counts] = {}
    for name, counts in counts_by_name.items():
        if counts.kinds is None:
            parts[name] = counts
            continue
        for one in dict.fromkeys(counts.kinds):
            which = [i for i, k in enumerate(counts.kinds) if k == one]
            parts[one] = counts._replace(
                matrix=counts.matrix[:, which],
                features=[counts.features[i] for i in which],
            )
    names = list(parts)
    rows, ids, notes = joint_rows(
        [c.barcodes for c in parts.values()], names, options.join
    )
    for note in notes:
        options.log.note(note)
    refuse_repeated(ids, f"{path.name}: barcodes", "Write the file again")
    views = {
        name: c.matrix if row is None else take_rows(c.matrix, row)
        for (name, c), row in zip(parts.items(), rows, strict=True)
    }
    options.log.id_column = "barcodes"
    options.log.matched = "rows are cells, matched by barcode"
    if len(parts) > 1:
        by = "genome" if len(counts_by_name) > 1 else "feature type"
        options.log.note(f"{len(parts)} views, one per {by}")
    features = {name: c.features for name, c in parts.items()}
    return Source(
        path, kind, dict(views), options, ids, tuple(names), rows_first=True,
        settled=True, features=features,
    )  # fmt: skip


def _different(names: list[str], ids: list[str]) -> list[str]:
    """Name features by their symbol, with the id where two share it."""
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
    pairs = zip(names, ids, strict=True)
    return [n if seen[n] == 1 else f"{n} ({i})" for n, i in pairs]


def _words(data: Any) -> list[str]:
    cells = np.asarray(data[()]).ravel().tolist()
    return [
        c.decode(errors="replace") if isinstance(c, bytes) else str(c) for c in cells
    ]


def _rows(path: Path, options: ReadOptions) -> list[list[str]]:
    with readable(path, "table of text"):
        content = _content(path, options)
        lines = csv.reader(
            io.StringIO(content.decode()), delimiter="\t", quoting=csv.QUOTE_NONE
        )
        return [row for row in lines if row]


def _content(path: Path, options: ReadOptions) -> bytes:
    opened = gzip.open if path.suffix.lower() == ".gz" else open
    return read_unpacked(path, opened(path, "rb"), options)
