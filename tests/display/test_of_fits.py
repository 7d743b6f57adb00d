"""Displays of one fitted model: tree, silhouettes, confidence."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster
from sklearn.exceptions import NotFittedError
from sklearn.metrics import silhouette_samples

from data import planted
from mvgraph import ChooseK, GraphConsensus, methods
from mvgraph.display import (
    ChooseKDisplay,
    ConfidenceDisplay,
    ConvergenceDisplay,
    DendrogramDisplay,
    EmbeddingDisplay,
    GraphDisplay,
    SilhouetteDisplay,
    WeightsDisplay,
)
from mvgraph.metrics import ari

DISPLAYS = (
    ConfidenceDisplay, ConvergenceDisplay, DendrogramDisplay, EmbeddingDisplay,
    GraphDisplay, SilhouetteDisplay, WeightsDisplay,
)  # fmt: skip

NEED_VIEWS = (EmbeddingDisplay, GraphDisplay, SilhouetteDisplay)


@pytest.fixture(scope="module")
def model():
    return GraphConsensus(3, random_state=0).fit(planted(120)[0])


@pytest.fixture
def ax():
    from matplotlib.figure import Figure

    return Figure(layout="constrained").subplots()


def test_dendrogram_is_that_of_the_tree(model, ax):
    display = DendrogramDisplay.from_estimator(model)
    Z = display.linkage()
    assert Z[-1, 3] == model.tree_.n_leaves_
    assert sum(display.sizes) == 120
    assert (np.diff(Z[:, 2]) > 0).all()
    # SciPy cuts the same clusters out of it as the tree does
    for k in (2, 3, min(6, model.tree_.n_leaves_)):
        leaves = fcluster(Z, k, "maxclust")
        assert ari(model.tree_.cut(k), leaves[model.tree_.labels]) == 1
    assert len(set(display.clusters)) == 3
    drawn = display.plot(ax).ax_
    assert len(drawn.get_yticklabels()) == min(model.tree_.n_leaves_, 40)
    # every sample is in one leaf
    words = [text.get_text() for text in drawn.get_yticklabels()]
    assert sum(int(word.split(": ")[1]) for word in words) == 120
    assert {word.split(": ")[0] for word in words} == {"0", "1", "2"}
    again = DendrogramDisplay.from_data(json.loads(json.dumps(display.data())))
    assert again == display


def test_silhouettes_are_those_of_scikit_learn_in_the_views(model, ax):
    views = planted(120)[0]
    display = SilhouetteDisplay.from_estimator(model, views)
    scaled = [x / x.std(axis=0, ddof=1) for x in views]
    wanted = np.mean([silhouette_samples(x, model.labels_) for x in scaled], axis=0)
    assert np.allclose(display.values, wanted, atol=1e-4)
    assert np.isclose(np.mean(list(display.views.values())), wanted.mean(), atol=1e-4)
    drawn = display.plot(ax).ax_
    assert len(drawn.patches) == 3
    assert drawn.get_xlabel().startswith(
        f"silhouette, mean {wanted.mean():.2f}\nview_0"
    )
    again = SilhouetteDisplay.from_data(json.loads(json.dumps(display.data())))
    assert again == display


def test_silhouettes_of_wrong_clusters_are_low():
    views, y = planted(120)
    right = SilhouetteDisplay.from_labels(views, y).values
    wrong = SilhouetteDisplay.from_labels(views, np.roll(np.sort(y), 7)).values
    assert np.mean(wrong) < 0.05 < 0.3 < np.mean(right)


@pytest.mark.slow
def test_clusters_of_noise_have_no_silhouettes():
    rng = np.random.default_rng(0)
    noise = [rng.normal(size=(120, 5)) for _ in range(2)]
    fitted = GraphConsensus(3, random_state=0).fit(noise)
    assert np.mean(SilhouetteDisplay.from_estimator(fitted, noise).values) < 0.2


def test_silhouettes_where_views_are_missing():
    (a, b), y = planted(120)
    b = b.copy()
    b[:40] = np.nan
    display = SilhouetteDisplay.from_labels([a, b], y)
    first = silhouette_samples(a / a.std(axis=0, ddof=1), y)
    assert np.allclose(display.values[:40], first[:40], atol=1e-4)
    assert len(display.values) == 120
    y[5:9] = -1
    assert len(SilhouetteDisplay.from_labels([a, b], y).values) == 116


def test_confidence(model, ax):
    display = ConfidenceDisplay.from_estimator(model, name="a name")
    assert np.allclose(display.values, model.confidence_, atol=1e-4)
    assert display.plot(ax).ax_.get_title() == "a name"
    assert "confidence of 120 samples of a name" in display.about


def test_models_without_them_are_refused():
    plain = methods.get("kmeans-concat").make(3, 0).fit(planted()[0])
    for Display, lacking in (
        (DendrogramDisplay, "tree_"),
        (ConfidenceDisplay, "confidence_"),
    ):
        with pytest.raises(ValueError, match=f"has no {lacking}"):
            Display.from_estimator(plain)
    views = planted()[0]
    with pytest.raises(ValueError, match="at least two clusters"):
        SilhouetteDisplay.from_labels(views, np.zeros(60, int))
    with pytest.raises(ValueError, match="one label for each of 60 samples"):
        SilhouetteDisplay.from_labels(views, [0, 1])
    with pytest.raises(ValueError, match="in another order"):
        SilhouetteDisplay.from_estimator(plain, [x[::-1] for x in views])


def test_unfitted_models_are_refused():
    views = planted()[0]
    for Display in DISPLAYS:
        more = (views,) if Display in NEED_VIEWS else ()
        with pytest.raises(NotFittedError, match="GraphConsensus instance is not"):
            Display.from_estimator(GraphConsensus(3), *more)
    with pytest.raises(NotFittedError):
        ChooseKDisplay.from_estimator(ChooseK())


def test_views_are_no_names(model):
    views = planted(120)[0]
    for Display in (
        ConfidenceDisplay, DendrogramDisplay, ConvergenceDisplay
    ):  # fmt: skip
        with pytest.raises(TypeError, match="positional"):
            Display.from_estimator(model, views)
    with pytest.raises(ValueError, match="view_names must be 2 texts"):
        WeightsDisplay.from_estimator(model, views)
    with pytest.raises(ValueError, match="known class of each of 120 samples"):
        EmbeddingDisplay.from_embedding(model, views)


def test_weights_have_the_names_of_the_fit():
    a, b = planted()[0]
    model = GraphConsensus(3, random_state=0).fit({"images": a, "text": b})
    assert list(WeightsDisplay.from_estimator(model).weights) == ["images", "text"]
    model.fit([a, b])
    assert list(WeightsDisplay.from_estimator(model).weights) == ["view_0", "view_1"]


@pytest.mark.slow
def test_the_map_shows_the_data_not_the_labels():
    views, y = planted(150)
    model = GraphConsensus(3, random_state=0).fit(views)
    display = EmbeddingDisplay.from_estimator(model, views, y)
    P = np.array(display.points)
    distance = np.linalg.norm(P[:, None] - P[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    assert (y[distance.argmin(axis=1)] == y).mean() > 0.95
    # other labels, same map
    model.labels_ = np.roll(model.labels_, 11)
    again = EmbeddingDisplay.from_estimator(model, views, y)
    assert again.points == display.points
    assert again.clusters != display.clusters
    with pytest.raises(ValueError, match="in another order"):
        EmbeddingDisplay.from_estimator(model, [x[::-1] for x in views])
    # methods of others have no schema
    other = SimpleNamespace(labels_=y)
    assert len(EmbeddingDisplay.from_estimator(other, views).points) == 150
