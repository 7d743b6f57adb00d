"""What displays read of a fitted estimator."""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import NotFittedError

__all__ = ["fitted_attribute", "refuse_unfitted"]


def refuse_unfitted(estimator: Any) -> None:
    """Raise scikit-learn's error for an estimator without ``labels_``.

    Raises
    ------
    NotFittedError
    """
    # check_is_fitted wants the tags of scikit-learn, which other packages lack
    if hasattr(estimator, "fit") and not hasattr(estimator, "labels_"):
        raise NotFittedError(
            f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' "
            "before drawing it."
        )


def fitted_attribute(estimator: Any, name: str, purpose: str = "to draw") -> Any:
    """Return an attribute that not every method has.

    Raises
    ------
    NotFittedError
        The estimator is not fitted.
    ValueError
        The method has no such attribute.
    """
    refuse_unfitted(estimator)
    value = getattr(estimator, name, None)
    if value is None:
        raise ValueError(f"{type(estimator).__name__} has no {name} {purpose}")
    return value
