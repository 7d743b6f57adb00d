"""The pictures of the report: which displays of which records."""

from __future__ import annotations

from typing import Any

from mvgraph.bench.compare import Ranks, Record
from mvgraph.bench.content import short, slug
from mvgraph.bench.svg import draw
from mvgraph.display import (
    ConvergenceDisplay,
    EmbeddingDisplay,
    GraphDisplay,
    GrowthDisplay,
    RanksDisplay,
    ScoresDisplay,
    SweepDisplay,
    TradeoffDisplay,
    WeightsDisplay,
)
from mvgraph.display._colours import OWN
from mvgraph.display._layout import MAX_LANDMARKS
from mvgraph.display._scores import finished, variant

__all__ = ["growth", "learned", "ranks", "scores", "sweeps", "tradeoff"]

SWEPT_SCORES = ("acc", "nmi", "purity")
#: What was learned is shown for at most so many runs per set, and in all, since each
#: takes a hundred kilobytes.
MAX_LEARNED, MAX_ON_PAGE = 4, 40
#: A line through two points shows nothing.
LEAST_STEPS = 3


def scores(records: list[Record], name: str) -> dict[str, str]:
    """Draw accuracy and time of every method, and the effect of the order of rows."""
    display, key = ScoresDisplay.from_records(records, name), slug(name)
    found = {"scores": draw(display, f"{key}-scores")}
    if any(seconds is not None for seconds in display.seconds):
        found["seconds"] = draw(display, f"{key}-seconds", "plot_seconds")
    if any(gap is not None for gap in display.effect()):
        found["order"] = draw(display, f"{key}-order", "plot_effect")
    return found


def sweeps(records: list[Record], name: str) -> list[str]:
    """Draw scores against every parameter that was varied alone."""
    swept = [r["grid"] for r in finished(records) if len(r["grid"]) == 1]
    parameters = list(dict.fromkeys(key for grid in swept for key in grid))
    displays = [
        SweepDisplay.from_records(records, name, parameter, score)
        for parameter in parameters
        for score in SWEPT_SCORES
    ]
    return [
        draw(display, f"{slug(name)}-sweep-{i}")
        for i, display in enumerate(displays)
        if len(display.values) > 1
    ]


def learned(records: list[Record], name: str, n_sets: int = 1) -> list[dict[str, Any]]:
    """Draw what some runs learned: this library's, then the best of the others.

    Parameters
    ----------
    records : list of dict
        Of one set.
    name : str
        Of the set.
    n_sets : int
        Sets on the page: the more, the fewer runs are shown of each.
    """
    shown = [r for r in finished(records) if r.get("artefacts", {})]
    shown = [r for r in shown if set(r["artefacts"]) & {"graphs", "embedding"}]
    shown.sort(key=_importance)
    most = max(1, min(MAX_LEARNED, MAX_ON_PAGE // n_sets))
    return [
        _learned(record, f"{slug(name)}-learned-{i}")
        for i, record in enumerate(shown[:most])
    ]


def _importance(record: Record) -> tuple[bool, bool, float]:
    own = record["method"] in OWN
    other_order = record["order"] == "published" and record["preset"] == "default"
    return not own, other_order, -record["scores"]["acc"]


def _learned(record: Record, key: str) -> dict[str, Any]:
    kept, name = record["artefacts"], variant(record)
    order = "rows shuffled" if record["order"] == "shuffled" else "order of the file"
    accuracy = short(record["scores"]["acc"])
    out: dict[str, Any] = {"name": f"{name}, {order}", "accuracy": accuracy}
    if "graphs" in kept:
        graphs = GraphDisplay.from_data(kept["graphs"])
        out["graphs"] = [
            draw(graphs.select(i), f"{key}-graph-{i}")
            for i in range(len(graphs.images))
        ]
    if "embedding" in kept:
        shown = EmbeddingDisplay.from_data({**kept["embedding"], "name": name})
        out["embedding"] = [draw(shown, f"{key}-embedding")]
        out["n_points"], out["n"] = len(shown.points), record["n"]
        out["landmarks"] = MAX_LANDMARKS
        if shown.classes is not None:
            out["embedding"].append(draw(shown, f"{key}-classes", "plot_classes"))
    if "convergence" in kept:
        curves = ConvergenceDisplay.from_data({**kept["convergence"], "name": name})
        if len(curves.steps) >= LEAST_STEPS:
            out["convergence"] = draw(curves, f"{key}-convergence")
    if kept.get("weights"):
        weights = WeightsDisplay(kept["weights"], name)
        out["weights"] = draw(weights, f"{key}-weights")
    return out


def ranks(result: Ranks) -> str:
    """Draw mean ranks, and which methods do not differ."""
    display = RanksDisplay(result.methods, result.mean, result.cliques())
    return draw(display, "ranks-diagram")


def tradeoff(records: list[Record]) -> str:
    """Draw accuracy against time over all sets; empty with fewer than three methods."""
    display = TradeoffDisplay.from_records(records)
    return "" if display.empty else draw(display, "tradeoff")


def growth(records: list[Record]) -> list[str]:
    """Draw time and memory against the number of samples, over generated sets."""
    displays = [
        GrowthDisplay.from_records(records, key) for key in ("seconds", "peak_mb")
    ]
    return [draw(d, f"growth-{d.key}") for d in displays if not d.empty]
