"""The application: the options of all commands, and how errors end."""

from __future__ import annotations

import dataclasses
import errno
import inspect
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from mvgraph._version import __version__
from mvgraph.cli import _ends, _log

# Heavy imports (NumPy, scikit-learn, rich tables) stand inside the commands, so that
# --help answers at once.

METHOD = "graph-consensus"


class Format(StrEnum):
    """How standard error is written."""

    text = "text"
    json = "json"


@dataclass(frozen=True)
class Everywhere:
    """The options of all commands, which may also stand before a command."""

    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Say only warnings and errors.")
    ] = False
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Say what the library logs, too.")
    ] = False
    log_format: Annotated[
        Format | None,
        typer.Option(
            "--log-format", help="json: standard error has one JSON object a line."
        ),
    ] = None

    def apply(self) -> None:
        """Add these options to those that stood before the command."""
        form = None if self.log_format is None else self.log_format is Format.json
        _log.set_options(self.quiet, self.verbose, form)


class _Strict:
    """Refuse an option in the place of a value: it would be taken for the value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Check the arguments of a command, then parse them."""
        options = [p for p in self.get_params(ctx) if p.param_type_name == "option"]  # type: ignore[attr-defined]
        names = {n for p in options for n in (*p.opts, *p.secondary_opts)}
        valued = {n for p in options if not (p.is_flag or p.count) for n in p.opts}
        words = args[: args.index("--")] if "--" in args else args
        for word, value in pairwise(words):
            name = value.partition("=")[0]
            if word in valued and (name in names or value[:2] in names - {"--"}):
                ctx.fail(f"{word} needs a value, and {value} is an option")
        return super().parse_args(ctx, args)  # type: ignore[misc]


class Command(_Strict, TyperCommand):
    """A command, strict about values."""


class Commands(_Strict, TyperGroup):
    """End with one line on stderr and status 2 when the input was bad."""

    def invoke(self, ctx: Any) -> Any:
        """Call the command and turn what went wrong into an exit status."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise typer.Exit(_ends.reader_gone()) from error
        except (ValueError, OSError, ImportError, MemoryError) as error:
            status = _log.complain(explain(error), status_of(error))
            raise typer.Exit(status) from error


class Application(typer.Typer):
    """Commands with the options of all; a parameter may be a dataclass of options."""

    def __init__(self, help: str, **more: Any) -> None:
        super().__init__(
            cls=Commands,
            help=help,
            add_completion=False,
            pretty_exceptions_enable=False,
            rich_markup_mode=None,
            **more,
        )
        self.callback()(lambda: None)

    def command(self, name: str | None = None, **more: Any) -> Any:
        """Register a command."""
        return _registering(super().command(name, cls=Command, **more))

    def callback(self, **more: Any) -> Callable[[Any], Any]:
        """Register what stands before the commands."""
        return _registering(super().callback(**more))


def _registering(register: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def decorate(function: Any) -> Any:
        register(_expanded(function))
        return function

    return decorate


def _expanded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function take the fields of its dataclasses, and the options of all."""
    hints = get_type_hints(function, include_extras=True)
    given = inspect.signature(function).parameters
    groups = {n: hints[n] for n in given if dataclasses.is_dataclass(hints[n])}
    signature = []
    for name, parameter in given.items():
        plain = parameter.replace(annotation=hints[name])
        signature += _fields(groups[name]) if name in groups else [plain]
    signature += _fields(Everywhere)

    def call(**values: Any) -> Any:
        _take(Everywhere, values).apply()
        for name, group in groups.items():
            values[name] = _take(group, values)
        return function(**values)

    call.__name__, call.__doc__ = function.__name__, function.__doc__
    call.__annotations__ = {p.name: p.annotation for p in signature}
    keyword = inspect.Parameter.KEYWORD_ONLY
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [parameter.replace(kind=keyword) for parameter in signature]
    )
    return call


def _fields(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=hints[field.name],
            default=inspect.Parameter.empty
            if field.default is dataclasses.MISSING
            else field.default,
        )
        for field in dataclasses.fields(group)
    ]


def _take(group: Any, values: dict[str, Any]) -> Any:
    return group(**{f.name: values.pop(f.name) for f in dataclasses.fields(group)})


app = Application(
    "Cluster samples that are described by several views.\n\n--log-format, --verbose "
    "and --quiet may stand before or after the command.",
    epilog=(
        "Exit status: 0 done; 1 a defect of mvgraph; 2 bad arguments or input; 3 does "
        "not fit into the memory or the limit; 130 interrupted (Ctrl-C); 141 the "
        "reader of the output has gone; 143 terminated."
    ),
)
model_app = Application("Models that cluster --save has written.")
datasets_app = Application("Built-in data sets, and what is in a file.")
app.add_typer(datasets_app, name="datasets")
app.add_typer(model_app, name="model")


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


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.")
    ] = False,
) -> None:
    """Show the version or the help; else a command follows."""
    if version:
        print(__version__)
    elif context.invoked_subcommand is None:
        print(context.get_help())


def status_of(error: Exception) -> int:
    """Return the exit status of what a user can mend."""
    from mvgraph.ops.memory import TooLargeError

    unfit = isinstance(error, MemoryError | TooLargeError)
    return _log.UNFIT if unfit else _log.BAD


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


def import_from_here() -> None:
    """Let ``package.module:Class`` name a class in the working folder."""
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)  # at the end: it hides no installed package


def split_names(text: str | None, option: str) -> list[str] | None:
    """Split A,B,C; None where the option is not given."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if "" in names:
        raise ValueError(
            f"{option}={text!r} holds an empty name; write names as A,B,C, or leave "
            f"{option} out"
        )
    return names


def print_json(value: Any) -> None:
    print(json.dumps(value, allow_nan=False))
