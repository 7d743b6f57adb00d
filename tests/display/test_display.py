import json
from types import SimpleNamespace

import numpy as np
import pytest

from data import planted
from mvgraph import MGL, AnchorFilter, methods
from mvgraph.display import (
    ConvergenceDisplay,
    EmbeddingDisplay,
    GraphDisplay,
    GrowthDisplay,
    RanksDisplay,
    ScoresDisplay,
    WeightsDisplay,
)
from mvgraph.display._axes import GREY, _apart
from mvgraph.display._styles import BLUE, CLUSTERS, ORANGE, PALETTE


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture(scope="module")
def fitted():
    views, y = planted()
    return AnchorFilter(3, random_state=0).fit(views), views, y


def same_after_json(display):
    text = json.dumps(display.data())
    again = type(display).from_data(json.loads(text))
    return json.dumps(again.data()) == text


def test_graphs_before_and_after(fitted):
    model, views, _ = fitted
    display = GraphDisplay.from_estimator(model, views)
    assert display.names == ["view_0", "view_1", "learned"]
    learned = display.images[-1]
    # three components, grouped: nothing outside the blocks on the diagonal
    rows = np.concatenate([[0], np.round(np.array(display.borders) * len(learned))])
    for start, stop in zip(
        rows.astype(int), [*rows[1:].astype(int), len(learned)], strict=True
    ):
        used = learned[start:stop].any(axis=0)
        others = np.delete(learned, np.arange(start, stop), axis=0).any(axis=0)
        assert used.any()
        assert not (used & others).any()
    assert same_after_json(display)
    assert display.plot() is display
    assert len(display.axes_) == 3


def test_graphs_of_other_rows_are_refused(fitted):
    model, views, _ = fitted
    with pytest.raises(ValueError, match="in another order"):
        GraphDisplay.from_estimator(model, [x[::-1] for x in views])
    with pytest.raises(ValueError, match="fitted on 60 samples, X has 9"):
        GraphDisplay.from_estimator(model, [x[:9] for x in views])


def test_a_graph_of_samples_is_square():
    views, _ = planted()
    model = methods.get("clr-concat").make(3, 0).fit(views)
    display = GraphDisplay.from_estimator(model, views)
    assert display.names == ["learned"]
    assert display.images[0].shape == (60, 60)


def test_pictures_are_bounded(fitted):
    views, _ = planted(600)
    model = AnchorFilter(3, random_state=0, n_anchors=100).fit(views)
    graphs = GraphDisplay.from_estimator(model, views)
    assert all(image.shape == (140, 70) for image in graphs.images)
    assert len(EmbeddingDisplay.from_embedding(model).points) == 600


def test_a_model_without_graph_or_embedding_says_so(fitted):
    views, _ = planted()
    model = methods.get("kmeans-concat").make(3, 0).fit(views)
    with pytest.raises(ValueError, match="has no graph_"):
        GraphDisplay.from_estimator(model, views)
    with pytest.raises(ValueError, match="has no embedding_"):
        EmbeddingDisplay.from_embedding(model)


def test_embedding_keeps_clusters_together(fitted):
    model, _, y = fitted
    display = EmbeddingDisplay.from_embedding(model, y)
    P, labels = np.array(display.points), np.array(display.clusters)
    assert np.abs(P).max() <= 1
    distance = np.linalg.norm(P[:, None] - P[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    assert (labels[distance.argmin(axis=1)] == labels).mean() > 0.95
    assert display.classes == [int(c) for c in y[display.samples]]
    assert same_after_json(display)
    assert display.plot() is display
    again = EmbeddingDisplay.from_embedding(model, y)
    assert again.points == display.points


def test_convergence(fitted):
    model = MGL(3, random_state=0).fit(fitted[1])
    display = ConvergenceDisplay.from_estimator(model)
    assert list(display.curves()) == ["primal_residual", "dual_residual"]
    assert display.steps[-1] == model.n_iter_
    assert same_after_json(display)
    assert display.plot() is display
    assert display.ax_.get_yscale() == "log"


def test_convergence_thins_long_histories_and_drops_what_is_no_number():
    steps = [{"objective": 1 / (i + 1), "odd": float("nan")} for i in range(1000)]
    model = SimpleNamespace(history_=[{**step, "stage": "x"} for step in steps])
    display = ConvergenceDisplay.from_estimator(model)
    assert len(display.steps) <= 120
    assert (display.steps[0], display.steps[-1]) == (1, 1000)
    assert list(display.series) == ["objective"]
    with pytest.raises(ValueError, match="has no history_"):
        ConvergenceDisplay.from_estimator(SimpleNamespace(labels_=[0]))
    for history in ([], [{"seconds": 1.0, "stage": "x"}], [{"odd": float("nan")}]):
        with pytest.raises(ValueError, match="has no numbers"):
            ConvergenceDisplay.from_estimator(SimpleNamespace(history_=history))
    with pytest.raises(ValueError, match="no curves to draw"):
        ConvergenceDisplay([], {}, "a").plot()


def luminance(colour):
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize("ground", ["#fdfdfc", "#14181b"])
def test_colours_stand_out_on_both_grounds(ground):
    for colour in (*PALETTE, BLUE, ORANGE, *CLUSTERS, GREY):
        low, high = sorted([luminance(colour), luminance(ground)])
        assert (high + 0.05) / (low + 0.05) >= 3, colour


def test_axis_of_scores_starts_at_zero_unless_all_are_high():
    low = ScoresDisplay(["a", "b"], [(0.9, 0), (0.3, 0)], [None, None]).plot()
    assert (low.ax_.get_xlim()[0], low.ax_.get_xlabel()) == (0, "accuracy")
    high = ScoresDisplay(["a", "b"], [(0.9, 0), (0.75, 0)], [None, None]).plot()
    assert high.ax_.get_xlim()[0] == pytest.approx(0.7)
    assert high.ax_.get_xlabel() == "accuracy (axis starts at 0.7)"


def test_labels_at_the_ends_do_not_overlap():
    places = _apart([0.1, 0.11, 0.12, 0.5, 0.9], 0.1)
    assert np.diff(places).min() >= 0.1 - 1e-9
    assert places[3:] == [0.5, 0.9]
    assert np.mean(places[:3]) == pytest.approx(0.11)


def test_classes_have_the_colours_of_their_clusters():
    points = [[x / 10, 0.0] for x in range(10)]
    display = EmbeddingDisplay(
        points, [0] * 5 + [1] * 5, [3] * 5 + [1] * 5, [*range(10)]
    )
    colours = [line.get_color() for line in display.plot().ax_.lines]
    by_class = {
        line.get_label(): line.get_color() for line in display.plot_classes().ax_.lines
    }
    assert by_class == {"3": colours[0], "1": colours[1]}
    display.classes = None
    with pytest.raises(ValueError, match="no classes are known"):
        display.plot_classes()


@pytest.mark.slow
def test_many_points_are_an_image_and_fill_the_square():
    rng = np.random.default_rng(0)
    centres = 5 * np.eye(3, 6)
    labels = np.repeat([0, 1, 2], 700)
    model = SimpleNamespace(
        embedding_=centres[labels] + 0.3 * rng.normal(size=(2100, 6)), labels_=labels
    )
    display = EmbeddingDisplay.from_embedding(model)
    P = np.array(display.points)
    assert len(P) == 2100
    assert np.allclose([P.min(axis=0), P.max(axis=0)], [[-1, -1], [1, 1]], atol=2e-3)
    near = np.linalg.norm(P[:, None, ::] - P[None, ::7], axis=2)
    near[::7][np.arange(300), np.arange(300)] = np.inf
    assert (labels[::7][near.argmin(axis=1)] == labels).mean() > 0.99
    assert all(line.get_rasterized() for line in display.plot().ax_.lines)
    assert same_after_json(display)
    assert type(display).from_data(display.data()).points == display.points
    assert len(json.dumps(display.data())) < 6 * 2100


def test_embeddings_of_old_records_are_read():
    data = {"points": [[0.1, -1.0]], "clusters": [2], "classes": None, "samples": [7]}
    display = EmbeddingDisplay.from_data({**data, "name": "x"})
    assert display == EmbeddingDisplay([[0.1, -1.0]], [2], None, [7], "x")


def test_one_graph_of_several(fitted):
    model, views, _ = fitted
    one = GraphDisplay.from_estimator(model, views).select(1)
    assert one.about.startswith("Anchor graph of view_1 before:")
    assert one.plot().ax_.get_title() == "view_1, before"


def test_growth_and_weights_and_ranks():
    display = GrowthDisplay({"mgl": [[100, 0.1], [1000, 1.0]]})
    assert not display.empty
    assert GrowthDisplay({"mgl": [[100, 0.1]]}).empty
    assert display.plot().ax_.get_xscale() == "log"
    model = SimpleNamespace(view_weights_=np.array([0.25, 0.75]))
    weights = WeightsDisplay.from_estimator(model, ["a", "b"])
    assert weights.weights == {"a": 0.25, "b": 0.75}
    assert len(weights.plot().ax_.patches) == 2
    ranks = RanksDisplay(["a", "b", "c"], [1.0, 2.0, 3.0], [(0, 1)], 9)
    assert ranks.plot() is ranks
    for shown in (display, weights, ranks):
        assert same_after_json(shown)
        assert shown.about in shown._repr_html_()
