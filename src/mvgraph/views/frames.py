"""Data frames of any library, and Arrow tables, as `Columns`: through narwhals."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.labels import is_missing
from mvgraph.ops.wording import extra
from mvgraph.views.columns import DATE, NUMBER, OTHER, TEXT, Columns
from mvgraph.views.identifiers import objects


def columns_of(frame: Any, where: str = "the frame") -> Columns:
    """Determine what the columns of a frame contain; nothing is copied yet.

    Raises
    ------
    ImportError
        narwhals is not installed.
    ValueError
        Vectors in the cells of a column have different lengths.
    """
    if hasattr(frame, "collect"):
        frame = frame.collect()  # it was lazy
    plain = _plain(frame, where)
    if plain is not None:
        return plain
    names = getattr(frame, "column_names", None)  # Arrow; its columns are arrays
    header = [str(name) for name in (frame.columns if names is None else names)]
    table = _narwhals(frame, len(header))
    series = [table[:, i] for i in range(table.shape[1])]
    kinds = [_kind(one) for one in series]
    vectors = {
        header[i]: stack_vectors(where, header[i], series[i].to_list())
        for i, kind in enumerate(kinds)
        if kind == "vectors"
    }
    kept = [i for i, kind in enumerate(kinds) if kind != "vectors"]
    names, series = [header[i] for i in kept], [series[i] for i in kept]
    kinds = [kinds[i] for i in kept]
    categories = {i: _categories(x) for i, x in enumerate(series) if _is_coded(x)}

    def one(i: int) -> np.ndarray:
        if kinds[i] == NUMBER:
            return numbers_of(series[i])
        return objects(
            cell.decode(errors="replace") if isinstance(cell, bytes) else cell
            for cell in series[i].to_list()
        )

    def numbers(which: Sequence[int]) -> np.ndarray:
        return matrix_of([numbers_of(series[i]) for i in which], table.shape[0])

    def written(i: int) -> np.ndarray:
        return one(i) if kinds[i] != NUMBER else _names_of(series[i])

    return Columns(
        names, kinds, one, numbers, written, vectors, where=where, categories=categories
    )


def _plain(frame: Any, where: str) -> Columns | None:
    """Return the columns of a pandas frame of one type without a copy, else None.

    Frames of sparse columns stay sparse.
    """
    if not hasattr(frame, "dtypes") or not hasattr(frame, "iloc"):
        return None
    types = {str(kind) for kind in frame.dtypes}
    header = [str(name) for name in frame.columns]
    kinds = [NUMBER] * len(header)
    whole = list(range(len(header)))
    if types and all(kind.startswith("Sparse[") for kind in types):
        values = sp.csr_matrix(frame.sparse.to_coo())
        return Columns(
            header,
            kinds,
            lambda i: values[:, [i]].toarray().ravel(),
            lambda which: values[:, list(which)],
            where=where,
        )
    numpy = [kind for kind in frame.dtypes if isinstance(kind, np.dtype)]
    if len(types) != 1 or not numpy or numpy[0].kind not in "fiub":
        return None
    held = frame.to_numpy()
    return Columns(
        header,
        kinds,
        lambda i: held[:, i],
        lambda which: held if list(which) == whole else held[:, list(which)],
        where=where,
    )


def matrix_of(parts: Sequence[np.ndarray], n_rows: int) -> np.ndarray:
    """Put columns side by side, as their common type if they share one, else float64.

    Parameters
    ----------
    parts : sequence of d arrays of shape (n_rows,)
    n_rows : int

    Returns
    -------
    ndarray of shape (n_rows, d)
    """
    kinds = {part.dtype for part in parts}
    kind = kinds.pop() if len(kinds) == 1 else np.dtype(np.float64)
    out = np.empty((n_rows, len(parts)), dtype=kind)
    # a few columns at a time: the rows that are written stay in the cache
    for start in range(0, n_rows, 4096):
        for j, part in enumerate(parts):
            out[start : start + 4096, j] = part[start : start + 4096]
    return out


def numbers_of(series: Any) -> np.ndarray:
    """Return a column of numbers; missing values become NaN, booleans 0 and 1.

    Durations are seconds.
    """
    if str(series.dtype).startswith("Duration"):
        return numbers_of(series.dt.total_microseconds()) / 1e6
    kind = series.dtype
    if _is_whole(series):
        return series.to_numpy()
    if str(kind) == "Object":
        cells = series.to_list()
        try:
            return np.array([np.nan if is_missing(c) else float(c) for c in cells])
        except OverflowError as error:
            raise ValueError(
                f"column {series.name!r} has a whole number beyond what float64 can "
                "hold. Scale the column, or leave it out"
            ) from error
    import narwhals.stable.v2 as nw

    wanted = nw.Float32 if str(kind) == "Float32" else nw.Float64
    return np.asarray(
        series.cast(wanted).to_numpy(),
        dtype=np.float32 if wanted is nw.Float32 else np.float64,
    )


def _is_whole(series: Any) -> bool:
    """Return whether NumPy has all values of a column as integers."""
    kind = series.dtype
    return bool(
        kind.is_integer() and not series.null_count() and "128" not in str(kind)
    )


def _names_of(series: Any) -> np.ndarray:
    """Return numbers as names: whole ones stay whole, decimal ones are written out."""
    kind = series.dtype
    if _is_whole(series):
        return series.to_numpy()
    exact = kind.is_integer() or str(kind) == "Object" or kind.is_decimal()
    if not exact:
        return numbers_of(series)
    return objects(
        f"{cell.normalize():f}" if isinstance(cell, Decimal) else cell
        for cell in series.to_list()
    )


def stack_vectors(where: str, name: str, cells: Sequence[Any]) -> np.ndarray:
    """Stack the vectors of a column as rows; an empty cell is a row of NaN.

    Raises
    ------
    ValueError
        The vectors have different lengths, or do not contain numbers; a cell is none.
    """
    cells = [None if is_missing(cell) else cell for cell in cells]
    first = next((cell for cell in cells if cell is not None), ())
    for row, cell in enumerate(cells):
        if cell is not None and not isinstance(cell, np.ndarray | list | tuple):
            raise ValueError(
                f"{where}: row {row} of column {name!r} holds {cell!r}, other rows "
                "vectors. Put a vector there, or leave the cell empty"
            )
    lengths = {len(cell) for cell in cells if cell is not None}
    if not lengths:
        return np.full((len(cells), 0), np.nan)
    refuse_lengths(where, name, lengths)
    empty = np.full(len(first), np.nan)
    try:
        rows = np.array([empty if cell is None else cell for cell in cells])
        return rows if rows.dtype.kind in "biuf" else rows.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{where}: the vectors in column {name!r} are not numbers ({error})."
            " Leave the column out"
        ) from error


def refuse_lengths(where: str, name: str, lengths: Collection[int]) -> None:
    """Reject vectors of a column that have no or several lengths.

    Raises
    ------
    ValueError
    """
    if len(lengths) != 1 or 0 in lengths:
        raise ValueError(
            f"{where}: the vectors in column {name!r} have different lengths"
            f" ({sorted(lengths)[:3]}). Keep vectors of one length"
        )


def _narwhals(frame: Any, width: int) -> Any:
    """Wrap a frame under unique column names, which frames need not have."""
    with extra("a data frame", "narwhals", "files"):
        import narwhals.stable.v2 as nw
    if hasattr(frame, "set_axis"):
        frame = frame.set_axis([str(i) for i in range(width)], axis=1)
        periods = [c for c, kind in frame.dtypes.items() if _is_period(kind)]
        frame = frame.assign(**{c: frame[c].dt.to_timestamp() for c in periods})
    elif hasattr(frame, "rename_columns"):
        frame = frame.rename_columns([str(i) for i in range(width)])
    return nw.from_native(frame, eager_only=True)


def _is_period(kind: Any) -> bool:
    """Return whether a column of pandas holds spans of time, such as months."""
    return str(kind).startswith("period[")


def _is_coded(series: Any) -> bool:
    """Return whether the type of a column says that it holds categories."""
    return str(series.dtype).startswith(("Categorical", "Enum"))


def _categories(series: Any) -> tuple[Any, ...]:
    """Return categories in their order; only pandas says whether it means anything."""
    if not series.implementation.is_pandas():
        return ()
    kind = series.to_native().dtype
    return tuple(kind.categories.tolist()) if kind.ordered else ()


def _kind(series: Any) -> str:
    kind = series.dtype
    if kind.is_numeric() or str(kind).startswith(("Boolean", "Null", "Duration")):
        return NUMBER
    if kind.is_temporal():
        return DATE
    if str(kind).startswith(("List", "Array")):
        return "vectors"
    if str(kind).startswith(("String", "Categorical", "Enum", "Binary")):
        return TEXT
    return _kind_of_objects(series.to_list())


def _kind_of_objects(cells: list[Any]) -> str:
    """Determine the kind of a column of Python objects, ignoring missing cells."""
    held = [cell for cell in cells if not is_missing(cell)]
    if any(isinstance(cell, np.ndarray | list | tuple) for cell in held):
        return "vectors"
    if all(isinstance(cell, Real | Decimal | np.bool_) for cell in held):
        return NUMBER
    if held and all(isinstance(cell, datetime.date) for cell in held):
        return DATE
    return TEXT if any(isinstance(cell, str | bytes) for cell in held) else OTHER
