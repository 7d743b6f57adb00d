"""The contract of scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from mvgraph import MGL, GraphConsensus, Views

ONE_CLUSTER = "sets n_clusters=1, which is refused: one cluster is no clustering"
EXPECTED = {
    "check_dont_overwrite_parameters": ONE_CLUSTER,
    "check_methods_subset_invariance": ONE_CLUSTER,
    "check_fit2d_1feature": ONE_CLUSTER,
    "check_fit2d_predict1d": ONE_CLUSTER,
}


@pytest.mark.filterwarnings("ignore")  # tiny random data: no K components, warned
@parametrize_with_checks(
    [MGL(), GraphConsensus()], expected_failed_checks=lambda _: EXPECTED
)
def test_scikit_learn(estimator, check):
    check(estimator)


def planted():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    return Views(
        [rng.normal(size=(3, d))[y] * 6 + rng.normal(size=(60, d)) for d in (3, 4)]
    ), y


@pytest.mark.parametrize("Estimator", [MGL, GraphConsensus])
def test_clone_repr_and_parameters(Estimator):
    model = Estimator(3, random_state=0)
    copy = clone(model.set_params(n_clusters=4))
    assert copy.get_params() == model.get_params()
    assert "n_clusters=4" in repr(model)


@pytest.mark.parametrize("Estimator", [MGL, GraphConsensus])
def test_grid_search_over_views(Estimator):
    views, y = planted()
    search = GridSearchCV(
        Estimator(random_state=0),
        {"n_clusters": [2, 3]},
        scoring="adjusted_rand_score",
        cv=2,
    )
    rows = np.random.default_rng(0).permutation(60)
    search.fit(views[rows], y[rows])
    assert search.best_params_ == {"n_clusters": 3}


@pytest.mark.parametrize("Estimator", [MGL, GraphConsensus])
def test_pipeline_of_one_array(Estimator):
    views, y = planted()
    X = np.hstack(views.arrays)
    labels = make_pipeline(StandardScaler(), Estimator(3, random_state=0)).fit_predict(
        X
    )
    assert len(set(zip(labels, y, strict=True))) == 3


@pytest.mark.parametrize("Estimator", [MGL, GraphConsensus])
def test_predict_before_fit_and_with_other_views(Estimator):
    views, _ = planted()
    with pytest.raises(NotFittedError):
        Estimator(3).predict(views)
    model = Estimator(3, random_state=0).fit(views)
    with pytest.raises(ValueError, match="features"):
        model.predict(views.select([0]))
    with pytest.raises(ValueError, match=r"view.*features"):
        model.predict(views.select([1, 0]))


@pytest.mark.parametrize("Estimator", [MGL, GraphConsensus])
@pytest.mark.parametrize(
    "state", [np.random.RandomState(3), np.random.default_rng(3), None]
)
def test_any_random_state(Estimator, state):
    views, y = planted()
    labels = Estimator(3, random_state=state).fit(views).labels_
    assert len(set(zip(labels, y, strict=True))) == 3


@pytest.mark.parametrize("Estimator", [MGL, GraphConsensus])
def test_views_by_name_are_matched_by_name(Estimator):
    views, _ = planted()
    a, b = views.arrays[0], views.arrays[1][:, :3]
    model = Estimator(3, random_state=0).fit({"a": a, "b": b})
    expected = model.predict({"a": a, "b": b})
    np.testing.assert_array_equal(model.predict({"b": b, "a": a}), expected)
    with pytest.raises(ValueError, match="fitted on"):
        model.predict({"a": a, "c": b})


@pytest.mark.parametrize("Estimator", [MGL, GraphConsensus])
def test_columns_in_another_order_are_refused(Estimator):
    frames = [pd.DataFrame(x).add_prefix("f") for x in planted()[0].arrays]
    model = Estimator(3, random_state=0).fit(frames)
    assert len(model.predict(frames)) == 60
    with pytest.raises(ValueError, match="columns of view 'view_0'"):
        model.predict([frames[0][frames[0].columns[::-1]], frames[1]])
    assert len(model.predict([f.to_numpy() for f in frames])) == 60
