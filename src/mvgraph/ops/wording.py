"""Words of messages, and small tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

from mvgraph.ops.escaping import html


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun, in the plural unless it is one.

    Parameters
    ----------
    n : int
    noun : str
        In the singular.
    plural : str, optional
        Default: the noun with an s.

    Examples
    --------
    >>> from mvgraph.ops.wording import counted
    >>> counted(1, "such row"), counted(2, "such row")
    ('1 such row', '2 such rows')
    >>> counted(0, "community", "communities")
    '0 communities'
    """
    return f"{n} {noun if n == 1 else plural or noun + 's'}"


def size_in_words(n_bytes: float) -> str:
    """Return a number of bytes with its unit, for a message."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= size:
            return f"{n_bytes / size:.3g} {unit}"
    return f"{int(n_bytes)} bytes"


#: A message lists no more names than these.
MOST_NAMES = 40


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: what was meant, what exists.

    Parameters
    ----------
    name : str
    known : iterable of str

    Examples
    --------
    >>> from mvgraph.ops.wording import nearest
    >>> nearest("digit", ["digits", "reuters"])
    "did you mean 'digits'? known: digits, reuters"
    """
    names = list(dict.fromkeys(known))
    hint = " or ".join(map(repr, _close(name, names)))
    listed = first_few(names, MOST_NAMES) or "none"
    return f"did you mean {hint}? known: {listed}" if hint else f"known: {listed}"


def _close(name: str, names: Sequence[str]) -> list[str]:
    """Return the name that starts with another or contains it, else similar ones."""
    plain = {_plain(each): each for each in names[::-1]}
    wanted, short = _plain(name), sorted(plain, key=lambda p: (len(p), p))
    if len(wanted) > 2:
        starts = [p for p in short if p.startswith(wanted)]
        contain = [p for p in short if wanted in p]
        parts = [p for p in reversed(short) if p and wanted.startswith(p)]
        if found := [*starts, *contain, *parts]:
            return [plain[found[0]]]
    return [plain[p] for p in get_close_matches(wanted, short, n=3)]


def _plain(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())


def first_few(names: Sequence[str], most: int) -> str:
    """Join names; after the first few, say how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def cut(text: str, most: int) -> str:
    """Return a text with dots instead of the end if it is longer than that."""
    return text if len(text) <= most else text[: most - 1] + "\N{HORIZONTAL ELLIPSIS}"


@contextmanager
def extra(work: str, package: str, name: str) -> Iterator[None]:
    """Name the package to install if an import in the block fails.

    Parameters
    ----------
    work : str
        What needs the package: the beginning of the message.
    package, name : str
        The package, and the extra of mvgraph that installs it.
    """
    try:
        yield
    except ImportError as error:
        raise ImportError(
            f"{work} needs {package}: pip install 'mvgraph[{name}]'"
        ) from error


def html_table(title: str, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Format a title and a table; a notebook gives them its own style.

    Parameters
    ----------
    title : str
        Stands above the table.
    head : sequence of str
    rows : sequence of sequences
        Cells are written with ``str``.
    """

    def line(cells: Sequence[Any], tag: str) -> str:
        inner = "".join(f"<{tag}>{html(str(cell))}</{tag}>" for cell in cells)
        return f"<tr>{inner}</tr>"

    body = "".join(line(row, "td") for row in rows)
    return (
        f"<div><p>{html(title)}</p><table><thead>{line(head, 'th')}</thead>"
        f"<tbody>{body}</tbody></table></div>"
    )
