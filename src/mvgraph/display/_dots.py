"""Features of clusters as dots: how many samples have them, and how much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mvgraph.display._display import Display

#: Area of the dot of a feature that all samples of a cluster have, in points^2.
LARGEST = 130.0
SHARES = (0.25, 0.5, 1.0)


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
