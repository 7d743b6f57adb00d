"""Names of samples that lie beside the matrices of a file: ``rna_ids``, ``ids``."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from mvgraph.datasets.layout.labels import WITHOUT
from mvgraph.datasets.layout.orientation import COLUMNS
from mvgraph.datasets.layout.source import Source, describe, is_numeric, is_strings
from mvgraph.ops.wording import counted
from mvgraph.views.identifiers import (
    SAMPLE_WORDS,
    SaidOfNames,
    as_text,
    header_words,
    holes,
    is_id_name,
)
from mvgraph.views.joining import refuse_repeated, take_rows
from mvgraph.views.pairing import ARRAY, LABELS, Named, pair_rows

__all__ = ["is_called_names", "match_named_matrices"]

#: Names of arrays of names by themselves; words for samples only where they hold text.
PLURALS = ("ids", "identifiers", "barcodes")


def match_named_matrices(
    source: Source,
    names: list[str],
    matrices: list[Any],
    labels: tuple[str | None, np.ndarray | None],
    join: str,
    orientation: str | None,
) -> tuple[Source, list[Any], np.ndarray | None]:
    """Bring matrices into one order by the names that lie beside them.

    ``rna_ids`` names the rows of ``rna``, ``ids`` those of all matrices that have no
    names of their own.

    Parameters
    ----------
    source : Source
    names, matrices : list
        The views, as stored.
    labels : tuple of (str or None) and (ndarray or None)
        Name of the variable, and the classes.
    join, orientation : str
        As for `mvgraph.datasets.load`.

    Returns
    -------
    source : Source
        With the names of the samples, if there are some.
    matrices : list
        With samples in rows, if every one has names of its own; else as they were.
    labels : ndarray or None
        In the order of the samples.

    Raises
    ------
    ValueError
        Two arrays could be the names, names are missing or stand twice, or see
        `mvgraph.views.pairing.pair_rows`; labels without names where rows move.
    """
    label_name, classes = labels
    if source.ids is not None or source.settled:
        return source, matrices, classes
    held = _held(source, names, {*names, label_name or ""})
    shared, own = _names_of(source, names, matrices, held, label_name, orientation)
    if not any(own):
        if shared is None:
            return source, matrices, classes
        return _with_ids(source, shared, held[shared]), matrices, classes
    chosen = [name or shared for name in own]
    parts = [
        Named(view, None if k is None else _checked(source, k, held[k]), ARRAY)
        for view, k in zip(names, chosen, strict=True)
    ]
    matrices = [
        _in_rows(matrix, part, orientation)
        for matrix, part in zip(matrices, parts, strict=True)
    ]
    if label_name is not None and classes is not None:
        of_labels = [k for k in held if _belongs(source, k, label_name, held[k])]
        found = _one(source, of_labels, held, [classes[:, None]], None)
        source.log.used |= {found} if found else set()
        parts.append(Named(label_name, held[found] if found else None, LABELS))
    joint = pair_rows(parts, join, source.said)
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


def _names_of(
    source: Source,
    views: list[str],
    matrices: list[Any],
    held: dict[str, np.ndarray],
    label_name: str | None,
    orientation: str | None,
) -> tuple[str | None, list[str | None]]:
    """Return the array that names the rows of all matrices, and those of single ones.

    Raises
    ------
    ValueError
        An array is called like the names of a matrix and has another length.
    """
    owners = [*views, *([label_name] if label_name else [])]
    of_one = {o: [k for k in held if _belongs(source, k, o, held[k])] for o in owners}
    taken = {k for found in of_one.values() for k in found}
    of_all = [k for k, v in held.items() if k not in taken and _is_shared(k, v, source)]
    for view, matrix in zip(views, matrices, strict=True):
        for name in of_one[view]:
            if len(held[name]) not in matrix.shape:
                raise source.error(
                    f"{name!r} is called like names of the rows of {view!r}, and has"
                    f" {len(held[name])} entries for {describe(matrix)}",
                    f"write one name a row, or say with column={name!r} (--column"
                    f" {name}) that it holds no names",
                )
    own = [
        _one(source, of_one[view], held, [matrix], orientation)
        for view, matrix in zip(views, matrices, strict=True)
    ]
    return _one(source, of_all, held, matrices, orientation), own


def _held(source: Source, views: list[str], known: set[str]) -> dict[str, np.ndarray]:
    """Return all arrays that may hold names; ``ids`` may be a group or cell by view."""
    found: dict[str, Any] = {}
    for name, value in source.variables.items():
        parts: dict[str, Any] = {}
        if isinstance(value, dict):
            parts = value
        elif isinstance(value, list) and len(value) == len(views):
            parts = dict(zip(views, value, strict=True))
        for view in views if is_called_names(name) else ():
            if view in parts:
                found[f"{name}_{view}"] = parts[view]
        found.setdefault(name, value)
    held = {k: _as_names(source, v) for k, v in found.items() if k not in known}
    return {k: v for k, v in held.items()
            if v is not None and k not in source.said.column}  # fmt: skip


def _as_names(source: Source, value: Any) -> np.ndarray | None:
    """Return an array that may hold names, one a sample; None for anything else."""
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
        flat = np.char.rstrip(flat)  # MATLAB fills lines of characters with blanks
    return flat


def _is_shared(name: str, value: np.ndarray, source: Source) -> bool:
    said: SaidOfNames = source.said
    return name in said.ids if said.ids else is_called_names(name, value)


def is_called_names(name: str, value: np.ndarray | None = None) -> bool:
    """Tell whether a variable is called like names of samples.

    Text may be called ``samples``, ``names`` or ``index``, too.
    """
    words = header_words(name)
    joined = "".join(words)
    if joined in PLURALS or is_id_name(" ".join(words), first=False):
        return True
    if len(words) > 1 and words[-1] in PLURALS:
        return True
    text = value is not None and value.dtype.kind == "U"
    return text and (joined in SAMPLE_WORDS or joined in ("index", "names"))


def _belongs(source: Source, name: str, view: str, value: np.ndarray) -> bool:
    """Tell ``rna_ids``, ``ids_rna`` and, for ``X1``, ``ids1``: names of one matrix."""
    words, own = header_words(name), header_words(view)
    numbers = re.search(r"\d+$", name), re.search(r"\d+$", view)
    if numbers[0] and numbers[1] and numbers[0][0] == numbers[1][0]:
        stem = name[: numbers[0].start()]
        if stem and is_called_names(stem, value):
            return True
    if not own or len(words) <= len(own):
        return False
    if own not in (words[: len(own)], words[-len(own) :]):
        return False
    rest = words[len(own) :] if words[: len(own)] == own else words[: -len(own)]
    return name in source.said.ids or is_called_names(" ".join(rest), value)


def _sides(source: Source, matrix: Any, orientation: str | None) -> tuple[int, ...]:
    """Return the numbers of samples that a matrix may have."""
    if not source.rows_first and orientation is None:
        return matrix.shape
    return (matrix.shape[1 if orientation == COLUMNS else 0],)


def _one(
    source: Source,
    found: list[str],
    held: dict[str, np.ndarray],
    matrices: list[Any],
    orientation: str | None,
) -> str | None:
    """Return the only array of names with one for every sample of all matrices."""
    fitting = [
        name
        for name in found
        if all(len(held[name]) in _sides(source, m, orientation) for m in matrices)
    ]
    for name in fitting[1:]:
        if not np.array_equal(as_text(held[fitting[0]]), as_text(held[name])):
            raise source.error(
                f"{fitting[0]!r} and {name!r} are both called like names of the samples"
                " and hold other values",
                f"ids={name!r} says which one names them, and column={name!r} that it"
                " does not (on the command line --ids and --column)",
            )
    return fitting[0] if fitting else None


def _checked(source: Source, name: str, ids: np.ndarray) -> np.ndarray:
    lacking = np.flatnonzero(holes(ids))
    if lacking.size:
        raise source.error(
            f"{name!r} names the samples, but entry {lacking[0]} is empty"
            f" ({counted(lacking.size, 'such entry', 'such entries')})",
            f"name every sample, or say with column={name!r} (--column {name}) that it"
            " is no array of names",
        )
    refuse_repeated(
        ids, f"{source.path.name}: {name!r}",
        f"give every sample a name of its own, or say with column={name!r} (on the"
        f" command line --column {name}) that it is no array of names",
    )  # fmt: skip
    return ids


def _with_ids(source: Source, name: str, ids: np.ndarray) -> Source:
    source.log.used |= {one.strip() for one in name.split(",")}
    source.log.id_column = name
    if source.log.matched is None:
        source.log.matched = "rows lie as the names do"
        _checked(source, name, ids)
    return replace(source, ids=ids)


def _in_rows(matrix: Any, part: Named, orientation: str | None) -> Any:
    """Return a matrix with a row a name; square ones follow `orientation`."""
    if part.ids is None or matrix.shape[0] == matrix.shape[1]:
        return matrix.T if orientation == COLUMNS else matrix
    return matrix if matrix.shape[0] == len(part.ids) else matrix.T


def _taken_labels(
    source: Source, classes: np.ndarray, rows: np.ndarray | None
) -> np.ndarray:
    if rows is None:
        return classes
    if (rows < 0).any():
        raise source.error(
            f"there is no class for {int((rows < 0).sum())} of {len(rows)} samples",
            f"join='inner' (on the command line --join inner) drops them; or {WITHOUT}",
        )
    return classes[rows]
