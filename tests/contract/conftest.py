"""Tests with the argument ``name`` run for every method of the registry."""

import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning

from data import every_method
from mvgraph import methods

#: A fit of these takes 50 ms or more: what they share with all others is slow.
LONG = ("amgl", "fastmice", "mvgl", "sfmc", "smsc", "swmc", "tbgl")
OTHERS = [name for name in methods.names() if name not in LONG]


@pytest.fixture(params=every_method(*OTHERS))
def name(request) -> str:
    return request.param


@pytest.fixture(scope="session")
def fit():
    """Return a function that fits a method by name, whether it converges or not."""

    def call(name, views, n_clusters=3, seed=0):
        model = methods.get(name).make(n_clusters, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return model.fit(views)

    return call
