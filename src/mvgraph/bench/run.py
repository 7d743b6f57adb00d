"""Run the trials of a plan, several at a time, each in its own process."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from multiprocessing.connection import wait
from pathlib import Path
from typing import BinaryIO

from mvgraph.bench import processes
from mvgraph.bench.plan import Plan
from mvgraph.bench.processes import Job
from mvgraph.bench.records import (
    Record,
    append,
    code_sha256,
    key_of,
    latest_records,
    open_log,
)
from mvgraph.bench.sets import Found, find_sets
from mvgraph.bench.trial import Trial, environment, serve
from mvgraph.ops.parallel import n_cores, n_threads

__all__ = ["Outcome", "run"]

Progress = Callable[[int, int, Record], None]
TRIAL = tuple(field.name for field in fields(Trial))
#: Processes at a time; more of them only wait for each other.
MOST_JOBS = 1024


@dataclass
class Outcome:
    """Numbers of trials that a run finished, skipped, and found in earlier records.

    ``scored`` of the plan's trials have scores, now or from before; ``warned`` of these
    gave warnings.
    """

    done: int = 0
    skipped: int = 0
    earlier: int = 0
    scored: int = 0
    warned: int = 0

    def count(self, record: Record) -> None:
        """Count a trial that has scores."""
        if record["status"] == "done":
            self.scored += 1
            self.warned += bool(record.get("warnings"))


def run(
    plan: Plan,
    folder: str | Path,
    data: str | Path | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Run the trials of a plan that are not done yet; append a record after each.

    Parameters
    ----------
    plan : Plan
    folder : str or Path
        Folder of ``trials.jsonl``, which is created or continued.
    data : str or Path, optional
        Folder with data sets.
    jobs : int, optional
        Number of trials at a time, which share the cores. Default: one per core. No
        trial uses more threads than ``OMP_NUM_THREADS``, where it is set.
    progress : callable, optional
        Called with (trials done or skipped, trials, last record).

    Raises
    ------
    ValueError
        If none of the sets is found, or another run writes to the folder.

    Notes
    -----
    A trial runs in a new process: its memory is measured separately, and if it is
    killed, by the time limit or by the system, other trials are not affected.
    """
    cores = n_cores()
    jobs = cores if jobs is None else jobs
    if not 1 <= jobs <= MOST_JOBS:
        raise ValueError(f"jobs={jobs} is not between 1 and {MOST_JOBS}")
    threads = n_threads(cores // jobs)
    found = find_sets(plan.sets, None if data is None else Path(data))
    if all(f.missing for f in found):
        lost = "; ".join(f"{f.name}: {f.missing}" for f in found)
        raise ValueError(f"none of the data sets was found ({lost}); check --data")
    with open_log(Path(folder)) as (file, earlier), processes.bounded(threads):
        runner = Runner(plan, file, earlier, found, threads, progress)
        runner.go(jobs)
    return runner.outcome


class Runner:
    """The waiting and running trials, and what earlier records show."""

    def __init__(
        self,
        plan: Plan,
        file: BinaryIO,
        earlier: list[Record],
        found: list[Found],
        threads: int,
        progress: Progress | None,
    ) -> None:
        self.plan, self.file, self.threads = plan, file, threads
        self.progress, self.outcome = progress, Outcome()
        self.sets = {f.name: f for f in found}
        self.slow: set[tuple[str, ...]] = set()
        self.kept: set[tuple[str, ...]] = set()
        self.context = processes.context()
        trials = list(plan.trials([f.name for f in found if f.missing is None]))
        self.codes = {name: code_sha256(name) for name in {t.method for t in trials}}
        current = [record for record in earlier if self._is_current(record)]
        settled = {r["key"]: r for r in current if not self._worth_retrying(r)}
        for record in current:
            self._learn(record)
        keyed = [(self._key(t), t) for t in trials]
        self.waiting = [(key, t) for key, t in keyed if key not in settled]
        self.outcome.earlier = len(keyed) - len(self.waiting)
        self.total = len(keyed)
        for key, _ in keyed:
            if key in settled:
                self.outcome.count(settled[key])
        counted = {r["key"] for r in latest_records(earlier)}
        self.again = [
            settled[key] for key, _ in keyed if key in settled and key not in counted
        ]
        known = {r["key"] for r in earlier}
        self.lost = [f for f in found if f.missing and f"missing-{f.name}" not in known]

    def go(self, jobs: int) -> None:
        """Run all waiting trials, at most ``jobs`` at a time."""
        for f in self.lost:
            self._write(
                {"key": f"missing-{f.name}", "set": f.name, "method": None},
                {"status": "skipped", "reason": f.missing},
            )
        for record in self.again:  # of data or code that is back: the newest again
            append(self.file, record)
        running: list[Job] = []
        if self.waiting:
            processes.start_server()
        try:
            while self.waiting or running:
                while self.waiting and len(running) < jobs:
                    job = self._start(*self.waiting.pop(0))
                    running += [] if job is None else [job]
                running = self._collect(running)
        finally:
            for job in running:
                processes.end(job)

    def _start(self, key: str, trial: Trial) -> Job | None:
        if _kind(trial) in self.slow:
            limit = self.plan.time_limit
            reason = f"an earlier trial exceeded the time limit of {limit:g} s"
            self._write(
                self._head(key, trial),
                {"status": "skipped", "reason": reason, "time_limit": limit},
            )
            return None
        keep = not trial.grid and _picture(trial) not in self.kept
        path, limit = self.sets[trial.set].path, self.plan.time_limit
        return processes.start(self.context, serve, trial, key, limit, path, keep)

    def _collect(self, running: list[Job]) -> list[Job]:
        """Wait for a result or a deadline; return the trials still running."""
        if not running:
            return []
        pause = max(0.0, min(job.deadline for job in running) - time.monotonic())
        ready = wait([job.pipe for job in running], timeout=pause)
        rest = []
        for job in running:
            if job.pipe in ready:
                result = processes.receive(job)
            elif time.monotonic() >= job.deadline:
                limit = self.plan.time_limit
                reason = f"exceeded the time limit of {limit:g} s"
                result = {"status": "skipped", "reason": reason, "time_limit": limit}
            else:
                rest.append(job)
                continue
            processes.end(job)
            self._write(self._head(job.key, job.trial), result)
        return rest

    def _head(self, key: str, trial: Trial) -> Record:
        return {"key": key, **trial.describe()}

    def _write(self, head: Record, result: Record) -> None:
        found = self.sets[head["set"]]
        record = {
            **head,
            "plan": self.plan.title,
            "data_sha256": found.sha256,
            "code_sha256": self.codes.get(head["method"]),
            "environment": environment(self.threads),
            **result,
        }
        append(self.file, record)
        self._learn(record)
        done = record["status"] == "done"
        self.outcome.done += done
        self.outcome.skipped += not done
        self.outcome.count(record)
        if self.progress is not None:
            settled = self.outcome.done + self.outcome.skipped + self.outcome.earlier
            self.progress(settled, self.total + len(self.lost), record)

    def _key(self, trial: Trial) -> str:
        return key_of(trial, self.sets[trial.set].sha256, self.codes[trial.method])

    def _is_current(self, record: Record) -> bool:
        """Return True if a record is of the data and the code as they are now.

        What others show does not hold any more: neither results, nor that a method is
        too slow.
        """
        if record["set"] not in self.sets or record["method"] not in self.codes:
            return False
        code = self.codes[record["method"]]
        sha256 = self.sets[record["set"]].sha256
        return (record["data_sha256"], record.get("code_sha256")) == (sha256, code)

    def _learn(self, record: Record) -> None:
        """Remember which trials are too slow and which have pictures."""
        if record["method"] is None:
            return
        kind = _kind(Trial(**{key: record[key] for key in TRIAL}))
        if record.get("time_limit", 0) >= self.plan.time_limit and not record["grid"]:
            self.slow.add(kind)
        if record.get("artefacts"):
            self.kept.add((*kind, record["order"]))

    def _worth_retrying(self, record: Record) -> bool:
        """Return True if a trial exceeded a shorter time limit than this run's."""
        limit = self.plan.time_limit
        return bool(record.get("time_limit", limit) < limit)


def _kind(trial: Trial) -> tuple[str, ...]:
    return trial.set, trial.method, trial.preset, repr(trial.override)


def _picture(trial: Trial) -> tuple[str, ...]:
    return (*_kind(trial), trial.order)
