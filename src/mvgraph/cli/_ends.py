"""How the program ends: normally, by a signal, or because its reader is gone."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

from mvgraph.cli import _log

PIPE = 141  # as shells count a process that SIGPIPE ended
#: Exit status and message after a signal.
ENDS = {
    signal.SIGINT: (_log.INTERRUPTED, "interrupted"),
    signal.SIGTERM: (143, "terminated"),
}
if "SIGHUP" in signal.Signals.__members__:  # not on Windows
    ENDS[signal.SIGHUP] = (129, "the terminal was closed")
#: Seconds for cleaning up. A signal is often sent twice at once; a later one means
#: that the user will not wait.
PATIENCE = 2.0


class Signals:
    """Turn SIGINT, SIGTERM and SIGHUP into KeyboardInterrupt while a block runs.

    A signal that was ignored from the start stays ignored: shells do this for
    background processes, and nohup does it.

    Parameters
    ----------
    to_the_end : bool
        The process ends after the block: its work is done, and a signal no longer
        changes anything.
    """

    def __init__(self, to_the_end: bool = False) -> None:
        self.to_the_end = to_the_end
        self.number: signal.Signals | None = None
        self._since = 0.0
        self._before: dict[signal.Signals, Any] = {}
        self._hook = sys.unraisablehook

    def __enter__(self) -> Signals:
        if threading.current_thread() is threading.main_thread():
            normal = (signal.SIG_DFL, signal.default_int_handler)
            for number in ENDS:
                if signal.getsignal(number) in normal:
                    self._before[number] = signal.signal(number, self._stop)
            sys.unraisablehook = self._lost
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_IGN if self.to_the_end else handler)
        sys.unraisablehook = self._hook
        logging.disable(logging.NOTSET)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self.number is None:
            self.number, self._since = signal.Signals(number), time.monotonic()
            logging.disable()  # only one line follows
            raise KeyboardInterrupt
        if time.monotonic() - self._since > PATIENCE:
            os._exit(ENDS[self.number][0])

    def _lost(self, unraisable: Any) -> None:
        """Raise again an interrupt that a callback or destructor could not pass on."""
        if self.number is None or unraisable.exc_type is not KeyboardInterrupt:
            self._hook(unraisable)
            return
        number, self.number = self.number, None
        threading.Timer(0.01, os.kill, (os.getpid(), number)).start()


def guarded(run: Callable[[], int], signals: Signals) -> int:
    """Run the program; return its exit status, whatever ended it."""
    try:
        return run()
    except KeyboardInterrupt:
        pass
    except BrokenPipeError:
        return reader_gone()
    except Exception as error:
        if signals.number is None:
            _drop_output()
            if isinstance(error, OSError) and error.filename is None:
                return _log.complain(f"standard output: {error.strerror or error}")
            _log.report_defect(error)
            raise
    number = signal.SIGINT if signals.number is None else signals.number
    status, text = ENDS[number]
    return _log.complain(text, status)


def reader_gone() -> int:
    """End quietly: the reader, for example head, has stopped reading."""
    _drop_output()
    return PIPE


def _drop_output() -> None:
    """Discard output that cannot be written: Python would try again as it ends."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def leave(status: int, signals: Signals) -> None:
    """End the process. After a signal, wait for no thread of a library."""
    if signals.number is not None:
        if scratch := sys.modules.get("mvgraph.persistence.scratch"):
            scratch.remove_folder_of_process()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(status)
    sys.exit(status)


def open_descriptors() -> None:
    """Open descriptors that the caller closed: a file would become standard output."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    for name in ("stdout", "stderr"):
        if vars(sys)[name] is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
