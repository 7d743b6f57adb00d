"""Dask frames are joined by id on the workers: the samples and labels of pandas."""

import numpy as np
import pytest

from mvgraph import GraphConsensus, as_views

pytestmark = pytest.mark.dask


@pytest.fixture
def tables():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    y, ids = rng.integers(3, size=300), [f"s{i}" for i in range(300)]
    found = {}
    for name, width in (("a", 4), ("b", 3)):
        values = rng.normal(size=(300, width)) + 5 * rng.normal(size=(3, width))[y]
        found[name] = pd.DataFrame(values).add_prefix(name).assign(id=ids)
    found["b"] = found["b"].sample(frac=1, random_state=1).reset_index(drop=True)
    return found


def far(tables):
    frames = pytest.importorskip("dask.dataframe")
    parts = zip(tables.items(), (4, 3), strict=False)
    return {name: frames.from_pandas(t, npartitions=n) for (name, t), n in parts}


def by_id(views):
    order = np.argsort(views.ids)
    return np.sort(views.ids), [np.asarray(x[:])[order] for x in views.arrays]


@pytest.mark.parametrize("join", ["strict", "inner", "outer"])
def test_the_samples_are_those_of_pandas(tables, join):
    if join != "strict":
        tables = {"a": tables["a"][:250], "b": tables["b"][:260]}
    near = as_views(tables, join=join)
    joined = as_views(far(tables), join=join)
    assert joined.on_workers
    assert joined.feature_names == near.feature_names
    for one, other in zip(by_id(joined), by_id(near), strict=True):
        np.testing.assert_array_equal(np.hstack(one), np.hstack(other))


def test_labels_are_those_of_pandas(tables):
    near = GraphConsensus(3, random_state=0).fit(as_views(tables))
    there = GraphConsensus(3, random_state=0).fit(as_views(far(tables)))
    labels = [
        dict(zip(m.sample_ids_, m.labels_.tolist(), strict=True)) for m in (near, there)
    ]
    pairs = {(labels[0][i], labels[1][i]) for i in labels[0]}
    assert len(pairs) == 3  # one to one; numbers follow the order of rows
    new = there.predict(far(tables)).compute()
    assert sorted(np.bincount(new)) == sorted(np.bincount(near.predict(tables)))


def test_what_cannot_be_joined_is_refused(tables):
    twice = tables | {"b": tables["b"].assign(id=["s1", *tables["b"]["id"][1:]])}
    other = tables | {"b": tables["b"].assign(id=np.arange(300))}
    named = {name: table.drop(columns="id") for name, table in tables.items()}
    text = tables | {"b": tables["b"].assign(town="x")}
    strange = tables | {"b": tables["b"].assign(id=[f"t{i}" for i in range(300)])}
    for bad, said in (
        (far(twice), "duplicated identifier"),
        (far(other), "cast them to one type"),
        (far(named | {"b": named["b"].reset_index(drop=True)}), "name its rows"),
        (far(text), "'town' of a dask frame is .*, not numbers"),
        (far(strange), "0 ids are in all"),
        (far(tables) | {"b": tables["b"]}, "'b' is not a data frame of dask"),
        (far(tables | {"b": tables["b"][:200]}), "200 ids are in all"),
    ):
        with pytest.raises(ValueError, match=said):
            as_views(bad)
