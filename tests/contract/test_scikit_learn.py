"""The contract of scikit-learn."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score as ari
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from data import every_method, planted
from mvgraph import AnchorFilter, GraphConsensus, Views, methods
from mvgraph.views.lazy import FileArray

ONE_CLUSTER = "sets n_clusters=1, which is refused: one cluster is no clustering"
EXPECTED = {
    "check_dont_overwrite_parameters": ONE_CLUSTER,
    "check_methods_subset_invariance": ONE_CLUSTER,
    "check_fit2d_1feature": ONE_CLUSTER,
    "check_fit2d_predict1d": ONE_CLUSTER,
}
#: One view of two features is not what it is made for: ARI 0.32, 0.4 is asked for.
SMSC_BLOBS = (
    "SMSC does not tell three blobs apart in one standardised view of 2 features"
)
OPMC_BLOBS = "OPMC standardises samples: of 2 features, nothing but a sign is left"
GMC_BLOBS = "GMC standardises samples, too"
BY_NAME = "refuses columns in another order; here they are matched by their names"
PROBABILITIES = "takes every estimator with predict_proba for a classifier"
MORE = {
    "MGL": {
        "check_estimator_sparse_array": PROBABILITIES,
        "check_estimator_sparse_matrix": PROBABILITIES,
    },
    "GraphConsensus": {
        "check_estimator_sparse_array": PROBABILITIES,
        "check_estimator_sparse_matrix": PROBABILITIES,
    },
    "GMC": {
        "check_clustering": GMC_BLOBS,
        "check_clustering(readonly_memmap=True)": GMC_BLOBS,
    },
    "OPMC": {
        "check_clustering": OPMC_BLOBS,
        "check_clustering(readonly_memmap=True)": OPMC_BLOBS,
    },
    "SMSC": {
        "check_clustering": SMSC_BLOBS,
        "check_clustering(readonly_memmap=True)": SMSC_BLOBS,
    },
}


def expected(estimator):
    own = EXPECTED | MORE.get(type(estimator).__name__, {})
    if hasattr(estimator, "predict"):
        own |= {"check_dataframe_column_names_consistency": BY_NAME}
    return own


@pytest.mark.filterwarnings("ignore")  # tiny random data: no K components, warned
@pytest.mark.parametrize("name", every_method("anchor-filter"))
def test_scikit_learn(name):
    from sklearn.utils.estimator_checks import check_estimator

    estimator = methods.get(name).make(3)
    checks = check_estimator(
        estimator,
        expected_failed_checks=expected(estimator),
        on_skip=None,
        on_fail=None,
    )
    assert len(checks) > 40
    assert [c for c in checks if c["status"] == "failed"] == []
    cured = [c for c in checks if c["expected_to_fail"] and c["status"] == "passed"]
    assert cured == []


@pytest.mark.parametrize("Estimator", [AnchorFilter, GraphConsensus])
def test_clone_repr_and_parameters(Estimator):
    model = Estimator(3, random_state=0)
    copy = clone(model.set_params(n_clusters=4))
    assert copy.get_params() == model.get_params()
    assert "n_clusters=4" in repr(model)


@pytest.mark.parametrize("Estimator", [AnchorFilter, GraphConsensus])
def test_pipeline_of_one_array(Estimator):
    X, y = planted()
    pipeline = make_pipeline(StandardScaler(), Estimator(3, random_state=0))
    assert ari(y, pipeline.fit_predict(np.hstack(X))) == 1


def test_predict_before_fit_and_with_other_views(fitted):
    with pytest.raises(NotFittedError):
        clone(fitted.model).predict(fitted.X)
    with pytest.raises(ValueError, match="features"):
        fitted.model.predict(fitted.X[:1])
    with pytest.raises(ValueError, match=r"view.*features"):
        fitted.model.predict(fitted.X[::-1])


@pytest.mark.parametrize(
    "state", [np.random.RandomState(3), np.random.default_rng(3), None]
)
def test_any_random_state(state):
    """The base class draws the seed, for all methods alike."""
    X, y = planted()
    assert ari(y, AnchorFilter(3, random_state=state).fit(X).labels_) == 1


@pytest.mark.parametrize("Estimator", [AnchorFilter, GraphConsensus])
def test_views_and_columns_are_matched_by_name(Estimator):
    X, _ = planted(dims=(3, 3))  # numbers of features say nothing
    a, b = (pd.DataFrame(x).add_prefix("f") for x in X)
    model = Estimator(3, random_state=0).fit({"a": a, "b": b})
    expected = model.predict({"a": a, "b": b})
    np.testing.assert_array_equal(model.predict({"b": b, "a": a}), expected)
    moved = {"a": a[["f2", "f0", "f1"]], "b": b[b.columns[::-1]]}
    np.testing.assert_array_equal(model.predict(moved), expected)
    np.testing.assert_array_equal(model.predict(list(moved.values())), expected)
    with pytest.raises(ValueError, match="fitted on"):
        model.predict({"a": a, "c": b})
    arrays = {"a": a.to_numpy(), "b": b}
    with pytest.warns(UserWarning, match=r"by position: those of 'a', which the new"):
        np.testing.assert_array_equal(model.predict(arrays), expected)


@pytest.mark.parametrize(
    ("Estimator", "method"),
    [(GraphConsensus, "predict_proba")]
    + [
        (E, m) for E in (AnchorFilter, GraphConsensus) for m in ("predict", "transform")
    ],
)
def test_the_columns_of_a_model_of_one_view(Estimator, method):
    """Its view may have any name; its columns are those of the fit, in any order."""
    x = pd.DataFrame(planted(dims=(4,))[0][0], columns=["w", "z", "a", "c"])
    for fitted, new in ((x, x), ({"one": x}, {"two": x}), ([x], {"two": x})):
        model = Estimator(3, random_state=0).fit(fitted)
        call = getattr(model, method)
        expected = call(new)

        def like(frame, new=new):
            return {"two": frame} if isinstance(new, dict) else frame

        np.testing.assert_array_equal(call(like(x[["c", "a", "w", "z"]])), expected)
        said = r"1 missing \('z'\), 1 not in the fit \('Z'\)"
        with pytest.raises(ValueError, match=said):
            call(like(x.rename(columns={"z": "Z"})))
        with pytest.raises(ValueError, match=r"2 missing \('w', 'z'\). .*Add the"):
            call(like(x[["c", "a"]]))
        with pytest.raises(ValueError, match=r"1 not in the fit \('d'\). .*Leave"):
            call(like(x.assign(d=1.0)))
        with pytest.raises(ValueError, match=r"2 columns are called 'w' in the new"):
            call(like(x.rename(columns={"z": "w"})))
        with pytest.warns(UserWarning, match="by position.*the new data do not name"):
            np.testing.assert_array_equal(call(like(x.to_numpy())), expected)


@pytest.mark.parametrize("held", ["sparse", "file", "mapped"])
def test_columns_are_matched_wherever_they_are_held(held, tmp_path):
    x = np.ascontiguousarray(planted(dims=(5,))[0][0])
    names, order = list("vwxyz"), [3, 1, 4, 0, 2]
    model = GraphConsensus(3, random_state=0).fit(Views([x], ["a"], None, [names]))
    np.save(tmp_path / "x.npy", x[:, order])
    array = {
        "sparse": lambda: csr_matrix(x[:, order]),
        "file": lambda: FileArray(tmp_path / "x.npy"),
        "mapped": lambda: np.load(tmp_path / "x.npy", mmap_mode="r"),
    }[held]()
    new = Views([array], ["b"], None, [[names[i] for i in order]])
    checked = model.schema_.match(new)
    assert checked.feature_names == (tuple(names),)
    same = model.predict(Views([x], None, None, [names]))
    np.testing.assert_array_equal(model.predict(new), same)
    back = pickle.loads(pickle.dumps(checked.arrays[0]))
    back = back.toarray() if held == "sparse" else back
    np.testing.assert_array_equal(back[[2, 0]], x[[2, 0]])
    np.testing.assert_array_equal(back[3:9], x[3:9])


def test_numbers_of_columns_name_nothing():
    """Default columns of pandas: by position beside names, by name if they moved."""
    x = pd.DataFrame(planted(dims=(4,))[0][0])
    model = GraphConsensus(3, random_state=0).fit(x)
    expected = model.predict(x)
    np.testing.assert_array_equal(model.predict(x.to_numpy()), expected)
    np.testing.assert_array_equal(model.predict(x[[2, 0, 3, 1]]), expected)
    with pytest.warns(UserWarning, match="which the fit did not name"):
        np.testing.assert_array_equal(model.predict(x.add_prefix("f")), expected)
