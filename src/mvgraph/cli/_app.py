"""What the commands share: the application, their options, and how errors end."""

from __future__ import annotations

import errno
import json
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from mvgraph._version import __version__
from mvgraph.cli import _ends
from mvgraph.cli._log import BAD, UNFIT, complain, note

# Heavy imports (NumPy, scikit-learn, rich tables) stand inside the commands, so that
# --help answers at once.

METHOD = "graph-consensus"


class Commands(TyperGroup):
    """End with one line on stderr and status 2 when the input was bad."""

    def invoke(self, ctx: Any) -> Any:
        """Call the command and turn what went wrong into an exit status."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise typer.Exit(_ends.reader_gone()) from error
        except (ValueError, OSError, ImportError, MemoryError) as error:
            raise typer.Exit(complain(explain(error), status_of(error))) from error


app = typer.Typer(
    cls=Commands,
    help="Cluster samples that are described by several views.",
    epilog=(
        "Exit status: 0 done; 1 a defect of mvgraph; 2 bad arguments or input; 3 does "
        "not fit into the memory or the limit; 130 interrupted (Ctrl-C); 141 the "
        "reader of the output has gone; 143 terminated."
    ),
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
model_app = typer.Typer(help="Models that cluster --save has written.")
datasets_app = typer.Typer(help="Built-in data sets, and what is in a file.")
app.add_typer(datasets_app, name="datasets")
app.add_typer(model_app, name="model")


class Preset(StrEnum):
    """Settings of the library, or of the publication."""

    default = "default"
    paper = "paper"


class Order(StrEnum):
    """Order of the rows."""

    shuffled = "shuffled"
    published = "published"


class Orientation(StrEnum):
    """Where the samples of a file are."""

    rows = "rows"
    columns = "columns"


class Join(StrEnum):
    """What to do with samples that not every view has."""

    strict = "strict"
    inner = "inner"
    outer = "outer"


Data = Annotated[
    str,
    typer.Argument(metavar="DATA", help="File, folder, built-in or fetched data set."),
]
MethodName = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="NAME|MODULE:CLASS",
        help="See mvgraph methods; or a class of your own.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of all random choices.")]
LabelsFile = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="A .csv, .tsv, .parquet, .h5ad or .h5mu file; default: standard output.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
ViewKeys = Annotated[
    str | None,
    typer.Option("--views", help="Variable(s) of the file that hold the views: A,B,C."),
]
LabelKey = Annotated[
    str | None,
    typer.Option(
        "--labels",
        help="Variable with labels, which is no view; none: read no labels.",
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Say only warnings and errors.")
]
Orient = Annotated[
    Orientation | None,
    typer.Option("--orientation", help="Where the samples are, if not evident."),
]
Joined = Annotated[
    Join,
    typer.Option("--join", help="Samples that a view lacks: refuse, drop or keep."),
]


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.")
    ] = False,
    log_format: Annotated[
        str,
        typer.Option(
            "--log-format",
            metavar="text|json",
            help="json: standard error has one JSON object a line.",
        ),
    ] = "text",
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Say what the library logs, too.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Say only warnings and errors.")
    ] = False,
) -> None:
    """Cluster samples that are described by several views.

    --log-format, --verbose and --quiet may stand before or after the command.
    """  # they are taken out of the arguments before, see _log.take_options
    if version:
        print(__version__)
    elif context.invoked_subcommand is None:
        print(context.get_help())


def status_of(error: Exception) -> int:
    """Return the exit status of what a user can mend."""
    from mvgraph.ops.memory import TooLargeError

    return UNFIT if isinstance(error, MemoryError | TooLargeError) else BAD


def explain(error: Exception) -> str:
    if isinstance(error, MemoryError):
        from mvgraph.base.limits import LimitError

        if isinstance(error, LimitError):
            return str(error)
        return f"not enough memory ({error}); use fewer samples or a cheaper method"
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}; check the path"
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EIO):
        return f"standard output: {error.strerror}"  # files are named
    return str(error)


def show_reading(dataset: Any, quiet: bool) -> None:
    """Say on standard error what was read of a file, and what was left out."""
    found = getattr(dataset, "reading", None)
    if found is not None and not quiet:
        note("read", found.lines(), reading=found.to_dict())


def reading_json(dataset: Any) -> dict[str, Any]:
    """Return the same for a summary in JSON; nothing for sets that are generated."""
    reading = getattr(dataset, "reading", None)
    return {} if reading is None else {"reading": reading.to_dict()}


def import_from_here() -> None:
    """Let ``package.module:Class`` name a class in the working folder."""
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)  # at the end: it hides no installed package


def open_data(
    data: str,
    views: str | None,
    labels: str | None,
    orientation: Orientation | None,
    join: Join = Join.strict,
    quiet: bool = False,
    memory_limit: int | None = None,
    widths: dict[str, int] | None = None,
) -> Any:
    """Open data and report on standard error what was read."""
    from mvgraph import datasets

    options = reading(views, labels, orientation, join)
    dataset = datasets.load(data, **options, memory_limit=memory_limit, widths=widths)
    show_reading(dataset, quiet)
    return dataset


def reading(
    views: str | None,
    labels: str | None,
    orientation: Orientation | None,
    join: Join = Join.strict,
) -> dict[str, Any]:
    """Turn the options on how to read a file into arguments of datasets.load."""
    key_map: dict[str, Any] = {}
    if views is not None:
        names = [name.strip() for name in views.split(",")]
        if "" in names:
            raise ValueError(
                f"--views={views!r} holds an empty name; write the names of variables "
                "as A,B,C, or leave --views out"
            )
        key_map["views"] = names if len(names) > 1 else names[0]
    if labels is not None:
        key_map["labels"] = None if labels == "none" else labels
    return {
        "key_map": key_map or None,
        "orientation": orientation and orientation.value,
        "join": join.value,
    }


def print_json(value: Any) -> None:
    print(json.dumps(value, allow_nan=False))
