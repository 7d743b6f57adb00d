"""Sets with unequal classes that are copies of others are no further sets."""

import pytest

from bench_data import record
from mvgraph.bench import compare, content, export, figures, report, significance
from mvgraph.bench.naming import Naming

KINDS = {
    "a_1to10": ("a", 10),
    "a_1to30": ("a", 30),
    "ambiguous:300,imbalance=10": ("ambiguous:300", 10),
    "ambiguous:imbalance=5,noise=2": ("ambiguous:noise=2", 5),
    "ambiguous:300,imbalance=2.5,noise=1": ("ambiguous:300,noise=1", 2.5),
}


@pytest.mark.parametrize("name", KINDS)
def test_copies_are_known_by_their_names(name):
    base, ratio = KINDS[name]
    assert compare.copies([record(name)]) == {}  # stands for its set
    found = compare.copies([record(name), record(base), record("a_1to1000x")])
    assert found == {name: compare.Copy(name, base, ratio)}
    assert found[name].title == f"{base} (1 : {ratio:g})"


def test_the_most_equal_copy_stands_for_a_set_that_is_not_there():
    found = compare.copies([record("a_1to30"), record("a_1to10")])
    assert {name: copy.of for name, copy in found.items()} == {"a_1to30": "a_1to10"}


def trials(sets):
    accs = {"x": 0.9, "y": 0.8, "z": 0.7}
    return [
        record(s, m, acc=(1 - a if "_1to" in s else a) + 0.01 * i)
        for i, s in enumerate(sets)
        for m, a in accs.items()
    ]


@pytest.mark.usefixtures("undrawn")
def test_ranks_tests_and_means_are_those_without_copies():
    sets = ["a", "b", "c"]
    plain = trials(sets)
    whole = [*plain, *trials(["a_1to10", "b_1to10", "c_1to10", "a_1to30"])]
    assert significance.ranks(whole) == significance.ranks(plain)
    assert significance.pairs(whole) == significance.pairs(plain)
    few, more = export.methods_by_sets(plain), export.methods_by_sets(whole)
    assert more.head[: len(few.head)] == few.head
    titles = ["a (1 : 10)", "b (1 : 10)", "c (1 : 10)", "a (1 : 30)"]
    assert more.head[len(few.head) :] == titles
    for one, other in zip(few.rows, more.rows, strict=True):
        assert [c.value for c in other[: len(one)]] == [c.value for c in one]
    assert any("a (1 : 10)" in note for note in more.notes)
    assert figures.set_scores_of(whole, "acc").sets == sets
    assert set(figures.tradeoff_of(whole).n_sets) == {3}
    assert "a copy of a with unequal classes" in report.render(whole)


def test_a_copy_that_is_renamed_is_still_a_copy():
    named = Naming(set_names={"a_1to10": "unequal"}).apply(trials(["a", "a_1to10"]))
    assert list(compare.copies(named)) == ["unequal"]
    assert list(content.copy_notes(compare.copies(named).values()))


def test_several_scores_have_a_column_each_and_the_first_one_ranks():
    records = trials(["a", "b", "a_1to10"])
    for r in records:
        r["scores"]["ari"] = 1 - r["scores"]["acc"]
    table = export.methods_by_sets(records, ["ari", "acc"])
    head = ["method", "ARI", "ACC", "rank", "sets", "a ARI", "a ACC", "b ARI", "b ACC"]
    assert table.head == [*head, "a (1 : 10) ARI", "a (1 : 10) ACC"]
    first = {row[0].text: [cell.value for cell in row[1:5]] for row in table.rows}
    assert first["z"] == [pytest.approx(0.295), pytest.approx(0.705), 1.0, 2]
    assert table.rows[0][0].text == "z"
