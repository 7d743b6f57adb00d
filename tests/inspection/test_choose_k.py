import json
from functools import partial
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

import data
from mvgraph import ChooseK, cli, datasets
from mvgraph.inspection.resampling import Resample, modularities, stabilities
from mvgraph.ops.communities import Merges

planted = partial(data.planted, 400, dims=(6, 10, 4), spread=3)


@pytest.mark.parametrize("k", [3, 5, 8])
@pytest.mark.parametrize("seed", [0, 1])
def test_right_on_planted_clusters(k, seed):
    choice = ChooseK(range(2, 13), random_state=0).fit(planted(k=k, seed=seed)[0])
    assert choice.best_k_ == k
    assert [row["k"] for row in choice.table_] == list(range(2, 13))
    assert all(-1 <= row["stability"] <= 1 + 1e-9 for row in choice.table_)


def test_order_of_rows_does_not_matter_nor_a_few_absent_rows():
    X = planted(k=4)[0]
    rows = np.random.default_rng(1).permutation(400)
    first = ChooseK(range(2, 8), random_state=0).fit(X)
    moved = ChooseK(range(2, 8), random_state=0).fit([x[rows] for x in X])
    assert first.table_ == moved.table_
    X[0][:60] = np.nan
    assert ChooseK(range(2, 8), random_state=0).fit(X).best_k_ == 4


def test_numbers_that_are_possible():
    with pytest.raises(ValueError, match="integers >= 2"):
        ChooseK([1, 2]).fit(planted()[0])
    with pytest.raises(ValueError, match="too large for 10 samples: at most 2"):
        ChooseK([5]).fit([x[:10] for x in planted()[0]])
    said = "12 of 19 numbers, k from 9 to 20, are left out: 30 samples allow at most 8"
    with pytest.warns(UserWarning, match=said):
        few = ChooseK(range(2, 21), random_state=0).fit([x[:30] for x in planted()[0]])
    assert few.table_[-1]["k"] == 8


@pytest.mark.parametrize(
    ("k", "said"),
    [
        ("5:2", "--k 5:2 counts down and holds no number; write 2:5"),
        ("1:3", "k must hold integers >= 2, as range(2, 21) does; got 1."),
        ("2:", "must look like 2:20"),
        ("", "must look like 2:20"),
        ("2:3:4", "must look like 2:20"),
        (f"2:{10**20}", "k holds more than 100000 numbers, 2, 3, ...; give fewer"),
        (f"{10**20}", f"k from {10**20} to {10**20} is too large for 60 samples"),
        ("40:50", "k from 40 to 50 is too large for 60 samples: at most 16"),
    ],
)
def test_command_refuses_numbers(tmp_path, capsys, k, said):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(60, 2)))
    with pytest.raises(SystemExit) as end:
        cli.main(["choose-k", str(tmp_path / "x.npy"), "--k", k])
    assert end.value.code == 2
    assert said in capsys.readouterr().err


def test_command_says_what_it_leaves_out(tmp_path, capsys):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(60, 2)))
    with pytest.raises(SystemExit) as end:
        cli.main(["choose-k", str(tmp_path / "x.npy"), "--k", "2:100", "--quiet"])
    assert end.value.code == 0
    warning = capsys.readouterr().err
    assert warning.startswith("warning: 84 of 99 numbers, k from 17 to 100, are left")
    assert warning.count("\n") == 1


def test_clone_and_plot():
    from matplotlib.figure import Figure

    choice = clone(ChooseK([2, 3, 4], random_state=0)).fit(planted()[0])
    ax = choice.plot(Figure().subplots()).ax_
    assert [len(ax.lines), len(ax.patches)] == [2, 4]
    assert ax.get_title() == "best k: 3, range 3 to 3"
    assert ax.get_xlabel() == "number of clusters k"
    assert ax.get_ylabel() == "share of draws, stability"
    assert "best k: 3" in choice._repr_html_()
    assert "best k: 3" in choice._repr_mimebundle_()["text/html"]
    assert "not fitted" in ChooseK()._repr_html_()
    assert "ChooseK" in ChooseK()._repr_mimebundle_()["text/plain"]


@pytest.mark.parametrize(("n", "d", "apart"), [(150, 5, 4), (600, 2, 4), (600, 2, 5)])
def test_two_of_three_clear_groups_touch(n, d, apart):
    """The cut into two is the same in all draws; that into three in nearly all."""
    rng = np.random.default_rng(1)
    centres = np.zeros((3, d))
    centres[1, 0], centres[2, 1] = apart, 2 * apart
    truth = rng.integers(0, 3, n)
    X = [centres[truth] + rng.normal(size=(n, d)) for _ in range(2)]
    choice = ChooseK(range(2, 8), random_state=0).fit(X)
    assert choice.best_k_ == 3
    assert choice.k_range_[0] <= 3
    assert choice.confidence_ > 0.98


def test_copies_of_rows_are_no_clusters():
    X, _ = planted()
    X = [np.repeat(x[::4], 25, axis=0) for x in X]
    assert ChooseK(range(2, 12), random_state=0).fit(X).best_k_ == 3


def test_command_prints_json_and_draws(tmp_path, capsys):
    path = tmp_path / "blobs.npz"
    np.savez(path, **{f"v{i}": x for i, x in enumerate(planted()[0])})
    plot = tmp_path / "k.png"
    args = ["choose-k", str(path), "--k", "2:6", "--json", "-o", str(plot)]
    with pytest.raises(SystemExit) as end:
        cli.main(args)
    assert end.value.code == 0
    result = json.loads(capsys.readouterr().out)
    assert result["best_k"] == 3
    assert result["range"] == [3, 3]
    assert result["confidence"] == pytest.approx(1)
    assert len(result["table"]) == 5
    assert plot.read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(SystemExit) as end:
        cli.main(["choose-k", str(path), "--k", "many"])
    assert end.value.code == 2
    assert "2:20" in capsys.readouterr().err


def test_command_explains(tmp_path, capsys):
    path = tmp_path / "blobs.npz"
    np.savez(path, **{f"v{i}": x[:60] for i, x in enumerate(planted()[0])})
    with pytest.raises(SystemExit) as end:
        cli.main(["explain", str(path), "--n-clusters", "3", "--json"])
    assert end.value.code == 0
    result = json.loads(capsys.readouterr().out)
    keys = {"view_weights", "exemplars", "features", "keywords", "counts"}
    assert set(result) == keys
    with pytest.raises(SystemExit):
        cli.main(["explain", str(path), "--n-clusters", "3"])
    assert "Exemplars" in capsys.readouterr().out


@pytest.mark.parametrize("k", [5, [], None, [2, 2.5], ["a"], [1, 2], [True]])
def test_numbers_that_are_none_are_named(k):
    with pytest.raises(ValueError, match=r"^k must hold integers .* got "):
        ChooseK(k).fit([np.zeros((60, 2))])


def test_a_row_does_not_depend_on_the_other_numbers():
    X = planted()[0]
    rows = {
        row["k"]: row for row in ChooseK([2, 3, 20, 40], random_state=0).fit(X).table_
    }
    for numbers in ([2], [3, 2], range(2, 6)):
        for row in ChooseK(numbers, random_state=0).fit(X).table_:
            assert row == rows.get(row["k"], row)


def test_seeds_are_those_of_the_clusterers():
    X = [np.random.default_rng(0).normal(size=(60, 2))]
    ChooseK([2], random_state=np.random.default_rng(0)).fit(X)
    with pytest.raises(ValueError, match=r"random_state must be an integer in \[0, "):
        ChooseK([2], random_state=10**20).fit(X)


def leaves(labels):
    """Return a tree whose leaves are never merged."""
    merges = np.zeros((max(labels), 2), int), np.zeros(max(labels))
    return Merges(np.array(labels), *merges)


def test_modularity_is_that_of_the_definition():
    rng = np.random.default_rng(0)
    H = sp.random(30, 8, 0.4, "csr", rng=rng)
    labels = rng.integers(0, 3, 30)
    A = (H @ H.T).toarray()
    d, same = A.sum(axis=1), labels[:, None] == labels[None]
    expected = ((A - np.outer(d, d) / d.sum()) * same).sum() / d.sum()
    draw = Resample(np.arange(30), (H @ H.T).tocsr(), labels)
    found = modularities(draw, leaves(labels), [3])
    assert found == pytest.approx([expected], rel=1e-12)


def test_stability_reads_the_rows_that_both_have():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, size=(3, 20))
    rows = [np.sort(rng.permutation(20)[:14]) for _ in range(3)]
    draws = [Resample(r, None, None) for r in rows]
    trees = [leaves(labels[r]) for labels, r in zip(truth, rows, strict=True)]
    expected = []
    for a, b in combinations(range(3), 2):
        both = np.intersect1d(rows[a], rows[b])
        expected.append(adjusted_rand_score(truth[a, both], truth[b, both]))
    found = stabilities(draws, trees, [3])
    assert found == pytest.approx([np.mean(expected)])
    same = [leaves(truth[0, r]) for r in rows]
    assert stabilities(draws, same, [3]) == pytest.approx([1])


def test_clusters_that_no_view_shows_alone_are_in_the_range():
    found = datasets.make_ambiguous_views(1500, random_state=2)
    choice = ChooseK(range(2, 16), random_state=0).fit(found.views)
    assert choice.best_k_ <= 10 <= choice.k_range_[1]


def test_large_clear_clusters_in_few_dimensions_are_not_divided():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 2000)
    x = rng.normal(size=(3, 10))[truth] * 4 + rng.normal(size=(2000, 10))
    found = ChooseK(range(2, 10), random_state=0).fit([x])
    assert found.best_k_ == found.k_range_[0] == 3
    assert found.confidence_ >= 0.99


def test_sure_of_blobs_and_not_of_noise():
    blobs = ChooseK([2, 3, 4], random_state=0).fit(planted()[0])
    assert blobs.k_range_ == (3, 3)
    assert blobs.confidence_ == pytest.approx(1)
    assert [row["share"] for row in blobs.table_] == [0, 1, 0]
    rng = np.random.default_rng(0)
    noise = [rng.normal(size=(300, d)) for d in (6, 10)]
    noise = ChooseK(random_state=0).fit(noise)
    assert noise.confidence_ < 0.6
    row = next(row for row in noise.table_ if row["k"] == noise.best_k_)
    assert noise.confidence_ == row["stability"]


def test_range_does_not_depend_on_the_numbers_and_the_nearest_one_is_best():
    X = planted(k=5)[0]
    few = ChooseK([2, 8], random_state=0).fit(X)
    tie = ChooseK([4, 6, 9], random_state=0).fit(X)
    assert few.k_range_ == tie.k_range_ == (5, 5)
    assert (few.best_k_, tie.best_k_) == (2 if 5 - 2 <= 8 - 5 else 8, 4)


def test_copies_and_order_of_views_do_not_matter():
    X = planted(k=4, seed=3, spread=1)[0]
    first = ChooseK(range(2, 6), random_state=0).fit(X)
    for other in (X[::-1], [*X, X[1]]):
        again = ChooseK(range(2, 6), random_state=0).fit(other)
        assert again.table_ == first.table_
        assert again.k_range_ == first.k_range_


def test_a_single_view_and_rows_in_one_view_only():
    assert ChooseK(range(2, 9), random_state=0).fit(planted(k=4)[0][:2]).best_k_ == 4
    one = ChooseK(range(2, 9), random_state=0).fit(planted(k=3)[0][1:2])
    assert one.best_k_ == 3
    X = planted(k=3)[0]
    X[0][:150], X[1][150:300] = np.nan, np.nan
    assert ChooseK(range(2, 9), random_state=0).fit(X).best_k_ == 3


def test_a_fit_that_fails_leaves_what_was_there():
    choice = ChooseK([2, 3, 4], random_state=0).fit(planted()[0])
    before = dict(vars(choice))
    with pytest.raises(ValueError, match="too large"):
        choice.set_params(k=[50]).fit([x[:30] for x in planted()[0]])
    assert vars(choice) == {**before, "k": [50]}
