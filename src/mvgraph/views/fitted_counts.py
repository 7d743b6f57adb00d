"""Counts or other numbers: new views must hold the kind of the fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from mvgraph.views.container import Views
from mvgraph.views.counts import counts_or_not
from mvgraph.views.dask_array import DaskArray
from mvgraph.views.lazy import LazyArray

__all__ = ["Kinds", "find_kinds", "keep_kinds", "other_kinds"]

#: By view: True for counts, False for other numbers, None where it is not known.
Kinds: TypeAlias = Sequence[bool | None]
#: Values that are read of a view that is not in memory.
LOOKED_AT = 2**20
WORDS = {
    True: "counts (whole numbers, none negative)",
    False: "other numbers (such as normalised values)",
}


def find_kinds(views: Views) -> tuple[bool | None, ...]:
    """Find out which views hold counts.

    Of views in files the first rows say. Dask arrays are not looked at: no rows of
    theirs pass the client.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph import Views
    >>> from mvgraph.views.fitted_counts import find_kinds
    >>> x = np.arange(12.0).reshape(4, 3)
    >>> find_kinds(Views([x, np.log1p(x), x > 3]))
    (True, False, None)
    """
    there = [views.mask is None or views.mask[:, v].any() for v in range(views.n_views)]
    return tuple(
        _find_kind(x) if here else None
        for x, here in zip(views.arrays, there, strict=True)
    )


def other_kinds(views: Views, known: Kinds) -> str | None:
    """Say which views hold counts now and none in the fit, or the other way round."""
    own = find_kinds(views) if views.counts is None else views.counts
    found = list(zip(views.names, own, known, strict=True))
    said = []
    for before, after in ((True, False), (False, True)):
        names = [n for n, now, fitted in found if (fitted, now) == (before, after)]
        if names:
            told = ", ".join(map(repr, names))
            said.append(
                f"{told}: the fit had {WORDS[before]}, the new data have {WORDS[after]}"
            )
    if not said:
        return None
    return (
        f"Values of another kind than in the fit: {'; '.join(said)}. Labels of such "
        "data may mean little: bring the values that the model was fitted on, or fit a "
        "model on values like these."
    )


def keep_kinds(views: Views, known: Kinds) -> Views:
    """Return the same views as of the kinds of the fit: checked, and reported once."""
    return views._changed(counts=tuple(known))


def _find_kind(x: Any) -> bool | None:
    if isinstance(x, DaskArray):
        return None
    if isinstance(x, LazyArray | np.memmap):
        x = x[: max(1, LOOKED_AT // x.shape[1])]
    return counts_or_not(x)
