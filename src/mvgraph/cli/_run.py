"""Call the command that was asked for; every command registers as it is imported."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import typer

from mvgraph.cli import _bench, _cluster, _datasets, _demo, _log, _look, _predict
from mvgraph.cli._app import app
from mvgraph.cli._log import INTERRUPTED

__all__ = ["COMMANDS", "app", "run"]

OF_DEVELOPERS = (
    DeprecationWarning,
    FutureWarning,
    PendingDeprecationWarning,
    ResourceWarning,
)
#: Of click, which newer versions of typer bring along.
UsageError: Any = typer.BadParameter.__base__
COMMANDS = (_cluster, _predict, _look, _datasets, _bench, _demo)


def run(args: list[str]) -> int:
    """Run a command and return its exit status; bad usage is told in one line."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        for category in OF_DEVELOPERS:
            warnings.simplefilter("ignore", category)
        warnings.showwarning = _show_warning
        try:
            result = app(args, standalone_mode=False)
        except typer.Abort:
            raise KeyboardInterrupt from None
        except UsageError as error:
            return _log.complain(f"{error.format_message()} (see mvgraph --help)")
        if result == INTERRUPTED:  # typer has caught the Ctrl-C
            raise KeyboardInterrupt
        sys.stdout.flush()
        return result if isinstance(result, int) else 0


def _show_warning(message: Any, *_: Any, **__: Any) -> None:
    _log.warn(str(message))
