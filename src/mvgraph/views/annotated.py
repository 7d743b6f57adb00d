"""Views, and genes behind components, from AnnData and MuData.

Objects are recognised by their attributes, so that neither package is imported.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.views.casting import check_sparse, is_frame, is_mudata
from mvgraph.views.counts import holds_counts, library_size, log_normalise
from mvgraph.views.joining import joint_rows, refuse_repeated, take_rows

_LOGGER = logging.getLogger("mvgraph")
#: Reductions preferred to the counts of a modality, the first that it has.
REDUCED = ("X_pca", "X_lsi")
#: Coordinates for drawing, which are not features.
DRAWINGS = ("umap", "tsne", "draw_graph", "phate", "spatial", "diffmap")
#: Parameters that only drawings have, which may be stored under any name.
OF_DRAWINGS = ({"a", "b"}, {"perplexity"})
#: Parameters of the results of this package in ``uns``; no other package has both.
OF_RESULTS = {"join", "views"}
#: Default name of its results; recognised even if a join has dropped ``uns``.
RESULT = "x_mvgraph"


@dataclass(frozen=True)
class Annotation:
    """How the views of a fit were taken from an AnnData or MuData."""

    use_rep: Mapping[str, str]  # key of the matrix of every view
    counts: str | None  # "log1p", "raw", or None: unchanged
    log1p: Mapping[str, float]  # library size of every view that was normalised


class Matrices(NamedTuple):
    """The views of an object, with the same cells in rows."""

    arrays: list[Any]
    names: list[str]
    cells: np.ndarray
    features: list[list[str] | None]  # by view: genes, or columns of a frame
    keys: dict[str, str]  # of every view in its AnnData


def matrices(
    data: Any,
    use_rep: Any = None,
    join: str = "outer",
    tell: Callable[[str], Any] = _LOGGER.info,
) -> Matrices:
    """Read matrices, and put their cells into one order.

    Parameters
    ----------
    data : AnnData or MuData
    use_rep : str, sequence of str, mapping or None
        What to read. For MuData one key for all modalities, or a mapping of modality,
        or ``modality.NAME``, to key; for AnnData the keys, one per view. A key is
        ``"X"``, a key of ``obsm``, or ``"layers.NAME"``. None: of every modality
        ``X_pca``, else ``X_lsi``, else ``X``; of an AnnData all of ``obsm`` but
        drawings, else ``X``. Embeddings that this package wrote are never among them.
    join : {"strict", "inner", "outer"}
        What to do with cells that are missing from some modality. Cells are in
        the order of ``data.obs_names``.
    tell : callable
        Called with a note about the cells that a join dropped or added.

    Raises
    ------
    ValueError
        Missing keys or modalities; for cells, see :mod:`mvgraph.views.joining`.
    """
    chosen = _chosen(data, use_rep)
    names, keys = [name for name, _, _ in chosen], {n: key for n, _, key in chosen}
    cells = np.asarray(data.obs_names, dtype=object)
    arrays = [_matrix(one, key, where) for where, one, key in chosen]
    features = [_features(one, key) for _, one, key in chosen]
    if not is_mudata(data):
        refuse_repeated(cells, "the AnnData", "Call data.obs_names_make_unique()")
        return Matrices(arrays, names, cells, features, keys)
    per_view = [np.asarray(one.obs_names, dtype=object) for _, one, _ in chosen]
    for name, ids in zip(names, per_view, strict=True):
        remedy = f"Call data.mod[{_modality(data, name)!r}].obs_names_make_unique()"
        refuse_repeated(ids, f"modality {name!r}", remedy)
    rows, ids, notes = joint_rows(per_view, names, join)
    for note in notes:
        tell(note)
    places = {cell: i for i, cell in enumerate(cells.tolist())}
    order = np.argsort([places.get(cell, len(places)) for cell in ids], kind="stable")
    taken = [
        take_rows(part, (np.arange(len(part_ids)) if at is None else at)[order])
        for part, part_ids, at in zip(arrays, per_view, rows, strict=True)
    ]
    return Matrices(taken, names, ids[order], features, keys)


def _features(data: Any, key: str) -> list[str] | None:
    if key == "X" or key.startswith("layers."):
        return [str(name) for name in data.var_names]
    value = data.obsm[key]
    return [str(c) for c in value.columns] if is_frame(value) else None


def representations(data: Any) -> dict[str, Any]:
    """Return every matrix of an AnnData by its key: X, obsm, layers."""
    matrices = {} if data.X is None else {"X": data.X}
    matrices |= {key: _plain(value) for key, value in data.obsm.items()}
    return matrices | {f"layers.{key}": value for key, value in data.layers.items()}


def obs_column(data: Any, name: str, where: str = "", advice: str = "") -> Any:
    """Return a column of ``obs``; ``rna:leiden`` is also that of the modality ``rna``.

    `where` and `advice` begin and end the message.

    Raises
    ------
    ValueError
        There is no such column.
    """
    if name in data.obs:
        return data.obs[name]
    modality, _, column = name.partition(":")
    if column and is_mudata(data) and modality in data.mod:
        return obs_column(data.mod[modality], column, f"{where}{modality}: ", advice)
    raise ValueError(
        f"{where}obs has no {name!r}; it has {list(data.obs.columns)}"
        + (f"; {advice}" if advice else "")
    )


def result_keys(data: Any) -> set[str]:
    """Return the keys of ``obsm`` that contain embeddings written by this package.

    They are results of a clustering: read as views, a second clustering would repeat
    the first.
    """
    written = [_parameters(data, name).get("use_rep") for name in result_names(data)]
    return {k for k in data.obsm if k in written or k.lower().startswith(RESULT)}


def result_names(data: Any) -> set[str]:
    """Return the names of the results of this package: columns of ``obs``, records."""
    names = getattr(data, "uns", {})
    return {name for name in names if set(_parameters(data, name)) >= OF_RESULTS}


def _is_drawing(data: Any, key: str) -> bool:
    parameters = set(_parameters(data, key))
    return any(word in key.lower() for word in DRAWINGS) or any(
        names <= parameters for names in OF_DRAWINGS
    )


def _parameters(data: Any, name: str) -> Mapping[str, Any]:
    """Return the parameters that ``uns`` records under a name."""
    record = getattr(data, "uns", {}).get(name)
    parameters = record.get("params") if isinstance(record, Mapping) else None
    return parameters if isinstance(parameters, Mapping) else {}


def _chosen(data: Any, use_rep: Any) -> list[tuple[str, Any, str]]:
    """Return the name of every view, the AnnData that it is in, and its key there."""
    if not is_mudata(data):
        if isinstance(use_rep, Mapping):
            raise ValueError(
                "use_rep must be one key or several: this is an AnnData, not a MuData"
            )
        if use_rep is None:
            results = result_keys(data)
            use_rep = [
                k for k in data.obsm if k not in results and not _is_drawing(data, k)
            ] or "X"
        keys = [use_rep] if isinstance(use_rep, str) else list(use_rep)
        return [(key, data, key) for key in keys]
    if isinstance(use_rep, Sequence) and not isinstance(use_rep, str):
        raise ValueError(
            "use_rep must be one key, or a dict of modality to key, for MuData"
        )
    if not isinstance(use_rep, Mapping):
        use_rep = dict.fromkeys(data.mod, use_rep)
    parts = {name: _modality(data, name) for name in use_rep}
    unknown = [one for one in parts.values() if one not in data.mod]
    if unknown:
        raise ValueError(
            f"there is no modality {unknown[0]!r}; there are {list(data.mod)}. Name"
            " views as modality or modality.key"
        )
    found = {name: data.mod[part] for name, part in parts.items()}
    return [(n, one, use_rep[n] or reduced_key(one)) for n, one in found.items()]


def _modality(data: Any, name: str) -> str:
    """Return the modality of a view that is called by it, or ``modality.key``."""
    return name if name in data.mod else name.partition(".")[0]


def reduced_key(data: Any) -> str:
    """Return the key of the reduction of a modality, X if there is none."""
    results = result_keys(data)
    return next((k for k in REDUCED if k in data.obsm and k not in results), "X")


def _matrix(data: Any, key: str, where: str) -> Any:
    matrices = representations(data)
    if key not in matrices:
        modality = where.removesuffix(f".{key}")
        place = f"modality {modality!r}" if where != key else "the AnnData"
        raise ValueError(f"{place} has no {key!r}; it has {list(matrices)}")
    return _plain(matrices[key])


def _plain(value: Any) -> Any:
    """Return a CSR matrix or an array; frames lose their index, which is the cells."""
    if sp.issparse(value):
        check_sparse(value)
        return sp.csr_matrix(value)
    if hasattr(value, "to_numpy"):
        return value.to_numpy()
    return np.asarray(value)


#: Keys of loadings in ``varm``, by the reduction that they belong to.
LOADINGS = {"X_pca": "PCs", "X_lsi": "LSI"}
#: Genes that are computed from loadings, those with the largest.
MOST_GENES = 2_000


def genes_of(
    data: Any, names: Sequence[str], cells: Iterable[Any]
) -> dict[str, tuple[Any, list[str]]]:
    """Return what the views that are reductions were made of.

    Parameters
    ----------
    data : AnnData or MuData
    names : sequence of str
        Of the views: modality, or modality and key (``rna.X_pca``), or key.
    cells : iterable
        Names of the samples.

    Returns
    -------
    dict of str to (matrix of shape (n_samples, n_genes), list of str)
        By the name of the view: ``X``, counts as log(1 + x) at one library size, and
        its genes. Without an ``X``, the 2,000 genes with the largest loadings, as the
        components describe them. Views that are no reduction are left out.
    """
    found = {}
    cells = [str(cell) for cell in cells]
    for name in names:
        one, key = _part(data, name)
        if one is None or key not in REDUCED or key not in one.obsm:
            continue
        places = {cell: i for i, cell in enumerate(map(str, one.obs_names))}
        rows = np.array([places.get(cell, -1) for cell in cells], dtype=np.intp)
        genes = [str(gene) for gene in one.var_names]
        x = representations(one).get("X")
        if x is None:
            x, kept = _from_loadings(one, key)
            genes = [genes[j] for j in kept]
        elif holds_counts(x):
            x = log_normalise(x, library_size(x))
        if len(genes):
            x = sp.csr_matrix(x) if sp.issparse(x) else np.asarray(x)
            found[name] = (take_rows(x, rows), genes)
    return found


def _part(data: Any, name: str) -> tuple[Any, str]:
    """Return the AnnData of a view, and the key of its matrix there."""
    if not is_mudata(data):
        return data, name
    modality = _modality(data, name)
    if modality not in data.mod:
        return None, ""
    one, key = data.mod[modality], name.removeprefix(modality)[1:]
    return one, key or reduced_key(one)


def _from_loadings(data: Any, key: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the genes with the largest loadings as the components describe them."""
    if LOADINGS[key] not in data.varm:
        return np.zeros((len(data.obs_names), 0)), np.zeros(0, dtype=np.intp)
    scores, loadings = (
        np.asarray(x) for x in (data.obsm[key], data.varm[LOADINGS[key]])
    )
    size = (loadings**2 * scores.var(axis=0)).sum(axis=1)
    kept = np.sort(np.argsort(-size, kind="stable")[:MOST_GENES])
    kept = kept[size[kept] > 0]  # genes that were no part of the reduction have zeros
    return scores @ loadings[kept].T, kept
