"""Clusters: compared with others, by features, as a tree, in every view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mvgraph.display import DendrogramDisplay, HeatmapDisplay
from mvgraph.inspection.comparison import compare_labels
from mvgraph.inspection.explanation import explain
from mvgraph.inspection.groups import groups_of_labels, groups_of_model
from mvgraph.page.columns import strongest
from mvgraph.page.space import MOST, Space, draw_rows, seen_alone, votes_of_views
from mvgraph.persistence.models import load_model
from mvgraph.pl._columns import KEY, check_source, finish, names_shown
from mvgraph.views.annotated import obs_column
from mvgraph.views.casting import is_annotated
from mvgraph.views.coerce import as_views


def compare(
    data: Any,
    a: Any,
    b: Any = None,
    *,
    names: Sequence[str] | None = None,
    ax: Any = None,
    show: bool | None = None,
    save: Any = None,
) -> Any:
    """Draw two clusterings: a matched heat map, and the flow of samples.

    Parameters
    ----------
    data : AnnData, MuData, or the first clustering
        A fitted model, a pandas Series, a mapping of sample to label, or an array.
    a, b : str, or the second clustering
        Two columns of ``obs``, of a modality as ``rna:leiden``; or `a` alone if `data`
        is a clustering. The default of `b` is ``"mvgraph"``.
    names : sequence of two str, optional
        Default: those of the columns, else A and B.
    ax : sequence of two matplotlib axes, optional
    show : bool, optional
        Show the figure. Default: unless `ax` or `save` is given.
    save : path, optional
        A ``.svg``, ``.pdf`` or ``.png`` file.

    Returns
    -------
    list of two Axes, or None
        None if the figure is shown.

    Raises
    ------
    ValueError
        There is no such column; or see :func:`mvgraph.compare_labels`, which returns
        the numbers.

    Examples
    --------
    >>> import mvgraph
    >>> axes = mvgraph.pl.compare([0, 0, 1, 1], [0, 0, 1, 2], show=False)
    >>> axes[1].get_title()
    'A to B'
    """
    if is_annotated(data):
        columns = (a, KEY if b is None else b)
        found = compare_labels(
            *(obs_column(data, column) for column in columns), names=names or columns
        )
    elif b is not None:
        raise ValueError("compare takes two clusterings, or annotated data and columns")
    else:
        found = compare_labels(data, a, names=names or ("A", "B"))
    display = found.plot(ax)
    return finish(display, display.axes_, ax, show, save)


def heatmap(
    data: Any,
    X: Any = None,
    *,
    groupby: str = KEY,
    n_features: int = 40,
    cmap: str | None = None,
    ax: Any = None,
    show: bool | None = None,
    save: Any = None,
    **options: Any,
) -> Any:
    """Draw how much higher or lower the strongest features are in every cluster.

    Parameters
    ----------
    data : AnnData, MuData or fitted model
    X : what the model was fitted on
        Not for annotated data.
    groupby : str, default="mvgraph"
        Column of ``obs`` with the clusters.
    n_features : int, default=40
        In all; the strongest of every cluster in turn.
    cmap : str, optional
        Colour map; default: red for high, blue for low.
    ax : matplotlib axes, optional
    show : bool, optional
        Show the figure. Default: unless `ax` or `save` is given.
    save : path, optional
        A ``.svg``, ``.pdf`` or ``.png`` file.
    **options
        Of :func:`mvgraph.explain`, such as ``feature_names``.

    Returns
    -------
    Axes, or None
        None if the figure is shown.

    Raises
    ------
    TypeError
        If `data` is neither annotated nor a model.
    ValueError
        See :func:`mvgraph.explain`; or X is missing.

    Examples
    --------
    >>> import numpy as np, mvgraph
    >>> X = np.random.default_rng(0).normal(size=(60, 4)); X[:30] += 9
    >>> model = mvgraph.GraphConsensus(2, random_state=0).fit([X])
    >>> ax = mvgraph.pl.heatmap(model, [X], n_features=3, show=False)
    >>> len(ax.get_xticks())
    3
    """
    why = _explained(data, X, groupby, options)
    chosen = strongest(why.profiles, n_features)
    display = HeatmapDisplay.from_explanation(why, chosen)
    display.groups = _called(data, why.clusters)
    display.plot(ax, cmap)
    return finish(display, display.ax_, ax, show, save)


def _explained(data: Any, X: Any, groupby: str, options: dict[str, Any]) -> Any:
    """Explain the clusters without tests and exemplars, which are not drawn."""
    options = {"test": None, "n_exemplars": 0, "n_keywords": 0, **options}
    if check_source(data):
        return explain(data, obs_column(data, groupby), n_features=None, **options)
    if X is None:
        raise ValueError("a model does not hold its data: pass X, as in fit")
    return explain(data, X, n_features=None, **options)


def _called(data: Any, clusters: Sequence[Any]) -> list[str]:
    """Return what the picture calls clusters: number and name, if they have one."""
    shown = {} if is_annotated(data) else names_shown(data)
    return [shown.get(cluster, str(cluster)) for cluster in clusters]


def tree(
    data: Any,
    *,
    key: str = KEY,
    ax: Any = None,
    show: bool | None = None,
    save: Any = None,
) -> Any:
    """Draw the tree of communities below and above the clusters.

    Parameters
    ----------
    data : fitted model, AnnData or MuData
        Annotated data only if ``mvgraph.tl.cluster(data, save=...)`` has written the
        model, which is read again.
    key : str, default="mvgraph"
        Name under which :func:`mvgraph.tl.cluster` wrote its results.
    ax : matplotlib axes, optional
    show : bool, optional
        Show the figure. Default: unless `ax` or `save` is given.
    save : path, optional
        A ``.svg``, ``.pdf`` or ``.png`` file.

    Returns
    -------
    Axes, or None
        None if the figure is shown.

    Raises
    ------
    TypeError
        If `data` is neither annotated nor a model.
    ValueError
        There is no model, or it has no tree.

    Examples
    --------
    >>> import numpy as np, mvgraph
    >>> X = np.random.default_rng(0).normal(size=(60, 4)); X[:30] += 9
    >>> model = mvgraph.GraphConsensus(2, random_state=0).fit([X])
    >>> mvgraph.pl.tree(model, show=False).get_xlabel()
    'merges, from the first'
    """
    if check_source(data):
        path = data.uns.get(key, {}).get("model")
        if path is None:
            raise ValueError(
                f"uns[{key!r}] names no model: call mvgraph.tl.cluster(data, "
                "return_model=True) and draw the model, or save=FOLDER"
            )
        data = load_model(path)
    display = DendrogramDisplay.from_estimator(data).plot(ax)
    return finish(display, display.ax_, ax, show, save)


def views(
    data: Any,
    X: Any = None,
    *,
    groupby: str = KEY,
    cmap: str | None = None,
    ax: Any = None,
    show: bool | None = None,
    save: Any = None,
    random_state: int = 0,
) -> Any:
    """Draw how well each view alone shows every cluster.

    A cell is the share of the samples of a cluster that are nearest to this cluster in
    that view, as near samples vote; the last row is the share of all samples. A view
    that says nothing has one over the number of clusters.

    Parameters
    ----------
    data : AnnData, MuData or fitted model
    X : what the model was fitted on
        Not for annotated data, whose views are those of :func:`mvgraph.as_views`.
    groupby : str, default="mvgraph"
        Column of ``obs`` with the clusters.
    cmap : str, optional
        Colour map; default: from white to blue.
    ax : matplotlib axes, optional
    show : bool, optional
        Show the figure. Default: unless `ax` or `save` is given.
    save : path, optional
        A ``.svg``, ``.pdf`` or ``.png`` file.
    random_state : int, default=0
        Chooses who votes.

    Returns
    -------
    Axes, or None
        None if the figure is shown.

    Raises
    ------
    TypeError
        If `data` is neither annotated nor a model.
    ValueError
        X is missing, or its rows are not those of the fit; there is no such column.

    Examples
    --------
    >>> import numpy as np, mvgraph
    >>> rng = np.random.default_rng(0)
    >>> X = {"good": rng.normal(size=(60, 4)), "noise": rng.normal(size=(60, 4))}
    >>> X["good"][:30] += 9
    >>> model = mvgraph.GraphConsensus(2, random_state=0).fit(X)
    >>> ax = mvgraph.pl.views(model, X, show=False)
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['good', 'noise']
    """
    if check_source(data):
        groups = groups_of_labels(as_views(data), obs_column(data, groupby))
    elif X is None:
        raise ValueError("a model does not hold its data: pass X, as in fit")
    else:
        groups = groups_of_model(data, X)
    rng = np.random.default_rng(random_state)
    rows = np.flatnonzero(groups.codes >= 0)
    rows = rows[draw_rows(groups.codes[rows], MOST, rng)]
    codes, k = groups.codes[rows], len(groups.names)
    votes = votes_of_views(Space.of(groups.views[rows]), codes, k, rng)
    known = groups.codes[groups.codes >= 0]
    shares = seen_alone(votes, codes, np.bincount(known, minlength=k))
    called, table = _called(data, groups.names), map(list, zip(*shares, strict=True))
    words = ("share of the cluster", "what each view alone shows")
    names = list(groups.views.names)
    display = HeatmapDisplay([*called, "all"], names, list(table), [], *words)
    display.plot(ax, cmap)
    return finish(display, display.ax_, ax, show, save)
