"""Names of columns that a caller gives beside the views: one check for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["check_columns", "check_sequence", "names_by_view"]

REMEDY = "name every column once, in the order of the columns"


def check_columns(names: Any, view: str, n_features: int) -> tuple[str, ...]:
    """Return the names of the columns of one view as text.

    Raises
    ------
    ValueError
        They are one text, or not as many as the columns.
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
    """Check names that come as one sequence a view, None where a view has none.

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
        None if own is None else check_columns(own, view, d)
        for own, view, d in zip(given, views, n_features, strict=True)
    )


def names_by_view(
    given: Any, views: Sequence[str], n_features: Sequence[int]
) -> dict[str, tuple[str, ...]]:
    """Check names that come as a dict of view name to sequence.

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
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ValueError(
            "feature_names must be a dict of view name to names of its columns, got "
            f"{type(given).__name__}; the views are named {tuple(views)}."
        )
    sizes = dict(zip(views, n_features, strict=True))
    unknown = [name for name in given if name not in sizes]
    if unknown:
        raise ValueError(
            f"feature_names: no view is named {unknown[0]!r}; names: {tuple(views)}."
        )
    return {view: check_columns(own, view, sizes[view]) for view, own in given.items()}
