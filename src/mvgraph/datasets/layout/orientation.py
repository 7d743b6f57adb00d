"""Decide whether samples lie in rows or in columns, by the number of labels."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from mvgraph.datasets.layout.source import HINT, Source, describe

ROWS, COLUMNS = "rows", "columns"
CHOICES = (None, ROWS, COLUMNS)
STATE_IT = (
    'pass orientation="rows" or "columns" (on the command line --orientation), which'
    " says where the samples are"
)


def orient(
    source: Source,
    names: list[str],
    matrices: list[Any],
    n_samples: int | None,
) -> list[Any]:
    """Return the matrices with samples in rows.

    The expected numbers of features decide if they fit one side only; otherwise the
    number of labels decides for every view, and square views follow the others.

    Raises
    ------
    ValueError
        If neither side of a view fits, or if the case stays ambiguous.
    """
    orientation = ROWS if source.settled else source.options.orientation
    if orientation is None and not source.features and source.ids is None:
        orientation = _side_of_widths(source, names, matrices)
    if orientation is None and n_samples is None:
        orientation = _common_side(source, matrices)
    if orientation is not None:
        turned = [m.T if orientation == COLUMNS else m for m in matrices]
        _check_lengths(source, names, turned, n_samples)
        return turned
    sides = [
        _side(source, name, matrix, n_samples)
        for name, matrix in zip(names, matrices, strict=True)
    ]
    square = _side_of_squares(source, names, matrices, sides)
    return [
        m.T if (side or square) == COLUMNS else m
        for m, side in zip(matrices, sides, strict=True)
    ]


def _side_of_widths(
    source: Source, names: list[str], matrices: list[Any]
) -> str | None:
    """Return the side that gives every view its expected number of features."""
    widths = source.widths
    if len(widths) == len(names) == 1:  # a single view may have any name
        widths = dict.fromkeys(names, *widths.values())
    expected = [
        (matrix.shape, widths[name])
        for name, matrix in zip(names, matrices, strict=True)
        if name in widths
    ]
    rows = all(shape[1] == d for shape, d in expected)
    columns = all(shape[0] == d for shape, d in expected)
    return None if rows == columns else ROWS if rows else COLUMNS


def _side(source: Source, name: str, matrix: Any, n_samples: int | None) -> str | None:
    """Return where the samples of one view are; None if it is square."""
    rows, columns = (side == n_samples for side in matrix.shape)
    if rows and columns:
        return None
    if not rows and not columns:
        raise source.error(
            f"view {name!r} is {describe(matrix)} but there are {n_samples} labels",
            f"name the right variables with {HINT}",
        )
    return ROWS if rows else COLUMNS


def _side_of_squares(
    source: Source, names: list[str], matrices: list[Any], sides: list[str | None]
) -> str:
    """Return where square views have their samples: where the others have them."""
    sides_of_rest = set(sides) - {None}
    squares = [i for i, side in enumerate(sides) if side is None]
    if not squares or len(sides_of_rest) == 1:
        return sides_of_rest.pop() if len(sides_of_rest) == 1 else ROWS  # type: ignore[return-value]
    lopsided = [names[i] for i in squares if not _is_symmetric(matrices[i])]
    if lopsided:
        raise source.error(
            f"square view {lopsided[0]!r} could be read either way", STATE_IT
        )
    if not sides_of_rest:
        raise source.error(
            "every view is a symmetric square matrix and looks like a kernel or"
            " graph rather than features",
            f"load the features; to use the rows as features, {STATE_IT}",
        )
    return ROWS


def _common_side(source: Source, matrices: list[Any]) -> str:
    """Return the side that all views share, without labels."""
    rows = len({m.shape[0] for m in matrices}) == 1
    columns = len({m.shape[1] for m in matrices}) == 1
    if rows and (source.rows_first or not columns):
        return ROWS
    if columns and not rows and not source.rows_first:
        return COLUMNS
    if rows or columns:
        raise source.error(
            "without labels the views could be read either way", STATE_IT
        )
    raise source.error("the views share no side")


def _check_lengths(
    source: Source, names: list[str], matrices: list[Any], n_samples: int | None
) -> None:
    expected = matrices[0].shape[0] if n_samples is None else n_samples
    for name, matrix in zip(names, matrices, strict=True):
        if matrix.shape[0] != expected:
            raise source.error(
                f"view {name!r} has {matrix.shape[0]} samples instead of {expected}",
                "check orientation and key_map (on the command line --orientation,"
                " --views and --labels)",
            )


def _is_symmetric(matrix: Any) -> bool:
    if sparse.issparse(matrix):
        return bool((matrix != matrix.T).nnz == 0)
    return bool((matrix == matrix.T).all())
