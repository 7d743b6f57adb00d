"""Learn from the rows of a fit how one column becomes features."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mvgraph.ops.wording import counted
from mvgraph.tables.cells import as_vectors, as_words, share_empty
from mvgraph.tables.encoding import numbers_of, text_cells
from mvgraph.tables.guessing import FEW
from mvgraph.tables.options import CATEGORICAL, DATE, IGNORE, ORDINAL, TEXT, VECTOR
from mvgraph.tables.table_encoder import Column
from mvgraph.views import columns as held
from mvgraph.views.columns import Columns
from mvgraph.views.spelling import date_order

#: A category that fewer of the rows have shares a feature with the other rare ones: of
#: 5,000 rows 50, of 50 none.
RARE = 0.01
#: Words of a vocabulary, most frequent first; a rarer one is in few texts.
MOST_WORDS = 10_000
#: Texts that must contain a word: one in a single text is no link to others.
FEWEST_TEXTS = 2


class Asked(NamedTuple):
    """One column, and what the caller specified or the guess found."""

    at: int | None  # None: its cells are vectors
    name: str
    kind: str
    note: str = ""
    order: tuple[str, ...] = ()
    guessed: bool = False


def learn_column(columns: Columns, asked: Asked) -> Column:
    """Learn what one column holds; filling and balance follow for all together."""
    name, kind, i = asked.name, asked.kind, asked.at
    if kind == IGNORE:
        share = share_empty(columns, i, asked.guessed)
        return Column(name, IGNORE, f"left out: {asked.note}", share)
    if i is None or kind == VECTOR:
        cells = columns.vectors[name] if i is None else as_vectors(columns, i)
        return _learn_vectors(name, cells)
    if kind == TEXT:
        return _learn_text(columns, i, asked)
    categories, use = asked.order if kind == ORDINAL else (), asked.note
    order = _order_of(columns, i, asked.order) if kind == DATE else ""
    rare: tuple[str, ...] = ()
    if kind == CATEGORICAL:
        categories, rare = _categories(as_words(columns, i))
        use = _use_of(name, len(categories), len(rare), asked.guessed)
    found = Column(name, kind, use, categories=categories, rare=rare, order=order,
                   coerce=not asked.guessed)  # fmt: skip
    values = numbers_of(found, columns, i)
    missing = float(np.mean(np.isnan(values)))
    if missing == 1:
        return Column(name, IGNORE, "left out: it is empty", 1.0)
    if kind == DATE:
        use = "time, weekday, season"
    if kind == ORDINAL:
        use = f"places of {len(categories)} categories"
        _refuse_unordered(columns, i, categories)
    return replace(found, use=use, missing=missing)


def _order_of(columns: Columns, i: int, said: tuple[str, ...] = ()) -> str:
    """Return the order of days and months: as the caller says, else as cells show.

    Raises
    ------
    ValueError
        The cells do not tell.
    """
    if said or columns.kinds[i] == held.DATE:
        return said[0] if said else ""
    try:
        return date_order(list(as_words(columns, i)))
    except ValueError as error:
        name = columns.header[i]
        raise ValueError(
            f"{columns.where}: column {name!r}: {error}. Pass --kinds"
            f" {name}=date:dmy or {name}=date:mdy (in Python kinds=)"
        ) from error


def _use_of(name: str, n_categories: int, n_rare: int, guessed: bool) -> str:
    """Describe categories; many of them may be names, a few the classes."""
    use = counted(n_categories, "category", "categories")
    use += f", {n_rare} rare ones joined" if n_rare else ""
    if not guessed:
        return use
    if n_categories + n_rare > FEW:
        return f"{use}; --drop {name} if they only name people or things"
    return f"{use}; --labels {name} if they are the classes"


def _learn_vectors(name: str, vectors: np.ndarray) -> Column:
    width = vectors.shape[1]
    if not width:
        return Column(name, IGNORE, "left out: it is empty", 1.0)
    empty = np.isnan(vectors).all(axis=1) if vectors.dtype.kind == "f" else [False]
    use = f"view {name!r}, {width} numbers"
    return Column(name, VECTOR, use, float(np.mean(empty)), width=width)


def _categories(words: np.ndarray) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the categories that have a feature each, and those that share one."""
    known = np.array([word for word in words if word is not None], dtype=object)
    found, counts = np.unique(known, return_counts=True)
    rare = counts < RARE * len(known)
    return tuple(found[~rare].tolist()), tuple(found[rare].tolist())


def _refuse_unordered(columns: Columns, i: int, order: tuple[str, ...]) -> None:
    words, name = as_words(columns, i), columns.header[i]
    other = sorted({word for word in words if word is not None} - set(order))
    if other:
        raise ValueError(
            f"{columns.where}: column {name!r} contains {other[0]!r}, which is not in"
            f" its order ({', '.join(order)}). Add it to the order"
        )


def _learn_text(columns: Columns, i: int, asked: Asked) -> Column:
    from sklearn.feature_extraction.text import TfidfVectorizer

    cells, empty = text_cells(columns, i)
    fewest = min(FEWEST_TEXTS, max(1, int((~empty).sum())))
    vectoriser = TfidfVectorizer(
        min_df=fewest, max_features=MOST_WORDS, sublinear_tf=True
    )
    try:
        vectoriser.fit(cells[~empty])
    except ValueError as error:  # no word is left
        if asked.guessed:
            return Column(
                asked.name, IGNORE, "left out: no word is in two of its texts"
            )
        raise ValueError(
            f"{columns.where}: column {asked.name!r} has no word that is in {fewest} of"
            " its texts. Drop it, or use it as categorical"
        ) from error
    words = vectoriser.get_feature_names_out()
    return Column(
        asked.name,
        TEXT,
        f"view {asked.name!r}, {len(words)} words",
        float(empty.mean()),
        words=np.array(words, dtype=str),
        idf=vectoriser.idf_,
    )
