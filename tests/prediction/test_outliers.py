"""Samples that belong to no cluster: what nobody has seen, and views of two samples."""

import json

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import data
from mvgraph import GraphConsensus, as_views, cli, load_model
from mvgraph.base.predictor import MAX_OUTLIER, predict_rows
from mvgraph.prediction.outliers import learn_usual
from mvgraph.views.scaling import learn_scalings, scale_views


@pytest.fixture(scope="module")
def clean():
    return data.planted(600, k=5, dims=(8, 10, 6), spread=4)


def fit(X, k=5):
    return GraphConsensus(k, random_state=0).fit(X)


def spoiled(X, how, share=0.05):
    """Return views of which some rows are spoiled, and which."""
    rng = np.random.default_rng(0)
    n = len(X[0])
    rows = rng.choice(n, int(share * n), replace=False)
    X = [x.copy() for x in X]
    if how == "noise":
        for x in X:
            x[rows] = rng.uniform(x.min(axis=0), x.max(axis=0), (len(rows), x.shape[1]))
    elif how == "constant":
        for x in X:
            x[rows] = 1e6
    else:
        X[1][rows] = X[1][np.roll(rows, 1)]
    return X, np.isin(np.arange(n), rows)


def test_clean_clusters_have_few_outliers_and_no_sparse_one_is_noise(clean):
    model = fit(clean[0])
    assert ((model.outlier_score_ >= 0) & (model.outlier_score_ <= 1)).all()
    assert (model.labels() == -1).mean() <= 0.01
    wide = [x.copy() for x in clean[0]]
    rng = np.random.default_rng(1)
    for x in wide:
        x[clean[1] == 0] += 1.5 * rng.normal(size=x[clean[1] == 0].shape)
    sparse = fit(wide)
    assert (sparse.labels() == -1)[clean[1] == 0].mean() < 0.05


@pytest.mark.parametrize(
    ("how", "least", "word"),
    [("noise", 0.97, "far from"), ("constant", 1, "far from"), ("swap", 0.85, "two")],
)
def test_spoiled_rows_rank_on_top_and_the_reason_is_named(clean, how, least, word):
    X, bad = spoiled(clean[0], how)
    model = fit(X)
    assert roc_auc_score(bad, model.outlier_score_) >= least
    found = bad & (model.outlier_score_ > 0.98)
    assert found.any()
    reasons = model.outlier_reason_[found]
    assert np.mean([word in reason for reason in reasons]) >= 0.9
    if how == "swap":  # of three views, and not always the one that was permuted
        assert np.mean(["view_1" in reason for reason in reasons]) > 0.5


@pytest.mark.slow
@pytest.mark.parametrize(("how", "share"), [("noise", 0.15), ("swap", 0.1)])
def test_many_spoiled_rows_do_not_hide_each_other(clean, how, share):
    X, bad = spoiled(clean[0], how, share)
    beyond = fit(X).labels() == -1
    assert beyond[bad].mean() > (0.95 if how == "noise" else 0.6)
    assert beyond[~bad].mean() < 0.02


def test_order_of_rows_columns_and_views_does_not_matter(clean):
    X, _ = spoiled(clean[0], "swap")
    rng = np.random.default_rng(3)
    rows = rng.permutation(600)
    first, moved = fit(X), fit([x[rows] for x in X[::-1]])
    np.testing.assert_array_equal(moved.outlier_score_, first.outlier_score_[rows])
    turned = fit([x[:, rng.permutation(x.shape[1])] for x in X])
    same = turned.labels_ == first.labels_
    assert same.mean() > 0.98  # those that lie between clusters may move
    gap = np.abs(turned.outlier_score_ - first.outlier_score_)
    assert np.quantile(gap[same], 0.95) < 0.02


@pytest.mark.slow
@pytest.mark.parametrize("tails", ["normal", "uniform", "student"])
@pytest.mark.parametrize("V", [1, 2, 4])
@pytest.mark.parametrize("k", [2, 10, 30])
def test_few_samples_of_clean_clusters_are_beyond_the_threshold(k, V, tails):
    beyond = []
    for d in (2, 10, 100):
        rng = np.random.default_rng([k, V, d])
        truth, views = rng.permutation(np.arange(700) % k), []
        for _ in range(V):
            noise = {
                "normal": rng.normal(size=(700, d)),
                "uniform": rng.uniform(-1.7, 1.7, size=(700, d)),
                "student": rng.standard_t(3, size=(700, d)),
            }[tails]
            views.append(6 * rng.normal(size=(k, d))[truth] + noise)
        scaled = views_of_scale(views)
        score = learn_usual(scaled, truth, k)[1]
        beyond.append((score > MAX_OUTLIER).mean())
    assert np.mean(beyond) <= (0.015 if tails == "student" else 0.005)


def views_of_scale(arrays):
    views = as_views(arrays)
    return scale_views(views, learn_scalings(views, ["auto"] * len(arrays)))


def test_a_row_of_the_fit_that_is_given_again_has_its_score(clean):
    X, _ = spoiled(clean[0], "swap")
    model = fit(X)
    views = model.schema_.match(X)
    again = predict_rows(model.predictor_, views, "outlier_score", False)
    same = model.predict(X) == model.labels_
    assert same.mean() > 0.95
    np.testing.assert_allclose(again[same], model.outlier_score_[same], atol=1e-6)


def test_a_rare_group_is_no_noise():
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(1010, d)) for d in (10, 20)]
    for x in X:
        x[-10:] += 12
    assert (fit(X, 2).labels()[-10:] == -1).sum() <= 1


def test_new_samples_and_saved_models(clean, tmp_path):
    model = fit(clean[0])
    kept = load_model(model.save(tmp_path / "model"))
    new = [x[:50].copy() for x in clean[0]]
    for x in new:
        x[:5] = 1e6
    views = kept.schema_.match(new)
    score = predict_rows(kept.predictor_, views, "outlier_score", False)
    assert (score[:5] > 0.98).all()
    assert (score[5:] > 0.98).mean() < 0.05
    np.testing.assert_array_equal(
        score, predict_rows(model.predictor_, views, "outlier_score", False)
    )


def test_bounds_are_shares(clean):
    model = fit(clean[0])
    every = model.labels(max_outlier=1)
    np.testing.assert_array_equal(every, model.labels_)
    unsure = model.labels(min_confidence=1, max_outlier=1)
    np.testing.assert_array_equal(unsure == -1, model.confidence_ < 1)
    for wrong in (2, -0.1, np.nan, None, "0.5", True):
        for name in ("max_outlier", "min_confidence"):
            with pytest.raises(ValueError, match=rf"{name} must be a number in \[0"):
                model.labels(**{name: wrong})


def test_missing_views_and_a_single_view(clean):
    X = [x.copy() for x in clean[0]]
    X[0][:40] = np.nan
    X[0][300:340], X[1][:300] = np.nan, np.nan
    X[2][::40] = 1e6 * np.random.default_rng(0).normal(size=X[2][::40].shape)
    score = fit(X).outlier_score_
    assert np.isfinite(score).all()
    assert (score[::40] > 0.98).all()
    assert (score > 0.98).sum() < 25
    single = fit(X[2:])
    assert set(single.outlier_part_) == {0}


def test_commands_cut_and_leave_out(clean, tmp_path, capsys):
    X, bad = spoiled(clean[0], "constant")
    np.savez(tmp_path / "x.npz", **{f"v{i}": x for i, x in enumerate(X)})

    def run(*args):
        with pytest.raises(SystemExit) as end:
            cli.main([*map(str, args), "--quiet"])
        assert end.value.code == 0
        return capsys.readouterr().out

    folder = tmp_path / "model"
    args = ("cluster", tmp_path / "x.npz", "--n-clusters", 5, "--noise")
    found = json.loads(run(*args, "--json", "--save", folder))
    assert np.array(found["labels"])[bad].max() == -1
    model = load_model(folder)
    lines = run("cut", folder, "-k", 8).split()
    assert [int(line.split(",")[1]) for line in lines[1:]] == model.cut(8).tolist()
    again = ("predict", folder, tmp_path / "x.npz", "--json")
    fine = json.loads(run(*again, "--level", 8))
    assert set(fine["labels"]) <= set(model.cut(8).tolist())
    noise = json.loads(run(*again, "--noise"))
    assert np.array(noise["labels"])[bad].max() == -1
    assert min(np.array(noise["outlier_score"])[bad]) > 0.98
