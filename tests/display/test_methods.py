"""Laws of the figures that compare methods: nothing overlaps, colours mean groups."""

import itertools

import numpy as np
import pytest

from mvgraph import methods
from mvgraph.display import (
    GROUPS,
    GrowthDisplay,
    RanksDisplay,
    ScoresDisplay,
    SetScoresDisplay,
    SweepDisplay,
    TradeoffDisplay,
    method_styles,
)
from mvgraph.display._display import STYLE
from mvgraph.display._styles import LONGEST, PALETTE, SHAPES, short_names

LONG = "package.module:AClassWithAVeryLongName (power=0.25, n_steps={})"
HOSTILE = [r"\alpha_{1}$x$ & <b>mine</b>", "a\nb", "漢字", "<script>", "%s {} \\"]


def names(n, long):
    known = [LONG.format(i) for i in range(3)] + HOSTILE if long else []
    return [*known, *methods.names(), *(f"other-{i}" for i in range(n))][:n]


def displays(shown):
    """Each figure of methods, with equal values and with values far apart."""
    n, rng = len(shown), np.random.default_rng(0)
    groups = {m: GROUPS[i % len(GROUPS)] for i, m in enumerate(shown)}
    more = {"groups": groups, "reference": shown[0]}
    for spread in (0.0, 0.4):
        score = [(0.5 + spread * float(x), 0.01) for x in rng.uniform(-1, 1, n)]
        value = [s for s, _ in score]
        seconds = [10 ** (8 * s - 4) for s in value]
        yield ScoresDisplay(shown, score, [None] * n, "acc", "a", seconds, **more)
        for n_sets in (1, 3, 9):
            sets = [f"a set with a long name, number {i}" for i in range(n_sets)]
            rows = [[s] * n_sets for s in score]
            rows[0] = ["time limit"] * n_sets
            yield SetScoresDisplay(shown, sets, rows, "ari", **more)
        ranks = sorted(value)
        yield RanksDisplay(shown, ranks, [(0, n // 2), (n // 2, n - 1)], 9, **more)
        yield RanksDisplay(shown, ranks, [(0, n - 1)], 3, **more)
        yield TradeoffDisplay(shown, seconds, value, [1] * n, **more)
        pairs = zip(shown, value, strict=True)
        curves = {m: [[10, s], [1000, s * 3]] for m, s in pairs}
        yield GrowthDisplay(curves, **more)
        swept = {f"{m}, shuffled": [s, s] for m, s in zip(shown, score, strict=True)}
        yield SweepDisplay("p", [0.1, 1.0], swept, **more)


def overlaps(display, monkeypatch):
    """Return pairs of texts that overlap, and texts that leave the figure."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    with rc_context(STYLE):
        figure = display._detached().figure_
    FigureCanvasAgg(figure)
    drawn, draw = [], Text.draw
    with monkeypatch.context() as patch:
        patch.setattr(Text, "draw", lambda t, r, *a: (drawn.append(t), draw(t, r)))
        figure.canvas.draw()
    drawn = [t for t in drawn if t.get_visible() and t.get_text().strip()]
    assert len(drawn) > 1
    # an annotation's own box has its arrow in it
    boxes = [(t.get_text(), Text.get_window_extent(t).padded(-1)) for t in drawn]
    pairs = itertools.combinations(boxes, 2)
    out = [(a, b) for (a, x), (b, y) in pairs if x.overlaps(y)]
    (left, low), (right, high) = figure.bbox.padded(1).get_points()
    return out + [
        text
        for text, b in boxes
        if b.x0 < left or b.x1 > right or b.y0 < low or b.y1 > high
    ]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize("n", [1, 3, 12, 29])
def test_no_texts_overlap(n, long, monkeypatch):
    for display in displays(names(n, long)):
        assert overlaps(display, monkeypatch) == [], display


def test_names_at_the_ends_of_equal_curves_do_not_overlap(monkeypatch):
    curves = {name: [[10, 1.0], [1000, 2.0]] for name in names(12, long=False)}
    assert overlaps(GrowthDisplay(curves), monkeypatch) == []


@pytest.mark.parametrize("n_groups", [1, 3, 7, 12, 20])
def test_methods_differ_in_colour_or_shape(n_groups):
    for known in (GROUPS, ()):
        kinds = [*known, *(f"group {i}" for i in range(n_groups))][:n_groups]
        of = {f"{g}-{i}": g for g in kinds for i in range(3)}
        styles = method_styles(of)
        assert len(set(styles.values())) == len(of)
        colours = {g: {styles[m].colour for m in of if of[m] == g} for g in kinds}
        assert all(len(found) == 1 for found in colours.values())
        assert len({min(c) for c in colours.values()}) == min(n_groups, len(PALETTE))


def test_every_method_has_a_group_and_a_style_of_its_own():
    of = {name: methods.get(name).family for name in methods.names()}
    assert set(of.values()) <= set(GROUPS)
    assert "other" not in of.values()  # is left to methods of other packages
    assert len(set(method_styles(of).values())) == len(of)
    assert len(SHAPES) == len(set(SHAPES)) == 12


#: Machado, Oliveira and Fernandes 2009, severity 1, for linear RGB.
EYES = {
    "all": np.eye(3),
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


@pytest.mark.parametrize(
    ("eye", "least"), [("all", 0.09), ("no red", 0.055), ("no green", 0.055)]
)
def test_colours_of_groups_are_apart_for_every_eye(eye, least):
    rgb = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in PALETTE])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ np.transpose(EYES[eye]), 0, 1)
    lab = np.cbrt(seen @ TO_CONES.T) @ TO_LAB.T
    apart = [np.linalg.norm(a - b) for a, b in itertools.combinations(lab, 2)]
    assert min(apart) >= least


def test_short_names_still_differ():
    shown = short_names([LONG.format(i) for i in range(30)] + HOSTILE)
    assert len(set(shown.values())) == len(shown)
    assert max(map(len, shown.values())) <= LONGEST
    alike = ["x" * 30 + str(i) + "x" * 30 for i in range(3)]  # differ in the middle
    assert len(set(short_names(alike).values())) == 3
    assert max(map(len, short_names(alike).values())) <= LONGEST


def test_a_bar_that_joins_all_is_a_sentence():
    ranks = [1.5, 2.0, 2.5]
    whole = RanksDisplay(["a", "b", "c"], ranks, [(0, 2)], 3)
    assert whole.verdict == "no difference can be shown with 3 sets"
    n_lines = {}
    for cliques in ([], [(0, 2)], [(0, 1)], [(0, 1), (1, 2)]):
        plot = RanksDisplay(["a", "b", "c"], ranks, cliques, 3)._detached()
        n_lines[len(cliques), len(plot.bars)] = len(plot.ax_.lines)
        assert plot.verdict in plot.ax_.get_xlabel()
    assert n_lines == {(0, 0): 3, (1, 0): 3, (1, 1): 4, (2, 2): 5}


@pytest.mark.parametrize("name", ["a", 'a set with <b>a long</b> name & "quotes"' * 2])
def test_titles_fit_and_times_are_not_zero(name):
    from matplotlib import rc_context

    seconds = [0.0, 0.0004, 0.0012, 0.04, 0.5, 12.0]
    shown, pairs = list("uvwxyz"), [(0.5, 0.1)] * 6
    plot = ScoresDisplay(shown, pairs, pairs, "acc", name, seconds)
    for draw in (plot.plot, plot.plot_effect, plot.plot_seconds):
        with rc_context(STYLE):
            figure = draw().figure_
        figure.draw_without_rendering()
        title = plot.ax_._left_title.get_window_extent()
        assert figure.bbox.x0 <= title.x0 < title.x1 <= figure.bbox.x1
    words = [t.get_text() for t in plot.ax_.texts]
    assert words == ["< 0.001 s"] * 2 + ["0.0012 s", "0.04 s", "0.50 s", "12 s"]
