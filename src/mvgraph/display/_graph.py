"""Graphs as pictures: rows and columns grouped by cluster (figure 3 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.base.clusterer import Clusterer
from mvgraph.display import _axes as axes
from mvgraph.display import _display as base
from mvgraph.display._styles import BLUE, ORANGE
from mvgraph.views.casting import in_memory

HEIGHT, WIDTH = 140, 70
LEVELS = 16  # number of grey levels: with few of them, pictures compress well
#: Width and height of one graph, in inches.
PANEL = (2.5, 3.6)


@dataclass(repr=False)
class GraphDisplay(base.Display):
    """The anchor graphs of the views at the start, and the learned graph.

    Parameters
    ----------
    names : list of str
        One per picture; the learned graph is the last.
    images : list of ndarray of uint8, shape (height, width)
        Samples down and anchors (or samples) across, both grouped by clusters; 0 is no
        link, 255 the strongest.
    borders : list of float
        Ends of the clusters of samples, from 0 to 1.
    name : str

    Attributes
    ----------
    ax_, axes_, figure_ : matplotlib objects of the last plot; ``ax_`` is the last axes
    """

    names: list[str]
    images: list[np.ndarray]
    borders: list[float]
    name: str = ""

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, name: str = "") -> GraphDisplay:
        """Read ``graph_`` of a fitted estimator; rebuild the graphs it started from.

        Parameters
        ----------
        estimator : fitted clusterer with ``graph_``
        X : as in fit
        name : str

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the method learns no graph, or the rows of X are not those of the fit.
        """
        learned = in_memory(base.fitted_attribute(estimator, "graph_"))
        labels = np.asarray(estimator.labels_)
        rows = np.argsort(labels, kind="stable")
        columns = _column_order(estimator, learned, rows)
        graphs = start_graphs(estimator, X)
        graphs["learned"] = learned
        images = [_picture(g, rows, columns) for g in graphs.values()]
        sizes = np.unique(labels, return_counts=True)[1]
        borders = [round(float(b), 4) for b in np.cumsum(sizes)[:-1] / len(labels)]
        return cls(list(graphs), images, borders, name or type(estimator).__name__)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> GraphDisplay:
        """Build from the output of ``data()``."""
        pairs = zip(data["images"], data["shapes"], strict=True)
        images = [base.unpack(text).reshape(shape) for text, shape in pairs]
        return cls(data["names"], images, data["borders"], data["name"])

    def data(self) -> dict[str, Any]:
        """Return the table as plain JSON, pictures as base64 of deflated bytes."""
        images = [base.pack(image.tobytes()) for image in self.images]
        shapes = [list(image.shape) for image in self.images]
        return {**super().data(), "images": images, "shapes": shapes}

    @property
    def about(self) -> str:
        """Describe the picture."""
        views = [name for name in self.names if name != "learned"]
        before = f"anchor graph of {', '.join(views)} before" if views else ""
        after = f"learned graph of {self.name}" if "learned" in self.names else ""
        what = "; ".join(filter(None, [before, after]))
        return (
            f"{what[:1].upper()}{what[1:]}: samples down, anchors across, both grouped "
            "by cluster; colour is the weight of the link."
        )

    def select(self, i: int) -> GraphDisplay:
        """Return a display of the graph at one position of ``names``."""
        return GraphDisplay([self.names[i]], [self.images[i]], self.borders, self.name)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        n = len(self.images)
        return PANEL[0] * min(n, 3), PANEL[1] * -(-n // 3)

    def _panels(self, figure: Any) -> Any:
        n = len(self.images)
        grid = figure.subplots(-(-n // 3), min(n, 3), squeeze=False)
        for spare in grid.flat[n:]:
            spare.set_axis_off()
        return grid.flat[:n]

    def plot(self, ax: Any = None) -> GraphDisplay:
        """Draw one picture per graph, three in a row.

        Parameters
        ----------
        ax : sequence of Axes, optional
            One per graph.
        """
        if ax is None:
            ax = self._panels(base.new_figure(self.size))
        self.axes_ = list(np.atleast_1d(ax))
        for axis, name, image in zip(self.axes_, self.names, self.images, strict=True):
            _draw(self._begin(axis), name, image, self.borders)
        return self


def _draw(ax: Any, name: str, image: np.ndarray, borders: list[float]) -> None:
    learned = name == "learned"
    colour = ORANGE if learned else BLUE
    # the level as opacity: visible on light and on dark ground
    picture = np.zeros((*image.shape, 4), np.uint8)
    picture[..., :3] = [int(colour[c : c + 2], 16) for c in (1, 3, 5)]
    picture[..., 3] = image
    ax.imshow(picture, aspect="auto", interpolation="none")
    across = "samples" if image.shape[0] == image.shape[1] else "anchors"
    ax.set(title="learned graph, after" if learned else f"{name}, before")
    ax.set(xticks=[], yticks=[], xlabel=f"{across}, by cluster")
    ax.set_ylabel("samples, by cluster")
    for border in borders:
        ax.axhline(border * len(image) - 0.5, lw=0.5, color=axes.GREY)


def start_graphs(estimator: Any, X: Any) -> dict[str, Any]:
    """Return the anchor graphs of the views that a fit started from, by view name.

    Empty for methods without anchors.
    """
    if not isinstance(estimator, Clusterer) or estimator.predictor is None:
        return {}
    return estimator.predictor_.view_graphs(base.views_of_fit(estimator, X))


def _column_order(estimator: Any, graph: Any, rows: np.ndarray) -> np.ndarray:
    if graph.shape[0] == graph.shape[1]:
        return rows
    anchor_labels = vars(estimator).get("anchor_labels_")
    if anchor_labels is None or len(anchor_labels) != graph.shape[1]:
        return np.arange(graph.shape[1])
    return np.argsort(np.asarray(anchor_labels), kind="stable")


def _picture(graph: Any, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Add up the links within a pixel; the square root makes weak ones visible."""
    G = sp.coo_matrix(graph)
    N, M = G.shape
    height, width = min(HEIGHT, N), min(HEIGHT if N == M else WIDTH, M)
    if len(columns) != M:  # the anchors are not those of the learned graph
        columns = np.arange(M)
    place_row, place_column = np.empty(N, np.int64), np.empty(M, np.int64)
    place_row[rows] = np.arange(N) * height // N
    place_column[columns] = np.arange(M) * width // M
    image = np.zeros((height, width))
    np.add.at(image, (place_row[G.row], place_column[G.col]), np.abs(G.data))
    image = np.sqrt(image / (np.quantile(image[image > 0], 0.98) if image.any() else 1))
    steps = np.round(np.clip(image, 0, 1) * (LEVELS - 1))
    return (steps * (255 // (LEVELS - 1))).astype(np.uint8)
