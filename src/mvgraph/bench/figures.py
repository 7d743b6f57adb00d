"""The pictures of the report: which displays of which records."""

from __future__ import annotations

from collections import Counter
from itertools import product
from statistics import fmean, median
from typing import Any

from mvgraph import display as displays
from mvgraph import methods
from mvgraph.bench import compare, significance
from mvgraph.bench.content import slug
from mvgraph.bench.naming import reference_of
from mvgraph.bench.records import Record, finished, variant
from mvgraph.bench.significance import Ranks
from mvgraph.bench.tables import short
from mvgraph.display import GROUPS
from mvgraph.display import _axes as axes
from mvgraph.display._points import MAX_LANDMARKS
from mvgraph.evaluation.protocol import ORDERS
from mvgraph.page.svg import draw

SWEPT_SCORES = ("acc", "nmi", "purity")
#: What was learned is shown for at most this many runs per set, and in all, since each
#: takes a hundred kilobytes.
MAX_LEARNED, MAX_ON_PAGE = 4, 40
#: No groups of methods: each has a colour of its own.
NO_LOOKS: Any = {}
#: A line through two points shows nothing.
LEAST_STEPS = 3


def looks(records: list[Record]) -> dict[str, Any]:
    """Return groups of all methods, for their colours and shapes, and the reference.

    Methods without a group in the plan have that of the registry.
    """
    rows = {variant(r): r for r in records if r["method"] is not None}
    groups = {
        name: rows[name].get("group") or _family(rows[name]["method"])
        for name in sorted(rows)
    }
    return {"groups": groups, "reference": reference_of(records) or ""}


def _family(method: str) -> str:
    known = methods.ours()  # those of others would have to be imported
    return known[method].family if method in known else "other"


def scores(
    records: list[Record], name: str, score: str, looks: dict[str, Any]
) -> dict[str, str]:
    """Draw score and time of every method, and the effect of the order of rows.

    "caption" is of the scores.
    """
    scores, key = scores_of(records, name, score, looks), slug(name)
    pictures = {"scores": draw(scores, f"{key}-scores")}
    pictures["caption"] = _scores_caption(scores)
    if any(seconds is not None for seconds in scores.seconds):
        plot = scores.plot_seconds, scores.about_seconds
        pictures["seconds"] = draw(scores, f"{key}-seconds", *plot)
    if any(gap is not None for gap in scores.effect()):
        plot = scores.plot_effect, scores.about_effect
        pictures["order"] = draw(scores, f"{key}-order", *plot)
    return pictures


def _scores_caption(display: displays.ScoresDisplay) -> str:
    """Explain the line and the ring, if there are any."""
    pairs = list(zip(display.shuffled, display.published, strict=True))
    words = "Mean over the runs"
    if any(entry and entry[1] for entry in (s or p for s, p in pairs)):
        words += "; the line is one population standard deviation to both sides"
    rings = any(p and not s for s, p in pairs)
    return f"{words}." + " A ring: ran in the order of the file only." * rings


def scores_of(
    records: list[Record], name: str, score: str = "acc", looks: Any = NO_LOOKS
) -> displays.ScoresDisplay:
    """Average the trials of one set, best on shuffled rows first."""
    groups = compare.groups(records)
    rows: list[Any] = []
    for method in dict.fromkeys(method for set_, method, _ in groups if set_ == name):
        pair = [groups.get((name, method, order)) for order in ORDERS]
        scores = [group and group.score(score) for group in pair]
        rows.append((method, *scores, pair[0] and pair[0].mean("seconds")))
    rows.sort(key=lambda row: -(row[1] or row[2] or (0.0,))[0])
    names, first, second, seconds = ([row[i] for row in rows] for i in range(4))
    return displays.ScoresDisplay(names, first, second, score, name, seconds, **looks)


def set_scores_of(records: list[Record], score: str) -> displays.SetScoresDisplay:
    """Average the trials on shuffled rows by method and set, best rank first."""
    tried = compare.shuffled(records, failed=True)
    ranked = list(significance.mean_ranks(records, score).index)
    found = dict.fromkeys(g.variant for g in tried)
    rest = [name for name in found if name not in ranked]
    n_ended = Counter(g.variant for g in tried if not g.lost)
    names = [*ranked, *sorted(rest, key=lambda name: -n_ended[name])]
    sets = sorted({g.set for g in tried if g.records})
    entries: dict[tuple[str, str], Any] = {
        (g.variant, g.set): g.state.word if g.lost else g.score(score) for g in tried
    }
    values = [[entries.get((name, s)) for s in sets] for name in names]
    return displays.SetScoresDisplay(names, sets, values, score, **looks(records))


def sweeps(records: list[Record], name: str, looks: dict[str, Any]) -> list[str]:
    """Draw scores against every parameter that was varied alone."""
    swept = [r["grid"] for r in finished(records) if len(r["grid"]) == 1]
    parameters = list(dict.fromkeys(key for grid in swept for key in grid))
    pairs = product(parameters, SWEPT_SCORES)
    curves = [sweep_of(records, name, *pair, looks) for pair in pairs]
    curves = [display for display in curves if len(display.values) > 1]
    key = f"{slug(name)}-sweep"
    return [draw(display, f"{key}-{i}") for i, display in enumerate(curves)]


def sweep_of(
    records: list[Record],
    name: str,
    parameter: str,
    score: str = "acc",
    looks: Any = NO_LOOKS,
) -> displays.SweepDisplay:
    """Average the trials of one set that vary only this parameter."""
    points: dict[str, dict[Any, list[Record]]] = {}
    for record in finished(records):
        scored = record["scores"].get(score) is not None
        if scored and record["set"] == name and list(record["grid"]) == [parameter]:
            curve = points.setdefault(f"{variant(record)}, {record['order']}", {})
            x = record["grid"][parameter]
            x = x if isinstance(x, int | float) else str(x)
            curve.setdefault(x, []).append(record)
    places = {x for curve in points.values() for x in curve}
    values = sorted(places, key=lambda x: (isinstance(x, str), x))
    curves = {
        key: [compare.mean_std(curve.get(x, []), score) for x in values]
        for key, curve in points.items()
    }
    return displays.SweepDisplay(parameter, values, curves, score, name, **looks)


def learned(records: list[Record], name: str, n_sets: int = 1) -> list[dict[str, Any]]:
    """Draw what some runs learned: those of this library first, the best before others.

    Parameters
    ----------
    records : list of dict
        Of one set.
    name : str
        Of the set.
    n_sets : int
        Sets on the page: the more, the fewer runs are shown of each.
    """
    parts = {"graphs", "embedding"}
    shown = [r for r in finished(records) if parts & r.get("artefacts", {}).keys()]
    shown.sort(key=_importance)
    most = max(1, min(MAX_LEARNED, MAX_ON_PAGE // n_sets))
    return [
        _learned(record, f"{slug(name)}-learned-{i}")
        for i, record in enumerate(shown[:most])
    ]


def _importance(record: Record) -> tuple[bool, bool, float]:
    other_order = record["order"] == "published" and record["preset"] == "default"
    accuracy = record["scores"].get("acc") or 0.0
    return _family(record["method"]) != GROUPS[0], other_order, -accuracy


def _learned(record: Record, key: str) -> dict[str, Any]:
    kept, name = record["artefacts"], variant(record)
    order = "rows shuffled" if record["order"] == "shuffled" else "order of the file"
    accuracy = short(record["scores"].get("acc"))
    out: dict[str, Any] = {"name": f"{name}, {order}"}
    out["score"] = f"accuracy {accuracy} with seed {record['seed']}"
    if "graphs" in kept:
        graphs = displays.GraphDisplay.from_data(kept["graphs"])
        each = map(graphs.select, range(len(graphs.images)))
        out["graphs"] = [draw(g, f"{key}-graph-{i}") for i, g in enumerate(each)]
    if "embedding" in kept:
        shown = displays.EmbeddingDisplay.from_data({**kept["embedding"], "name": name})
        out["embedding"] = [draw(shown, f"{key}-embedding")]
        out["n_points"], out["n"] = len(shown.points), record["n"]
        out["landmarks"] = MAX_LANDMARKS
        if shown.classes is not None:
            plot = shown.plot_classes, shown.about_classes
            out["embedding"].append(draw(shown, f"{key}-classes", *plot))
    if "convergence" in kept:
        curves = displays.ConvergenceDisplay.from_data(
            {**kept["convergence"], "name": name}
        )
        if len(curves.steps) >= LEAST_STEPS:
            out["convergence"] = draw(curves, f"{key}-convergence")
    if kept.get("weights"):
        weights = displays.WeightsDisplay(kept["weights"], name)
        out["weights"] = draw(weights, f"{key}-weights")
    return out


def ranks_of(result: Ranks, looks: dict[str, Any]) -> displays.RanksDisplay:
    """Return the diagram of mean ranks, and of which methods do not differ."""
    cliques = result.cliques()
    return displays.RanksDisplay(
        result.methods, result.mean, cliques, result.n_sets, **looks
    )


def tradeoff_of(records: list[Record], score: str = "acc") -> displays.TradeoffDisplay:
    """Average the trials on shuffled rows: seeds first, then the finished sets."""
    points: dict[str, list[tuple[float, float]]] = {}
    for group in compare.shuffled(records):
        mean_std = group.score(score)
        if mean_std is not None and not group.lost:
            seconds = group.mean("cpu_seconds")  # which earlier versions did not write
            seconds = group.mean("seconds") if seconds is None else seconds
            points.setdefault(group.variant, []).append((seconds or 0.0, mean_std[0]))
    found = points.values()
    times = [max(median(s for s, _ in pairs), axes.SHORTEST) for pairs in found]
    means = [fmean(value for _, value in pairs) for pairs in found]
    shown = [*points], times, means, [len(pairs) for pairs in found]
    return displays.TradeoffDisplay(*shown, score, **looks(records))


def tradeoff_caption(display: displays.TradeoffDisplay) -> str:
    """Explain the hollow marks and the dotted line, if there are any."""
    n, score = max(display.n_sets), axes.score_name(display.score)
    words = f"Mean {score} over the sets against the median of the processor "
    words += "seconds of a fit, rows shuffled."
    if min(display.n_sets) < n:
        words += " Hollow: the mean of fewer sets, which does not compare with others."
    if len(display.front()) > 1:
        of = "method" if min(display.n_sets) == n else "filled mark"
        words += f" No other {of} is both faster and better than those on the dotted "
        words += "line."
    return words


def growth_of(records: list[Record], key: str = "seconds") -> displays.GrowthDisplay:
    """Average the trials on generated sets that differ in their size alone.

    Every such series has curves of its own; a set without another size has none.
    """
    series: dict[str, dict[str, dict[int, list[float]]]] = {}
    for record in finished(records):
        of_series = compare.series_of(record)
        if of_series and not record["grid"] and record.get(key):
            methods = series.setdefault(of_series, {})
            curve = methods.setdefault(variant(record), {})
            curve.setdefault(record["n"], []).append(record[key])
    series = {
        name: methods
        for name, methods in series.items()
        if len({n for curve in methods.values() for n in curve}) > 1
    }
    curves: dict[str, list[list[float]]] = {}
    of: dict[str, list[str]] = {}
    for name, methods in series.items():
        for method, curve in methods.items():
            title = method if len(series) == 1 else f"{method}, {name}"
            curves[title] = [[n, fmean(values)] for n, values in sorted(curve.items())]
            of[title] = [method, name]
    return displays.GrowthDisplay(curves, key, of, **looks(records))
