"""Names of columns: checked if the caller gives them, matched with those of a fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.wording import first_few
from mvgraph.views.identifiers import is_counter
from mvgraph.views.lazy import LazyArray

#: Names of the columns of a view; None for a view without names.
Names: TypeAlias = Sequence[str] | None
#: How many names a message shows.
EXAMPLES = 3
REMEDY = "name every column once, in the order of the columns"


def check_columns(names: Any, view: str, n_features: int) -> tuple[str, ...]:
    """Return the names of the columns of one view as text.

    Raises
    ------
    ValueError
        They are a single text, or not as many as the columns.
    """
    if isinstance(names, str | bytes) or not hasattr(names, "__iter__"):
        raise ValueError(
            f"feature_names of view {view!r} must be a sequence of names, got "
            f"{names!r}; {REMEDY}."
        )
    done = tuple(map(str, names))
    if len(done) != n_features:
        raise ValueError(
            f"feature_names has {len(done)} names for view {view!r}, which has "
            f"{n_features} columns; {REMEDY}."
        )
    return done


def check_sequence(
    given: Any, views: Sequence[str], n_features: Sequence[int]
) -> tuple[tuple[str, ...] | None, ...]:
    """Check names that are given as one sequence per view, None for a view without.

    Raises
    ------
    ValueError
        See `check_columns`; or not as many sequences as views.
    """
    if isinstance(given, str | Mapping) or len(given) != len(views):
        raise ValueError(
            f"feature_names must hold one sequence of names, or None, for each of "
            f"{len(views)} views, in their order; got {type(given).__name__} of "
            f"{len(given)}."
        )
    return tuple(
        None if names is None else check_columns(names, view, d)
        for names, view, d in zip(given, views, n_features, strict=True)
    )


def names_by_view(
    given: Any, views: Sequence[str], n_features: Sequence[int]
) -> dict[str, tuple[str, ...]]:
    """Check names that are given as a dict of view name to sequence.

    Parameters
    ----------
    given : dict of str to sequence of str, or None
    views : sequence of str
        Names of the views.
    n_features : sequence of int
        Columns of every view.

    Raises
    ------
    ValueError
        See `check_columns`; or there is no such view.

    Examples
    --------
    >>> from mvgraph.views.feature_names import names_by_view
    >>> names_by_view({"text": ["sea", "farm"]}, ["image", "text"], [3, 2])
    {'text': ('sea', 'farm')}
    """
    if not isinstance(given, Mapping | None):
        raise ValueError(
            "feature_names must be a dict of view name to names of its columns, got "
            f"{type(given).__name__}; the views are named {tuple(views)}."
        )
    sizes = dict(zip(views, n_features, strict=True))
    for view in given or {}:
        if view not in sizes:
            raise ValueError(
                f"feature_names: no view is named {view!r}; names: {tuple(views)}."
            )
    return {v: check_columns(names, v, sizes[v]) for v, names in (given or {}).items()}


def match_columns(
    view: str, array: Any, own: Names, fitted: Names
) -> tuple[Any, Names]:
    """Put the columns of a view into the order of the fit, by name.

    A view with named columns, now and in the fit, must have the same names, in any
    order. Numbers 0, 1, 2, ... name nothing: the columns stay where they are.

    Parameters
    ----------
    view : str
    array : array, sparse matrix or LazyArray of shape (n, d)
    own, fitted : sequence of str, or None
        Names of the columns, now and in the fit.

    Returns
    -------
    array, names
        Unchanged where nothing moves.

    Raises
    ------
    ValueError
        Columns are missing, were not in the fit, or have a name that occurs twice. The
        message names the view and the columns.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.views.feature_names import match_columns
    >>> array, names = match_columns("a", np.array([[1.0, 2.0]]), "xy", "yx")
    >>> array.tolist(), names
    ([[2.0, 1.0]], ('y', 'x'))
    """
    if own is None or fitted is None or list(own) == list(fitted):
        return array, own
    if set(own) != set(fitted) and not (_is_named(own) and _is_named(fitted)):
        return array, own
    return _take(array, _places(view, own, fitted)), tuple(fitted)


def taken_by_position(
    views: Sequence[str],
    own: Sequence[Names],
    fitted: Sequence[Names],
    present: Sequence[bool],
) -> str | None:
    """Report views whose columns have names on one side only; None if there are none.

    Parameters
    ----------
    views : sequence of str
    own, fitted : sequence of (sequence of str or None)
        Names of the columns of every view, now and in the fit.
    present : sequence of bool
        False for views that no sample has.
    """
    quads = zip(views, own, fitted, present, strict=True)
    named = [
        (name, _is_named(new), _is_named(old))
        for name, new, old, there in quads
        if there
    ]
    only_old = [name for name, new, old in named if old and not new]
    only_new = [name for name, new, old in named if new and not old]
    texts = [
        f"those of {_some(names)}, which {where} not name"
        for names, where in ((only_old, "the new data do"), (only_new, "the fit did"))
        if names
    ]
    if not texts:
        return None
    return (
        f"Columns are taken by position: {'; '.join(texts)}. Make sure that they are "
        "in the order of the fit, or name them in both."
    )


def _is_named(names: Names) -> bool:
    """Return whether there are names, other than 0, 1, 2, ..., which name nothing."""
    return names is not None and not is_counter(np.array(names, dtype=object))


def _places(view: str, own: Sequence[str], fitted: Sequence[str]) -> np.ndarray:
    """Return the place in `own` of every column of the fit."""
    for names, where in ((own, "in the new data"), (fitted, "in the fit")):
        name, count = Counter(names).most_common(1)[0]
        if count > 1:
            raise ValueError(
                f"View {view!r}: {count} columns are called {name!r} {where}, and the "
                "columns do not have the order and names of the fit, so they cannot be "
                "matched by name. Pass them as in the fit, or fit on columns with "
                "distinct names"
            )
    places = {name: i for i, name in enumerate(own)}
    missing = [name for name in fitted if name not in places]
    extra = [name for name in own if name not in set(fitted)]
    if missing or extra:
        raise ValueError(columns_differ(f"View {view!r}", missing, extra))
    return np.array([places[name] for name in fitted])


def columns_differ(where: str, missing: list[str], extra: list[str]) -> str:
    """Say which columns of the fit are missing, and which it did not have."""
    parts = {"missing": missing, "not in the fit": extra}
    told = ", ".join(f"{len(n)} {what} ({_some(n)})" for what, n in parts.items() if n)
    advice = "Rename the columns as in the fit, or pass the columns of the fit"
    if not missing:
        advice = f"Leave out the columns that were not in the fit (--drop {extra[0]})"
    elif not extra:
        advice = "Add the missing columns, or fit a model without them"
    return (
        f"{where} does not have the columns it was fitted on: {told}. {advice}; "
        "their order does not matter. mvgraph model info MODEL --json lists the "
        "columns of a saved model"
    )


def _some(names: Sequence[str]) -> str:
    return first_few([*map(repr, names)], EXAMPLES)


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


@runtime_checkable
class ReadsColumns(Protocol):
    """What was learned about the columns of tables: `mvgraph.tables.encoders`."""

    def read(self, X: Any) -> Any:
        """Return the Views that tables become; views and arrays as they are."""

    def after_fit(self, views: Any) -> ReadsColumns:
        """Return also what is learned from the views of the fit."""

    def recoded(self, views: Any, other: Any, wanted: Any) -> Any:
        """Return views with the features that another fit would have made."""

    def rows(self) -> list[dict[str, Any]]:
        """Return table, column, kind, use and share of empty cells, by column."""
