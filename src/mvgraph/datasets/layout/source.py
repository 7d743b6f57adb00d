"""The named variables of a file as stored, passed on by its reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from mvgraph.datasets.layout.report import Log
from mvgraph.tables.encoders import Encoders
from mvgraph.tables.options import ALL_COLUMNS, TableOptions
from mvgraph.views.identifiers import SAID_NOTHING, SaidOfNames, objects
from mvgraph.views.lazy import EAGER, LazyArray

HINT = (
    'key_map={"views": [...], "labels": "..."} (on the command line --views A,B'
    " --labels C)"
)


#: Characters up to which NumPy may give every text the room of the longest: names of
#: samples and classes are shorter.
PADDED = 256


@dataclass(frozen=True)
class ReadOptions:
    """Options of the caller for reading a file, and the log to report to."""

    label_name: str | None = None
    views: tuple[str, ...] = ()
    orientation: str | None = None
    join: str = "strict"
    without_labels: bool = False
    memory_limit: int | None = None
    said: SaidOfNames = SAID_NOTHING
    tables: TableOptions = ALL_COLUMNS
    encoders: Encoders | None = None  # of a fit: the columns become what they were
    look: bool = False  # the data are described, not used: nothing is refused
    eager_bytes: int = EAGER  # larger arrays stay in the file, where it allows that
    #: Called with the rows of a table, once these are known and before they are read.
    admit: Callable[[int], None] | None = None
    parts: tuple[Any, ...] = ()  # `Part`s, where several files are one table
    log: Log = field(default_factory=Log)

    def admit_rows(self, n: int) -> None:
        """Let the caller refuse so many samples, where every row becomes one."""
        some = self.join == "inner" or self.tables.impute == "drop-rows"
        if self.admit is not None and not some and self.orientation != "columns":
            self.admit(n)

    def names_of_views(self) -> tuple[str, ...]:
        """Return every view name given by the caller, including parts."""
        flat: list[str] = []
        for view in self.views:
            flat += [view] if isinstance(view, str) else list(view)
        return tuple(flat)


@dataclass(frozen=True)
class Source:
    """Variables of one file or folder, in stored order.

    A value is a numeric array, a sparse matrix, an array of strings, a list (MATLAB
    cell or struct array) or a dict (struct); anything else is foreign.
    """

    path: Path
    kind: str
    variables: dict[str, Any]
    options: ReadOptions  # of the caller
    ids: np.ndarray | None = None
    views: tuple[str, ...] = ()  # set where the layout itself says what is a view
    rows_first: bool = False  # Python and table formats keep samples in rows
    settled: bool = False  # the reader has put samples into rows already
    features: Mapping[str, Sequence[str]] = field(default_factory=dict)
    widths: Mapping[str, int] = field(default_factory=dict)  # of views to be expected
    encoders: Encoders | None = None  # what was learned of the columns of tables

    @property
    def log(self) -> Log:
        """Where it is reported how the file was read."""
        return self.options.log

    def get(self, name: str) -> Any:
        """Return a variable by name; ``a.b`` is field ``b`` of struct ``a``."""
        value: Any = self.variables
        for part in [name] if name in self.variables else name.split("."):
            if not isinstance(value, dict) or part not in value:
                raise self.error(f"there is no variable {name!r}", "name one of these")
            value = value[part]
        return value

    def error(
        self, what: str, remedy: str = f"name the views with {HINT}"
    ) -> ValueError:
        """Return an error with the variables found and the argument that helps."""
        return ValueError(
            f"{self.path.name} ({self.kind}): {what}. "
            f"Found: {describe_all(self.variables)}. {remedy[0].upper()}{remedy[1:]}."
        )


def is_matrix(value: Any) -> bool:
    """Return whether a value is a numeric matrix: dense, sparse or in a file."""
    if sparse.issparse(value) or isinstance(value, LazyArray):
        return True
    return isinstance(value, np.ndarray) and value.ndim == 2 and is_numeric(value)


def is_numeric(value: Any) -> bool:
    """Return whether a value is an array of numbers (also complex) or booleans."""
    return isinstance(value, np.ndarray) and value.dtype.kind in "buifc"


def is_strings(value: Any) -> bool:
    """Return whether a value is an array of strings."""
    if not isinstance(value, np.ndarray) or not value.size:
        return isinstance(value, np.ndarray) and value.dtype.kind in "US"
    cells = value.flat if value.dtype.kind == "O" else ()
    return value.dtype.kind in "US" or (
        value.dtype.kind == "O" and all(isinstance(cell, str) for cell in cells)
    )


def strings(cells: Iterable[Any]) -> np.ndarray:
    """Return texts as an array, as objects if one is long."""
    texts = [str(cell) for cell in cells]
    is_long = max(map(len, texts), default=0) > PADDED
    return objects(texts) if is_long else np.array(texts, dtype=str)


def describe(value: Any) -> str:
    """Describe a stored value in a few words."""
    if sparse.issparse(value):
        return f"{_size(value.shape)} sparse {value.dtype}"
    if is_strings(value):
        return f"{value.size} string(s)"
    if isinstance(value, np.ndarray | LazyArray):
        return f"{_size(value.shape)} {value.dtype}"
    if isinstance(value, list):
        inner = ", ".join(describe(item) for item in value[:3])
        return f"cell of {len(value)} ({inner}{', ...' if len(value) > 3 else ''})"
    if isinstance(value, dict):
        return f"struct ({', '.join(value)})"
    return type(value).__name__


def describe_all(variables: dict[str, Any]) -> str:
    """List variables with short descriptions, the first twelve."""
    if not variables:
        return "no variables at all"
    shown = [f"{name}: {describe(value)}" for name, value in variables.items()]
    more = [f"and {len(shown) - 12} more"] if len(shown) > 12 else []
    return "; ".join(shown[:12] + more)


def _size(shape: tuple[int, ...]) -> str:
    return " x ".join(str(side) for side in shape) or "scalar"
