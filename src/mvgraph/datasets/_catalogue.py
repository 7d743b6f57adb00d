"""Data by name or path: built in, generated, downloaded, or a file."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from mvgraph.datasets import _fetch
from mvgraph.datasets._places import Data, Place, locate
from mvgraph.datasets.formats.parts import TableFiles
from mvgraph.ops.wording import nearest

#: Samples of a set whose name does not say it, and the fewest that are generated.
USUAL, FEWEST = 1000, 10
#: Functions that generate sets, by the names of these.
MAKERS = {"ambiguous": "make_ambiguous_views", "misleading": "make_misleading_view"}


def maker_of(base: str) -> Callable[..., Any]:
    """Return the function that generates a set of this name."""
    from mvgraph.datasets import _synthetic  # slow to import

    return vars(_synthetic)[MAKERS[base]]


def name_of(base: str, settings: dict[str, int | float]) -> str:
    """Return the name of a generated set.

    Examples
    --------
    >>> from mvgraph.datasets._catalogue import name_of
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


class BuiltIn(NamedTuple):
    """A data set that comes with the package or is generated."""

    kind: str
    about: str
    open: Callable[[], Any]


def _digits() -> Any:
    from mvgraph.datasets._digits import load_digits_views

    return load_digits_views()


def _generate(base: str, settings: dict[str, int | float]) -> Any:
    return maker_of(base)(**{"n_samples": USUAL, **settings})


BUILT_IN = {
    "digits": BuiltIn(
        "bundled",
        "1797 handwritten digits of scikit-learn, several descriptors, 10 classes",
        _digits,
    ),
    "ambiguous": BuiltIn(
        "generated",
        "1000 samples; every view confuses some classes, together they tell all apart",
        partial(_generate, "ambiguous", {}),
    ),
    "misleading": BuiltIn(
        "generated",
        "1000 samples; one view shows clear clusters that contradict the others",
        partial(_generate, "misleading", {}),
    ),
}


def built_in(name: str) -> BuiltIn | None:
    """Return a built-in set by its name; ``ambiguous:300`` has 300 samples.

    ``ambiguous:300,noise=2,imbalance=10`` sets parameters of the function that
    generates the set as well.

    Raises
    ------
    ValueError
        If the number of samples is not a whole number of at least 10, a parameter does
        not exist, or the set has a fixed size.
    """
    base, colon, size = name.partition(":")
    data_set = BUILT_IN.get(base)
    if data_set is None or not colon:
        return data_set
    if base not in MAKERS:
        raise ValueError(
            f"{name!r}: {base} has a fixed size; leave out {colon + size!r}"
        )
    return data_set._replace(open=partial(_generate, base, settings_of(name)))


def find(data: Data | TableFiles) -> BuiltIn | Place:
    """Return a file or folder, or several, or the built-in set of that name.

    Raises
    ------
    TypeError
        If it is neither text nor a path.
    ValueError
        If the name is empty.
    FileNotFoundError
        If it is neither, or names a published set that is not downloaded yet.
    """
    if isinstance(data, TableFiles):
        return data
    for one in (data or [""]) if isinstance(data, list | tuple) else [data]:
        _refuse_no_name(one)
    place = locate(data)
    if place is not None:
        return place
    name = str(data)
    data_set = built_in(name)
    if data_set is not None:
        return data_set
    entry = _fetch.find_entry(name)
    if entry is None:
        raise FileNotFoundError(
            f"there is no file or folder {name!r}; check the path, or use a built-in "
            f"data set: {', '.join(BUILT_IN)} (or one of mvgraph datasets fetch)"
        )
    try:
        return _fetch.fetch(entry.name, offline=True)
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"{name} is not downloaded yet: mvgraph datasets fetch {entry.name}"
        ) from error


def _refuse_no_name(data: Any) -> None:
    if not isinstance(data, str | Path):
        raise TypeError(
            "the data must be the path of a file or folder, or the name of a set, as a"
            f" str or Path; got {type(data).__name__} ({str(data)[:40]})"
        )
    if not str(data).strip():
        raise ValueError(
            "the name of the data is empty; name a file, a folder or a built-in set: "
            f"{', '.join(BUILT_IN)}"
        )


def open_built_in(data_set: BuiltIn, key_map: Any, orientation: str | None) -> Any:
    """Open a built-in data set, which takes no options.

    Raises
    ------
    ValueError
        If any option is given.
    """
    if key_map or orientation is not None:
        raise ValueError(
            "a built-in data set takes no options: leave out the names of views and "
            "labels and the orientation"
        )
    return data_set.open()
