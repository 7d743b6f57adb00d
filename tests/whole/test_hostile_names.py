"""Names that are code, in every field of what is written and shown: nothing acts."""

import csv
import io
import json
import re
import sys

import numpy as np
import pytest

from bench_data import record
from data import planted
from hostile import NAMES, Elements
from mvgraph import Views, compare_labels
from mvgraph.cli import _log, _output, _terminal

#: What a terminal acts upon: control characters and changes of direction.
ACTIVE = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


def test_tables_and_messages_on_a_terminal(capsys):
    for name in NAMES:
        _terminal.print_rows(name, [{name: name, "b": [name, name]}] * 2)
        _terminal.print_line(name)
        _log.say(name)
        _log.complain(name)
        _log.warn(name)
    _log.forget()
    out, err = capsys.readouterr()
    assert ACTIVE.findall(out + err) == []
    assert "[red]:warning:[/red]" in out  # neither a colour nor a picture
    # a name cannot end its line and say something else in a new one
    assert sum(line.startswith("| new") for line in (out + err).splitlines()) == 0


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_on_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", shown := Terminal())
    monkeypatch.setenv("TERM", "dumb")
    for name in NAMES:
        with _terminal.progress(name, delay=0.0) as report:
            report(1, 2)
    for name in NAMES:
        if ACTIVE.search(name):
            assert name not in shown.getvalue()


@pytest.mark.parametrize("separator", [",", "\t"])
def test_label_files_have_ids_and_labels_as_they_are(separator):
    blocks = [
        {"label": np.arange(len(NAMES)), "name": np.array(NAMES, dtype=object)},
    ]
    file = io.StringIO(newline="")
    _output.write_csv(file, NAMES, blocks, separator)
    file.seek(0)
    head, *rows = csv.reader(file, delimiter=separator)
    assert head == ["id", "label", "name"]
    assert [row[0] for row in rows] == list(NAMES)
    assert [row[1] for row in rows] == [str(i) for i in range(len(NAMES))]
    assert not any(row[2][:1] in set("=+-@\t") for row in rows)
    shown = Terminal(newline="")
    _output.write_csv(shown, NAMES, blocks, separator)
    assert ACTIVE.findall(shown.getvalue().replace("\t", "")) == []


def test_json_is_printable(capsys):
    from mvgraph.cli._app import print_json

    print_json({name: [name] for name in NAMES})
    (line,) = capsys.readouterr().out.splitlines()
    assert ACTIVE.findall(line.replace("\x7f", "")) == []
    assert json.loads(line) == {name: [name] for name in NAMES}


# ----------------------------------------------------------------------------- pages
def check_page(page, plain):
    """Hostile names add no element and no attribute to those of harmless ones."""
    found, good = Elements(page), Elements(plain)
    assert {tag for tag, _ in found.tags} <= {tag for tag, _ in good.tags}
    keys, known = (
        {key for _, all_ in page.tags for key in all_} for page in (found, good)
    )
    assert keys - known <= {"transform"}  # of texts that are turned
    for tag in ("script", "style", "meta", "link", "img", "iframe", "base", "form"):
        counts = [sum(one == tag for one, _ in page.tags) for page in (found, good)]
        assert counts[0] == counts[1], tag
    assert set("\0\x1b\x9b\x07\x08\x7f\u202e").isdisjoint(page)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert "default-src &#39;none&#39;" in policy[1]
    assert "unsafe" not in policy[1]


def trials(names):
    """Records with a name in every field that is free text."""
    points = {"points": [[0, 1]], "clusters": [0], "classes": None, "samples": [0]}
    found = []
    for i, name in enumerate(names):
        kept = {"weights": {name: 1.0}, "embedding": points | {"name": name}}
        about = {"plan": name, "environment": {name: name}, "warnings": [name]}
        for method in (name, "mgl"):
            found.append(
                record(
                    names[i % 3], method, artefacts=kept, override={name: i}, **about
                )
            )
        found.append(record(name, "sfmc", status="skipped", reason=name, **about))
    return found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:constrained_layout not applied")  # many names
def test_report_of_a_benchmark():
    from mvgraph.bench import report

    pages = [
        report.render(trials(names))
        for names in (NAMES, [f"name {i}" for i in range(len(NAMES))])
    ]
    check_page(*pages)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, len(NAMES), 6))
def test_page_of_a_comparison(first):
    from mvgraph.page.comparison import csv_of, render, table_of

    pages = []
    for names in (NAMES[first : first + 6], ["a", "b", "c", "d", "e", "f"]):
        groups = np.array(names[:6], dtype=object)[np.arange(60) % len(names[:6])]
        found = compare_labels(groups, groups, names=(names[0], names[1]))
        pages.append(render(found) + found._repr_html_())
    check_page(*pages)
    found = compare_labels(groups, groups, names=tuple(NAMES[-6:-4]))
    text = csv_of([NAMES, *table_of(found)])
    for cell in (
        cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row
    ):
        assert cell[:1] not in ("=", "+", "-", "@", "\t", "\r")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.filterwarnings("ignore:constrained_layout not applied")
def test_figure_in_a_file(tmp_path):
    from xml.etree import ElementTree

    groups = np.array(NAMES, dtype=object)[np.arange(99) % len(NAMES)]
    found = compare_labels(groups, groups, names=NAMES[-9:-7])
    found.display().save(tmp_path / "x.svg")
    root = ElementTree.parse(tmp_path / "x.svg").getroot()
    assert {e.tag.rpartition("}")[2] for e in root.iter()}.isdisjoint(
        {"script", "a", "foreignObject", "iframe"}
    )
    assert set("\x9b\x7f\u202e").isdisjoint((tmp_path / "x.svg").read_text("utf-8"))


@pytest.mark.slow
def test_page_of_clusters_and_explanations():
    from mvgraph import GraphConsensus, explain
    from mvgraph.page.data import collect
    from mvgraph.page.write import render

    pages, notebooks = [], []
    arrays, _ = planted(66)
    for names in (NAMES, [f"name {i}" for i in range(len(NAMES))]):
        n, features = len(arrays[0]), []
        for x in arrays:
            features.append(
                [f"{names[j % 30]}{j // 30 or ''}" for j in range(x.shape[1])]
            )
        ids = [f"{names[i % 30]}{i // 30}" for i in range(n)]
        views = Views(arrays, names[10 : 10 + len(arrays)], ids, features)
        model = GraphConsensus(3, random_state=0).fit(views)
        model.rename_clusters(
            dict(zip(model.cluster_ids_.tolist(), names[10:], strict=False))
        )
        columns = {name: np.array(names)[np.arange(n) % 30] for name in names[:12]}
        for name in names[12:15]:
            data = collect(
                model, views, metadata=columns, name=name, command=name, warnings=[name]
            )
            pages.append(render(data))
        found = explain(model, views)
        notebooks.append(found._repr_html_() + views._repr_html_())
    for hostile, plain in zip(pages[:3], pages[3:], strict=True):
        check_page(hostile, plain)
    tags = [Elements(text).tags for text in notebooks]
    assert {tag for tag, _ in tags[0]} == {tag for tag, _ in tags[1]}
