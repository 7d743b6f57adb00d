"""Learn from the rows of a fit how the columns of a table become features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from mvgraph.tables.cells import count_words
from mvgraph.tables.encoding import (
    UNSCALED,
    YEAR,
    Encoded,
    encode_table,
    joint_part,
    numbers_of,
)
from mvgraph.tables.filling import learn_fills
from mvgraph.tables.guessing import guess_kind
from mvgraph.tables.learning_columns import Asked, learn_column
from mvgraph.tables.options import (
    CATEGORICAL,
    DATE,
    IGNORE,
    LEFT_OUT,
    ORDINAL,
    PLAIN,
    VECTOR,
    TableOptions,
)
from mvgraph.tables.table_encoder import Column, TableEncoder
from mvgraph.views.columns import Columns, refuse_no_numbers


def learn_table(
    columns: Columns,
    features: Sequence[int],
    table: str,
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
    whole = whole and not options.groups.get(table)
    learned = []
    for i, name in named:
        own = name if name in wanted and not options.groups else group(name)
        own = options.view_of(table, name) or own
        why = options.why_not(table, name)
        if not why and wanted and own not in wanted and not whole:
            why = "not one of the views that were named"
        if why:
            found = Column(name, IGNORE, LEFT_OUT + why)
        else:
            found = learn_column(columns, _asked(columns, i, name, table, options))
        grouped = found.kind in PLAIN or (options.groups and found.kind != IGNORE)
        own = "" if own == table else own
        learned.append(replace(found, group=own) if grouped else found)
    _refuse_mixture(learned, columns.where)
    chosen = options.chooses() or bool(wanted) or IGNORE in options.kinds.values()
    encoder = TableEncoder(table, tuple(learned), options.impute, chosen)
    return _learn_groups(encoder, columns)


def _refuse_mixture(columns: Sequence[Column], where: str) -> None:
    """Reject a view that the caller made of a text or vectors and other columns."""
    groups: dict[str, list[Column]] = {}
    for column in columns:
        if column.group:
            groups.setdefault(column.group, []).append(column)
    for view, own in groups.items():
        odd = [c for c in own if c.kind not in PLAIN]
        if odd and len(own) > 1:
            raise ValueError(
                f"{where}: view {view!r} has {len(own)} columns, of which"
                f" {odd[0].name!r} is {odd[0].kind}. Give it a view of its own"
            )


def _learn_again(encoder: TableEncoder, columns: Columns) -> TableEncoder:
    """Learn the same kinds from the rows that stay where others are dropped."""
    at = {name: i for i, name in enumerate(columns.header)}
    learned = []
    for old in encoder.columns:
        order = old.categories if old.kind == ORDINAL else (old.order,)
        if old.kind == DATE and not old.order:
            order = ()
        asked = Asked(
            at.get(old.name), old.name, old.kind, old.use, order, not old.coerce
        )
        new = old if old.kind == IGNORE else learn_column(columns, asked)
        learned.append(replace(new, group=old.group, missing=old.missing))
    again = replace(encoder, columns=tuple(learned), neighbors={})
    return _learn_groups(again, columns)


def encode_again(
    encoder: TableEncoder, columns: Columns, rows: np.ndarray
) -> tuple[TableEncoder, Encoded]:
    """Encode a table once more, by what is learned from the rows of the fit."""
    encoder = _learn_again(encoder, columns.take(rows))
    held = (*columns.header, *columns.vectors)
    return encoder, encode_table(encoder, columns, held)


def _learn_groups(encoder: TableEncoder, columns: Columns) -> TableEncoder:
    for name in dict.fromkeys(c.group for c in encoder.columns if c.kind in PLAIN):
        encoder = _learn_group(encoder, name, columns)
    return encoder


def _asked(
    columns: Columns,
    i: int | None,
    name: str,
    table: str,
    options: TableOptions,
) -> Asked:
    """Decide what a column is: as the caller says, else guessed."""
    kind, order = options.kind_of(table, name)
    if kind == IGNORE:
        return Asked(i, name, IGNORE, "you asked to ignore it")
    if i is None:
        if kind not in ("", VECTOR):
            raise ValueError(
                f"{columns.where}: the cells of column {name!r} are vectors, which"
                f" cannot be {kind}. Leave its kind out, or drop it"
            )
        return Asked(i, name, VECTOR)
    if kind:
        return Asked(i, name, kind, "", order)
    guess = guess_kind(columns, i)
    if guess is None:
        refuse_no_numbers(
            columns, [i], f"; or specify its kind: {count_words(columns, i)}"
            "--kinds {name}=numeric reads words as empty cells, {name}=categorical as"
            " categories (in Python kinds=)",
        )  # fmt: skip
        raise AssertionError
    return Asked(i, name, guess.kind, guess.note, guess.order, guessed=True)


def _learn_group(encoder: TableEncoder, group: str, columns: Columns) -> TableEncoder:
    """Learn what fills the empty cells of a view, and what balances its kinds."""
    own = [c for c in encoder.columns if c.kind in PLAIN and c.group == group]
    mixed = any(c.kind not in UNSCALED for c in own)
    if not mixed and encoder.impute in ("refuse", "drop-rows"):
        return encoder  # the numbers stay as they are, in the file if they are large
    places = {name: i for i, name in enumerate(columns.header)}
    values = np.column_stack([numbers_of(c, columns, places[c.name]) for c in own])
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
            most = float(np.abs(known).max()) or 1.0  # squares must not overflow
            spread = float((known / most).std()) * most
            constant = spread <= 1e-12 * max(1.0, most)
            column = replace(
                column,
                centre=float((known / most).mean()) * most,
                spread=1.0 if constant else spread,
            )
        if column.kind == DATE:
            years = float(np.ptp(known)) / YEAR
            column = replace(column, seasons=min(max(years - 1, 0.0), 1.0))
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
