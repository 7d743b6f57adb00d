"""Have the data moved? Quiet data are ok, and what moved is named."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mvgraph
from mvgraph import GraphConsensus, Views, load_model
from mvgraph.baselines.kmeans_concat import KMeansConcat
from mvgraph.prediction.monitor_report import VERDICTS

KMEANS = partial(KMeansConcat, random_state=0)
CONSENSUS = partial(GraphConsensus, random_state=0)


class World:
    """Groups of some shares, and nights drawn from them."""

    def __init__(self, seed, K=4, dims=(10, 8, 6), sep=2.5):
        rng = np.random.default_rng(seed)
        self.centres = [sep * rng.normal(size=(K, d)) for d in dims]
        self.shares, self.seed = rng.dirichlet(np.full(K, 6)), seed

    def night(self, number, n=500):
        rng = np.random.default_rng([self.seed, number])
        y = rng.choice(len(self.shares), size=n, p=self.shares)
        return [c[y] + rng.normal(size=(n, c.shape[1])) for c in self.centres]


@pytest.fixture(
    scope="module",
    params=[KMEANS, pytest.param(CONSENSUS, marks=pytest.mark.slow)],
    ids=["kmeans", "consensus"],
)
def fitted(request):
    world = World(0)
    return world, request.param(4).fit(world.night(0))


def test_the_rows_of_the_fit_have_not_moved(fitted):
    world, model = fitted
    found = mvgraph.monitor(model, world.night(0))
    assert (found.verdict, found.reasons) == ("ok", ())
    assert max(row["psi"] for row in found.features) == 0
    assert all(c["low"] < c["share_before"] < c["high"] for c in found.clusters)
    assert found.n_samples == found.n_compared == 500


@pytest.mark.parametrize("night", [1, 2])
def test_quiet_nights_are_ok(fitted, night):
    world, model = fitted
    found = mvgraph.monitor(model, world.night(night))
    assert (found.verdict, found.reasons) == ("ok", ())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_quiet_nights_of_other_worlds_are_ok(seed):
    rng = np.random.default_rng(seed)
    dims = tuple(rng.integers(2, 40, size=rng.integers(1, 5)).tolist())
    n = int(rng.integers(200, 2500))
    world = World(seed, int(rng.integers(2, 9)), dims, float(rng.uniform(1.5, 4)))
    model = CONSENSUS(len(world.shares)).fit(world.night(0, n))
    wrong = [
        found.reasons
        for night in range(1, 11)
        if (found := mvgraph.monitor(model, world.night(night, n))).verdict != "ok"
    ]
    assert len(wrong) <= 1, wrong


@pytest.mark.parametrize("n", [1, 2, 5, 20, 40])
def test_few_samples_are_no_verdict(fitted, n):
    world, model = fitted
    found = mvgraph.monitor(model, world.night(1, n))
    assert found.verdict == "ok"
    assert found.reasons[-1].endswith("too few to tell; 50 are needed")


def test_shifted_features_are_named(fitted):
    world, model = fitted
    X = world.night(1)
    X[1][:, [2, 5]] += 1.5 * X[1].std(axis=0)[[2, 5]]
    found = mvgraph.monitor(model, X)
    assert found.verdict == "refit"
    assert {(r["view"], r["feature"]) for r in found.features[:2]} == {
        ("view_1", "2"),
        ("view_1", "5"),
    }
    assert max(r["pvalue_adjusted"] for r in found.features[:2]) < 1e-9
    assert any("view 'view_1': 2 features of 8 drifted" in r for r in found.reasons)


def test_constant_rows_are_named(fitted):
    world, model = fitted
    for share, verdict in ((0.002, "ok"), (0.02, "watch"), (0.05, "refit")):
        X = world.night(1)
        X[2][: round(500 * share)] = 1e6
        found = mvgraph.monitor(model, X)
        assert found.verdict == verdict
        if verdict != "ok":
            assert found.features[0]["view"] == "view_2"
            assert "'view_2'" in found.reasons[0]
            assert "values far beyond the fit" in found.reasons[0]


def test_a_view_of_other_samples_is_named(fitted):
    world, model = fitted
    X = world.night(1)
    X[1] = np.random.default_rng(0).permutation(X[1])
    found = mvgraph.monitor(model, X)
    assert found.verdict == "refit"
    assert found.features[0]["view"] == "view_1"
    assert found.features[0]["psi"] < 0.1  # over all samples nothing has changed
    if found.outliers is not None:
        assert found.outliers["share"] > 0.3
        assert "two samples" in found.outliers["reason"]


def test_more_drift_is_never_better(fitted):
    world, model = fitted
    verdicts = []
    for shift in (0, 0.3, 0.6, 1, 2, 4):
        X = world.night(1)
        X[0] = X[0] + shift
        verdicts.append(VERDICTS.index(mvgraph.monitor(model, X).verdict))
    assert verdicts == sorted(verdicts)
    assert (verdicts[0], verdicts[-1]) == (0, 2)


def test_missing_rows_and_shares_of_clusters_count(fitted):
    world, model = fitted
    X = world.night(1)
    X[2][:200] = np.nan
    if not model.schema_.needs_every_view:
        found = mvgraph.monitor(model, X)
        assert found.verdict == "refit"
        assert found.views[2]["missing"] == 0.4
        assert any("0.0% -> 40.0% of the samples lack it" in r for r in found.reasons)
    of = model.predict(world.night(1)) == model.cluster_ids_[0]
    few = [np.concatenate([x[of][:5], x[~of]]) for x in world.night(1)]
    found = mvgraph.monitor(model, few)
    assert found.verdict != "ok"
    assert any("shares of clusters changed" in r for r in found.reasons)


def test_any_method_that_labels_new_samples_has_it(tmp_path):
    world = World(1, dims=(5, 4))
    model = KMEANS(4).fit(world.night(0))
    model.save(tmp_path / "m", rows=False)
    for one in (model, load_model(tmp_path / "m"), tmp_path / "m"):
        found = mvgraph.monitor(one, world.night(1))
        assert (found.verdict, found.outliers) == ("ok", None)
    with pytest.raises(ValueError, match="cannot label new samples"):
        mvgraph.monitor(mvgraph.methods.get("clr").make(2, 0), world.night(1))


def test_columns_of_tables(recwarn):
    """Dates move every night; empty cells and categories that are gone are told."""

    def night(seed, empty=0.1, colours="abc"):
        rng = np.random.default_rng(seed)
        y = rng.integers(2, size=400)
        price = np.where(rng.random(400) < empty, np.nan, 20 * y + rng.normal(size=400))
        days = rng.integers(100, size=400) + 15 * seed
        return pd.DataFrame(
            {
                "price": price,
                "colour": rng.choice(list(colours), size=400),
                "since": pd.Timestamp("2024-01-01") + pd.to_timedelta(days, "D"),
            }
        )

    kinds = {"colour": "categorical", "since": "date"}
    model = KMEANS(2).fit(mvgraph.read_columns(night(0), kinds=kinds, impute="median"))
    quiet = mvgraph.monitor(model, night(1))
    assert (quiet.verdict, quiet.reasons) == ("ok", ())
    found = mvgraph.monitor(model, night(2, empty=0.5))
    assert found.verdict != "ok"
    said = "column 'price': 51% of the cells are empty, 8% in the fit"
    assert said in found.reasons
    found = mvgraph.monitor(model, night(3, colours="ab"))
    assert found.verdict == "refit"
    assert found.features[0]["feature"] == "colour=c"


def test_values_far_beyond_the_fit_are_counted():
    x = np.r_[np.arange(100.0), [0.0] * 100][:, None]
    model = KMEANS(2).fit([x])
    for value, far in ((100, 0), (198, 0), (199, 1), (-99, 0), (-100, 1), (1e9, 1)):
        new = np.r_[np.arange(100.0), [value] * 100][:, None]
        assert mvgraph.monitor(model, [new]).features[0]["far"] == far / 2
    constant = KMEANS(2).fit([np.c_[x, np.ones(200)]])
    found = mvgraph.monitor(constant, [np.c_[x, np.full(200, 1e9)]])
    assert found.features[0] == found.features[0] | {"feature": "1", "far": 0.0}


def test_words_of_a_sparse_view():
    rng = np.random.default_rng(0)

    def texts(n, k=30):
        y = rng.integers(3, size=n)
        rate = np.where(np.arange(60) // 20 == y[:, None], 0.8, 0.1)
        return sp.csr_matrix(rng.poisson(rate) * (np.arange(60) < k + 30))

    words = [f"w{i}" for i in range(60)]
    model = KMEANS(3).fit(Views([texts(400)], feature_names=[words]))
    assert mvgraph.monitor(
        model, Views([texts(400)], feature_names=[words])
    ).verdict == ("ok")
    found = mvgraph.monitor(model, Views([texts(400, 0)], feature_names=[words]))
    assert found.verdict == "refit"
    names = {row["feature"] for row in found.features[:10]}
    assert names <= {*words[30:], "(entries of a row)", "(norm of a row)"}


def test_rows_of_length_one_have_one_norm_on_every_night():
    """So have the rows of texts: only their rounding depends on the night."""

    def rows(seed, n, length=1.0):
        x = np.random.default_rng(seed).random((n, 9)) ** 3
        return sp.csr_matrix(length * x / np.sqrt((x**2).sum(axis=1, keepdims=True)))

    for length in (1e-3, 1.0, 7.0):
        model = KMEANS(2).fit([rows(0, 300, length)])
        for night in (1, 2, 3):
            found = mvgraph.monitor(model, [rows(night, 120, length)])
            (row,) = (r for r in found.features if r["feature"] == "(norm of a row)")
            assert (row["psi"], row["far"]) == (0, 0)
        longer = mvgraph.monitor(model, [rows(4, 120, 1.01 * length)])
        assert longer.features[0]["feature"] == "(norm of a row)"
