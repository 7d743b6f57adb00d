"""Whenever fewer than n_clusters clusters hold samples, one warning says so."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mvgraph import methods
from mvgraph.base.clusterer import Clusterer
from mvgraph.base.result import Result


class Few(Clusterer):
    """Put the samples into as many clusters as it is told, whatever is asked for."""

    def __init__(self, n_clusters=4, *, found=4, own=False, random_state=None):
        self.n_clusters, self.found, self.own = n_clusters, found, own
        self.random_state = random_state

    def _fit(self, views, run):
        notes = (("mine", ConvergenceWarning),) if self.own else ()
        return Result(np.arange(len(views)) % self.found, warnings=notes)


X = [np.random.default_rng(0).normal(size=(20, 3))]


def warned(model, views):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(views)
    return [str(w.message) for w in caught]


@pytest.mark.parametrize("found", [1, 3, 4])
def test_one_warning_counts_the_clusters(found):
    said = warned(Few(4, found=found), X)
    assert len(said) == (found < 4)
    what = "1 cluster holds" if found == 1 else f"{found} clusters hold"
    assert all(f"{what} samples, not n_clusters=4" in s for s in said)
    assert all(("Ask for at most" in s) == (found > 1) for s in said)


def test_a_method_that_says_why_is_not_repeated():
    assert warned(Few(4, found=2, own=True), X) == ["mine"]


def test_copies_are_reported_once():
    copies = [np.repeat([[0.0], [1.0]], 10, axis=0)]
    (said,) = warned(Few(4, found=2), copies)
    assert "2 distinct samples, fewer than n_clusters=4; only 2 clusters hold" in said
    assert "Ask for at most 2 clusters" in said
    (said,) = warned(Few(4, found=4), copies)
    assert "2 distinct samples, fewer than n_clusters=4; some clusters contain" in said
    (said,) = warned(Few(4, found=1), [np.ones((20, 3))])
    assert said.startswith("There is 1 distinct sample, ")
    assert "Ask for" not in said


@pytest.mark.parametrize(
    "name", ["lmvsc", "opmc", "anchor-filter", "kmeans-concat", "fpmvs-cag"]
)
def test_fewer_clusters_of_copies_are_counted(name):
    rows = np.repeat(np.random.default_rng(0).normal(size=(10, 3)), 4, axis=0)
    model = methods.get(name).make(15, random_state=0)
    said = [s for s in warned(model, [rows, rows + 1]) if "distinct samples" in s]
    found = len(np.unique(model.labels_))
    assert len(said) == 1
    assert (f"only {found} clusters hold samples" in said[0]) == (found < 15)
    assert ("some clusters contain copies of others" in said[0]) == (found == 15)
