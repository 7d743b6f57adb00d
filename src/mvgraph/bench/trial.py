"""One trial, in its own process: open the data, fit, score, measure."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import platform
import re
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph import methods
from mvgraph._version import __version__
from mvgraph.base.loading import load_object
from mvgraph.base.result import RowOrderWarning
from mvgraph.bench.artefacts import collect
from mvgraph.bench.sets import open_set
from mvgraph.bench.states import State, of_error
from mvgraph.evaluation import protocol as evaluation
from mvgraph.ops.parallel import n_cores
from mvgraph.ops.wording import cut
from mvgraph.views.container import Views

#: A record has at most so many different warnings.
MOST_WARNINGS = 10
#: Sent before the fit: what the time limit counts begins.
BEGUN = "begun"
#: Rows in the text of an error, or ids of them.
ROWS = re.compile(r"\brows? \d+(, (\d+|\.\.\.))*|\(ids? [^)]*\)")
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


@dataclass(frozen=True)
class Trial:
    """One fit: a method with its settings, a set, an order and a seed.

    ``override`` and ``grid`` both replace parameters of the preset; curves are drawn
    over the parameters in ``grid``.
    """

    set: str
    method: str
    preset: str
    order: str
    seed: int
    override: dict[str, Any] = field(default_factory=dict)
    grid: dict[str, Any] = field(default_factory=dict)


def key_of(
    trial: Trial, data_sha256: str | None, code_sha256: str | None = None
) -> str:
    """Return a hash of everything that determines the result of a trial.

    The code is that of a user's method; None: of this library, as in the records of all
    its versions.
    """
    parts = [asdict(trial), data_sha256, *filter(None, [code_sha256])]
    text = json.dumps(parts, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def code_sha256(name: str) -> str | None:
    """Hash the source file in which the class of a method is defined.

    Parameters
    ----------
    name : str
        Name of a method, or ``"module:Class"``.

    Returns
    -------
    str or None
        None for the methods of this library, whose version is in every record, and
        for a class without a file. Modules that the file imports are not hashed.
    """
    try:
        path = methods.get(name).estimator
        if path.startswith("mvgraph."):
            return None  # not imported: that takes seconds
        target = load_object(path)
        module = inspect.getmodule(target) or sys.modules[path.rpartition(":")[0]]
        if module.__name__.startswith("mvgraph."):
            return None
        return hashlib.sha256(Path(str(module.__file__)).read_bytes()).hexdigest()
    except Exception:  # whatever the import raises: the trial shows it
        return None


def perform(
    trial: Trial, path: str | None, keep: bool, begin: Callable[[], Any] = lambda: None
) -> dict[str, Any]:
    """Run a trial and return the result for its record.

    Parameters
    ----------
    trial : Trial
    path : str or None
        File or folder of the data; None for a built-in set.
    keep : bool
        Keep the data of the report's pictures.
    begin : callable
        Called when all is compiled and read, before the fit.

    Raises
    ------
    ValueError
        If the set has no labels.
    """
    warm_up(trial)
    dataset = open_set(trial.set, path)
    result = measure(trial, dataset, keep, begin)
    if dataset.reading is not None:  # without the folder: records have no paths
        result["reading"] = dataset.reading.to_dict() | {"path": trial.set}
    return result


def measure(
    trial: Trial, dataset: Any, keep: bool, begin: Callable[[], Any] = lambda: None
) -> dict[str, Any]:
    """Fit and score a method on a data set that is open; see `perform`."""
    if dataset.labels is None:
        raise ValueError(f"data set {trial.set!r} has no labels and cannot be scored")
    labels = np.asarray(dataset.labels)
    k = len(np.unique(labels))
    model = methods.get(trial.method).make(k, trial.seed, trial.preset, trial.set)
    model.set_params(**trial.override, **trial.grid)
    rows = evaluation.row_order(len(labels), trial.order, trial.seed)
    views, classes = dataset.views[rows], labels[rows]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", RowOrderWarning)  # the record has the order
        begin()
        try:
            run = evaluation.fit_once(model, views, classes)
        except Exception as error:
            if ROWS.search(str(error)):
                begin()  # the second fit has its own time
                _fail_alike(model, dataset.views, error)
            raise
    measured = run._asdict()
    del measured["model"]
    result = {
        **{"n": len(labels), "k": k, "views": dataset.views.n_views},
        **measured,
        "components": _count(evaluation.learned(model, "n_components_")),
        "n_iter": _count(evaluation.learned(model, "n_iter_")),
        "partition": evaluation.learned(model, "partition_"),
        "params": evaluation.plain(model.get_params(deep=False)),
        "warnings": sorted({_short(w.message) for w in caught})[:MOST_WARNINGS],
    }
    if keep:
        result["artefacts"] = collect(model, views, classes)
    return result


def _fail_alike(model: Any, views: Any, error: Exception) -> None:
    """Raise an error that names rows as it is for rows in the order of the file.

    Shuffled rows have other numbers for every seed, and none that the file has.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            model.fit(views)
    except Exception as other:
        if ROWS.sub("", str(other)) == ROWS.sub("", str(error)):
            raise other from None


def warm_up(trial: Trial) -> None:
    """Fit the method on a few samples, so that the timed fit is not the first one.

    Loading compiled code and starting thread pools takes half a second per process.
    Classes of others are left alone: what they do with 60 samples is not known, and one
    that hangs would do so twice.
    """
    method = methods.get(trial.method)
    if not method.estimator.startswith("mvgraph."):
        return
    rng = np.random.default_rng(0)
    centres = np.repeat(10 * np.eye(3, 6), 20, axis=0)
    views = [centres + rng.normal(size=centres.shape) for _ in range(2)]
    with warnings.catch_warnings(action="ignore"), suppress(Exception):
        model = method.make(3, trial.seed, trial.preset, trial.set)
        model.fit(Views(views))


def serve(pipe: Any, trial: Trial, path: str | None, keep: bool) -> None:
    """Perform a trial for the process at the other end of the pipe.

    Sends `BEGUN` before the fit, then one dict. The process ends if the other end dies,
    so that a killed benchmark leaves no processes behind.
    """
    threading.Thread(target=_end_with_parent, args=(pipe,), daemon=True).start()
    with open(os.devnull, "w") as devnull:
        sys.stdout = sys.stderr = devnull
        started = datetime.now(UTC).isoformat(timespec="seconds")
        start = time.perf_counter()
        begin = partial(pipe.send, BEGUN)
        try:
            result = {"status": State.FINISHED, **perform(trial, path, keep, begin)}
        except Exception as error:
            reason = f"{type(error).__name__}: {_short(error)}"
            result = {"status": of_error(error), "reason": reason}
        result |= {"started": started, "total_seconds": time.perf_counter() - start}
        pipe.send(result)


@cache
def environment(threads: int) -> dict[str, Any]:
    """Describe the machine and the versions, without names of users or paths."""
    return {
        "mvgraph": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": n_cores(),
        "threads": threads,
    }


def _end_with_parent(pipe: Any) -> None:
    try:
        pipe.recv()  # nothing is ever sent: this fails when the other end is closed
    except (EOFError, OSError):
        os._exit(1)


def _count(value: Any) -> int | None:
    return None if value is None else int(value)


def _short(message: Any) -> str:
    return cut(" ".join(str(message).split()), 300)


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as f:
            names = [line.split(":")[1].strip() for line in f if "model name" in line]
    except OSError:
        names = []
    return names[0] if names else platform.processor()
