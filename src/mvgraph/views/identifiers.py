"""Which column of a table names its rows: one rule for files and frames in memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__all__ = [
    "FEWEST_COUNTED",
    "as_text",
    "find_id",
    "find_written_otherwise",
    "is_counter",
    "is_id_name",
    "is_index_name",
    "is_moved_counter",
    "named_by_shape",
    "same_samples",
]

#: Words that end or begin the header of identifiers, in a few languages.
ID_WORDS = frozenset({
    "id", "ids", "identifier", "identifiers", "uid", "uuid", "guid", "barcode",
    "barcodes", "accession", "mrn", "kennung", "identifiant", "identificador",
    "identificativo", "编号", "番号", "ид",
})  # fmt: skip
#: Words that are such a header by themselves, in the first column.
ROW_WORDS = frozenset({
    "", "index", "name", "names", "row", "rows", "rownames", "unnamed0", "key", "nr",
    "sample", "samples", "subject", "subjects", "patient", "patients", "participant",
    "participants", "individual", "donor", "specimen", "case", "cases", "cell",
    "cells", "person", "record", "entity", "obs", "observation", "animal", "mouse",
    "user", "customer", "item", "document", "proband", "patientin", "échantillon",
    "echantillon", "sujet", "muestra", "paciente", "sujeto", "amostra", "campione",
    "soggetto", "paziente", "样本", "患者", "被験者", "образец", "пациент",
})  # fmt: skip
#: Headers that an index of 0, 1, 2, ... gets when a program writes it beside the data.
INDEX_WORDS = frozenset({"", "index", "unnamed0", "row", "rows", "rownames", "nr"})
#: A first column of 0, 1, 2, ... of at least so many rows numbers the rows.
FEWEST_COUNTED = 10
#: Two tables speak of the same samples if they share this part of their values.
SHARED = 0.5


def is_id_name(header: str, first: bool = True) -> bool:
    """Tell whether a header usually stands above identifiers.

    Parameters
    ----------
    header : str
        As it was written: ``patient_id``, ``Sample ID``, ``SubjectID``.
    first : bool, default=True
        Whether this is the first column, where ``sample`` or ``case`` is enough.

    Examples
    --------
    >>> from mvgraph.views.identifiers import is_id_name
    >>> [is_id_name(name) for name in ("Sample ID", "patientId", "barcode", "width")]
    [True, True, True, False]
    """
    words = _words(header)
    if words and (words[0] in ID_WORDS or words[-1] in ID_WORDS):
        return True
    return first and "".join(words) in ROW_WORDS


def find_id(
    header: Sequence[str],
    look: Callable[[int], np.ndarray | None],
    text: Sequence[bool],
) -> int | None:
    """Find the column that names the rows, None if nothing says that one does.

    The first column does if it is text, or if its header says so and it holds whole
    numbers. Another column does if it is headed by an identifier and holds no value
    twice; it goes before a first column of whole numbers that a program wrote as index.

    Parameters
    ----------
    header : sequence of str
    look : callable
        Returns the values of a column that is text or whole numbers, else None.
    text : sequence of bool
        Which columns are text.
    """
    if len(header) < 2:
        return None
    first = look(0) if text[0] or is_id_name(header[0]) else None
    if first is not None and (text[0] or not is_index_name(header[0])):
        return 0
    for i in range(1, len(header)):
        if is_id_name(header[i], first=False):
            values = look(i)
            if values is not None and len(np.unique(as_text(values))) == len(values):
                return i
    return None if first is None else 0


def is_index_name(header: str) -> bool:
    """Return True for a header that an index gets when a program writes it."""
    return "".join(_words(header)) in INDEX_WORDS


def is_counter(values: np.ndarray) -> bool:
    """Tell whether values are 0, 1, 2, ... or 1, 2, 3, ..., in this order."""
    text = as_text(values)
    start = {"0": 0, "1": 1}.get(str(text[0]) if len(text) else "")
    if start is None:
        return False
    return [*map(str, range(start, start + len(text)))] == text.tolist()


def is_moved_counter(ids: np.ndarray) -> bool:
    """Tell numbers of rows that are in another order than the rows: 3, 0, 2, 1.

    Such rows were moved, and what does not name its rows cannot be paired with them.
    """
    text = [str(i) for i in as_text(np.asarray(ids))]
    if not text or not all(i.isdecimal() and i.isascii() for i in text):
        return False
    return not is_counter(np.array(text)) and is_counter(
        np.array(sorted(text, key=int))
    )


def same_samples(first: np.ndarray, second: np.ndarray) -> bool:
    """Tell whether two columns of distinct values speak of the same samples."""
    return _overlap(_names(first), _names(second))


def find_written_otherwise(columns: Sequence[np.ndarray]) -> tuple[int, int] | None:
    """Find two columns that hold the same numbers, written otherwise: 001 and 1."""
    names = [_names(values) for values in columns]
    numbers = [_numbers(values) for values in columns]
    for i in range(len(columns)):
        for j in range(i):
            if _overlap(numbers[i], numbers[j]) and not _overlap(names[i], names[j]):
                return j, i
    return None


def _overlap(a: set[Any], b: set[Any]) -> bool:
    return len(a & b) >= max(2, SHARED * min(len(a), len(b)))


def _names(values: np.ndarray) -> set[Any]:
    return set(as_text(values).tolist())


def _numbers(values: np.ndarray) -> set[int]:
    """Return the values of a column of whole numbers, written in any way, else none."""
    text = [str(value) for value in as_text(values)]
    if not all(re.fullmatch(r"\s*[0-9]+(\.0*)?\s*", cell) for cell in text):
        return set()
    return {int(cell.split(".")[0]) for cell in text}


def named_by_shape(
    known: Sequence[np.ndarray | None], candidates: Sequence[np.ndarray | None]
) -> list[bool]:
    """Tell which tables are named by a first column of distinct whole numbers.

    One is, whatever its header, if another table names the same samples, in any order,
    by its identifiers or by such a column of its own.

    Parameters
    ----------
    known : sequence of ndarray or None
        Identifiers of every table, where it has some.
    candidates : sequence of ndarray or None
        First columns of the tables that have no identifiers.
    """
    held = [a if a is not None else b for a, b in zip(known, candidates, strict=True)]
    if all(own is None for own in candidates):
        return [False] * len(held)
    names = [set() if values is None else _names(values) for values in held]
    return [
        own is not None
        and any(_overlap(names[i], other) for j, other in enumerate(names) if j != i)
        for i, own in enumerate(candidates)
    ]


def as_text(ids: np.ndarray) -> np.ndarray:
    """Write identifiers as a header would: 3 and not 3.0."""
    ids = np.asarray(ids)
    if ids.dtype.kind not in "iuf":
        return ids
    whole = ids.dtype.kind in "iu"  # 15 digits are all that a float has for sure
    return np.array([str(i) if whole else f"{i:.15g}" for i in ids], dtype=object)


def _words(header: str) -> list[str]:
    """Split a header: ``patientId``, ``Sample ID`` and ``sample.id`` are two words."""
    apart = re.sub(r"([a-z])([A-Z])", r"\1 \2", str(header))
    return [word for word in re.split(r"[\W_]+", apart.lower()) if word]
