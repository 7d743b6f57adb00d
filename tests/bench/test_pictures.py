"""Figures for papers: which files they are, and what cannot be drawn."""

import re
import zlib
from itertools import product
from xml.etree import ElementTree

import pytest

import pairs
from bench_data import record, some_records
from mvgraph.bench import export, pictures, report, significance
from mvgraph.metrics import SCORES

FIGURES = ["ranks", "tradeoff", "scores", "growth"]


def test_every_figure_is_a_file_of_text(tmp_path):
    assert list(pictures.FIGURES) == FIGURES
    for figure in FIGURES:
        for form in ("svg", "pdf"):
            path = tmp_path / f"{figure}.{form}"
            size = pictures.write(some_records(), path, figure, "ari")
            content = path.read_bytes()
            assert len(content) == size
            if form == "svg" or figure == "ranks":  # other PDF have the same writer
                again = tmp_path / f"again.{form}"
                pictures.write(some_records(), again, figure, "ari")
                assert again.read_bytes() == content  # no date, no random names
        svg = (tmp_path / f"{figure}.svg").read_text()
        assert re.search("<text[^>]*>sfmc</text>", svg)
        check_fonts((tmp_path / f"{figure}.pdf").read_bytes())


def check_fonts(pdf):
    """Text is drawn with embedded TrueType fonts, and can be read back."""
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    parts = [pdf]
    for stream in streams:
        try:
            parts.append(zlib.decompress(stream))
        except zlib.error:
            parts.append(stream)
    whole = b"\n".join(parts)
    assert b"/FontFile2" in whole
    assert b"/Type3" not in whole
    assert b"beginbfchar" in whole or b"beginbfrange" in whole  # glyphs to letters
    lines = [line for part in parts for line in part.split(b"\n") if b"T" in line]
    texts = [b"".join(re.findall(rb"\((.*?)\)", line)) for line in lines]
    assert any(b"sfmc" in text.replace(b"\0", b"") for text in texts)


@pytest.mark.parametrize(
    ("figure", "records", "message"),
    [
        ("ranks", [record()], "two methods or more must have run on the same two sets"),
        ("tradeoff", [record(), record(method="b")], "three methods .* there are 2"),
        ("growth", [record()], "a generated set in two sizes or more"),
        ("scores", [record(status="failed", reason="x")], "no trial .* has ended"),
        ("other", [record()], "choose among ranks, tradeoff, scores, growth"),
    ],
)
def test_what_cannot_be_drawn_says_why(figure, records, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        pictures.write(records, tmp_path / "a.svg", figure, "acc")
    assert not list(tmp_path.iterdir())


def test_letters_without_a_shape_are_reported(tmp_path):
    records = [record("\u6f22"), record("\u6f22", "sfmc")]
    with pytest.warns(UserWarning, match="lacks some letters"):
        pictures.write(records, tmp_path / "a.pdf", "scores", "acc")
    pictures.write(records, tmp_path / "a.svg", "scores", "acc")
    assert "\u6f22" in (tmp_path / "a.svg").read_text()


@pytest.mark.usefixtures("undrawn")
def test_no_bar_without_a_difference():
    accs = {"a": (0.9, 0.8, 0.7), "b": (0.8, 0.9, 0.6), "c": (0.7, 0.7, 0.9)}
    records = [
        record(f"set {i}", method, acc=acc)
        for method, values in accs.items()
        for i, acc in enumerate(values)
    ]
    found = significance.ranks(records)
    assert found.p_value > 0.05
    assert found.cliques() == [(0, 2)]
    page = report.render(records)
    assert "No difference can be shown with 3 sets" in page
    assert "A thick bar" not in page
    assert re.search(r"<details><summary>Tests .*?<table>", page, re.DOTALL)
    for name in ("ranks", "scores", "tradeoff"):
        for form in ("pdf", "svg"):
            assert f'download="{name}.{form}"' in page


LONG = "package.module:AClassWithALongName (power=0.25, n_neighbors={})"
HOSTILE = (r"\\alpha_1$x$ & <b>m</b>", "a\nb", "<script>", "%s {} {{x}} {%", "=1+1|#~^")


NAMES = {  # sets, methods
    "one set, one method": (["a"], ["x"]),
    "one set": (["a"], ["x", "y", "z"]),
    "one method": (["a", "b", "c"], ["x"]),
    "long names": (["s" * 60 + i for i in "abc"], [LONG.format(i) for i in range(3)]),
    "names with markup": (HOSTILE, HOSTILE),
}
UNKNOWN = {"seconds": 0.0, "cpu_seconds": 0.0, "peak_mb": None, "components": None}
NOTHING = {"scores": {**dict.fromkeys(SCORES), "acc": 0.0}, **UNKNOWN}
EQUAL = {"scores": dict.fromkeys(SCORES, 1.0)}
LOST = [{"status": s, "reason": "x"} for s in ("time limit", "failed", "out of memory")]
#: What is changed in record i of method number m.
CHANGES = {
    "all failed": lambda i, m: LOST[i % 3],
    "one fails": lambda i, m: LOST[i % 3] if m == 0 else {},
    "half fail": lambda i, m: LOST[i % 3] if i % 2 else {},
    "equal": lambda i, m: EQUAL,
    "no numbers": lambda i, m: NOTHING,
}


def hostile(kind):
    """Make records of kinds that figures and tables must survive."""
    sets, names = NAMES.get(kind, (["a", "b", "c"], ["x", "y", "z"]))
    change = CHANGES.get(kind, lambda i, m: {})
    cases = enumerate(product(sets, enumerate(names), (0, 1)))
    return [
        record(s, name, acc=0.5 + 0.1 * m, seconds=0.5 + m, seed=seed) | change(i, m)
        for i, (s, (m, name), seed) in cases
    ]


DRAWN = {
    "one set, one method": {"scores"},
    "one method": {"scores"},
    "one set": {"scores", "tradeoff"},
    "all failed": set(),
    "one fails": {"scores", "ranks"},
    "half fail": {"scores"},  # no method finished a set
}


@pytest.mark.parametrize(
    "kind", ["all failed", *pairs.slow(*NAMES, *list(CHANGES)[1:])]
)
def test_every_output_is_there_or_says_why_not(kind, tmp_path):
    records = hostile(kind)
    drawn = DRAWN.get(kind, {"scores", "tradeoff", "ranks"})
    for figure in FIGURES:
        path = tmp_path / f"{figure}.svg"
        if figure in drawn:
            pictures.write(records, path, figure, "acc")
            ElementTree.parse(path)
        else:
            with pytest.raises(ValueError, match=r"(?s).{40}"):
                pictures.write(records, path, figure, "acc")
            assert not path.exists()
    assert report.render(records).count("<script>") == 1
    for suffix in ("md", "csv", "tex"):
        path = tmp_path / f"table.{suffix}"
        if drawn:
            export.write(records, path)
            assert path.read_text(encoding="utf-8")
        else:
            with pytest.raises(ValueError, match=r"no trial .* has ended"):
                export.write(records, path)


@pytest.mark.usefixtures("undrawn")
def test_scores_that_are_chosen_are_those_of_the_page():
    records = [record(s, m, acc=a) for s in "ab" for m, a in (("x", 0.5), ("y", 0.9))]
    for r in records:
        r["scores"]["ari"] = 1 - r["scores"]["acc"]
    page = report.render(records, ["ari", "nmi"])
    head = re.findall(r'<button type="button">(.*?)</button>', page)
    assert re.findall(r'checkbox" value="(.*?)"', page) == ["ARI", "NMI"]
    assert {"ARI", "NMI"} <= set(head)
    assert not {"ACC", "Purity", "AMI"} & set(head)
    assert report.answers(records, "ari")[0].short == "x"
    assert report.answers(records, "acc")[0].short == "y"
