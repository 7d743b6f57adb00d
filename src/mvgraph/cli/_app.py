"""The application: the options of all commands, and how errors end."""

from __future__ import annotations

import dataclasses
import errno
import inspect
import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer import Argument, Option
from typer.core import TyperCommand, TyperGroup

from mvgraph._version import __version__
from mvgraph.cli import _ends, _log

# Heavy imports (NumPy, scikit-learn, rich tables) are inside the commands, so that
# --help answers at once.

METHOD = "graph-consensus"
#: Options with a second name.
SHORT = {"output": ["-o"], "quiet": ["-q"]}
#: A parameter in a docstring.
ENTRY = re.compile(r"^(\w+)(?: : (.+))?\n((?:    .+\n?)+)", re.MULTILINE)
MethodName = Annotated[
    str,
    Option(
        metavar="NAME|MODULE:CLASS",
        help="See mvgraph methods; or the class of another method.",
    ),
]
Seed = Annotated[int, Option(min=0, help="Seed of all random choices.")]
LABELS = "A .csv, .tsv, .parquet, .h5ad or .h5mu file; default: standard output."
LabelsFile = Annotated[Path | None, Option("--output", "-o", help=LABELS)]
NORMALISE = "Match names regardless of Unicode form, outer blanks and case."
NormaliseIds = Annotated[bool, Option("--normalise-ids", help=NORMALISE)]
AsJson = Annotated[bool, Option("--json", help="Print JSON and nothing else.")]


@dataclass(frozen=True)
class Everywhere:
    """The options of all commands, which may also come before a command.

    Parameters
    ----------
    quiet
        Show only warnings and errors.
    verbose
        Show the log of the library too.
    log_format
        json: write one JSON object per line on standard error.
    """

    quiet: bool = False
    verbose: bool = False
    log_format: Literal["text", "json"] | None = None


class _Strict:
    """Reject an option where a value is expected: it would be taken for the value."""

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
    """End with one line on standard error and status 2 when the input was bad."""

    def invoke(self, ctx: Any) -> Any:
        """Call the command and turn an error into an exit status."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise typer.Exit(_ends.reader_gone()) from error
        except (ValueError, OSError, ImportError, MemoryError) as error:
            raise typer.Exit(_log.complain(*_explain(error))) from error


def _explain(error: Exception) -> tuple[str, int]:
    """Return the message and the exit status of an error that the user can fix."""
    from mvgraph.base.limits import LimitError
    from mvgraph.ops.memory import TooLargeError

    if isinstance(error, LimitError | TooLargeError):
        return str(error), _log.UNFIT
    if isinstance(error, MemoryError):
        advice = "use fewer samples or a cheaper method"
        return f"not enough memory ({error}); {advice}", _log.UNFIT
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}; check the path", _log.BAD
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EIO):
        # an error of a file has its name
        return f"standard output: {error.strerror}", _log.BAD
    return str(error), _log.BAD


class Application(typer.Typer):
    """Commands with the options of all; a parameter may be a dataclass of options."""

    def __init__(self, help: str, **more: Any) -> None:
        more |= {"add_completion": False, "pretty_exceptions_enable": False}
        more |= {"rich_markup_mode": None}
        super().__init__(cls=Commands, help=help, **more)
        self.callback()(lambda: None)

    def command(self, name: str | None = None, **more: Any) -> Any:
        """Register a command."""
        register = super().command(name, cls=Command, **more)
        return lambda function: register(_expanded(function))

    def callback(self, **more: Any) -> Callable[[Any], Any]:
        """Register what runs before the commands."""
        register = super().callback(**more)
        return lambda function: register(_expanded(function))


def _expanded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function the fields of its dataclasses, and the shared options."""
    groups: dict[str, Any] = {}
    signature: list[inspect.Parameter] = []
    for name, parameter in _parameters(function).items():
        if dataclasses.is_dataclass(parameter.annotation):
            groups[name] = parameter.annotation
            signature += _parameters(groups[name]).values()
        else:
            signature.append(parameter)
    signature += _parameters(Everywhere).values()

    def call(**values: Any) -> Any:
        _log.set_options(**{key: values.pop(key) for key in _parameters(Everywhere)})
        for name, group in groups.items():
            values[name] = group(**{key: values.pop(key) for key in _parameters(group)})
        return function(**values)

    call.__name__, call.__doc__ = function.__name__, _told(function)[0] or None
    call.__annotations__ = {p.name: p.annotation for p in signature}
    keyword = inspect.Parameter.KEYWORD_ONLY
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [parameter.replace(kind=keyword) for parameter in signature]
    )
    return call


def _parameters(function: Any) -> dict[str, inspect.Parameter]:
    """Return the parameters; docstrings describe those that are not annotated."""
    kinds = function.__mro__[::-1] if isinstance(function, type) else (function,)
    told = {name: words for kind in kinds for name, words in _told(kind)[1].items()}
    found = inspect.signature(function, eval_str=True).parameters
    return {
        name: _declared(parameter, *told[name]) if name in told else parameter
        for name, parameter in found.items()
    }


def _declared(parameter: inspect.Parameter, metavar: str, words: str) -> Any:
    """Return an option, or an argument if there is no default."""
    kind, name = parameter.annotation, parameter.name.replace("_", "-")
    about: Any = {"metavar": metavar or None, "help": " ".join(words.split())}
    names = [f"--{name}", *SHORT.get(name, ())]
    needed = parameter.default is parameter.empty
    declared = Argument(**about) if needed else Option(*names, **about)
    return parameter.replace(annotation=Annotated[kind, declared])


def _told(function: Any) -> tuple[str, dict[str, tuple[str, str]]]:
    """Return what a docstring says of a command, and of its parameters.

    A parameter has a sign for its value and a help: ``name : SIGN``, lines below it.
    """
    words = inspect.getdoc(function) or ""
    about, _, parameters = words.partition("\n\nParameters\n----------\n")
    found = ENTRY.findall(parameters)
    return about, {name: (metavar, words) for name, metavar, words in found}


app = Application(
    "Cluster samples that are described by several views.\n\n--log-format, --verbose "
    "and --quiet may come before or after the command.",
    epilog=(
        "Exit status: 0 done; 1 a defect of mvgraph; 2 bad arguments or input; 3 does "
        "not fit into the memory or the limit; 4 the data have moved (--fail-on); 129 "
        "the terminal was closed; 130 "
        "interrupted (Ctrl-C); 141 the "
        "reader of the output has gone; 143 terminated."
    ),
)
model_app = Application("Models written by mvgraph cluster --save.")
datasets_app = Application("Built-in data sets, and what is in a file.")
app.add_typer(datasets_app, name="datasets")
app.add_typer(model_app, name="model")


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: bool = False,
) -> None:
    """Show the version or the help, unless a command follows.

    Parameters
    ----------
    version
        Show the version and exit.
    """
    if version:
        print(__version__)
    elif context.invoked_subcommand is None:
        print(context.get_help())


def import_from_here(*folders: Path) -> None:
    """Let ``package.module:Class`` name a class in the working folder, or in others."""
    for folder in map(str, (Path.cwd(), *(each.resolve() for each in folders))):
        if folder not in sys.path:
            sys.path.append(folder)  # at the end: it hides no installed package


def split_names(text: str | None, option: str, comma: str = ",") -> list[str] | None:
    """Split A,B,C; None where the option is not given."""
    if text is None:
        return None
    names = [name.strip() for name in re.split(comma, text)]
    if "" in names:
        raise ValueError(
            f"{option}={text!r} contains an empty name; write the names as A,B,C, or "
            f"leave {option} out"
        )
    return names


def print_json(value: Any, dataset: Any = None) -> None:
    """Print one value as JSON, with how its data set was read from a file."""
    if dataset is not None and dataset.reading is not None:
        value = value | {"reading": dataset.reading.to_dict()}
    print(json.dumps(value, allow_nan=False))
