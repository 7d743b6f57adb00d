"""What is shown on standard error: lines for people, or JSON for programs."""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
import traceback
from itertools import pairwise
from typing import Any

from mvgraph.ops.escaping import terminal

#: Exit statuses; 1 is a defect of this program, with a traceback.
DEFECT, BAD, UNFIT, MOVED, INTERRUPTED = 1, 2, 3, 4, 130


class Settings:
    """What is shown, and how; one for the whole program."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Go back to what is shown without options."""
        self.json = self.quiet = self.verbose = False
        self.warned: list[str] = []  # a page repeats them
        self.start = time.monotonic()
        self.words: list[str] = []


settings = Settings()
_lock = threading.Lock()


def begin(words: list[str]) -> None:
    """Forget the options of the last run; find out how to report bad usage now."""
    forget()
    settings.words = words
    options = words[: words.index("--")] if "--" in words else words
    settings.json = "--log-format=json" in options or any(
        pair == ("--log-format", "json") for pair in pairwise(options)
    )


def set_options(quiet: bool, verbose: bool, log_format: str | None) -> None:
    """Add options to those that were given before the command."""
    settings.quiet |= quiet
    settings.verbose |= verbose
    if log_format is not None:
        settings.json = log_format == "json"
    _attach()


def _attach() -> None:
    """With --verbose, show what the library logs."""
    logger = logging.getLogger("mvgraph")
    logger.removeHandler(_handler)
    logger.setLevel(logging.NOTSET)
    if settings.verbose:
        logger.addHandler(_handler)
        logger.setLevel(logging.DEBUG)


class _Handler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        """Show one record of the library."""
        level = record.levelname.lower()
        _tell("log", level, record.getMessage(), level=level)


_handler = _Handler()


def emit(event: str, **fields: Any) -> None:
    """Write one JSON object on a separate line, with the time and the memory."""
    from mvgraph.ops.memory import private_mb

    private = private_mb()
    record = {
        "event": event,
        **fields,
        "seconds": round(time.monotonic() - settings.start, 3),
        "bytes": None if private is None else int(private * 2**20),
    }
    _write(json.dumps(record, default=str))


def say(text: str) -> None:
    """Write one line for people, control characters as escapes."""
    _write(terminal(text))


def _write(line: str) -> None:
    with _lock:
        try:
            sys.stderr.write(line + "\n")
            sys.stderr.flush()
        except (OSError, ValueError):
            return  # standard error is closed


def complain(message: str, status: int = BAD) -> int:
    """Report in one line why the program ends, and return the exit status."""
    _tell("error", "error", " ".join(message.split()), status=status)
    return status


def warn(message: str) -> None:
    """Show a warning of a library in one line."""
    settings.warned.append(message)
    _tell("warning", "warning", " ".join(message.split()))


def _tell(event: str, kind: str, message: str, **fields: Any) -> None:
    if settings.json:
        emit(event, **fields, message=message)
    else:
        say(f"{kind}: {message}")


def note(event: str, lines: list[str], **fields: Any) -> None:
    """Report what was done, unless --quiet: lines for people, fields for programs."""
    if settings.quiet:
        return
    if settings.json:
        emit(event, **fields)
        return
    for line in lines:
        say(line)


def report_defect(error: Exception) -> None:
    """Write a defect as JSON with --log-format json; else Python writes it."""
    if settings.json:
        text = "".join(traceback.format_exception(error))
        message = f"{type(error).__name__}: {error}"
        emit("error", status=DEFECT, message=message, traceback=text)
        raise SystemExit(DEFECT) from error


def finish(status: int) -> None:
    """Report the end of the program with --log-format json."""
    if settings.json and not settings.quiet:
        emit("end", status=status)


def forget() -> None:
    """Forget the options before the next run."""
    settings.reset()
    _attach()
