"""The command line: parse, call, print. What is computed stands elsewhere."""

from __future__ import annotations

import json
import os
import sys
import warnings
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from mvgraph import __version__
from mvgraph import _terminal as show

# Heavy imports (NumPy, scikit-learn, rich tables) stand inside the commands, so that
# --help answers at once.


class Commands(TyperGroup):
    """End with one line on stderr and status 2 when the input was bad."""

    def invoke(self, ctx: Any) -> Any:
        """Call the command and turn what went wrong into an exit status."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except (ValueError, OSError, ImportError, MemoryError) as error:
            raise typer.Exit(_complain(_explain(error))) from error


app = typer.Typer(
    cls=Commands,
    help="Cluster samples that are described by several views.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
datasets_app = typer.Typer(help="Built-in data sets, and what is in a file.")
app.add_typer(datasets_app, name="datasets")


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


Data = Annotated[
    str, typer.Argument(metavar="DATA", help="File, folder or built-in data set.")
]
MethodName = Annotated[
    str, typer.Option("--method", help="Name of a method; see mvgraph methods.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of all random choices.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
ViewKeys = Annotated[
    str | None,
    typer.Option("--views", help="Variable(s) of the file that hold the views: A,B,C."),
]
LabelKey = Annotated[
    str | None, typer.Option("--labels", help="Variable of the file with the labels.")
]
Orient = Annotated[
    Orientation | None,
    typer.Option("--orientation", help="Where the samples are, if not evident."),
]

METHOD = "graph-consensus"
DEMO_METHODS = ["graph-consensus", "mgl", "kmeans-concat"]


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.")
    ] = False,
) -> None:
    """Cluster samples that are described by several views."""
    if version:
        print(__version__)
    elif context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
def cluster(
    data: Data,
    n_clusters: Annotated[int, typer.Option("--n-clusters", help="How many clusters.")],
    method: MethodName = METHOD,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="CSV file; default: standard output."),
    ] = None,
    seed: Seed = 0,
    views: ViewKeys = None,
    labels: LabelKey = None,
    orientation: Orient = None,
) -> None:
    """Cluster the samples of DATA and write one label a sample as CSV."""
    from mvgraph import _output, methods

    if output is not None:
        _output.check_target(output)
    model = methods.get(method).make(n_clusters, seed)
    dataset = _open(data, views, labels, orientation)
    with show.progress(f"{method} on {dataset.name}"):
        model.fit(dataset.views)
    text = _output.labels_csv(dataset.ids, model.labels_)
    if output is None:
        print(text, end="")
    else:
        _output.replace_text(output, text)


@app.command()
def evaluate(
    data: Data,
    method: MethodName = METHOD,
    preset: Annotated[
        Preset, typer.Option(help="paper: the settings of the publication.")
    ] = Preset.default,
    order: Annotated[
        Order, typer.Option(help="published: keep the order of the file.")
    ] = Order.shuffled,
    seed: Seed = 0,
    repeats: Annotated[
        int, typer.Option(min=1, help="Repeat r uses the seed S + r.")
    ] = 1,
    n_clusters: Annotated[
        int | None,
        typer.Option("--n-clusters", help="Default: the number of classes."),
    ] = None,
    as_json: AsJson = False,
    views: ViewKeys = None,
    labels: LabelKey = None,
    orientation: Orient = None,
) -> None:
    """Cluster labelled DATA and score the result."""
    from mvgraph import evaluation

    dataset = _open(data, views, labels, orientation)
    with show.progress(f"{method} on {dataset.name}") as report:
        result = evaluation.evaluate(
            dataset,
            method,
            preset.value,
            order.value,
            seed,
            repeats,
            n_clusters,
            progress=report,
        )
    if as_json:
        _print_json(result)
    else:
        show.print_table(show.score_title(result), *show.score_cells([result]))


@app.command()
def methods(as_json: AsJson = False) -> None:
    """List every method: paper, cost, whether it reads the row order."""
    from mvgraph import methods as registry

    rows = registry.table()
    if as_json:
        _print_json(rows)
        return
    head = ["name", "title", "year", "cost", "order-free", "N x N"]
    keys = ["name", "title", "year", "cost", "order_free", "needs_n_by_n"]
    show.print_table(
        "Methods", head, [[show.cell(r[key]) for key in keys] for r in rows]
    )


@app.command()
def demo(
    seed: Seed = 0,
    no_report: Annotated[
        bool, typer.Option("--no-report", help="Write no file.")
    ] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Name of the report.")
    ] = Path("report.html"),
) -> None:
    """Cluster the bundled digits with three methods, print scores, write a report."""
    from mvgraph import _catalogue, _output, evaluation

    if not no_report:
        _output.check_target(output)
    dataset = _catalogue.open_data("digits")
    with show.progress("digits") as report:
        rows = evaluation.compare(dataset, DEMO_METHODS, seed=seed, progress=report)
    title = f"Digits: {rows[0]['n']} samples, {rows[0]['views']} views, shuffled rows"
    head, cells = show.score_cells(rows)
    show.print_table(title, head, cells)
    if not no_report:
        text = f"mvgraph {__version__}, seed {seed}, default settings."
        _output.replace_text(output, _output.html_page(title, text, head, cells))
        print(f"report: {output}")


@datasets_app.command("list")
def list_datasets(as_json: AsJson = False) -> None:
    """List the data sets that need no file."""
    from mvgraph._catalogue import BUILT_IN

    rows = [
        {"name": name, "kind": entry.kind, "about": entry.about}
        for name, entry in BUILT_IN.items()
    ]
    if as_json:
        _print_json(rows)
    else:
        head = ["name", "kind", "about"]
        show.print_table("Data sets", head, [list(row.values()) for row in rows])


@datasets_app.command("info")
def info(
    data: Data,
    as_json: AsJson = False,
    views: ViewKeys = None,
    labels: LabelKey = None,
    orientation: Orient = None,
) -> None:
    """Show what mvgraph understands of a file: samples, views, classes."""
    from mvgraph._catalogue import describe

    result = describe(data, *_reading(views, labels, orientation))
    if as_json:
        _print_json(result)
        return
    classes = f"{result['k']} classes" if result["k"] else "no labels"
    head = list(result["views"][0])
    cells = [[show.cell(value) for value in view.values()] for view in result["views"]]
    show.print_table(f"{result['name']}: {result['n']} samples, {classes}", head, cells)
    if result.get("order_warning"):
        print(result["order_warning"])


def main(args: list[str] | None = None) -> None:
    """Run the command line; bad input ends with one line on stderr and status 2."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        for category in (DeprecationWarning, FutureWarning, PendingDeprecationWarning):
            warnings.simplefilter("ignore", category)
        warnings.showwarning = _show_warning
        sys.exit(_run(args))


def _run(args: list[str] | None) -> int:
    try:
        result = app(args, standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, for example head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted", 130)
    except Exception as error:
        if not hasattr(error, "format_message"):  # no usage error but a defect
            raise
        return _complain(f"{error.format_message()} (see mvgraph --help)")
    return result if isinstance(result, int) else 0


def _explain(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return f"not enough memory ({error}); use fewer samples or a cheaper method"
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}; check the path"
    return str(error)


def _complain(message: str, status: int = 2) -> int:
    print("error: " + " ".join(message.split()), file=sys.stderr)
    return status


def _show_warning(message: Any, *_: Any, **__: Any) -> None:
    print("warning: " + " ".join(str(message).split()), file=sys.stderr)


def _open(
    data: str, views: str | None, labels: str | None, orientation: Orientation | None
) -> Any:
    from mvgraph._catalogue import open_data

    return open_data(data, *_reading(views, labels, orientation))


def _reading(
    views: str | None, labels: str | None, orientation: Orientation | None
) -> tuple[dict[str, Any] | None, str | None]:
    """Turn the options on how to read a file into arguments of datasets.load."""
    key_map: dict[str, Any] = {}
    if views is not None:
        key_map["views"] = views.split(",") if "," in views else views
    if labels is not None:
        key_map["labels"] = labels
    return key_map or None, orientation and orientation.value


def _print_json(value: Any) -> None:
    print(json.dumps(value, allow_nan=False))
