"""Whole fits on whatever hypothesis makes up: never a crash, never a NaN, N labels."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from mvgraph import AnchorFilter, GraphConsensus

KINDS = ("normal", "duplicates", "constant", "integers", "zeros", "steps")
SCALES = (1e-300, 1e-150, 1e-20, 1.0, 1e20, 1e150, 1e300)


@st.composite
def problems(draw):
    """Views, K and a seed."""
    n = draw(st.integers(2, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    views = [one_view(draw, rng, n) for _ in range(draw(st.integers(1, 4)))]
    return views, draw(st.integers(2, min(n, 8)))


def one_view(draw, rng, n):
    x = rng.normal(size=(n, draw(st.integers(1, 5))))
    kind = draw(st.sampled_from(KINDS))
    if kind == "duplicates":
        x = x[rng.integers(0, draw(st.integers(1, 5)), n) % n]
    elif kind == "constant":
        x[:, 0] = 3
    elif kind == "integers":
        x = np.round(x)
    elif kind == "zeros":
        x[:] = 0
    elif kind == "steps":
        x += 9 * (np.arange(n) % 3)[:, None]
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    if dtype is np.float64:
        x = np.clip(x * draw(st.sampled_from(SCALES)), -1e307, 1e307)
    x = x.astype(dtype)
    return laid_out(x, draw(st.sampled_from(["C", "F", "strided", "read-only"])))


def laid_out(x, layout):
    if layout == "F":
        return np.asfortranarray(x)
    if layout == "strided":
        return np.repeat(np.repeat(x, 2, axis=0), 2, axis=1)[::2, ::2]
    x.flags.writeable = layout != "read-only"
    return x


def check(Estimator, problem):
    views, K = problem
    before = [x.copy() for x in views]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = Estimator(K, random_state=0).fit(views)
        again = Estimator(K, random_state=0).fit(views)
    n = len(views[0])
    assert model.labels_.shape == (n,)
    assert 0 <= model.labels_.min() <= model.labels_.max() < max(K, n)
    np.testing.assert_array_equal(model.labels_, again.labels_)
    for value in (model.embedding_, model.view_weights_, model.graph_.data):
        assert np.isfinite(value).all()
    np.testing.assert_allclose(model.view_weights_.sum(), 1)
    assert model.predict(views).shape == (n,)
    assert np.isfinite(model.transform(views)).all()
    for x, old in zip(views, before, strict=True):
        np.testing.assert_array_equal(x, old)


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(problem=problems())
def test_any_views_anchor_filter(problem):
    check(AnchorFilter, problem)


@settings(max_examples=4, suppress_health_check=list(HealthCheck))
@given(problem=problems())
def test_any_views_consensus(problem):
    check(GraphConsensus, problem)


@pytest.mark.slow
@pytest.mark.parametrize("Estimator", [AnchorFilter, GraphConsensus])
@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(problem=problems())
def test_many_views(Estimator, problem):
    check(Estimator, problem)
