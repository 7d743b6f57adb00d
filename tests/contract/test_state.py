"""What fit leaves on an estimator: one whole model, or all as it was."""

import threading

import joblib
import numpy as np
import pandas as pd
import pytest

from data import every_method, planted
from mvgraph import methods

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
VIEWS, _ = planted(48, spread=4, noise=0.5)
OTHER, _ = planted(36, seed=1, spread=4, noise=0.5)


def content(model):
    """The attributes of a model without the times that its fit took."""
    timed = ("history_",)
    return {k: joblib.hash(v) for k, v in vars(model).items() if k not in timed}


class StopError(Exception):
    pass


def stop(*_):
    raise StopError


def spoilt(views):
    return [views[0], np.where(np.arange(6) == 2, np.inf, views[1])]


def test_a_fit_that_fails_changes_nothing(name, fit, monkeypatch):
    model = fit(name, VIEWS)
    before, held = content(model), {k: id(v) for k, v in vars(model).items()}
    with pytest.raises(ValueError, match="view_1"):
        model.fit(spoilt(OTHER))
    with pytest.raises(ValueError, match="n_clusters"):
        model.fit([x[:2] for x in OTHER])
    monkeypatch.setattr(type(model), "_fit", stop)
    with pytest.raises(StopError):
        model.fit(OTHER)
    assert content(model) == before
    assert {k: id(v) for k, v in vars(model).items()} == held
    assert len(model.labels_) == 48


def test_an_interrupted_fit_changes_nothing(name, fit):
    """The callback is called by the methods that report steps."""
    model = fit(name, VIEWS)
    before, expected = content(model), predicted(model)
    unfitted = methods.get(name).make(3, random_state=0)
    parameters = dict(vars(unfitted))
    if name not in ("graph-consensus", "anchor-filter", "mgl"):
        assert len(model.fit(OTHER, callback=interrupt).labels_) == 36
        return
    with pytest.raises(KeyboardInterrupt):
        model.fit(OTHER, callback=interrupt)
    assert content(model) == before
    np.testing.assert_array_equal(predicted(model), expected)
    with pytest.raises(KeyboardInterrupt):
        unfitted.fit(OTHER, callback=interrupt)
    assert vars(unfitted) == parameters


def interrupt(*_):
    raise KeyboardInterrupt


def predicted(model):
    return model.predict(VIEWS) if hasattr(model, "predict") else model.labels_


def test_nothing_is_set_while_fit_runs(name, monkeypatch):
    model = methods.get(name).make(3, random_state=0)
    seen, run = [], type(model)._fit

    def spy(self, *args):
        result = run(self, *args)
        seen.append(dict(vars(self)))
        return result

    monkeypatch.setattr(type(model), "_fit", spy)
    before = dict(vars(model))
    model.fit(VIEWS, callback=lambda *_: seen.append(dict(vars(model))))
    assert seen
    assert all(state == before for state in seen)


@pytest.mark.parametrize(
    "name", every_method("anchor-filter", "graph-consensus", "kmeans-concat", "mgl")
)
def test_two_threads_leave_one_whole_model(name, fit):
    expected = [content(fit(name, X)) for X in (VIEWS, OTHER)]
    model = methods.get(name).make(3, random_state=0)
    start, failures = threading.Barrier(2), []

    def work(X):
        start.wait()
        try:
            model.fit(X)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(X,)) for X in (VIEWS, OTHER)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert content(model) in expected
    if hasattr(model, "predict"):
        assert model.predict(VIEWS).shape == (48,)


def test_a_refit_keeps_what_users_set_and_drops_what_is_stale(name, fit):
    frame = pd.DataFrame(VIEWS[0], index=[f"s{i}" for i in range(48)])
    model = fit(name, frame.add_prefix("f"))
    assert model.feature_names_in_.tolist() == ["f0", "f1", "f2", "f3"]
    model.note = "mine"
    model.fit(OTHER)
    fresh = fit(name, OTHER)
    assert set(vars(model)) == set(vars(fresh)) | {"note"}
    assert model.note == "mine"
    assert model.sample_ids_ is None
    assert not hasattr(model, "feature_names_in_")
    np.testing.assert_array_equal(model.labels_, fresh.labels_)


def test_fit_gives_the_estimator_and_fit_predict_its_labels(name):
    model = methods.get(name).make(3, random_state=0)
    assert model.fit(VIEWS) is model
    again = methods.get(name).make(3, random_state=0).fit_predict(VIEWS)
    np.testing.assert_array_equal(again, model.labels_)
