import numpy as np
import pandas as pd
import pytest

from mvgraph import MGL, GraphConsensus, explain
from mvgraph.inspection.explanation import standardised_difference

N, K = 120, 3
TRUTH = np.arange(N) % K


@pytest.fixture(params=[GraphConsensus, MGL], ids=lambda c: c.__name__)
def model(request):
    return request.param(K, random_state=0)


def views(noise_view=False):
    rng = np.random.default_rng(0)
    X = [7 * rng.normal(size=(K, d))[TRUTH] + rng.normal(size=(N, d)) for d in (4, 6)]
    return [*X, rng.normal(size=(N, 5))] if noise_view else X


def test_contributions_are_shares_and_a_view_of_noise_has_little(model):
    X = views(noise_view=True)
    why = explain(model.fit(X), X)
    assert why.contributions.shape == (N, 3)
    np.testing.assert_allclose(why.contributions.sum(axis=1), 1)
    assert why.contributions[:, 2].mean() < 0.25
    turned = explain(model.fit(X[::-1]), X[::-1])
    np.testing.assert_allclose(turned.contributions[:, ::-1], why.contributions)


def test_a_view_that_a_sample_lacks_contributes_nothing(model):
    X = views()
    X[0][:20] = np.nan
    why = explain(model.fit(X), X)
    np.testing.assert_array_equal(why.contributions[:20], [[0, 1]] * 20)


def test_exemplars_belong_to_their_cluster_and_carry_ids(model):
    names = [f"s{i}" for i in range(N)]
    X = {f"v{i}": pd.DataFrame(x, index=names) for i, x in enumerate(views())}
    why = explain(model.fit(X), X, n_exemplars=2)
    assert [r["cluster"] for r in why.exemplars] == [0, 0, 1, 1, 2, 2]
    for row in why.exemplars:
        assert model.labels_[row["row"]] == row["cluster"]
        assert row["id"] == names[row["row"]]
        assert row["closeness"] <= 1 + 1e-9


def test_features_name_what_was_planted():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(N, 4)), columns=list("abcd"))
    frame["c"] += 9 * (TRUTH == 1)
    frame["b"] -= 9 * (TRUTH == 2)
    model = GraphConsensus(K, random_state=0).fit(frame)
    why = explain(model, frame, n_features=1)
    top = {TRUTH[model.labels_ == r["cluster"]][0]: r for r in why.features}
    assert (top[1]["name"], top[2]["name"]) == ("c", "b")
    assert top[1]["difference"] > 0 > top[2]["difference"]
    assert why.to_frame().shape == (3, 6)
    assert why.to_frame("contributions").shape == (N, 1)
    with pytest.raises(ValueError, match="table must be"):
        why.to_frame("other")


def test_difference_sparse_constant_and_huge():
    import scipy.sparse as sp

    rng = np.random.default_rng(0)
    x = rng.poisson(0.5, size=(40, 6)).astype(float)
    x[:, 3] = 2
    labels = np.arange(40) % 2
    dense = standardised_difference(x, labels)
    inside, outside = x[labels == 0].mean(axis=0), x[labels == 1].mean(axis=0)
    keep = np.arange(6) != 3
    expected = (inside - outside)[keep] / x.std(axis=0)[keep]
    np.testing.assert_allclose(dense[0, keep], expected)
    assert (dense[:, 3] == 0).all()
    np.testing.assert_allclose(
        standardised_difference(sp.csr_matrix(x), labels), dense, atol=1e-12
    )
    np.testing.assert_allclose(standardised_difference(x * 1e250, labels), dense)


def test_other_rows_and_other_models_are_refused(model):
    X = views()
    with pytest.raises(ValueError, match="fitted on 120 samples, X has 60"):
        explain(model.fit(X), [x[:60] for x in X])
