import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from mvgraph import Views
from mvgraph.views.scaling import RULES, apply_steps, fit_scaling, scale_views


def scale(x, rule):
    return scale_views(Views([x]), [fit_scaling(x, rule)]).arrays[0]


X = np.random.default_rng(0).normal(size=(30, 4)) * [1, 100, 1e-3, 5] + [0, 50, 1, -3]


def test_each_rule_does_what_its_name_says():
    z = scale(X, "zscore")
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(z.std(axis=0, ddof=1), 1)
    np.testing.assert_allclose(np.linalg.norm(scale(X, "unit"), axis=1), 1)
    m = scale(X, "minmax")
    np.testing.assert_allclose([m.min(axis=0), m.max(axis=0)], [[0] * 4, [1] * 4])
    np.testing.assert_array_equal(scale(X, "max"), X / X.max())
    r = scale(X, "rowz")
    np.testing.assert_allclose(r.mean(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(r.std(axis=1, ddof=1), 1)
    assert scale(X, "none") is X


def test_rules_can_be_joined():
    both = scale(X, "zscore+unit")
    np.testing.assert_allclose(both, scale(scale(X, "zscore"), "unit"))


def test_auto_looks_at_how_full_a_view_is():
    thin = np.where(np.random.default_rng(0).random((40, 30)) < 0.1, 1.0, 0)
    assert [s.rule for s in fit_scaling(thin, "auto")] == ["unit"]
    assert [s.rule for s in fit_scaling(X, "auto")] == ["zscore"]


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("rule", RULES)
def test_sparse_as_dense(rule, kind):
    thin = np.where(np.random.default_rng(0).random((40, 30)) < 0.1, 2.0, 0)
    dense, sparse = scale(thin, rule), scale(kind(thin), rule)
    dense, sparse = (a.toarray() if sp.issparse(a) else a for a in (dense, sparse))
    np.testing.assert_allclose(dense, sparse, atol=1e-12)


def test_unit_and_tfidf_leave_sparse_views_sparse():
    thin = sp.random(40, 30, density=0.1, random_state=0, format="csr")
    assert sp.issparse(scale(thin, "unit"))
    assert sp.issparse(scale(thin, "tfidf"))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("make", ["constant", "zero rows", "one row", "one column"])
def test_degenerate_views_stay_finite(rule, make):
    x = {
        "constant": np.full((6, 3), 7.0),
        "zero rows": np.vstack([np.zeros((2, 3)), np.eye(3)]),
        "one row": np.array([[1.0, 2.0]]),
        "one column": np.arange(5.0)[:, None],
    }[make]
    out = scale(x, rule)
    out = out.toarray() if sp.issparse(out) else out
    assert np.isfinite(out).all()
    if make == "constant" and rule in ("zscore", "minmax", "auto"):
        assert (out == 0).all()


@given(st.sampled_from([1e-300, 1e-160, 1.0, 1e160, 1e300]))
def test_zscore_at_extreme_scales(size):
    np.testing.assert_allclose(scale(X * size, "zscore"), scale(X, "zscore"), rtol=1e-6)
    np.testing.assert_allclose(scale(X * size, "unit"), scale(X, "unit"), rtol=1e-6)


def test_new_samples_use_what_was_learned():
    steps = fit_scaling(X, "zscore")
    new = steps[0].apply(X[:3] + 1)
    change = new - steps[0].apply(X[:3])
    np.testing.assert_allclose(change, np.tile(1 / steps[0].scale, (3, 1)))


def test_tfidf_is_for_counts_only():
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.05, size=(40, 30)).astype(float)
    counts[:, 0] = 0
    assert fit_scaling(counts, "tfidf")[0].rule == "tfidf"
    assert fit_scaling(X, "tfidf")[0].rule == "zscore"
    assert np.isfinite(scale(counts, "tfidf").toarray()).all()


def test_unknown_rule():
    with pytest.raises(ValueError, match="scaling must be one of"):
        fit_scaling(X, "robust")


def test_input_is_left_alone_and_may_be_read_only():
    x = X.copy()
    x.flags.writeable = False
    for rule in RULES:
        scale(x, rule)
    np.testing.assert_array_equal(x, X)


@pytest.mark.parametrize("factor", [1e-300, 1e-200, 1.0, 1e160, 1e300])
@pytest.mark.parametrize("rule", ["unit", "tfidf"])
def test_sparse_rows_to_length_one_at_any_scale(factor, rule):
    x = sp.random(20, 100, 0.1, random_state=0, format="csr")
    wanted = fit_scaling(x, "unit")[-1].apply(x).toarray()
    steps = fit_scaling(x, "unit")
    far = apply_steps(x * factor, steps)
    np.testing.assert_allclose(far.toarray(), wanted, atol=1e-12)
    norms = np.linalg.norm(
        apply_steps(x * factor, fit_scaling(x, rule)).toarray(), axis=1
    )
    np.testing.assert_allclose(norms[norms > 0], 1)


@pytest.mark.parametrize("offset", [0.0, 1e6, 1.7e18, -3e300])
@pytest.mark.parametrize("n", [10, 1000])
def test_a_column_is_constant_by_its_own_rounding(offset, n):
    """What equal values leave is no deviation; what they can hold is one."""
    spread = max(abs(offset), 1.0) * np.finfo(float).eps * 4 * n
    rng = np.random.default_rng(0)
    varied = offset + spread * rng.choice([-1.0, 1.0], n)
    x = np.column_stack([np.full(n, offset + 0.1), varied])
    scaled = apply_steps(x, fit_scaling(x, "zscore"))
    assert (scaled[:, 0] == 0).all()
    assert 0.5 < scaled[:, 1].std() < 2


def test_sparse_float32_is_scaled_without_a_warning():
    x = sp.random(40, 9, 0.3, format="csr", dtype=np.float32, random_state=0)
    x[3] = x[3] * np.float32(1e25)  # squares overflow in float32
    with np.errstate(all="raise"):
        unit = apply_steps(x, fit_scaling(x, "unit"))
    lengths = np.sqrt(np.asarray(unit.multiply(unit).sum(axis=1)).ravel())
    assert np.allclose(lengths[lengths > 0], 1, rtol=1e-5)


def test_centred_rows_have_length_one_and_new_rows_the_mean_of_the_fit():
    out = scale(X, "centred")
    np.testing.assert_allclose(np.linalg.norm(out, axis=1), 1)
    np.testing.assert_allclose(scale(X * 1e-300, "centred"), out, rtol=1e-6)
    steps = fit_scaling(X, "centred")
    new = X[:3] + 5
    wanted = new - X.mean(axis=0)
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    np.testing.assert_allclose(apply_steps(new, steps), wanted)


def test_roots_keep_signs_and_zeros():
    roots = scale(X, "roots")
    np.testing.assert_allclose(roots * np.abs(roots), X)
    thin = sp.random(40, 30, density=0.1, random_state=0, format="csr")
    assert scale(thin, "roots").nnz == thin.nnz


def test_sparse_views_stay_sparse_while_a_rule_is_learned():
    rows = np.arange(2000) % 1000
    x = sp.csr_matrix((rows + 1.0, (rows, 10 * np.arange(2000))), shape=(1000, 20_000))
    for rule in ("centred", "roots+centred", "tfidf", "unit"):
        tracemalloc.start()
        fit_scaling(x, rule)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 8_000_000, rule  # dense rows take 160 MB
