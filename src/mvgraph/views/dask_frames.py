"""Dask frames as views: rows are joined by their names on the workers.

Dask itself is not imported: methods of the frames that the user gave are called.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mvgraph.views.identifiers import SaidOfNames, columns_called_ids, holes
from mvgraph.views.joining import as_ids, refuse_repeated

#: The column of names while frames are joined.
KEY = "mvgraph-id"


class Named(NamedTuple):
    """A frame, the name of its view, the column of ids (None: the index), the rest."""

    frame: Any
    name: str
    key: str | None
    columns: list[str]

    @property
    def has_ids(self) -> bool:
        """Whether a column or the index names rows: text, or numbers with a title."""
        index = self.frame.index
        titled = index.name is not None or index.dtype.kind not in "iu"
        return self.key is not None or titled


def is_dask_frame(value: Any) -> bool:
    """Return whether X is a data frame of dask, judged by its methods."""
    return hasattr(value, "to_dask_array") and hasattr(value, "columns")


def join_frames(
    frames: Sequence[Any], names: Sequence[str], join: str, said: SaidOfNames
) -> tuple[list[Any], np.ndarray | None, None, list[list[str]]]:
    """Return dask arrays of the same samples, ids, no index, and columns by view.

    Frames are shuffled by id on the workers, once, and the result is kept there. The
    ids alone come to this process. A single frame is neither shuffled nor kept.

    Parameters
    ----------
    frames : sequence of dask frames
    names : sequence of str
        Of the views.
    join : {"strict", "inner", "outer"}
    said : SaidOfNames

    Raises
    ------
    ValueError
        A view is not a dask frame, names no rows or has a column that is not of
        numbers; names occur twice, or differ between views under strict.
    """
    views = [
        _named(frame, name, said) for name, frame in zip(names, frames, strict=True)
    ]
    features = [view.columns for view in views]
    if len(views) == 1:
        array, ids = _one(views[0])
        return [array], ids, None, features
    if said.normalise:
        raise ValueError(
            "normalise_ids is not possible with dask frames; write the ids alike first"
        )
    for view in views:
        if not view.has_ids:
            raise ValueError(
                f"View {view.name!r} is a dask frame that does not name its rows, so"
                " they cannot be joined with others. Pass ids= with the column of"
                " names, or dask arrays (to_dask_array(lengths=True)) whose rows are in"
                " one order"
            )
    whole = _merged(views, "outer" if join == "outer" else "inner")
    ids = as_ids(whole[KEY].compute().tolist())
    refuse_repeated(ids, "The joined dask frame")
    _refuse_differences(views, len(ids), join)
    if holes(ids).any():
        raise ValueError("A dask frame has rows without an id; name or drop them")
    lengths = tuple(whole.map_partitions(len).compute())
    arrays = [
        _array(whole, [f"{v}:{c}" for c in own], lengths)
        for v, own in enumerate(features)
    ]
    return arrays, ids, None, features


def _named(frame: Any, name: str, said: SaidOfNames) -> Named:
    """Find the column that names the rows; the others must be numbers."""
    if not is_dask_frame(frame):
        raise ValueError(
            f"View {name!r} is not a data frame of dask, as others are. Pass all"
            " views as dask frames, which are joined by id, or all as arrays"
        )
    frame = frame.rename(columns={c: str(c) for c in frame.columns})
    header = [*frame.columns]
    found = [header[i - 1] for i in columns_called_ids(["-", *header], said) if i]
    if len(found) > 1:
        raise ValueError(
            f"View {name!r}: {found[0]!r} and {found[1]!r} are both called like names"
            " of the rows. Choose one with ids="
        )
    key = found[0] if found else None
    columns = [c for c in header if c != key]
    kinds = dict(zip(header, frame.dtypes, strict=True))
    odd = [c for c in columns if kinds[c].kind not in "fiub"]
    if odd:
        raise ValueError(
            f"View {name!r}: column {odd[0]!r} of a dask frame is {kinds[odd[0]]}, not"
            " numbers. Encode it, or leave it out"
        )
    return Named(frame, name, key, columns)


def _one(view: Named) -> tuple[Any, np.ndarray | None]:
    """Return the array of a single view, and its ids if it has some."""
    ids = None
    if view.has_ids:
        named = view.frame.index if view.key is None else view.frame[view.key]
        ids = as_ids(named.compute().tolist())
        refuse_repeated(ids, f"View {view.name!r}")
    return _array(view.frame, view.columns, True), ids


def _merged(views: Sequence[Named], how: str) -> Any:
    """Join frames by their names on the workers, which keep the result."""
    whole: Any = None
    for v, (frame, _, key, own) in enumerate(views):
        if key is None:
            title = "index" if frame.index.name is None else frame.index.name
            frame, key = frame.reset_index(), title
        new = {c: f"{v}:{c}" for c in own}
        part = frame[[key, *own]].rename(columns={key: KEY, **new})
        if whole is not None and whole[KEY].dtype.kind != part[KEY].dtype.kind:
            raise ValueError(
                f"The ids of dask frames are {whole[KEY].dtype} in one and"
                f" {part[KEY].dtype} in another; cast them to one type"
            )
        whole = part if whole is None else whole.merge(part, on=KEY, how=how)
    return whole.persist()


def _refuse_differences(views: Sequence[Named], n: int, join: str) -> None:
    """Reject frames without a common name, or of other samples under strict."""
    sizes = {view.name: len(view.frame) for view in views}
    if n == 0 or (join == "strict" and {*sizes.values()} != {n}):
        each = ", ".join(f"{name!r} has {size}" for name, size in sizes.items())
        raise ValueError(
            f"The dask frames name different samples: {n} ids are in all, {each}."
            " Pass join='inner' to keep the common samples, or join='outer' to keep"
            " all, with NaN rows where a view lacks one; or write the ids alike"
        )


def _array(frame: Any, columns: Sequence[str], lengths: Any) -> Any:
    """Return columns as a dask array of floats."""
    single = {str(kind) for kind in frame[[*columns]].dtypes} == {"float32"}
    floats = frame[[*columns]].astype(np.float32 if single else np.float64)
    return floats.to_dask_array(lengths=lengths)
