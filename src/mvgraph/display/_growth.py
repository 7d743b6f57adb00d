"""Time or memory against the number of samples."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mvgraph.display._axes import end_labels, explain_marks, log_axis
from mvgraph.display._colours import colour_of
from mvgraph.display._display import Display

WHAT = {"seconds": "seconds", "peak_mb": "peak MiB"}


@dataclass
class GrowthDisplay(Display):
    """Curves over the number of samples, one per method, both axes logarithmic.

    Parameters
    ----------
    curves : dict of str to list of [n, value]
        By method, n rising.
    key : {"seconds", "peak_mb"}

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot
    """

    curves: dict[str, list[list[float]]]
    key: str = "seconds"
    ax_: Any = field(default=None, repr=False, compare=False)
    figure_: Any = field(default=None, repr=False, compare=False)

    @property
    def empty(self) -> bool:
        """Return True if no method ran with two sizes."""
        return all(len(curve) < 2 for curve in self.curves.values())

    @property
    def about(self) -> str:
        """Say what the picture shows."""
        what = WHAT.get(self.key, self.key)
        return f"{what} against the number of samples: {', '.join(self.curves)}."

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return 5.0, max(3.2, 0.8 + 0.2 * len(self.curves))

    def plot(self, ax: Any = None) -> GrowthDisplay:
        """Draw one line per method, named at its end."""
        ax, what = self._begin(ax), WHAT.get(self.key, self.key)
        ends = []
        for name, curve in self.curves.items():
            n, values = zip(*curve, strict=True)
            mark = "s" if "(paper)" in name else "o"
            line = ax.plot(n, values, marker=mark, color=colour_of(name), label=name)
            tips = [f"{name}: {int(size)} samples, {v:.3g}" for size, v in curve]
            explain_marks(line[0], tips)
            ends.append((n[-1], values[-1], name, colour_of(name)))
        if self.curves:
            flat = [point for curve in self.curves.values() for point in curve]
            log_axis(ax.xaxis, [n for n, _ in flat])
            log_axis(ax.yaxis, [value for _, value in flat])
            end_labels(ax, ends)
        ax.set(xlabel="samples, logarithmic", ylabel=f"{what}, logarithmic")
        return self
