"""Lists in plans: ``all``, names, and what is left out with a minus."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase

from mvgraph.ops.wording import nearest

ALL, WITHOUT = "all", "-"


def expand(
    entries: Iterable[str],
    every: Callable[[], Iterable[str]],
    find: Callable[[str], Iterable[str]],
) -> list[str]:
    """Return the names that a list means, each once, in the order of the list.

    Parameters
    ----------
    entries : iterable of str
        ``all`` stands for every name, wherever it is in the list; ``-NAME`` leaves a
        name out, wherever it is, ``-PATTERN`` those that are not listed themselves.
    every : callable
        Returns all names.
    find : callable
        Returns the names that any other entry means.

    Raises
    ------
    ValueError
        If an entry leaves out nothing, or nothing is left.

    Examples
    --------
    >>> from mvgraph.bench.listing import expand
    >>> expand(["-b", "mine", "all"], lambda: ["a", "b"], lambda name: [name])
    ['mine', 'a']
    """
    listed: list[str] = []
    minus: list[str] = []
    for entry in entries:
        (minus if entry.startswith(WITHOUT) else listed).append(entry)
    found: dict[str, None] = {}
    for entry in listed:
        found |= dict.fromkeys(every() if entry == ALL else find(entry))
    kept = dict(found)
    for entry in minus:
        name = entry.removeprefix(WITHOUT)
        gone = [each for each in found if fnmatchcase(each, name)]
        if name not in found:  # a pattern
            gone = [each for each in gone if each not in listed]
        if not gone:
            hint = nearest(name, found) if found else f"add names, or {ALL!r}"
            raise ValueError(f"{entry!r} leaves out nothing; {hint}")
        for each in gone:
            kept.pop(each, None)
    if not kept:
        raise ValueError("nothing is left in the list; leave out less")
    return list(kept)
