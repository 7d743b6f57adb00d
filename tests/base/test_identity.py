"""Clusters keep their numbers from one fit to the next."""

from functools import partial

import numpy as np
import pytest

import mvgraph
from mvgraph import GraphConsensus, Views, load_model, methods
from mvgraph.baselines.kmeans_concat import KMeansConcat

#: Clusters come and go in most of these fits, and fits say so.
pytestmark = pytest.mark.filterwarnings("ignore:like. these samples are not")
CENTRES = [9 * np.random.default_rng(d).normal(size=(6, d)) for d in (8, 5)]
CONSENSUS = partial(GraphConsensus, random_state=0)
KMEANS = partial(KMeansConcat, random_state=0)
BOTH = [KMEANS, pytest.param(CONSENSUS, marks=pytest.mark.slow)]


def night(sizes, seed=0, ids=True):
    """Return views of groups of some sizes, in any order of rows, and the groups."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(6), sizes))
    X = [c[y] + rng.normal(size=(len(y), c.shape[1])) for c in CENTRES]
    names = [f"{g}_{i}" for i, g in enumerate(y)]
    return Views(X, ids=names if ids else None), y


def numbers(model, y):
    """Return the number of the cluster of every group; they are exact."""
    found = {g: np.unique(model.labels_[y == g]) for g in np.unique(y)}
    assert all(len(n) == 1 for n in found.values())
    return {int(g): int(n[0]) for g, n in found.items()}


@pytest.mark.parametrize("make", BOTH)
def test_numbers_stay_and_are_never_used_twice(make):
    views, y = night([40, 30, 50, 60, 0, 0])
    first = make(4).fit(views)
    names = numbers(first, y)
    assert first.cluster_ids_.tolist() == [0, 1, 2, 3]
    views, y = night([40, 0, 50, 60, 30, 0], seed=1)
    second = make(4).fit(views, like=first)
    again = numbers(second, y)
    assert {g: again[g] for g in (0, 2, 3)} == {g: names[g] for g in (0, 2, 3)}
    assert again[4] == 4
    assert second.cluster_ids_.tolist() == sorted(again.values())
    kinds = {c.kind: (c.before, c.after) for c in second.changes_}
    assert kinds["gone"] == ((names[1],), ())
    assert kinds["new"] == ((), (4,))
    views, y = night([40, 30, 50, 60, 0, 35], seed=2)
    third = make(5).fit(views, like=second)
    back = numbers(third, y)
    assert {g: back[g] for g in (0, 2, 3)} == {g: names[g] for g in (0, 2, 3)}
    assert {back[1], back[5]} == {5, 6}  # the old number of group 1 is retired
    assert third.next_cluster_id_ == 7


@pytest.mark.parametrize("make", BOTH)
def test_what_the_model_says_is_in_these_numbers(make, tmp_path):
    first = make(3).fit(night([40, 30, 50, 0, 0, 0])[0])
    views, _ = night([40, 0, 50, 30, 20, 0], seed=1)
    model = make(4).fit(views, like=first)
    model.save(tmp_path / "m", rows=False)
    for one in (model, load_model(tmp_path / "m")):
        np.testing.assert_array_equal(one.predict(views), model.labels_)
        assert one.next_cluster_id_ == model.next_cluster_id_
        assert one.changes_ == model.changes_
    if make is CONSENSUS:
        best = model.predict_proba(views).argmax(axis=1)
        np.testing.assert_array_equal(model.cluster_ids_[best], model.labels_)
        np.testing.assert_array_equal(model.cut(4), model.labels_)
        finer = set(model.cut(6).tolist()) - set(model.labels_.tolist())
        assert finer == {model.next_cluster_id_, model.next_cluster_id_ + 1}
        why = mvgraph.explain(model, views)
        numbers = model.cluster_ids_.tolist()
        assert why.clusters == numbers != list(range(4))
        assert sorted({row["cluster"] for row in why.exemplars}) == numbers
        assert set(model.labels(max_outlier=0.5).tolist()) == {-1, *numbers}


def test_splits_and_unions_are_named():
    four, six = night([60, 0, 60, 60, 60, 0]), night([60, 0, 60, 60, 60, 0], seed=1)
    fine, coarse = KMEANS(4).fit(four[0]), KMEANS(2).fit(four[0])
    merged = KMEANS(2).fit(six[0], like=fine)
    split = KMEANS(4).fit(six[0], like=coarse)
    for model, kind, long in ((merged, "merged", "before"), (split, "split", "after")):
        kinds = [c.kind for c in model.changes_]
        assert set(kinds) <= {kind, "kept"}
        assert kind in kinds
        for c in model.changes_:
            assert (c.n_before, c.n_after, c.kind == kind) == (
                60 * max(len(c.before), len(c.after)),
                60 * max(len(c.before), len(c.after)),
                len(c._asdict()[long]) > 1,
            )


def test_names_count_where_predictions_cannot():
    """Of a method without predictions, and of views that have moved away."""
    views, y = night([40, 30, 50, 0, 0, 0])
    first = methods.get("spectral-concat").make(3, 0).fit(views)
    names = numbers(first, y)
    turned = Views([x[::-1].copy() for x in views.arrays], ids=views.ids[::-1])
    second = methods.get("spectral-concat").make(3, 0).fit(turned, like=first)
    assert numbers(second, y[::-1]) == names
    moved = Views([np.roll(x, 2, axis=1) * 5 for x in views.arrays], ids=views.ids)
    old, new = KMEANS(3).fit(views), KMEANS(3).fit(moved, like=KMEANS(3).fit(views))
    assert numbers(new, y) == numbers(old, y)
    strange = Views(views.arrays, ids=[f"x{i}" for i in range(len(y))])
    with pytest.raises(ValueError, match="like: SpectralConcat cannot label new"):
        KMEANS(3).fit(strange, like=first)


def test_names_that_only_count_the_rows_are_not_followed():
    views, y = night([40, 30, 50, 60, 0, 0])
    counter = [str(i) for i in range(len(y))]
    first = KMEANS(4).fit(Views(views.arrays, ids=counter))
    new, z = night([40, 30, 50, 60, 0, 0], seed=5)
    second = KMEANS(4).fit(Views(new.arrays, ids=counter), like=first)
    assert numbers(second, z) == numbers(first, y)


def test_what_is_no_model_is_refused(tmp_path):
    views, _ = night([10, 10, 0, 0, 0, 0])
    for like, message in (
        (3, "like must be a fitted model of mvgraph or the folder of one; got int"),
        (KMEANS(2), "like must be a fitted model"),
        (tmp_path, "there is no model"),
    ):
        with pytest.raises(ValueError, match=message):
            KMEANS(2).fit(views, like=like)


@pytest.mark.parametrize(("gone", "new"), [(0, 5), (1, 4), (1, 5), (2, 3)])
@pytest.mark.parametrize("make", BOTH)
def test_a_cluster_in_the_place_of_another_is_new(make, gone, new):
    """In the first two cases it is nearest to the one that is gone."""
    first = make(3).fit(night([60, 70, 80, 0, 0, 0], ids=False)[0])
    sizes = [60, 70, 80, 0, 0, 0]
    sizes[gone], sizes[new] = 0, 60
    views, y = night(sizes, seed=1, ids=False)
    second = make(3).fit(views, like=first)
    assert sorted(c.kind for c in second.changes_) == ["gone", "kept", "kept", "new"]
    assert numbers(second, y)[new] == 3


@pytest.mark.parametrize("make", BOTH)
def test_a_fit_on_other_data_says_so(make):
    first = make(4).fit(night([40, 50, 50, 60, 0, 0])[0])
    views, _ = night([40, 50, 50, 60, 0, 0], seed=1)
    make(4).fit(views, like=first)
    swapped = views.arrays[1][np.random.default_rng(0).permutation(len(views))]
    with pytest.warns(UserWarning, match="older model.*Check the data"):
        make(4).fit(Views([views.arrays[0], swapped], ids=views.ids), like=first)


def test_a_model_without_ids_recognises_clusters_by_prediction(tmp_path):
    views, y = night([40, 50, 50, 60, 0, 0])
    first = KMEANS(4).fit(views)
    first.save(tmp_path / "m", rows=False, ids=False)
    loaded = load_model(tmp_path / "m")
    assert loaded.sample_ids_ is None
    np.testing.assert_array_equal(loaded.labels_, first.labels_)
    new, z = night([40, 50, 50, 60, 0, 0], seed=1)
    assert numbers(KMEANS(4).fit(new, like=loaded), z) == numbers(first, y)
