"""What a notebook shows below a cell."""

import base64
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from mvgraph import Views, datasets
from mvgraph import display as displays
from mvgraph.display import WeightsDisplay


@pytest.fixture
def shown(monkeypatch):
    """Return what IPython was given to show."""
    import matplotlib.pyplot as plt

    plt.close(plt.figure())  # matplotlib looks for IPython once
    found = []
    module = SimpleNamespace(
        HTML=lambda text: ("html", text), display=lambda thing: found.append(thing)
    )
    monkeypatch.setitem(
        sys.modules,
        "IPython",
        SimpleNamespace(display=module),
    )
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    yield found
    plt.close("all")


def test_a_plot_at_the_end_of_a_cell_shows_the_figure_once(shown):
    import matplotlib.pyplot as plt

    display = WeightsDisplay({"a": 1.0}).plot()
    display._ipython_display_()
    assert shown == []  # the notebook shows open figures itself
    plt.close(display.figure_)
    display._ipython_display_()  # in a later cell
    assert shown == [display.figure_]


def test_a_plot_on_other_axes_shows_its_figure(shown):
    from matplotlib.figure import Figure

    figure = Figure()
    WeightsDisplay({"a": 1.0}).plot(figure.subplots())._ipython_display_()
    assert shown == [figure]


def test_a_display_without_a_plot_shows_its_picture(shown):
    import matplotlib.pyplot as plt

    display = WeightsDisplay({"<a>": 1.0}, "name")
    display._ipython_display_()
    ((kind, html),) = shown
    assert kind == "html"
    assert html.startswith('<img alt="View weights of name: &lt;a&gt; 1.00."')
    picture = base64.b64decode(re.search('base64,([^"]+)', html)[1])
    assert picture.startswith(b"\x89PNG")
    # no figure is left that the notebook would show a second time
    assert display.figure_ is None
    assert plt.get_fignums() == []


def test_without_matplotlib_a_display_says_what_it_is(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert WeightsDisplay({"<a>": 1.0}, "name")._repr_html_() == (
        "<p><b>WeightsDisplay</b>: View weights of name: &lt;a&gt; 1.00.</p>"
    )


def test_a_display_is_one_line_in_a_console():
    display = WeightsDisplay({"a": 1.0}, "name")
    assert repr(display) == "<WeightsDisplay: View weights of name: a 1.00.>"


@pytest.mark.slow
def test_text_of_saved_figures_can_be_edited(tmp_path):
    display = WeightsDisplay({"$a$_b": 1.0}, "name")
    for name, sign in (("a.svg", b"<?xml"), ("a.pdf", b"%PDF"), ("a.png", b"\x89PNG")):
        display.save(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(sign)
    assert "$a$_b" in (tmp_path / "a.svg").read_text()
    assert b"/FontFile2" in (tmp_path / "a.pdf").read_bytes()  # TrueType, not shapes
    assert b"/Type3" not in (tmp_path / "a.pdf").read_bytes()
    with pytest.raises(ValueError, match="is unknown; use one of"):
        display.save(tmp_path / "a.bmp")


def test_a_data_set_is_a_table_of_its_views():
    X = np.arange(12.0).reshape(6, 2)
    lacking = X.copy()
    lacking[0] = np.nan
    views = Views([X, lacking], names=["a<b", "c"])
    html = datasets.Dataset(views, np.array([0, 0, 1, 1, 2, 2]), "six")._repr_html_()
    assert "six: 6 samples, 3 classes" in html
    assert "<td>a&lt;b</td><td>2</td><td>float64</td><td>0</td>" in html
    assert "<td>c</td><td>2</td><td>float64</td><td>1</td>" in html
    assert "no classes" in datasets.Dataset(views, None, "six")._repr_html_()
    assert html.replace("six: 6 samples, 3 classes", "2 views of 6 samples") == (
        views._repr_html_()
    )


SMALL = {
    "ChooseKDisplay": ([2, 3], [0.9, 0.1], [1.0, 0.5], [0.3, 0.3], [2]),
    "ComparisonDisplay": (("a", "b"), (["0"], ["x", "y"]), [[3, 4]], [1], "Alike."),
    "ConfidenceDisplay": ([0.5, 0.9], [0, 1]),
    "ConvergenceDisplay": ([1, 2], {"objective": [2.0, 1.0]}),
    "DendrogramDisplay": ([[0, 1], [2, 3]], [4, 5, 6], [0, 0, 1]),
    "DotPlotDisplay": (["0"], ["f"], [[0.5]], [[1.0]]),
    "EmbeddingDisplay": ([[0.0, 0.0], [1.0, 1.0]], [0, 1], None, [0, 1]),
    "GraphDisplay": (["a", "learned"], [np.ones((4, 2), np.uint8)] * 2, [0.5]),
    "GrowthDisplay": ({"mgl": [[10, 1.0], [100, 2.0]]},),
    "HeatmapDisplay": (["0", "1"], ["f", "g"], [[1.0, -1.0], [0.0, 2.0]], ["v", "w"]),
    "RanksDisplay": (["mgl", "clr"], [1.0, 2.0], [(0, 1)], 9),
    "ScoresDisplay": (["mgl"], [(0.5, 0.1)], [None]),
    "SetScoresDisplay": (["mgl"], ["a", "b"], [[(0.5, 0.1), "failed"]]),
    "SilhouetteDisplay": ([0.1, 0.2], [0, 1], "", {"v": 0.1}),
    "SweepDisplay": ("p", [1.0, 2.0], {"mgl, shuffled": [(0.5, 0.1), (0.6, 0.0)]}),
    "TradeoffDisplay": (["a", "b", "c"], [1.0, 2.0, 3.0], [0.5, 0.4, 0.9], [2, 2, 2]),
    "WeightsDisplay": ({"v": 1.0},),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_every_display_is_a_picture_with_words(name, tmp_path):
    display = vars(displays)[name](*SMALL[name])
    html = display._repr_html_()
    assert html.startswith('<img alt="')
    assert "data:image/png;base64," in html
    assert repr(display).startswith(f"<{name}: ")
    assert len(repr(display)) < 300
    display.save(tmp_path / "a.svg")
    assert "<text" in (tmp_path / "a.svg").read_text() or name == "EmbeddingDisplay"
    assert display.figure_ is None  # a file leaves no trace in the session


def test_the_small_ones_are_all():
    classes = {n for n, v in vars(displays).items() if isinstance(v, type)}
    assert classes == set(SMALL)
