"""Names of generated sets, which say how they are made: ``ambiguous:500,noise=2``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from math import isfinite
from typing import Any

from mvgraph.ops.wording import nearest

#: Samples of a set whose name does not say it, and the fewest that are generated.
USUAL, FEWEST = 1000, 10


def maker_of(base: str) -> Callable[..., Any]:
    """Return the function that generates a set of this name."""
    from mvgraph.datasets import _synthetic as made  # slow to import

    makers: dict[str, Any] = {
        "ambiguous": made.make_ambiguous_views,
        "misleading": made.make_misleading_view,
    }
    return makers[base]


def name_of(base: str, settings: dict[str, int | float]) -> str:
    """Return the name of a generated set.

    Examples
    --------
    >>> from mvgraph.datasets._generated import name_of
    >>> name_of("ambiguous", {"noise": 2.0, "n_samples": 500})
    'ambiguous:500,noise=2'
    """
    n_samples = settings.get("n_samples", USUAL)
    rest = (f"{k}={_plain(v)}" for k, v in settings.items() if k != "n_samples")
    return f"{base}:{','.join([str(_plain(n_samples)), *rest])}"


def settings_of(name: str) -> dict[str, int | float]:
    """Read what the name of a generated set says after its colon.

    Raises
    ------
    ValueError
        If it does not start with a whole number of samples of at least 10, a parameter
        is unknown or twice there, or its value is no number.
    """
    base, _, text = name.partition(":")
    size, *rest = text.split(",")
    if not (size.isascii() and size.isdigit() and int(size) >= FEWEST):
        raise ValueError(
            f"{name!r}: after the colon, give the number of samples, a whole "
            f"number of at least {FEWEST}, as in {base}:300"
        )
    settings: dict[str, int | float] = {"n_samples": int(size)}
    defaults = defaults_of(base)
    for part in rest:
        key, _, value = part.partition("=")
        if key not in defaults or key in settings:
            fault = "is there twice" if key in settings else "is unknown"
            raise ValueError(f"{name!r}: {key!r} {fault}; {nearest(key, defaults)}")
        settings[key] = _number(name, key, value, defaults[key])
    return settings


def defaults_of(base: str) -> dict[str, Any]:
    """Return the parameters of a generated set with their defaults."""
    parameters = inspect.signature(maker_of(base)).parameters
    return {name: p.default for name, p in parameters.items()} | {"n_samples": USUAL}


def _number(name: str, key: str, text: str, default: Any) -> int | float:
    """Return a number of the type of the default."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    whole = not isinstance(default, float)
    if not isfinite(value) or (whole and value != int(value)):
        kind = "a whole number" if whole else "a number"
        raise ValueError(f"{name!r}: {key}={text!r} is not {kind}")
    return int(value) if whole else value


def _plain(value: int | float) -> int | float:
    return int(value) if value == int(value) else value
