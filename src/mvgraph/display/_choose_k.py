"""What the suggested number of clusters rests on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sklearn.utils.validation import check_is_fitted

from mvgraph.display._axes import GREY, explain_marks
from mvgraph.display._colours import CLUSTERS
from mvgraph.display._display import Display


@dataclass
class ChooseKDisplay(Display):
    """Shares of the draws that found k communities, and how stable k clusters are.

    Parameters
    ----------
    k : list of int
    share : list of float
        Of the draws that have k communities; their median decides.
    stability : list of float
        Mean adjusted Rand index between the cuts of two draws into k clusters; decides
        where the clusters are the same in all draws.
    best_k : int
    k_range : (low, high)

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot
    """

    k: list[int]
    share: list[float]
    stability: list[float]
    best_k: int
    k_range: tuple[int, int]
    ax_: Any = field(default=None, repr=False, compare=False)
    figure_: Any = field(default=None, repr=False, compare=False)

    @classmethod
    def from_estimator(cls, estimator: Any) -> ChooseKDisplay:
        """Read the table of a fitted ChooseK.

        Parameters
        ----------
        estimator : ChooseK, fitted
        """
        check_is_fitted(estimator, "table_")
        names = ("k", "share", "stability")
        columns = {key: [row[key] for row in estimator.table_] for key in names}
        return cls(**columns, best_k=estimator.best_k_, k_range=estimator.k_range_)

    @property
    def about(self) -> str:
        """Say what the picture shows."""
        low, high = self.k_range
        at = self.stability[self.k.index(self.best_k)]
        return f"Best k {self.best_k}, range {low} to {high}, stability {at:.2f}."

    def plot(self, ax: Any = None) -> ChooseKDisplay:
        """Draw shares as bars and stability as a line; ``k_range`` is shaded."""
        ax, (low, high) = self._begin(ax), self.k_range
        ax.axvspan(low - 0.5, high + 0.5, color=GREY, alpha=0.12, lw=0, label="range")
        bars = ax.bar(self.k, self.share, color=GREY, label="share of draws")
        for bar, k, share in zip(bars, self.k, self.share, strict=True):
            explain_marks(bar, [f"{k} communities in {share:.0%} of the draws"])
        line = ax.plot(
            self.k, self.stability, "o-", color=CLUSTERS[0], ms=4, label="stability"
        )[0]
        pairs = zip(self.k, self.stability, strict=True)
        explain_marks(line, [f"k {k}: stability {value:.3f}" for k, value in pairs])
        ax.axvline(self.best_k, color=CLUSTERS[1], ls="--", lw=1.2, label="best k")
        ax.set(
            xlabel="number of clusters k",
            ylabel="share of draws, stability",
            title=f"best k: {self.best_k}, range {low} to {high}",
            ylim=(0, 1.03),
        )
        ax.set_xlim(min(self.k[0], low) - 0.7, max(self.k[-1], high) + 0.7)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
        return self
