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
    assert len(drawn.get_yticklabels()) == model.tree_.n_leaves_
    again = DendrogramDisplay.from_data(json.loads(json.dumps(display.data())))
    assert again == display


def test_silhouettes_are_those_of_scikit_learn(model, ax):
    display = SilhouetteDisplay.from_estimator(model)
    U = np.asarray(model.embedding_)
    wanted = silhouette_samples(U, model.labels_, metric="cosine")
    assert np.allclose(display.values, wanted, atol=1e-4)
    drawn = display.plot(ax).ax_
    assert len(drawn.patches) == 3
    assert drawn.get_xlabel() == f"silhouette, mean {wanted.mean():.2f}"


def test_confidence(model, ax):
    display = ConfidenceDisplay.from_estimator(model, name="a name")
    assert np.allclose(display.values, model.confidence_, atol=1e-4)
    assert display.plot(ax).ax_.get_title() == "a name"
    assert "confidence of 120 samples of a name" in display.about


def test_models_without_them_are_refused():
    plain = methods.get("kmeans-concat").make(3, 0).fit(planted()[0])
    for Display, lacking in (
        (DendrogramDisplay, "tree_"),
        (SilhouetteDisplay, "embedding_"),
        (ConfidenceDisplay, "confidence_"),
    ):
        with pytest.raises(ValueError, match=f"has no {lacking}"):
            Display.from_estimator(plain)
    one = SimpleNamespace(embedding_=np.ones((9, 2)), labels_=np.zeros(9, int))
    with pytest.raises(ValueError, match="at least two clusters"):
        SilhouetteDisplay.from_estimator(one)


def test_unfitted_models_are_refused():
    views = planted()[0]
    for Display in DISPLAYS:
        more = (views,) if Display is GraphDisplay else ()
        with pytest.raises(NotFittedError, match="GraphConsensus instance is not"):
            Display.from_estimator(GraphConsensus(3), *more)
    with pytest.raises(NotFittedError):
        ChooseKDisplay.from_estimator(ChooseK())


def test_views_are_no_names(model):
    views = planted(120)[0]
    for Display in (
        SilhouetteDisplay, ConfidenceDisplay, DendrogramDisplay, ConvergenceDisplay
    ):  # fmt: skip
        with pytest.raises(TypeError, match="positional"):
            Display.from_estimator(model, views)
    with pytest.raises(ValueError, match="view_names must be 2 texts"):
        WeightsDisplay.from_estimator(model, views)
    with pytest.raises(ValueError, match="known class of each of 120 samples"):
        EmbeddingDisplay.from_estimator(model, views)


def test_weights_have_the_names_of_the_fit():
    a, b = planted()[0]
    model = GraphConsensus(3, random_state=0).fit({"images": a, "text": b})
    assert list(WeightsDisplay.from_estimator(model).weights) == ["images", "text"]
    model.fit([a, b])
    assert list(WeightsDisplay.from_estimator(model).weights) == ["view_0", "view_1"]
