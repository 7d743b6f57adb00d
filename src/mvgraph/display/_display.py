"""What all displays share: their data, how a notebook shows them, and their files.

A display is drawn once, for notebooks and for the report: text colours and sizes come
from matplotlib's settings, so that the report can follow light and dark themes. Only
colours that mean something are set here.
"""

from __future__ import annotations

import base64
import copy
import io
import warnings
import zlib
from dataclasses import fields
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import NotFittedError

from mvgraph.base.clusterer import Clusterer
from mvgraph.ops.escaping import html, visible
from mvgraph.ops.wording import extra
from mvgraph.persistence.files import check_target, replace_bytes
from mvgraph.views.coerce import as_views
from mvgraph.views.container import Views

#: Formats of figures; a name without a suffix gets the first.
FIGURES = (".png", ".svg", ".pdf")
#: Text in SVG and PDF is text, in fonts that can be edited; names are not formulas.
EDITABLE: Any = {"svg.fonttype": "none", "pdf.fonttype": 42, "text.parse_math": False}
#: How figures look in the report and in files for print.
STYLE: Any = {
    **dict.fromkeys(("axes.spines.top", "axes.spines.right"), False),
    **dict.fromkeys(("axes.grid", "axes.axisbelow"), True),
    **{"font.family": "DejaVu Sans", "font.size": 11},
    **{"axes.titlesize": 12, "axes.titlelocation": "left"},
    **{"grid.linewidth": 0.7, "grid.color": "#d8dcda", "lines.linewidth": 1.8},
}
#: Dots per inch of images: two per dot of a usual screen, and what journals ask for.
SCREEN, PRINT = 144, 300


class Display:
    """Base of the displays, which are dataclasses.

    The fields are the data; ``ax_`` and ``figure_`` are those of the last plot.
    """

    #: Width and height of a new figure, in inches; the report draws at this size too.
    SIZE: ClassVar[tuple[float, float]] = (5.0, 3.4)

    ax_: Any = None
    figure_: Any = None

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Self:
        """Build from the output of ``data()``."""
        return cls(**data)

    def data(self) -> dict[str, Any]:
        """Return the fields as plain JSON."""
        dataclass: Any = self
        return {field.name: vars(self)[field.name] for field in fields(dataclass)}

    @property
    def about(self) -> str:
        """Describe the picture in one sentence, for those who cannot see it."""
        raise NotImplementedError

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return self.SIZE

    def plot(self, ax: Any = None) -> Self:
        """Draw on the axes given, or on a new figure."""
        raise NotImplementedError

    def _panels(self, figure: Any) -> Any:
        """Return the axes of a new figure."""
        return figure.subplots()

    def _begin(self, ax: Any) -> Any:
        """Remember the axes to draw on, new ones if none are given."""
        self.ax_ = self._panels(new_figure(self.size)) if ax is None else ax
        self.figure_ = self.ax_.figure
        return self.ax_

    def save(self, path: str | Path) -> Self:
        """Write the last plot, or a new one, to a file.

        Parameters
        ----------
        path : str or Path
            Its suffix, ``.png``, ``.svg`` or ``.pdf``, is the format. The text of SVG
            and PDF can be edited.

        Returns
        -------
        the display

        Raises
        ------
        ValueError
            If the file cannot be written, or has another suffix.
        ImportError
            If matplotlib is not installed.
        """
        check_target(path, FIGURES)
        figure = self.figure_ or self._detached().figure_
        form = Path(path).suffix[1:].lower() or "png"
        replace_bytes(path, encoded(figure, form, PRINT))
        return self

    def _detached(self) -> Self:
        """Return a copy, drawn on a figure that pyplot does not know."""
        with extra("a plot", "matplotlib", "plots"):
            from matplotlib import rc_context
            from matplotlib.figure import Figure
        other = copy.copy(self)
        with rc_context(EDITABLE):
            figure = Figure(figsize=self.size, layout="constrained")
            return other.plot(self._panels(figure))

    def file(self, form: str) -> bytes:
        """Return the picture as a file for print, in the style of the report.

        Parameters
        ----------
        form : {"pdf", "svg", "png"}
            The text of the first two is text, with its font in the PDF.

        Warns
        -----
        UserWarning
            The font has no shape for some letters of a name.
        """
        with extra("a plot", "matplotlib", "plots"):
            from matplotlib import rc_context
        settings = {**STYLE, "svg.hashsalt": type(self).__name__}
        with rc_context(settings), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            content = encoded(self._detached().figure_, form, PRINT, self.about)
        if form != "svg" and any("missing from font" in str(w.message) for w in caught):
            warnings.warn(
                "the font of the figure lacks some letters of the names, which are "
                "boxes now; write .svg, or give names in a plan (names:)",
                UserWarning,
                stacklevel=2,
            )
        return content

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.about}>"

    def _repr_html_(self) -> str:
        """Return the picture; without matplotlib, what it would show."""
        try:
            figure = self._detached().figure_
        except ImportError:
            return f"<p><b>{type(self).__name__}</b>: {html(self.about)}</p>"
        picture = data_uri("image/png", encoded(figure, "png", SCREEN))
        width = round(figure.get_figwidth() * 96)  # dots of a page to an inch
        return f'<img alt="{html(self.about)}" width="{width}" src="{picture}">'

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


def check_figure(path: str | Path) -> None:
    """Check before a long computation that a figure can be written."""
    check_target(path, FIGURES)
    with extra(f"drawing {Path(path).name}", "matplotlib", "plots"):
        import matplotlib  # noqa: F401


class NothingToDrawError(ValueError):
    """A method does not learn what a display draws."""


def fitted_attribute(estimator: Any, name: str) -> Any:
    """Return an attribute that not every method has.

    Raises
    ------
    NotFittedError
        If the estimator is not fitted: it has no attribute with a trailing underscore.
    NothingToDrawError
        If the method has no such attribute.
    """
    value = getattr(estimator, name, None)
    if value is not None:
        return value
    kind = type(estimator).__name__
    # check_is_fitted needs scikit-learn's tags, which classes of other packages lack
    if not any(key.endswith("_") for key in vars(estimator)):
        raise NotFittedError(
            f"This {kind} instance is not fitted yet. Call 'fit' before drawing it."
        )
    raise NothingToDrawError(f"{kind} has no {name} to draw")


def views_of_fit(estimator: Any, X: Any) -> Views:
    """Return the views that an estimator was fitted on, in the form of its schema.

    Raises
    ------
    ValueError
        The rows of X are not those of the fit.
    """
    if not isinstance(estimator, Clusterer):
        return as_views(X)
    views = estimator.schema_.match(X)
    estimator.schema_.check_same_rows(views, stacklevel=4)
    return views


def data_uri(kind: str, content: bytes) -> str:
    """Return a file as a link that holds it, for a page."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def pack(data: bytes) -> str:
    """Return bytes as text for JSON, deflated."""
    return base64.b64encode(zlib.compress(data, 9)).decode()


def unpack(text: str) -> np.ndarray:
    """Return the bytes that `pack` wrote, as uint8."""
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8)


def new_figure(size: tuple[float, float]) -> Any:
    """Return a new figure of pyplot."""
    with extra("a plot", "matplotlib", "plots"):
        import matplotlib.pyplot as plt
    return plt.figure(figsize=size, layout="constrained")


def encoded(figure: Any, form: str, dpi: float, title: str = "") -> bytes:
    """Return a figure as a file, with the same bytes every time if it has a title."""
    from matplotlib import rc_context

    date = {"svg": "Date", "pdf": "CreationDate"}.get(form)
    data: dict[str, Any] = {"Title": visible(title)} if title else {}
    data |= {date: None} if title and date else {}
    buffer = io.BytesIO()
    with rc_context(EDITABLE):
        figure.savefig(buffer, format=form, dpi=dpi, metadata=data)
    content = buffer.getvalue()  # XML may not hold the control characters of names
    return visible(content.decode()).encode() if form == "svg" else content
