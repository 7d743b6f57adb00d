"""Which values of records the displays are given."""

import json

import pytest

from bench_data import record
from mvgraph.bench import figures
from mvgraph.display import GrowthDisplay


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def same_after_json(display):
    text = json.dumps(display.data())
    again = type(display).from_data(json.loads(text))
    return json.dumps(again.data()) == text


RECORDS = [
    record(acc=0.2, seed=0),
    record(acc=0.4, seed=1),
    record(order="published", acc=0.9),
    record(method="sfmc", acc=0.6),
    record(method="sfmc", preset="paper", acc=0.5, order="published"),
    record(set_="other", acc=1.0),
    record(status="skipped", method="swmc", scores=None),
    *(record(acc=p, grid={"p": p}) for p in (0.5, 0.1, 1.0)),
    record(acc=0.3, grid={"p": 0.5}, order="published"),
]


def test_scores_and_order_effect():
    display = figures.scores_of(RECORDS, "msrc_v5")
    assert display.methods == ["sfmc", "sfmc (paper)", "mgl"]
    assert display.shuffled[2] == pytest.approx((0.3, 0.1))
    assert display.effect() == [None, None, pytest.approx(0.6)]
    assert display.plot() is display
    assert figures.scores_of([], "none").methods == []


def test_sweep():
    display = figures.sweep_of(RECORDS, "msrc_v5", "p")
    assert display.values == [0.1, 0.5, 1.0]
    assert display.curves["mgl, shuffled"] == [(0.1, 0), (0.5, 0), (1.0, 0)]
    assert display.curves["mgl, published"] == [None, (0.3, 0), None]
    assert same_after_json(display)
    import matplotlib.pyplot as plt

    ax = plt.subplots()[1]
    assert display.plot(ax).ax_ is ax
    assert len(display.lines_) == 2


def test_no_method_is_faster_and_better_than_those_on_the_front():
    rows = [
        record(s, m, acc=acc, cpu_seconds=t * (1 + len(s)))
        for m, t, acc in (("a", 1, 0.5), ("b", 2, 0.4), ("mgl", 3, 0.7), ("c", 9, 0.7))
        for s in ("one", "three")
    ]
    part = record("one", "partial", acc=0.99, cpu_seconds=0.0)
    slow = record("one", "a", order="published", acc=1.0, cpu_seconds=99.0)
    display = figures.tradeoff_of([*rows, part, slow])
    assert display.front() == ["a", "mgl"]
    assert display.seconds == pytest.approx([5, 10, 15, 45, 1e-3])
    assert display.scores == pytest.approx([0.5, 0.4, 0.7, 0.7, 0.99])
    assert display.n_sets == [2, 2, 2, 2, 1]
    ax = display.plot().ax_
    names = {t.get_text() for t in ax.get_legend().get_texts()}
    assert names == {*display.methods, "tensor", "other"}
    assert ax.get_xscale() == "log"
    assert "better than a, mgl" in display.about
    assert same_after_json(display)
    assert figures.tradeoff_of(rows[:4]).empty


def test_growth():
    sizes = [record(f"ambiguous:{n}", n=n, seconds=n / 1e3) for n in (100, 1000)]
    display = figures.growth_of([*sizes, record()])
    assert display.curves == {"mgl": [[100, 0.1], [1000, 1.0]]}
    assert figures.growth_of([record()]).empty


def test_a_curve_of_growth_is_one_set_in_several_sizes():
    names = ["m:10", "m:40", "m:10,noise=1", "m:40,noise=1", "m:10,noise=2", "o:10"]
    rows = [
        record(s, n=10 + 30 * ("40" in s), seconds=i + 1) for i, s in enumerate(names)
    ]
    display = figures.growth_of([*rows, record("m:10,noise=2", "sfmc", n=10)])
    first, second = [[10, 1], [40, 2]], [[10, 3], [40, 4]]
    assert display.curves == {"mgl, m": first, "mgl, m,noise=1": second}
    alone, both = figures.growth_of(rows[:2]), display.plot().ax_.lines
    assert alone.curves == {"mgl": first}
    assert len({line.get_color() for line in both}) == 1
    assert len({line.get_linestyle() for line in both}) == 2
    renamed = [
        r | {"set_in_plan": r["set"], "set": f"x{i}"} for i, r in enumerate(rows)
    ]
    shown = figures.growth_of(renamed)
    assert shown.curves == display.curves


@pytest.mark.parametrize("sizes", [(100, 200, 400), (7, 8, 9, 1000), (5, 10**6)])
def test_every_size_has_a_tick_and_the_ends_are_named(sizes):
    axis = GrowthDisplay({"a": [[n, 1.0] for n in sizes]}).plot().ax_.xaxis
    axis.figure.draw_without_rendering()
    assert list(axis.get_majorticklocs()) == list(sizes)
    words = [tick.get_text() for tick in axis.get_ticklabels()]
    assert (words[0], words[-1]) == (str(sizes[0]), str(sizes[-1]))


def test_captions_speak_of_what_is_drawn():
    looks = {"groups": {}, "reference": ""}
    rows = [record("a", m, acc=x) for m, x in (("u", 0.2), ("v", 0.5), ("w", 0.6))]
    again = record("a", "u", seed=1, acc=0.9)
    ring = record("a", "z", "published")
    for more, words in (([], ""), ([again], "deviation"), ([ring], "ring")):
        caption = figures.scores([*rows, *more], "a", "acc", looks)["caption"]
        assert ("deviation" in caption, "ring" in caption) == (
            words == "deviation",
            words == "ring",
        )
    for more, words in (([], ""), ([record("b", "w")], "Hollow")):
        display = figures.tradeoff_of([*rows, *more])
        caption = figures.tradeoff_caption(display)
        assert ("Hollow" in caption, "dotted" in caption) == (bool(words), False)
        assert ("hollow" in display.plot().ax_.get_xlabel()) == bool(words)
    rows[0]["seconds"] = 0.1
    caption = figures.tradeoff_caption(figures.tradeoff_of(rows))
    assert "dotted" in caption


@pytest.mark.parametrize("seed", [0, 3])
def test_what_was_learned_says_of_which_single_run_it_is(seed):
    points = {"points": [[0, 1], [1, 0]], "samples": [0, 1]}
    kept = {"embedding": {**points, "clusters": [0, 1], "classes": None}}
    runs = [record(acc=0.1 * s, seed=s) for s in (0, 3, 5)]
    for run in runs:
        run["artefacts"] = kept if run["seed"] == seed else {}
    (shown,) = figures.learned(runs, "msrc_v5")
    assert shown["score"].endswith(f"with seed {seed}")
