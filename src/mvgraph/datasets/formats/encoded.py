"""Turn the columns of a table in a file into views."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mvgraph.datasets.layout.find_views import VIEW_NAMES, natural_key
from mvgraph.datasets.layout.source import ReadOptions
from mvgraph.tables.choosing import is_unused, refuse_dropped
from mvgraph.tables.encoding import Encoded, encode_table
from mvgraph.tables.guessing import perhaps_no_numbers
from mvgraph.tables.learning import learn_table
from mvgraph.tables.table_encoder import TableEncoder
from mvgraph.views.columns import NUMBER, Columns

#: Columns of a table of numbers, and rows, up to which each is looked at: more columns
#: are measured ones, and the cells of more rows take time.
MOST_NOTED, MOST_READ = 50, 100_000
#: Stems of numbered prefixes that make views of the columns of one table.
PREFIXES = ("v", "view", "views", "modality", "block", *VIEW_NAMES)


def encoded_table(
    columns: Columns,
    features: Sequence[int],
    name: str,
    options: ReadOptions,
    aside: Collection[str],
    single: bool,
) -> tuple[TableEncoder | None, Any]:
    """Encode the columns of a table, or read them where all are numbers.

    Parameters
    ----------
    columns : Columns
    features : sequence of int
    name : str
        Of the table.
    options : ReadOptions
        With the encoders of a fit, or what the caller specified about the columns.
    aside : collection of str
        Columns that name the rows or hold classes.
    single : bool
        Whether numbered prefixes make views.

    Returns
    -------
    encoder : TableEncoder or None
        None where all columns are numbers that are used as they are.
    found : Encoded, or array of shape (n_rows, d), or None
        None where no column of this one of several tables is used.
    """
    fitted = options.encoders and options.encoders.of_table(name)
    if not fitted:
        fitted = _learned(columns, features, name, options, single)
    if not isinstance(fitted, TableEncoder):
        return None, fitted
    if not single and is_unused(fitted, options.tables, bool(options.encoders)):
        return fitted, None
    held = (*columns.header, *columns.vectors)
    known = {*aside, *(c for c in held if options.tables.why_not(name, c))}
    if options.encoders:
        refuse_dropped(fitted, options.tables, held, columns.where)
        known |= {options.encoders.labels or ""}
    if options.tables.impute != "refuse":  # also where the fit did otherwise
        fitted = replace(fitted, impute=options.tables.impute)
    return fitted, _warned(encode_table(fitted, columns, known, options.look, single))


def _learned(
    columns: Columns,
    features: Sequence[int],
    name: str,
    options: ReadOptions,
    single: bool,
) -> Any:
    """Return what is learned of a table; its values where they are numbers as they are.

    Raises
    ------
    ValueError
        What fills cells should be known from a fit, and is not.
    """
    if options.encoders and options.tables.impute == "median":
        raise ValueError(
            f"{columns.where}: the fit has no names of columns, so its medians are not"
            " known (impute, --impute median). Fit on a table with a header, or leave"
            " incomplete rows out with --impute drop-rows"
        )
    wanted = _wanted(columns, name, options, single)
    header = [columns.header[i] for i in features]
    chosen = [h for h in header if not options.tables.why_not(name, h)]
    views = prefix_views(chosen, wanted) if single else {}
    named = {*wanted} & {*header, *columns.vectors} | {*wanted} & {*views}
    plain = not (named or columns.categories) and options.tables.says_nothing()
    if plain and all(columns.kinds[i] == NUMBER for i in features):
        values = columns.numbers(features)
        if not _has_empty_column(values):
            _note_names(columns, features, values, options)
            return values
    if single:
        every = [(name, c) for c in (*columns.header, *columns.vectors)]
        options.tables.refuse_unknown(every, columns.where)
    return learn_table(columns, features, name, options.tables, wanted, _group(views))


def _note_names(
    columns: Columns, features: Sequence[int], values: Any, options: ReadOptions
) -> None:
    """Note numbers that may name the rows of a table in memory of few columns."""
    held = type(values) is np.ndarray and columns.headed
    few = len(features) <= MOST_NOTED and len(values) <= MOST_READ
    if not (held and few) or options.encoders:
        return
    for i in filter(None, features):  # the first column is asked about in any case
        name = columns.header[i]
        note = "" if name in options.said.column else perhaps_no_numbers(columns, i)
        if note:
            options.log.note(f"column {name!r}: {note}")


def _warned(found: Encoded) -> Encoded:
    for note in found.notes:
        warnings.warn(note, UserWarning, stacklevel=3)
    return found._replace(notes=())


def _wanted(
    columns: Columns, name: str, options: ReadOptions, single: bool
) -> tuple[str, ...]:
    """Return what the caller named in this table: columns, prefixes, or all of it."""
    names = options.names_of_views()
    if single:
        return names
    head = f"{name}."
    return tuple(n.removeprefix(head) for n in names if n.startswith(head) or n == name)


def _has_empty_column(values: Any) -> bool:
    """Return whether a table in memory has some empty columns, but not only those."""
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
        return False
    perhaps = np.flatnonzero(np.isnan(values[0]))  # few columns, and most tables none
    some = len(perhaps) < values.shape[1]
    return some and any(np.isnan(values[:, j]).all() for j in perhaps)


def _group(views: dict[str, list[str]]) -> Callable[[str], str]:
    of = {name: view for view, names in views.items() for name in names}
    return lambda name: of.get(name, "")


def prefix_views(header: Iterable[str], wanted: Collection[str] = ()) -> dict:
    """Group columns by a numbered prefix of views: ``v1_``, ``view2.`` and the like.

    All columns must have one, or the caller named the prefixes: ``PC1_rna`` is not a
    view PC1, and a single column ``CD3_Er170`` is not one either.

    Returns
    -------
    dict of str to list of str
        Names of columns by view; empty where there are no such views.
    """
    groups: dict[str, list[str]] = {}
    for name in header:
        match = re.match(r"([A-Za-z]+)(\d+)[_.:]", name)
        known = match is not None and match[1].lower() in PREFIXES
        groups.setdefault(match[1] + match[2] if match and known else "", []).append(
            name
        )
    named = bool(wanted) and set(wanted) <= set(groups)
    if not named and ("" in groups or len(groups) < 2):
        return {}
    return {name: groups[name] for name in sorted(groups, key=natural_key) if name}
