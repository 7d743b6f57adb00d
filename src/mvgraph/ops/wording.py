"""Words of messages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


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


@contextmanager
def extra(work: str, package: str, name: str) -> Iterator[None]:
    """Say what to install, where an import of the block fails.

    Parameters
    ----------
    work : str
        What needs the package: the beginning of the message.
    package, name : str
        The package, and the extra of mvgraph that brings it.
    """
    try:
        yield
    except ImportError as error:
        raise ImportError(
            f"{work} needs {package}: pip install 'mvgraph[{name}]'"
        ) from error
