"""The four figures over all sets, as files for papers and as links on the page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mvgraph import display as displays
from mvgraph.bench import export, figures, significance
from mvgraph.bench.records import Record
from mvgraph.display._display import data_uri
from mvgraph.display._styles import MethodsDisplay
from mvgraph.persistence.files import check_target, replace_bytes

FORMATS = displays.FIGURES
#: Formats offered on the page; images are larger, and journals want these.
LINKS = {"pdf": "application/pdf", "svg": "image/svg+xml"}


def write(records: list[Record], output: str | Path, figure: str, score: str) -> int:
    """Write a figure; return the size of the file in bytes.

    Parameters
    ----------
    records : list of dict
    output : str or Path
        Ends with .pdf, .svg or .png.
    figure : str
        A key of `FIGURES`.
    score : str

    Raises
    ------
    ValueError
        If the records do not have what the figure shows, or the file cannot be written.
    """
    target = check_target(output, FORMATS)
    if figure not in FIGURES:
        raise ValueError(f"no figure {figure!r}; choose among {', '.join(FIGURES)}")
    content = FIGURES[figure](records, score).file(Path(output).suffix[1:].lower())
    return replace_bytes(target, content)


def links(display: MethodsDisplay, name: str) -> list[tuple[str, str, str]]:
    """Return (label, file name, data URI) of a figure in every format of `LINKS`."""
    return [
        (form.upper(), f"{name}.{form}", data_uri(kind, display.file(form)))
        for form, kind in LINKS.items()
    ]


def _ranks(records: list[Record], score: str) -> MethodsDisplay:
    result = significance.ranks(records, score)
    if result is None:
        raise ValueError(
            "there are no ranks to draw: two methods or more must have run on the same "
            "two sets; write --figure scores"
        )
    return figures.ranks_of(result, figures.looks(records))


def _tradeoff(records: list[Record], score: str) -> MethodsDisplay:
    display = figures.tradeoff_of(records, score)
    if display.empty:
        raise ValueError(
            f"the trade-off needs three methods with results on shuffled rows, there "
            f"are {len(display.methods)}; write --figure scores"
        )
    return display


def _scores(records: list[Record], score: str) -> MethodsDisplay:
    export.check_score(records, score)
    display = figures.set_scores_of(records, score)
    if len(display.sets) > 1:
        return display
    return figures.scores_of(records, display.sets[0], score, figures.looks(records))


def _growth(records: list[Record], score: str) -> MethodsDisplay:
    display = figures.growth_of(records)
    if display.empty:
        raise ValueError(
            "growth needs a generated set in two sizes or more, such as ambiguous:1000 "
            "and ambiguous:4000 in the plan"
        )
    return display


#: What draws each figure.
FIGURES: dict[str, Callable[[list[Record], str], MethodsDisplay]] = {
    "ranks": _ranks,
    "tradeoff": _tradeoff,
    "scores": _scores,
    "growth": _growth,
}
