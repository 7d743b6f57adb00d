"""Find the views among the variables of a file."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
from scipy import sparse

from mvgraph.datasets.layout.labels import is_label_name, is_vector
from mvgraph.datasets.layout.missing import INDEX_NAMES, MASK_NAMES
from mvgraph.datasets.layout.source import (
    HINT,
    Source,
    describe,
    is_matrix,
    is_numeric,
    is_strings,
)
from mvgraph.views.identifiers import is_id_name
from mvgraph.views.lazy import BLOCK

VIEW_NAMES = ("x", "data", "fea", "view", "views", "feature", "features")
TITLE_NAMES = ("view_name", "view_names", "view_meaning", "feas", "feat")
# Found next to the views in published files, and look like them.
NOT_VIEWS = {*MASK_NAMES, *INDEX_NAMES, *TITLE_NAMES, "folds", "rand_num_test"} | {
    "a", "w", "adj", "adjacency", "class_meaning", "n_views", "lensmp", "multi_label"
}  # fmt: skip
# Adjacency and weight matrices are square; features of these names are not.
MAYBE_VIEWS = {"a", "w", "adj", "adjacency", "feat"}
#: Masks by name; one with values other than 0 and 1 is not a mask.
BINARY = {*MASK_NAMES} - {*INDEX_NAMES}
ONE_DIMENSION = (
    "store a single feature of N samples as an N x 1 matrix (array.reshape(-1, 1))"
)
Found = tuple[list[str], list[Any]]


def find_views(source: Source, label_name: str | None, n: int | None) -> Found:
    """Return names and matrices of the views, as stored (not yet oriented).

    First the cell called X, data, fea or view; otherwise the numeric matrices with one
    side of `n` samples, numbered ones in natural order; otherwise the only cell that
    contains such matrices.

    Raises
    ------
    ValueError
        If nothing fits, or more than one interpretation does.
    """
    if source.views:
        return named_views(source, list(source.views), n)
    rest = {k: v for k, v in source.variables.items() if k != label_name}
    for wanted in VIEW_NAMES:
        for name in rest:
            if name.lower() == wanted and _is_container(rest[name], n, any):
                return named_views(source, name, n)
    views = _separate(source, rest, n)
    if views[0]:
        return views
    cells = [k for k in rest if not _is_reserved(k) and _is_container(rest[k], n)]
    if len(cells) == 1:
        return named_views(source, cells[0], n)
    raise _nothing_fits(source, rest, cells)


def named_views(source: Source, names: str | list[str], n: int | None) -> Found:
    """Return the views named by the caller: a cell or struct, or variables."""
    if isinstance(names, str):
        items = source.get(names)
        source.log.used.add(names.partition(".")[0])
        if isinstance(items, dict):
            pairs = sorted(items.items(), key=lambda pair: natural_key(pair[0]))
        elif isinstance(items, list):
            items = _unwrap(items)
            pairs = list(zip(_titles(source, len(items)), items, strict=True))
        else:
            pairs = [(names, items)]
    else:
        pairs = [(name, source.get(name)) for name in names]
        source.log.used |= {name.partition(".")[0] for name in names} | {*names}
    matrices = [_matrix(source, name, item, n) for name, item in pairs]
    if not matrices:
        raise source.error("there are no views")
    return [name for name, _ in pairs], matrices


def natural_key(name: str) -> list[Any]:
    """Return a sort key that puts X2 before X10."""
    parts = re.split(r"(\d+)", name.lower())
    return [int(part) if part.isdigit() else part for part in parts]


def _separate(source: Source, rest: dict[str, Any], n: int | None) -> Found:
    """Pick the views among separate variables."""
    spelt = {k: _from_triplets(v, n) for k, v in rest.items() if not _is_reserved(k, v)}
    matrices = {
        name: rest[name] if matrix is None else matrix
        for name, matrix in spelt.items()
        if matrix is not None or _may_be_view(source, name, rest[name])
    }
    family = _family(matrices)
    if family:
        source.log.used |= {*family}
        return family, [matrices[name] for name in family]
    fitting = [k for k, m in matrices.items() if n is None or n in m.shape]
    if all(re.search(r"\d", name) for name in fitting):
        fitting.sort(key=natural_key)
    _refuse_hidden_mask(source, {k: matrices[k] for k in fitting}, n)
    if fitting and n is not None:
        _warn_unusable(rest, fitting, n)
    source.log.used |= {*fitting}
    return fitting, [matrices[name] for name in fitting]


def _family(matrices: dict[str, Any]) -> list[str]:
    """Return the numbered variables X1, X2, ... of a stem that usually means views.

    All of them are returned, so that a wrong length is an error, not an omission.
    """
    stems: dict[str, list[str]] = {}
    for name in matrices:
        match = re.fullmatch(r"(\D+?)_?\d+", name)
        if match and match[1].lower() in (*VIEW_NAMES, "v"):
            stems.setdefault(match[1], []).append(name)
    families = [names for names in stems.values() if len(names) > 1]
    return sorted(families[0], key=natural_key) if len(families) == 1 else []


def _refuse_hidden_mask(source: Source, fitting: dict[str, Any], n: int | None) -> None:
    """Reject a 0/1 matrix with one column per other view and an unknown name."""
    for name, matrix in fitting.items():
        n_others = len(fitting) - 1
        if n_others < 2 or not isinstance(matrix, np.ndarray):
            continue
        if {*matrix.shape} == {n, n_others} and np.isin(matrix, (0, 1)).all():
            raise source.error(
                f"{name!r} ({describe(matrix)}) could be a view, or say which samples"
                f" the other {n_others} views have",
                f'say which with key_map={{"views": [...], "mask": "{name}"}}',
            )


def _is_reserved(name: str, value: Any = None) -> bool:
    """Return whether the name rules out a view; features may be called A or W too."""
    if name.lower() in MAYBE_VIEWS and is_matrix(value):
        return value.shape[0] == value.shape[1] or min(value.shape) < 2
    if name.lower() in BINARY and is_matrix(value) and min(value.shape) > 1:
        return bool(np.isin(_entries(value)[:BLOCK], (0, 1)).all())
    return name.lower() in NOT_VIEWS or re.fullmatch(r"sigma\d*", name) is not None


def _warn_unusable(rest: dict[str, Any], used: list[str], n: int) -> None:
    """Warn about arrays with one row per sample that are not matrices."""
    for name, value in rest.items():
        if name in used or is_matrix(value) or not isinstance(value, np.ndarray):
            continue
        if value.ndim >= 2 and n in value.shape and value.size > n:
            warnings.warn(
                f"{name!r} ({describe(value)}) was left out: it is not a"
                " two-dimensional array of numbers; name the views to settle it",
                UserWarning,
                stacklevel=2,
            )


def _may_be_view(source: Source, name: str, value: Any) -> bool:
    """Return whether a value is a matrix of features.

    MATLAB stores vectors as N x 1, so there a single column is not a view. Elsewhere it
    is a view of one feature, unless it is called like labels or ids.
    """
    if not is_matrix(value) or min(value.shape) < 1:
        return False
    if min(value.shape) < 2:
        column = source.rows_first and value.shape[1] == 1 and value.shape[0] > 1
        return column and not is_label_name(name) and not is_id_name(name)
    return not (is_label_name(name) and np.isin(_entries(value), (0, 1)).all())


def _entries(value: Any) -> Any:
    return value.data if sparse.issparse(value) else value


def _is_container(value: Any, n: int | None, enough: Any = all) -> bool:
    """Return whether a cell, struct array or struct contains one matrix per view."""
    if isinstance(value, dict):
        return bool(value) and enough(is_matrix(item) for item in value.values())
    if not isinstance(value, list) or not value or is_vector(value):
        return False
    return enough(len(_candidates(item, n)) == 1 for item in _unwrap(value))


def _candidates(item: Any, n: int | None) -> list[Any]:
    """Return the matrices that an element of a cell or struct array may stand for."""
    if isinstance(item, dict):
        matrices = [v for v in item.values() if is_matrix(v) and min(v.shape) > 1]
        return [v for v in matrices if n in v.shape] or matrices
    triplets = _from_triplets(item, n)
    if triplets is not None:
        return [triplets]
    return [item] if is_matrix(item) else []


def _matrix(source: Source, name: str, item: Any, n: int | None) -> Any:
    matrices = _candidates(item, n)
    if is_numeric(item) and item.ndim == 1:
        raise source.error(
            f"view {name!r} has one dimension ({describe(item)})", ONE_DIMENSION
        )
    if len(matrices) != 1:
        what = describe(item)
        raise source.error(
            f"view {name!r} is not a two-dimensional numeric array but {what}"
        )
    return matrices[0]


def _unwrap(items: list[Any]) -> list[Any]:
    while len(items) == 1 and isinstance(items[0], list):
        items = items[0]
    return items


def _titles(source: Source, n_views: int) -> list[str]:
    """Return the names that the file gives to the elements of its cell."""
    for name, value in source.variables.items():
        if name.lower() not in TITLE_NAMES:
            continue
        items = [v for v in value if is_strings(v)] if isinstance(value, list) else []
        words = np.concatenate([v.ravel() for v in items]) if items else value
        if is_strings(words) and len({*words.ravel()}) == n_views == words.size:
            return [str(word).strip() for word in words.ravel()]
    return [f"view_{i}" for i in range(n_views)]


def _nothing_fits(source: Source, rest: dict[str, Any], cells: list[str]) -> ValueError:
    stacks = [k for k, v in rest.items() if isinstance(v, np.ndarray) and v.ndim > 2]
    if cells:
        what = f"several cells could contain the views: {', '.join(cells)}"
    elif stacks:
        return source.error(
            f"{stacks[0]!r} has more than two dimensions"
            f" ({describe(rest[stacks[0]])}): a stack of kernels or images, not one"
            " table of features per view",
            "store the features of each view as a matrix with one sample per row",
        )
    else:
        what = "no variable looks like a view (one row or column per sample)"
        values = rest.values()
        if any(is_numeric(v) and v.ndim == 1 for v in values):
            return source.error(what, f"{ONE_DIMENSION}, or name the views with {HINT}")
    return source.error(what)


def _from_triplets(value: Any, n_samples: int | None) -> sparse.csr_matrix | None:
    """Return the sparse matrix of a table of 1-based (row, column, value), or None.

    A first line (rows, columns, count) is sufficient proof. Without it, the table is
    read as triplets only if it cannot be a view: no side has `n_samples` entries, but
    the largest row or column index equals it.
    """
    if not _could_be_triplets(value):
        return None
    table = np.asarray(value, dtype=np.float64)
    largest = table[1:, :2].max(axis=0)
    if table[0, 2] == len(table) - 1 and (largest <= table[0, :2]).all():
        return _of_triplets(table[1:], table[0, :2])
    largest = table[:, :2].max(axis=0)
    if n_samples in value.shape or n_samples not in largest:
        return None
    return _of_triplets(table, largest)


def _could_be_triplets(value: Any) -> bool:
    if not isinstance(value, np.ndarray) or not is_matrix(value):
        return False
    if value.shape[1] != 3 or len(value) < 2 or value.dtype.kind == "c":
        return False
    indices = value[:, :2]
    return bool((indices >= 1).all() and (indices == np.floor(indices)).all())


def _of_triplets(table: np.ndarray, shape: np.ndarray) -> sparse.csr_matrix:
    rows, columns = table[:, :2].astype(np.int64).T - 1
    rows_by_columns = (int(shape[0]), int(shape[1]))
    return sparse.csr_matrix((table[:, 2], (rows, columns)), shape=rows_by_columns)
