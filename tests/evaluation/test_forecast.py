"""What a fit will take, forecast before it runs."""

import json

import numpy as np
import pytest

import mvgraph
from mvgraph import methods
from mvgraph.evaluation import forecast


@pytest.mark.parametrize("name", methods.names())
def test_every_method_has_a_forecast(name):
    small = mvgraph.estimate((1000, (5, 9)), name, 4)
    large = mvgraph.estimate((8000, (5, 9)), name, 4)
    for part in ("least", "peak"):
        assert 0 < small["bytes"][part] < large["bytes"][part]
    assert small["fits"]
    assert small["cost"].startswith("O(")
    json.dumps(small)


def test_growth_is_linear_for_both_estimators():
    for name in ("anchor-filter", "graph-consensus"):
        a, b = (mvgraph.estimate((n, (9, 9)), name, 5) for n in (10**6, 10**7))
        assert 5 < b["bytes"]["peak"] / a["bytes"]["peak"] <= 10.5


def test_views_and_their_shape_give_the_same_but_mapped_files_are_not_held(tmp_path):
    for v, d in enumerate((4, 6)):
        np.save(tmp_path / f"v{v}.npy", np.ones((3000, d), dtype=np.float32))
    maps = [np.load(tmp_path / f"v{v}.npy", mmap_mode="r") for v in range(2)]
    mapped = mvgraph.estimate(maps, "anchor-filter", 3)["bytes"]
    held = mvgraph.estimate([np.array(x) for x in maps], "anchor-filter", 3)["bytes"]
    assert mapped["views"] == 0
    assert held["views"] == 3000 * 10 * 4
    assert held["fixed"] == mapped["fixed"]


def test_a_limit_below_the_outputs_is_refused_with_a_limit_that_would_do():
    for name in ("graph-consensus", "anchor-filter"):
        told = mvgraph.estimate((10**7, (10, 10)), name, 10, memory_limit=10**8)
        assert not told["fits"]
        model, size = methods.get(name).make(10), (10**7, (10, 10))
        with pytest.raises(MemoryError, match=r"memory_limit=100 MB: .*allow at least"):
            forecast.refuse_fit(size, name, model, 10**8)
        enough = told["bytes"]["least"]
        told = mvgraph.estimate(size, name, 10, memory_limit=enough)
        assert told["fits"]
        forecast.refuse_fit(size, name, model, enough)


@pytest.mark.parametrize("K", [0, 1, 61])
def test_the_forecast_refuses_impossible_numbers(K):
    with pytest.raises(ValueError, match="n_clusters"):
        mvgraph.estimate((60, (3,)), "anchor-filter", K)


@pytest.mark.parametrize(
    ("n_clusters", "parameters"),
    [
        ("three", {}),
        (2.5, {}),
        (3, {"memory_limit": "1GB"}),
        (3, {"n_neighbors": "a"}),
        (3, {"n_anchors": 0}),
    ],
)
def test_the_forecast_names_wrong_parameters(n_clusters, parameters):
    name, value = next(iter(parameters.items()), ("n_clusters", n_clusters))
    with pytest.raises(ValueError, match=f"^{name} must be .*; got {value!r}"):
        mvgraph.estimate((60, (3,)), "anchor-filter", n_clusters, **parameters)


def test_memory_engine_counts_the_rows():
    shape = (10**6, (10, 10))
    between = mvgraph.estimate(shape, "anchor-filter", 10)["bytes"]["least"] + 10**6
    for engine, fits in (("memory", False), ("auto", True), ("chunked", True)):
        told = mvgraph.estimate(
            shape, "anchor-filter", 10, memory_limit=between, engine=engine
        )
        assert told["fits"] == fits
