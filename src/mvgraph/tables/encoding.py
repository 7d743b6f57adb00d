"""Turn the columns of a table into the features that were learned."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.stability import MODERATE, stability
from mvgraph.ops.wording import counted
from mvgraph.tables.cells import as_days, as_numbers, as_vectors, as_words
from mvgraph.tables.choosing import compare_columns, view_of
from mvgraph.tables.filling import fill, full_rows, refuse_holes, whole_rows
from mvgraph.tables.options import (
    CATEGORICAL,
    DATE,
    IGNORE,
    NUMERIC,
    ORDINAL,
    PLAIN,
    TEXT,
    VECTOR,
)
from mvgraph.tables.table_encoder import Column, TableEncoder
from mvgraph.views.columns import NUMBER, Columns
from mvgraph.views.joining import take_rows

#: Key of the view of the plain columns, whose name is that of the table.
PLAIN_VIEW = ""
#: A kind that stays unchanged if the view has no other.
UNSCALED = (NUMERIC,)
WEEK, YEAR = 7.0, 365.2425
#: 1970-01-01 was a Thursday; a phase counts from Monday.
MONDAY = 3.0
#: Features of a date, and when samples have more of them than others, and less: the
#: first is the time, the others are the sine and cosine of a phase.
DATE_PARTS = {
    "time": ("late {}", "early {}"),
    "weekday sine": ("{} on Tuesday or Wednesday", "{} on Saturday or Sunday"),
    "weekday cosine": ("{} around Monday", "{} on Thursday or Friday"),
    "season sine": ("{} around April", "{} around October"),
    "season cosine": ("{} around January", "{} around July"),
}


class Encoded(NamedTuple):
    """The views of one table."""

    views: dict[str, Any]
    features: dict[str, list[str]]
    complete: np.ndarray | None = None  # rows that stay under drop-rows
    notes: tuple[str, ...] = ()


def encode_table(
    encoder: TableEncoder,
    columns: Columns,
    known: Collection[str] = (),
    look: bool = False,
    alone: bool = False,
) -> Encoded:
    """Encode the rows of a table as those of the fit were.

    Parameters
    ----------
    encoder : TableEncoder
    columns : Columns
    known : collection of str
        Columns that name the rows, hold classes, or were dropped.
    look : bool
        Keep empty cells that would be rejected, to describe the table.
    alone : bool
        There is no other table: drop-rows also drops what has no view in this one.

    Raises
    ------
    ValueError
        A column of the fit is not there, or one is there that the fit did not have; a
        cell is of another kind; cells are empty and the fit did not say how to fill
        them.
    """
    absent, notes = compare_columns(encoder, columns, known)
    if absent:  # these views are missing, as rows of theirs may be
        there = tuple(c for c in encoder.columns if view_of(c) not in absent)
        encoder = replace(encoder, columns=there)
    if look and encoder.impute == "refuse":
        encoder = replace(encoder, impute="nothing")
    views: dict[str, Any] = {}
    features: dict[str, list[str]] = {}
    complete: np.ndarray | None = None
    for group in dict.fromkeys(c.group for c in encoder.of_kinds(*PLAIN)):
        name = group or PLAIN_VIEW
        own = [c for c in encoder.of_kinds(*PLAIN) if c.group == group]
        made = _plain_view(encoder, own, group, columns, notes)
        views[name], features[name], full = made
        if full is not None:
            complete = full if complete is None else complete & full
    for column in encoder.of_kinds(TEXT, VECTOR):
        name = column.group or column.name
        place = (
            columns.header.index(column.name) if column.name in columns.header else None
        )
        if column.kind == VECTOR:
            views[name] = _vectors(column, columns, place)
        else:
            assert place is not None
            views[name] = _tfidf(column, columns, place, notes)
            features[name] = [str(word) for word in column.words]  # type: ignore
    if alone and encoder.impute == "drop-rows" and views:
        complete = full_rows(complete, views.values())
    return Encoded(views, features, complete, tuple(notes))


def _plain_view(
    encoder: TableEncoder,
    own: list[Column],
    group: str,
    columns: Columns,
    notes: list[str],
) -> tuple[Any, list[str], np.ndarray | None]:
    """Return the view of the plain columns of a table, its features, complete rows."""
    at = {name: i for i, name in enumerate(columns.header)}
    places = [at[c.name] for c in own]
    mixed = any(c.kind not in UNSCALED for c in own)
    as_held = all(c.kind == NUMERIC and columns.kinds[i] == NUMBER
                  for c, i in zip(own, places, strict=True))  # fmt: skip
    if as_held and encoder.impute == "refuse":
        return columns.numbers(places), [c.name for c in own], None
    raw = [numbers_of(c, columns, i, notes)
           for c, i in zip(own, places, strict=True)]  # fmt: skip
    values = np.column_stack(raw)
    notes += _more_empty(own, values)
    full = None
    if encoder.impute == "drop-rows":
        full = ~np.isnan(values).any(axis=1)
        if len(own) < len([c for c in encoder.columns if c.kind != IGNORE]):
            full |= whole_rows(values)  # the sample may have another view
        values[~full] = 0.0  # these rows go
    elif encoder.impute == "refuse":
        refuse_holes(own, values, columns.where)
    else:
        values = fill(own, values, encoder.neighbors.get(group))
        if encoder.impute == "median":  # columns in a file have none
            refuse_holes(own, values, columns.where)
    if not mixed:
        return values, [c.name for c in own], full
    absent = whole_rows(values)
    parts = [joint_part(c, x) for c, x in zip(own, values.T, strict=True)]
    view = np.column_stack(
        [part * c.scale for c, (part, _) in zip(own, parts, strict=True)]
    )
    view[absent] = np.nan
    return view, [name for _, names in parts for name in names], full


def _more_empty(own: list[Column], values: np.ndarray) -> list[str]:
    """Note columns of which other shares of cells are empty than in the fit."""
    if whole_rows(values).all():
        return []  # the view is missing
    n, notes = len(values), []
    for column, empty in zip(own, np.isnan(values).sum(axis=0).tolist(), strict=True):
        old = round(n * column.missing)
        counts = np.array([[old, n - old], [empty, n - empty]])
        if stability(counts[0], counts[1], len(own)).at_least(MODERATE):
            notes.append(
                f"column {column.name!r}: {empty / n:.0%} of the cells are empty,"
                f" {column.missing:.0%} in the fit"
            )
    return notes


def numbers_of(
    column: Column, columns: Columns, i: int, notes: list[str] | None = None
) -> np.ndarray:
    """Return a plain column as numbers: values, days, or places of categories.

    An empty cell is NaN. An unseen category has the place behind the others.
    """
    if column.kind == NUMERIC:
        return as_numbers(columns, i, column.coerce, notes)
    if column.kind == DATE:
        return as_days(columns, i, column.order)
    places = {word: float(p) for p, word in enumerate(column.categories)}
    words = as_words(columns, i)
    other = float(len(places)) if column.kind == CATEGORICAL else np.nan
    if notes is not None:
        _note_unseen(column, words, places, notes)
    return np.array(
        [np.nan if word is None else places.get(word, other) for word in words]
    )


def _note_unseen(
    column: Column, words: np.ndarray, places: dict[str, float], notes: list[str]
) -> None:
    """Note unseen categories, unless they share the feature of the rare ones."""
    seen = {*places, *column.rare}
    unseen = [word for word in words if word is not None and word not in seen]
    if not unseen:
        return
    how = "with the rare ones" if column.rare else "as no category"
    if column.kind == ORDINAL:
        how = "as empty cells"
    notes.append(
        f"column {column.name!r}: {counted(len(unseen), 'cell')} of"
        f" {counted(len(set(unseen)), 'category', 'categories')} that the fit did not"
        f" have, such as {unseen[0]!r}, {how}"
    )


def joint_part(column: Column, x: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Return the features of a column in a mixed view, before they are balanced."""
    name = column.name
    if column.kind == CATEGORICAL:
        titles = [f"{name}={category}" for category in column.categories]
        titles += [f"{name}=(other)"] if column.rare else []
        return _one_hot(x, len(titles)), titles
    z = (x - column.centre) / column.spread
    if column.kind != DATE:
        return z[:, None], [name]
    angles = [2 * np.pi * (x + MONDAY) / WEEK, 2 * np.pi * x / YEAR]
    part = np.column_stack([z, *(f(a) for a in angles for f in (np.sin, np.cos))])
    part[:, 3:] *= column.seasons
    return part, [f"{name}: {one}" for one in DATE_PARTS]


def date_in_words(feature: str, more: bool) -> str:
    """Say what samples with more, or less, of a feature of a date have; '' of others.

    Examples
    --------
    >>> from mvgraph.tables.encoding import date_in_words
    >>> date_in_words("signup: time", True), date_in_words("spend", True)
    ('late signup', '')
    """
    name, _, part = feature.rpartition(": ")
    return DATE_PARTS[part][not more].format(name) if part in DATE_PARTS else ""


def _one_hot(places: np.ndarray, width: int) -> np.ndarray:
    """Encode places of categories; one beyond the width, or none, is a row of zeros."""
    return (places[:, None] == np.arange(width)).astype(np.float64)


def text_cells(columns: Columns, i: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a column of text, and which of its cells are empty."""
    words = as_words(columns, i)
    empty = np.array([word is None for word in words])
    words[empty] = ""
    return words, empty


def _tfidf(column: Column, columns: Columns, i: int, notes: list[str]) -> Any:
    """Return the weights of words; an empty text is a row of NaN: it lacks the view."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    assert column.words is not None
    vectoriser = TfidfVectorizer(vocabulary=column.words.tolist(), sublinear_tf=True)
    vectoriser.idf_ = column.idf
    cells, empty = text_cells(columns, i)
    weights = sp.csr_matrix(vectoriser.transform(cells))
    strange = (np.diff(weights.indptr) == 0) & ~empty
    if strange.any():
        notes.append(
            f"column {column.name!r}: {counted(int(strange.sum()), 'text')} without any"
            f" word of the fit, such as row {int(np.argmax(strange))}"
        )
    if not empty.any():
        return weights
    return take_rows(weights, np.where(empty, -1, np.arange(len(empty))))


def _vectors(column: Column, columns: Columns, i: int | None) -> np.ndarray:
    held = columns.vectors[column.name] if i is None else as_vectors(columns, i)
    if not held.shape[1]:  # every cell is empty
        return np.full((len(held), column.width), np.nan)
    if held.shape[1] != column.width:
        raise ValueError(
            f"{columns.where}: the vectors in column {column.name!r} have"
            f" {held.shape[1]} numbers, but {column.width} in the fit. Pass vectors of"
            " the same length"
        )
    return held
