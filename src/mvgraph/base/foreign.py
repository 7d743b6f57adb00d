"""Methods of other packages: any class with ``fit`` and ``labels_``."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from mvgraph.base.loading import place_of
from mvgraph.ops.labels import by_first_occurrence

#: Attributes of a fitted model that benchmarks read if they exist.
COUNTS = ("n_components_", "n_iter_")
SHARED = (*COUNTS, "embedding_", "view_weights_", "history_")
#: Parameters that can be given by name.
NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class ForeignClusterer:
    """Give a class of another package the interface of an estimator of this one.

    An instance is built when ``fit`` is called. Its ``fit`` gets one list of arrays
    or CSR matrices, one per view, each of shape (n_samples, d_v), with NaN in rows that
    a view lacks. Afterwards its ``labels_`` holds one integer per sample.

    Parameters
    ----------
    kind : class
        ``n_clusters`` and ``random_state`` are handed to it where its signature has
        parameters of these names, or ``**parameters`` of any name.
    n_clusters : int
    random_state : int, optional
    **parameters
        Further parameters of the class.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
        Numbered by first occurrence.
    model_ : object
        The fitted instance.

    Raises
    ------
    ValueError
        The class has no ``fit``, has no parameter of a name that was given, or requires
        one that was not; ``fit`` leaves no usable labels.
    MemoryError
        The class raised one.
    """

    #: Its models cannot label new samples; see `Clusterer`.
    predictor = None
    #: The class sees NaN in rows that a view lacks.
    _accepts_missing = True

    def __init__(
        self, kind: Any, n_clusters: int, random_state: Any = None, **parameters: Any
    ) -> None:
        if not isinstance(kind, type):
            what = f"an object of type {type(kind).__name__}"
            if inspect.isroutine(kind):
                what = f"the function {kind.__qualname__}"
            raise ValueError(f"{what} is not a class; a method is one, with fit")
        self.kind = kind
        self.name = f"{kind.__module__}:{kind.__qualname__}"
        if not callable(getattr(kind, "fit", None)):
            raise ValueError(f"{self.name} has no method fit; a method needs one")
        signature: Mapping[str, inspect.Parameter] = {}
        self.checked = True
        try:
            signature = inspect.signature(kind).parameters
        except (TypeError, ValueError):  # written in C
            self.checked = False
        self.accepted = {n: p for n, p in signature.items() if p.kind in NAMED}
        takes_any = any(p.kind is p.VAR_KEYWORD for p in signature.values())
        self.checked &= not takes_any
        self.asked = n_clusters
        given = {"n_clusters": n_clusters, "random_state": random_state}
        self.parameters: dict[str, Any] = {
            name: value
            for name, value in given.items()
            if name in self.accepted or takes_any
        }
        self.set_params(**parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters that are set, and the defaults of the others."""
        defaults = {
            name: p.default
            for name, p in self.accepted.items()
            if p.default is not p.empty
        }
        return defaults | self.parameters

    def set_params(self, **parameters: Any) -> ForeignClusterer:
        """Set parameters of the class."""
        for name in parameters:
            if self.checked and name not in self.accepted:
                known = ", ".join(self.accepted) or "none"
                raise ValueError(
                    f"{self.name} has no parameter {name!r}; it has {known}"
                )
        self.parameters |= parameters
        return self

    def fit(self, X: Any, y: Any = None, *, callback: Any = None) -> ForeignClusterer:
        """Build an instance, fit it to the list of arrays, and check its labels."""
        missing = self.accepted.keys() - self.get_params().keys()
        if missing:
            names = ", ".join(name for name in self.accepted if name in missing)
            raise ValueError(f"{self.name} needs {names}; set it")
        try:
            model = self.kind(**self.parameters)
            model.fit(list(X.arrays))
        except (Exception, SystemExit) as error:
            what = f"{type(error).__name__}: {error}"
            place = place_of(error)
            kind = MemoryError if isinstance(error, MemoryError) else ValueError
            raise kind(f"{self.name} failed: {what}{place}") from error
        self.labels_ = self._checked(getattr(model, "labels_", None), len(X))
        self.model_ = model
        for name in SHARED:
            if hasattr(model, name):
                setattr(self, name, self._number(name, getattr(model, name)))
        return self

    def _number(self, name: str, value: Any) -> Any:
        """Check a count; everything else is returned unchanged."""
        if name not in COUNTS or value is None:
            return value
        try:
            return int(value)
        except (TypeError, ValueError):
            raise ValueError(
                f"{name} of {self.name} is {value!r}; it must be a whole number"
            ) from None

    def _checked(self, labels: Any, n: int) -> np.ndarray:
        if labels is None:
            raise ValueError(f"{self.name} has no labels_ after fit")
        labels = np.asarray(labels)
        if labels.shape != (n,) or labels.dtype.kind not in "iub":
            raise ValueError(
                f"labels_ of {self.name} has shape {labels.shape} and type "
                f"{labels.dtype}; it must hold one integer for each of {n} samples"
            )
        values, codes = np.unique(labels, return_inverse=True)
        asked = self.parameters.get("n_clusters", self.asked)
        texts = []
        if len(values) != asked:
            texts.append(
                f"returned {len(values)} clusters, not {asked}; they are scored as "
                "they are"
            )
        if values[0] < 0:
            negative = ", ".join(str(v) for v in values[values < 0][:3])
            texts.append(
                f"returned the label {negative}: its samples are scored as one cluster"
            )
        for text in texts:
            warnings.warn(f"{self.name} {text}", stacklevel=3)
        new = np.empty(len(values), dtype=np.int64)
        new[np.searchsorted(values, by_first_occurrence(labels))] = range(len(values))
        return np.asarray(new[codes])
