"""Columns beside the views, such as labels and colours: one value for each sample."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from mvgraph.ops.wording import counted
from mvgraph.views.alignment import ids_of
from mvgraph.views.identifiers import as_text, is_counter
from mvgraph.views.joining import EXAMPLES, joint_rows

RESET = (
    "If its rows are in the order of the samples, drop its index:"
    " reset_index(drop=True)"
)


def in_order_of(table: Any, ids: np.ndarray | None, what: str) -> Any:
    """Put a Series or frame of pandas into the order of the samples, by its index.

    Other values, and rows that the index only counts (0, 1, 2, ...), are in that order.

    Parameters
    ----------
    table : Series, frame, or anything else
    ids : ndarray of shape (n,), or None
        Names of the samples; None if they have none.
    what : str
        For messages.

    Raises
    ------
    ValueError
        The index names a sample twice, spells it in another way, or lacks one.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from mvgraph.views.beside import in_order_of
    >>> ages = pd.Series([44, 31], index=["Eve", "Bob"])
    >>> in_order_of(ages, np.array(["Bob", "Eve"]), "ages").tolist()
    [31, 44]
    """
    own = ids_of(table)
    if own is None or ids is None:
        return table
    here, wanted = as_text(own), as_text(ids)
    if np.array_equal(here, wanted):
        return table
    known = np.isin(here, wanted)
    if is_counter(own) and known.sum() < len(ids):
        return table
    if is_counter(ids) and not known.any():
        warnings.warn(
            f"{what}: its rows are named, and the samples are not: matched by position",
            UserWarning,
            stacklevel=3,
        )
        return table
    try:
        joint = joint_rows((ids, own), ("samples", what), "inner", what="table")
    except ValueError as error:
        raise ValueError(f"{what}: {error}. {RESET}.") from error
    if len(joint.ids) < len(ids):
        absent = ids[~np.isin(wanted, here)]
        shown = ", ".join(map(repr, absent[:EXAMPLES].tolist()))
        raise ValueError(
            f"{what}: {counted(len(absent), 'sample')} of {len(ids)} have no row, such"
            f" as {shown}. Pass all; a missing value as None. {RESET}."
        )
    rows = joint.rows[1]
    return table if rows is None else table.iloc[rows]
