"""Whether the rows of a fit have moved since the older model that it is to be like."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from mvgraph.views.container import Views

#: Rows that are compared: shares are right within 1.4 %, two standard errors of a half.
COMPARED = 5000
#: Reasons that are named, the most serious first.
REASONS = 3


def recoded(views: Views, like: Any) -> Views:
    """Return rows with the features that the fit of an older model made of tables."""
    known = like.schema_.encoders
    if views.encoders is None or known is None:
        return views
    return views.encoders.recoded(views, known, like.schema_.columns)


def moved_note(views: Views, like: Any) -> str | None:
    """Tell that an older model would have to be fitted again, and why; else None.

    A fit adapts to whatever it is given, even if the views are of two samples.

    Parameters
    ----------
    views : Views
        Some rows of the new fit, drawn at random.
    like : fitted model
    """
    if like.predictor is None:
        return None
    # by name: the comparison predicts, and so depends on methods
    compare = import_module("mvgraph.prediction.monitor").compare
    try:
        found = compare(like, recoded(views, like))
    except ValueError:  # other views: clusters are matched by names
        return None
    if found.verdict != "refit":
        return None
    return (
        "like: these samples are not as those of the older model"
        f" ({'; '.join(found.reasons[:REASONS])}). Check the data before you use the"
        " new model"
    )
