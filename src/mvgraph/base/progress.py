"""Progress of a fit: reports to a callback, and the seconds of every stage."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Callback", "Stages"]

#: Called with (steps done, all steps or None, record); the record has ``seconds``.
Callback = Callable[[int, int | None, dict[str, Any]], Any]


class Stages:
    """Time the stages of a fit one after the other.

    Examples
    --------
    >>> from mvgraph.base.progress import Stages
    >>> seen = []
    >>> stages = Stages(lambda step, total, record: seen.append((step, total)))
    >>> with stages("count", 2) as tick:
    ...     tick()
    ...     tick()
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
        """Run one stage; yields a function to call after every step of it."""
        start, done = time.perf_counter(), 0

        def report() -> None:
            if self.callback is not None:
                seconds = time.perf_counter() - start
                self.callback(done, total, {"stage": name, "seconds": seconds})

        def tick() -> None:
            nonlocal done
            done += 1
            report()

        report()
        yield tick
        self.history.append({"stage": name, "seconds": time.perf_counter() - start})

    def after_step(self, total: int) -> Callable[[int, dict[str, Any]], Any] | None:
        """Return what an iterative method calls after every step, if anyone listens."""
        callback = self.callback
        if callback is None:
            return None
        return lambda i, entry: callback(i + 1, total, entry)
