"""Warnings of fit point at the line that called it."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from data import planted
from mvgraph import AnchorFilter, GraphConsensus, RowOrderWarning, methods


def warned(model, X):
    """Fit with every warning on; return those that came up."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X)
    return caught


def test_every_warning_points_at_the_caller(name):
    """Copies of two rows: no method can find three clusters in them."""
    X = [np.repeat(x[:2], 12, axis=0) for x in planted()[0]]
    caught = warned(methods.get(name).make(3, random_state=0), X)
    said = [w for w in caught if w.category is not RowOrderWarning]
    assert "There are 2 distinct samples" in str(said[0].message)
    assert {w.filename for w in caught} == {__file__}
    assert any(issubclass(w.category, ConvergenceWarning) for w in caught)


@pytest.mark.parametrize("Estimator", [GraphConsensus, AnchorFilter])
def test_views_without_common_samples(Estimator):
    X = [x.copy() for x in planted()[0]]
    X[0][:30], X[1][30:] = np.nan, np.nan
    caught = warned(Estimator(3, random_state=0), X)
    assert any("no sample in common" in str(w.message) for w in caught)
    assert {w.filename for w in caught} == {__file__}


def test_a_method_that_depends_on_the_order_of_the_rows_warns_once(name):
    model = methods.get(name).make(3, random_state=0)
    said = [w for w in warned(model, planted()[0]) if w.category is RowOrderWarning]
    assert len(said) == (not methods.get(name).order_free)
    for w in said:
        assert f"The result of {type(model).__name__} depends" in str(w.message)
        assert w.filename == __file__
