"""One table of methods x sets, and the tests of all pairs."""

import csv
import io
import re
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from bench_data import record
from mvgraph.bench import content, export, significance
from mvgraph.bench.significance import holm, pairs
from mvgraph.bench.tables import DASH
from pairs import crossed

ACC = {
    "a": [0.91, 0.80, 0.70, 0.55, 0.62, 0.73],
    "b": [0.90, 0.75, 0.72, 0.50, 0.60, 0.70],
    "c": [0.50, 0.75, 0.30, 0.20, 0.41, 0.33],
}


@pytest.fixture
def trials():
    """Two seeds of three methods on six sets; one more method on a single set."""
    found = [
        record(f"set_{i}", method, seed=seed, acc=acc + 0.01 * seed)
        for method, row in ACC.items()
        for i, acc in enumerate(row)
        for seed in (0, 1)
    ]
    found.append(record("set_0", "d", acc=0.99))
    found.append(record("set_0", "a", "published", acc=1.0))
    return found


def test_the_best_is_bold_and_the_second_underlined(trials):
    text = export.FORMATS[".md"](export.methods_by_sets(trials))
    rows = {line.split(" | ")[0][2:]: line for line in text.splitlines() if "|" in line}
    assert (
        rows["method"]
        == "| method | mean | rank | sets | "
        + " | ".join(f"set_{i}" for i in range(6))
        + " |"
    )
    assert f"| **.990** | {DASH} |" in rows["d"]
    assert "| <u>.915</u> ± .005 | **.805** ± .005 | <u>.705</u> ± .005" in rows["a"]
    assert "**.725** ± .005" in rows["b"]
    assert rows["b"].count("<u>.755</u>") == rows["c"].count("<u>.755</u>") == 1
    assert list(rows)[2:] == ["a", "b", "c", "d"]  # complete ones first


def test_means_and_ranks_are_over_finished_sets(trials):
    table = export.methods_by_sets(trials)
    rows = {row[0].text: [cell.value for cell in row[1:4]] for row in table.rows}
    assert rows["a"][0] == pytest.approx(np.mean(ACC["a"]) + 0.005)
    assert rows["d"] == [pytest.approx(0.99), None, 1]  # not run on the other sets
    assert rows["a"][1:] == [pytest.approx((1 + 1 + 2 + 1 + 1 + 1) / 6), 6]
    assert rows["c"][1] == pytest.approx((3 + 2.5 + 3 + 3 + 3 + 3) / 6)


def test_latex_has_caption_and_label_and_csv_plain_numbers(trials, tmp_path):
    export.write(trials, tmp_path / "t.tex", ["nmi"], "Mine & yours", "mine")
    text = (tmp_path / "t.tex").read_text()
    assert r"\caption{Mine \& yours}" in text
    assert r"\label{tab:mine}" in text
    assert r"\textbf{.990}" in text
    assert r"\underline{.915}" in text
    for name in ("table", "tabular"):
        assert text.count(rf"\begin{{{name}}}") == text.count(rf"\end{{{name}}}") == 2
    export.write(trials, tmp_path / "t.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "t.csv").read_text())))
    assert float(rows[0]["set_1"]) == pytest.approx(0.805)
    assert float(rows[0]["set_1 std"]) == pytest.approx(0.005)
    assert rows[-1]["set_1"] == ""


def test_trials_of_a_grid_do_not_count(trials):
    swept = record("set_0", "a", acc=0.1, grid={"p": 1})
    tables = [export.methods_by_sets(found) for found in (trials, [*trials, swept])]
    assert tables[0].rows == tables[1].rows


@pytest.mark.parametrize("sets", ["x", "y", "xy"])
@pytest.mark.parametrize("state", ["time limit", "failed", "absent"])
def test_means_over_different_sets_are_said_not_to_compare(sets, state):
    found = [record(s, m) for m in "ab" for s in (sets if m == "b" else "xy")]
    if state != "absent":
        other = set("xy") - set(sets)
        found += [record(s, "b", status=state, reason="no") for s in other]
    table = export.methods_by_sets(found)
    for text in (table.markdown(), table.latex(), *table.notes[:1]):
        assert (content.MEANS in text) == (sets != "xy")


@pytest.mark.parametrize(
    ("n_sets", "n_methods", "own"), crossed([2, 4, 6, 8], [2, 3, 5], [None, "m0"])
)
def test_no_p_is_below_the_least_that_the_note_says(n_sets, n_methods, own):
    """Also with ties, and one is that low if methods differ on all sets."""
    rng = np.random.default_rng(n_sets)
    for ties in (1, 2, 9):
        acc = (rng.integers(0, 10**ties, (n_methods, n_sets)) / 10**ties) * 0.1
        acc[1] += 0.5
        found = [
            record(f"s{j}", f"m{i}", acc=acc[i, j], reference=own == f"m{i}")
            for i, j in np.ndindex(acc.shape)
        ]
        tested = pairs(found, against=own)
        least = significance.least_p(n_sets, len(tested))
        assert min(p.p_holm for p in tested) == pytest.approx(least)
        notes = " ".join(export.comparisons(found).notes)
        assert (f"no corrected p is below {least:.2g}" in notes) == (least > 0.05)
        enough = significance.least_sets(len(tested))
        assert significance.least_p(enough, len(tested)) < 0.05
        assert significance.least_p(enough - 1, len(tested)) >= 0.05


@pytest.mark.parametrize("state", ["time limit", "failed", "out of memory"])
@pytest.mark.parametrize("own", [None, "a"])
def test_methods_that_never_finished_change_no_rank_and_no_test(trials, state, own):
    found = [r | {"reference": own == r["method"]} for r in trials]
    never = [
        record(f"set_{i}", f"never{j}", status=state, reason="no")
        for i, j in np.ndindex(6, 9)
    ]
    assert significance.ranks([*found, *never]) == significance.ranks(found)
    assert pairs([*found, *never], against=own) == pairs(found, against=own)
    table = export.methods_by_sets([*found, *never])
    assert [row[2].text for row in table.rows[-9:]] == [DASH] * 9
    assert "finished no trial has no rank" in table.markdown()
    last = [r | {"reference": r["method"] == "never0"} for r in [*trials, *never]]
    assert significance.ranks(last).methods[-1] == "never0"


def test_no_shuffled_trial_is_an_error():
    with pytest.raises(ValueError, match="no trial with shuffled rows"):
        export.methods_by_sets([record(order="published")])


def test_pairs_are_those_of_scipy(trials):
    found = {(p.first, p.second): p for p in pairs(trials)}
    assert set(found) == set(combinations("abc", 2))
    for (x, y), pair in found.items():
        gap = np.round(np.subtract(ACC[x], ACC[y]), 6)
        assert pair.p_value == stats.wilcoxon(gap).pvalue
        assert pair.difference == pytest.approx(gap.mean())
        assert (pair.wins, pair.ties, pair.losses) == (
            np.sum(gap > 0),
            np.sum(gap == 0),
            np.sum(gap < 0),
        )
    assert pairs([record(), record(method="sfmc")]) == []
    same = [record(s, m, acc=0.5) for s in ("x", "y") for m in ("a", "b")]
    assert [p.p_value for p in pairs(same)] == [1.0]


def test_holm_rejects_what_the_step_down_procedure_rejects():
    rng = np.random.default_rng(0)
    for _ in range(200):
        p = rng.random(rng.integers(1, 9)) ** 3
        corrected = holm(p)
        for level in (0.01, 0.05, 0.3):
            rejected = set()
            for i, j in enumerate(np.argsort(p)):
                if p[j] > level / (len(p) - i):
                    break
                rejected.add(int(j))
            assert rejected == {j for j, c in enumerate(corrected) if c <= level}


def test_the_best_method_against_the_others(trials):
    table = export.comparisons(trials)
    assert table.caption.startswith("a against each method on 6 sets")
    assert [row[0].text for row in table.rows] == ["c", "b"]
    assert [cell.text for cell in table.rows[1][2:5]] == ["5", "0", "1"]
    assert re.search(r"Friedman p = 0\.\d+", table.caption)
    assert significance.ranks(trials).methods[0] == "a"
    assert export.comparisons([record()]) is None


def test_a_generated_set_counts_and_a_series_of_sizes_is_named_as_left_out(trials):
    one = [record("made:300", m, acc=0.6) for m in ACC]
    table = export.methods_by_sets([*trials, *one])
    assert "made:300" in table.head
    assert table.notes == [content.MEANS]
    assert significance.ranks([*trials, *one]).n_sets == 7
    more = [record("made:600", m, acc=0.6) for m in ACC]
    table = export.methods_by_sets([*trials, *one, *more])
    assert not any("made" in name for name in table.head)
    note, *_ = table.notes
    assert note == "Left out, several sizes of one set: made:300, made:600."
    assert note in table.markdown()
    assert note in table.latex()
    with pytest.raises(ValueError, match="made:300, made:600: sizes of one set"):
        export.methods_by_sets([*one, *more])


def test_methods_without_a_result_and_grids_are_named(trials):
    lost = record("set_0", "crash", status="skipped", reason="KeyError: 'boom'")
    swept = record("set_0", "a", grid={"p": 1})
    notes = export.methods_by_sets([*trials, lost, swept]).notes
    assert notes == [
        "Left out: trials of a grid of parameters.",
        content.MEANS,
        "Without any result: crash (KeyError: 'boom').",
    ]


def test_both_latex_tables_have_the_label(trials, tmp_path):
    export.write(trials, tmp_path / "t.tex", label="mine")
    text = (tmp_path / "t.tex").read_text()
    assert re.findall(r"\\label\{(.*?)\}", text) == ["tab:mine", "tab:mine-tests"]
