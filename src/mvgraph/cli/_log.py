"""What the program says on standard error: lines for people, or JSON for machines."""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
import traceback
from itertools import pairwise
from typing import Any

__all__ = [
    "BAD",
    "INTERRUPTED",
    "UNFIT",
    "Said",
    "begin",
    "complain",
    "emit",
    "finish",
    "forget",
    "note",
    "printable",
    "say",
    "set_options",
    "settings",
    "tell_defect",
    "warn",
]

#: Exit statuses; 1 is a defect of this program, with a traceback.
DEFECT, BAD, UNFIT, INTERRUPTED = 1, 2, 3, 130


class Said:
    """What is said, and how; one for the whole program."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Go back to what is said without options."""
        self.json = self.quiet = self.verbose = False
        self.start = time.monotonic()


settings = Said()
_lock = threading.Lock()


def begin(words: list[str]) -> None:
    """Forget the options of the run before; bad usage of this one is told as asked."""
    forget()
    before = words[: words.index("--")] if "--" in words else words
    settings.json = "--log-format=json" in before or any(
        pair == ("--log-format", "json") for pair in pairwise(before)
    )


def set_options(quiet: bool, verbose: bool, json: bool | None) -> None:
    """Take over options on what is said, beside those that were given before."""
    settings.quiet |= quiet
    settings.verbose |= verbose
    settings.json = settings.json if json is None else json
    _attach()


def _attach() -> None:
    """With --verbose, show what the library logs."""
    logger = logging.getLogger("mvgraph")
    for handler in logger.handlers[:]:
        if isinstance(handler, _Handler):
            logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)
    if settings.verbose:
        logger.addHandler(_Handler())
        logger.setLevel(logging.DEBUG)


class _Handler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        """Show one record of the library."""
        text = record.getMessage()
        if settings.json:
            emit("log", level=record.levelname.lower(), message=text)
        else:
            say(f"{record.levelname.lower()}: {text}")


def emit(event: str, **fields: Any) -> None:
    """Write one JSON object on a line of its own, with the time and the memory."""
    from mvgraph.ops.memory import private_mb

    held = private_mb()
    record = {
        "event": event,
        **fields,
        "seconds": round(time.monotonic() - settings.start, 3),
        "bytes": None if held is None else int(held * 2**20),
    }
    _write(json.dumps(record, default=str))


def say(text: str) -> None:
    """Write one line for people, control characters as escapes."""
    _write(printable(text))


def _write(line: str) -> None:
    with _lock:
        try:
            sys.stderr.write(line + "\n")
            sys.stderr.flush()
        except (OSError, ValueError):
            return  # nobody listens


def complain(message: str, status: int = BAD) -> int:
    """Say in one line why the program ends, and return the exit status."""
    text = " ".join(message.split())
    if settings.json:
        emit("error", status=status, message=text)
    else:
        say("error: " + text)
    return status


def warn(message: str) -> None:
    """Say what a library warns of, in one line."""
    text = " ".join(message.split())
    if settings.json:
        emit("warning", message=text)
    else:
        say("warning: " + text)


def note(event: str, lines: list[str], **fields: Any) -> None:
    """Say what was done, unless --quiet: lines for people, fields for machines."""
    if settings.quiet:
        return
    if settings.json:
        emit(event, **fields)
        return
    for line in lines:
        say(line)


def tell_defect(error: Exception) -> None:
    """Write a defect as JSON, if that is wanted; Python writes the traceback."""
    if settings.json:
        text = "".join(traceback.format_exception(error))
        message = f"{type(error).__name__}: {error}"
        emit("error", status=DEFECT, message=message, traceback=text)
        raise SystemExit(DEFECT) from error


def finish(status: int) -> None:
    """Say that the program ends, for machines."""
    if settings.json and not settings.quiet:
        emit("end", status=status)


def forget() -> None:
    """Forget the options: the next run has its own."""
    settings.reset()
    _attach()


def printable(text: str) -> str:
    """Write control characters as escapes: names in files may steer a terminal."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
