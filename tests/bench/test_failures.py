"""Trials that failed and trials that warned are visible in every table."""

import csv
import io
import json

import pytest

from bench_data import record, save
from mvgraph import cli
from mvgraph.bench import (
    content,
    export,
    records,
    report,
    significance,
)
from mvgraph.bench.content import PARTIAL
from mvgraph.bench.tables import DASH

REASON = "ValueError: no luck"


def lost(set_, method, seed=0):
    return record(set_, method, seed=seed, status="failed", reason=REASON)


@pytest.fixture
def trials():
    """On x one seed of ``luck`` fails, on y all of them, on z all methods."""
    found = [record(s, "sure", seed=i, acc=0.8) for s in "xy" for i in range(3)]
    found += [record(s, "meek", seed=i, acc=0.7) for s in "xy" for i in range(3)]
    found += [record("x", "luck", seed=i, acc=0.99) for i in range(2)]
    found += [lost("x", "luck", 2), *(lost("y", "luck", i) for i in range(3))]
    return found + [lost("z", m) for m in ("sure", "meek", "luck")]


def test_a_method_that_fails_at_times_is_marked_and_does_not_win(trials):
    table = export.methods_by_sets(trials)
    assert [row[0].text for row in table.rows] == ["sure", "meek", "luck"]
    sure, _, luck = table.rows
    assert (sure[4].mark, luck[4].mark, luck[4].tried) == (
        "best",
        "",
        "2 of 3, failed",
    )
    assert [cell.text for cell in luck[1:4]] == [DASH, "3.00", "0"]
    assert [cell.text for cell in luck[5:]] == ["failed", "failed"]
    assert luck[5].note == REASON
    assert significance.ranks(trials).methods == ["sure", "meek", "luck"]
    assert [row[2].value for row in table.rows] == [1, 2, 3]  # z, all failed, is out
    (pair,) = (p for p in significance.pairs(trials) if p[:2] == ("sure", "luck"))
    assert (pair.wins, pair.losses, pair.difference) == (2, 0, None)
    assert report.answers([r for r in trials if r["set"] == "x"])[0].short == "sure"


def test_every_form_of_the_table_shows_it(trials):
    table = export.methods_by_sets(trials)
    text = table.markdown()
    assert ".990 ± .000 (2 of 3, failed) | failed | failed |" in text
    assert r".990 ($\pm$ .000, 2 of 3, failed) & failed & failed \\" in table.latex()
    rows = {r["method"]: r for r in csv.DictReader(io.StringIO(table.csv()))}
    assert [rows[m]["x trials"] for m in ("sure", "luck")] == ["3 of 3", "2 of 3"]
    assert (rows["luck"]["y"], rows["luck"]["y trials"]) == ("", "0 of 3")
    assert rows["sure"]["z trials"] == "0 of 1"
    for note in (PARTIAL, f"No method has a result on z ({REASON})."):
        assert note in table.notes
        assert note in text
    whole = [r for r in trials if r["method"] != "luck" and r["set"] != "z"]
    assert "trials" not in export.methods_by_sets(whole).csv()


def test_a_set_that_was_not_found_is_named():
    absent = record("gone", status="skipped", reason="data set not found")
    notes = export.methods_by_sets([record(), absent | {"method": None}]).notes
    assert notes == ["No method has a result on gone (data set not found)."]


def test_the_page_marks_them_too(trials):
    pytest.importorskip("jinja2")
    mine = [r for r in trials if r["set"] == "x"] + [lost("x", "none")]
    table = content.score_table(mine, "x")
    assert [row[0].text for row in table.rows] == ["sure", "meek", "luck", "none"]
    assert table.rows[0][1].mark == "best"
    assert table.rows[2][1].below == "± .000 (2 of 3, failed)"
    assert [row[-1].text for row in table.rows] == ["3", "3", "2 of 3", "0 of 1"]
    assert table.rows[3][1].text == "failed"
    assert len(table.rows[3]) == len(table.head)
    assert PARTIAL in table.notes
    page = report.render(trials)
    assert "(2 of 3, failed)</small>" in page
    assert f"No method has a result on z ({REASON})." in page


@pytest.mark.usefixtures("undrawn")
def test_methods_that_only_fail_at_times_still_give_a_table_and_a_page():
    pytest.importorskip("jinja2")
    found = [r for s in "xy" for r in (record(s), lost(s, "mgl", 1))]
    assert export.methods_by_sets(found).rows[0][1].text == DASH
    assert "only 1 of 2 trials ended" in report.answers(found)[0].long
    assert "1 of 2" in report.render(found)


def test_beside_the_paper_they_are_marked():
    found = [
        record(order="published"),
        lost("msrc_v5", "mgl", 1) | {"order": "published"},
    ]
    rows = {row[0].value: row for row in content.paper_table(found, "msrc_v5").rows}
    assert rows["mgl"][1].tried == "1 of 2, failed"


def test_the_spread_is_named_and_what_few_sets_can_show(trials):
    assert "± population standard deviation over seeds" in (
        export.methods_by_sets(trials).caption
    )
    assert "± population standard deviation" in content.score_table(trials, "x").caption
    own = export.methods_by_sets(trials, caption="Mine")
    assert (own.caption, own.notes[0][:30]) == (
        "Mine",
        "ACC ± population standard devi",
    )
    note, rule = export.comparisons(trials).notes
    assert rule.startswith(significance.RULE)
    assert note.startswith("On 2 sets and with 3 comparisons no corrected p is below 1")
    assert note in export.comparisons(trials).latex()
    many = [
        record(f"s{i}", m, acc=a) for i in range(6) for m, a in (("a", 1), ("b", 0))
    ]
    assert export.comparisons(many).notes == []


# -------------------------------------------------------------------------- warnings
@pytest.mark.usefixtures("undrawn")
def test_warnings_are_listed_on_the_page_and_counted_below_tables(trials):
    pytest.importorskip("jinja2")
    text = "UserWarning: <b> few anchors"
    found = [r | {"warnings": [text]} if r["method"] == "meek" else r for r in trials]
    done = [r for r in found if r["status"] == "done"]
    (row,) = content.warning_table(done).rows
    assert [cell.text for cell in row] == ["meek", text, "x, y", "6"]
    page = report.render(found)
    assert 'href="#warned"' in page
    assert "&lt;b&gt; few anchors" in page
    assert 'href="#warned"' not in report.render(trials)
    words = "6 of 14 trials gave warnings; the page of mvgraph report lists them."
    assert export.methods_by_sets(found).notes[-1] == words


def test_bench_ends_with_the_number_of_trials_that_warned(
    tmp_path, capsys, monkeypatch
):
    (tmp_path / "warns.py").write_text(
        "import warnings\nimport numpy as np\nclass Warns:\n"
        "    def __init__(self, n_clusters):\n        self.k = n_clusters\n"
        "    def fit(self, X):\n        warnings.warn('careful')\n"
        "        self.labels_ = np.arange(len(X[0])) % self.k\n"
    )
    save(tmp_path / "three.npz")
    monkeypatch.syspath_prepend(tmp_path)
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "{sets: [three], runs: [{methods: ['warns:Warns', kmeans-concat]}]}"
    )
    words = ["bench", plan, "--data", tmp_path, "-o", tmp_path / "out", "--jobs", 1]
    for _ in range(2):  # and again when all is done already
        with pytest.raises(SystemExit) as end:
            cli.main([*map(str, words), "-q"])
        assert end.value.code == 0
        line = "1 of 2 trials gave warnings; mvgraph report lists them"
        assert capsys.readouterr().err == f"warning: {line}\n"
    with pytest.raises(SystemExit):
        cli.main(["report", str(tmp_path / "out"), "-o", str(tmp_path / "t.csv")])
    assert "1 of 2 trials gave warnings" in capsys.readouterr().err
    (first, _) = records.read(tmp_path / "out")
    assert first["warnings"] == ["careful"]


def test_warnings_that_are_no_texts_are_refused(tmp_path):
    text = json.dumps(record(warnings=[1])) + "\n"
    (tmp_path / records.NAME).write_text(text)
    with pytest.raises(ValueError, match=r"warnings\.0: Input should be a valid"):
        records.read(tmp_path)
