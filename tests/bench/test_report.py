import base64
import csv
import hashlib
import io
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

from bench_data import SCORES, record, some_records
from data import planted
from mvgraph import MGL, AnchorFilter
from mvgraph.bench import artefacts, compare, content, report, significance
from mvgraph.bench.tables import DASH, Cell, Table
from mvgraph.display._axes import GREY
from mvgraph.display._styles import BLUE, CLUSTERS, ORANGE, PALETTE
from pairs import slow


@pytest.fixture(scope="module")
def records():
    views, y = planted(centres="axes")
    from mvgraph import Views

    views = Views(views)
    model = MGL(3, random_state=0).fit(views)
    found = some_records()
    kept = artefacts.collect(model, views, y)
    assert set(kept) == {"convergence", "weights", "embedding", "graphs", "left_out"}
    assert kept["left_out"] == {}
    found[2]["artefacts"] = kept
    return found


@pytest.fixture(scope="module")
def page(records):
    return report.render(records)


class Checker(HTMLParser):
    """Collect what makes a page accessible, and what would need a network."""

    def __init__(self):
        super().__init__()
        self.headings, self.images, self.links, self.ids = [], [], [], []
        self.charts, self.open = [], []

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "img":
            self.images.append(found)
        if found.get("role") == "img":
            self.charts.append(found)
        self.links += [found[k] for k in ("href", "src") if k in found]
        self.ids += [found["id"]] if "id" in found else []


def check(page):
    parser = Checker()
    parser.feed(page)
    return parser


def test_page_needs_no_network(page):
    found = check(page)
    assert all(link.startswith(("#", "data:")) for link in found.links)
    for word in ("http://", "https://", "@import", "url("):
        assert word not in page
    assert len(page) < 600_000  # a third of it: five figures as files


def test_page_is_accessible(page):
    found = check(page)
    assert found.headings[0] == 1
    assert found.headings.count(1) == 1
    steps = np.diff(found.headings)
    assert steps.max() <= 1  # no level is left out
    assert found.charts
    assert all(c["aria-label"] and c["tabindex"] == "0" for c in found.charts)
    assert len(found.ids) == len(set(found.ids))
    targets = {link[1:] for link in found.links if link.startswith("#")}
    assert targets <= set(found.ids)
    assert '<html lang="en">' in page


def test_page_has_all_parts(page):
    for words in (
        "What a user gets",
        "Compared with the paper",
        "order effect",
        "One parameter at a time",
        "Graphs before and after",
        "by class, known",
        "How the fit converges",
        "View weights",
        "Which method?",
        "How sure?",
        "How long?",
        "Mean ranks, best first",
        "Growth with the number of samples",
        "Machine and versions",
        "data set not found",
        "Largest order effect: mgl (paper) on",
    ):
        assert words in page, words


def test_text_from_records_is_escaped():
    evil = "<script>alert(1)</script>"
    found = [record(evil), record(status="skipped", method="sfmc", reason=evil)]
    assert evil not in report.render(found)


@pytest.mark.parametrize(
    "name", ["$x_{", "a\x01b", *slow("\u6f22\u5b57", "a\nb", "<&>", "\\")]
)
def test_names_from_files_are_drawn_as_they_are(name):
    found = record(name, artefacts={"weights": {name: 1.0}, "embedding": EMBEDDING})
    page = report.render([found, record(name, "sfmc")])
    assert check_svg(page)


EMBEDDING = {"points": [[0, 1]], "clusters": [0], "classes": None, "samples": [0]}
EMBEDDING |= {"name": "x"}


def test_a_report_of_one_trial(tmp_path):
    assert "msrc_v5" in report.render([record()])


# --------------------------------------------------------------------------- numbers
def test_differences_from_the_paper_are_marked(records):
    table = content.paper_table(records, "msrc_v5")
    rows = {row[0].value: row for row in table.rows}
    assert set(rows) == set(compare.paper_rows("msrc_v5"))
    seven = list(SCORES)[:7]
    mlan = dict(zip(seven, rows["mlan"][1:], strict=True))
    assert mlan["acc"].text == ".681 ="
    assert mlan["acc"].mark == "same"
    assert "copied from the row of SMSC" in mlan["f_score"].note
    assert mlan["f_score"].sub.endswith("‡")
    assert rows["mgl"][1].text.startswith(".930")  # paper settings go first
    assert rows["swmc"][1].text == DASH
    assert content.paper_table(records, "third") is None


def test_paper_tables_are_consistent():
    for name, n_rows in [("msrc_v5", 18), ("handwritten4", 17), ("mnist4", 16)]:
        rows = compare.paper_rows(name)
        assert len(rows) == n_rows
        for row, scores in rows.items():
            assert list(scores) == list(SCORES)[:7]
            wrong = compare.flags(name, row)
            (p, _), (r, _), (f, std) = (
                scores[k] for k in ("precision", "recall", "f_score")
            )
            if "f_score" not in wrong and std == 0:
                assert 2 * p * r / (p + r) == pytest.approx(f, abs=0.0015), (name, row)
            if "acc" not in wrong:
                assert scores["acc"][0] <= scores["purity"][0] + 1e-9, (name, row)


def test_order_effect_and_best(records):
    table = content.score_table(records, "msrc_v5")
    assert table.rows[0][0].value == "graph-consensus"
    rows = {row[0].value: row for row in table.rows}
    effect = table.head.index("order effect")
    assert rows["mgl (paper)"][effect].value == pytest.approx(0.76)
    assert rows["mgl (paper)"][effect].mark == "far"
    assert rows["mgl"][effect].text == "0"
    assert rows["graph-consensus"][1].mark == "best"
    assert rows["graph-consensus"][1].sub == "± .005"


# Demsar 2006, table 5(a): critical values of the two-tailed Nemenyi test at 0.05
DEMSAR = dict(
    zip(
        range(2, 11),
        [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
        strict=True,
    )
)


@pytest.mark.parametrize("k", DEMSAR)
def test_critical_difference_as_published(k):
    q = significance.critical_difference(k, 10) / np.sqrt(k * (k + 1) / 60)
    assert q == pytest.approx(DEMSAR[k], abs=1.1e-3)


def test_ranks(records):
    found = significance.ranks(records)
    assert found.methods == ["graph-consensus", "mgl", "sfmc", "kmeans-concat"]
    assert found.mean == [1, 2, 3, 4]
    assert found.n_sets == 3
    assert found.p_value < 0.05
    assert found.cliques() == [(0, 2), (1, 3)]
    assert significance.ranks(records[:4]) is None


# ---------------------------------------------------------------------------- tables
TABLE = Table(
    "t",
    "A & B",
    ["method", "acc"],
    [
        [Cell("a_1", "a_1"), Cell(".5", 0.5, "± .1", "best", more={"std": 0.1})],
        [Cell("b, c", "b, c"), Cell(DASH)],
    ],
)


def test_csv():
    rows = list(csv.reader(io.StringIO(TABLE.csv())))
    head = ["method", "acc", "acc std"]
    assert rows == [head, ["a_1", "0.5", "0.1"], ["b, c", "", ""]]


def test_latex():
    text = TABLE.latex()
    assert r"\caption{A \& B}" in text
    assert r"a\_1 & \textbf{.5} ($\pm$ .1) \\" in text
    assert text.count("&") == 1 + 3  # the caption's, and one a row


# --------------------------------------------------------------------------- drawing
def test_marks_have_descriptions(page):
    charts = check_svg(page)
    assert len(charts) > 20
    for chart in charts:
        assert "style" not in chart.attrib
    first = next(c for c in charts if "msrc_v5, rows shuffled" in c.get("aria-label"))
    tips = [e.get("data-tip") for e in first.iter() if e.get("data-tip")]
    assert "graph-consensus, shuffled: 0.905 ± 0.005" in tips
    assert "mlan, order of the file: 0.681" in tips


def check_svg(page):
    return [
        ElementTree.fromstring(text) for text in re.findall(r"<svg .*?</svg>", page)
    ]


def test_colours_follow_the_theme(page):
    allowed = {*PALETTE, BLUE, ORANGE, *CLUSTERS, GREY, "none", "#ffffff"}
    found = set()
    for chart in check_svg(page):
        for element in chart.iter():
            found |= {element.get("fill"), element.get("stroke")} - {None}
    assert {"var(--ink)", "var(--soft)", "var(--rule)"} <= found
    assert found <= allowed | {"var(--ink)", "var(--soft)", "var(--rule)"}


def test_references_within_a_chart_are_unique_on_the_page(page):
    for chart in check_svg(page):
        ids = {e.get("id") for e in chart.iter()} - {None}
        used = {e.get("href") for e in chart.iter("use")}
        assert {link[1:] for link in used} <= ids


def test_policy_allows_only_what_the_page_holds(page):
    found = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    rules = dict(
        part.strip().split(" ", 1) for part in found.replace("&#39;", "'").split(";")
    )
    assert rules["default-src"] == "'none'"
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        text = re.search(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"
    assert "unsafe" not in found
    assert not re.search(r"<[^>]* style=", page)
    assert not re.search(r"<[^>]* on[a-z]+=", page)


# ---------------------------------------------------------------------- first screen
def test_answers_over_several_sets(records):
    which, sure, long = report.answers(records)
    assert which.short == "graph-consensus"
    assert "3 sets" in which.long
    assert "mgl" in sure.long
    assert "3 sets are few" in sure.long
    assert long.short == "0.1 s"


def test_answers_on_one_set():
    runs = [record(acc=a, seed=i, n=400) for i, a in enumerate((0.9, 0.92))]
    which, sure, long = report.answers([*runs, record(method="sfmc", acc=0.5, n=400)])
    assert which.short == "mgl"
    assert ".410 above sfmc" in which.long
    assert sure.short == "the lead is clear"
    assert "2 runs, standard deviation .010" in sure.long
    assert long.short == "0.5 s"
    near = [*runs, record(method="sfmc", acc=0.9, n=400)]
    assert report.answers(near)[1].short == "the lead may be chance"
    assert report.answers([record(order="published")]) == []


def test_columns_without_values_are_left_out():
    rows = [record(components=None, peak_mb=None), record(seed=1, components=None)]
    rows[1]["peak_mb"] = None
    table = content.score_table(rows, "msrc_v5")
    assert "seconds" in table.head
    for column in ("order effect", "components", "peak MiB"):
        assert column not in table.head
    assert table.notes == []


def test_what_does_not_fit_is_left_out_and_named():
    views, y = planted(centres="axes")
    from mvgraph import Views

    views = Views(views)
    kept = artefacts.collect(AnchorFilter(3, random_state=0).fit(views), views, y, 400)
    assert "left" in kept["left_out"]["embedding"]
    assert "weights" in kept
