"""Samples in the plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.display import EmbeddingDisplay
from mvgraph.display._display import new_figure
from mvgraph.display._embedding import MAX_POINTS
from mvgraph.display._points import Palette, as_groups
from mvgraph.graphs.layout import layout_2d
from mvgraph.graphs.samples import SampleGraph
from mvgraph.ops.linalg.laplacian import graph_embedding
from mvgraph.pl._columns import KEY, attribute_of, check_source, column_of, finish

#: Planes that are drawn if none is named, the first that there is.
PLANES = ("X_umap", "X_tsne", "X_draw_graph_fa", "X_mde")
#: Panels beside each other, as in scanpy.
COLUMNS = 4


def embedding(
    data: Any,
    basis: Any = None,
    *,
    color: Any = None,
    palette: Palette = None,
    cmap: str = "viridis",
    legend_loc: str | None = "right margin",
    title: str | Sequence[str] | None = None,
    ax: Any = None,
    show: bool | None = None,
    save: Any = None,
    random_state: int = 0,
) -> Any:
    """Draw the samples in the plane, in the colours of a column.

    Parameters
    ----------
    data : AnnData, MuData or fitted model
    basis : str, or the views of the fit
        What the plane is. For annotated data a key of ``obsm``, with or without
        ``X_``; default: ``X_umap`` or another plane of scanpy, else a layout of the
        graph that :func:`mvgraph.tl.cluster` wrote. For a model the views that it was
        fitted on: the plane is then laid out from them, without the labels.
    color : str, array, or list of these, optional
        A list has one panel each. Of annotated data a column of ``obs`` or a feature,
        of a MuData also ``modality:name``; of a model ``"cluster"``, ``"confidence"``
        or ``"outlier"``; or one value per sample. Default: the clusters.
    palette : mapping of group to colour, sequence of colours, or name, optional
        Colours of groups; a name is that of a colour map of matplotlib. Default:
        those in ``uns[color + "_colors"]``, which scanpy writes, else our own.
    cmap : str, default="viridis"
        Colour map of numbers.
    legend_loc : {"right margin", "on data", None}, default="right margin"
        The names of more than 24 groups are always on the data.
    title : str or sequence of str, optional
        Default: the names of the columns.
    ax : matplotlib axes, or sequence of them, optional
    show : bool, optional
        Show the figure. Default: unless `ax` or `save` is given.
    save : path, optional
        A ``.svg``, ``.pdf`` or ``.png`` file.
    random_state : int, default=0
        Seed of the layout, and of the choice of samples if there are more than 20,000.

    Returns
    -------
    Axes, list of Axes, or None
        None if the figure is shown.

    Raises
    ------
    TypeError
        If `data` is neither annotated nor a model.
    ValueError
        If the model is not fitted, or has no embedding; there is no such plane, column
        or feature; or the file cannot be written.

    Examples
    --------
    >>> import numpy as np, mvgraph
    >>> X = np.random.default_rng(0).normal(size=(60, 4)); X[:30] += 9
    >>> model = mvgraph.GraphConsensus(2, random_state=0).fit([X])
    >>> ax = mvgraph.pl.embedding(model, [X], color="confidence", show=False)
    >>> ax.get_title()
    'confidence'
    """
    annotated = check_source(data)
    display = (_plane if annotated else _of_model)(data, basis, random_state)
    default, read = (KEY, column_of) if annotated else ("cluster", attribute_of)
    wanted = color if isinstance(color, list) else [color]
    columns = [read(data, default if c is None else c) for c in wanted]
    axes = _axes(display, len(columns), ax)
    for panel, name, (key, values) in zip(
        axes, _titles(title, [name for name, _ in columns]), columns, strict=True
    ):
        shown = _of_rows(values, display.samples)
        colours = palette
        if palette is None and annotated:
            colours = _scanpy_colours(data, key, shown)
        look = {"palette": colours, "cmap": cmap, "legend_loc": legend_loc}
        display.plot_by(shown, name, panel, **look)
    return finish(display, axes if len(axes) > 1 else axes[0], ax, show, save)


def _plane(data: Any, basis: str | None, seed: int) -> EmbeddingDisplay:
    """Read a plane of ``obsm``, or lay out the graph that the clustering wrote."""
    keys = [basis, f"X_{basis}"] if basis is not None else PLANES
    key = next((key for key in keys if key in data.obsm), None)
    links = f"{KEY}_connectivities"
    if key is not None:
        points = np.asarray(data.obsm[key], dtype=float)[:, :2]
    elif basis is None and links in data.obsp:
        key, points = "layout", _laid_out(data.obsp[links], seed)
    else:
        raise ValueError(
            f"obsm has none of {list(keys)}; it has {list(data.obsm)}: name one of "
            f"these with basis, or run mvgraph.tl.cluster, which writes a graph"
        )
    there = np.flatnonzero(np.isfinite(points).all(axis=1))
    rows = np.sort(np.random.default_rng(seed).permutation(there)[:MAX_POINTS])
    return EmbeddingDisplay(points[rows].tolist(), [0], None, rows.tolist(), key)


def _laid_out(links: Any, seed: int) -> np.ndarray:
    """Lay the cells of a graph out; those without links have no place."""
    links = sp.csr_matrix(links)
    points = np.full((links.shape[0], 2), np.nan)
    linked = np.flatnonzero(np.diff(links.indptr))
    near = links[linked][:, linked]
    start = graph_embedding(near, 3)[:, 1:].astype(np.float32)
    points[linked] = layout_2d(SampleGraph(near, start), seed)
    return points


def _of_model(model: Any, basis: Any, seed: int) -> EmbeddingDisplay:
    if basis is None or isinstance(basis, str):
        raise ValueError(
            "a model does not hold its data: pass the views of the fit, "
            "pl.embedding(model, X)"
        )
    return EmbeddingDisplay.from_estimator(model, basis, random_state=seed)


def _of_rows(values: Any, rows: list[int]) -> Any:
    """Return the values of the samples that are shown; categories keep their order."""
    if hasattr(values, "cat"):
        return values.array[rows]
    return np.asarray(values)[rows]


def _axes(display: EmbeddingDisplay, n: int, given: Any) -> list[Any]:
    if given is None:
        columns = min(n, COLUMNS)
        width, height = display.size
        figure = new_figure((width * columns, height * -(-n // COLUMNS)))
        grid = figure.subplots(-(-n // COLUMNS), columns, squeeze=False).ravel()
        for spare in grid[n:]:
            spare.set_axis_off()
        return list(grid[:n])
    axes = list(np.atleast_1d(given))
    if len(axes) != n:
        raise ValueError(f"ax must be {n} axes, one per color; got {len(axes)}")
    return axes


def _titles(title: Any, names: list[str]) -> list[str]:
    if title is None:
        return names
    titles = [title] if isinstance(title, str) else list(title)
    if len(titles) != len(names):
        raise ValueError(f"title must be {len(names)} texts, one per color")
    return titles


def _scanpy_colours(data: Any, key: str, shown: Any) -> Any:
    """Return the colours that scanpy drew the groups in, if it did."""
    groups = as_groups(shown)
    colours = data.uns.get(f"{key}_colors")
    if groups is None or colours is None or len(colours) < len(groups[1]):
        return None
    return [str(colour) for colour in colours]
