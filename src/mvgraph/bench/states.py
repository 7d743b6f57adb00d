"""How a trial ended, and the word for it in every table, figure and file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Any

#: Linux counts here how many processes it has killed because memory ran out.
COUNTERS = Path("/proc/vmstat")


class State(StrEnum):
    """How a trial ended: the ``status`` of its record, and what outputs show."""

    FINISHED = "done"
    TIME_LIMIT = "time limit"
    OUT_OF_MEMORY = "out of memory"
    FAILED = "failed"
    SKIPPED = "skipped"  # never started: its data were not found

    @property
    def word(self) -> str:
        """Return the word that outputs show."""
        return "finished" if self is State.FINISHED else self.value

    @property
    def ran(self) -> bool:
        """Return whether the trial was tried: it then counts in ranks."""
        return self is not State.SKIPPED


def main_state(records: Iterable[dict[str, Any]]) -> State:
    """Return the most frequent state of some records; of several, the first one."""
    return State(Counter(r["status"] for r in records).most_common(1)[0][0])


def of_error(error: BaseException) -> State:
    """Return how a trial ended that raised an error."""
    is_memory = isinstance(error, MemoryError)
    return State.OUT_OF_MEMORY if is_memory else State.FAILED


def of_older(record: dict[str, Any]) -> State:
    """Return the state of a record; earlier versions wrote "skipped" for most."""
    reason = record.get("reason", "")
    if record["status"] != State.SKIPPED or record["method"] is None:
        return State(record["status"])
    if record.get("time_limit") is not None and "exceeded the time limit" in reason:
        return State.TIME_LIMIT
    if "MemoryError: " in reason or "LimitError: " in reason or "for memory?" in reason:
        return State.OUT_OF_MEMORY
    return State.FAILED


def kills_for_memory(counters: Path = COUNTERS) -> int | None:
    """Return how many processes this system has killed for memory, if it counts."""
    try:
        lines = counters.read_text().splitlines()
    except OSError:
        return None
    return next((int(s.split()[1]) for s in lines if s.startswith("oom_kill ")), None)


def of_death(
    code: int | None, before: int | None, now: int | None
) -> tuple[State, str]:
    """Return state and reason of a trial whose process ended by itself.

    Parameters
    ----------
    code : int or None
        Exit status of the process; negative: the signal.
    before, now : int or None
        `kills_for_memory` when the trial started and ended. A process that is killed
        (signal 9) while the number rises ran out of memory; anybody can send that
        signal.
    """
    if code is None or code >= 0:
        return State.FAILED, f"the process ended with exit status {code}"
    if code == -9 and now is not None and before is not None:
        if now > before:
            return State.OUT_OF_MEMORY, "killed by the system for memory (signal 9)"
        return State.FAILED, "killed (signal 9), not by the system for memory"
    if code == -9:  # the system does not count: memory is by far the usual reason
        return State.OUT_OF_MEMORY, "killed (signal 9), probably for memory"
    return State.FAILED, f"the process ended by signal {-code}"
