"""Empty cells: counted, rejected, or filled with learned values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.hashing import sum_hash
from mvgraph.ops.wording import counted, first_few
from mvgraph.tables.options import CATEGORICAL
from mvgraph.tables.table_encoder import Column

#: Rows that a cell is filled from, scikit-learn's default.
N_NEIGHBORS = 5
#: Rows of the fit that are kept for that, chosen by a hash of what they hold, so that
#: the order of rows does not matter: distances to more would take minutes.
MOST_NEIGHBORS = 5_000


def whole_rows(values: np.ndarray) -> np.ndarray:
    """Return which rows are entirely empty: the sample lacks the view."""
    return np.isnan(values).all(axis=1)


def full_rows(complete: np.ndarray | None, views: Iterable[Any]) -> np.ndarray:
    """Return the rows that drop-rows keeps: complete, and with at least one view."""
    held = ~np.all([_absent(view) for view in views], axis=0)
    return held if complete is None else held & complete


def _absent(view: Any) -> np.ndarray:
    if sp.issparse(view):  # an absent row is NaN in every column
        return np.isnan(view[:, [0]].toarray().ravel())
    return whole_rows(np.asarray(view[:], dtype=np.float64))


def complete_samples(
    n: int,
    rows: Mapping[str, np.ndarray | None],
    complete: Mapping[str, np.ndarray | None],
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return which of n samples no table has with empty cells, and their rows.

    Parameters
    ----------
    n : int
    rows : mapping of str to (ndarray of int, shape (n,) or None)
        By table the row of every sample, -1 where it has none; None: in order.
    complete : mapping of str to (ndarray of bool or None)
        Its rows without empty cells; None: all.
    """
    kept = np.ones(n, dtype=bool)
    places = {k: np.arange(n) if at is None else at for k, at in rows.items()}
    for name, full in complete.items():
        if full is not None:
            kept &= (places[name] < 0) | full[places[name]]
    return kept, {name: at[kept] for name, at in places.items()}


def learn_fills(
    columns: Sequence[Column], values: np.ndarray, impute: str
) -> tuple[list[Column], np.ndarray | None]:
    """Learn the values for empty cells, also for columns without any so far.

    Where the fit fills none, these are medians: later samples may have the first one.

    Parameters
    ----------
    columns : sequence of d Column
    values : ndarray of shape (n, d)
        Numbers, days, or places of categories.
    impute : str

    Returns
    -------
    columns : list of Column
        With ``fill``.
    neighbors : ndarray or None
        Rows that `fill` looks into.
    """
    from sklearn.impute import SimpleImputer

    middle = impute if impute in ("median", "mean") else "median"
    filled = []
    for column, own in zip(columns, values.T, strict=True):
        if impute == "zero":
            filled.append(
                column if column.kind == CATEGORICAL else replace(column, fill=0.0)
            )
            continue
        rule = "most_frequent" if column.kind == CATEGORICAL else middle
        imputer = SimpleImputer(strategy=rule).fit(own[:, None])
        filled.append(replace(column, fill=float(imputer.statistics_[0])))
    return filled, _reference(values) if impute == "neighbors" else None


def _reference(values: np.ndarray) -> np.ndarray:
    rows = values[~whole_rows(values)]
    if len(rows) <= MOST_NEIGHBORS:
        return rows
    order = np.argsort(sum_hash(rows, 0), kind="stable")
    return rows[order[:MOST_NEIGHBORS]]


def fill(
    columns: Sequence[Column], values: np.ndarray, neighbors: np.ndarray | None
) -> np.ndarray:
    """Fill the empty cells of rows that are not entirely empty."""
    holes = np.isnan(values) & ~whole_rows(values)[:, None]
    if not holes.any():
        return values
    values = values.copy()
    if neighbors is not None:
        numbers = [j for j, c in enumerate(columns) if c.kind != CATEGORICAL]
        rows = np.flatnonzero(holes[:, numbers].any(axis=1))
        found = _from_neighbors(values[rows][:, numbers], neighbors[:, numbers])
        values[rows[:, None], numbers] = found
        holes = np.isnan(values) & ~whole_rows(values)[:, None]
    for j, column in enumerate(columns):
        if column.fill is not None:
            values[holes[:, j], j] = column.fill
    return values


def _from_neighbors(rows: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Fill from the nearest rows of the fit, every column of the same variance."""
    from sklearn.impute import KNNImputer

    if not rows.size:
        return rows
    centre, spread = np.nanmean(reference, axis=0), np.nanstd(reference, axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    imputer = KNNImputer(n_neighbors=N_NEIGHBORS, keep_empty_features=True)
    imputer.fit((reference - centre) / spread)
    return np.where(
        np.isnan(rows),
        imputer.transform((rows - centre) / spread) * spread + centre,
        rows,
    )


def refuse_holes(columns: Sequence[Column], values: np.ndarray, where: str) -> None:
    """Reject empty cells in rows that are not entirely empty.

    Raises
    ------
    ValueError
        Names the columns, how many cells of each, the first row, and what to do.
    """
    holes = np.isnan(values) & ~whole_rows(values)[:, None]
    if not holes.any():
        return
    odd = np.flatnonzero(holes.any(axis=0))
    told = [
        f"{columns[j].name!r} ({counted(int(holes[:, j].sum()), 'empty cell')} of"
        f" {len(values)}, first in row {int(np.argmax(holes[:, j]))})"
        for j in odd.tolist()
    ]
    raise ValueError(
        f"{where}: Input contains NaN: column {first_few(told, 5)}. Pass --impute"
        " median (of the fit, where there is a model) or drop-rows, when fitting also"
        " mean, zero, neighbors; or leave a column out of the fit with --drop (in"
        " Python impute= and drop= of mvgraph.read_columns and mvgraph.datasets.load)"
    )
