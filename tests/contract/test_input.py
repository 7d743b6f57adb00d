"""What every method takes, and what it refuses, naming the place and the value."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score as ari

from data import planted
from mvgraph import methods

N = 48
VIEWS, _ = planted(N, spread=4, noise=0.5)


@pytest.mark.parametrize("n_views", [1, 12])
def test_one_view_and_twelve(name, fit, n_views):
    views, _ = planted(N, dims=(5,) * n_views, spread=4, noise=0.5)
    assert fit(name, views).labels_.shape == (N,)


def test_sparse_views(name, fit):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 16)
    counts = [rng.poisson(0.05 + 4 * np.eye(3)[y].repeat(5, axis=1)) for _ in range(2)]
    dense = fit(name, [c.astype(float) for c in counts]).labels_
    sparse = fit(name, [sp.csr_matrix(c.astype(float)) for c in counts]).labels_
    assert dense.shape == sparse.shape == (N,)
    assert ari(dense, sparse) > 0.8


@pytest.mark.parametrize("kind", ["float32", "integers with copies of rows"])
def test_read_only_arrays_of_other_kinds(name, fit, kind):
    if kind == "float32":
        X = [v.astype(np.float32) for v in VIEWS]
    else:
        X = [np.repeat(np.round(v[:16] * 3).astype(np.int16), 3, axis=0) for v in VIEWS]
    before = [v.copy() for v in X]
    for v in X:
        v.flags.writeable = False
    assert fit(name, X).labels_.shape == (N,)
    for v, old in zip(X, before, strict=True):
        np.testing.assert_array_equal(v, old)


@pytest.mark.parametrize(
    ("n_clusters", "message"),
    [(49, "n_clusters=49 is more than n_samples=48"), (1, ">= 2"), (2.5, "integer")],
)
def test_bad_numbers_of_clusters(name, n_clusters, message):
    with pytest.raises(ValueError, match=message):
        methods.get(name).make(n_clusters).fit(VIEWS)


WRONG = [
    *[("n_neighbors", x) for x in (0, 2.5, "a", None, True, np.nan)],
    *[("n_init", x) for x in (0, 1.5, None)],
    *[("max_iter", x) for x in (0, 10.0, "10", None, False)],
    *[("n_anchors", x) for x in (0, -3, 1.5, "many", True)],
    *[("memory_limit", x) for x in (0, 1e9, "1GB", True)],
    *[("tol", x) for x in (-1, "a", None, np.nan, np.inf)],
    *[("mu", x) for x in (0, "a", None)],
    *[("eta", x) for x in (1, None, [2])],
    *[("p", x) for x in (0, 1.1, "a", None)],
    *[("tensor_weight", x) for x in (-1, "a", None)],
    *[("coupling", x) for x in (-1, "a")],
    *[("weight", x) for x in (0, "a", None)],
    *[("exponent", x) for x in (0, "a")],
    *[("resolution", x) for x in (0, "a")],
    *[("error_weight", x) for x in (0, "a")],
    *[("balance_weight", x) for x in (0, None)],
    *[("local", x) for x in (2, None)],
    *[("scaling", x) for x in (3, None)],
    *[("start", x) for x in (None, 3, "some", [1.0])],
    *[("stop", x) for x in (None, 3, "some")],
    *[("ridge", x) for x in (0, "a", None)],
    *[("n_clusters", x) for x in (1, 2.0, "3", None, True)],
    *[("random_state", x) for x in (-1, 0.5, "a", True)],
]


def test_wrong_parameters_are_named_with_their_value(name):
    model = methods.get(name).make(3)
    for parameter, value in WRONG:
        if parameter not in model.get_params():
            continue
        bad = clone(model).set_params(**{parameter: value})
        with pytest.raises(ValueError, match=f"^{parameter}.* must be ") as caught:
            bad.fit(VIEWS)
        assert repr(value) in str(caught.value)
        assert parameter == "start" or isinstance(caught.value, TypeError)


def test_numbers_of_numpy_are_numbers(fit):
    numpy = {"n_clusters": np.int64(3), "tol": np.float32(0.65), "eta": np.float64(1.1)}
    model = methods.get("mgl").make(3, 0).set_params(**numpy)
    np.testing.assert_array_equal(model.fit(VIEWS).labels_, fit("mgl", VIEWS).labels_)


def test_bad_views(name):
    model = methods.get(name).make(3)
    spoilt = VIEWS[1].copy()
    spoilt[5, 2] = np.nan
    with pytest.raises(ValueError, match=r"view_1.*row 5, column 2"):
        model.fit([VIEWS[0], spoilt])
    with pytest.raises(ValueError, match="40 samples"):
        model.fit([VIEWS[0], VIEWS[0][:40]])
    with pytest.raises(ValueError, match="view 'b' has no samples"):
        model.fit({"a": VIEWS[0], "b": np.full((N, 2), np.nan)})


def test_each_view_is_named_with_the_samples_that_it_lacks():
    X = [VIEWS[0].copy(), VIEWS[1].copy()]
    X[0][:20], X[1][40:] = np.nan, np.nan
    with pytest.raises(ValueError, match="view 'view_0' lacks 20 samples; view") as e:
        methods.get("opmc").make(3).fit(X)
    assert "view 'view_1' lacks 8 samples; OPMC needs every view" in str(e.value)
    said = "drop the 28 samples that some view lacks (rows 0, 1, 2, 3, 4, ...) or these"
    assert said in str(e.value)
    X = [VIEWS[0], VIEWS[1].copy()]
    X[1][7] = np.nan
    with pytest.raises(ValueError, match=r"lacks 1 sample; .*lacks \(row 7\) or the"):
        methods.get("opmc").make(3).fit(X)
    frames = [pd.DataFrame(x, index=[f"s{i}" for i in range(N)]) for x in X]
    with pytest.raises(ValueError, match=r"the sample that some view lacks \(id s7\)"):
        methods.get("opmc").make(3).fit(frames)
