"""What the suggested number of clusters rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import check_is_fitted

from mvgraph.display._axes import GREY, explain_marks, log_axis
from mvgraph.display._colours import CLUSTERS
from mvgraph.display._display import Display

#: Numbers up to this one are drawn on a linear axis.
LINEAR = 40


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
