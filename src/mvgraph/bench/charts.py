"""The pictures of the report, drawn from display objects."""

from __future__ import annotations

from html import escape
from typing import Any

from mvgraph.bench import svg
from mvgraph.bench.compare import Group, Ranks
from mvgraph.bench.content import short, signed
from mvgraph.display import (
    ConvergenceDisplay,
    EmbeddingDisplay,
    GraphDisplay,
    ScoresDisplay,
    SweepDisplay,
    colour_of,
)
from mvgraph.display._colours import CLUSTERS

SHAPES = ("dot", "square", "triangle", "diamond", "down", "bar")
ACCENT = "#2f7de1"
THIN = 'style="stroke-width:1.2"'
EMBEDDING_HEIGHT = 380  # height of an embedding


def _pick(position: int, options: tuple[str, ...]) -> str:
    return options[position % len(options)]


def _legend(items: list[tuple[str, str, str]]) -> str:
    """Draw a legend with one line per (shape, colour, words)."""
    parts = [
        f'<li><svg viewBox="0 0 14 14" aria-hidden="true">'
        f"{svg.mark(shape, 7, 7, 4.5, colour, '')}</svg>{escape(words)}</li>"
        for shape, colour, words in items
    ]
    return f'<ul class="legend">{"".join(parts)}</ul>'


def order_effect(display: ScoresDisplay) -> str:
    """Draw a filled mark for shuffled rows and a ring for the published order."""
    step, left = 24, 150
    height = 62 + step * len(display.methods)
    frame = svg.Frame((0, 1), (0, 1), height, left)
    body = frame.axes("accuracy", rows=False)
    rows = zip(display.methods, display.shuffled, display.published, strict=True)
    for i, (method, shuffled, published) in enumerate(rows):
        y, colour = frame.top + step * (i + 0.5), colour_of(method)
        body.append(svg.text(left - 8, y + 4, method, "name", "end"))
        ends = [p[0] for p in (shuffled, published) if p]
        if len(ends) == 2:
            body.append(svg.line([(frame.xs(v), y) for v in ends], colour))
        if published:
            tip = f"{method}, order of the file: {short(published[0])}"
            body.append(svg.mark("ring", frame.xs(published[0]), y, 7, colour, tip))
        if shuffled:
            gap = f" ({signed(ends[1] - ends[0])} in order)" if len(ends) == 2 else ""
            tip = f"{method}, shuffled: {short(shuffled[0])}{gap}"
            body.append(svg.mark("dot", frame.xs(shuffled[0]), y, 5, colour, tip))
    key = [
        ("dot", "currentColor", "rows shuffled"),
        ("ring", "currentColor", "as filed"),
    ]
    about = "Accuracy of every method on shuffled rows and in the order of the file."
    return svg.chart(f"Order effect on {display.name}", about, height, body) + _legend(
        key
    )


def sweep(display: SweepDisplay) -> str:
    """Draw a score against a parameter; dashed for the published order."""
    low, high = min(display.values), max(display.values)
    frame = svg.Frame((low, high), (0, 1))
    body = frame.axes(display.parameter, display.score)
    key = []
    for i, (name, curve) in enumerate(display.curves.items()):
        shape = _pick(i, SHAPES)
        colour = colour_of(name.rpartition(",")[0])
        found = [(x, p[0]) for x, p in zip(display.values, curve, strict=True) if p]
        places = [(frame.xs(x), frame.ys(v)) for x, v in found]
        dash = 'stroke-dasharray="6 4"' if name.endswith("published") else ""
        body.append(svg.line(places, colour, dash))
        for (x, value), (px, py) in zip(found, places, strict=True):
            tip = f"{name}: {display.parameter} = {x:g}, {short(value)}"
            body.append(svg.mark(shape, px, py, 4.5, colour, tip))
        key.append((shape, colour, name))
    about = f"{display.score} against {display.parameter}, {len(key)} curves."
    return svg.chart(f"{display.name}: {about}", "", 280, body) + _legend(key)


def convergence(display: ConvergenceDisplay, colour: str) -> str:
    """Draw residuals, or the objective where there are none."""
    curves = display.curves()
    values = [v for curve in curves.values() for v in curve if v is not None]
    log = min(values) > 0
    low, high = min(values), max(values)
    if low == high:
        low, high = low - 0.5, high + 0.5
        log = log and low > 0
    frame = svg.Frame(
        (display.steps[0], display.steps[-1]), (low, high), logy=log, left=64
    )
    body = frame.axes("step", "logarithmic" if log else "")
    key = []
    for i, (name, curve) in enumerate(curves.items()):
        shape, tone = _pick(i, SHAPES), _pick(i, (colour, "#7f8790", "#4f9f5b"))
        found = [
            (s, v) for s, v in zip(display.steps, curve, strict=True) if v is not None
        ]
        places = [(frame.xs(s), frame.ys(v)) for s, v in found]
        body.append(svg.line(places, tone))
        every = max(1, len(found) // 12)
        words = name.replace("_", " ")
        for (s, v), (x, y) in list(zip(found, places, strict=True))[::every]:
            body.append(svg.mark(shape, x, y, 3.5, tone, f"step {s}: {words} {v:.3g}"))
        key.append((shape, tone, words))
    about = f"{', '.join(k[2] for k in key)} over {display.steps[-1]} steps."
    return svg.chart(display.name, about, 280, body) + _legend(key)


def embedding(display: EmbeddingDisplay) -> str:
    """Draw the samples; hovering shows row, cluster and class."""
    side = (-1.05, 1.05)
    frame = svg.Frame(side, side, height=EMBEDDING_HEIGHT, left=12, below=12)
    body = []
    classes: list[int | None] = list(display.classes or [])
    classes = classes or [None] * len(display.points)
    rows = zip(display.points, display.clusters, classes, display.samples, strict=True)
    for (x, y), cluster, known, sample in rows:
        tip = f"row {sample}: cluster {cluster}"
        tip += "" if known is None else f", class {known}"
        shape = _pick(cluster // len(CLUSTERS), SHAPES)
        colour = _pick(cluster, CLUSTERS)
        other = "" if known is None else f'data-class="{_pick(int(known), CLUSTERS)}"'
        body.append(svg.mark(shape, frame.xs(x), frame.ys(y), 4, colour, tip, other))
    n = len(set(display.clusters))
    about = f"{len(display.points)} samples in {n} clusters, laid out in the plane."
    return svg.chart(f"Embedding of {display.name}", about, EMBEDDING_HEIGHT, body)


def graphs(display: GraphDisplay) -> list[dict[str, Any]]:
    """Encode the graphs of figure 3: images with captions and descriptions."""
    out = []
    for name, image in zip(display.names, display.images, strict=True):
        learned = name == "learned"
        about = (
            f"{'Learned graph' if learned else f'Anchor graph of {name}'}: samples "
            "down, anchors across, both grouped by cluster; colour is the link's weight"
        )
        colour = "#d9622b" if learned else ACCENT
        out.append({"src": svg.png(image, colour), "name": name, "about": about})
    return out


def weights(values: dict[str, float], name: str) -> str:
    """Draw view weights as bars."""
    step, left = 26, 130
    height = 58 + step * len(values)
    top = max([*values.values(), 1e-9])
    frame = svg.Frame((0, top), (0, 1), height, left)
    body = frame.axes("weight", rows=False)
    for i, (view, weight) in enumerate(values.items()):
        y = frame.top + step * i
        width = max(0.5, frame.xs(weight) - left)
        body.append(svg.text(left - 8, y + 17, view, "name", "end"))
        body.append(
            f'<rect x="{left}" y="{y + 4:g}" width="{width:.1f}" height="{step - 8}" '
            f'fill="{colour_of(name)}" data-tip="{escape(view)}: {weight:.3f}"/>'
        )
    about = ", ".join(f"{view} {weight:.2f}" for view, weight in values.items())
    return svg.chart(f"View weights of {name}", about, height, body)


def cost(found: list[Group]) -> str:
    """Draw accuracy against seconds; the area of a mark is the peak memory."""
    points = [
        (g, g.mean("seconds"), g.score("acc")[0], g.mean("peak_mb")) for g in found
    ]
    seconds = [max(s or 0.0, 1e-3) for _, s, _, _ in points]
    frame = svg.Frame((min(seconds) / 1.5, max(seconds) * 1.5), (0, 1), logx=True)
    body = frame.axes("seconds, logarithmic", "accuracy")
    most = max((m or 0.0 for *_, m in points), default=1.0) or 1.0
    order = sorted(zip(points, seconds, strict=True), key=lambda p: -(p[0][3] or 0.0))
    for (group, _, accuracy, memory), time in order:
        size = 4 + 9 * ((memory or 0.0) / most) ** 0.5
        room = "" if memory is None else f", {memory:.0f} MiB"
        tip = f"{group.variant}: {short(accuracy)}, {time:.2f} s{room}"
        place = (frame.xs(time), frame.ys(accuracy))
        body.append(
            svg.mark(
                "dot", *place, size, colour_of(group.variant), tip, 'opacity=".75"'
            )
        )
    names = sorted(g.variant for g, *_ in points)
    key = [("dot", colour_of(name), name) for name in names]
    about = f"Accuracy against time and memory of {len(points)} methods."
    return svg.chart(f"Cost on {found[0].set}", about, 280, body) + _legend(key)


def growth(series: dict[str, list[tuple[int, float]]], what: str) -> str:
    """Draw seconds or memory against the number of samples, both logarithmic."""
    flat = [point for curve in series.values() for point in curve]
    ns, values = [n for n, _ in flat], [v for _, v in flat]
    frame = svg.Frame(
        (min(ns), max(ns)), (min(values), max(values) * 1.2), logx=True, logy=True
    )
    body = frame.axes("samples, logarithmic", what)
    key = []
    for i, (name, curve) in enumerate(series.items()):
        shape, colour = _pick(i, SHAPES), colour_of(name)
        places = [(frame.xs(n), frame.ys(v)) for n, v in curve]
        body.append(svg.line(places, colour))
        for (n, v), (x, y) in zip(curve, places, strict=True):
            body.append(
                svg.mark(shape, x, y, 4.5, colour, f"{name}: {n} samples, {v:.3g}")
            )
        key.append((shape, colour, name))
    about = f"{what} of {len(key)} methods against the number of samples."
    return svg.chart("Growth", about, 280, body) + _legend(key)


def rank_diagram(result: Ranks) -> str:
    """Draw mean ranks; bars join methods that do not differ at 5 % [demsar2006]_."""
    k = len(result.methods)
    half = (k + 1) // 2
    cliques = result.cliques()
    top = 58 + 9 * len(cliques)
    height = top + 20.0 * half
    left, right = 160.0, svg.WIDTH - 160.0

    def place(rank: float) -> float:
        return left + (rank - 1) / (k - 1) * (right - left)

    axis = 30.0
    body = [svg.line([(left, axis), (right, axis)], "currentColor")]
    for whole in range(1, k + 1):
        if k <= 10 or whole in (1, k) or (whole % 5 == 0 and k - whole > 1):
            x = place(whole)
            body.append(svg.line([(x, axis - 5), (x, axis)], "currentColor"))
            body.append(svg.text(x, axis - 9, str(whole), "tick", "middle"))
    for i, (a, b) in enumerate(cliques):
        y = axis + 12 + 9 * i
        ends = [(place(result.mean[a]) - 4, y), (place(result.mean[b]) + 4, y)]
        body.append(svg.line(ends, "currentColor", 'style="stroke-width:4"'))
    for i, (name, rank) in enumerate(zip(result.methods, result.mean, strict=True)):
        first = i < half
        y = top + 20 * (i if first else k - 1 - i)
        x, edge = place(rank), (left - 14 if first else right + 14)
        body.append(svg.line([(x, axis), (x, y), (edge, y)], colour_of(name), THIN))
        anchor = "end" if first else "start"
        words = f"{name} {rank:.1f}"
        body.append(svg.text(edge + (-5 if first else 5), y + 4, words, "name", anchor))
        body.append(
            svg.mark("dot", x, axis, 4, colour_of(name), f"{name}: rank {rank:.2f}")
        )
    about = "Mean ranks, best on the left: " + ", ".join(
        f"{m} {r:.1f}" for m, r in zip(result.methods, result.mean, strict=True)
    )
    return svg.chart("Critical-difference diagram", about, height, body)
