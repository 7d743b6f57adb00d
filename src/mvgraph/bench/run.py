"""Run the trials of a plan, several at a time, each in its own process."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from multiprocessing.connection import wait
from pathlib import Path
from typing import BinaryIO

from mvgraph.bench import processes
from mvgraph.bench.plan import Plan
from mvgraph.bench.processes import Job
from mvgraph.bench.records import Record, append, latest_records, open_log
from mvgraph.bench.sets import Found, find_sets
from mvgraph.bench.states import State
from mvgraph.bench.trial import Trial, code_sha256, environment, key_of
from mvgraph.ops.parallel import n_cores, n_threads
from mvgraph.ops.wording import counted

Progress = Callable[[int, int, Record], None]
TRIAL = tuple(field.name for field in fields(Trial))
#: Most processes at a time; more of them would only wait for each other.
MOST_JOBS = 1024


@dataclass
class Outcome:
    """Numbers of trials of this run by how they ended, and of earlier records.

    ``scored`` of the plan's trials have scores, from this run or an earlier one;
    ``warned`` of these gave warnings.
    """

    ended: Counter[State] = field(default_factory=Counter)
    earlier: int = 0
    scored: int = 0
    warned: int = 0

    def __str__(self) -> str:
        """Return the numbers in one line."""
        lost = [f"{n} {state.word}" for state, n in self.lost.items()]
        done = f"{counted(self.done, 'trial')} done"
        return ", ".join([done, *lost, f"{self.earlier} done before"])

    @property
    def done(self) -> int:
        """Return the number of trials of this run that finished."""
        return self.ended[State.FINISHED]

    @property
    def lost(self) -> dict[State, int]:
        """Return the numbers of trials of this run that did not finish."""
        return {s: n for s in State if (n := self.ended[s]) and s != State.FINISHED}

    def count(self, record: Record) -> None:
        """Count a trial that has scores."""
        if record["status"] == State.FINISHED:
            self.scored += 1
            self.warned += bool(record.get("warnings"))


def run(
    plan: Plan,
    folder: str | Path,
    data: str | Path | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    only: list[str] | None = None,
    preparation: float = processes.PREPARATION,
) -> Outcome:
    """Run the trials of a plan that are not done yet; append a record after each.

    Parameters
    ----------
    plan : Plan
    folder : str or Path
        Folder of ``trials.jsonl``, which is created or continued.
    data : str or Path, optional
        Folder or manifest of data sets, instead of that of the plan.
    jobs : int, optional
        Number of trials at a time, which share the cores. Default: one per core. No
        trial uses more threads than ``OMP_NUM_THREADS``, where it is set.
    progress : callable, optional
        Called with (trials that ended, trials, last record).
    only : list of str, optional
        Run these sets: names or patterns of sets as they are shown, or other sets.
    preparation : float
        Seconds that a trial may take before its fit begins, over the time limit.

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
    place = data if data is not None else plan.data
    shown = {label: name for name, label in plan.set_names.items()}
    part = only and [shown.get(name, name) for name in only]
    sets = find_sets(plan.sets, None if place is None else Path(place), part)
    plan.naming().check_sets([s.name for s in sets], whole=only is None)
    if all(s.missing for s in sets):
        lost = "; ".join(f"{s.name}: {s.missing}" for s in sets)
        raise ValueError(f"none of the data sets was found ({lost}); check --data")
    with open_log(Path(folder)) as (file, earlier), processes.bounded(threads):
        plan.naming().write(Path(folder))
        runner = Runner(plan, file, earlier, sets, threads, progress, preparation)
        runner.go(jobs)
    return runner.outcome


class Runner:
    """The waiting and running trials, and what earlier records show."""

    def __init__(
        self,
        plan: Plan,
        file: BinaryIO,
        earlier: list[Record],
        sets: list[Found],
        threads: int,
        progress: Progress | None,
        preparation: float = processes.PREPARATION,
    ) -> None:
        self.plan, self.file, self.threads = plan, file, threads
        self.preparation = preparation
        self.progress, self.outcome = progress, Outcome()
        self.sets = {s.name: s for s in sets}
        self.slow: set[tuple[str, ...]] = set()
        self.kept: set[tuple[str, ...]] = set()
        self.context = processes.context()
        trials = list(plan.trials([s.name for s in sets if s.missing is None]))
        self.codes = {name: code_sha256(name) for name in {t.method for t in trials}}
        current = [record for record in earlier if self._is_current(record)]
        # trials that exceeded a shorter limit than this run's are tried again
        limit = plan.time_limit
        settled = {r["key"]: r for r in current if r.get("time_limit", limit) >= limit}
        for record in current:
            self._learn(record)
        keyed = [(self._key(t), t) for t in trials]
        done = [settled[key] for key, _ in keyed if key in settled]
        for record in done:
            self.outcome.count(record)
        self.waiting = [(key, t) for key, t in keyed if key not in settled]
        self.outcome.earlier, self.total = len(done), len(keyed)
        counted = {r["key"] for r in latest_records(earlier)}
        self.again = [record for record in done if record["key"] not in counted]
        keys = {r["key"] for r in earlier}
        self.lost = [s for s in sets if s.missing and f"missing-{s.name}" not in keys]

    def go(self, jobs: int) -> None:
        """Run all waiting trials, at most ``jobs`` at a time."""
        for s in self.lost:
            head = {"key": f"missing-{s.name}", "set": s.name, "method": None}
            self._write(head, {"status": State.SKIPPED, "reason": s.missing})
        for record in self.again:  # data or code that are back: the newest again
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
            self._write(_head(key, trial), self._too_slow("an earlier trial "))
            return None
        keep = not trial.grid and (*_kind(trial), trial.order) not in self.kept
        path, limit = self.sets[trial.set].path, self.plan.time_limit
        return processes.start(
            self.context, trial, key, limit, self.preparation, path, keep
        )

    def _too_slow(self, what: str = "", begun: bool = True) -> Record:
        limit = self.plan.time_limit
        reason = f"{what}exceeded the time limit of {limit:g} s"
        if not begun:
            reason += (
                f" by {self.preparation:g} s before the timed fit began: "
                "compiling, a first fit of 60 samples, or reading the data"
            )
        return {"status": State.TIME_LIMIT, "reason": reason, "time_limit": limit}

    def _collect(self, running: list[Job]) -> list[Job]:
        """Wait for a result or a deadline; return the trials still running."""
        if not running:
            return []
        pause = max(0.0, min(job.deadline for job in running) - time.monotonic())
        ready = wait([job.pipe for job in running], timeout=pause)
        rest = []
        for job in running:
            if job.pipe in ready:
                answer = processes.receive(job)
                if answer is None:  # its clock starts now
                    rest.append(job)
                    continue
                result = answer
            elif time.monotonic() >= job.deadline:
                result = self._too_slow(begun=job.begun)
            else:
                rest.append(job)
                continue
            processes.end(job)
            self._write(_head(job.key, job.trial), result)
        return rest

    def _write(self, head: Record, result: Record) -> None:
        record = {
            **head,
            "plan": self.plan.title,
            "data_sha256": self.sets[head["set"]].sha256,
            "code_sha256": self.codes.get(head["method"]),
            "environment": environment(self.threads),
            **result,
        }
        append(self.file, record)
        self._learn(record)
        self.outcome.ended[State(record["status"])] += 1
        self.outcome.count(record)
        if self.progress is not None:
            settled = self.outcome.ended.total() + self.outcome.earlier
            self.progress(settled, self.total + len(self.lost), record)

    def _key(self, trial: Trial) -> str:
        return key_of(trial, self.sets[trial.set].sha256, self.codes[trial.method])

    def _is_current(self, record: Record) -> bool:
        """Return True if a record is of the data and the code as they are now.

        Other records show neither the results of today nor that a method is too slow.
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


def _kind(trial: Trial) -> tuple[str, ...]:
    return trial.set, trial.method, trial.preset, repr(trial.override)


def _head(key: str, trial: Trial) -> Record:
    return {"key": key, **asdict(trial)}
