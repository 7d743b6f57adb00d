"""One group is one cluster, whatever its shape; clear clusters are counted."""

import numpy as np
import pytest

from mvgraph import ChooseK


def normal(rng, n, d):
    return rng.normal(size=(n, d))


DRAWS = {
    "normal": normal,
    "uniform": lambda rng, n, d: rng.uniform(size=(n, d)),
    "heavy": lambda rng, n, d: rng.standard_t(3, size=(n, d)),
    "integers": lambda rng, n, d: rng.integers(0, 30, size=(n, d)).astype(float),
}


def curve(rng, n, shape):
    """Return one bent group of which two views see all."""
    t = rng.uniform(0, 1, n)
    angle = 1.5 * np.pi * t
    if shape == "sheet":
        angle = 3 * np.pi * (t - 0.5)
        bent = np.sign(angle) * (np.cos(angle) - 1)
        z = np.c_[np.sin(angle), 2 * rng.uniform(0, 1, n), bent]
    else:
        z = np.c_[np.cos(angle), np.sin(angle)]
    return [z @ normal(rng, z.shape[1], d) + 0.05 * normal(rng, n, d) for d in (10, 8)]


def factors(rng, n, q):
    """Return views of a few common factors, and noise."""
    z = normal(rng, n, q)
    return [z @ normal(rng, q, d) + 0.3 * normal(rng, n, d) for d in (10, 8)]


def blobs(rng, K, n, apart, dims=(5, 4)):
    truth = np.arange(n) % K
    return [apart * normal(rng, K, d)[truth] + normal(rng, n, d) for d in dims]


def found(views):
    return ChooseK(random_state=0).fit(views)


def check_nothing(views):
    choice = found(views)
    assert choice.levels_ == ()
    assert choice.best_k_ == 1
    assert choice.confidence_ == 0
    assert all(row["probability"] == 0 for row in choice.table_)


def test_few_columns_of_noise_are_one_cluster():
    check_nothing([DRAWS["integers"](np.random.default_rng(1), 200, 2)])


@pytest.mark.slow
@pytest.mark.parametrize("n", [200, 1000])
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("kind", DRAWS)
def test_a_view_of_few_columns_of_noise_is_one_cluster(kind, d, n):
    check_nothing([DRAWS[kind](np.random.default_rng(d), n, d)])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n", [12, 20, 40, 60, 100])
def test_few_rows_of_any_noise_are_one_cluster(n, seed):
    rng = np.random.default_rng([n, seed])
    check_nothing([normal(rng, n, d) for d in (10, 8)])


@pytest.mark.slow
@pytest.mark.parametrize("q", [1, 2, 3, 5, 8])
def test_common_factors_are_one_cluster(q):
    check_nothing(factors(np.random.default_rng(q), 800, q))


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["sheet", "arc"])
def test_a_bent_group_is_one_cluster(shape):
    check_nothing(curve(np.random.default_rng(0), 800, shape))


@pytest.mark.parametrize(
    ("K", "n"),
    [
        (4, 24),
        pytest.param(2, 20, marks=pytest.mark.slow),
        pytest.param(5, 60, marks=pytest.mark.slow),
    ],
)
def test_few_rows_of_clear_clusters_are_counted(K, n):
    assert found(blobs(np.random.default_rng(0), K, n, 8)).best_k_ == K


def test_a_view_of_another_subject_does_not_change_the_number():
    rng = np.random.default_rng(0)
    views = blobs(rng, 4, 300, 4, (10, 8))
    other = 4 * normal(rng, 3, 12)[rng.integers(3, size=300)] + normal(rng, 300, 12)
    choice = found([*views, other])
    assert choice.best_k_ == 4
    assert choice.levels_[0].views[2] == 0
    assert min(choice.levels_[0].views[:2]) > 0.9


def test_rows_of_a_number_for_missing_leave_the_others_their_scale():
    rng, truth = np.random.default_rng(0), np.arange(200) % 4
    rates = rng.gamma(0.8, 3.0, size=(4, 200))
    X = np.log1p(rng.poisson(rates[truth])).astype(float)
    whole = ChooseK(random_state=0).fit([X]).best_k_
    X[:5] = 1e6
    assert ChooseK(random_state=0).fit([X]).best_k_ == whole == 4
