"""Tables that can be shown, sorted, and downloaded as CSV or LaTeX."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from mvgraph.bench.compare import Group
from mvgraph.display._display import data_uri
from mvgraph.display._styles import short_names
from mvgraph.ops import escaping
from mvgraph.ops.wording import extra

with extra("a table of benchmarks", "pandas", "report"):
    import pandas as pd

DASH, MINUS = "\N{EN DASH}", "\N{MINUS SIGN}"
#: How a format writes the best value and the second, and the name of the reference.
_LATEX_MARKS = {"best": r"\textbf{%s}", "second": r"\underline{%s}"}
_MARKDOWN_MARKS = {"best": "**%s**", "second": "<u>%s</u>"}
_LATEX_MARKS["reference"] = _LATEX_MARKS["best"]
_MARKDOWN_MARKS["reference"] = _MARKDOWN_MARKS["best"]
#: Follows a score that is higher than that of the reference.
ABOVE = "\N{BLACK UP-POINTING TRIANGLE}"
#: Letters of the title of a column in LaTeX, as of a panel in figures.
LONGEST = 14
#: Letters in a line of LaTeX's article: 345 points, a digit has 5, the margins of a
#: column have 12.
LETTERS, MARGINS = 69, 2.4
#: Latin letters, up to Extended-A; pdflatex has others with further packages only.
LAST_OF_PDFLATEX = 0x17F


@dataclass
class Cell:
    """One entry: its text, its value for sorting, and its columns in the CSV file.

    Parameters
    ----------
    text : str
    value : float, str or None
        For sorting and CSV; None sorts last.
    sub : str
        Second line.
    mark : str
        Class of the style: best, second, reference, lost, same, near, far, flag.
    note : str
        Shown on hover and focus.
    more : dict
        Further columns of the CSV file, by suffix.
    tried : str
        "2 of 3, time limit": how many trials finished, if not all, and why not more.
    """

    text: str
    value: Any = None
    sub: str = ""
    mark: str = ""
    note: str = ""
    more: dict[str, Any] = field(default_factory=dict)
    tried: str = ""

    @property
    def below(self) -> str:
        """Return the whole second line."""
        return " ".join(filter(None, [self.sub, self.tried and f"({self.tried})"]))


@dataclass
class Table:
    """Rows of cells under a head."""

    name: str
    caption: str
    head: list[str]
    rows: list[list[Cell]]
    notes: list[str] = field(default_factory=list)

    @property
    def numeric(self) -> list[bool]:
        """Return True for every column of numbers."""
        columns = zip(*self.rows, strict=True)
        return [all(not isinstance(c.value, str) for c in column) for column in columns]

    def csv(self) -> str:
        """Return the values as CSV; further columns follow their main column."""
        columns = []
        for title, cells in zip(self.head, zip(*self.rows, strict=True), strict=False):
            columns.append((title, [cell.value for cell in cells]))
            for suffix in dict.fromkeys(s for cell in cells for s in cell.more):
                values = [cell.more.get(suffix) for cell in cells]
                columns.append((f"{title} {suffix}", values))
        shown = ([_no_formula(v) for v in values] for _, values in columns)
        frame = pd.DataFrame(dict(enumerate(shown)))
        head = [escaping.no_formula(title) for title, _ in columns]
        form: Any = {"header": head, "index": False, "float_format": "%.6g"}
        return str(frame.to_csv(lineterminator="\n", **form))

    def latex(self) -> str:
        """Return the table as LaTeX for booktabs.

        Long titles of columns are shortened, with a note; a wide table is scaled.
        """
        rows = [" & ".join(map(_latex_cell, row)) + r" \\" for row in self.rows]
        shown = short_names(self.head, LONGEST)
        head = [shown[name] for name in self.head]
        long = {s: name for name, s in shown.items() if s != " ".join(name.split())}
        words = "; ".join(f"{short} is {name}" for short, name in long.items())
        notes = [f"Names in full: {words}.", *self.notes] if long else self.notes
        columns = zip(head, *self.rows, strict=True)
        wide = sum(map(_letters, columns)) > LETTERS
        before, after = (r"\resizebox{\linewidth}{!}{", "}") if wide else ("", "")
        lines = [
            r"\begin{table}",
            rf"\caption{{{escaping.latex(self.caption)}}}",
            rf"\label{{tab:{escaping.latex_label(self.name)}}}",
            rf"{before}\begin{{tabular}}{{l{'r' * (len(self.head) - 1)}}}",
            r"\toprule",
            " & ".join(map(escaping.latex, head)) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            rf"\end{{tabular}}{after}",
            *(r"\par\footnotesize " + escaping.latex(note) for note in notes),
            r"\end{table}",
        ]
        text = "\n".join(lines) + "\n"
        return _latex_needs(text, wide) + text

    def markdown(self) -> str:
        """Return the table as Markdown; the best value bold, the second underlined."""
        escape = escaping.markdown
        rows = [[*map(escape, self.head)], ["---"] * len(self.head)]
        rows += [[_markdown_cell(cell) for cell in row] for row in self.rows]
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        notes = "".join(f"\n{escape(note)}\n" for note in self.notes)
        return f"{escape(self.caption)}\n\n" + "\n".join(lines) + "\n" + notes

    def downloads(self) -> list[tuple[str, str, str]]:
        """Return (label, file name, data URI) of both files."""
        csv = data_uri("text/csv;charset=utf-8", self.csv().encode())
        tex = data_uri("text/x-tex;charset=utf-8", self.latex().encode())
        return [("CSV", f"{self.name}.csv", csv), ("LaTeX", f"{self.name}.tex", tex)]


def _no_formula(value: Any) -> Any:
    return escaping.no_formula(value) if isinstance(value, str) else value


def _letters(column: tuple[Any, ...]) -> float:
    """Return the width of a column with its margins: a title, then cells."""
    title, *cells = column
    below = [len(c.text) + len(c.below) + 2 * bool(c.below) for c in cells]
    return max([len(title), *below]) + MARGINS


def _latex_needs(text: str, wide: bool) -> str:
    """Return a comment: which packages the table needs, and which program."""
    needs = [r"\usepackage{booktabs}", *[r"\usepackage{graphicx}"] * wide]
    needs += [r"\usepackage[utf8]{inputenc}"] * (not text.isascii())
    rare = sorted({c for c in text if ord(c) > LAST_OF_PDFLATEX})
    font = f"; lualatex or xelatex, and a font that has {''.join(rare)}" if rare else ""
    return f"% needs {', '.join(needs)}{font}\n"


def _latex_cell(cell: Cell) -> str:
    text = _LATEX_MARKS.get(cell.mark, "%s") % escaping.latex(cell.text)
    more = ", ".join(filter(None, [cell.sub, cell.tried]))
    return f"{text} ({escaping.latex(more)})" if more else text


def _markdown_cell(cell: Cell) -> str:
    text = _MARKDOWN_MARKS.get(cell.mark, "%s") % escaping.markdown(cell.text)
    return f"{text} {escaping.markdown(cell.below)}".strip()


# ------------------------------------------------------------------------------- cells
def short(value: float | None) -> str:
    """Write a score as the paper does, .933."""
    if value is None:
        return DASH
    text = f"{value:.3f}".replace("-0.000", "0.000")
    return text[1:] if text.startswith("0.") else text


def signed(value: float) -> str:
    """Write a difference with its sign; 0 if it rounds to zero."""
    if round(value, 3) == 0:
        return "0"
    return ("+" if value > 0 else MINUS) + short(abs(value))


def number(value: float | None, form: str) -> Cell:
    """Return a cell of a number; a dash if it is unknown."""
    return Cell(DASH if value is None else format(value, form), value)


def plain_rows(rows: Iterable[tuple[Any, ...]]) -> list[list[Cell]]:
    """Return cells that show their values."""
    return [[Cell(str(value), value) for value in row] for row in rows]


def name_cell(name: str, reference: str | None) -> Cell:
    """Return the cell of a method's name, which is marked if it is the reference."""
    if name != reference:
        return Cell(name, name)
    note = "the reference: marks and tests compare with it"
    return Cell(name, name, mark="reference", note=note, more={"reference": True})


def score_cells(
    groups: list[Group | None], score: str, marks: tuple[str, ...], own: str | None
) -> list[Cell]:
    """Return means with their spread; mark the highest of those that all finished.

    Values are compared as they are rounded in the table, one mark per value. Those that
    are higher than that of the reference, if there is one, are followed by `ABOVE`.
    """
    cells = [_score_cell(g, score) if g else Cell(DASH) for g in groups]
    complete = [
        (cell, group)
        for cell, group in zip(cells, groups, strict=True)
        if group and not group.lost and cell.value is not None
    ]
    highest = sorted({round(cell.value, 3) for cell, _ in complete}, reverse=True)
    mark_of = dict(zip(highest, marks, strict=False))
    base = next((cell.value for cell, group in complete if group.variant == own), None)
    for cell, _ in complete:
        cell.mark = mark_of.get(round(cell.value, 3), "")
        if base is not None:
            cell.more["difference"] = cell.value - base
            if round(cell.value, 3) > round(base, 3):
                cell.text += f" {ABOVE}"
    return cells


def _score_cell(group: Group, name: str) -> Cell:
    if not group.records:
        reasons = dict.fromkeys(str(record["reason"]) for record in group.lost)
        return Cell(group.state.word, mark="lost", note="; ".join(reasons))
    score = group.score(name)
    if score is None:  # a score that was added after this log was written
        return Cell(DASH, tried=group.shortfall)
    cell = Cell(short(score[0]), score[0], tried=group.shortfall)
    if len(group.records) > 1:
        cell.sub, cell.more = f"± {short(score[1])}", {"std": score[1]}
    if group.lost:
        cell.note = f"{group.state.word}: {group.lost[0]['reason']}"
    return cell
