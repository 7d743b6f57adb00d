"""The command line: parse, call, print. What is computed stands elsewhere."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

import typer

from mvgraph.cli import _bench, _cluster, _datasets, _look, _predict
from mvgraph.cli._app import app, complain, printable

__all__ = ["app", "main"]

INTERRUPTED = 130  # exit status after Ctrl-C, as shells count

#: Every command registers itself with the application as its module is imported.
COMMANDS = (_cluster, _predict, _look, _datasets, _bench)


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
        return complain("interrupted", INTERRUPTED)
    except Exception as error:
        if not hasattr(error, "format_message"):  # no usage error but a defect
            raise
        return complain(f"{error.format_message()} (see mvgraph --help)")
    if result == INTERRUPTED:  # typer has caught the Ctrl-C
        return complain("interrupted", INTERRUPTED)
    return result if isinstance(result, int) else 0


def _show_warning(message: Any, *_: Any, **__: Any) -> None:
    print("warning: " + printable(" ".join(str(message).split())), file=sys.stderr)
