r"""Text from data, such as names of sets, views and files, as each output needs it.

Names come from files of others. In an output they are words to read, never commands of
LaTeX, HTML, Markdown, a spreadsheet or a terminal. There is one function for each.
"""

from __future__ import annotations

import html as _html
import re

#: Control characters but tab and line ends, characters that reverse the direction of
#: what follows (Unicode Annex 9, embeddings and overrides), halves of characters.
_HIDDEN = re.compile(
    "[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff\ufffe\uffff]"
)
#: What starts a formula in Excel, LibreOffice and Google Sheets, full-width signs
#: included (OWASP, "CSV injection").
_FORMULA = re.compile("[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
#: In the order of Unicode, from U+03B1; capitals from U+0391.
_GREEK = (
    *("alpha", "beta", "gamma", "delta", "varepsilon", "zeta", "eta", "theta", "iota"),
    *("kappa", "lambda", "mu", "nu", "xi", "omicron", "pi", "rho", "varsigma"),
    *("sigma", "tau", "upsilon", "varphi", "chi", "psi", "omega"),
)
#: LaTeX has no commands for capitals that look like Latin letters.
_CAPITALS = (
    *("Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi"),
    *("Psi", "Omega"),
)
_LATEX = str.maketrans(
    {
        **{c: rf"\{c}" for c in "&%#_${}"},
        # \\ and rules of booktabs take a star or brackets after them as an argument
        **{c: f"{{{c}}}" for c in "[]*"},
        **{chr(0x3B1 + i): rf"$\{name}$" for i, name in enumerate(_GREEK)},
        "\N{GREEK SMALL LETTER OMICRON}": "$o$",
        "\N{MICRO SIGN}": r"$\mu$",
        **{
            chr(0x391 + i): rf"$\{name.removeprefix('var').title()}$"
            for i, name in enumerate(_GREEK)
            if name.removeprefix("var").title() in _CAPITALS
        },
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "`": r"\textasciigrave{}",
        "\N{PLUS-MINUS SIGN}": r"$\pm$",
        "\N{MINUS SIGN}": "$-$",
        "\N{EN DASH}": "--",
        "\N{DOUBLE DAGGER}": r"$^\ddagger$",
        "\N{DAGGER}": r"$^\dagger$",
        "\N{BLACK UP-POINTING TRIANGLE}": r"$\uparrow$",
        "\N{BLACK DOWN-POINTING TRIANGLE}": r"$\downarrow$",
        "\N{ALMOST EQUAL TO}": r"$\approx$",
        "\N{MULTIPLICATION SIGN}": r"$\times$",
        "\N{HORIZONTAL ELLIPSIS}": r"\dots{}",
    }
)
#: Signs of CommonMark and of GitHub's tables, formulas, mentions and links. Within a
#: word _ is a letter; some signs mean something at the start of a line only.
_MARKDOWN = re.compile(
    r"[\\`*{}\[\]<>|~&$#@]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)\."
    r"|^[-+=](?![\d.])|(?<=^\d)[.)](?=\s)"
)


def visible(text: str) -> str:
    """Write hidden characters as escapes; lines and letters stay as they are."""
    return _HIDDEN.sub(lambda found: ascii(found[0])[1:-1], text)


def html(text: str) -> str:
    """Return text for HTML, also between quotes in a tag."""
    return _html.escape(visible(text))


def terminal(text: str) -> str:
    r"""Return one line for a terminal: what is not a printable character is an escape.

    Examples
    --------
    >>> from mvgraph.ops.escaping import terminal
    >>> print(terminal("a\x1b[31m\u202eb"))
    a\x1b[31m\u202eb
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def latex(text: str) -> str:
    r"""Return text for LaTeX, in one line.

    Examples
    --------
    >>> from mvgraph.ops.escaping import latex
    >>> print(latex(r"\input{x} 5%"))
    \textbackslash{}input\{x\} 5\%
    """
    return _line(text).translate(_LATEX)


def latex_label(text: str) -> str:
    r"""Return a name for ``\label``: letters, digits and signs without a meaning."""
    return re.sub(r"[^\w:.+/-]", "-", text)


def markdown(text: str) -> str:
    r"""Return text for Markdown, in one line.

    Examples
    --------
    >>> from mvgraph.ops.escaping import markdown
    >>> print(markdown("a|b <script>"))
    a\|b \<script\>
    """
    return _MARKDOWN.sub(lambda found: "\\" + found[0], _line(text))


def no_formula(text: str) -> str:
    """Return free text for a CSV file that people open in a spreadsheet.

    An apostrophe stands before what would start a formula; numbers stay as they are.
    Line ends become line feeds: writers of CSV give a carriage return no quotes. Ids
    and labels are never changed: do not call it for them.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _FORMULA.match(text) is None or _is_number(text):
        return text
    return "'" + text


def with_formulas(text: str) -> str:
    """Undo `no_formula`."""
    return text[1:] if text[:1] == "'" and no_formula(text[1:]) == text else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.isprintable()


def _line(text: str) -> str:
    return terminal(" ".join(text.split()))
