"""Counts or other numbers: which views are told apart, and from how little."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from mvgraph import GraphConsensus, Views, load_model
from mvgraph.views.counts import holds_counts
from mvgraph.views.fitted_counts import find_kinds, other_kinds

N = 60
COUNTS = np.random.default_rng(0).poisson(4, (N, 6)).astype(float)
LOGS = np.log1p(COUNTS)


@pytest.mark.parametrize("shape", [np.asarray, np.asfortranarray, sp.csr_matrix])
def test_kinds_of_any_storage(shape):
    assert find_kinds(Views([shape(COUNTS), shape(LOGS)])) == (True, False)
    assert find_kinds(Views([shape(COUNTS - 9)])) == (False,)


def test_files_are_told_by_their_first_rows(tmp_path, monkeypatch):
    np.save(tmp_path / "a.npy", np.vstack([COUNTS, LOGS]))
    x = np.load(tmp_path / "a.npy", mmap_mode="r")
    monkeypatch.setattr("mvgraph.views.fitted_counts.LOOKED_AT", COUNTS.size)
    assert find_kinds(Views([x])) == (True,)


def test_absent_samples_and_views_say_nothing():
    holes = COUNTS.copy()
    holes[:50] = np.nan
    assert holds_counts(holes)
    absent = np.full((N, 3), np.nan)
    views = Views([COUNTS, holes]), Views([LOGS, absent])
    assert [find_kinds(v) for v in views] == [(True, True), (False, None)]
    assert "'view_0': the fit had counts" in other_kinds(views[1], (True, True))
    assert other_kinds(views[1], (None, True)) is None


def test_a_saved_model_knows_the_kinds_and_reports_them_once(tmp_path):
    x = {"a": COUNTS + 20 * (np.arange(N) % 2)[:, None], "b": LOGS}
    GraphConsensus(2, random_state=0).fit(x).save(tmp_path / "m")
    model = load_model(tmp_path / "m")
    with pytest.warns(UserWarning, match="'a': the fit had counts"):
        views = model.check_views({"a": np.log1p(x["a"]), "b": LOGS})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(views[:30])  # checked before
        model.predict({"b": LOGS, "a": x["a"]})
