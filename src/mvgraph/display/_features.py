"""Features of clusters: a table as colours, or as dots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mvgraph.display._axes import GREY, explain_marks
from mvgraph.display._display import Display

#: Width and height of a cell, in inches.
CELL = 0.26
#: Values are written into the cells of tables of up to this many columns.
MAX_WRITTEN = 8
#: Area of the dot of a feature that all samples of a cluster have, in points^2.
LARGEST = 130.0
SHARES = (0.25, 0.5, 1.0)


@dataclass(repr=False)
class HeatmapDisplay(Display):
    """A table of groups as colours; columns of one view stand together.

    Parameters
    ----------
    groups : list of str
    columns : list of str
    values : list of list of float or None
        By group and column; None: unknown.
    views : list of str
        View of every column; empty: the columns are views themselves.
    label : str
        What the values are, with their unit.
    name : str

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot
    """

    groups: list[str]
    columns: list[str]
    values: list[list[float | None]]
    views: list[str]
    label: str = ""
    name: str = ""

    @classmethod
    def from_explanation(
        cls, explanation: Any, features: Sequence[tuple[int, int]]
    ) -> HeatmapDisplay:
        """Read how much features differ in every cluster.

        Parameters
        ----------
        explanation : result of :func:`mvgraph.explain`, with ``n_features=None``
        features : sequence of (view, column)
            Both are numbers.

        Raises
        ------
        ValueError
            If there is no feature to draw.
        """
        if not features:
            raise ValueError("No feature differs between the clusters: nothing to draw")
        profiles = [explanation.profiles[v] for v, _ in features]
        pairs = zip(profiles, (j for _, j in features), strict=True)
        found = [(p, int(np.flatnonzero(p.features == j)[0])) for p, j in pairs]
        values = np.column_stack([p.difference[:, f] for p, f in found])
        return cls(
            [str(cluster) for cluster in explanation.clusters],
            [str(p.names[f]) for p, f in found],
            values.round(4).tolist(),
            [p.view for p in profiles],
            "difference, in std",
        )

    @property
    def about(self) -> str:
        """Describe the picture."""
        n, m = len(self.groups), len(self.columns)
        what = "features" if self.views else "views"
        return f"{self.label} of {m} {what} in {n} clusters."

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        longest = max(map(len, self.columns), default=0)
        width = CELL * (1 if self.views else 2.4) * len(self.columns)
        height = CELL * len(self.groups) + 0.075 * min(longest, 40)
        return max(4.0, 2.2 + width), max(2.6, 1.1 + height)

    def plot(self, ax: Any = None, cmap: str | None = None) -> HeatmapDisplay:
        """Draw the table, with a bar of its colours.

        Parameters
        ----------
        ax : matplotlib axes, optional
        cmap : str, optional
            Colour map. Default: red for high and blue for low, or, where no value is
            negative, from white to blue.
        """
        ax = self._begin(ax)
        shape = len(self.groups), len(self.columns)
        table = np.array(self.values, dtype=float).reshape(shape)
        known = table[np.isfinite(table)]
        signed = bool((known < 0).any())
        far = max(float(np.abs(known).max(initial=0)), 1e-9)
        limits = {"vmin": -far if signed else 0, "vmax": far if signed else 1}
        cmap = cmap or ("RdBu_r" if signed else "Blues")
        ax.set_facecolor("none")
        picture = ax.imshow(table, aspect="auto", cmap=cmap, **limits)
        ax.set_yticks(range(len(self.groups)), self.groups)
        ax.set_xticks(range(len(self.columns)), self.columns, rotation=90)
        ax.tick_params(length=0, labelsize="small")
        ax.grid(visible=False)
        ax.spines[:].set_visible(False)
        ax.set_ylabel("cluster")
        if len(self.columns) <= MAX_WRITTEN:
            self._write(ax, table, picture)
        self._name_views(ax)
        self.figure_.colorbar(picture, ax=ax, label=self.label, pad=0.02)
        if self.name:
            ax.set_title(self.name, loc="left", pad=20 if self.views else 6)
        return self

    def _write(self, ax: Any, table: np.ndarray, picture: Any) -> None:
        for (i, j), value in np.ndenumerate(table):
            if np.isfinite(value):
                # black or white, whichever the ground leaves legible
                r, g, b, _ = picture.cmap(picture.norm(value))
                dark = 0.299 * r + 0.587 * g + 0.114 * b < 0.55
                style = {"color": "white" if dark else "black", "fontsize": "x-small"}
                text = ax.text(j, i, f"{value:.2f}", ha="center", va="center", **style)
                explain_marks(text, [f"{self.groups[i]}, {self.columns[j]}: {value}"])

    def _name_views(self, ax: Any) -> None:
        """Write each view above its columns, with a line between two."""
        pairs = zip(self.views, [None, *self.views], strict=False)
        starts = [i for i, (view, before) in enumerate(pairs) if view != before]
        for i, start in enumerate(starts):
            if i:
                ax.axvline(start - 0.5, color=GREY, lw=1)
            style = {"ha": "left", "va": "bottom", "fontsize": "small"}
            place = {"xycoords": ("data", "axes fraction"), "annotation_clip": False}
            ax.annotate(self.views[start], (start - 0.5, 1.01), **place, **style)


@dataclass(repr=False)
class DotPlotDisplay(Display):
    """Clusters down, features across; the area of a dot is a share of samples.

    Parameters
    ----------
    clusters : list of str
    features : list of str
    shares : list of list of float
        Share of samples above zero by cluster and feature, from 0 to 1.
    differences : list of list of float
        Mean inside minus mean outside the cluster, in standard deviations: the colour.
    name : str
        Name of the view.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot
    """

    clusters: list[str]
    features: list[str]
    shares: list[list[float]]
    differences: list[list[float]]
    name: str = ""

    @classmethod
    def from_explanation(
        cls, explanation: Any, view: str | None = None, n_features: int = 3
    ) -> DotPlotDisplay:
        """Choose the features that are largest in every cluster, each once.

        Parameters
        ----------
        explanation : result of :func:`mvgraph.explain`
        view : str, optional
            Default: the first view.
        n_features : int, default=3
            How many per cluster, at most those of the explanation.

        Raises
        ------
        ValueError
            If there is no such view, or no feature to draw.
        """
        profiles = {profile.view: profile for profile in explanation.profiles}
        view = next(iter(profiles)) if view is None else view
        if view not in profiles:
            raise ValueError(f"No view is named {view!r}; names: {tuple(profiles)}.")
        if n_features < 1:
            raise ValueError(
                f"n_features={n_features} leaves nothing to draw; ask for 1 or more."
            )
        profile, chosen = profiles[view], []
        for row in profile.difference:
            top = np.argsort(-row, kind="stable")[:n_features]
            chosen += [j for j in top.tolist() if row[j] > 0 and j not in chosen]
        if not chosen:
            raise ValueError(
                f"No feature of view {view!r} is larger in a cluster than elsewhere, "
                "or explain was called with n_features=0: there is nothing to draw."
            )
        return cls(
            clusters=[str(cluster) for cluster in explanation.clusters],
            features=[profile.names[j] for j in chosen],
            shares=profile.share_inside[:, chosen].round(4).tolist(),
            differences=profile.difference[:, chosen].round(4).tolist(),
            name=view,
        )

    @property
    def about(self) -> str:
        """Describe the picture."""
        return (
            f"{len(self.features)} features of {self.name} in {len(self.clusters)} "
            "clusters: the area of a dot is the share of samples above zero, its "
            "colour the difference from the other clusters."
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        rows, columns = len(self.clusters), len(self.features)
        return max(4.5, 2.6 + 0.32 * columns), max(2.6, 1.4 + 0.32 * rows)

    def plot(self, ax: Any = None) -> DotPlotDisplay:
        """Draw the dots, a bar of their colours and a key of their sizes."""
        rows, columns = len(self.clusters), len(self.features)
        self._begin(ax)
        x, y = np.meshgrid(np.arange(columns), np.arange(rows))
        shares = np.reshape(self.shares, (rows, columns))
        colours = np.reshape(self.differences, (rows, columns))
        far = max(float(np.abs(colours).max(initial=0)), 1e-9)
        dots = self.ax_.scatter(
            x, y, s=LARGEST * shares, c=colours, cmap="RdBu_r", vmin=-far, vmax=far,
            edgecolors="0.4", linewidths=0.5,
        )  # fmt: skip
        self.ax_.set(
            xlim=(-0.7, columns - 0.3), ylim=(rows - 0.4, -0.6),
            xticks=range(columns), yticks=range(rows), ylabel="cluster",
        )  # fmt: skip
        # above the key of sizes: few features leave no room next to it
        self.ax_.set_title(self.name, loc="left", pad=22)
        self.ax_.set_xticklabels(self.features, rotation=90)
        self.ax_.set_yticklabels(self.clusters)
        self.figure_.colorbar(dots, ax=self.ax_, label="difference, in std", pad=0.02)
        self._add_key_of_sizes()
        return self

    def _add_key_of_sizes(self) -> None:
        for share in SHARES:
            text = f"{share:.0%}" + (" above zero" if share == 1 else "")
            self.ax_.scatter([], [], s=LARGEST * share, color="0.6", label=text)
        self.ax_.legend(
            loc="lower right", bbox_to_anchor=(1, 1), ncols=3, frameon=False,
            handletextpad=0.1, columnspacing=0.8, borderaxespad=0,
        )  # fmt: skip
