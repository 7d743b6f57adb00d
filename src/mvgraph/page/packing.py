"""Columns of many numbers in a page: few bits each, deflated, as base64."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any, NamedTuple

import numpy as np

#: Code of a cell without a value, in a byte.
MISSING = 255
#: Share of the values below and above the range that is drawn: one value far away
#: would leave the others a single colour.
TAIL = 0.001
#: Numbers start at multiples of this, where a script can read them in place.
ALIGNED = 8


class Quantised(NamedTuple):
    """Numbers as bytes: code c is ``values[c]``, or ``low + c (high - low) / 254``."""

    codes: np.ndarray  # uint8, MISSING without a value
    low: float
    high: float
    values: list[float] | None  # exact, where there are few of them


def quantise(x: np.ndarray) -> Quantised:
    """Write numbers as bytes, exactly where they have at most 254 values.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.page.packing import quantise
    >>> found = quantise(np.array([2.0, np.nan, 7.0]))
    >>> found.codes.tolist(), found.values
    ([0, 255, 1], [2.0, 7.0])
    """
    x = np.asarray(x, dtype=np.float64)
    known = np.isfinite(x)
    codes = np.full(len(x), MISSING, dtype=np.uint8)
    if not known.any():
        return Quantised(codes, 0.0, 0.0, [])
    values, places = np.unique(x[known], return_inverse=True)
    if len(values) < MISSING:
        codes[known] = places
        return Quantised(codes, values[0], values[-1], values.tolist())
    low, high = np.quantile(x[known], (TAIL, 1 - TAIL))
    if low == high:
        low, high = values[0], values[-1]
    part = np.clip((x[known] - low) / (high - low), 0, 1)
    codes[known] = np.round(part * (MISSING - 1))
    return Quantised(codes, float(low), float(high), None)


class Columns:
    """Arrays of a page, one after the other; `text` is all of them as base64."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, x: np.ndarray) -> dict[str, Any]:
        """Append numbers; return where they are, for the script of the page."""
        x = np.ascontiguousarray(x).ravel()
        kind = x.dtype.str[1:]
        return {"kind": kind, "n": len(x)} | self._append(x.astype("<" + kind))

    def add_words(self, words: list[str]) -> dict[str, Any]:
        """Append a list of texts."""
        content = json.dumps(words, ensure_ascii=False).encode("utf-8", "replace")
        return {"kind": "words"} | self._append(np.frombuffer(content, np.uint8))

    def _append(self, x: np.ndarray) -> dict[str, int]:
        content, at = x.tobytes(), self._size
        self._parts.append(content + b"\0" * (-len(content) % ALIGNED))
        self._size += len(self._parts[-1])
        return {"at": at, "bytes": len(content)}

    def text(self) -> str:
        """Return everything that was added, deflated, as base64."""
        return base64.b64encode(zlib.compress(b"".join(self._parts), 6)).decode()


def unpack(text: str, place: dict[str, Any]) -> Any:
    """Return one of the arrays, as the script of the page does."""
    content = zlib.decompress(base64.b64decode(text))
    content = content[place["at"] : place["at"] + place["bytes"]]
    if place["kind"] == "words":
        return json.loads(content)
    return np.frombuffer(content, "<" + place["kind"])
