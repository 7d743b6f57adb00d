"""Checks of parameters: one table of ranges by name for all methods.

The type (integer, number, bool, None, text) is that of the signature; the range depends
on the name, which has the same meaning in every method.
"""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state


class ParameterError(ValueError, TypeError):
    """A parameter has a wrong type or is out of its range."""


@dataclass(eq=False, repr=False)
class Parameters:
    """The parameters of every method; the base of its generated ``__init__``."""

    n_clusters: int = 8
    random_state: Any = field(default=None, kw_only=True)


def add_init(cls: type) -> None:
    """Generate ``__init__`` from the annotated defaults of a method.

    Each becomes a keyword that is stored unchanged, as scikit-learn requires. A class
    that writes its own ``__init__``, or inherits one, keeps it.
    """
    owner = next(c for c in cls.__mro__ if "__init__" in vars(c))
    if "__dataclass_fields__" in vars(owner):
        dataclass(kw_only=True, eq=False, repr=False)(cls)


class Range(NamedTuple):
    """An interval of numbers, with or without its lower end; high may be None."""

    low: float
    low_belongs: bool = True
    high: float | None = None

    def holds(self, x: Any) -> bool:
        """Return True if x is in the range; NaN is not."""
        above = x >= self.low if self.low_belongs else x > self.low
        return bool(above and (x < math.inf if self.high is None else x <= self.high))

    def __str__(self) -> str:
        if self.high is not None:
            return f"in {'[' if self.low_belongs else '('}{self.low}, {self.high}]"
        return f"{'>=' if self.low_belongs else '>'} {self.low}"


#: Larger integers do not fit into arrays.
LARGEST = 2**63 - 1
ONE_OR_MORE, POSITIVE, SHARE = Range(1), Range(0, False), Range(0, False, 1)
RANGES = {
    **dict.fromkeys(
        (
            "n_anchors", "n_neighbors", "n_candidates", "n_components", "n_init",
            "n_estimators", "max_iter", "max_sample", "memory_limit",
        ),
        ONE_OR_MORE,
    ),
    **dict.fromkeys(
        (
            "mu", "weight", "exponent", "resolution", "error_weight", "balance_weight",
            "alpha", "common_weight", "specific_weight", "ridge",
        ),
        POSITIVE,
    ),
    **dict.fromkeys(("tensor_weight", "coupling", "tol"), Range(0)),
    "n_clusters": Range(2),
    "p": SHARE,
    "prune": Range(0, True, 1),
    "eta": Range(1, False),
}  # fmt: skip
#: Accepted strings, if they do not depend on the estimator.
CHOICES = {
    "basis": ("fft-samples", "fft-anchors"),  # ops.proximal.tensor.BASES
    "metric": ("euclidean", "cosine"),
    "stop": ("success", "published"),
}
#: Accepted words of parameters that are numbers otherwise, if the method takes words.
WORDS = {"n_clusters": ("auto",)}
#: Parameters whose float values are shares, for example of the samples.
SHARES = ("n_anchors",)


def check_parameters(estimator: Any) -> None:
    """Raise an error for parameters of a wrong type or out of their range.

    Raises
    ------
    ParameterError
        The message names the parameter, its value, and the accepted values.
    """
    declared = inspect.signature(type(estimator)).parameters
    for name, value in estimator.get_params(deep=False).items():
        kinds = _kinds(declared[name].annotation)
        if kinds:
            _check(name, value, kinds)
        if name in CHOICES and value not in CHOICES[name]:
            raise ParameterError(
                f"{name} must be one of {CHOICES[name]}; got {value!r}."
            )


def check_memory_limit(value: Any) -> None:
    """Raise an error if a limit is not a positive number of bytes, or None.

    Raises
    ------
    ParameterError
        The message names the parameter, its value, and the accepted values.
    """
    _check("memory_limit", value, {"int", "None"})


def _kinds(annotation: Any) -> set[str]:
    """Split an annotation such as "int | None"; empty for other annotations."""
    text = annotation if isinstance(annotation, str) else ""
    kinds = {part.strip() for part in text.split("|")}
    return kinds if kinds <= {"int", "float", "bool", "str", "None"} else set()


def _check(name: str, value: Any, kinds: set[str]) -> None:
    if value is None and "None" in kinds:
        return
    if "int" in kinds and is_integer(value) and value > LARGEST:
        raise ParameterError(
            f"{name} is too large: integers go up to {LARGEST}; got {value!r}."
        )
    if "bool" in kinds:
        good = isinstance(value, bool | np.bool_)
    elif isinstance(value, str):
        # the estimator checks which strings
        good = "str" in kinds and value in WORDS.get(name, (value,))
    else:
        good = any(_is_number(value, kind, span) for kind, span in _spans(name, kinds))
    if not good:
        raise ParameterError(f"{name} must be {_accepted(name, kinds)}; got {value!r}.")


def check_share(name: str, value: Any) -> None:
    """Raise an error unless a value is a number from 0 to 1.

    Raises
    ------
    ParameterError
    """
    span = Range(0, True, 1)
    if not _is_number(value, "float", span):
        raise ParameterError(f"{name} must be a number {span}; got {value!r}.")


def is_integer(value: Any) -> bool:
    """Return True for integers, including those of NumPy, but not for booleans."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_number(value: Any, kind: str, span: Range | None) -> bool:
    if kind == "int":
        good = is_integer(value)
    else:
        good = isinstance(value, Real) and not isinstance(value, bool)
    return good and (span is None or span.holds(value))


def _spans(name: str, kinds: set[str]) -> list[tuple[str, Range | None]]:
    """List the accepted kinds of numbers and their ranges."""
    whole = [("int", RANGES.get(name))] if "int" in kinds else []
    span = SHARE if name in SHARES else RANGES.get(name)
    return whole + ([("float", span)] if "float" in kinds else [])


def _accepted(name: str, kinds: set[str]) -> str:
    """Describe the accepted values in words."""
    words = {"int": "an integer", "float": "a number"}
    parts = [
        words[kind] + (f" {span}" if span else "") for kind, span in _spans(name, kinds)
    ]
    parts += ["True or False"] if "bool" in kinds else []
    words_of = " or ".join(map(repr, WORDS.get(name, ())))
    parts += [words_of or "a text"] if "str" in kinds else []
    parts += ["None"] if "None" in kinds else []
    return " or ".join(parts)


def draw_seed(random_state: Any) -> int:
    """Draw one integer seed; None draws a new one, a RandomState or Generator advances.

    Raises
    ------
    ParameterError
        If random_state is none of these and not an integer.
    """
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    try:
        if isinstance(random_state, bool):
            raise ValueError("no seed")
        return int(check_random_state(random_state).randint(2**31 - 1))
    except ValueError as error:
        raise ParameterError(
            "random_state must be an integer in [0, 4294967295], a Generator, a "
            f"RandomState or None; got {random_state!r}."
        ) from error
