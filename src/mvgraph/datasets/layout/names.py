"""Sample names stored next to the matrices of a file: ``rna_ids``, ``ids``."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from mvgraph.datasets.layout.labels import WITHOUT
from mvgraph.datasets.layout.orientation import COLUMNS
from mvgraph.datasets.layout.source import Source, describe, is_numeric, is_strings
from mvgraph.ops.wording import counted
from mvgraph.views.identifiers import (
    SAMPLE_WORDS,
    as_text,
    header_words,
    holes,
    is_id_name,
)
from mvgraph.views.joining import refuse_repeated, take_rows
from mvgraph.views.pairing import ARRAY, LABELS, Named, pair_rows
from mvgraph.views.shared_columns import enough, known, n_same


def match_named_matrices(
    source: Source,
    names: list[str],
    matrices: list[Any],
    labels: tuple[str | None, np.ndarray | None],
) -> tuple[Source, list[Any], np.ndarray | None]:
    """Put matrices into one order by the sample names stored next to them.

    ``rna_ids`` names the rows of ``rna``; ``ids`` names those of all matrices without
    names of their own.

    Returns
    -------
    source : Source
        With the names of the samples, if there are any.
    matrices : list
        With samples in rows if every matrix has its own names, otherwise unchanged.
    labels : ndarray or None
        In the order of the samples.

    Raises
    ------
    ValueError
        If two arrays could be the names, names are missing or repeated, or labels have
        no names while rows move; also see `mvgraph.views.pairing.pair_rows`.
    """
    label_name, classes = labels
    if source.ids is not None or source.settled:
        return source, matrices, classes
    arrays = possible_names(source, names, {*names, label_name or ""})
    shared, names_of_each = _names_of(source, names, matrices, arrays, label_name)
    if not any(names_of_each):
        if shared is None:
            _refuse_alike(source, arrays, matrices)
            return source, matrices, classes
        return _with_ids(source, shared, arrays[shared]), matrices, classes
    chosen = [name or shared for name in names_of_each]
    parts = [
        Named(view, None if k is None else _checked(source, k, arrays[k]), ARRAY)
        for view, k in zip(names, chosen, strict=True)
    ]
    matrices = [
        _in_rows(source, matrix, part)
        for matrix, part in zip(matrices, parts, strict=True)
    ]
    if label_name is not None and classes is not None:
        of_labels = [k for k in arrays if _belongs(source, k, label_name, arrays[k])]
        label_ids = _one(source, of_labels, arrays, [(len(classes),)])
        source.log.used |= {label_ids} if label_ids else set()
        parts.append(
            Named(label_name, arrays[label_ids] if label_ids else None, LABELS)
        )
    joint = pair_rows(parts, source.options.join, source.options.said)
    if joint is None:
        return source, matrices, classes
    for note in joint.notes:
        source.log.note(note)
    if classes is not None:
        classes = _taken_labels(source, classes, joint.rows.pop())
    matrices = [
        m if rows is None else take_rows(m.tocsr() if hasattr(m, "tocsr") else m, rows)
        for m, rows in zip(matrices, joint.rows, strict=True)
    ]
    used = ", ".join(dict.fromkeys(k for k in chosen if k))
    source.log.matched = "rows are matched by id"
    source = _with_ids(source, used, joint.ids)
    return replace(source, settled=True), matrices, classes


def _refuse_alike(
    source: Source,
    arrays: dict[str, np.ndarray],
    matrices: list[Any],
) -> None:
    """Reject arrays that hold some of the same names in other rows."""
    of_rows = [
        (name, known(ids))
        for name, ids in arrays.items()
        if len(matrices) > 1 and all(len(ids) in _sides(source, m) for m in matrices)
    ]
    for (one, a), (two, b) in combinations(of_rows, 2):
        n = 0 if np.array_equal(a, b) else n_same(a, b, enough(len(of_rows) ** 2))
        if n:
            raise source.error(
                f"{one!r} and {two!r} may name the rows of different matrices: {n} of"
                " their distinct values are in both, in other rows",
                "call them VIEW_ids if they do (rna_ids names the rows of rna), or"
                f" VIEW_ANYTHING with --ids {one} --ids {two}; or pass --column {one}"
                f" --column {two} if all matrices have the same rows (in Python"
                f" ids={[one, two]}, column={[one, two]})",
            )


def _names_of(
    source: Source,
    views: list[str],
    matrices: list[Any],
    arrays: dict[str, np.ndarray],
    label_name: str | None,
) -> tuple[str | None, list[str | None]]:
    """Return the array that names the rows of all matrices, and those of each one."""
    owners = [*views, *([label_name] if label_name else [])]
    of_one = {
        o: [k for k in arrays if _belongs(source, k, o, arrays[k])] for o in owners
    }
    of_single = {k for names in of_one.values() for k in names}
    chosen = source.options.said.ids
    of_all = [
        k
        for k, v in arrays.items()
        if k not in of_single and (k in chosen if chosen else is_called_names(k, v))
    ]
    for view, matrix in zip(views, matrices, strict=True):
        for name in of_one[view]:
            if len(arrays[name]) not in matrix.shape:
                raise source.error(
                    f"{name!r} is named like the row names of {view!r}, but has"
                    f" {len(arrays[name])} entries for {describe(matrix)}",
                    f"write one name per row, or pass column={name!r} (--column"
                    f" {name}) if it does not contain names",
                )
    sides = [_sides(source, matrix) for matrix in matrices]
    own_names = [
        _one(source, of_one[view], arrays, [own])
        for view, own in zip(views, sides, strict=True)
    ]
    return _one(source, of_all, arrays, sides), own_names


def _belongs(source: Source, name: str, view: str, value: np.ndarray) -> bool:
    """Return whether an array names one matrix: ``rna_ids``, ``ids_rna``, ``ids1``."""
    words, view_words = header_words(name), header_words(view)
    numbers = re.search(r"\d+$", name), re.search(r"\d+$", view)
    if numbers[0] and numbers[1] and numbers[0][0] == numbers[1][0]:
        stem = name[: numbers[0].start()]
        if stem and is_called_names(stem, value):
            return True
    n = len(view_words)
    if not n or len(words) <= n or view_words not in (words[:n], words[-n:]):
        return False
    rest = words[n:] if words[:n] == view_words else words[:-n]
    return name in source.options.said.ids or is_called_names(" ".join(rest), value)


def _sides(source: Source, matrix: Any) -> tuple[int, ...]:
    """Return the possible numbers of samples of a matrix."""
    orientation = source.options.orientation
    if not source.rows_first and orientation is None:
        return matrix.shape
    return (matrix.shape[1 if orientation == COLUMNS else 0],)


def _one(
    source: Source,
    candidates: list[str],
    arrays: dict[str, np.ndarray],
    sides: list[tuple[int, ...]],
) -> str | None:
    """Return the only array of names with one for every sample of all matrices."""
    fitting = [n for n in candidates if all(len(arrays[n]) in own for own in sides)]
    for name in fitting[1:]:
        if not np.array_equal(as_text(arrays[fitting[0]]), as_text(arrays[name])):
            raise source.error(
                f"{fitting[0]!r} and {name!r} are both named like sample names"
                " but differ",
                f"pass ids={name!r} if it names them, or column={name!r} if it"
                " does not (on the command line --ids and --column)",
            )
    return fitting[0] if fitting else None


def _checked(source: Source, name: str, ids: np.ndarray) -> np.ndarray:
    empty = np.flatnonzero(holes(ids))
    if empty.size:
        raise source.error(
            f"{name!r} names the samples, but entry {empty[0]} is empty"
            f" ({counted(empty.size, 'such entry', 'such entries')})",
            f"name every sample, or pass column={name!r} (--column {name}) if it does"
            " not contain names",
        )
    refuse_repeated(
        ids, f"{source.path.name}: {name!r}",
        f"Give every sample a unique name, or pass column={name!r} (on the command"
        f" line --column {name}) if it does not contain names",
    )  # fmt: skip
    return ids


def _with_ids(source: Source, name: str, ids: np.ndarray) -> Source:
    source.log.used |= {one.strip() for one in name.split(",")}
    source.log.id_column = name
    if source.log.matched is None:
        source.log.matched = "rows are in the order of the names"
        _checked(source, name, ids)
    return replace(source, ids=ids)


def _in_rows(source: Source, matrix: Any, part: Named) -> Any:
    """Return a matrix with one row per name; square ones follow `orientation`."""
    if part.ids is None or matrix.shape[0] == matrix.shape[1]:
        return matrix.T if source.options.orientation == COLUMNS else matrix
    return matrix if matrix.shape[0] == len(part.ids) else matrix.T


def _taken_labels(
    source: Source, classes: np.ndarray, rows: np.ndarray | None
) -> np.ndarray:
    if rows is not None and (rows < 0).any():
        raise source.error(
            f"there is no class for {int((rows < 0).sum())} of {len(rows)} samples",
            "pass join='inner' (on the command line --join inner) to drop them, or"
            f" {WITHOUT}",
        )
    return classes if rows is None else classes[rows]


#: Names of arrays of names; words for samples count only if the array is text.
PLURALS = ("ids", "identifiers", "barcodes")


def possible_names(
    source: Source, views: list[str], skipped: set[str]
) -> dict[str, np.ndarray]:
    """Return all arrays that may be names; ``ids`` may have one part per view."""
    candidates: dict[str, Any] = {}
    for name, value in source.variables.items():
        parts: dict[str, Any] = value if isinstance(value, dict) else {}
        if isinstance(value, list) and len(value) == len(views):
            parts = dict(zip(views, value, strict=True))
        for view in views if is_called_names(name) else ():
            if view in parts:
                candidates[f"{name}_{view}"] = parts[view]
        candidates.setdefault(name, value)
    skip = skipped | {*source.options.said.column}
    arrays = {k: _as_names(source, v) for k, v in candidates.items() if k not in skip}
    return {name: ids for name, ids in arrays.items() if ids is not None}


def is_called_names(name: str, value: np.ndarray | None = None) -> bool:
    """Return whether a variable is called like sample names.

    Text may also be called ``samples`` or ``index``.
    """
    words = header_words(name)
    joined = "".join(words)
    if joined in (*PLURALS, "names") or is_id_name(" ".join(words), first=False):
        return True
    if len(words) > 1 and words[-1] in PLURALS:
        return True
    text = value is not None and value.dtype.kind == "U"
    return text and (joined in SAMPLE_WORDS or joined == "index")


def _as_names(source: Source, value: Any) -> np.ndarray | None:
    """Return an array that may be names, one per sample; None for anything else."""
    cells = value if isinstance(value, list) else ()  # of MATLAB
    if cells and all(is_strings(cell) and cell.size <= 1 for cell in cells):
        return np.array(["".join(cell.ravel()) for cell in cells])
    if not (is_numeric(value) or is_strings(value)) or value.dtype.kind in "bc":
        return None
    if value.ndim == 0 or value.size < 2 or value.size != max(value.shape):
        return None
    flat = value.ravel()
    if flat.dtype.kind == "S":
        flat = np.char.decode(flat, "utf-8", "replace")
    if flat.dtype.kind == "U" and not source.rows_first:
        flat = np.char.rstrip(flat)  # MATLAB pads strings with blanks
    return flat
