"""What names the samples: a column does by what it is called, whatever it holds.

This is the one rule for tables in files, arrays beside a matrix and frames in memory;
the page on input states it in full.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from mvgraph.ops.labels import is_missing

#: Words that end or begin the header of identifiers, in a few languages.
ID_WORDS = frozenset({
    "id", "identifier", "uid", "uuid", "guid", "barcode", "accession", "mrn",
    "kennung", "identifiant", "identificador", "identificativo", "编号", "番号", "ид",
})  # fmt: skip
#: What has names; as first column it is a header of names by itself.
SAMPLE_WORDS = frozenset({
    "sample", "samples", "subject", "subjects", "patient", "patients", "participant",
    "participants", "individual", "donor", "specimen", "case", "cases", "cell",
    "cells", "person", "record", "entity", "obs", "observation", "animal", "mouse",
    "user", "customer", "item", "document", "proband", "patientin", "échantillon",
    "echantillon", "sujet", "muestra", "paciente", "sujeto", "amostra", "campione",
    "soggetto", "paziente", "样本", "患者", "被験者", "образец", "пациент",
})  # fmt: skip
#: Behind a word for samples: sample_name, patient_nr.
NAME_WORDS = frozenset({"name", "names", "nr", "code", "key"})
#: Other headers of names, in the first column alone: IDS is a gene, too.
FIRST_WORDS = frozenset({
    "", "index", "ids", "identifiers", "barcodes", "name", "names", "row", "rows",
    "rownames", "unnamed0", "key", "nr",
})  # fmt: skip
#: Headers that an index of 0, 1, 2, ... gets when a program writes it beside the data.
INDEX_WORDS = frozenset({"", "index", "unnamed0", "row", "rows", "rownames", "nr"})
#: Cells that say that there is no value.
MISSING = (
    "", "NA", "N/A", "n/a", "na", "#N/A", "#NA", "#N/A N/A", "<NA>", "<na>", "NaN",
    "nan", "NAN", "-NaN", "-nan", "NULL", "Null", "null", "None", "none", "NONE", "?",
    ".", "1.#QNAN", "-1.#QNAN", "1.#IND", "-1.#IND",
)  # fmt: skip
_MISSING = frozenset(MISSING)
_NUMBER = re.compile(r"\s*[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?\s*")
_DATE = re.compile(
    r"\s*(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})"
    r"([T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?\s*"
)
#: Fewer values are whole, or increase, too often by chance (5 do so in 1 of 120).
FEWEST = 5


class SaidOfNames(NamedTuple):
    """What the caller says of the names of the samples.

    Parameters
    ----------
    ids : tuple of str
        Columns that name the rows, in every table that has one of them.
    column : tuple of str
        Columns that do not, whatever they are called.
    normalise : bool
        Compare names without regard to Unicode forms, blanks at the ends and case.
    """

    ids: tuple[str, ...] = ()
    column: tuple[str, ...] = ()
    normalise: bool = False

    @classmethod
    def of(cls, ids: Any, column: Any, normalise: bool) -> SaidOfNames:
        """Take one name or several.

        Raises
        ------
        ValueError
            A column is said to name the rows, and not to.
        """
        said = cls(one_or_several(ids), one_or_several(column), bool(normalise))
        both = [name for name in said.ids if name in said.column]
        if both:
            raise ValueError(
                f"column {both[0]!r} cannot both name the samples (ids) and be a"
                " feature (column). Leave one of them out"
            )
        return said


def one_or_several(given: Iterable[str] | None) -> tuple[str, ...]:
    """Return names that were given as one text, as several, or not at all."""
    return () if given is None else (given,) if isinstance(given, str) else (*given,)


SAID_NOTHING = SaidOfNames()


def is_id_name(header: str, first: bool = True) -> bool:
    """Tell whether a header stands above names of samples.

    Parameters
    ----------
    header : str
        As it was written: ``patient_id``, ``Sample ID``, ``SubjectID``.
    first : bool, default=True
        Whether this is the first column, where ``case`` or no header is enough.

    Examples
    --------
    >>> from mvgraph.views.identifiers import is_id_name
    >>> [is_id_name(name) for name in ("Sample ID", "patientId", "barcode", "width")]
    [True, True, True, False]
    """
    words = header_words(header)
    if words and (words[0] in ID_WORDS or words[-1] in ID_WORDS):
        return True
    if len(words) == 2 and words[0] in SAMPLE_WORDS and words[1] in NAME_WORDS:
        return True
    joined = "".join(words)
    if first:
        return joined in FIRST_WORDS or joined in SAMPLE_WORDS
    return joined in ("sample", "subject")


def is_index_name(header: str) -> bool:
    """Return True for a header that an index gets when a program writes it."""
    return "".join(header_words(header)) in INDEX_WORDS


def columns_called_ids(
    header: Sequence[str], said: SaidOfNames = SAID_NOTHING
) -> list[int]:
    """Return the positions of the columns that name the rows by what they are called.

    The one that the caller names is the only one.
    """
    chosen = [i for i, name in enumerate(header) if name in said.ids]
    if chosen:
        return chosen[:1]
    return [
        i
        for i, name in enumerate(header)
        if name not in said.column and is_id_name(name, first=i == 0)
    ]


def holes(ids: np.ndarray) -> np.ndarray:
    """Tell which names are missing: empty, NaN, or marks of missing among numbers.

    ``NA`` is a name among words and a hole among numbers and dates.
    """
    kind = ids.dtype.kind
    if kind == "f":
        return np.isnan(ids)
    if kind in "mM":
        return np.isnat(ids)
    if kind not in "OUS":
        return np.zeros(len(ids), dtype=bool)
    cells = ids.tolist()
    if kind == "U":  # every cell is text: one pass over what may be 100,000 names
        out = np.zeros(len(cells), dtype=bool)
        marked = [i for i, cell in enumerate(cells) if cell.strip() in _MISSING]
    else:
        out = np.array([is_missing(cell) for cell in cells], dtype=bool)
        marked = [i for i, cell in enumerate(cells) if _is_mark(cell)]
    if marked:
        rest = [str(c) for c, out_ in zip(cells, out, strict=True)
                if not out_ and not _is_mark(c)]  # fmt: skip
        values = bool(rest) and all(_NUMBER.fullmatch(c) for c in rest)
        values = values or (bool(rest) and all(map(_DATE.fullmatch, rest)))
        out[[i for i in marked if values or not cells[i].strip()]] = True
    return out


def _is_mark(cell: Any) -> bool:
    return isinstance(cell, str) and cell.strip() in _MISSING


def looks_like_names(values: np.ndarray) -> bool:
    """Tell values of a first column that may name the rows, or be a feature.

    Distinct whole numbers, distinct dates, and numbers that increase strictly.
    """
    if len(values) < FEWEST:
        return False
    if values.dtype.kind not in "mMiuf":
        return are_dates(values) and len(set(values.tolist())) == len(values)
    if values.dtype.kind == "f":
        if not np.isfinite(values).all():
            return False
        if (np.diff(values) > 0).all():
            return True
        if not np.array_equal(values, np.rint(values)):
            return False
    return len(np.unique(values)) == len(values)


def are_dates(values: np.ndarray) -> bool:
    """Tell a column of dates, as text in the usual forms or as date objects."""
    dates = (datetime.date, np.datetime64)
    return all(
        isinstance(cell, dates)
        or (isinstance(cell, str) and _DATE.fullmatch(cell) is not None)
        for cell in values.tolist()
    )


def is_counter(values: np.ndarray) -> bool:
    """Tell whether values are 0, 1, 2, ... or 1, 2, 3, ..., in this order."""
    values = np.asarray(values)
    start = {"0": 0, "1": 1}.get(str(as_text(values[:1])[0]) if len(values) else "")
    if start is None:
        return False
    if values.dtype.kind in "iu":
        return np.array_equal(values, np.arange(start, start + len(values)))
    return [*map(str, range(start, start + len(values)))] == as_text(values).tolist()


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


def as_text(ids: np.ndarray) -> np.ndarray:
    """Write names as a table of text would: 3 and not 3.0, 1.1 and not 1.1000000000001.

    Text stays as it is spelled.
    """
    ids = np.asarray(ids)
    kind = ids.dtype.kind
    if kind == "U":
        return ids
    if kind == "f":
        made = [np.format_float_positional(i, trim="-") for i in ids]
    elif kind == "M":
        made = [_without_midnight(str(i).replace("T", " ")) for i in ids]
    else:
        made = [_text(i) for i in ids.tolist()]
    return objects(made)


def objects(items: Iterable[Any]) -> np.ndarray:
    """Return an array of objects, (n,); tuples stay whole."""
    items = list(items)
    out = np.empty(len(items), dtype=object)
    out[:] = items
    return out


def _text(cell: Any) -> Any:
    if isinstance(cell, str | tuple):  # the keys of an index of several levels
        return cell
    if isinstance(cell, bytes):
        return cell.decode(errors="replace")
    if isinstance(cell, float):
        return np.format_float_positional(cell, trim="-")
    return _without_midnight(str(cell))


def _without_midnight(date: str) -> str:
    return re.sub(r" 00:00(:00(\.0+)?)?$", "", date)


def header_words(header: str) -> list[str]:
    """Split a header: ``patientId``, ``Sample ID`` and ``sample.id`` are two words."""
    apart = re.sub(r"([a-z])([A-Z])", r"\1 \2", str(header))
    return [word for word in re.split(r"[\W_]+", apart.lower()) if word]
