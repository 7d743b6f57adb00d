"""What users bring that breaks other libraries: one test a case, for both estimators.

120 samples in four blobs, three views.
"""

import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from data import planted
from mvgraph import MGL, AnchorFilter, GraphConsensus, as_views

N, K = 120, 4
NAMES = [f"sample {i}" for i in range(N)]
TRUTH = np.arange(N) % K


@pytest.fixture(params=[GraphConsensus, AnchorFilter], ids=lambda c: c.__name__)
def model(request):
    return request.param(n_clusters=K, random_state=0)


@pytest.fixture(
    scope="module", params=[GraphConsensus, AnchorFilter], ids=lambda c: c.__name__
)
def known(request):
    """A model of the blobs, for tests that look at it and do not fit it again."""
    return request.param(n_clusters=K, random_state=0).fit(made())


@pytest.fixture
def blobs():
    return made()


def made():
    return planted(N, K, dims=(5, 8, 3), spread=8, rows="cycled")[0]


def frames(views):
    return [pd.DataFrame(x, index=NAMES) for x in views]


def ari(labels):
    return adjusted_rand_score(TRUTH, labels)


# ------------------------------------------------------------------ what users bring
def test_frames_in_different_row_order(known, blobs):
    rng = np.random.default_rng(1)
    a, b, c = frames(blobs)
    X = [a, b.iloc[rng.permutation(N)], c.iloc[rng.permutation(N)]]
    labels = clone(known).fit(X).labels_
    assert ari(labels) == 1
    np.testing.assert_array_equal(labels, known.labels_)


def test_labels_keep_the_index(model, blobs):
    a, b, c = frames(blobs)
    turned = model.fit({"a": a.iloc[::-1], "b": b, "c": c}).labels_frame()
    assert turned.index.tolist() == NAMES[::-1]
    assert a.assign(cluster=turned)["cluster"].notna().all()  # aligned by pandas
    assert ari(turned.loc[NAMES]) == 1
    np.testing.assert_array_equal(model.sample_ids_, NAMES[::-1])


def test_one_nan_cell_is_refused_with_its_place(model, blobs):
    blobs[1][7, 2] = np.nan
    with pytest.raises(ValueError, match=r"view 'view_1', row 7, column 2.*impute it"):
        model.fit(blobs)


def test_views_of_different_length(model, blobs):
    with pytest.raises(ValueError, match="view_2' has 100 samples but view 'view_0'"):
        model.fit([*blobs[:2], blobs[2][:100]])
    a, b, c = frames(blobs)
    with pytest.raises(ValueError, match=r"100 of 120 ids are in every view.*lacks 20"):
        model.fit([a, b, c.iloc[:100]])
    common = as_views([a, b, c.iloc[:100]], join="inner")
    assert adjusted_rand_score(TRUTH[:100], model.fit(common).labels_) == 1
    assert len(model.labels_frame()) == 100


def test_sparse_views(model, blobs):
    cut = [x * (np.abs(x) > 1) for x in blobs]
    expected = model.fit(cut).labels_
    kinds = (sp.csr_matrix, sp.csc_matrix, sp.coo_array)
    labels = model.fit([f(x) for f, x in zip(kinds, cut, strict=True)]).labels_
    assert ari(labels) == ari(expected) > 0.95


def test_uint8_counts_do_not_wrap(model, blobs):
    low = [np.min(x) for x in blobs]
    high = [np.max(x) for x in blobs]
    scaled = [255 * (x - a) / (b - a) for x, a, b in zip(blobs, low, high, strict=True)]
    X = [x.astype(np.uint8) for x in scaled]
    assert ari(model.fit(X).labels_) == 1
    as_float = [x.astype(np.float64) for x in X]
    np.testing.assert_array_equal(model.labels_, model.fit(as_float).labels_)


def test_dict_of_views(model, blobs):
    X = dict(zip(("gist", "hog", "lbp"), blobs, strict=True))
    assert as_views(X).names == ("gist", "hog", "lbp")
    assert ari(model.fit(X).labels_) == 1
    assert len(model.view_weights_) == 3


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_is_refused_with_its_place(model, blobs, value):
    blobs[2][11, 1] = value
    X = dict(zip(("gist", "hog", "lbp"), blobs, strict=True))
    with pytest.raises(ValueError, match="infinity: view 'lbp', row 11, column 1"):
        model.fit(X)


def test_samples_that_miss_a_view(model, blobs):
    blobs[1][:20] = np.nan
    labels = model.fit(blobs).labels_
    assert labels.shape == (N,)
    assert ari(labels) > 0.95


def test_single_view(model, blobs):
    for X in ([blobs[1]], pd.DataFrame(blobs[1])):
        assert ari(model.fit(X).labels_) == 1
        np.testing.assert_array_equal(model.view_weights_, [1])


def test_more_clusters_than_samples(model, blobs):
    with pytest.raises(ValueError, match="n_clusters=4 is more than n_samples=3"):
        model.fit([x[:3] for x in blobs])


def test_fewer_distinct_rows_than_clusters_warn(model, blobs):
    X = [np.tile(x[:3], (40, 1)) for x in blobs]
    with pytest.warns(ConvergenceWarning) as caught:
        labels = model.fit(X).labels_
    said = [str(w.message) for w in caught]
    assert any("3 distinct samples, fewer than n_clusters=4" in s for s in said)
    assert labels.shape == (N,)


def test_mgl_stops_at_once_where_no_graph_can_have_k_components(blobs):
    X = [np.tile(x[:3], (40, 1)) for x in blobs]
    with pytest.warns(ConvergenceWarning) as caught:
        model = MGL(K, random_state=0).fit(X)
    said = [str(w.message)[:27] for w in caught]
    assert said == ["The result of MGL depends o", "There are 3 distinct sample"]
    assert model.n_iter_ == 1


# the rows that every view has; groups that follow, with their numbers of samples
DISJOINT = [
    ([(0, 60), (60, 120)], ["'a' (60 samples)", "'b' (60 samples)"]),
    ([(0, 70), (70, 120), (60, 70)], ["'a', 'c' (70 samples)", "'b' (50 samples)"]),
    (
        [(0, 30), (30, 70), (70, 120)],
        ["'a' (30 samples)", "'b' (40 samples)", "'c' (50 samples)"],
    ),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("spans", "groups"), DISJOINT)
def test_views_that_share_no_samples_warn(blobs, spans, groups):
    """The base class warns, for all methods alike."""
    X = {}
    for name, x, (first, last) in zip("abc", blobs, spans, strict=False):
        inside = (np.arange(N) >= first) & (np.arange(N) < last)
        X[name] = np.where(inside[:, None], x, np.nan)
    said = f"{len(groups)} groups that have no sample in common: {'; '.join(groups)}"
    with pytest.warns(UserWarning, match=re.escape(said)):
        AnchorFilter(K, random_state=0).fit(X)


def test_views_connected_through_another_do_not_warn(blobs):
    chain = [x.copy() for x in blobs]
    chain[0][50:], chain[2][:70] = np.nan, np.nan  # both share samples with the second
    assert len(AnchorFilter(K, random_state=0).fit(chain).labels_) == N


def test_as_many_distinct_rows_as_clusters_do_not_warn(model, blobs):
    labels = model.fit([np.tile(x[:4], (30, 1)) for x in blobs]).labels_
    assert ari(labels) == 1


def test_predict_on_new_rows(model, blobs):
    model.fit([x[:100] for x in blobs])
    new = model.predict([x[100:] for x in blobs])
    both = np.concatenate([model.labels_, new])
    assert ari(both) == 1


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", [AnchorFilter, GraphConsensus])
@pytest.mark.parametrize("n", [4, 9])
def test_fewer_distinct_samples_than_clusters_keep_the_shapes(method, n):
    which = np.arange(n) % 2
    D = [np.eye(3)[which], np.eye(4)[which]]
    model = method(3, random_state=0).fit(D)
    assert model.embedding_.shape == (n, 3)
    assert model.transform(D).shape == (n, 3)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_new_samples_far_outside_of_the_fit(model, blobs, dtype):
    X = [x.astype(dtype) for x in blobs]
    model.fit(X)
    for share in (0.1, 1e-8):
        value = 0.9 * share * float(np.finfo(dtype).max)
        new = [x[:4].copy() for x in X]
        new[0][0], new[1][1, 0], new[2][2] = value, -value, -value
        found = model.transform(new)
        assert np.isfinite(found).all()
        alone = model.transform([x[3:4] for x in X])[0]
        np.testing.assert_array_equal(found[3], alone)
        assert model.predict(new)[3] == model.labels_[3]


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_values_that_overflow_are_refused(known, blobs):
    new = [x[:4].copy() for x in blobs]
    blobs[1][5, 2], new[1][3, 2] = 1.7e308, -1.7e308
    with pytest.raises(ValueError, match=r"view 'view_1', row 5.*divide the view by"):
        known.fit(blobs)  # refused, so that the model stays
    with pytest.raises(ValueError, match=r"view 'view_1', row 3.*divide the view by"):
        known.predict(new)


def test_containers_that_hold_no_views(model, blobs):
    nested = r"nested too deeply: .* pass that list or dict itself, X\[0\]"
    for X in ([blobs], [tuple(blobs)], (blobs,), [dict(enumerate(blobs))]):
        with pytest.raises(ValueError, match=nested):
            model.fit(X)
    for X in ((x for x in blobs), map(np.asarray, blobs), {"a": blobs[0]}.values()):
        with pytest.raises(ValueError, match=r"pass a list of the views: list\(X\)"):
            model.fit(X)


def test_a_callback_must_be_callable(model, blobs):
    with pytest.raises(ValueError, match=r"callback must be a function of .*; got 3"):
        model.fit(blobs, callback=3)


def test_views_unlike_those_of_the_fit_are_named(known, blobs):
    said = "view 'view_1' has 3 features, 8 in the fit. Pass the same views in the same"
    with pytest.raises(ValueError, match=said):
        known.predict([blobs[0], blobs[1][:, :3], blobs[2]])
    with pytest.raises(
        ValueError, match=r"'view_0' has 8 features, 5 in the fit; view"
    ):
        known.transform([blobs[1], blobs[0], blobs[2]])
    with pytest.raises(ValueError, match=r"X has 2 view.* was fitted on 3"):
        known.predict(blobs[:2])


def test_duplicated_ids_of_a_single_frame(model, blobs):
    double = pd.DataFrame(blobs[0], index=[*NAMES[:118], NAMES[0], NAMES[1]])
    said = "has 2 duplicated identifiers, such as 'sample 0'"
    for X in ({"a": double}, [double], [double, blobs[1]]):
        with pytest.raises(ValueError, match=said):
            model.fit(X)
