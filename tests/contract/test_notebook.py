"""What people do with models and views in a notebook: it works, or a sentence says how.

Every estimator and every kind of views times every verb.
"""

import copy
import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from data import planted
from mvgraph import ChooseK, Views, methods

MODELS = {name: methods.get(name).make(3, random_state=0) for name in methods.names()}
MODELS["choose-k"] = ChooseK(random_state=0)
COPIES = {
    "clone": clone,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
}
(A, B), TRUTH = planted(30)
KINDS = {
    "plain": Views([A, B]),
    "sparse": Views([csr_matrix(A), B]),
    "named": Views([A, B], ["a", "b"], [f"s{i}" for i in range(30)]),
    "missing": Views([np.where(np.arange(30)[:, None] < 3, np.nan, A), B]),
}
kinds = pytest.mark.parametrize("views", KINDS.values(), ids=KINDS)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_models_are_shown_and_copied(model):
    kind = type(model).__name__
    assert repr(model).startswith(kind)
    assert kind in model._repr_html_()
    for how, made in COPIES.items():
        assert made(model).get_params() == model.get_params(), how


@kinds
def test_views_are_shown_copied_and_sliced(views):
    assert repr(views).startswith("Views(30 samples")
    assert "<table" in views._repr_html_()
    for how, made in COPIES.items():
        same = views if how == "clone" else made(views)
        assert (same.names, same.shape) == (views.names, views.shape), how
        for x, y in zip(same[[2, 0]].arrays, views[[2, 0]].arrays, strict=True):
            assert abs(x - y).max() == 0 or np.isnan(x).any(), how
    picked = np.arange(30) % 2 == 0
    assert [len(views[i]) for i in (0, -1, slice(2, 5), [4, 1], picked)] == [
        *(1, 1, 3, 2, 15)
    ]
    first, second = train_test_split(views, random_state=0)
    assert len(first) + len(second) == len(views) == 30


@kinds
@pytest.mark.parametrize("verb", [list, iter, dict, zip])
def test_a_loop_over_views_is_a_sentence(views, verb):
    with pytest.raises(TypeError, match=r"loop over views\.items\(\)"):
        verb(views)


def scaled_first(transformer):
    return make_pipeline(transformer, MODELS["kmeans-concat"]).fit


@kinds
@pytest.mark.parametrize(
    "verb",
    [scaled_first(StandardScaler()), scaled_first(PCA()), np.asarray, np.mean],
)
def test_one_array_of_views_is_a_sentence(views, verb):
    with pytest.raises(TypeError, match=r"are 2 arrays, not one.*Views\(\[transformer"):
        verb(views)


@pytest.mark.parametrize("name", ["graph-consensus", "anchor-filter", "kmeans-concat"])
def test_models_that_predict_are_scored_and_searched(name):
    model, views = MODELS[name], KINDS["plain"]
    how = {"scoring": "adjusted_rand_score", "cv": 2}
    assert np.mean(cross_val_score(model, views, TRUTH, **how)) > 0.6
    search = GridSearchCV(model, {"n_clusters": [2, 3]}, **how).fit(views, TRUTH)
    assert search.best_params_ == {"n_clusters": 3}
    with pytest.raises(TypeError, match="should have a 'score' method"):
        GridSearchCV(model, {"n_clusters": [2, 3]}).fit(views, TRUTH)
