"""A view of which the scaling of a method leaves little, and views far from one."""

import re
import warnings
from functools import cache

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score as ari

from mvgraph import methods

TRUTH = np.arange(60) % 3
rng = np.random.default_rng(0)
#: A group on its own in the first view; what parts the others is in the second.
FIRST = 6.0 * (TRUTH == 0)[:, None] * np.eye(1, 4) + rng.normal(size=(60, 4))
ONE = (TRUTH == 1)[:, None] * 12.0 + rng.normal(size=(60, 1))
BLOBS = 9 * np.eye(3)[TRUTH] + rng.normal(size=(60, 3))
#: Methods that scale samples one by one, and what they leave of one feature.
BY_SAMPLE = {"opmc", "gmc", "smsc", "csmsc", "mgl"}


def fit(name, X, **settings):
    model = methods.get(name).make(3, random_state=0).set_params(**settings)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        labels = model.fit(X).labels_
    return labels, [(w.category, str(w.message)) for w in caught]


@cache
def alone(name):
    return fit(name, {"first": FIRST})[0]


@pytest.mark.parametrize("second", [ONE, np.repeat(ONE, 3, axis=1)])
def test_a_view_of_one_number_counts_or_is_named(name, second):
    if name == "clr":
        pytest.skip("clusters the first view")
    labels, caught = fit(name, {"first": FIRST, "second": second})
    said = [text for _, text in caught if "Scaling sample by sample" in text]
    assert len(said) == (name in BY_SAMPLE)
    if said:
        assert re.search(r"'second' \(. features?\).*kmeans-concat", said[0])
        assert "'first'" not in said[0]
        return
    assert ari(labels, alone(name)) < 1 or ari(labels, TRUTH) == 1


@pytest.mark.parametrize(
    ("name", "settings", "remedy"),
    [
        ("opmc", {}, "part of OPMC. Use a method"),
        ("csmsc", {}, "part of CSMSC. Use a method"),
        ("gmc", {}, "Set scaling='zscore'"),
        ("smsc", {}, "Set scaling='zscore'"),
        ("mlan", {"scaling": "rowz"}, "Set scaling='zscore'"),
        ("anchor-filter", {"scaling": "unit"}, "Set scaling='zscore'"),
        ("fastmice", {"metric": "cosine"}, "Set metric='euclidean', or use"),
    ],
)
def test_the_remedy_fits_the_method(name, settings, remedy):
    _, caught = fit(name, [FIRST, ONE], **settings)
    (said,) = [text for _, text in caught if "Scaling sample by sample" in text]
    assert remedy in said
    assert "'view_1' (1 feature)" in said


@pytest.mark.parametrize(
    "size", [1e-200, pytest.param(1e155, marks=pytest.mark.slow), 1e200]
)
def test_far_values_are_clustered_without_bare_warnings(name, size):
    far, caught = fit(name, [size * BLOBS, size * BLOBS[:, ::-1]])
    assert not [text for kind, text in caught if issubclass(kind, RuntimeWarning)]
    assert ari(far, TRUTH) > 0.6
    _, caught = fit(name, [FIRST, size * BLOBS])
    assert not [text for kind, text in caught if issubclass(kind, RuntimeWarning)]
