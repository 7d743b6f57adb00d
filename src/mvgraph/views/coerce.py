"""Anything that contains views -> ``Views``; anything else is rejected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set, ValuesView
from os import PathLike
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.views.casting import (
    check_names,
    is_annotated,
    is_frame,
    is_plain,
    is_series,
)
from mvgraph.views.container import Views


def as_views(
    X: Any,
    names: Sequence[str] | None = None,
    join: str | None = None,
    *,
    ids: str | Sequence[str] | None = None,
    column: str | Sequence[str] | None = None,
    normalise_ids: bool = False,
) -> Views:
    """Turn any container of views into a :class:`Views`.

    Parameters
    ----------
    X : Views, mapping, list, tuple, DataFrame, MuData, sparse matrix or 2-D array
        A mapping gives names; a list or tuple of 2-D arrays, DataFrames, Series,
        sparse matrices or mappings of id to row gives one view each; a single 2-D
        array, DataFrame or sparse matrix is one view. Views that name their rows (by
        the index of pandas, or by keys) are matched by these names, not by position;
        the order is that of the first, and the names become ``ids``.
    names : sequence of str, optional
        Names of the views.
    join : {"strict", "inner", "outer"}, optional
        What to do with identifiers that some view does not have: reject them, drop
        them, or keep them with rows of NaN (see ``Views.mask``). Default: strict; outer
        for a MuData, which records which cells a modality lacks.
    ids : str or sequence of str, optional
        Columns of frames that name the samples. Default: the index, or a column
        with a name used for identifiers (``id``, ``sample_id``, ``barcode``, ...).
    column : str or sequence of str, optional
        Columns that are features, whatever they are called.
    normalise_ids : bool, default=False
        Compare names regardless of Unicode form, leading or trailing blanks, and case.

    Returns
    -------
    Views

    Raises
    ------
    ValueError
        See :class:`Views`; also names of samples that are missing, occur twice or are
        spelled differently in another view, two columns that are called like names, a
        first column that only looks like names, and under strict names that differ
        between views: the message counts them.

    Examples
    --------
    >>> import pandas as pd
    >>> from mvgraph import as_views
    >>> a = pd.DataFrame({"x": [1.0, 2.0]}, index=["ann", "bob"])
    >>> b = pd.DataFrame({"y": [4.0, 3.0]}, index=["bob", "ann"])
    >>> as_views({"a": a, "b": b}).view("b").tolist()
    [[3.0], [4.0]]
    """
    if isinstance(X, Views):
        return X
    if isinstance(X, list | tuple) and len(X) and all(map(is_plain, X)):
        return Views(X, names)
    refuse_no_views(X)
    if is_annotated(X):
        from mvgraph.views.annotated import matrices

        arrays, own_names, cells, features, _ = matrices(X, None, join or "outer")
        return Views(arrays, names or own_names, cells, features)
    if isinstance(X, Mapping) and not sp.issparse(X):  # a DOK matrix is a dict
        values, names = list(X.values()), list(X.keys())
    elif isinstance(X, list | tuple) and any(a is None or _is_view(a) for a in X):
        values = list(X)
    else:
        values = [X]
    from mvgraph.views.alignment import Aligned, align
    from mvgraph.views.dask_frames import is_dask_frame, join_frames
    from mvgraph.views.identifiers import SaidOfNames

    named = names is not None
    names = check_names(names, len(values))
    for name, value in zip(names, values, strict=True):
        if value is None:
            raise ValueError(f"View {name!r} is None; leave it out.")
    # a frame by itself has nothing to be matched with
    said = SaidOfNames.of(ids, column, normalise_ids)
    how = join or "strict"
    far = any(map(is_dask_frame, values))
    aligned = (
        Aligned(*join_frames(values, names, how, said))
        if far
        else align(values, names, how, unique=values[0] is not X, said=said)
    )
    return Views._from_aligned(aligned, names, named)


def _is_view(a: Any) -> bool:
    """Return whether a list item is a view, not a row of one view in nested lists."""
    from mvgraph.views.alignment import ids_of

    return is_frame(a) or is_series(a) or np.ndim(a) == 2 or ids_of(a) is not None


def refuse_no_views(X: Any) -> None:
    """Reject what contains no views at all, before its parts are read."""
    if X is None or (isinstance(X, list | tuple | Mapping) and len(X) == 0):
        what = "None" if X is None else f"an empty {type(X).__name__}"
    elif isinstance(X, str | PathLike):
        raise ValueError(
            f"No views were given, only a name, {str(X)!r}; read the data first: "
            f"mvgraph.datasets.load({str(X)!r}).views"
        )
    elif isinstance(X, tuple) and hasattr(X, "views"):
        raise ValueError("No views were given but a data set; pass its .views.")
    elif isinstance(X, Iterator | Set | ValuesView):
        raise ValueError(
            f"No views were given but a {type(X).__name__}, which is read once or has "
            "no order; pass a list of the views: list(X)."
        )
    elif isinstance(X, list | tuple) and any(_holds_views(a) for a in X):
        raise ValueError(
            "Views are nested too deeply: X is a list that holds a list or dict of "
            "views; pass that list or dict itself, X[0]."
        )
    else:
        return
    raise ValueError(
        f"No views were given: X is {what}; pass a list or dict of 2-D arrays, samples "
        "in rows, or one 2-D array."
    )


def _holds_views(a: Any) -> bool:
    """Return whether X is a list or dict of 2-D arrays where one view was expected."""
    parts = a.values() if isinstance(a, Mapping) and not sp.issparse(a) else a
    if not isinstance(a, list | tuple | Mapping) or sp.issparse(a):
        return False
    return any(len(getattr(part, "shape", ())) == 2 for part in parts)
