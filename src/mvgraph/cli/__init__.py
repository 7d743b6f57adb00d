"""The command line: parse, call, print. Everything that is computed is elsewhere."""

from __future__ import annotations

import sys
import warnings
from functools import cache
from typing import Any

# Nothing large is imported here: signals are caught before anything slow begins.
from mvgraph.cli import _ends, _log

__all__ = ["app", "main"]


def main(args: list[str] | None = None) -> None:
    """Run the command line; see ``mvgraph --help`` for the exit statuses."""
    _ends.open_descriptors()
    with _ends.Signals(to_the_end=args is None) as signals:
        try:
            words = sys.argv[1:] if args is None else args
            status = _ends.guarded(lambda: _run(words), signals)
            _log.finish(status)
        finally:
            _log.forget()
        _ends.leave(status, signals)


def _run(words: list[str]) -> int:
    """Run a command and return its exit status; bad usage is reported in one line."""
    _log.begin(words)
    import typer

    usage_error: Any = typer.BadParameter.__base__  # click is not imported by name
    with warnings.catch_warnings(action="ignore"):  # others are for developers
        for category in (UserWarning, RuntimeWarning):
            warnings.simplefilter("default", category)
        warnings.showwarning = lambda message, *_, **__: _log.warn(str(message))
        try:
            result = _command()(words, standalone_mode=False)
        except typer.Abort:
            raise KeyboardInterrupt from None
        except usage_error as error:
            return _log.complain(f"{error.format_message()} (see mvgraph --help)")
        if result == _log.INTERRUPTED:  # typer has caught the Ctrl-C
            raise KeyboardInterrupt
        sys.stdout.flush()
        return result if isinstance(result, int) else 0


@cache
def _command() -> Any:
    """Build the parsers of all commands, once for programs that call several."""
    from typer.main import get_command

    return get_command(_application())


def _application() -> Any:
    """Return the application; every command registers as its module is imported."""
    from mvgraph.cli import (  # noqa: F401
        _bench,
        _cluster,
        _clusters,
        _compare,
        _datasets,
        _demo,
        _evaluate,
        _look,
        _monitor,
        _page,
        _predict,
    )
    from mvgraph.cli._app import app

    return app


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _application()
