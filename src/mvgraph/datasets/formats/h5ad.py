"""Single-cell data: AnnData and MuData in .h5ad and .h5mu files and zarr groups."""

from __future__ import annotations

import json
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.datasets.formats.hdf5 import check_links, import_h5py
from mvgraph.datasets.formats.limits import check_size, readable
from mvgraph.datasets.layout.source import ReadOptions, Source, strings
from mvgraph.views import annotated

#: Why the embedding of an earlier clustering is not a view.
RESULT = "a result of mvgraph, not of the cells"


def read_annotated(path: Path, reading: ReadOptions) -> Source:
    """Read the chosen matrices of a file, and the columns of ``obs``.

    Views of an AnnData are named by key (``X``, ``X_pca``, ``layers.counts``), those of
    a MuData by modality, or modality and key (``rna``, ``adt.X_pca``).

    Raises
    ------
    ImportError
        If anndata, mudata or zarr is not installed.
    ValueError
        If the file cannot be read, a view does not exist, or (join strict) modalities
        have different cells.
    """
    data = open_annotated(path, reading)
    views: Any = list(reading.views) or None
    if hasattr(data, "mod") and views:
        views = {view: view.partition(".")[2] for view in views}
    found = annotated.matrices(data, views, reading.join, reading.log.note)
    return _source(path, data, found, reading)


def _source(
    path: Path, data: Any, found: annotated.Matrices, reading: ReadOptions
) -> Source:
    ids, views = found.cells, dict(zip(found.names, found.arrays, strict=True))
    features = zip(found.names, found.features, strict=True)
    columns = {k: v for k, v in columns_of_cells(data, ids).items() if k not in views}
    results = annotated.result_names(data)
    for name in [c for c in columns if c.rpartition(":")[2] in results]:
        if name != reading.label_name:  # called "label", it would be the truth
            del columns[name]
            reading.log.leave_out(name, f"{RESULT}; name it with --labels")
    kind = "MuData" if hasattr(data, "mod") else "AnnData"
    kind += " in zarr" if path.is_dir() else " file"
    reading.log.id_column = "obs_names"
    reading.log.matched = "rows are cells, matched by name"
    _report_left_out(data, views, reading)
    return Source(
        path, kind, views | columns, reading, ids, tuple(views), rows_first=True,
        settled=True, features={k: v for k, v in features if v is not None},
    )  # fmt: skip


def _report_left_out(data: Any, views: dict[str, Any], reading: ReadOptions) -> None:
    """Report every matrix that is not a view, and mark results of this package."""
    many = hasattr(data, "mod")
    parts = data.mod if many else {"": data}
    for modality, one in parts.items():
        used = annotated.reduced_key(one) if many else None
        results = annotated.result_keys(one)
        for key in annotated.representations(one):
            name = f"{modality}.{key}" if many else key
            if name in views or (modality in views and key == used):
                continue
            why = RESULT if key in results else "not one of the views"
            reading.log.leave_out(name, f"{why}; name it with --views")
    for key in sorted(annotated.result_keys(data)) if many else ():
        reading.log.leave_out(key, RESULT)


def columns_of_cells(data: Any, ids: np.ndarray) -> dict[str, np.ndarray]:
    """Return the columns of obs without missing values; categories become text."""
    parts = [("", data.obs)]
    parts += [(f"{m}:", one.obs) for m, one in getattr(data, "mod", {}).items()]
    values_by_name: dict[str, np.ndarray] = {}
    for prefix, frame in parts:
        frame = frame.reindex(ids)
        for name in frame.columns:
            column = frame[name]
            if column.isna().any():
                continue
            is_plain = (
                column.dtype.kind in "biuf" if hasattr(column.dtype, "kind") else 0
            )
            values = column.to_numpy() if is_plain else strings(column)
            values_by_name[name if name.startswith(prefix) else prefix + name] = values
    return values_by_name


def open_annotated(path: Path, options: ReadOptions) -> Any:
    """Open an AnnData or a MuData, once it is known to fit into memory."""
    zarr = path.is_dir()
    many = encoding(path) == "mudata" if zarr else path.suffix.lower() == ".h5mu"
    package = "mudata" if many else "anndata"
    name = "read_zarr" if zarr else "read_h5mu" if many else "read_h5ad"
    try:
        read = getattr(import_module(package), name)
        if zarr:
            import_module("zarr")
    except ImportError as error:
        raise ImportError(
            f"{path.name} needs {package}{' and zarr' if zarr else ''}: pip install"
            f" 'mvgraph[mudata]'{' zarr' if zarr else ''}"
        ) from error
    with readable(path, f"file that {package} can read"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecations inside these packages
        check_size(path.name, _unpacked(path), options)
        return read(path)


def _unpacked(path: Path) -> int:
    """Return the bytes that all arrays of a file take in memory."""
    if path.is_dir():
        import zarr

        members = zarr.open_group(str(path), mode="r").members(max_depth=None)
        return sum(getattr(item, "nbytes", 0) for _, item in members)
    h5py = import_h5py(path)
    sizes: list[int] = []
    with h5py.File(path, "r") as file:
        check_links(path, file)
        file.visititems(lambda _, item: sizes.append(getattr(item, "nbytes", 0)))
    return sum(sizes)


def encoding(path: Path) -> str:
    """Return ``anndata`` or ``mudata`` for a zarr group of one, otherwise "".

    Both packages write it as an attribute, in versions 2 and 3 of zarr.
    """
    metadata: dict[str, Any] = {}
    for name in (".zattrs", "zarr.json"):
        if (path / name).is_file():
            with readable(path / name, "JSON file"):
                metadata |= json.loads((path / name).read_text(encoding="utf-8"))
    attributes = metadata.get("attributes", metadata)
    name_of_kind = str(attributes.get("encoding-type", "")).lower()
    if name_of_kind not in ("anndata", "mudata") and (path / "obs").is_dir():
        name_of_kind = "mudata" if (path / "mod").is_dir() else "anndata"
    return name_of_kind if name_of_kind in ("anndata", "mudata") else ""
