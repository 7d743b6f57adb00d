"""What is said on standard error: for people, for machines, or not at all."""

import json
import logging
import subprocess
import sys
import time

import numpy as np
import pytest

from data import planted
from mvgraph import GraphConsensus, cli
from mvgraph.cli import _log, _terminal

KEYS = {"event", "seconds", "bytes"}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "x.npz"
    a, b = planted(120)[0]
    np.savez(path, a=a, b=b)
    return path


@pytest.fixture
def call(capsys):
    def run(*args):
        with pytest.raises(SystemExit) as end:
            cli.main([str(a) for a in args])
        out, err = capsys.readouterr()
        return end.value.code, out, err

    return run


def objects(err):
    found = [json.loads(line) for line in err.splitlines()]
    assert all(set(one) >= KEYS for one in found)
    assert all(isinstance(one["bytes"], int | None) for one in found)
    seconds = [one["seconds"] for one in found]
    assert seconds == sorted(seconds)
    return found


@pytest.mark.parametrize("before", [False, True])
def test_json_has_stages_reading_and_end(call, file, before):
    option = ["--log-format", "json"]
    words = ["cluster", file, "--n-clusters", 3]
    status, out, err = call(*(option + words if before else words + option))
    assert (status, out[:9]) == (0, "id,label\n")
    found = objects(err)
    assert found[0]["event"] == "read"
    assert found[-1]["event"] == "end"
    assert found[-1]["status"] == 0
    steps = [one for one in found if one["event"] == "progress"]
    assert len({one["stage"] for one in steps}) > 2
    assert all(set(one) >= {"stage", "done", "total", "work"} for one in steps)


def test_quiet_json_has_only_warnings_and_errors(call, file, tmp_path):
    quiet = ["-q", "--log-format", "json"]
    words = ["cluster", file, "--n-clusters", 3, *quiet]
    assert call(*words)[::2] == (0, "")
    status, _, err = call(*words, "--dry-run", "--memory-limit", "1MB")
    assert [(status, one["event"]) for one in objects(err)] == [(3, "error")]
    status, _, err = call("predict", tmp_path, file, *quiet)
    assert [(status, one["event"]) for one in objects(err)] == [(2, "error")]


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["cluster", "no.mat", "--n-clusters", "2"], 2, "no.mat"),
        (["cluster", "digits", "--method", "clr"], 2, "n_clusters"),
        (["nothing"], 2, "nothing"),
        (["cluster", "digits", "--n-clusters", "2", "--memory-limit", "9"], 3, "allow"),
    ],
)
def test_errors_are_json_too(call, words, status, message):
    code, out, err = call(*words, "--log-format=json", "-q")
    assert (code, out) == (status, "")
    error = next(one for one in objects(err) if one["event"] == "error")
    assert error["status"] == status
    assert message in error["message"]


def test_defects_and_warnings_as_json(call, monkeypatch):
    import warnings

    from mvgraph import methods

    def table():
        warnings.warn("two\nlines", UserWarning, stacklevel=1)
        raise KeyError("a defect")

    monkeypatch.setattr(methods, "table", table)
    monkeypatch.setattr(sys, "warnoptions", [])
    status, out, err = call("methods", "--log-format", "json")
    assert (status, out) == (1, "")
    warning, error = objects(err)
    assert (warning["event"], warning["message"]) == ("warning", "two lines")
    assert (error["event"], error["status"]) == ("error", 1)
    assert "in table" in error["traceback"]


def test_quiet_and_verbose(call, file):
    words = ["cluster", file, "--n-clusters", 3]
    assert call(*words, "-q")[2] == ""
    assert call(*words)[2].startswith("read ")
    said = call("--verbose", *words)[2]
    assert "info: anchors: 0 steps, " in said
    found = objects(call(*words, "--verbose", "--log-format", "json")[2])
    assert any(one["event"] == "log" and one["level"] == "info" for one in found)
    assert call(*words)[2].count("info:") == 0  # not kept for the next run


def test_an_unknown_format_is_refused(call, file):
    status, out, err = call("methods", "--log-format", "xml")
    assert (status, out) == (2, "")
    assert err.startswith("error: Invalid value for '--log-format': ")
    assert "'xml' is not one of 'text', 'json'" in err
    assert call("methods", "--log-format")[0] == 2


def test_options_after_two_dashes_are_names(call):
    assert "'-q'" in call("methods", "--", "-q")[2]


def test_without_a_terminal_a_line_now_and_then(capsys):
    with _terminal.progress("mgl on x", every=0.2) as report:
        for step in range(100):
            report(step, 100, {"stage": "graphs"})
        time.sleep(0.5)
    lines = capsys.readouterr().err.splitlines()
    assert 1 <= len(lines) <= 2
    assert lines[0] == "mgl on x: graphs 99/100, 0 s"


def test_a_stage_without_steps_shows_no_count(capsys):
    with _terminal.progress("mgl on x", every=0.1) as report:
        report(0, None, {"stage": "graphs"})
        time.sleep(0.15)
    assert capsys.readouterr().err.splitlines()[0] == "mgl on x: graphs, 0 s"


def test_the_library_logs_and_has_no_handler_of_its_own(caplog):
    logger = logging.getLogger("mvgraph")
    assert [type(h) for h in logger.handlers] == [logging.NullHandler]
    with caplog.at_level(logging.INFO, logger="mvgraph"):
        GraphConsensus(3, random_state=0).fit(planted(60)[0])
    assert any(text.startswith("anchors: ") for text in caplog.messages)


@pytest.mark.slow
def test_nothing_is_said_by_the_library_itself():
    code = (
        "import numpy as np; from mvgraph import GraphConsensus;"
        "GraphConsensus(2, random_state=0).fit([np.repeat(np.eye(2), 9, 0)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == ""
    assert "steps" not in done.stderr


def test_control_characters_do_not_steer_a_terminal(capsys):
    _log.say("a\x1b[2Jb")
    assert capsys.readouterr().err == "a\\x1b[2Jb\n"
