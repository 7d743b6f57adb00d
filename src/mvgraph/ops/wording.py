"""Words of messages."""

from __future__ import annotations

__all__ = ["counted"]


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
