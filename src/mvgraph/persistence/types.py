"""Whether a value that was read has the type that a record declares for it."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

#: Types that records name, but that their modules import for checkers alone.
UNKNOWN = {"Annotation": Any, "Level": Any}


def check_fields(kind: type, named: Mapping[str, Any]) -> None:
    """Reject values that a record of this class cannot have.

    Types that only checkers import admit everything.

    Raises
    ------
    ValueError
    """
    for name, hint in typing.get_type_hints(kind, localns=UNKNOWN).items():
        if name in named and not _fits(named[name], hint):
            raise ValueError(f"{kind.__name__}.{name} is not of its type")


def _fits(value: Any, hint: Any) -> bool:
    if hint is Any:
        return True
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, part) for part in parts)
    if hint is None or hint is type(None):
        return value is None
    if hint in (int, float, complex):
        return isinstance(value, int | float) and not (
            isinstance(value, bool) or (hint is int and isinstance(value, float))
        )
    if origin is tuple:
        return isinstance(value, tuple) and _fit_all(value, parts)
    if origin is not None and isinstance(origin, type):
        return _fits_generic(value, origin, parts)
    is_class = isinstance(hint, type) and not getattr(hint, "_is_protocol", False)
    return not is_class or isinstance(value, hint)


def _fits_generic(value: Any, origin: type, parts: tuple[Any, ...]) -> bool:
    if issubclass(origin, np.ndarray):
        return isinstance(value, np.ndarray)
    if issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            _fits(v, parts[1]) for v in value.values()
        )
    if issubclass(origin, Sequence):
        return isinstance(value, list | tuple) and all(
            _fits(v, parts[0]) for v in value
        )
    return True


def _fit_all(value: tuple[Any, ...], parts: tuple[Any, ...]) -> bool:
    if len(parts) == 2 and parts[1] is Ellipsis:
        return all(_fits(v, parts[0]) for v in value)
    return len(value) == len(parts) and all(map(_fits, value, parts))
