"""Every test with the argument ``name`` runs for every method of the registry."""

import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning

from mvgraph import methods


@pytest.fixture(params=methods.names())
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
