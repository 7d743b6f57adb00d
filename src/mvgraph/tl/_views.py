"""Views of an annotated object: where their rows are in it, and their raw counts."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from mvgraph.views.annotated import Annotation, matrices
from mvgraph.views.casting import is_annotated
from mvgraph.views.container import Views
from mvgraph.views.counts import (
    holds_counts,
    holds_whole_numbers,
    library_size,
    log_normalise,
)

COUNTS = (None, "raw", "log1p")
#: How messages write the argument that chooses the treatment.
OPTION = "counts={!r}"


class Taken(NamedTuple):
    """Views of some cells of an object."""

    views: Views
    rows: np.ndarray  # their positions in the object
    keys: dict[str, str]  # by the name of the view
    sizes: dict[str, float]  # library sizes of the views that were normalised


def check_data(data: Any, counts: str | None, other: str) -> None:
    """Reject anything but a MuData or AnnData, and an unknown treatment of counts.

    `other` is what to use for arrays and DataFrames.
    """
    if not is_annotated(data):
        raise TypeError(
            f"data must be a MuData or an AnnData, got {type(data).__name__}; "
            f"for arrays and DataFrames use {other}"
        )
    if counts not in COUNTS:
        raise ValueError(f"counts must be one of {COUNTS}; got {counts!r}")


def take_views(
    data: Any, use_rep: Any, join: str, counts: str | None, model: Any = None
) -> Taken:
    """Read matrices; treat counts as requested, or as they were for a model.

    Parameters
    ----------
    data : AnnData or MuData
    use_rep, join : as in :func:`mvgraph.views.annotated.matrices`
    counts : {"raw", "log1p"} or None
        None: as in the fit; without a model they are not changed, with a warning.
    model : estimator, optional
        Fitted.
    """
    check_data(data, counts, "an estimator, such as GraphConsensus")
    arrays, names, cells, features, keys = matrices(data, use_rep, join)
    views = dict(zip(names, arrays, strict=True))
    sizes = treat_counts(views, counts, model)
    places = {cell: i for i, cell in enumerate(data.obs_names)}
    rows = np.array([places[cell] for cell in cells], dtype=np.intp)
    made = Views(list(views.values()), names, cells, features)
    return Taken(made, rows, keys, sizes)


def treat_counts(
    views: dict[str, Any], counts: str | None, model: Any = None, option: str = OPTION
) -> dict[str, float]:
    """Normalise matrices of `views` in place; return the library sizes.

    Parameters
    ----------
    views : dict of view name to matrix
        Changed.
    counts : {"raw", "log1p"} or None
        None: as in the fit of the model; without one they are not changed, with a
        warning where they are counts.
    model : estimator, optional
        Fitted, see `remember`; its schema checks whether the values are of the same
        kind as in the fit.
    option : str
        How messages write the argument that chooses the treatment.
    """
    fitted = _fitted_sizes(views, model)
    sizes: dict[str, float] = {}
    if counts is None and model is None:
        warn_of_counts(views, option)
    elif counts is None:
        sizes = {name: size for name, size in fitted.items() if name in views}
        other = [name for name in sizes if not holds_whole_numbers(views[name])]
        if other:
            raise ValueError(
                f"{other[0]!r} does not contain counts, but the model was fitted with "
                f"{option.format('log1p')}; pass the raw counts, or "
                f"{option.format('raw')} if the values are log(1 + x) at the library "
                "size of the fit already"
            )
    elif counts == "log1p":
        # new cells are scaled to the library size of the fitted ones
        sizes = {
            name: fitted.get(name) or library_size(x)
            for name, x in views.items()
            if holds_counts(x)
        }
        if not sizes:
            raise ValueError(
                f"{option.format('log1p')}, but no view contains counts (whole "
                f"numbers, none negative): {list(views)}; choose other views, or leave "
                "the option out"
            )
    for name, size in sizes.items():
        views[name] = log_normalise(views[name], size)
    return sizes


def _fitted_sizes(views: dict[str, Any], model: Any) -> dict[str, float]:
    """Return the library sizes of the fit; a single view may have another name."""
    annotation = None if model is None else model.schema_.annotation
    sizes = {} if annotation is None else dict(annotation.log1p)
    if sizes and len(model.schema_.names) == len(views) == 1:
        return dict(zip(views, sizes.values(), strict=True))
    return sizes


def remember(
    model: Any, use_rep: dict[str, str], counts: str | None, sizes: dict[str, float]
) -> None:
    """Keep in a fitted model how its views were taken: keys, and library sizes."""
    annotation = Annotation(use_rep, counts, sizes)
    model.schema_ = replace(model.schema_, annotation=annotation)


def warn_of_counts(views: dict[str, Any], option: str = OPTION) -> None:
    """Warn of raw counts whose treatment was not chosen."""
    names = [repr(name) for name, x in views.items() if holds_counts(x)]
    if names:
        warnings.warn(
            f"{', '.join(names)}: raw counts (whole numbers) are used as they are, so "
            "that cells with many counts and common features dominate; "
            f"{option.format('log1p')} brings all cells to one library size and takes "
            f"logarithms, {option.format('raw')} keeps the counts without a warning.",
            UserWarning,
            stacklevel=5,
        )
