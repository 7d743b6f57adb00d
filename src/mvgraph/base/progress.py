"""Progress of a fit: calls of a callback, and the time of every stage."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Callback", "StageTimer"]

logger = logging.getLogger("mvgraph")

#: Called with (steps done, number of steps or None, record with ``seconds``).
Callback = Callable[[int, int | None, dict[str, Any]], Any]


class StageTimer:
    """Time the stages of a fit and report their steps.

    Examples
    --------
    >>> from mvgraph.base.progress import StageTimer
    >>> seen = []
    >>> stages = StageTimer(lambda step, total, record: seen.append((step, total)))
    >>> with stages("count", 2) as progress:
    ...     progress()
    ...     progress()
    >>> seen, [record["stage"] for record in stages.history]
    ([(0, 2), (1, 2), (2, 2)], ['count'])
    """

    def __init__(self, callback: Callback | None = None) -> None:
        self.callback = callback
        self.history: list[dict[str, Any]] = []

    @contextmanager
    def __call__(
        self, name: str, total: int | None = None
    ) -> Iterator[Callable[[], None]]:
        """Run one stage; yields a function to be called after each of its steps."""
        start, done = time.perf_counter(), 0

        def report() -> None:
            if self.callback is not None:
                seconds = time.perf_counter() - start
                self.callback(done, total, {"stage": name, "seconds": seconds})

        def progress() -> None:
            nonlocal done
            done += 1
            report()

        report()
        yield progress
        seconds = time.perf_counter() - start
        logger.info("%s: %d steps, %.3f s", name, done, seconds)
        self.history.append({"stage": name, "seconds": seconds})

    def after_step(self, total: int) -> Callable[[int, dict[str, Any]], Any] | None:
        """Return the callback for :func:`mvgraph.base.iteration.iterate`, or None."""
        callback = self.callback
        if callback is None:
            return None
        return lambda i, entry: callback(i + 1, total, entry)
