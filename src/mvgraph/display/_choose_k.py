"""What the suggested number of clusters rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import check_is_fitted

from mvgraph.display._colours import CLUSTERS
from mvgraph.display._display import GREY, Display, explain_marks

#: Numbers up to this one are drawn on a linear axis.
LINEAR = 40


@dataclass
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
        """Draw probabilities as bars, stability and chance as lines, levels dashed."""
        ax = self._begin(ax)
        bars = ax.bar(self.k, self.probability, color=GREY, label="probability")
        for bar, k, p in zip(bars, self.k, self.probability, strict=True):
            explain_marks(bar, [f"k {k}: probability {p:.3f}"])
        line = ax.plot(
            self.k, self.stability, "o-", color=CLUSTERS[0], ms=4, label="stability"
        )[0]
        pairs = zip(self.k, self.stability, strict=True)
        explain_marks(line, [f"k {k}: stability {value:.3f}" for k, value in pairs])
        ax.plot(self.k, self.chance, ":", color=CLUSTERS[0], lw=1.2, label="chance")
        for i, k in enumerate(self.levels):
            label = "levels" if i == 0 else None
            ax.axvline(k, color=CLUSTERS[1], ls="--", lw=1.2, label=label)
        ax.set(
            xlabel="number of clusters k",
            ylabel="probability, stability",
            title=self.about.rstrip("."),
            ylim=(0, 1.03),
        )
        if self.k[-1] > LINEAR:
            ax.set_xscale("log")
        else:
            ax.xaxis.get_major_locator().set_params(integer=True)
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
        return self
