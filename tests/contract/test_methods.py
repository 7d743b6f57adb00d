"""What every method must hold, found by discovery: no list to keep up to date."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score as ari

from mvgraph import methods
from mvgraph.base import parameters as _parameters

ALL = methods.names()
ORDER_FREE = [name for name in ALL if methods.get(name).order_free]
READS_ORDER = [name for name in ALL if not methods.get(name).order_free]


def planted(n=48, k=3, dims=(4, 6), seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % k)
    views = [
        rng.normal(size=(k, d))[y] * 4 + noise * rng.normal(size=(n, d)) for d in dims
    ]
    return views, y


def fit(name, views, n_clusters=3, seed=0):
    model = methods.get(name).make(n_clusters, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(views)


@pytest.mark.parametrize("name", ALL)
def test_same_seed_same_labels_numbered_by_first_occurrence(name):
    views, _ = planted(noise=2.0)
    a, b = fit(name, views), fit(name, views)
    np.testing.assert_array_equal(a.labels_, b.labels_)
    assert a.labels_.dtype == np.int64
    seen = a.labels_[np.sort(np.unique(a.labels_, return_index=True)[1])]
    np.testing.assert_array_equal(seen, np.arange(len(seen)))


@pytest.mark.parametrize("name", [n for n in ALL if n not in READS_ORDER])
def test_finds_planted_clusters(name):
    views, y = planted(dims=(20, 25))  # subspace methods need room
    assert ari(y, fit(name, views).labels_) > 0.9


@pytest.mark.parametrize("name", ORDER_FREE)
def test_permuting_rows_or_views_changes_nothing_but_numbering(name):
    views, _ = planted(noise=2.0)
    labels = fit(name, views).labels_
    rows = np.random.default_rng(1).permutation(48)
    moved = fit(name, [x[rows] for x in views]).labels_
    assert ari(labels[rows], moved) == 1
    if not name.startswith("clr"):  # its view is named by position
        assert ari(labels, fit(name, views[::-1]).labels_) == 1


@pytest.mark.parametrize("name", READS_ORDER)
def test_a_method_that_reads_the_order_says_so(name):
    method = methods.get(name)
    doc = type(method.make(3)).__doc__.lower()
    assert "order" in doc + method.title.lower()


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("n_views", [1, 12])
def test_one_view_and_twelve(name, n_views):
    views, _ = planted(dims=(5,) * n_views)
    labels = fit(name, views).labels_
    assert labels.shape == (48,)


@pytest.mark.parametrize("name", ALL)
def test_sparse_views(name):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 16)
    counts = [rng.poisson(0.05 + 4 * np.eye(3)[y].repeat(5, axis=1)) for _ in range(2)]
    dense = fit(name, [c.astype(float) for c in counts]).labels_
    sparse = fit(name, [sp.csr_matrix(c.astype(float)) for c in counts]).labels_
    assert dense.shape == sparse.shape == (48,)
    assert ari(dense, sparse) > 0.8


@pytest.mark.parametrize("name", ALL)
def test_duplicates_integers_float32_and_read_only(name):
    views, _ = planted()
    kinds = [
        [np.round(v * 3).astype(np.int16) for v in views],
        [v.astype(np.float32) for v in views],
        [np.repeat(v[:16], 3, axis=0) for v in views],
    ]
    for X in kinds:
        for v in X:
            v.flags.writeable = False
        assert len(fit(name, X).labels_) == 48


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("n_clusters", "message"),
    [(49, "n_clusters=49 is more than n_samples=48"), (1, ">= 2"), (2.5, "integer")],
)
def test_bad_numbers_of_clusters(name, n_clusters, message):
    views, _ = planted()
    with pytest.raises(ValueError, match=message):
        methods.get(name).make(n_clusters).fit(views)


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
    *[("balance", x) for x in (1, None, "yes")],
    *[("local", x) for x in (2, None)],
    *[("scaling", x) for x in (3, None)],
    *[("start", x) for x in (None, 3, "some", [1.0])],
    *[("n_clusters", x) for x in (1, 2.0, "3", None, True)],
    *[("random_state", x) for x in (-1, 0.5, "a", True)],
]


@pytest.mark.parametrize("name", ALL)
def test_wrong_parameters_are_named_with_their_value(name):
    views, _ = planted()
    model = methods.get(name).make(3)
    for parameter, value in WRONG:
        if parameter not in model.get_params():
            continue
        bad = clone(model).set_params(**{parameter: value})
        with pytest.raises(ValueError, match=f"^{parameter}.* must be ") as caught:
            bad.fit(views)
        assert repr(value) in str(caught.value)
        assert parameter == "start" or isinstance(caught.value, TypeError)


@pytest.mark.parametrize("name", ALL)
def test_every_number_has_a_range(name):
    model = methods.get(name).make(3)
    numbers = {
        key
        for key, value in model.get_params().items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    assert numbers - {"random_state", "view"} <= set(_parameters.RANGES)


def test_numbers_of_numpy_are_numbers():
    views, _ = planted()
    numpy = {"n_clusters": np.int64(3), "tol": np.float32(0.1), "balance": np.True_}
    model = methods.get("mgl").make(3, 0).set_params(**numpy)
    np.testing.assert_array_equal(model.fit(views).labels_, fit("mgl", views).labels_)


@pytest.mark.parametrize("name", ALL)
def test_bad_views(name):
    views, _ = planted()
    views[1][5, 2] = np.nan
    with pytest.raises(ValueError, match=r"view_1.*row 5, column 2"):
        methods.get(name).make(3).fit(views)
    with pytest.raises(ValueError, match="40 samples"):
        methods.get(name).make(3).fit([views[0], views[0][:40]])


@pytest.mark.parametrize("name", ALL)
def test_clone_and_description(name):
    model = methods.get(name).make(3, random_state=0)
    assert clone(model).get_params() == model.get_params()
    row = methods.get(name).describe()
    assert row["name"] == name
    assert row["cost"]
    assert row["memory"]
    assert row["year"] > 1980


def test_there_are_enough_methods_and_one_default():
    assert ALL[0] == "graph-consensus"
    with pytest.raises(ValueError, match="did you mean 'mgl'"):
        methods.get("mlg")
