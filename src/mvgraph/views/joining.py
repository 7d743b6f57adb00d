"""Tables whose rows are named, put into one order of samples."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.wording import counted
from mvgraph.views.identifiers import objects
from mvgraph.views.spelling import normalised, of_one_kind, refuse_other_spelling

JOINS = ("strict", "inner", "outer")
#: How many names a message shows.
EXAMPLES = 3


class Joint(NamedTuple):
    """The samples of several tables in one order."""

    rows: list[np.ndarray | None]  # None: the table stays as it is, or has no names
    ids: np.ndarray
    notes: tuple[str, ...] = ()  # what an inner join dropped or an outer one added


def joint_rows(
    found: Sequence[np.ndarray | None],
    names: Sequence[str],
    join: str = "strict",
    *,
    what: str = "view",
    normalise: bool = False,
) -> Joint:
    """Find the rows to take from every table, -1 where it lacks the sample.

    Parameters
    ----------
    found : sequence of ndarray or None
        Names of the rows of every table; not None for all.
    names : sequence of str
        Names of the tables.
    join : {"strict", "inner", "outer"}
        strict: every table has the same samples, in any order; inner: keep those that
        all have; outer: keep all.
    what : {"view", "table"}
        For messages.
    normalise : bool
        See `mvgraph.views.spelling.normalised`.

    Returns
    -------
    Joint

    Raises
    ------
    ValueError
        Names that occur twice, that other tables spell differently, that no other
        table has, or (strict) that not every table has.
    """
    if join not in JOINS:
        raise ValueError(f"join must be one of {JOINS}; got {join!r}.")
    found = normalised(found) if normalise else of_one_kind(found)
    named = {n: ids for n, ids in zip(names, found, strict=True) if ids is not None}
    first = next(iter(named.values()))
    for name, own in named.items() if len(named) > 1 or normalise else ():
        refuse_repeated(own, f"{what} {name!r}")
    if all(np.array_equal(ids, first) for ids in named.values()):
        return Joint([None] * len(found), first)
    places = {n: {key: i for i, key in enumerate(_keys(v))} for n, v in named.items()}
    refuse_other_spelling(places, what)
    _refuse_strangers(places, what)
    if join == "strict":
        _refuse_differences(places, what)
    kept = _joint(list(places.values()), join)
    rows: list[np.ndarray | None] = []
    for name, ids in zip(names, found, strict=True):
        if ids is None:
            rows.append(None)
            continue
        at = np.array([places[name].get(key, -1) for key in kept], dtype=np.intp)
        rows.append(None if np.array_equal(at, np.arange(len(ids))) else at)
    kinds = [ids.dtype for ids in named.values()]
    return Joint(rows, as_ids(kept, kinds), _notes(places, kept, join, what))


def refuse_repeated(ids: np.ndarray | None, where: str, remedy: str = "") -> None:
    """Reject names that occur more than once: their rows could not be told apart.

    Raises
    ------
    ValueError
        Counts them and shows the first, with its rows.
    """
    keys = [] if ids is None else _keys(ids)
    if len(set(keys)) == len(keys):
        return
    rows: dict[Any, list[int]] = {}
    for i, key in enumerate(keys):
        rows.setdefault(key, []).append(i)
    double = {key: at for key, at in rows.items() if len(at) > 1}
    key, at = next(iter(double.items()))
    raise ValueError(
        f"{where} has {counted(len(double), 'duplicated identifier')}, such as"
        f" {str(key)!r} ({len(at)} rows: {_some(at)})."
        f" {remedy or 'Give every sample a unique name'}"
    )


def take_rows(array: Any, rows: np.ndarray) -> Any:
    """Return the rows at these positions as floats; -1 gives a row of NaN."""
    absent = rows < 0
    if not absent.any():
        return array[rows]
    kind = array.dtype if array.dtype in (np.float32, np.float64) else np.float64
    if sp.issparse(array):  # an absent row is stored as NaN in every column
        lost = sp.csr_matrix(np.full((1, array.shape[1]), np.nan, dtype=kind))
        whole = sp.vstack([array.astype(kind), lost], format="csr")
        return whole[np.where(absent, array.shape[0], rows)]
    taken = array[rows].astype(kind, copy=False)
    taken[absent] = np.nan
    return taken


def as_ids(keys: list[Any], kinds: Sequence[np.dtype] = ()) -> np.ndarray:
    """Return identifiers as a 1-D array, of the views' type if they share one."""
    ids = objects(keys)
    letters = {kind.kind for kind in kinds}
    if len(letters) != 1 or letters == {"O"}:
        return ids
    return ids.astype(np.result_type(*kinds))


def _keys(ids: np.ndarray) -> list[Any]:
    return ids.tolist() if ids.dtype.kind not in "mM" else list(ids)


def _joint(places: list[dict[Any, int]], join: str) -> list[Any]:
    if join == "outer":
        return list(dict.fromkeys(key for own in places for key in own))
    kept = [key for key in places[0] if all(key in own for own in places[1:])]
    if not kept:
        raise ValueError("No id is in every view: with join='inner' no sample is left.")
    return kept


def _union(places: dict[str, dict[Any, int]]) -> dict[Any, None]:
    return dict.fromkeys(chain(*places.values()))


def _notes(
    places: dict[str, dict[Any, int]], kept: list[Any], join: str, what: str
) -> tuple[str, ...]:
    """Report what an inner join dropped and what an outer one added, by table."""
    told, union, held = [], _union(places), set(kept)
    for name, own in places.items():
        if join == "inner":
            changed = [key for key in own if key not in held]
            done = f"dropped {len(changed)} of {what} {name!r}"
        else:
            changed = [key for key in union if key not in own]
            done = f"added {len(changed)} that {what} {name!r} lacks"
        if changed:
            told.append(f"{done} ({_some(changed)})")
    if not told:
        return ()
    of = f"{len(kept)} of {len(union)}" if join == "inner" else str(len(kept))
    return (f"{join} join: {of} samples kept; {'; '.join(told)}",)


def _refuse_strangers(places: dict[str, dict[Any, int]], what: str) -> None:
    """Reject a view that shares no identifier with any other view."""
    for name, own in places.items():
        others = [keys for other, keys in places.items() if other != name]
        if not own or any(key in keys for keys in others for key in own):
            continue
        raise ValueError(
            f"{what.capitalize()} {name!r} has no id in common with any other {what}"
            f" (its ids: {_some([*own])}; theirs: {_some([*others[0]])})."
            f"{_suffix(own, others)} Use the same ids in all {what}s"
        )


def _suffix(own: Collection[Any], others: Sequence[Collection[Any]]) -> str:
    """Say where names begin with those of another table, whatever their case."""
    for one, two in ((own, [*chain(*others)]), ([*chain(*others)], own)):
        short = {str(key).casefold(): key for key in two}
        for key in one:
            text = str(key).casefold()
            # 3: one letter, or two, begin every other name
            for end in range(len(text) - 1, 2, -1):
                if text[:end] in short:
                    return (
                        f" {str(short[text[:end]])!r} is the beginning of {str(key)!r}"
                        " in the other: remove what follows, and write upper and lower"
                        " case alike."
                    )
    return ""


def _refuse_differences(places: dict[str, dict[Any, int]], what: str) -> None:
    """Reject views with different identifiers, and count the differences."""
    everywhere, union = set.intersection(*map(set, places.values())), _union(places)
    if len(union) == len(everywhere):
        return
    told = []
    for name, own in places.items():
        lacking = [key for key in union if key not in own]
        if lacking:
            told.append(
                f"{what} {name!r} ({len(own)} samples) lacks {len(lacking)} of them: "
                f"{_some(lacking)}"
            )
    raise ValueError(
        f"The {what}s name different samples: {len(everywhere)} of {len(union)} ids are"
        f" in every {what}; {'; '.join(told)}. Pass join='inner' (on the command line"
        " --join inner) to keep the common samples, or join='outer' to keep all, with"
        f" NaN rows where a {what} lacks one."
    )


def _some(keys: Sequence[Any]) -> str:
    shown = ", ".join(map(repr, keys[:EXAMPLES]))
    return shown + (", ..." if len(keys) > EXAMPLES else "")
