"""n_clusters="auto": the number is that of ChooseK, and nothing else changes."""

import warnings
from functools import partial

import numpy as np
import pytest

import data
import mvgraph
from mvgraph import AnchorFilter, ChooseK, GraphConsensus, datasets, load_model, methods
from mvgraph.evaluation.protocol import evaluate

planted = partial(data.planted, 200, dims=(6, 10, 4), spread=3)
FINDING = (GraphConsensus, AnchorFilter)


def noise(n=200):
    rng = np.random.default_rng(0)
    return [rng.normal(size=(n, d)) for d in (6, 10)]


@pytest.fixture(scope="module", params=FINDING)
def first(request):
    """Return a class, data, and a fit of them."""
    X = planted(k=4, seed=1)[0]
    return request.param, X, request.param(random_state=0).fit(X)


def test_the_number_is_that_of_choose_k_and_the_labels_are_those_of_this_number(first):
    method, X, found = first
    assert found.n_clusters == "auto"
    assert found.levels_ == ChooseK(random_state=0).fit(X).levels_
    assert found.n_clusters_ == found.levels_[0].k == 4
    given = method(n_clusters=4, random_state=0).fit(X)
    assert (given.n_clusters_, given.levels_) == (4, ())
    np.testing.assert_array_equal(found.labels_, given.labels_)


def test_order_of_rows_and_views_changes_nothing(first):
    method, X, found = first
    rows = np.random.default_rng(1).permutation(200)
    moved = method(random_state=0).fit([x[rows] for x in X[::-1]])
    assert [lv.k for lv in moved.levels_] == [lv.k for lv in found.levels_]
    assert moved.levels_[0].views == found.levels_[0].views[::-1]


@pytest.mark.parametrize("method", FINDING)
def test_no_division_is_one_cluster_with_a_warning(method, tmp_path):
    with pytest.warns(UserWarning, match="No division stands out"):
        model = method(random_state=0).fit(noise())
    assert (model.n_clusters_, model.levels_) == (1, ())
    assert not model.labels_.any()
    assert not model.predict(noise(50)).any()
    kept = load_model(model.save(tmp_path / "model"))
    assert (kept.n_clusters_, kept.levels_) == (1, ())
    with pytest.raises(
        ValueError, match="n_clusters must be an integer >= 2 or 'auto'"
    ):
        method(n_clusters=1).fit(noise())
    with pytest.raises(ValueError, match="or 'auto'; got 'many'"):
        method(n_clusters="many").fit(noise())


def test_levels_are_saved(first, tmp_path):
    *_, model = first
    assert load_model(model.save(tmp_path / "model")).levels_ == model.levels_


def test_methods_that_find_no_number_say_so():
    for name in methods.names():
        entry = methods.get(name)
        if not entry.finds_number:
            with pytest.raises(ValueError, match="does not find the number"):
                entry.make("auto")
    found = {n for n in methods.names() if methods.get(n).finds_number}
    assert found == {"anchor-filter", "graph-consensus"}


def test_evaluate_and_estimate_take_auto():
    found = evaluate(datasets.load("ambiguous:300"), n_clusters="auto")
    assert isinstance(found["k"], int)
    assert mvgraph.estimate((100, (5, 5)), n_clusters="auto")["bytes"]["peak"] > 0


def test_fewer_rows_than_expected_clusters():
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in (2, 3, 5, 9):
            model = GraphConsensus(random_state=0).fit([rng.normal(size=(n, 3))])
            assert 1 <= model.n_clusters_ <= n
