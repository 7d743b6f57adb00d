"""Every state of a trial is seen in every output; ranks follow one rule."""

import csv
import io
import json
import re

import pytest

from bench_data import record
from mvgraph.bench import export, records, report, significance, states
from mvgraph.bench.naming import reference_of, with_reference
from mvgraph.bench.states import State
from mvgraph.bench.tables import ABOVE, DASH

LOST = [state for state in State if state is not State.FINISHED]


def trials_with(state):
    """Make records of three methods on x and y; one ends on y in this state."""
    found = [record(s, m, acc=a) for s in "xy" for m, a in (("a", 0.9), ("b", 0.5))]
    found.append(record("x", "slow", acc=0.7))
    lost = record("y", "slow", status=state, reason="why so", seed=1)
    if state is State.SKIPPED:  # such a set is not found, for every method
        found.append(record("w", "slow", acc=0.7))
        found = [r | {"set": r["set"].replace("y", "w")} for r in found]
        return [*found, lost | {"method": None}]
    return [*found, lost]


@pytest.fixture(scope="module")
def ended():
    """Make records with a method for each state, on y for all or some of its trials."""
    found = [record(s, m, acc=a) for s in "xy" for m, a in (("a", 0.9), ("b", 0.5))]
    for state in (s for s in LOST if s.ran):
        for name in (state.word, f"partly {state.word}"):
            found.append(record("x", name, acc=0.7))
            found.append(record("y", name, status=state, reason="why so", seed=1))
        found.append(record("y", name, acc=0.8))
    missing = record("z", status="skipped", reason="not there", method=None)
    return json.loads(json.dumps([*found, missing]))


def page_row(page, method):
    table = page[page.index('id="acc-by-set"') :]
    row = next(r for r in re.findall("<tr.*?</tr>", table, re.S) if f">{method}<" in r)
    cells = re.findall("<t[dh].*?</t[dh]>", row, re.S)
    return [" ".join(re.sub("<[^>]*>", " ", cell).split()) for cell in cells]


@pytest.mark.parametrize("partly", [False, True])
@pytest.mark.parametrize("state", [s for s in LOST if s.ran])
def test_every_state_is_seen_in_every_file(ended, state, partly):
    table = export.methods_by_sets(ended)
    name = f"partly {state.word}" if partly else state.word
    words = f"(1 of 2, {state.word})" if partly else state.word
    (line,) = (s for s in table.markdown().splitlines() if s.startswith(f"| {name} |"))
    *_, y, z, _ = (cell.strip() for cell in line.split("|"))
    assert (y.endswith(words), z) == (True, "skipped")
    (line,) = (s for s in table.latex().splitlines() if s.startswith(f"{name} &"))
    assert words in line.split("&")[-2]
    assert "skipped" in line.split("&")[-1]
    rows = {r["method"]: r for r in csv.DictReader(io.StringIO(table.csv()))}
    assert (rows[name]["y state"], rows[name]["z state"]) == (state.word, "skipped")
    assert rows[name]["y trials"] == ("1 of 2" if partly else "0 of 1")
    assert (rows["a"]["y state"], rows["a"]["y trials"]) == ("finished", "1 of 1")


@pytest.mark.slow
def test_every_state_is_seen_on_the_page(ended):
    pytest.importorskip("jinja2")
    page = report.render(ended)
    for state in (s.word for s in LOST if s.ran):
        for name, words in ((state, state), (f"partly {state}", f"(1 of 2, {state})")):
            *_, y, z = page_row(page, name)
            assert (y.endswith(words), z) == (True, "skipped")
    assert "why so" in page
    assert "not there" in page


def test_a_finished_trial_shows_its_number_and_no_word():
    table = export.methods_by_sets([record(), record(method="b")])
    assert all("finished" not in s for s in (table.markdown(), table.latex()))


@pytest.mark.parametrize("state", LOST)
def test_ranks_of_chart_and_table_are_the_same(state):
    found = [*trials_with(state), *(record("z", m, acc=0.4) for m in "ab")]
    found.append(record("z", "slow", acc=0.6))
    chart = significance.ranks(found)
    table = export.methods_by_sets(found)
    in_table = {row[0].text: row[2].value for row in table.rows}
    assert in_table == pytest.approx(dict(zip(chart.methods, chart.mean, strict=True)))
    last = [2, 3, 1] if state.ran else [2, 2, 1]
    assert in_table["slow"] == pytest.approx(sum(last) / len(last))
    assert (significance.RULE in table.notes) == state.ran
    assert chart.limited == state.ran


def test_a_method_that_was_not_run_on_a_set_has_no_rank_and_no_state():
    found = [record(s, m) for s in "xyz" for m in "ab"] + [record("x", "c")]
    (row,) = (r for r in export.methods_by_sets(found).rows if r[0].text == "c")
    assert [cell.text for cell in row] == ["c", ".500", DASH, "1", ".500", DASH, DASH]
    assert "c" not in significance.ranks(found).methods


def test_a_limit_loses_every_comparison_and_two_limits_tie():
    found = [record(s, m, acc=a) for s in "xyz" for m, a in (("a", 0.9), ("b", 0.5))]
    for method in ("slow", "late"):
        found += [record("x", method, acc=0.95)]
        limit = {"status": "time limit", "reason": "too slow"}
        found += [record(s, method, **limit) for s in "yz"]
    pairs = {p[:2]: p for p in significance.pairs(found)}
    won = pairs["a", "slow"]
    assert (won.wins, won.ties, won.losses) == (2, 0, 1)
    assert won.difference == pytest.approx(-0.05)  # where both finished
    assert pairs["slow", "late"][2:6] == (0, 0, 3, 0)


# --------------------------------------------------------------- how trials end
OLD = [
    ({"time_limit": 1.0, "reason": "exceeded the time limit of 1 s"}, "time limit"),
    ({"reason": "MemoryError: Unable to allocate"}, "out of memory"),
    ({"reason": "LimitError: needs 3 GB"}, "out of memory"),
    ({"reason": "ValueError: mine:X failed: MemoryError: no"}, "out of memory"),
    ({"reason": "the process ended by signal -9; killed for memory?"}, "out of memory"),
    ({"reason": "ValueError: exceeded the time limit of 1 s"}, "failed"),
    ({"reason": "data set not found", "method": None}, "skipped"),
]


@pytest.mark.parametrize(("fields", "state"), OLD)
def test_records_of_earlier_versions_have_a_state(tmp_path, fields, state):
    old = record(status="skipped", **fields)
    (tmp_path / records.NAME).write_text(json.dumps(old) + "\n")
    assert records.read(tmp_path)[0]["status"] == state


@pytest.mark.parametrize(
    ("code", "before", "after", "state"),
    [
        (-9, 4, 5, State.OUT_OF_MEMORY),
        (-9, 4, 4, State.FAILED),
        (-9, None, None, State.OUT_OF_MEMORY),
        (-11, 4, 5, State.FAILED),
        (1, 4, 5, State.FAILED),
    ],
)
def test_a_killed_process_ran_out_of_memory_if_the_system_says_so(
    tmp_path, code, before, after, state
):
    counters = tmp_path / "vmstat"
    if after is not None:
        counters.write_text(f"pgfault 7\noom_kill {after}\n")
    now = states.kills_for_memory(counters)
    found, reason = states.of_death(code, before, now)
    assert found == state
    assert str(abs(code)) in reason


# ------------------------------------------------------------------- the reference
@pytest.fixture
def compared():
    acc = {"a": [0.9, 0.8, 0.7], "mine": [0.8, 0.85, 0.6], "b": [0.5, 0.5, 0.6]}
    return [
        record(s, m, acc=v)
        for m, row in acc.items()
        for s, v in zip("xyz", row, strict=True)
    ]


def test_the_reference_is_marked_and_all_are_compared_with_it(compared):
    found = with_reference(compared, "mine")
    assert reference_of(found) == "mine"
    assert reference_of(compared) is None
    table = export.methods_by_sets(found)
    rows = {row[0].text: row for row in table.rows}
    assert [m for m in rows if rows[m][0].mark == "reference"] == ["mine"]
    above = {(m, i) for m in rows for i in range(3) if ABOVE in rows[m][4 + i].text}
    assert above == {("a", 0), ("a", 2)}
    assert "| **mine** |" in table.markdown()
    assert r"\textbf{mine} &" in table.latex()
    lines = {r["method"]: r for r in csv.DictReader(io.StringIO(table.csv()))}
    assert [lines[m]["method reference"] for m in ("a", "mine")] == ["", "True"]
    assert float(lines["a"]["x difference"]) == pytest.approx(0.1)
    tests = export.comparisons(found)
    assert tests.caption.startswith("mine against each method on 3 sets")
    assert "corrected for 2 comparisons" in tests.caption
    assert {row[0].text for row in tests.rows} == {"a", "b"}
    assert export.comparisons(compared).caption.startswith("a against")


def test_a_setting_of_the_reference_can_be_chosen(compared):
    other = [r | {"override": {"p": 2}} for r in compared if r["method"] == "mine"]
    found = with_reference([*compared, *other], "mine (p=2)")
    assert "mine (p=2)" in significance.ranks(found).methods
    assert export.comparisons(found).caption.startswith("mine (p=2) against")
    both = [r | {"override": {"p": p}, "method": "b"} for p in (1, 2) for r in other]
    with pytest.raises(
        ValueError, match=r"several settings; choose among b \(p=1\), b"
    ):
        with_reference(both, "b")


@pytest.mark.parametrize("name", ["mein", "", "no"])
def test_an_unknown_reference_lists_what_was_run(compared, name):
    with pytest.raises(ValueError, match=r"is not run on shuffled rows.*a, mine, b"):
        with_reference(compared, name)


def test_the_first_screen_is_about_the_reference(compared):
    found = with_reference(compared, "mine")
    good, sure, long = report.answers(found)
    assert good.question == "How good is mine?"
    assert good.short == "rank 1.83 of 3"
    assert "first of the others: a, 1.33" in good.long
    assert (sure.short, long.short) == ("no difference can be shown", "0.5 s")
    assert "on 3 sets and with 2 comparisons it has no p below 0.5" in sure.long
    many = [
        record(f"s{i}", m, acc=a + i / 100)
        for i in range(9)
        for m, a in (("mine", 0.6), ("low", 0.2), ("high", 0.8))
    ]
    sure = report.answers(with_reference(many, "mine"))[1]
    assert sure.short == "better than 1, worse than 1 of 2"
    assert sure.long.startswith("better than low; worse than high")
    one = report.answers(with_reference([r for r in many if r["set"] == "s0"], "mine"))
    assert one[0].short == "rank 2.00 of 3"
    assert one[1].short == "one set shows no difference"


@pytest.mark.parametrize("state", [s for s in LOST if s.ran])
def test_a_reference_that_did_not_finish_is_last_and_says_so(state):
    found = with_reference(trials_with(state), "slow")
    assert report.answers(found)[2].long.endswith("; 1 set not finished")
    assert report.answers(found)[0].question == "How good is slow?"
    lost = [r for r in found if r["method"] != "slow" or r["set"] == "y"]
    found = with_reference([r for r in lost if r["set"] == "y"], "slow")
    good, _, long = report.answers(found)
    assert (good.short, long.short) == ("rank 3.00 of 3", "no fit finished")
