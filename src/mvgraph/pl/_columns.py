"""Columns by which samples are coloured, and what all figures do at their end."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from mvgraph.base.kept import names_of
from mvgraph.display._display import Display
from mvgraph.inspection.labelings import labeling
from mvgraph.views.annotated import obs_column
from mvgraph.views.beside import in_order_of
from mvgraph.views.casting import is_annotated, is_mudata

#: What a fitted model knows of every sample, by the name of the colour.
OF_MODELS = {
    "cluster": "labels_",
    "confidence": "confidence_",
    "outlier": "outlier_score_",
}
KEY = "mvgraph"


def column_of(data: Any, color: Any) -> tuple[str, Any]:
    """Return name and values of a column of AnnData or MuData, one per cell.

    Parameters
    ----------
    data : AnnData or MuData
    color : str
        A column of ``obs``, or a feature; of a MuData also ``modality:name``.

    Raises
    ------
    ValueError
        There is no such column or feature, or several modalities have it.
    """
    if not isinstance(color, str):
        return "", _checked(color, len(data.obs_names), np.asarray(data.obs_names))
    try:
        return color, obs_column(data, color).reindex(data.obs_names)
    except ValueError:
        pass
    modality, _, name = color.partition(":")
    parts = data.mod if is_mudata(data) else {"": data}
    if name and modality in parts:
        found = {modality: name} if name in parts[modality].var_names else {}
    else:
        found = {key: color for key, one in parts.items() if color in one.var_names}
    if len(found) > 1:
        choices = [f"{key}:{color}" for key in found]
        raise ValueError(f"color={color!r} is in several modalities: {choices}")
    if not found:
        raise ValueError(
            f"color={color!r} is neither a column of obs nor a feature; obs has "
            f"{list(data.obs.columns)}"
        )
    ((key, feature),) = found.items()
    return color, _feature(data, parts[key], feature)


def _feature(data: Any, part: Any, feature: str) -> np.ndarray:
    """Return the values of a feature, NaN for cells that its modality lacks."""
    j = part.var_names.get_loc(feature)
    if not isinstance(j, int):
        raise ValueError(f"several features are called {feature!r}")
    x = part.X[:, j]
    x = np.asarray(x.toarray() if sp.issparse(x) else x, dtype=float).ravel()
    if part is data:
        return x
    places = data.obs_names.get_indexer(part.obs_names)
    values = np.full(len(data.obs_names), np.nan)
    values[places[places >= 0]] = x[places >= 0]
    return values


def attribute_of(model: Any, color: Any) -> tuple[str, Any]:
    """Return name and values of what a fitted model knows of every sample.

    Raises
    ------
    ValueError
        The model does not know it, or the values are not one per sample.
    """
    if not isinstance(color, str):
        return "", _checked(color, len(model.labels_), labeling(model).ids)
    attribute = OF_MODELS.get(color)
    values = None if attribute is None else getattr(model, attribute, None)
    if values is None:
        known = [c for c, a in OF_MODELS.items() if getattr(model, a, None) is not None]
        raise ValueError(
            f"color={color!r} is not known of a {type(model).__name__}; use one of "
            f"{known}, or pass one value per sample"
        )
    values = np.asarray(values)
    if color == "cluster":
        shown = names_shown(model)
        return color, np.array([shown[c] for c in values.tolist()], dtype=object)
    return color, values


def names_shown(model: Any) -> dict[int, str]:
    """Return what pictures call the clusters of a model: the number, then its name."""
    numbers = np.unique(np.asarray(model.labels_)).tolist()
    names = dict.fromkeys(numbers, "") | names_of(model)
    return {number: f"{number} {names[number]}".rstrip() for number in numbers}


def _checked(values: Any, n: int, ids: np.ndarray | None) -> Any:
    values = in_order_of(values, ids, "color")
    if len(values) != n:
        raise ValueError(
            f"color must be a name or one value for each of {n} samples; got "
            f"{len(values)} values"
        )
    return values


def finish(
    display: Display, axes: Any, given: Any, show: bool | None, save: Any
) -> Any:
    """Save and show a figure; return its axes unless it is shown.

    Parameters
    ----------
    display : Display, drawn
    axes : Axes or list of Axes
    given : Axes or None
        Those of the user: the figure is then shown only on request.
    show : bool or None
    save : path or None
    """
    if save is not None:
        display.save(save)
    if show is None:
        show = save is None and given is None
    if not show:
        return axes
    import matplotlib.pyplot as plt

    plt.show()
    return None


def check_source(data: Any) -> bool:
    """Return True for annotated data, False for a fitted model; refuse others."""
    if is_annotated(data):
        return True
    if hasattr(data, "fit"):
        check_is_fitted(data, "labels_")
        return False
    raise TypeError(
        "data must be a MuData, an AnnData or a fitted model, got "
        f"{type(data).__name__}; for arrays, use mvgraph.display"
    )
