"""Dask frames as views: rows are joined by their names on the workers.

Dask itself is not imported: methods of the frames that the user gave are called.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mvgraph.views.identifiers import SaidOfNames, columns_called_ids, holes
from mvgraph.views.joining import as_ids, refuse_repeated

#: The column of names while frames are joined.
KEY = "mvgraph-id"


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
    for name, frame in zip(names, frames, strict=True):
        if not is_dask_frame(frame):
            raise ValueError(
                f"View {name!r} is not a data frame of dask, as others are. Pass all"
                " views as dask frames, which are joined by id, or all as arrays"
            )
    frames = [
        frame.rename(columns={c: str(c) for c in frame.columns}) for frame in frames
    ]
    headers = [[*frame.columns] for frame in frames]
    keys = [_key(own, name, said) for own, name in zip(headers, names, strict=True)]
    features = [
        [c for c in own if c != key] for own, key in zip(headers, keys, strict=True)
    ]
    for frame, name, own in zip(frames, names, features, strict=True):
        _refuse_no_numbers(frame, name, own)
    if len(frames) == 1:
        array, ids = _one(frames[0], names[0], keys[0], features[0])
        return [array], ids, None, features
    if said.normalise:
        raise ValueError(
            "normalise_ids is not possible with dask frames; write the ids alike first"
        )
    _refuse_nameless(frames, names, keys)
    whole = _merged(frames, keys, features, "outer" if join == "outer" else "inner")
    ids = as_ids(whole[KEY].compute().tolist())
    refuse_repeated(ids, "The joined dask frame")
    _refuse_differences(frames, names, len(ids), join)
    if holes(ids).any():
        raise ValueError("A dask frame has rows without an id; name or drop them")
    lengths = tuple(whole.map_partitions(len).compute())
    arrays = [
        _array(whole, [f"{v}:{c}" for c in own], lengths)
        for v, own in enumerate(features)
    ]
    return arrays, ids, None, features


def _one(
    frame: Any, name: str, key: str | None, features: Sequence[str]
) -> tuple[Any, np.ndarray | None]:
    """Return the array of a single view, and its ids if it has some."""
    ids = None
    if key is not None or _index_names(frame):
        named = frame.index if key is None else frame[key]
        ids = as_ids(named.compute().tolist())
        refuse_repeated(ids, f"View {name!r}")
    return _array(frame, features, True), ids


def _refuse_nameless(
    frames: Sequence[Any], names: Sequence[str], keys: Sequence[str | None]
) -> None:
    for frame, name, key in zip(frames, names, keys, strict=True):
        if key is None and not _index_names(frame):
            raise ValueError(
                f"View {name!r} is a dask frame that does not name its rows, so they"
                " cannot be joined with others. Pass ids= with the column of names, or"
                " dask arrays (to_dask_array(lengths=True)) whose rows are in one order"
            )


def _key(header: Sequence[str], name: str, said: SaidOfNames) -> str | None:
    """Return the column that names the rows; None if it is the index, or none."""
    found = [i for i in columns_called_ids(["-", *header], said) if i]
    if len(found) > 1:
        raise ValueError(
            f"View {name!r}: {header[found[0] - 1]!r} and {header[found[1] - 1]!r} are"
            " both called like names of the rows. Choose one with ids="
        )
    return header[found[0] - 1] if found else None


def _index_names(frame: Any) -> bool:
    """Return whether an index holds names: text, or numbers with a title."""
    index = frame.index
    return index.name is not None or index.dtype.kind not in "iu"


def _refuse_no_numbers(frame: Any, name: str, columns: Sequence[str]) -> None:
    kinds = dict(zip(map(str, frame.columns), frame.dtypes, strict=True))
    odd = [c for c in columns if kinds[c].kind not in "fiub"]
    if odd:
        raise ValueError(
            f"View {name!r}: column {odd[0]!r} of a dask frame is {kinds[odd[0]]}, not"
            " numbers. Encode it, or leave it out"
        )


def _merged(
    frames: Sequence[Any],
    keys: Sequence[str | None],
    features: Sequence[Sequence[str]],
    how: str,
) -> Any:
    """Join frames by their names on the workers, which keep the result."""
    whole: Any = None
    for v, (frame, key, own) in enumerate(zip(frames, keys, features, strict=True)):
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


def _refuse_differences(
    frames: Sequence[Any], names: Sequence[str], n: int, join: str
) -> None:
    """Reject frames without a common name, or of other samples under strict."""
    sizes = [len(frame) for frame in frames]
    if n == 0 or (join == "strict" and {*sizes} != {n}):
        each = ", ".join(
            f"{name!r} has {size}" for name, size in zip(names, sizes, strict=True)
        )
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
