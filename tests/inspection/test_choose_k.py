import json
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone

import data
from mvgraph import ChooseK, cli, datasets
from mvgraph.display import ChooseKDisplay
from pairs import crossed, slow

N = 240
planted = partial(data.planted, N, dims=(6, 10, 4), spread=3)


@pytest.mark.parametrize(("k", "seed"), crossed([3, 5, 8], [0, 1]))
def test_right_on_planted_clusters(k, seed):
    choice = ChooseK(range(2, 13), random_state=0).fit(planted(k=k, seed=seed)[0])
    assert choice.best_k_ == k
    assert [row["k"] for row in choice.table_] == list(range(2, 13))
    assert all(0 <= row["stability"] <= 1 for row in choice.table_)
    assert sum(row["probability"] for row in choice.table_) == pytest.approx(1)


def test_order_of_rows_does_not_matter_nor_a_few_absent_rows():
    X = planted(k=4)[0]
    rows = np.random.default_rng(1).permutation(N)
    first = ChooseK(range(2, 8), random_state=0).fit(X)
    moved = ChooseK(range(2, 8), random_state=0).fit([x[rows] for x in X])
    assert first.table_ == moved.table_
    X[0][:40] = np.nan
    assert ChooseK(range(2, 8), random_state=0).fit(X).best_k_ == 4


def test_numbers_that_are_possible():
    with pytest.raises(ValueError, match="integers >= 2"):
        ChooseK([1, 2]).fit(planted()[0])
    with pytest.raises(ValueError, match="too large for 10 samples: at most 3"):
        ChooseK([5]).fit([x[:10] for x in planted()[0]])
    said = (
        "10 of 19 numbers, k from 11 to 20, are left out: 30 samples allow at most 10"
    )
    with pytest.warns(UserWarning, match=said):
        few = ChooseK(range(2, 21), random_state=0).fit([x[:30] for x in planted()[0]])
    assert few.table_[-1]["k"] == 10


@pytest.mark.parametrize(
    ("k", "said"),
    [
        ("5:2", "--k 5:2 counts down, so it is empty; write 2:5"),
        ("1:3", "k must contain integers >= 2, as range(2, 21) does; got 1."),
        ("2:", "must look like 2:20"),
        ("", "must look like 2:20"),
        ("2:3:4", "must look like 2:20"),
        (f"2:{10**20}", "k has more than 100000 numbers, 2, 3, ...; give fewer"),
        (f"{10**20}", f"k from {10**20} to {10**20} is too large for 60 samples"),
        ("40:50", "k from 40 to 50 is too large for 60 samples: at most 20"),
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
    assert warning.startswith("warning: 80 of 99 numbers, k from 21 to 100, are left")
    assert warning.count("\n") == 1


def test_clone_and_plot():
    from matplotlib.figure import Figure

    choice = clone(ChooseK([2, 3, 4], random_state=0)).fit(planted()[0])
    ax = choice.plot(Figure().subplots()).ax_
    bars = ax.collections[0]
    assert [len(ax.lines), len(bars.get_segments())] == [2, 3]
    # the bar of the best number has the colour of levels and its number above it
    colours = [tuple(colour) for colour in bars.get_colors()]
    assert colours.count(colours[[2, 3, 4].index(3)]) == len(choice.levels_)
    assert ax.texts[0].get_text() == "3"
    assert ax.get_title() == "Best k 3"
    assert ax.get_xlabel() == "number of clusters k"
    assert "best k: 3" in choice._repr_html_()
    assert "best k: 3" in choice._repr_mimebundle_()["text/html"]
    assert "not fitted" in ChooseK()._repr_html_()
    assert "ChooseK" in ChooseK()._repr_mimebundle_()["text/plain"]


@pytest.mark.parametrize(
    ("n", "d", "apart"),
    [(150, 5, 4), (600, 2, 4), pytest.param(600, 2, 5, marks=pytest.mark.slow)],
)
def test_two_of_three_clear_groups_touch(n, d, apart):
    """The cut into two is clearer than that into three, which is right."""
    rng = np.random.default_rng(1)
    centres = np.zeros((3, d))
    centres[1, 0], centres[2, 1] = apart, 2 * apart
    truth = rng.integers(0, 3, n)
    X = [centres[truth] + rng.normal(size=(n, d)) for _ in range(2)]
    assert ChooseK(range(2, 8), random_state=0).fit(X).best_k_ == 3


def test_copies_of_rows_are_no_clusters():
    X, _ = planted()
    X = [np.repeat(x[::4], 15, axis=0) for x in X]
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
    assert result["levels"][0]["k"] == 3
    assert result["confidence"] == result["levels"][0]["confidence"] > 0.9
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
    keys = {"names", "view_weights", "exemplars", "features", "keywords", "counts"}
    assert set(result) == keys
    with pytest.raises(SystemExit):
        cli.main(["explain", str(path), "--n-clusters", "3"])
    assert "Exemplars" in capsys.readouterr().out


@pytest.mark.parametrize("k", [5, [], [2, 2.5], ["a"], [1, 2], [True]])
def test_numbers_that_are_none_are_named(k):
    with pytest.raises(ValueError, match=r"^k must contain integers .* got "):
        ChooseK(k).fit([np.zeros((60, 2))])


def test_stability_does_not_depend_on_the_numbers_asked_for():
    X = planted()[0]
    known = {row["k"]: row for row in ChooseK(random_state=0).fit(X).table_}
    for numbers in ([3, 2], range(2, 6)):
        for row in ChooseK(numbers, random_state=0).fit(X).table_:
            assert row["stability"] == known[row["k"]]["stability"]


def test_seeds_are_those_of_the_clusterers():
    X = [np.random.default_rng(0).normal(size=(60, 2))]
    ChooseK([2], random_state=np.random.default_rng(0)).fit(X)
    with pytest.raises(ValueError, match=r"random_state must be an integer in \[0, "):
        ChooseK([2], random_state=10**20).fit(X)


def test_clusters_that_no_view_shows_alone_are_a_level():
    found = datasets.make_ambiguous_views(1500, random_state=2)
    levels = ChooseK(random_state=0).fit(found.views).levels_
    assert 10 in [level.k for level in levels]


def test_large_clear_clusters_in_few_dimensions_are_not_divided():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 2000)
    x = rng.normal(size=(3, 10))[truth] * 4 + rng.normal(size=(2000, 10))
    found = ChooseK(range(2, 10), random_state=0).fit([x])
    assert found.best_k_ == 3


@pytest.mark.parametrize("draw", ["normal", "uniform"])
@pytest.mark.parametrize("n", [100, *slow(600)])
def test_noise_and_a_single_cluster_have_no_level(draw, n):
    rng = np.random.default_rng(0)
    X = [getattr(rng, draw)(size=(n, d)) for d in (10, 20)]
    choice = ChooseK(random_state=0).fit(X)
    assert choice.levels_ == ()
    assert (choice.best_k_, choice.k_range_, choice.confidence_) == (1, (1, 1), 0)
    assert "No division stands out" in ChooseKDisplay.from_estimator(choice).about


@pytest.mark.parametrize("views", ["one", *slow("both")])
def test_a_rare_group_beside_a_large_one_is_a_cluster(views):
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(1010, d)) for d in (10, 20)]
    for x in X if views == "both" else X[:1]:
        x[-10:] += 12
    assert ChooseK(random_state=0).fit(X).best_k_ == 2


def test_levels_are_apart_and_their_confidence_is_a_share():
    X = datasets.make_ambiguous_views(600, random_state=0).views
    choice = ChooseK(random_state=0).fit(X)
    numbers = np.array(sorted(level.k for level in choice.levels_))
    assert (numbers[1:] >= 1.3 * numbers[:-1]).all()
    assert sum(level.confidence for level in choice.levels_) <= 1 + 1e-9
    assert choice.best_k_ == choice.levels_[0].k
    assert len(choice.levels_[0].views) == 3


def test_views_of_a_level_are_in_the_order_given():
    X, truth = planted(k=4, seed=1)
    noise = np.random.default_rng(0).normal(size=(len(truth), 5))
    level = ChooseK(random_state=0).fit([noise, *X[:2]]).levels_[0]
    moved = ChooseK(random_state=0).fit([*X[:2], noise]).levels_[0]
    assert level.views[0] < 0.3 < min(level.views[1:])
    assert moved.views == (*level.views[1:], level.views[0])


def test_only_numbers_asked_for_are_levels():
    choice = ChooseK([2, 8], random_state=0).fit(planted(k=5)[0])
    assert {level.k for level in choice.levels_} <= {2, 8}


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
    X[0][:90], X[1][90:180] = np.nan, np.nan
    assert ChooseK(range(2, 9), random_state=0).fit(X).best_k_ == 3


def test_a_fit_that_fails_leaves_what_was_there():
    choice = ChooseK([2, 3, 4], random_state=0).fit(planted()[0])
    before = dict(vars(choice))
    with pytest.raises(ValueError, match="too large"):
        choice.set_params(k=[50]).fit([x[:30] for x in planted()[0]])
    assert vars(choice) == {**before, "k": [50]}
