"""Logs of other versions: before a score or a field was added, and after."""

import json

import pytest

from bench_data import record
from mvgraph.bench import export, records, report
from mvgraph.evaluation.protocol import ORDERS
from mvgraph.metrics import SCORES

#: Without these a record says nothing, or nobody knows of what.
CORE = {"key", "set", "plan", "environment", "method", "status", "preset", "order"}
CORE |= {"seed", "override", "grid", "data_sha256", "n", "k", "views", "scores"}
CORE |= {"seconds"}


def written(folder, found):
    text = "".join(json.dumps(r) + "\n" for r in found)
    (folder / records.NAME).write_text(text)
    return records.read(folder)


def shown(found):
    return [export.methods_by_sets(found).markdown(), report.render(found)]


@pytest.mark.slow  # a field that lacks is shown in the same way
@pytest.mark.parametrize("score", SCORES)
def test_a_log_from_before_a_score_was_added_is_read_and_shown(tmp_path, score):
    old = [record(s, m, o) for s in "xy" for m in ("mgl", "sfmc") for o in ORDERS]
    old += [record("x", grid={"p": p}) for p in (0.1, 0.5)]
    for r in old:
        r["scores"] = {k: v for k, v in r["scores"].items() if k != score}
    found = written(tmp_path, old)
    done = [r for r in found if r["status"] == "done"]
    assert all(r["scores"][score] is None for r in done)
    assert list(done[0]["scores"]) == list(SCORES)
    assert report.render(found)
    words = f"no trial has the score '{score}'; choose among "
    with pytest.raises(ValueError, match=words):
        export.methods_by_sets(found, [score])
    new = [record("new", m, acc=0.5) for m in ("mgl", "sfmc")]
    both = written(tmp_path, [*old, *new])
    assert len(shown(both)) == 2
    rows = export.methods_by_sets(both, [score]).rows
    assert {row[0].value: row[3].value for row in rows}["mgl"] == 1


def test_a_log_from_before_a_field_was_added_is_read_and_shown(tmp_path):
    whole = record() | {"cpu_seconds": 1.0, "code_sha256": None, "warnings": []}
    whole |= {"artefacts": {}, "reading": {}, "time_limit": 600.0}
    later = sorted(set(whole) - CORE)
    old = [whole | {"set": field} for field in later]
    for r in old:
        del r[r["set"]]
    found = written(tmp_path, old)
    assert len(shown(found)) == 2
    assert [r["set"] for r in records.finished(found)] == later


def test_a_score_and_a_field_of_a_later_version_are_kept(tmp_path):
    scores = {**dict.fromkeys(SCORES, 0.5), "v_measure": 0.25}
    later = [record(s, "mgl", scores=scores, joules=7.5) for s in ("x", "y")]
    found = written(tmp_path, later)
    assert [(r["scores"]["v_measure"], r["joules"]) for r in found] == [(0.25, 7.5)] * 2
    table = export.methods_by_sets(found, ["v_measure"])
    assert table.caption.startswith("v_measure")
    assert table.rows[0][1].value == 0.25
    assert shown(found)
