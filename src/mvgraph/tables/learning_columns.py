"""Learn from the rows of a fit how one column becomes features."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mvgraph.ops.wording import counted
from mvgraph.tables.cells import as_vectors, as_words, share_empty
from mvgraph.tables.encoding import numbers_of, text_cells
from mvgraph.tables.kinds import order_of
from mvgraph.tables.options import CATEGORICAL, DATE, IGNORE, ORDINAL, TEXT, VECTOR
from mvgraph.tables.table_encoder import Column
from mvgraph.views.columns import Columns

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


def learn_column(columns: Columns, asked: Asked, where: str) -> Column:
    """Learn what one column holds; filling and balance follow for all together."""
    name, kind, i = asked.name, asked.kind, asked.at
    if kind == IGNORE:
        share = share_empty(columns, i, asked.guessed)
        return Column(name, IGNORE, f"left out: {asked.note}", share)
    if i is None or kind == VECTOR:
        cells = columns.vectors[name] if i is None else as_vectors(columns, i, where)
        return _learn_vectors(name, cells)
    if kind == TEXT:
        return _learn_text(columns, i, asked, where)
    categories, use = asked.order if kind == ORDINAL else (), asked.note
    order = order_of(columns, i, where, asked.order) if kind == DATE else ""
    rare: tuple[str, ...] = ()
    if kind == CATEGORICAL:
        categories, rare = _categories(as_words(columns, i))
        use = counted(len(categories), "category", "categories")
        use += f", {len(rare)} rare ones joined" if rare else ""
        use += f"; --labels {name} if they are the classes" if asked.guessed else ""
    found = Column(name, kind, use, categories=categories, rare=rare, order=order,
                   coerce=not asked.guessed)  # fmt: skip
    values = numbers_of(found, columns, i, where)
    missing = float(np.mean(np.isnan(values)))
    if missing == 1:
        return Column(name, IGNORE, "left out: it is empty", 1.0)
    if kind == DATE:
        use = "time, weekday, season"
    if kind == ORDINAL:
        use = f"places of {len(categories)} categories"
        _refuse_unordered(as_words(columns, i), categories, name, where)
    return replace(found, use=use, missing=missing)


def _learn_vectors(name: str, vectors: np.ndarray) -> Column:
    width = vectors.shape[1]
    if not width:
        return Column(name, IGNORE, "left out: it is empty", 1.0)
    empty = np.isnan(vectors).all(axis=1) if vectors.dtype.kind == "f" else [False]
    use = f"view {name!r}, {width} numbers"
    return Column(name, VECTOR, use, float(np.mean(empty)), width=width)


def _categories(words: np.ndarray) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the categories that have a feature each, and those that share one."""
    from sklearn.preprocessing import OneHotEncoder

    known = np.array([word for word in words if word is not None], dtype=object)
    if not len(known):
        return (), ()
    coder = OneHotEncoder(min_frequency=RARE, handle_unknown="infrequent_if_exist")
    coder.fit(known[:, None])
    found = coder.infrequent_categories_[0]
    rare = () if found is None else tuple(found.tolist())
    apart = set(rare)
    kept = tuple(word for word in coder.categories_[0].tolist() if word not in apart)
    return kept, rare


def _refuse_unordered(
    words: np.ndarray, order: tuple[str, ...], name: str, where: str
) -> None:
    other = sorted({word for word in words if word is not None} - set(order))
    if other:
        raise ValueError(
            f"{where}: column {name!r} contains {other[0]!r}, which is not in its"
            f" order ({', '.join(order)}). Add it to the order"
        )


def _learn_text(columns: Columns, i: int, asked: Asked, where: str) -> Column:
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
            f"{where}: column {asked.name!r} has no word that is in {fewest} of its"
            f" texts. Drop it, or use it as categorical"
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
