"""Tables that can be shown, sorted, and downloaded as CSV or LaTeX."""

from __future__ import annotations

import base64
import csv
import io
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Cell", "Table"]

_LATEX = str.maketrans(
    {
        "&": r"\&",
        "%": r"\%",
        "#": r"\#",
        "_": r"\_",
        "±": r"$\pm$",
        "\N{MINUS SIGN}": "$-$",
        "\N{EN DASH}": "--",
        "‡": r"$^\ddagger$",
        "†": r"$^\dagger$",
        "▲": r"$\uparrow$",
        "▼": r"$\downarrow$",
        "≈": r"$\approx$",
        "\N{MULTIPLICATION SIGN}": r"$\times$",
        "…": r"\dots{}",
        "~": r"\textasciitilde{}",
        "\\": r"\textbackslash{}",
    }
)


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
        Class of the style: best, second, same, near, far, flag.
    note : str
        Shown on hover and focus.
    more : dict
        Further columns of the CSV file, by suffix.
    tried : str
        "2 of 3": how many trials ended with a result, if not all.
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
        columns = list(zip(*self.rows, strict=True))
        suffixes = [
            list(dict.fromkeys(s for cell in column for s in cell.more))
            for column in columns
        ]
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        head: list[str] = []
        for title, more in zip(self.head, suffixes, strict=False):
            head += [title, *(f"{title} {suffix}" for suffix in more)]
        writer.writerow(head or self.head)
        for row in self.rows:
            line: list[Any] = []
            for cell, more in zip(row, suffixes, strict=True):
                line += [_plain(cell.value), *(_plain(cell.more.get(s)) for s in more)]
            writer.writerow(line)
        return buffer.getvalue()

    def latex(self) -> str:
        """Return the table as LaTeX for booktabs."""
        align = "l" + "r" * (len(self.head) - 1)
        lines = [
            r"% needs \usepackage{booktabs}",
            r"\begin{table}",
            rf"\caption{{{_escape(self.caption)}}}",
            rf"\label{{tab:{self.name}}}",
            rf"\begin{{tabular}}{{{align}}}",
            r"\toprule",
            " & ".join(map(_escape, self.head)) + r" \\",
            r"\midrule",
            *(" & ".join(map(_latex_cell, row)) + r" \\" for row in self.rows),
            r"\bottomrule",
            r"\end{tabular}",
            *(r"\par\footnotesize " + _escape(note) for note in self.notes),
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def markdown(self) -> str:
        """Return the table as Markdown; the best value bold, the second underlined."""
        rows = [self.head, ["---"] * len(self.head)]
        rows += [[_markdown_cell(cell) for cell in row] for row in self.rows]
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        notes = "".join(f"\n{note}\n" for note in self.notes)
        return f"{self.caption}\n\n" + "\n".join(lines) + "\n" + notes

    def downloads(self) -> list[tuple[str, str, str]]:
        """Return (label, file name, data URI) of both files."""
        return [
            ("CSV", f"{self.name}.csv", _uri("text/csv", self.csv())),
            ("LaTeX", f"{self.name}.tex", _uri("text/x-tex", self.latex())),
        ]


def _uri(kind: str, text: str) -> str:
    code = base64.b64encode(text.encode()).decode()
    return f"data:{kind};charset=utf-8;base64,{code}"


def _plain(value: Any) -> Any:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else value


def _escape(text: str) -> str:
    return text.translate(_LATEX)


def _latex_cell(cell: Cell) -> str:
    text = _escape(cell.text)
    text = rf"\textbf{{{text}}}" if cell.mark == "best" else text
    text = rf"\underline{{{text}}}" if cell.mark == "second" else text
    more = ", ".join(filter(None, [cell.sub, cell.tried]))
    return f"{text} ({_escape(more)})" if more else text


def _markdown_cell(cell: Cell) -> str:
    text = cell.text.replace("|", r"\|")
    text = f"**{text}**" if cell.mark == "best" else text
    text = f"<u>{text}</u>" if cell.mark == "second" else text
    return f"{text} {cell.below}".strip()
