"""Many nights with the same clusters: numbers stay, events are named, quiet is ok."""

from functools import partial

import numpy as np
import pytest

import mvgraph
from mvgraph import GraphConsensus, Views
from mvgraph.baselines.kmeans_concat import KMeansConcat

KMEANS = partial(KMeansConcat, random_state=0)
CONSENSUS = partial(GraphConsensus, random_state=0)
LONG = {"split": 10, "drift": 15, "merged": 20, "new": 25, "end": 30}
#: Nights on which the data have moved are fitted, too.
pytestmark = pytest.mark.filterwarnings("ignore:like. these samples are not")
SHORT = {"split": 3, "drift": 4, "merged": 5, "new": 6, "end": 7}


def nights(when, K, dims, sep, n, names=True):
    """Yield night, views and groups: group 0 grows slowly, all else at its time."""
    rng = np.random.default_rng(n)
    centres = [sep * rng.normal(size=(K + 2, d)) for d in dims]
    y, born = rng.integers(K, size=n), n
    who = np.arange(n)
    shift, towards = np.zeros(dims[-1]), rng.choice([-0.6, 0.6], size=dims[-1])
    for night in range(1, when["end"] + 1):
        some = np.flatnonzero(rng.random(len(y)) < 0.05)  # these go, others come
        come = np.zeros(max(1, int(0.03 * (y == 0).sum())), dtype=int)
        if night == when["split"]:
            half = np.flatnonzero(y == 1)
            y[half[: len(half) // 2]] = K
        if night == when["merged"]:
            y[y == 3] = 2
            for c in centres:
                c[2] = (c[2] + c[3]) / 2
        if night == when["new"]:
            come = np.r_[come, np.full(int(0.12 * len(y)), K + 1)]
        who[some] = born + np.arange(len(some))
        born += len(some)
        y = np.r_[y, come]
        who = np.r_[who, born + np.arange(len(come))]
        born += len(come)
        if night >= when["drift"]:
            shift = shift + towards
        order = rng.permutation(len(y))
        y, who = y[order], who[order]
        X = [c[y] + rng.normal(size=(len(y), c.shape[1])) for c in centres]
        X[-1] += shift
        yield night, Views(X, ids=[f"c{i}" for i in who] if names else None), y


def check(make, when, K, dims, sep, n, names, found=False):
    """Fit every night like the night before; return the nights of wrong verdicts."""
    events = {when[kind]: kind for kind in ("split", "drift", "merged", "new")}
    model, before, verdicts = None, {}, {}
    for night, views, y in nights(when, K, dims, sep, n, names):
        if model is not None:
            verdicts[night] = mvgraph.monitor(model, views).verdict
        k = "auto" if found else len(np.unique(y))
        new = make(k).fit(views, like=model)
        main = {g: int(np.bincount(new.labels_[y == g]).argmax()) for g in np.unique(y)}
        assert len(set(main.values())) == len(main)
        moved = {g for g in main if g in before and main[g] != before[g]}
        fresh = set(main.values()) - set(before.values())
        if night == when["split"]:  # the larger part keeps the number
            assert before[1] in (main[1], main[K])
            moved -= {1}
        if night == when["merged"]:  # it has that of the larger one
            assert main[2] in (before[2], before[3])
            moved -= {2}
        assert not moved, night
        if model is not None:
            assert all(c >= model.next_cluster_id_ for c in fresh)
            told = {c.kind for c in new.changes_} - {"kept", "grown", "shrunk"}
            event = events.get(night)
            right = {event} if event and event != "drift" else set()
            # a part that lands near another cluster is known by the names alone
            also = {"new"} if right == {"split"} and not names else right
            assert told in (right, also), night
        model, before = new, main
    for night in events:
        assert {verdicts[night], verdicts[night + 1]} != {"ok"}, night
    quiet = [t for t in verdicts if t < when["drift"] and t not in events]
    return [t for t in quiet if verdicts[t] != "ok"]


def test_seven_nights():
    assert check(KMEANS, SHORT, 5, (6, 5), 4.0, 300, names=True) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("K", "dims", "sep", "n", "names", "found"),
    [
        (6, (8, 6, 10), 3.0, 700, True, True),
        (5, (6, 5), 3.0, 500, False, False),
        (4, (30, 30), 1.5, 500, True, False),
    ],
)
def test_thirty_nights(K, dims, sep, n, names, found):
    assert len(check(CONSENSUS, LONG, K, dims, sep, n, names, found)) <= 1
