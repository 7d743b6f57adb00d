"""CLR against its published routine, and its laws."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from data import planted
from mvgraph import datasets, methods
from mvgraph.baselines.clr import CLR

X, TRUTH = planted(dims=(4, 5), rows="sorted", centres="axes")


@pytest.mark.shared
@pytest.mark.parametrize("view", [0, 1, 2, 3, 4, None])
@pytest.mark.parametrize("symmetric", [False, True])
def test_equals_the_published_routine(shared_dir, view, symmetric):
    name = "cat" if view is None else view + 1
    file = f"msrc_clr_v{name}_k05_sym{int(symmetric)}.npz"
    expected = np.load(shared_dir / "fixtures/baseA" / file)
    views = datasets.load(shared_dir / "data/msrc_v5.mat").views
    model = CLR(7, view=view, scaling="none", n_neighbors=5, symmetric=symmetric)
    model.fit(views)
    np.testing.assert_allclose(model.graph_.toarray(), expected["S"], atol=1e-10)
    assert adjusted_rand_score(expected["labels"], model.labels_) == 1


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    [f"v{v}_k5_s1" for v in (1, 2, 3, 5)] + [f"v{v}_k10_s0" for v in range(1, 6)],
)
def test_equals_the_published_labels_with_duplicates(shared_dir, file):
    expected = np.load(shared_dir / f"fixtures/baseA/hw_clr_none_{file}.npz")
    views = datasets.load(shared_dir / "data/handwritten4.mat").views
    view, k, symmetric = (int(part[1:]) for part in file.split("_"))
    model = CLR(
        10,
        view=None if view == 5 else view - 1,
        scaling="none",
        n_neighbors=k,
        symmetric=bool(symmetric),
    ).fit(views)
    assert adjusted_rand_score(expected["labels"], model.labels_) == 1


@pytest.mark.parametrize("local", [True, False])
@pytest.mark.parametrize("view", [0, "view_1", None])
def test_finds_planted_clusters(view, local):
    model = CLR(3, view=view, n_neighbors=5, local=local).fit(X)
    assert adjusted_rand_score(TRUTH, model.labels_) == 1
    assert model.n_components_ == 3
    assert (model.graph_ != model.graph_.T).nnz == 0


def test_rank_residual_ends_at_zero():
    X = np.random.default_rng(1).normal(size=(80, 3))
    model = CLR(4, n_neighbors=6).fit(X)
    assert model.history_[0]["residual"] > 1e-3
    assert model.history_[-1]["residual"] < 1e-10
    assert len(np.unique(model.labels_)) == model.n_components_ == 4


def test_follows_its_view_when_views_change_places():
    a = X[0]
    noise = np.random.default_rng(2).normal(size=a.shape)
    first = CLR(3, view=0).fit([a, noise]).labels_
    second = CLR(3, view=1).fit([noise, a]).labels_
    np.testing.assert_array_equal(first, second)


def test_too_many_components_are_told():
    with pytest.warns(ConvergenceWarning, match="3 components"):
        model = CLR(2, n_neighbors=2).fit([np.repeat(np.eye(3) * 99, 20, axis=0)])
    assert model.n_components_ == 3


def test_unknown_view():
    with pytest.raises(ValueError, match="view=2 but there are 2 views"):
        CLR(3, view=2).fit(X)


def test_registered_twice():
    assert methods.get("clr").make(3).view == 0
    joined = methods.get("clr-concat").make(3, preset="paper")
    assert (joined.view, joined.scaling, joined.n_neighbors) == (None, "rowz", 7)
