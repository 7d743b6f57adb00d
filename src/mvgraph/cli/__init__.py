"""The command line: parse, call, print. What is computed stands elsewhere."""

from __future__ import annotations

import sys
from typing import Any

# Nothing large is imported here: signals are caught before anything slow begins.
from mvgraph.cli import _ends, _log

__all__ = ["app", "main"]


def main(args: list[str] | None = None) -> None:
    """Run the command line; see ``mvgraph --help`` for the exit statuses."""
    _ends.open_descriptors()
    with _ends.Signals(to_the_end=args is None) as signals:
        try:
            status = _ends.guarded(lambda: _call(args), signals)
            _log.finish(status)
        finally:
            _log.forget()
        _ends.leave(status, signals)


def _call(args: list[str] | None) -> int:
    words = sys.argv[1:] if args is None else args
    _log.begin(words)
    from mvgraph.cli._run import run

    return run(words)


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mvgraph.cli._run import app

    return app
