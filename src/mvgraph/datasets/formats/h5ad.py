"""Single-cell files: .h5ad (one AnnData) and .h5mu (one AnnData per modality)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.datasets.layout.source import Reading, Source
from mvgraph.views import annotated

SUFFIXES = (".h5ad", ".h5mu")


def read_annotated(path: Path, reading: Reading) -> Source:
    """Read the chosen matrices of a file, and the columns of ``obs``.

    Views are named by key in ``.h5ad`` (``X``, ``X_pca``, ``layers.counts``) and by
    modality, or modality and key, in ``.h5mu`` (``rna``, ``adt.X_pca``).

    Raises
    ------
    ImportError
        If anndata, or mudata, is not installed.
    ValueError
        If the file cannot be read, or a view is not there.
    """
    data = _open(path)
    views: Any = list(reading.views) or None
    if hasattr(data, "mod") and views:
        return _chosen_of_many(path, data, views, reading.join)
    join = "inner" if reading.join == "inner" else "outer"
    matrices, names, ids = annotated.matrices(data, views, join)
    return _source(path, data, dict(zip(names, matrices, strict=True)), ids)


def _chosen_of_many(path: Path, data: Any, views: list[str], join: str) -> Source:
    """Read the named views; one modality may give several."""
    found: dict[str, Any] = {}
    pairs = [view.partition(".")[::2] for view in views]
    absent = [name for name, _ in pairs if name not in data.mod]
    if absent:
        raise ValueError(
            f"{path.name}: there is no modality {absent[0]!r}; there are"
            f" {list(data.mod)}. Remedy: name views as modality or modality.key"
        )
    # modalities of one pass differ: a second key of one needs a pass of its own
    modalities = list(dict.fromkeys(name for name, _ in pairs))
    for view, (name, key) in zip(views, pairs, strict=True):
        wanted = {m: annotated.reduced_key(data.mod[m]) for m in modalities}
        wanted[name] = key or wanted[name]
        mode = "inner" if join == "inner" else "outer"
        matrices, names, ids = annotated.matrices(data, wanted, mode)
        found[view] = matrices[names.index(name)]
    return _source(path, data, found, ids)


def _source(path: Path, data: Any, views: dict[str, Any], ids: np.ndarray) -> Source:
    columns = {k: v for k, v in _columns(data, ids).items() if k not in views}
    kind = "MuData file" if hasattr(data, "mod") else "AnnData file"
    return Source(
        path, kind, views | columns, ids, tuple(views), rows_first=True, settled=True
    )


def _columns(data: Any, ids: np.ndarray) -> dict[str, np.ndarray]:
    """Return the columns of obs that are known for all cells, categories as text."""
    parts = [("", data.obs)]
    parts += [(f"{m}:", one.obs) for m, one in getattr(data, "mod", {}).items()]
    found: dict[str, np.ndarray] = {}
    for prefix, frame in parts:
        frame = frame.reindex(ids)
        for name in frame.columns:
            column = frame[name]
            if column.isna().any():
                continue
            known = column.dtype.kind in "biuf" if hasattr(column.dtype, "kind") else 0
            values = column.to_numpy() if known else column.to_numpy().astype(str)
            found[name if name.startswith(prefix) else prefix + name] = values
    return found


def _open(path: Path) -> Any:
    package = "mudata" if path.suffix.lower() == ".h5mu" else "anndata"
    try:
        if package == "mudata":
            from mudata import read_h5mu as read
        else:
            from anndata import read_h5ad as read
    except ImportError as error:
        raise ImportError(
            f"{path.name} needs {package}: pip install 'mvgraph[mudata]'"
        ) from error
    try:
        return read(path)
    except (OSError, KeyError) as error:
        raise ValueError(
            f"{path.name}: {package} cannot read this file ({error}). Remedy: fetch or"
            " write the file again"
        ) from error
