"""Options on how DATA is read, on raw counts, and on memory."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer import Option

from mvgraph.cli._app import NormaliseIds, split_names
from mvgraph.cli._log import note

#: How the names of formats that contain cells begin.
FORMATS_OF_CELLS = ("AnnData", "MuData", "10x")

HowCounts = Annotated[
    Literal["raw", "log1p"] | None,
    Option(
        "--counts", help="Raw counts: keep them, or log(1 + x) at one library size."
    ),
]


def parse_bytes(text: str) -> int:
    """Read 4GB, 1.5 GiB, 500M or a plain number of bytes."""
    match = re.fullmatch(r"([0-9]*\.?[0-9]+) *([KMGT]?)(I?)B?", text.strip().upper())
    value = 0
    if match and (match[2] or not match[3]):
        unit = 1024 if match[3] else 1000
        value = int(float(match[1]) * unit ** " KMGT".index(match[2] or " "))
    if value <= 0:
        raise typer.BadParameter(
            f"{text!r} is not a size; write for example 4GB, 500MB or 2GiB"
        )
    return value


MemoryLimit = Annotated[
    int | None,
    Option(
        metavar="SIZE",
        parser=parse_bytes,
        help="Reject what takes more; with an engine, go out of core: 4GB, 500MB.",
    ),
]


Impute = Literal["refuse", "median", "mean", "zero", "neighbors", "drop-rows"]


@dataclass(frozen=True)
class Input:
    """What is read, and how: the options of every command that reads data.

    Parameters
    ----------
    data : DATA...
        File, folder, address, built-in or fetched data set; a pattern, or several
        files, of one table.
    views
        Variable(s) of the file that are the views: A,B,C.
    labels
        Variable with labels, which is not a view; none: read no labels.
    orientation
        Where the samples are, if the file does not show it.
    join
        Samples missing in a view: raise an error, drop or keep them.
    ids : COLUMN
        Column that names the samples; repeatable.
    column : NAME
        Column that is a feature, not a name of samples; repeatable.
    columns : A,B
        Columns of tables to use: names, patterns or TABLE:PATTERN.
    drop : A,B
        Columns not to use.
    kinds : A=KIND
        numeric, categorical, date, date:dmy, date:mdy, text, vector, ignore,
        ordinal:S,M,L.
    impute
        What to do with empty cells of tables.
    schema : YAML
        File with views, columns, ids, kinds, impute; options go before it.
    """

    data: list[str]
    views: str | None = None
    labels: str | None = None
    orientation: Literal["rows", "columns"] | None = None
    join: Literal["strict", "inner", "outer"] = "strict"
    ids: list[str] | None = None
    column: list[str] | None = None
    normalise_ids: NormaliseIds = False
    columns: list[str] | None = None
    drop: list[str] | None = None
    kinds: list[str] | None = None
    impute: Impute | None = None
    schema: Path | None = None

    @property
    def words(self) -> list[str]:
        """The data as they were written."""
        return [self.data] if isinstance(self.data, str) else self.data

    @cached_property
    def place(self) -> Any:
        """Where the data lie on this machine; the name of a data set as it is."""
        from mvgraph.datasets._places import locate

        one = self.words[0] if len(self.words) == 1 else self.words
        return locate(one) or one

    @property
    def path(self) -> Path:
        """What the data are called by, as a path."""
        from mvgraph.datasets._places import path_of

        return path_of(self.place)

    def files(self) -> list[str]:
        """Return the files that are read, addresses and names as they are."""
        from mvgraph.datasets._places import is_address
        from mvgraph.datasets.formats.parts import TableFiles

        if any(map(is_address, self.words)) or not isinstance(self.place, TableFiles):
            return self.words
        return [str(part.path) for part in self.place.files]

    def options(self) -> dict[str, Any]:
        """Return the arguments of `datasets.load` on how the data are read."""
        keys: dict[str, Any] = {}
        views = split_names(self.views, "--views")
        if views is not None:
            keys["views"] = views if len(views) > 1 else views[0]
        if self.labels is not None:
            keys["labels"] = None if self.labels == "none" else self.labels
        names = ("orientation", "join", "ids", "column", "normalise_ids", "impute",
                 "schema")  # fmt: skip
        columns = {
            "columns": _all_names(self.columns, "--columns"),
            "drop": _all_names(self.drop, "--drop"),
            "kinds": _kinds(self.kinds),
        }
        same = {name: vars(self)[name] for name in names}
        return {"key_map": keys or None} | same | columns

    def refuse_after_fit(self) -> None:
        """Refuse what a fit on columns as they are would have to be told."""
        from mvgraph.datasets import _open
        from mvgraph.tables.choosing import refuse_after_fit

        names = ("columns", "drop", "kinds", "impute", "schema")
        said = {name: self.options()[name] for name in names}
        refuse_after_fit(_open.Asked(**said).tables, ())

    def refuse_outer(self, model: Any, method: str) -> None:
        """Refuse to keep what the method does not take, before anything is read.

        Raises
        ------
        ValueError
        """
        from mvgraph.base.checks import needs_every_view

        if self.join == "outer" and needs_every_view(model):
            raise ValueError(
                f"--join outer keeps samples that some view lacks, and {method} needs"
                " every view of every sample: use --join inner, which drops them, or"
                " --method graph-consensus"
            )

    def open(self, memory_limit: int | None = None, **more: Any) -> Any:
        """Read the data; report on standard error what was read and left out."""
        from mvgraph import datasets
        from mvgraph.persistence import scratch

        scratch.collect()
        options = self.options() | {"memory_limit": memory_limit} | more
        dataset = datasets.load(self.place, **options)
        reading = dataset.reading
        if reading is not None:
            note("read", reading.lines(), reading=reading.to_dict())
        return dataset


@dataclass(frozen=True)
class OneInput(Input):
    """The same where another argument follows the data, which are one word then.

    Parameters
    ----------
    data : DATA
        File, folder, address, pattern, built-in or fetched data set.
    """

    data: str  # type: ignore[assignment]


def _all_names(texts: list[str] | None, option: str) -> list[str] | None:
    """Split A,B,C of an option that may be given several times."""
    if texts is None:
        return None
    return [name for text in texts for name in split_names(text, option) or ()]


def _kinds(texts: list[str] | None) -> dict[str, Any]:
    """Read COLUMN=KIND; of an ordinal column COLUMN=ordinal:S,M,L."""
    found: dict[str, Any] = {}
    for text in [part for given in texts or () for part in _kinds_of(given)]:
        column, sign, kind = text.rpartition("=")
        if not sign or not column:
            raise ValueError(
                f"--kinds {text!r} names no kind; write COLUMN=KIND, such as"
                " country=categorical or size=ordinal:S,M,L"
            )
        kind, colon, order = kind.partition(":")
        ordinal = kind == "ordinal" and colon
        found[column] = (
            split_names(order, "--kinds") if ordinal else kind + colon + order
        )
    return found


def _kinds_of(text: str) -> list[str]:
    """Split A=date,B=ignore; the commas of an order, or of a name, are left."""
    from mvgraph.tables.options import KINDS

    parts = re.split(r",(?=[^,=]+=)", text)
    known = all(p.rpartition("=")[2].partition(":")[0] in KINDS for p in parts)
    return parts if known else [text]


def treat_counts(
    dataset: Any, counts: str | None, model: Any = None
) -> tuple[Any, dict[str, float]]:
    """Return the data set with its counts treated, and the library sizes by view.

    Parameters
    ----------
    dataset : Dataset
    counts : {"raw", "log1p"} or None
    model : estimator, optional
        Fitted: new samples are treated like those it was fitted on.
    """
    from mvgraph.tl._views import treat_counts as treat
    from mvgraph.views.lazy import LazyArray

    reading = dataset.reading
    if counts is None and model is None:
        # only files of cells are sure to contain counts
        if reading is None or not reading.format.startswith(FORMATS_OF_CELLS):
            return dataset, {}
    elif counts is None:
        annotation = model.schema_.annotation
        if annotation is None or not annotation.log1p:
            return dataset, {}
    views = dataset.views
    arrays = {
        name: x[slice(None)] if isinstance(x, LazyArray) else x
        for name, x in views.items()
    }
    sizes = treat(arrays, counts, model, "--counts {}")
    if sizes:
        views = views.replace(list(arrays.values()), views.feature_names)
    return dataset._replace(views=views), sizes
