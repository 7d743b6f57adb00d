"""Everything that a page shows, computed from a fitted model and its views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.graphs.samples import graph_of
from mvgraph.inspection.groups import described_groups, groups_of_model
from mvgraph.inspection.keywords import text_views
from mvgraph.inspection.markers import column_names
from mvgraph.levels.values import columns_behind, columns_in_words
from mvgraph.page.columns import (
    Column,
    columns_given,
    columns_of_input,
    feature_columns,
    given_columns,
)
from mvgraph.page.fitted import Drawn, method_of, views_of, weights_of
from mvgraph.page.levels import colours_of, levels_of, tree_of, with_given_names
from mvgraph.page.pictures import pictures_of_pixels, thumbnails
from mvgraph.page.shown import LevelShown, Sample, in_memory, show_levels
from mvgraph.page.space import KEPT, MOST, Space, draw_rows, lay_out
from mvgraph.views.coerce import as_views
from mvgraph.views.container import Views

#: Rows that statistics of features are taken of; of more, this many are drawn.
COUNTED = 200_000
#: Letters of the names of all drawn samples: a megabyte or two, once deflated.
MOST_LETTERS = 3_000_000
#: Numbers of the pictures of all drawn samples; of larger ones only some are shown.
MOST_PIXELS = 2_000_000


@dataclass(frozen=True)
class PageData:
    """What a page shows; positions are among the drawn samples."""

    name: str
    n: int
    rows: np.ndarray  # (m,) the drawn samples
    ids: list[str]
    xy: np.ndarray  # (m, 2)
    levels: list[LevelShown]
    base: int  # the level of the labels
    tree: list[tuple[int, int, float]]
    colours: dict[int, str]
    sure: np.ndarray | None  # (m,) largest membership
    outlier: np.ndarray | None
    odd: list[tuple[int, bool, str]]  # position, contradicts itself, reason
    shares: dict[str, float]  # of all samples: clear, none
    columns: list[Column]
    views: list[dict[str, Any]]
    method: dict[str, Any]
    notes: list[str] = field(default_factory=list)  # what is not shown
    warnings: Sequence[str] = ()
    reading: Any = None
    command: str = ""
    monitor: dict[str, Any] | None = None  # of new samples against those of the fit
    pictures: np.ndarray | None = None
    files: dict[int, str] = field(default_factory=dict)  # pictures, by position


def collect(
    model: Any,
    X: Any,
    *,
    metadata: Any = None,
    pictures: np.ndarray | None = None,
    folder: str | Path | None = None,
    described_by: Any = None,
    most: int = MOST,
    name: str = "",
    **told: Any,
) -> PageData:
    """Compute what a page shows; see :func:`mvgraph.page.write_page`.

    What is shown as it is told (reading, command, monitor, warnings) is not listed.
    """
    whole = groups_of_model(model, X)
    views, n = whole.views, len(whole.views)
    names = column_names(as_views(X), views, None)
    described, names = described_groups(whole, names, X, described_by)
    texts = text_views(as_views(X))
    levels, base = levels_of(model)
    rng = np.random.default_rng(0)
    rows = _drawn_rows(views, levels[-1].codes, most, rng)
    sample = in_memory(views[rows])
    known, weights = Drawn.of(model, sample, rows), weights_of(model, views.n_views)
    space = Space.of(sample)
    graph = graph_of(model, sample)
    drawn = Sample(rows, space, graph.features, known)
    points, how = lay_out(graph)
    counted = np.sort(rng.permutation(n)[:COUNTED])
    shown, chosen = show_levels(
        levels, base, drawn, described.views, counted, names, texts, rng
    )
    own = levels[base]
    shown = [
        replace(one, names=with_given_names(model, one.level, own, one.names))
        for one in shown
    ]
    given = columns_of_input(X, views) | columns_given(metadata, views)
    listed = _listed(shown, known)
    small = None if pictures is None else np.asarray(pictures)[rows]
    at, files = _pictures_of(given, folder, listed, rows)
    if small is not None and small.size > MOST_PIXELS:
        files, small = pictures_of_pixels(small, listed), None
    given.pop(at, None)
    columns = feature_columns(
        in_memory(described.views[rows]), chosen, names
    ) + given_columns(given, rows)
    return PageData(
        name=name or type(model).__name__,
        n=n,
        rows=rows,
        ids=[str(i) for i in (rows if views.ids is None else views.ids[rows])],
        xy=points,
        levels=shown,
        base=base,
        tree=tree_of(model, levels[-1]),
        colours=colours_of(levels, base),
        sure=known.sure,
        outlier=known.outlier,
        odd=known.odd(),
        shares=known.shares(own.codes[rows], np.bincount(own.codes, minlength=own.k)),
        columns=columns,
        views=views_of(model, views, weights),
        method=method_of(model),
        notes=[
            *_of_columns(model.labels_, as_views(X)),
            *_notes(n, len(rows), levels[-1].k),
            *([how] if how else []),
        ],
        pictures=small,
        files=files,
        **told,
    )


def _drawn_rows(
    views: Views, codes: np.ndarray, most: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw rows; fewer where their names are long."""
    rows = draw_rows(codes, most, rng)
    if views.ids is None:
        return rows
    letters = sum(len(str(i)) for i in views.ids[rows])
    if letters <= MOST_LETTERS:
        return rows
    return draw_rows(codes, len(rows) * MOST_LETTERS // letters, rng)


def _listed(shown: list[LevelShown], known: Drawn) -> list[int]:
    """Return the samples that cards and lists name, typical ones first."""
    listed = [i for level in shown for own in level.typical for i in own]
    listed += [i for level in shown for own in level.least for i in own]
    return list(dict.fromkeys(listed + [i for i, *_ in known.odd()]))


def _pictures_of(
    given: dict[str, np.ndarray],
    folder: str | Path | None,
    listed: list[int],
    rows: np.ndarray,
) -> tuple[str, dict[int, str]]:
    """Read pictures that a column names; by position among the drawn samples."""
    if folder is None:
        return "", {}
    at = dict(zip(rows[listed].tolist(), listed, strict=True))
    name, found = thumbnails(given, Path(folder), list(at))
    return name, {at[row]: uri for row, uri in found.items()}


def _of_columns(labels: np.ndarray, views: Views) -> list[str]:
    """Say so if a table of counts of some columns would show the clusters."""
    columns = columns_behind(labels, views)
    return [columns_in_words(columns)] if columns else []


def _notes(n: int, drawn: int, k: int) -> list[str]:
    """Say what is not shown."""
    notes = []
    if n > drawn:
        notes.append(
            f"{n:,} samples: {drawn:,} are drawn, of every group at least "
            f"{min(KEPT, drawn // k)} or all."
        )
    if n > COUNTED:
        notes.append(f"Effects of features are those of {COUNTED:,} samples.")
    return notes
