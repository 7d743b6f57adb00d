"""The embedding of the samples in two dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix

from mvgraph.base.clusterer import Clusterer
from mvgraph.display import _axes as axes
from mvgraph.display import _display as base
from mvgraph.display._points import MAX_LEGEND, bare, draw_points, filling, layout
from mvgraph.display._styles import group_style
from mvgraph.graphs.layout import layout_2d
from mvgraph.graphs.samples import graph_of, sample_graph

#: If there are more samples, this many are drawn at random.
MAX_POINTS = 20_000
#: Up to this many samples are separate marks in the report, each with a description (a
#: hundred bytes); the marks of more samples are one image.
MAX_MARKS = 500
SCALE = 1000


@dataclass(repr=False)
class EmbeddingDisplay(base.Display):
    """Samples as points, near each other if they are alike.

    Parameters
    ----------
    points : list of [x, y]
        At most 20,000 samples, from -1 to 1.
    clusters : list of int
    classes : list of int or None
        Known classes, for comparison only.
    samples : list of int
        Row numbers of the samples.
    name : str

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot
    """

    SIZE: ClassVar[tuple[float, float]] = (5.0, 4.4)

    points: list[list[float]]
    clusters: list[int]
    classes: list[int] | None
    samples: list[int]
    name: str = ""

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        name: str = "",
        random_state: int = 0,
    ) -> EmbeddingDisplay:
        """Lay the samples out by the views that the fit trusted, as a map.

        The map is that of :func:`mvgraph.graphs.layout.layout_2d`: no label is in it,
        so that it shows whether the clusters are there.

        Parameters
        ----------
        estimator : fitted clusterer with ``labels_``
        X : as in fit
        y : array-like of int, optional
            Known classes.
        name : str
        random_state : int
            Chooses the samples that are shown, and seeds the layout.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the rows of X are not those of the fit, or there is not one class per
            sample.
        ImportError
            If umap-learn is not installed: it comes with the extra ``plots``.
        """
        labels = base.fitted_attribute(estimator, "labels_")
        views = base.views_of_fit(estimator, X)
        chosen = _choice(len(views), random_state)
        if isinstance(estimator, Clusterer):
            graph = graph_of(estimator, views[chosen])
        else:
            graph = sample_graph(views[chosen])
        points = filling(layout_2d(graph, random_state)).tolist()
        return cls._of(points, chosen, labels, y, name or type(estimator).__name__)

    @classmethod
    def from_embedding(
        cls, estimator: Any, y: Any = None, name: str = "", random_state: int = 0
    ) -> EmbeddingDisplay:
        """Lay ``embedding_`` of a fitted estimator out in the plane.

        This is what the method learned: it was made for the clusters, and parts them
        more clearly than the data do. A thousand samples are laid out by t-SNE; each
        other sample lies among the three of them that are nearest to it.

        Parameters
        ----------
        estimator : fitted clusterer with ``embedding_``
        y : array-like of int, optional
            Known classes.
        name : str
        random_state : int
            Chooses the samples that are shown, and seeds the layout.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the method has no embedding, or there is not one class per sample.
        """
        U = np.asarray(base.fitted_attribute(estimator, "embedding_"), dtype=float)
        chosen = _choice(len(U), random_state)
        points = layout(U[chosen], random_state).tolist()
        name = name or type(estimator).__name__
        return cls._of(points, chosen, estimator.labels_, y, name)

    @classmethod
    def _of(
        cls,
        points: list[list[float]],
        chosen: np.ndarray,
        labels: Any,
        y: Any,
        name: str,
    ) -> EmbeddingDisplay:
        if y is not None and getattr(y, "shape", (len(y),)) != (len(labels),):
            raise ValueError(
                f"y must be the known class of each of {len(labels)} samples, or be "
                f"left out; got {type(y).__name__} of {len(y)}."
            )
        clusters = np.asarray(labels)[chosen].astype(int).tolist()
        classes = None if y is None else np.asarray(y)[chosen].astype(int).tolist()
        return cls(points, clusters, classes, chosen.tolist(), name)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> EmbeddingDisplay:
        """Build from the output of ``data()``; old records have lists."""
        data = dict(data)
        if isinstance(data["points"], str):
            data["points"] = (_unpack(data["points"]).reshape(-1, 2) / SCALE).tolist()
            data["samples"] = np.cumsum(_unpack(data["samples"])).tolist()
            for key in ("clusters", "classes"):
                if data[key] is not None:
                    data[key] = _unpack(data[key]).tolist()
        return cls(**data)

    def data(self) -> dict[str, Any]:
        """Return the data as plain JSON; numbers as base64 of deflated integers."""
        data = super().data() | {"points": np.round(np.multiply(self.points, SCALE))}
        data["samples"] = np.diff(self.samples, prepend=0)
        for key in ("points", "clusters", "classes", "samples"):
            data[key] = None if data[key] is None else _pack(data[key])
        return data

    @property
    def about(self) -> str:
        """Describe the picture."""
        samples = f"{len(self.points)} samples of {self.name}"
        return (
            f"{samples} in {len(set(self.clusters))} clusters, laid out in the plane."
        )

    @property
    def about_classes(self) -> str:
        """Describe the picture of `plot_classes`."""
        n = len(set(self.classes or []))
        return f"The same samples by their {n} known classes."

    def plot(self, ax: Any = None) -> EmbeddingDisplay:
        """Draw the points, with one colour and mark per cluster."""
        return self._draw(self.clusters, "cluster", ax)

    def plot_classes(self, ax: Any = None) -> EmbeddingDisplay:
        """Draw the points, with one colour and mark per known class.

        A class has the colour of the cluster that it shares most samples with, one
        to one.

        Raises
        ------
        ValueError
            If no classes are known.
        """
        if self.classes is None:
            raise ValueError("no classes are known; call from_estimator(model, X, y)")
        return self._draw(self.classes, "class", ax)

    def plot_by(
        self, values: Any, name: str = "", ax: Any = None, **look: Any
    ) -> EmbeddingDisplay:
        """Draw the points in the colours of any column, one value per sample shown.

        Parameters
        ----------
        values : array-like, of the length of ``points``
            Numbers, or names of groups; a pandas Categorical keeps the order of its
            categories. Missing values are grey.
        name : str
            Title.
        ax : matplotlib axes, optional
        **look
            ``palette`` and ``legend_loc``, see :func:`mvgraph.pl.embedding`; ``cmap``.

        Raises
        ------
        ValueError
            If there is not one value per point.
        """
        draw_points(self._begin(ax), np.asarray(self.points), values, **look)
        self.ax_.set_title(name)
        return self

    def _colours(self, groups: list[int]) -> dict[int, int]:
        """Give groups the numbers of their colours; a class has that of its cluster."""
        if groups is self.clusters:
            return {g: g for g in groups}
        classes, clusters = sorted(set(groups)), sorted(set(self.clusters))
        shared = contingency_matrix(groups, self.clusters)
        rows, columns = linear_sum_assignment(shared, maximize=True)
        pairs = zip(rows, columns, strict=True)
        colours = {classes[r]: clusters[c] for r, c in pairs}
        others = (g for g in classes if g not in colours)
        return colours | {g: i for i, g in enumerate(others, start=clusters[-1] + 1)}

    def _tips(self) -> list[str]:
        pairs = zip(self.samples, self.clusters, strict=True)
        tips = [f"row {row}: cluster {cluster}" for row, cluster in pairs]
        if self.classes is None:
            return tips
        return [f"{t}, class {c}" for t, c in zip(tips, self.classes, strict=True)]

    def _draw(self, groups: list[int], what: str, ax: Any) -> EmbeddingDisplay:
        ax = self._begin(ax)
        points, of = np.asarray(self.points), np.asarray(groups)
        few = len(points) <= MAX_MARKS
        tips, colours = self._tips(), self._colours(groups)
        for g in np.unique(of):
            rows = np.flatnonzero(of == g)
            colour, mark = group_style(colours[int(g)])
            style: dict[str, Any] = {"marker": mark, "color": colour, "label": str(g)}
            # thousands of marks as text would be megabytes
            style |= {"ms": 4 if few else 2.2, "mew": 0, "rasterized": not few}
            line = ax.plot(*points[rows].T, ls="none", **style)[0]
            if few:
                axes.explain_marks(line, [tips[i] for i in rows])
        by = "by cluster found" if what == "cluster" else "by class, known"
        ax.set_title(f"{self.name}, {by}")
        bare(ax)
        if len(ax.lines) <= MAX_LEGEND:
            n_columns, scale = 1 if len(ax.lines) <= 14 else 2, 1.4 if few else 3
            look = {"handletextpad": 0.1, "markerscale": scale, "frameon": False}
            place = {"loc": "upper left", "bbox_to_anchor": (1, 1), "ncols": n_columns}
            ax.legend(title=what, **place, **look)
        return self


def _choice(n: int, seed: int) -> np.ndarray:
    """Choose the samples that are shown."""
    return np.sort(np.random.default_rng(seed).permutation(n)[:MAX_POINTS])


def _pack(numbers: Sequence[Any] | np.ndarray) -> str:
    """Write integers bytewise, the low bytes of all first: these compress apart."""
    flat = np.asarray(numbers).astype("<i4").ravel()
    return base.pack(flat.view(np.uint8).reshape(-1, 4).T.tobytes())


def _unpack(text: str) -> np.ndarray:
    return np.ascontiguousarray(base.unpack(text).reshape(4, -1).T).view("<i4").ravel()
