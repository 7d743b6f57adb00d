"""The bibliography: entries of ``references.bib`` by key."""

from __future__ import annotations

import re
from importlib import resources

__all__ = ["read_references"]

#: An entry ends with the first brace that stands alone on a line.
ENTRY = re.compile(r"^@\w+\{([^,\s]+),\n.*?^\}$", re.MULTILINE | re.DOTALL)


def read_references() -> dict[str, str]:
    """Return the text of every BibTeX entry by its key, in the order of the file."""
    file = resources.files("mvgraph.base").joinpath("references.bib")
    text = file.read_text(encoding="utf-8")
    return {entry[1]: entry[0] for entry in ENTRY.finditer(text)}
