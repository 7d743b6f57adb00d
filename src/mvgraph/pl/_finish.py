"""What all figures do at the end, and where their labels come from."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from mvgraph.display._display import Display
from mvgraph.views.casting import is_annotated

KEY = "mvgraph"


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
