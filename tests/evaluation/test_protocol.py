import json
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

from mvgraph import methods
from mvgraph.evaluation import protocol as evaluation
from mvgraph.ops.memory import PeakMemory, private_mb
from mvgraph.views.container import Views


class Recorder:
    """An estimator that remembers what it saw and answers from the order of rows."""

    seen: ClassVar[list] = []

    def __init__(self, n_clusters, random_state, preset, dataset_name):
        self.arguments = (n_clusters, random_state, preset, dataset_name)

    def fit(self, views):
        rows = views.arrays[0][:, 0].astype(int)
        Recorder.seen.append((*self.arguments, rows.tolist()))
        self.labels_ = np.arange(len(rows)) * 2 // len(rows)
        self.n_components_ = 2 + len(Recorder.seen) % 2
        return self

    def get_params(self, deep=True):
        return {"a": np.float64(1), "b": (1, None), "c": np.inf, "d": {"e": len}}


class Spy:
    """A record of the registry whose estimator is the recorder."""

    make = staticmethod(Recorder)


@pytest.fixture
def data(monkeypatch):
    monkeypatch.setattr(methods, "get", lambda name: Spy())
    monkeypatch.setattr(Recorder, "seen", [])
    views = Views([np.arange(20.0)[:, None]])
    return SimpleNamespace(
        views=views, labels=np.repeat([0, 1], 10), name="toy", reading=None
    )


def test_published_order_keeps_the_rows(data):
    result = evaluation.evaluate(data, "spy", order="published", seed=5, repeats=2)
    rows = list(range(20))
    assert Recorder.seen == [
        (2, 5, "default", "toy", rows),
        (2, 6, "default", "toy", rows),
    ]
    assert result["acc"] == 1.0
    assert result["order"] == "published"


def test_repeats_shuffle_by_seed_plus_repeat(data):
    done = []
    result = evaluation.evaluate(
        data, "spy", seed=5, repeats=3, progress=lambda *a: done.append(a)
    )
    for r, (_, random_state, _, _, rows) in enumerate(Recorder.seen):
        assert random_state == 5 + r
        assert rows == np.random.default_rng(5 + r).permutation(20).tolist()
    assert done == [(1, 3), (2, 3), (3, 3)]
    assert result["acc"] < 0.8  # this method reads the order of the rows
    assert result["std"]["acc"] > 0
    assert result["components"] == pytest.approx((3 + 2 + 3) / 3)


def test_result_is_plain_json(data):
    result = evaluation.evaluate(data, "spy")
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert result["params"]["c"] == "inf"
    assert result["components"] == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"order": "sorted"}, "order='sorted' is unknown"),
        ({"repeats": 0}, "repeats=0"),
    ],
)
def test_bad_options(data, change, message):
    with pytest.raises(ValueError, match=message):
        evaluation.evaluate(data, "spy", **change)


def test_unknown_presets_are_refused():
    message = "'kmeans-concat' has no preset 'paper'; use one of: default"
    with pytest.raises(ValueError, match=message):
        methods.get("kmeans-concat").make(3, preset="paper")


def test_labels_are_needed(data):
    data.labels = None
    with pytest.raises(ValueError, match="'toy' has no labels"):
        evaluation.evaluate(data, "spy")


@pytest.mark.skipif(private_mb() is None, reason="only Linux tells private memory")
def test_peak_memory_sees_a_block_that_came_and_went():
    with PeakMemory(interval=0.001) as memory:
        before = memory.peak_mb
        block = np.ones(8_000_000)  # 61 MiB
        block += 1  # keeps it alive long enough to be sampled
        np.sort(block)
        del block
    # the allocator may reuse up to some MiB that were free before
    assert 40 < memory.peak_mb - before < 300


def test_registry_names_are_unique_and_complete():
    assert len(set(methods.names())) == len(methods.names())
    for name in methods.names():
        entry = methods.get(name)
        assert entry.name == name
        assert "default" in entry.presets
