"""Features of one fit as those of another that learned other scales and categories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.tables.encoding import UNSCALED, joint_part
from mvgraph.tables.options import CATEGORICAL, DATE, PLAIN, TEXT
from mvgraph.tables.table_encoder import Column, TableEncoder
from mvgraph.views.joining import take_rows


class _Feature(NamedTuple):
    """A feature is ``gain`` times what was in the cell, and ``offset``."""

    gain: float
    offset: float
    rest: str  # what takes a category that has no feature: a feature, or nothing


def recode(
    arrays: Mapping[str, Any],
    names: Mapping[str, Any],
    now: Iterable[TableEncoder],
    then: Iterable[TableEncoder],
    wanted: Mapping[str, Any],
) -> dict[str, tuple[Any, Any]]:
    """Return rows of every view with the features that another fit would have made.

    Parameters
    ----------
    arrays, names : mapping of str to array, to sequence of str or None
        Rows of the views, and their features.
    now, then : iterable of TableEncoder
        What was learned by the fit that encoded the rows, and by the other.
    wanted : mapping of str to sequence of str or None
        The features of the other fit.

    Returns
    -------
    dict of str to (array, sequence of str or None)
        Views that neither fit scaled stay as they are. Words that only the other fit
        knows are in no text.
    """
    first, other = _known(now), _known(then)
    found = {}
    for name, x in arrays.items():
        old, new = names[name], wanted.get(name)
        found[name] = (x, old)
        if old is None or new is None:
            continue
        pair = first.get(tuple(old)), other.get(tuple(new))
        if isinstance(pair[0], Column) and isinstance(pair[1], Column):
            found[name] = (_words(x, pair[0], pair[1]), new)
        elif isinstance(pair[0], dict) and isinstance(pair[1], dict):
            found[name] = (_plain(x, pair[0], pair[1]), new)
    return found


def _known(tables: Iterable[TableEncoder]) -> dict[tuple[str, ...], Any]:
    """Return what is known of every view, by the names of its features."""
    known: dict[tuple[str, ...], Any] = {}
    for table in tables:
        for column in table.of_kinds(TEXT):
            known[tuple(map(str, column.words))] = column  # type: ignore[arg-type]
        plain = table.of_kinds(*PLAIN)
        for group in {column.group for column in plain}:
            own = [column for column in plain if column.group == group]
            if any(column.kind not in UNSCALED for column in own):
                parts = {k: f for c in own for k, f in _features(c).items()}
                known[tuple(parts)] = parts
    return known


def _features(column: Column) -> dict[str, _Feature]:
    titles = joint_part(column, np.zeros(0))[1]
    rest = f"{column.name}=(other)" if column.kind == CATEGORICAL else ""
    found = {title: _Feature(column.scale, 0.0, rest) for title in titles}
    if column.kind != CATEGORICAL:
        gain = column.scale / column.spread
        found[titles[0]] = _Feature(gain, -column.centre * gain, "")
    if column.kind == DATE:
        for title in titles[3:]:
            found[title] = _Feature(column.scale * column.seasons, 0.0, "")
    return found


def _plain(x: Any, old: dict[str, _Feature], new: dict[str, _Feature]) -> np.ndarray:
    x = np.asarray(x, dtype=np.float64)
    out = {title: np.zeros(len(x)) for title in new}
    for column, (title, one) in zip(x.T, old.items(), strict=True):
        # a season that does not count in a span of a year is not known
        cells = (column - one.offset) / (one.gain or np.inf)
        target = title if title in new else one.rest
        if target in new:
            out[target] += cells
    made = [cells * new[t].gain + new[t].offset for t, cells in out.items()]
    absent = np.isnan(x).all(axis=1)
    return np.where(absent[:, None], np.nan, np.column_stack(made))


def _words(x: Any, old: Column, new: Column) -> Any:
    """Weigh the words of texts as another fit would; rows keep the length one."""
    from sklearn.preprocessing import normalize

    assert old.words is not None
    assert new.words is not None
    held = {str(word): j for j, word in enumerate(old.words)}
    at = np.array([held.get(str(word), -1) for word in new.words])
    x = sp.csr_matrix(x)
    absent = np.isnan(x[:, [0]].toarray().ravel())
    factors = np.where(at >= 0, new.idf / old.idf[np.maximum(at, 0)], 0.0)  # type: ignore
    kept = normalize(x[~absent][:, np.maximum(at, 0)] @ sp.diags_array(factors))
    places = np.where(absent, -1, np.cumsum(~absent) - 1)
    return take_rows(sp.csr_matrix(kept), places)
