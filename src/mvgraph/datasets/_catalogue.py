"""Find data by name or path: built in, downloaded, or a file."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from mvgraph.datasets import _fetch
from mvgraph.datasets.formats.table import MAGIC


class BuiltIn(NamedTuple):
    """A data set that comes with the package or is generated."""

    kind: str
    about: str
    open: Callable[[], Any]


def _digits() -> Any:
    from mvgraph.datasets._digits import load_digits_views

    return load_digits_views()


def _ambiguous(n_samples: int = 1000) -> Any:
    from mvgraph.datasets._synthetic import make_ambiguous_views

    return make_ambiguous_views(n_samples)


def _misleading(n_samples: int = 1000) -> Any:
    from mvgraph.datasets._synthetic import make_misleading_view

    return make_misleading_view(n_samples)


BUILT_IN = {
    "digits": BuiltIn(
        "bundled",
        "1797 handwritten digits of scikit-learn, several descriptors, 10 classes",
        _digits,
    ),
    "ambiguous": BuiltIn(
        "generated",
        "1000 samples; every view confuses some classes, together they tell all apart",
        _ambiguous,
    ),
    "misleading": BuiltIn(
        "generated",
        "1000 samples; one view shows clear clusters that contradict the others",
        _misleading,
    ),
}

GENERATED = {"ambiguous": _ambiguous, "misleading": _misleading}
#: Samples of the smallest set that is generated.
FEWEST = 10


def built_in(name: str) -> BuiltIn | None:
    """Return a built-in set by its name; ``ambiguous:300`` has 300 samples.

    Raises
    ------
    ValueError
        If the number of samples is not a whole number of at least 10, or the set has a
        fixed size.
    """
    base, colon, size = name.partition(":")
    data_set = BUILT_IN.get(base)
    if data_set is None or not colon:
        return data_set
    if base not in GENERATED:
        raise ValueError(
            f"{name!r}: {base} has a fixed size; leave out {colon + size!r}"
        )
    if not (size.isascii() and size.isdigit() and int(size) >= FEWEST):
        raise ValueError(
            f"{name!r}: after the colon, give the number of samples, a whole "
            f"number of at least {FEWEST}, as in {base}:300"
        )
    return data_set._replace(open=partial(GENERATED[base], int(size)))


def find(data: str | Path) -> BuiltIn | Path:
    """Return a file or folder, or the built-in set of that name.

    Raises
    ------
    TypeError
        If it is neither text nor a path.
    ValueError
        If the name is empty.
    FileNotFoundError
        If it is neither, or names a published set that is not downloaded yet.
    """
    if not isinstance(data, str | Path):
        raise TypeError(
            "the data must be the path of a file or folder, or the name of a set, as a"
            f" str or Path; got {type(data).__name__} ({str(data)[:40]})"
        )
    name = str(data)
    if not name.strip():
        raise ValueError(
            "the name of the data is empty; name a file, a folder or a built-in set: "
            f"{', '.join(BUILT_IN)}"
        )
    if name == "-":
        return _spool()
    path = Path(data).expanduser()
    if path.exists():
        return path
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


@cache
def _folder() -> tempfile.TemporaryDirectory:
    """Return a folder that is removed at exit; views may be read from it until then."""
    return tempfile.TemporaryDirectory(prefix="mvgraph-")


def _spool() -> Path:
    """Copy standard input into a file whose ending shows its format.

    Returns
    -------
    Path
        Text is read as a table.

    Raises
    ------
    ValueError
        If there is nothing to read.
    """
    path = Path(_folder().name, "stdin")
    with path.open("wb") as target:
        shutil.copyfileobj(sys.stdin.buffer, target)
    with path.open("rb") as stream:
        head = stream.read(4)
    if not head:
        raise ValueError(
            "standard input is empty. Pipe a table into it, or name a file"
        )
    binary = head[:1] in (b"\x89", b"\x93") or head[:2] == b"PK" or b"\0" in head
    market = head.startswith(b"%%Ma")
    suffix = MAGIC.get(head, "" if binary or market else ".csv")
    if head[:2] == b"\x1f\x8b":
        suffix = ".csv.gz"
    return path.rename(path.with_name(f"stdin{suffix}"))
