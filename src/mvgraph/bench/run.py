"""Run the trials of a plan, several at a time, each in a process of its own."""

from __future__ import annotations

import multiprocessing as mp
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, BinaryIO

from mvgraph.bench.plan import Plan, Trial
from mvgraph.bench.records import Record, append, key_of, open_log
from mvgraph.bench.sets import Found, find
from mvgraph.bench.trial import environment, serve

__all__ = ["Outcome", "run"]

Progress = Callable[[int, int, Record], None]
TRIAL = tuple(field.name for field in fields(Trial))
THREAD_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB_MAXIMUM")


@dataclass
class Outcome:
    """How many trials a run finished, skipped, and found done before."""

    done: int = 0
    skipped: int = 0
    earlier: int = 0


@dataclass
class Job:
    """A trial in flight."""

    trial: Trial
    key: str
    process: Any
    pipe: Any
    deadline: float


def run(
    plan: Plan,
    folder: str | Path,
    data: str | Path | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Run what of a plan is not done yet, and append a record as each trial ends.

    Parameters
    ----------
    plan : Plan
    folder : str or Path
        Where ``trials.jsonl`` is, or will be.
    data : str or Path, optional
        Folder with data sets.
    jobs : int, optional
        Trials at a time; the cores are shared out among them. Default: one a core.
    progress : callable, optional
        Called with (trials settled, trials, last record).

    Raises
    ------
    ValueError
        If none of the sets is there, or another run writes to the folder.

    Notes
    -----
    A trial runs in a fresh process: its memory is its own, and one that is killed, by
    the time limit or by the system, takes nothing else with it.
    """
    cores = _cores()
    jobs = cores if jobs is None else jobs
    if jobs < 1:
        raise ValueError(f"jobs={jobs} is below 1")
    threads = max(1, cores // jobs)
    found = find(plan.sets, None if data is None else Path(data))
    if all(f.missing for f in found):
        lost = "; ".join(f"{f.name}: {f.missing}" for f in found)
        raise ValueError(f"none of the data sets is there ({lost}); check --data")
    with open_log(Path(folder)) as (file, earlier), _bounded(threads):
        runner = Runner(plan, file, earlier, found, threads, progress)
        runner.go(jobs)
    return runner.outcome


class Runner:
    """The trials that wait, those in flight, and what is known of the others."""

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
        self.context = _context()
        trials = list(plan.trials([f.name for f in found if f.missing is None]))
        settled = {r["key"] for r in earlier if not self._worth_retrying(r)}
        for record in earlier:
            self._learn(record)
        keyed = [(key_of(t, self.sets[t.set].sha256), t) for t in trials]
        self.waiting = [(key, t) for key, t in keyed if key not in settled]
        self.outcome.earlier = len(keyed) - len(self.waiting)
        self.total = len(keyed)
        known = {r["key"] for r in earlier}
        self.lost = [f for f in found if f.missing and f"missing-{f.name}" not in known]

    def go(self, jobs: int) -> None:
        """Start trials while there is room, and take results as they come."""
        for f in self.lost:
            self._write(
                {"key": f"missing-{f.name}", "set": f.name, "method": None},
                {"status": "skipped", "reason": f.missing},
            )
        flying: list[Job] = []
        try:
            while self.waiting or flying:
                while self.waiting and len(flying) < jobs:
                    job = self._start(*self.waiting.pop(0))
                    flying += [] if job is None else [job]
                flying = self._collect(flying)
        finally:
            for job in flying:
                _end(job)

    def _start(self, key: str, trial: Trial) -> Job | None:
        if _kind(trial) in self.slow:
            limit = self.plan.time_limit
            reason = f"an earlier trial ran out of the time limit of {limit:g} s"
            self._write(
                self._head(key, trial),
                {"status": "skipped", "reason": reason, "time_limit": limit},
            )
            return None
        mine, theirs = self.context.Pipe()
        keep = not trial.grid and _picture(trial) not in self.kept
        path = self.sets[trial.set].path
        process = self.context.Process(
            target=serve, args=(theirs, trial, path, keep), daemon=True
        )
        process.start()
        theirs.close()
        return Job(trial, key, process, mine, time.monotonic() + self.plan.time_limit)

    def _collect(self, flying: list[Job]) -> list[Job]:
        """Wait for a result or a deadline; return what is still in flight."""
        if not flying:
            return []
        pause = max(0.0, min(job.deadline for job in flying) - time.monotonic())
        ready = wait([job.pipe for job in flying], timeout=pause)
        rest = []
        for job in flying:
            if job.pipe in ready:
                result = _receive(job)
            elif time.monotonic() >= job.deadline:
                limit = self.plan.time_limit
                reason = f"out of the time limit of {limit:g} s"
                result = {"status": "skipped", "reason": reason, "time_limit": limit}
            else:
                rest.append(job)
                continue
            _end(job)
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
            "environment": environment(self.threads),
            **result,
        }
        append(self.file, record)
        self._learn(record)
        done = record["status"] == "done"
        self.outcome.done += done
        self.outcome.skipped += not done
        if self.progress is not None:
            settled = self.outcome.done + self.outcome.skipped + self.outcome.earlier
            self.progress(settled, self.total + len(self.lost), record)

    def _learn(self, record: Record) -> None:
        """Remember what is too slow and which pictures there are."""
        if record["method"] is None:
            return
        kind = _kind(Trial(**{key: record[key] for key in TRIAL}))
        if record.get("time_limit", 0) >= self.plan.time_limit and not record["grid"]:
            self.slow.add(kind)
        if record.get("artefacts"):
            self.kept.add((*kind, record["order"]))

    def _worth_retrying(self, record: Record) -> bool:
        """Tell what ran out of a shorter time than this run allows."""
        return record.get("time_limit", self.plan.time_limit) < self.plan.time_limit


def _kind(trial: Trial) -> tuple[str, ...]:
    return trial.set, trial.method, trial.preset, repr(trial.override)


def _picture(trial: Trial) -> tuple[str, ...]:
    return (*_kind(trial), trial.order)


def _receive(job: Job) -> Record:
    try:
        return job.pipe.recv()
    except (EOFError, OSError):
        job.process.join(5)
        code = job.process.exitcode
        died = f"by signal {-code}" if code is not None and code < 0 else f"({code})"
        hint = "; killed for memory?" if code == -9 else ""
        return {"status": "skipped", "reason": f"the process ended {died}{hint}"}


def _end(job: Job) -> None:
    job.pipe.close()
    job.process.join(0.5)
    if job.process.is_alive():
        job.process.kill()
        job.process.join()


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _context() -> Any:
    """Fork processes from a clean server, where there is one.

    The server has everything imported and no thread: a trial starts at once.
    """
    if "forkserver" not in mp.get_all_start_methods():
        return mp.get_context("spawn")
    context = mp.get_context("forkserver")
    context.set_forkserver_preload(["mvgraph.bench._preload"])
    return context


@contextmanager
def _bounded(threads: int) -> Iterator[None]:
    """Bound the threads of the processes that are started inside."""
    names = [f"{name}_NUM_THREADS" for name in THREAD_LIBRARIES]
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, str(threads)))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
