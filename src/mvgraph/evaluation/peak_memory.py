"""Peak private memory of this process while code runs."""

from __future__ import annotations

import threading
from types import TracebackType

from mvgraph.ops.memory import private_bytes


class PeakMemory:
    """Sample the private memory of the process while a block runs.

    ``peak_mb`` is the largest value found, in MiB, including interpreter and data; None
    on systems other than Linux. Only private pages count: the maximum resident size
    would include the pages of memory-mapped files.

    Examples
    --------
    >>> from mvgraph.evaluation.peak_memory import PeakMemory
    >>> with PeakMemory() as memory:
    ...     total = sum(range(1000))
    >>> memory.peak_mb is None or memory.peak_mb > 1
    True
    """

    def __init__(self, interval: float = 0.01) -> None:
        self.peak_mb: float | None = None
        self._interval = interval
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> PeakMemory:
        self._look()
        if self.peak_mb is not None:
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        self._look()

    def _watch(self) -> None:
        while not self._stop.wait(self._interval):
            self._look()

    def _look(self) -> None:
        now = private_mb()
        if now is not None:
            self.peak_mb = max(now, self.peak_mb or 0.0)


def private_mb() -> float | None:
    """Return the private resident memory in MiB, or None if it is unknown."""
    found = private_bytes()
    return None if found is None else found / 2**20
