"""Learn from the rows of a fit how the columns of a table become features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mvgraph.ops.wording import counted
from mvgraph.tables.cells import as_vectors, as_words, count_words, share_empty
from mvgraph.tables.encoding import UNSCALED, joint_part, numbers_of, text_cells
from mvgraph.tables.filling import learn_fills
from mvgraph.tables.kinds import guess_kind, order_of
from mvgraph.tables.options import (
    CATEGORICAL,
    DATE,
    IGNORE,
    ORDINAL,
    PLAIN,
    TEXT,
    VECTOR,
    TableOptions,
)
from mvgraph.tables.table_encoder import Column, TableEncoder
from mvgraph.views.columns import Columns, refuse_no_numbers

__all__ = ["learn_table"]

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


def learn_table(
    columns: Columns,
    features: Sequence[int],
    table: str,
    where: str,
    options: TableOptions,
    wanted: Sequence[str] = (),
    group: Callable[[str], str] = lambda name: "",
) -> TableEncoder:
    """Learn how the columns of a table become views.

    Parameters
    ----------
    columns : Columns
    features : sequence of int
        Columns that neither name the rows nor hold classes.
    table : str
        Its name, for patterns and for the view of its plain columns.
    where : str
        For messages.
    options : TableOptions
    wanted : sequence of str
        Columns, prefixes or the table itself, which the caller named as views; empty:
        all. A column that is named is a view of its own.
    group : callable
        Gives the view that the prefix of a name stands for, if any.

    Returns
    -------
    TableEncoder

    Raises
    ------
    ValueError
        A column cannot be of the kind that was asked for, or words stand between
        numbers.
    """
    named: list[tuple[int | None, str]] = [(i, columns.header[i]) for i in features]
    named += [(None, name) for name in columns.vectors]
    whole = table in wanted and all(name != table for _, name in named)
    learned = []
    for i, name in named:
        own = name if name in wanted else group(name)
        why = options.why_not(table, name)
        if not why and wanted and own not in wanted and not whole:
            why = "not one of the views that were named"
        if why:
            found = Column(name, IGNORE, f"left out: {why}")
        else:
            found = _learn(
                columns, _asked(columns, i, name, table, where, options), where
            )
        learned.append(replace(found, group=own) if found.kind in PLAIN else found)
    chosen = options.chooses() or bool(wanted) or IGNORE in options.kinds.values()
    encoder = TableEncoder(table, tuple(learned), options.impute, chosen)
    for name in dict.fromkeys(c.group for c in learned if c.kind in PLAIN):
        encoder = _learn_group(encoder, name, columns, where)
    return encoder


def _asked(
    columns: Columns,
    i: int | None,
    name: str,
    table: str,
    where: str,
    options: TableOptions,
) -> Asked:
    """Decide what a column is: as the caller says, else guessed."""
    kind, order = options.kind_of(table, name)
    if kind == IGNORE:
        return Asked(i, name, IGNORE, "you asked to ignore it")
    if i is None:
        if kind not in ("", VECTOR):
            raise ValueError(
                f"{where}: the cells of column {name!r} are vectors, which cannot be"
                f" {kind}. Leave its kind out, or drop it"
            )
        return Asked(i, name, VECTOR)
    if kind:
        return Asked(i, name, kind, "", order)
    guess = guess_kind(columns, i, where)
    if guess is None:
        refuse_no_numbers(
            columns, [i], where, f"; or specify its kind: {count_words(columns, i)}"
            "--kinds {name}=numeric reads words as empty cells, {name}=categorical as"
            " categories (in Python kinds=)",
        )  # fmt: skip
        raise AssertionError
    return Asked(i, name, guess.kind, guess.note, guessed=True)


def _learn(columns: Columns, asked: Asked, where: str) -> Column:
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


def _learn_group(
    encoder: TableEncoder, group: str, columns: Columns, where: str
) -> TableEncoder:
    """Learn what fills the empty cells of a view, and what balances its kinds."""
    own = [c for c in encoder.columns if c.kind in PLAIN and c.group == group]
    mixed = any(c.kind not in UNSCALED for c in own)
    if not mixed and encoder.impute in ("refuse", "drop-rows"):
        return encoder  # the numbers stay as they are, in the file if they are large
    places = {name: i for i, name in enumerate(columns.header)}
    values = np.column_stack(
        [numbers_of(c, columns, places[c.name], where) for c in own]
    )
    own, neighbors = learn_fills(own, values, encoder.impute)
    if neighbors is not None:
        encoder = replace(encoder, neighbors=encoder.neighbors | {group: neighbors})
    if mixed:
        own = _balanced(own, values)
    new = {c.name: c for c in own}
    return replace(encoder, columns=tuple(new.get(c.name, c) for c in encoder.columns))


def _balanced(own: list[Column], values: np.ndarray) -> list[Column]:
    """Scale the columns so that every kind has the same variance in all.

    Within a kind every column has the same; a constant column has none, and does not
    count.
    """
    found, energies = [], []
    for column, raw in zip(own, values.T, strict=True):
        known = raw[~np.isnan(raw)]
        if column.kind != CATEGORICAL:
            spread = float(known.std())
            constant = spread <= 1e-12 * max(1.0, float(np.abs(known).max()))
            column = replace(
                column,
                centre=float(known.mean()),
                spread=1.0 if constant else spread,
            )
        part, _ = joint_part(column, known)
        found.append(column)
        energies.append(float(part.var(axis=0).sum()))
    counts: dict[str, int] = {}
    for column, energy in zip(found, energies, strict=True):
        counts[column.kind] = counts.get(column.kind, 0) + (energy > 0)
    return [
        replace(c, scale=1 / np.sqrt(energy * counts[c.kind])) if energy > 0 else c
        for c, energy in zip(found, energies, strict=True)
    ]
