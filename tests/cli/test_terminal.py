"""The bar that shows the progress of a fit."""

import io
import sys
import time

from mvgraph.cli import _terminal


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_bar_has_stage_count_rate_and_time_left(monkeypatch):
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "160")
    with _terminal.progress("mgl on x", delay=0.0) as report:
        for step in range(6):
            report(step, 10, {"stage": "base partitions", "seconds": 0.1})
            time.sleep(0.15)
        time.sleep(0.3)
    text = shown.getvalue()
    assert "mgl on x: base partitions" in text
    assert "/s" in text
    assert "5/10" in text
    assert "left" in text


def test_no_bar_before_the_delay_nor_without_a_terminal(monkeypatch):
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", stream)
        with _terminal.progress("quick") as report:
            report(1, 2)
        assert stream.getvalue() == ""
