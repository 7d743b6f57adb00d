"""Numbers of clusters: the tree above and below them, and what a choice rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mvgraph.display._axes import GREY, explain_marks, log_axis
from mvgraph.display._display import Display, fitted_attribute
from mvgraph.display._styles import CLUSTERS, group_style

#: More leaves would have no room for their labels on a screen.
MAX_LEAVES = 40
#: Numbers up to this one are drawn on a linear axis.
LINEAR = 40


@dataclass(repr=False)
class DendrogramDisplay(Display):
    """Merges of communities as a tree; the cut at the number of clusters is dashed.

    Heights are the numbers of the merges, from the first: the distances of merges
    within clusters and between them have no common scale.

    Parameters
    ----------
    children : list of [a, b]
        Merged nodes; the merge makes node n_leaves + row.
    sizes : list of int
        Samples of every leaf.
    clusters : list of int
        Cluster of every leaf.
    name : str

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot
    """

    children: list[list[int]]
    sizes: list[int]
    clusters: list[int]
    name: str = ""

    @classmethod
    def from_estimator(cls, estimator: Any, *, name: str = "") -> DendrogramDisplay:
        """Read ``tree_`` of a fitted GraphConsensus.

        Parameters
        ----------
        estimator : GraphConsensus, fitted
        name : str

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the method makes no tree, or the tree has only one leaf.
        """
        tree = fitted_attribute(estimator, "tree_")
        if not len(tree.children_):
            raise ValueError("tree_ has one leaf: there is no merge to draw")
        leaves = np.asarray(tree.labels)
        cut = np.asarray(tree.cut(len(np.unique(estimator.labels_))))
        first = np.unique(leaves, return_index=True)[1]
        return cls(
            np.asarray(tree.children_).tolist(),
            np.bincount(leaves, minlength=tree.n_leaves_).tolist(),
            cut[first].tolist(),
            name or type(estimator).__name__,
        )

    @property
    def about(self) -> str:
        """Describe the picture."""
        n = len(set(self.clusters))
        return (
            f"Tree of {len(self.sizes)} communities of {self.name}; the cut gives {n} "
            "clusters."
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return 5.0, max(2.4, 0.8 + 0.16 * self.n_drawn)

    @property
    def n_drawn(self) -> int:
        """Number of leaves drawn: of many, only the last merges."""
        return min(len(self.sizes), max(MAX_LEAVES, 2 * len(set(self.clusters))))

    def linkage(self) -> np.ndarray:
        """Return the merges in the form of SciPy's ``linkage``, shape (leaves - 1, 4).

        The third column is the number of the merge, the fourth counts leaves.
        """
        n = len(self.sizes)
        counts = [1] * n
        for a, b in self.children:
            counts.append(counts[a] + counts[b])
        steps = np.arange(1, n)
        return np.column_stack([self.children, steps, counts[n:]]).astype(float)

    def plot(self, ax: Any = None) -> DendrogramDisplay:
        """Draw the tree with SciPy, leaves in the colours of their clusters.

        Of more than 40 leaves, and twice as many as clusters, the first merges are left
        out; a leaf is then what they made.
        """
        from scipy.cluster.hierarchy import dendrogram

        ax, n = self._begin(ax), len(self.sizes)
        colours = [group_style(cluster)[0] for cluster in self.clusters]
        for a, b in self.children:
            colours.append(colours[a] if colours[a] == colours[b] else GREY)
        sizes, of = [*self.sizes], [*self.clusters]
        for a, b in self.children:
            sizes.append(sizes[a] + sizes[b])
            of.append(of[a])
        look: Any = {"orientation": "left", "leaf_font_size": 8, "ax": ax}
        look |= {"truncate_mode": "lastp", "p": self.n_drawn}
        look["leaf_label_func"] = lambda node: f"{of[node]}: {sizes[node]:,}"
        dendrogram(self.linkage(), link_color_func=colours.__getitem__, **look)
        first = n - self.n_drawn
        ax.set_xlim(n - 1 + 0.05 * self.n_drawn, first)
        ax.axvline(n - len(set(self.clusters)) + 0.5, color=CLUSTERS[1], ls="--", lw=1)
        ax.set(xlabel="merges, from the first", title=f"{self.name}, communities")
        ax.set_ylabel("cluster: samples")
        ax.yaxis.set_label_position("right")
        ax.grid(visible=False, axis="y")
        return self


@dataclass(repr=False)
class ChooseKDisplay(Display):
    """How probable every number of clusters is, and how stable its clusters are.

    Parameters
    ----------
    k : list of int
    probability : list of float
    stability : list of float
        How well clusters are found again in another draw of the rows.
    chance : list of float
        The stability of rows without structure.
    levels : list of int
        Numbers that stand out, the most probable first; none if nothing does.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot
    """

    k: list[int]
    probability: list[float]
    stability: list[float]
    chance: list[float]
    levels: list[int]

    @classmethod
    def from_estimator(cls, estimator: Any) -> ChooseKDisplay:
        """Read the table and the levels of a fitted ChooseK.

        Parameters
        ----------
        estimator : ChooseK, fitted
        """
        check_is_fitted(estimator, "table_")
        names = ("k", "probability", "stability", "chance")
        columns = {key: [row[key] for row in estimator.table_] for key in names}
        return cls(**columns, levels=[level.k for level in estimator.levels_])

    @property
    def about(self) -> str:
        """Describe the picture."""
        if not self.levels:
            return "No division stands out: no cut is more stable than those of noise."
        also = ", ".join(map(str, self.levels[1:]))
        return f"Best k {self.levels[0]}" + (f", also {also}." if also else ".")

    def plot(self, ax: Any = None) -> ChooseKDisplay:
        """Draw probabilities as bars, those of levels in red; stability and chance."""
        ax = self._begin(ax)
        best = set(self.levels)
        colours = [CLUSTERS[1] if k in best else GREY for k in self.k]
        # lines, not bars: their width is the same all along a logarithmic axis
        bars = ax.vlines(self.k, 0, self.probability, colours, lw=5)
        bars.set_label("probability, red at levels")
        pairs = zip(self.k, self.probability, strict=True)
        explain_marks(bars, [f"k {k}: probability {p:.3f}" for k, p in pairs])
        for k, p in zip(self.k, self.probability, strict=True):
            if k in best:
                text = {"ha": "center", "va": "bottom", "color": CLUSTERS[1]}
                ax.annotate(str(k), (k, p), (0, 2), textcoords="offset points", **text)
        line = ax.plot(
            self.k, self.stability, "o-", color=CLUSTERS[0], ms=4, label="stability"
        )[0]
        pairs = zip(self.k, self.stability, strict=True)
        explain_marks(line, [f"k {k}: stability {value:.3f}" for k, value in pairs])
        ax.plot(self.k, self.chance, ":", color=CLUSTERS[0], lw=1.2, label="chance")
        ax.set(
            xlabel="number of clusters k",
            ylabel="probability, stability",
            title=self.about.rstrip("."),
            ylim=(0, 1.08),
        )
        if self.k[-1] > LINEAR:
            log_axis(ax.xaxis, self.k)
        else:
            ax.xaxis.get_major_locator().set_params(integer=True)
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
        return self
