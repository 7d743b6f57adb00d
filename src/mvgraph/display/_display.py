"""What all displays share: their table, and how a notebook shows them."""

from __future__ import annotations

from dataclasses import fields
from html import escape
from typing import Any, ClassVar, Self

from sklearn.exceptions import NotFittedError

from mvgraph.display._axes import new_axes

__all__ = ["Display", "LackingError", "fitted_attribute"]


class Display:
    """Base of the displays, which are dataclasses.

    Fields without an underscore at the end are the table; ``ax_`` and ``figure_`` are
    those of the last plot.
    """

    #: Width and height of a new figure, in inches; the report draws at this size too.
    SIZE: ClassVar[tuple[float, float]] = (5.0, 3.4)

    ax_: Any
    figure_: Any

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Self:
        """Build from the output of ``data()``."""
        return cls(**data)

    def data(self) -> dict[str, Any]:
        """Return the table as plain JSON."""
        return {key: vars(self)[key] for key in self._columns()}

    @property
    def about(self) -> str:
        """Say in one sentence what the picture shows, for those who cannot see it."""
        raise NotImplementedError

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return self.SIZE

    def plot(self, ax: Any = None) -> Any:
        """Draw on the axes given, or on a new figure."""
        raise NotImplementedError

    def _begin(self, ax: Any) -> Any:
        """Remember the axes to draw on, new ones if none are given."""
        self.ax_ = new_axes(self.size) if ax is None else ax
        self.figure_ = self.ax_.figure
        return self.ax_

    def _columns(self) -> list[str]:
        own: Any = type(self)
        return [f.name for f in fields(own) if not f.name.endswith("_")]

    def _repr_html_(self) -> str:
        """Return name and contents in one line; the picture comes with ``plot()``."""
        name = type(self).__name__
        return f"<p><b>{name}</b>: {escape(self.about)}</p>"

    def _ipython_display_(self) -> None:
        """Show the figure alone, once: below it, IPython would print the object."""
        from IPython.display import HTML, display

        if self.figure_ is None:
            display(HTML(self._repr_html_()))
        elif not _shown_by_pyplot(self.figure_):
            display(self.figure_)


def _shown_by_pyplot(figure: Any) -> bool:
    """Return True for open figures of pyplot: notebooks show them at the cell's end."""
    from matplotlib._pylab_helpers import Gcf  # as the kernels do

    return any(m.canvas.figure is figure for m in Gcf.get_all_fig_managers())


class LackingError(ValueError):
    """A method does not learn what a display draws."""


def fitted_attribute(estimator: Any, name: str, purpose: str = "to draw") -> Any:
    """Return an attribute that not every method has.

    Raises
    ------
    NotFittedError
        The estimator is not fitted: it has no attribute with a trailing underscore.
    LackingError
        The method has no such attribute.
    """
    value = getattr(estimator, name, None)
    if value is not None:
        return value
    kind = type(estimator).__name__
    # check_is_fitted wants the tags of scikit-learn, which other packages lack
    if not any(key.endswith("_") for key in vars(estimator)):
        raise NotFittedError(
            f"This {kind} instance is not fitted yet. Call 'fit' before drawing it."
        )
    raise LackingError(f"{kind} has no {name} {purpose}")
