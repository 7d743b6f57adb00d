"""What to do with raw counts: normalise if asked, as the model did, or warn."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

from mvgraph.views.annotated import Annotation
from mvgraph.views.counts import (
    holds_counts,
    holds_whole_numbers,
    library_size,
    log_normalise,
)
from mvgraph.views.schema import Schema

__all__ = ["check_counts", "remember", "treat_counts", "warn_of_counts"]

COUNTS = (None, "raw", "log1p")
#: How the caller writes the treatment, in messages.
OPTION = "counts={!r}"


def check_counts(counts: str | None) -> None:
    """Refuse an unknown treatment of counts."""
    if counts not in COUNTS:
        raise ValueError(f"counts must be one of {COUNTS}; got {counts!r}")


def treat_counts(
    held: dict[str, Any],
    counts: str | None,
    model: Any = None,
    option: str = OPTION,
) -> dict[str, float]:
    """Normalise matrices in place of those in `held`; return the library sizes.

    Parameters
    ----------
    held : dict of view name to matrix
        Changed.
    counts : {"raw", "log1p"} or None
        None: as in the fit of the model; without one they stay as they are, with a
        warning where they are counts.
    model : estimator, optional
        Fitted, see `remember`; its schema finds out whether the values are of the kind
        of the fit.
    option : str
        How the caller writes the treatment, for messages.
    """
    schema = None if model is None else model.schema_
    sizes = _library_sizes(held, counts, schema, option)
    if counts is None and model is None:
        left = {name: x for name, x in held.items() if name not in sizes}
        warn_of_counts(left, option, stacklevel=5)
    for name, size in sizes.items():
        held[name] = log_normalise(held[name], size)
    return sizes


def remember(
    model: Any, use_rep: dict[str, str], counts: str | None, sizes: dict[str, float]
) -> None:
    """Keep in a fitted model how its views were taken: keys, and library sizes."""
    annotation = Annotation(use_rep, counts, sizes)
    model.schema_ = replace(model.schema_, annotation=annotation)


def warn_of_counts(
    parts: dict[str, Any], option: str = OPTION, stacklevel: int = 4
) -> None:
    """Say which matrices hold raw counts that nobody asked to take so."""
    held = [name for name, x in parts.items() if holds_counts(x)]
    if held:
        warnings.warn(
            f"{', '.join(map(repr, held))}: raw counts (whole numbers) are taken as "
            "they are, so that cells with many counts and common features decide; "
            f"{option.format('log1p')} brings all cells to one library size and takes "
            f"logarithms, {option.format('raw')} keeps them as they are.",
            UserWarning,
            stacklevel=stacklevel,
        )


def _library_sizes(
    held: dict[str, Any],
    counts: str | None,
    schema: Schema | None,
    option: str,
) -> dict[str, float]:
    """Return the library size of every view that shall be normalised."""
    before: dict[str, float] = {}
    if schema is not None and schema.annotation is not None:
        before = dict(schema.annotation.log1p)
        if before and len(schema.names) == len(held) == 1:
            before = dict(zip(held, before.values(), strict=True))  # any name will do
    if counts is None:
        sizes = {name: size for name, size in before.items() if name in held}
        odd = [name for name in sizes if not holds_whole_numbers(held[name])]
        if odd:
            raise ValueError(
                f"{odd[0]!r} holds no counts, but the model was fitted with "
                f"{option.format('log1p')}; pass the raw counts, or "
                f"{option.format('raw')} if the values are log(1 + x) at the library "
                "size of the fit already"
            )
        return sizes
    if counts == "raw":
        return {}
    found = [name for name, x in held.items() if holds_counts(x)]
    if not found:
        raise ValueError(
            f"{option.format('log1p')}, but no view holds counts (whole numbers, none "
            f"negative): {list(held)}; choose other views, or leave the option out"
        )
    # new cells are brought to the size of those of the fit
    return {name: before.get(name) or library_size(held[name]) for name in found}
