"""Limits of memory: refused before anything is learned, with advice that suffices."""

import re
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp

import mvgraph
from data import planted
from mvgraph import AnchorFilter, ChooseK, GraphConsensus
from mvgraph.base import limits
from mvgraph.engines.chunked import ChunkedEngine

MB = 10**6
#: Everything that takes a limit; the last runs out of core.
KINDS = {
    "graph-consensus": partial(GraphConsensus, 3, random_state=0),
    "anchor-filter": partial(AnchorFilter, 3, random_state=0),
    "choose-k": partial(ChooseK, range(2, 6), random_state=0),
    "anchor-filter chunked": partial(AnchorFilter, 3, engine="chunked", random_state=0),
}


def advised(error):
    """Return the smallest sufficient limit of a message."""
    return int(re.search(r"allow at least (\d+) bytes", str(error.value))[1])


def refused(make, X, limit):
    with pytest.raises(MemoryError, match="does not fit into memory_limit=") as error:
        make(memory_limit=limit).fit(X)
    return error


def result(model):
    return model.table_ if isinstance(model, ChooseK) else model.labels_.tolist()


@pytest.fixture(scope="module")
def views():
    return planted(400, spread=4)[0]


@pytest.mark.usefixtures("alone")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_too_small_is_refused_and_exactly_least_suffices(kind, views):
    make = KINDS[kind]
    least = advised(refused(make, views, 1))
    assert least > limits.INTERPRETER
    assert advised(refused(make, views, least - 1)) == least
    results = [make(memory_limit=b).fit(views) for b in (None, least, 10**12)]
    assert result(results[0]) == result(results[1]) == result(results[2])


@pytest.mark.usefixtures("alone")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_a_refused_estimator_stays_as_it_was(kind, views):
    model = KINDS[kind]().fit(views)
    before = dict(vars(model))
    with pytest.raises(MemoryError):
        model.set_params(memory_limit=5).fit(views)
    assert vars(model) == before | {"memory_limit": 5}


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("name", ["graph-consensus", "anchor-filter"])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_estimate_is_what_the_fit_demands(name, sparse, views):
    given = [sp.csr_matrix(x) for x in views] if sparse else views
    error = refused(KINDS[name], given, MB)
    assert advised(error) == mvgraph.estimate(given, name, 3)["bytes"]["least"]
    assert ".npy" not in str(error.value)  # would not suffice, or cannot be


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_the_advice_suffices(tmp_path):
    x = np.random.default_rng(0).normal(size=(20_000, 300))
    size = mvgraph.estimate([x], "anchor-filter", 3)["bytes"]
    model = AnchorFilter(
        3, engine="memory", memory_limit=size["peak"] - 10 * MB, random_state=0
    )
    with pytest.raises(MemoryError, match=r"memory-mapped \.npy files") as error:
        model.fit([x])
    assert "fit 10000 of the samples" in str(error.value)
    model.fit([x[:10_000]]).predict([x])
    np.save(tmp_path / "x.npy", x)
    model.fit([np.load(tmp_path / "x.npy", mmap_mode="r")])
    flat = [np.random.default_rng(0).normal(size=(60_000, 3))]
    size = mvgraph.estimate(flat, "anchor-filter", 3)["bytes"]
    model.set_params(memory_limit=size["peak"] - 8 * MB)
    with pytest.raises(MemoryError, match="or use engine='auto'"):
        model.fit(flat)
    model.set_params(engine="auto").fit(flat)


@pytest.mark.usefixtures("alone")
def test_what_the_parts_leave_goes_to_the_blocks(views, monkeypatch):
    seen = []
    start = ChunkedEngine.start
    monkeypatch.setattr(
        ChunkedEngine,
        "start",
        lambda self, *a: seen.append(self.memory_limit) or start(self, *a),
    )
    b = mvgraph.estimate(views, "anchor-filter", 3, engine="chunked")["bytes"]
    limit = b["least"] + 5 * MB
    AnchorFilter(3, engine="chunked", memory_limit=limit, random_state=0).fit(views)
    assert seen == [limit - b["interpreter"] - b["views"] - b["fixed"]]


def test_other_data_of_the_process_count(views, monkeypatch):
    monkeypatch.setattr("mvgraph.base.limits.private_bytes", lambda: 3 * 10**9)
    error = refused(KINDS["anchor-filter"], views, 10**9)
    assert "other data of this process 2.8" in str(error.value)
    model = AnchorFilter(3, memory_limit=advised(error), random_state=0).fit(views)
    assert model.memory_limit > 3 * 10**9
    monkeypatch.setattr("mvgraph.base.limits.private_bytes", lambda: 190 * MB)
    assert (
        mvgraph.estimate(views, "anchor-filter", 3)["bytes"]["other"] == 0
    )  # of an earlier fit


@pytest.mark.dask
@pytest.mark.usefixtures("alone")
def test_dask_arrays_are_not_held(views):
    da = pytest.importorskip("dask.array")
    wide = [np.tile(x, (50, 9)) for x in views]
    lazy = [da.from_array(x, chunks=(4000, -1)) for x in wide]
    for name in ("graph-consensus", "anchor-filter"):
        held, far = (mvgraph.estimate(v, name, 3)["bytes"] for v in (wide, lazy))
        assert held["views"] > far["views"] == 0
