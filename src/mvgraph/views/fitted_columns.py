"""The columns of new views: put into the order of the fit by their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from mvgraph.views.container import Views
from mvgraph.views.identifiers import is_counter
from mvgraph.views.lazy import LazyArray

__all__ = ["Names", "match_columns", "name_columns", "taken_by_position"]

#: Names of the columns of every view; None for a view that came without.
Names: TypeAlias = Sequence[Sequence[str] | None]
#: How many names a message shows.
EXAMPLES = 3


def match_columns(views: Views, known: Names) -> Views:
    """Put the columns of every view into the order of the fit, by name.

    A view that names its columns, now and at the fit, must have the same names, in any
    order. Numbers 0, 1, 2, ... name nothing: the columns stay where they are.

    Parameters
    ----------
    views : Views
        In the order of the fit.
    known : sequence of (sequence of str or None)
        Names of the columns at the fit, by view.

    Returns
    -------
    Views

    Raises
    ------
    ValueError
        Columns are missing, were not in the fit, or have a name that occurs twice. The
        message names the view and the columns.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph import Views
    >>> from mvgraph.views.fitted_columns import match_columns
    >>> new = Views([np.array([[1.0, 2.0]])], feature_names=[["age", "height"]])
    >>> match_columns(new, [["height", "age"]]).arrays[0].tolist()
    [[2.0, 1.0]]
    """
    arrays, features = list(views.arrays), list(views.feature_names)
    for v, (own, fitted) in enumerate(zip(views.feature_names, known, strict=True)):
        if own is None or fitted is None or list(own) == list(fitted):
            continue
        if set(own) != set(fitted) and (_is_unnamed(own) or _is_unnamed(fitted)):
            continue
        places = _places(views.names[v], own, fitted)
        arrays[v], features[v] = _take(views.arrays[v], places), tuple(fitted)
    return views.replace(arrays, features)


def taken_by_position(views: Views, known: Names) -> str | None:
    """Say which views have columns with names on one side only, None if none has."""
    pairs = [
        (name, _names(own), _names(fitted))
        for name, own, fitted, there in zip(
            views.names, views.feature_names, known, _are_there(views), strict=True
        )
        if there
    ]
    said = []
    now = [name for name, own, fitted in pairs if own is None and fitted is not None]
    if now:
        said.append(f"those of {_some(now)}, which the new data do not name")
    before = [name for name, own, fitted in pairs if own is not None and fitted is None]
    if before:
        said.append(f"those of {_some(before)}, which the fit did not name")
    if not said:
        return None
    return (
        f"Columns are taken by position: {'; '.join(said)}. Make sure that they have "
        "the order of the fit, or name them in both."
    )


def name_columns(views: Views, known: Names) -> Views:
    """Return the same views with the names of the fit for their columns."""
    there = zip(known, _are_there(views), strict=True)
    names = [fitted if here else None for fitted, here in there]
    return views.replace(views.arrays, names)


def _are_there(views: Views) -> list[bool]:
    """Tell which views some sample has."""
    if views.mask is None:
        return [True] * views.n_views
    return [bool(own.any()) for own in views.mask.T]


def _is_unnamed(names: Sequence[str]) -> bool:
    return is_counter(np.array(names, dtype=object))


def _names(names: Sequence[str] | None) -> Sequence[str] | None:
    return None if names is None or _is_unnamed(names) else names


def _places(view: str, own: Sequence[str], fitted: Sequence[str]) -> np.ndarray:
    """Return the place in `own` of every column of the fit."""
    for names, where in ((own, "in the new data"), (fitted, "in the fit")):
        name, count = Counter(names).most_common(1)[0]
        if count > 1:
            raise ValueError(
                f"View {view!r}: {count} columns are called {name!r} {where}, and the "
                "columns have another order or other names than in the fit, so that "
                "they cannot be matched by name. Remedy: bring them as in the fit, or "
                "fit on columns with different names"
            )
    places = {name: i for i, name in enumerate(own)}
    held = set(fitted)
    missing = [name for name in fitted if name not in places]
    extra = [name for name in own if name not in held]
    if missing or extra:
        raise ValueError(_difference(view, missing, extra))
    return np.array([places[name] for name in fitted])


def _difference(view: str, missing: list[str], extra: list[str]) -> str:
    told, remedy = [], "rename the columns as in the fit, or bring the ones of the fit"
    if missing:
        told.append(f"{len(missing)} missing ({_some(missing)})")
    else:
        remedy = "leave the columns out that were not in the fit"
    if extra:
        told.append(f"{len(extra)} not in the fit ({_some(extra)})")
    else:
        remedy = "add the columns that are missing, or fit a model without them"
    return (
        f"View {view!r} has not the columns of the fit: {', '.join(told)}. Remedy: "
        f"{remedy}; their order is free. mvgraph model info MODEL --json lists the "
        "columns of a saved model"
    )


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:EXAMPLES]))
    more = len(names) - EXAMPLES
    return f"{shown} and {more} more" if more > 0 else shown


def _take(array: Any, places: np.ndarray) -> Any:
    """Take columns; those of a file stay there."""
    if isinstance(array, np.memmap):
        array = LazyArray(array)
    if isinstance(array, LazyArray):
        return array.select(places.tolist())
    taken = array[:, places]
    if sp.issparse(taken):
        taken.sort_indices()
        return taken
    return np.ascontiguousarray(taken)
