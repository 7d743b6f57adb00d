"""The data of a page as its script reads it: an index in JSON, and packed columns."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np

from mvgraph.page.columns import TEXT, Column
from mvgraph.page.data import PageData
from mvgraph.page.shown import LevelShown

#: The map is this many steps wide.
STEPS = 65_535
#: Figures of a number that are written: more than can be read off a screen.
FIGURES = 4
#: Numbers start at multiples of this, where a script can read them in place.
ALIGNED = 8


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


def document(data: PageData) -> tuple[dict[str, Any], str]:
    """Return the index, ready for JSON, and the packed columns that it points to."""
    packed = Columns()
    index = {
        "name": data.name,
        "n": data.n,
        "m": len(data.rows),
        "base": data.base,
        "ids": packed.add_words(data.ids),
        "xy": packed.add(_steps(data.xy)),
        "sure": _share(packed, data.sure),
        "outlier": _share(packed, data.outlier),
        "levels": [_level(packed, level) for level in data.levels],
        "tree": data.tree,
        "colours": {str(number): c for number, c in data.colours.items()},
        "columns": [_column(packed, column) for column in data.columns],
        "views": data.views,
        "odd": data.odd,
        "pictures": _pictures(packed, data.pictures),
        "files": {str(i): uri for i, uri in data.files.items()},
    }
    return _short(index), packed.text()


def _column(packed: Columns, column: Column) -> dict[str, Any]:
    own = column._asdict()
    if column.kind == TEXT:
        return own | {"codes": None, "values": packed.add_words(column.values or [])}
    return own | {"codes": packed.add(column.codes)}


def _steps(xy: np.ndarray) -> np.ndarray:
    """Scale points to whole steps, with the same scale on both axes."""
    xy = np.asarray(xy, dtype=np.float64)
    low, span = xy.min(axis=0), np.ptp(xy, axis=0).max()
    inner = (xy - low) / (span if span > 0 else 1)
    inner += (1 - inner.max(axis=0)) / 2
    return np.round(inner * STEPS).astype(np.uint16)


def _share(packed: Columns, x: np.ndarray | None) -> dict[str, Any] | None:
    if x is None:
        return None
    return packed.add(np.round(np.clip(x, 0, 1) * 254).astype(np.uint8))


def _pictures(packed: Columns, x: np.ndarray | None) -> dict[str, Any] | None:
    """Pack small pictures of one channel or three, values from 0 to 1 or to 255."""
    if x is None:
        return None
    x = x if x.ndim == 4 else x[..., None]
    scale = 255 / max(float(x.max()), 1e-12) if x.dtype != np.uint8 else 1
    place = packed.add(np.round(x * scale).astype(np.uint8))
    return place | {"height": x.shape[1], "width": x.shape[2], "channels": x.shape[3]}


def _level(packed: Columns, shown: LevelShown) -> dict[str, Any]:
    level = shown.level
    return {
        "k": level.k,
        "standsOut": level.stands_out,
        "stability": level.stability,
        "confidence": level.confidence,
        "codes": packed.add(shown.codes.astype(np.uint16)),
        # where a view agrees with the group there are zeros, which take no room
        "votes": packed.add((shown.votes.T ^ shown.codes).astype(np.uint16)),
        "alone": shown.alone,
        "pairs": shown.pairs,
        "heat": shown.heat.T.tolist() if len(shown.heat) else [],
        "groups": [
            {
                "number": group.number,
                "name": name,
                "size": group.size,
                "sure": group.sure,
                "mayJoin": group.may_join,
                "features": [
                    {
                        "view": row["view"],
                        "name": _named(row, "feature"),
                        "difference": row["difference"],
                        "inside": row["mean_inside"],
                        "outside": row["mean_outside"],
                        "shareInside": row["share_inside"],
                        "shareOutside": row["share_outside"],
                    }
                    for row in group.features
                ],
                "words": [[row["view"], _named(row, "word")] for row in group.keywords],
                "typical": typical,
                "least": least,
            }
            for group, name, typical, least in zip(
                shown.groups, shown.names, shown.typical, shown.least, strict=True
            )
        ],
    }


def _named(row: dict[str, Any], what: str) -> str:
    """Name a feature or a word; a number alone says nothing."""
    name = str(row["name"])
    return f"{what} {name}" if name == str(row["feature"]) else name


def _short(value: Any) -> Any:
    """Round numbers, and write those that JSON does not have as null."""
    if isinstance(value, dict):
        return {str(key): _short(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_short(one) for one in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.{FIGURES}g}") if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value
