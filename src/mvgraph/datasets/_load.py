"""Open a file or folder of views, whatever its layout, as one `Dataset`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from mvgraph.datasets._catalogue import BuiltIn, find, open_built_in
from mvgraph.datasets._open import Asked, KeyMap, Names, open_for
from mvgraph.datasets._places import Data
from mvgraph.datasets._report import Parts, feature_names, report
from mvgraph.datasets.formats.limits import named
from mvgraph.datasets.formats.table import stem_of
from mvgraph.datasets.layout.expected import expected_views
from mvgraph.datasets.layout.find_views import named_views
from mvgraph.datasets.layout.labels import (
    find_labels,
    read_labels,
    refuse_unread_labels,
    renumber,
)
from mvgraph.datasets.layout.missing import blank, presence
from mvgraph.datasets.layout.names import match_named_matrices
from mvgraph.datasets.layout.orientation import orient
from mvgraph.datasets.layout.report import Dataset
from mvgraph.datasets.layout.source import HINT, Source
from mvgraph.tables.encoders import Encoders
from mvgraph.views.container import Views
from mvgraph.views.lazy import EAGER, LazyArray

KEYS = ("views", "labels", "mask", "index")


def load(
    path: Data,
    key_map: KeyMap | None = None,
    *,
    orientation: str | None = None,
    join: str = "strict",
    ids: Names = None,
    column: Names = None,
    normalise_ids: bool = False,
    columns: Names = None,
    drop: Names = None,
    kinds: Mapping[str, Any] | None = None,
    impute: str | None = None,
    schema: str | Path | None = None,
    encoders: Encoders | None = None,
    memory_limit: int | None = None,
    admit: Callable[[int], None] | None = None,
    widths: Mapping[str, int] | None = None,
    eager_bytes: int = EAGER,
) -> Dataset:
    """Read multi-view data from a file or a folder, or a data set by its name.

    Reads MATLAB files of versions 4 to 7.3, ``.npz`` (dense or sparse), ``.npy``,
    Matrix Market, text tables (CSV, TSV, compressed or not), Parquet, Feather and
    Arrow tables, workbooks, folders with one such file per view, zarr groups,
    ``.h5ad``, ``.h5mu`` and the files of 10x Genomics. Arrays over 64 MiB in ``.npy``,
    HDF5, zarr and Parquet files stay there and are read as a fit needs them. Which
    variables are views and labels, and whether samples are in rows or in columns, is
    inferred from names and from the number of labels; where that is not certain, the
    error says what to pass. Tables that name their samples are matched by these names.

    Parameters
    ----------
    path : str, Path or sequence of these
        File or folder, ``-`` for standard input; an address that fsspec reads, such as
        ``s3://bucket/file``, which is copied first; a pattern (``part-*.parquet``) or
        several paths, for the parts of one table; else a built-in set (``digits``,
        ``ambiguous``, ``misleading``; ``ambiguous:300`` has 300 samples), or a
        published one that was fetched, see :func:`fetch`.
    key_map : dict, optional
        Names of variables: ``views`` (one cell or struct, or a list of variables; a
        list in place of a name joins the samples of several variables; keys of an
        AnnData, ``modality`` or ``modality.key`` of a MuData; of a table a dict of
        views and their columns), ``labels``
        (None: read without labels), ``mask`` (0/1 matrix, 1 = the view has the
        sample) and ``index`` (1-based numbers of the samples that each view has).
    orientation : {"rows", "columns"}, optional
        Where the samples are. By default decided by labels: their number, or their
        identifiers where tables have some.
    join : {"strict", "inner", "outer"}, default="strict"
        What to do with samples that are missing from some table of a folder, sheet,
        modality or named matrix: reject them, drop them, or keep them with rows of NaN.
    ids : str or sequence of str, optional
        Columns (or arrays next to the matrices) that name the samples. Default: those
        with a usual name, such as ``id``, ``sample_name`` or ``patient_id``.
    column : str or sequence of str, optional
        Columns that are features, whatever they are called.
    normalise_ids : bool, default=False
        Compare names regardless of Unicode form, leading or trailing blanks, and case.
    columns, drop, kinds, impute
        Which columns of tables are used, as what, and how empty cells are filled: see
        :func:`mvgraph.read_columns`.
    schema : path, optional
        A YAML file with views, columns, ids, kinds and impute, as ``mvgraph
        datasets info --write`` writes it; arguments override it.
    encoders : Encoders, optional
        Those of a fit, ``model.schema_.encoders``: columns become what they were there.
    memory_limit : int, optional
        Bytes of private memory of this process, interpreter included; every array is
        checked before it is unpacked, by the size that the file declares. Parsing text
        takes more than its size. Default: most of the available memory.
    admit : callable, optional
        Called with the number of samples once that is known, mostly before rows are
        read. What it raises ends the reading.
    widths : dict of str to int, optional
        Numbers of features of the views of a fitted model, by name. Variables of these
        names are views even where they have a single row or column, and the numbers
        tell where the samples are.
    eager_bytes : int, default=67108864
        Larger arrays stay in the file, where its format allows that; 0: all do.

    Returns
    -------
    Dataset
        ``views`` with samples in rows, all of one float type (sparse ones stay
        sparse); samples that a view lacks are rows of NaN. ``labels`` are renumbered
        0..K-1 in sorted order (int64), or None. ``reading`` reports how the
        file was understood, and every array, column or file that was left out.

    Raises
    ------
    TypeError
        If `path` is neither text nor a path, or `key_map` is not a dict.
    ValueError
        If the file cannot be read or understood; the message lists its variables.
    FileNotFoundError
        If there is no such file or name, or if the set is not fetched yet.
    ConnectionError
        If an address cannot be read to its end.

    Examples
    --------
    >>> import tempfile, pathlib, numpy as np
    >>> from mvgraph import datasets
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "two.npz")
    ...     np.savez(path, a=np.eye(4), b=np.ones((4, 3)), labels=[3, 5, 3, 5])
    ...     datasets.load(path).labels
    array([0, 1, 0, 1])
    """
    source_or_set = find(path)
    if isinstance(source_or_set, BuiltIn):
        return open_built_in(source_or_set, key_map, orientation)
    asked = Asked(
        key_map, orientation, join, ids, column, normalise_ids, columns, drop, kinds,
        impute, schema, encoders, memory_limit, admit,
    )  # fmt: skip
    source = open_for(source_or_set, asked, eager_bytes=eager_bytes)
    key_map = asked.variables_in(source)
    source = replace(source, widths=widths or {})
    with named(source.path):
        parts = read_parts(source, key_map)
        if admit is not None:
            admit(parts.matrices[0].shape[0])
        return _understood(source, parts, encoders is None)


def _understood(source: Source, parts: Parts, first: bool) -> Dataset:
    """Check and cast views and labels, and report; kinds `first` of all."""
    matrices = parts.matrices
    if parts.present is not None:
        flags = parts.present.T
        matrices = [blank(m, f) for m, f in zip(matrices, flags, strict=True)]
    labels = None if parts.labels is None else renumber(parts.labels)[1]
    views = Views(
        one_float_type(matrices), parts.names, parts.ids, feature_names(source, parts)
    )
    views.encoders = source.encoders
    return Dataset(
        views, labels, stem_of(source.path), parts.ids, report(source, parts, first)
    )


def read_parts(source: Source, key_map: KeyMap | None = None) -> Parts:
    """Find views and labels in a source; nothing is cast yet."""
    wanted = dict(key_map or {})
    unknown = sorted(set(wanted) - set(KEYS))
    if unknown:
        raise ValueError(f"key_map has unknown keys {unknown}, it takes {list(KEYS)}")
    pieces = _pieces(wanted)
    if len(pieces) > 1:
        return _join([read_parts(source, piece) for piece in pieces])
    return _read_piece(source, pieces[0])


def one_float_type(matrices: list[Any]) -> list[Any]:
    """Cast to float32 if every view is stored so, else to float64; sparse to CSR.

    Integers are cast too: squares of uint16 features would overflow silently.
    """
    single = all(m.dtype == np.float32 for m in matrices)
    kind = np.dtype(np.float32 if single else np.float64)
    return [_as_type(m, kind) for m in matrices]


def _as_type(m: Any, kind: np.dtype) -> Any:
    if sparse.issparse(m):
        return sparse.csr_matrix(m, dtype=kind)
    if isinstance(m, LazyArray):
        return m
    if isinstance(m, np.memmap) and not (m.dtype == kind and m.flags.c_contiguous):
        return LazyArray(m)  # cast block by block
    return np.ascontiguousarray(m, dtype=kind)


def _read_piece(source: Source, wanted: KeyMap) -> Parts:
    name, labels = _labels(source, wanted)
    n = None if labels is None else len(labels)
    if wanted.get("views") is None:
        names, matrices = expected_views(source, name, n)
    else:
        chosen = wanted["views"]
        chosen = chosen if isinstance(chosen, str) else list(chosen)
        names, matrices = named_views(source, chosen, n)
    if name is None and "labels" not in wanted:
        refuse_unread_labels(source, names)
    _refuse_complex(source, names, matrices)
    ids_of_file = source.ids
    source, matrices, labels = match_named_matrices(
        source, names, matrices, (name, labels)
    )
    if source.ids is not None and source.ids is not ids_of_file:
        n = len(source.ids)
    matrices = orient(source, names, matrices, n)
    present = presence(source, matrices, wanted.get("index"), wanted.get("mask"))
    ids = source.ids
    if ids is not None and len(ids) != matrices[0].shape[0]:
        ids = None  # a table without a header, turned: its first column named features
    return Parts(names, matrices, labels, present, ids, name)


def _refuse_complex(source: Source, names: list[str], matrices: list[Any]) -> None:
    for name, matrix in zip(names, matrices, strict=True):
        if matrix.dtype.kind == "c":  # a cast to floats would keep the real parts
            raise source.error(
                f"view {name!r} contains complex numbers",
                "store real features, such as magnitudes",
            )


def _labels(source: Source, wanted: KeyMap) -> tuple[str | None, np.ndarray | None]:
    if "labels" not in wanted:
        return find_labels(source)
    name = wanted["labels"]
    return name, None if name is None else read_labels(source, name)


def _pieces(wanted: dict[str, Any]) -> list[dict[str, Any]]:
    """Split lists in place of names into one key map per piece of the samples."""
    views = wanted.get("views")
    views = [views] if isinstance(views, str) or views is None else list(views)
    labels = wanted.get("labels")
    lists = [v for v in (*views, labels) if not isinstance(v, str) and v is not None]
    counts = {len(item) for item in lists}
    if not counts:
        return [wanted]
    if len(counts) > 1 or any(isinstance(view, str) for view in views):
        raise ValueError(
            "key_map joins samples: every view (and labels) must be a list of equally"
            f" many names, with lists in place of names in {HINT}"
        )
    pieces = []
    for i in range(counts.pop()):
        piece = wanted | {"views": [view[i] for view in views]}
        if labels is not None:
            piece["labels"] = labels if isinstance(labels, str) else labels[i]
        pieces.append(piece)
    return pieces


def _join(pieces: list[Parts]) -> Parts:
    """Stack the samples of several pieces."""
    stacked = []
    for blocks in zip(*(piece.matrices for piece in pieces), strict=True):
        some_sparse = any(sparse.issparse(block) for block in blocks)
        stacked.append(sparse.vstack(blocks) if some_sparse else np.vstack(blocks))
    labels = [piece.labels for piece in pieces if piece.labels is not None]
    joined = np.concatenate(labels) if labels else None
    return Parts(pieces[0].names, stacked, joined, None, None)
