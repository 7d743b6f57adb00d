"""Mean ranks of methods over data sets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mvgraph.display._axes import explain_marks, row_text
from mvgraph.display._colours import colour_of
from mvgraph.display._display import Display

#: A line of the picture, in inches.
LINE = 0.27


@dataclass
class RanksDisplay(Display):
    """Critical-difference diagram: mean ranks, and which of them do not differ [1]_.

    Parameters
    ----------
    methods : list of str
        Best first.
    ranks : list of float
        Mean ranks over the sets, rising.
    groups : list of (first, last)
        Positions of methods that do not differ.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot

    References
    ----------
    .. [1] Demsar, "Statistical comparisons of classifiers over multiple data sets",
       JMLR 7, 2006.
    """

    methods: list[str]
    ranks: list[float]
    groups: list[tuple[int, int]]
    ax_: Any = field(default=None, repr=False, compare=False)
    figure_: Any = field(default=None, repr=False, compare=False)

    @property
    def about(self) -> str:
        """Say what the picture shows."""
        pairs = zip(self.methods, self.ranks, strict=True)
        return "Critical-difference diagram, mean ranks, best first: " + ", ".join(
            f"{m} {r:.1f}" for m, r in pairs
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return 5.0, LINE * (2 + len(self.methods)) + 0.1 * len(self.groups)

    def plot(self, ax: Any = None) -> RanksDisplay:
        """Draw one line per method, and a bar through those that do not differ."""
        ax, k = self._begin(ax), len(self.methods)
        for i, (name, rank) in enumerate(zip(self.methods, self.ranks, strict=True)):
            colour = colour_of(name)
            ax.plot([1, rank], [i, i], color=colour, lw=1, alpha=0.6)
            mark = ax.plot(rank, i, "o", color=colour, ms=7)[0]
            explain_marks(mark, [f"{name}: mean rank {rank:.2f}"])
            row_text(ax, i, f"{rank:.1f}")
        for j, (first, last) in enumerate(self.groups):
            x = k + 0.12 * (j + 1) * max(k - 1, 1) / 4
            ax.plot([x, x], [first - 0.2, last + 0.2], color="#80868b", lw=4)
        ax.set_yticks(range(k), self.methods)
        ax.set_ylim(k - 0.5, -0.5)
        ax.tick_params(axis="y", length=0)
        ax.grid(visible=False, axis="y")
        ax.set_xticks([rank for rank in range(1, k + 1) if k <= 10 or rank % 5 == 1])
        ax.set(xlabel="mean rank, 1 is best", title="Ranks; bars join what is alike")
        return self
