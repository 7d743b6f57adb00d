"""Text from data in every kind of output: words to read, nothing that acts."""

import csv
import io
import re
import shutil
import subprocess

import pytest

from hostile import NAMES, Elements
from mvgraph.bench.tables import Cell, Table
from mvgraph.ops import escaping
from mvgraph.ops.wording import html_table

#: Commands that a table in LaTeX consists of, and those that show a sign.
COMMANDS = {
    *("usepackage", "begin", "end", "caption", "label", "toprule", "midrule"),
    *("bottomrule", "par", "footnotesize", "textbf", "underline", "textbackslash"),
    *("textasciitilde", "textasciicircum", "textless", "textgreater", "textbar"),
    *("textasciigrave", "pm", "ddagger", "dagger", "uparrow", "downarrow", "approx"),
    *("resizebox", "linewidth"),
    *("times", "dots", *r"\%&#_${}"),
}


def table():
    """Make a table that has the names in every field."""
    marks = ["best", "second", ""]
    rows = [
        [
            Cell(name, name, name, marks[i % 3], name, {name: name}, name),
            Cell("0.5", 0.5),
        ]
        for i, name in enumerate(NAMES)
    ]
    return Table(NAMES[0], " ".join(NAMES), [NAMES[2], NAMES[22]], rows, list(NAMES))


@pytest.mark.parametrize("name", NAMES)
def test_a_line_for_a_terminal_is_printable(name):
    assert escaping.terminal(name).isprintable()
    assert escaping.terminal("ä 漢 ✓") == "ä 漢 ✓"


def test_latex_has_no_command_but_those_of_a_table():
    text = table().latex()
    body = text.partition("\n")[2]  # the first line is a comment of ours
    assert set(re.findall(r"\\([A-Za-z]+|.)", body)) <= COMMANDS
    bare = re.sub(r"\\.", "", body)
    assert not set(bare) & set("%#^~`\0\x1b") - {"^"}
    assert re.findall(r"\^(?!\\d?dagger)", body) == []
    depth = 0
    for sign in bare:
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0
    assert depth == 0
    assert re.search(r"\\\\\s*[\[*]", body) is None
    # two columns: one separator in every row, nothing else that looks like one
    for line in body.splitlines():
        if line.endswith(r"\\"):
            assert len(re.findall(r"(?<!\\)&", line)) == 1, line


def test_latex_of_greek_letters_is_ascii_and_others_are_announced():
    for names in ("αβγδεζηθικλμνξοπρςστυφχψω", "ΓΔΘΛΞΠΣΥΦΨΩµ"):
        assert escaping.latex(names).isascii()
    assert escaping.latex("λ_Ω") == r"$\lambda$\_$\Omega$"
    first = [Table("t", "t", [x], []).latex().split("\n")[0] for x in ("a", "é", "漢")]
    assert first[0] == r"% needs \usepackage{booktabs}"
    assert first[1] == first[0] + r", \usepackage[utf8]{inputenc}"
    assert first[2] == first[1] + "; lualatex or xelatex, and a font that has 漢"


def test_latex_shortens_titles_with_a_note_and_scales_wide_tables():
    heads = [f"a set with a long name, noise={i}" for i in range(6)]
    text = Table("t", "t", heads, [[Cell("0.5")] * 6]).latex()
    lines = text.splitlines()
    head = lines[lines.index(r"\toprule") + 1]
    assert len(set(head.removesuffix(r" \\").split(" & "))) == 6
    for name in heads:
        assert name not in head
        assert f" is {name}" in text
    assert r"\resizebox{\linewidth}{!}{\begin{tabular}" in text
    assert r"\end{tabular}}" in text
    assert "graphicx" in lines[0]
    short = Table("t", "t", ["a", "b"], [[Cell("0.5")] * 2]).latex()
    assert "resizebox" not in short
    assert "graphicx" not in short


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_latex_sets_the_table(tmp_path):
    rules = "\\usepackage{graphicx}" + "".join(
        f"\\let\\{one}rule\\hline" for one in ("top", "mid", "bottom")
    )
    parts = ["\\documentclass{article}", rules, "\\begin{document}"]
    rows = table().rows
    for i, name in enumerate(NAMES):  # a page each: all are longer than one
        one = Table(name, name, [name, name], rows[i : i + 1], [name])
        parts += [one.latex(), "\\clearpage"]
    (tmp_path / "t.tex").write_text("\n".join([*parts, "\\end{document}"]), "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stdout[-800:]
    assert f"({len(NAMES)} pages".encode() in done.stdout


def test_markdown_is_text_in_a_table():
    markdown_it = pytest.importorskip("markdown_it")
    parser = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"])
    inline = set()
    for token in parser.parse(table().markdown()):
        assert token.type.split("_")[0] in {
            *("paragraph", "inline", "table", "thead", "tbody", "tr", "th", "td"),
        }, token
        for child in token.children or ():
            if child.type == "html_inline":
                assert child.content in ("<u>", "</u>")
            inline.add(child.type)
    assert inline <= {"text", "text_special", "strong_open", "strong_close"} | {
        "html_inline"
    }
    shown = parser.render(escaping.markdown("a_b |x| <i> \\q")).strip()
    assert shown == "<p>a_b |x| &lt;i&gt; \\q</p>"


def test_no_cell_of_csv_is_a_formula_and_numbers_are_kept():
    rows = list(csv.reader(io.StringIO(table().csv(), newline="")))
    assert len(rows) == len(NAMES) + 1
    for cell in (cell for row in rows for cell in row):
        assert cell[:1] not in ("=", "+", "-", "@", "\t", "\r"), cell
    for number in ("-1.5", "+2", "-inf", "1e-3", "", "a=b"):
        assert escaping.no_formula(number) == number
    for name in (*NAMES, "'quoted", "'"):
        plain = name.replace("\r\n", "\n").replace("\r", "\n")
        assert escaping.with_formulas(escaping.no_formula(name)) == plain


def test_html_of_a_notebook_is_text():
    rows = [[name, name] for name in NAMES]
    good = Elements(html_table("x", ["x", "y"], [["x", "y"]] * len(NAMES)))
    found = Elements(html_table(NAMES[10], [NAMES[11], NAMES[12]], rows))
    assert found.tags == good.tags
    assert "".join(found.texts).count("<script>alert(1)</script>") == 3
    assert not set("\0\x1b\x9b\x07\u202e") & set("".join(found.texts))
