"""Run a method on a labelled data set and score it: the source of all tables."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import fmean, pstdev
from typing import Any, NamedTuple

import numpy as np

from mvgraph import methods, metrics
from mvgraph.ops.memory import PeakMemory

ORDERS = ("shuffled", "published")
#: Variables that an error shows.
SHOWN = 12

Progress = Callable[[int, int], None]


class Run(NamedTuple):
    """One fit: the model, its scores, time and memory."""

    model: Any
    scores: dict[str, float]
    seconds: float
    cpu_seconds: float
    peak_mb: float | None


def evaluate(
    dataset: Any,
    method: str = methods.DEFAULT,
    preset: str = "default",
    order: str = "shuffled",
    seed: int = 0,
    repeats: int = 1,
    n_clusters: int | str | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Cluster a labelled data set several times and average the scores.

    Parameters
    ----------
    dataset : Dataset
        With labels.
    method, preset : str
        See `mvgraph.methods`.
    order : {"shuffled", "published"}
        "shuffled" permutes the rows first, since benchmark files are usually sorted by
        class; "published" keeps the order of the file.
    seed : int
        Repeat r uses seed + r, both for the permutation and as ``random_state``.
    repeats : int
    n_clusters : int or "auto", optional
        Default: the number of classes. "auto": found by the method; ``k`` is then the
        mean number.
    progress : callable, optional
        Called with (repeats done, repeats).

    Returns
    -------
    dict
        ``data method preset order n k views repeats``, the means of the scores,
        ``std`` (over repeats, population form), ``components`` (None for methods
        without a graph), ``seconds`` (fit only, mean), ``cpu_seconds`` (of all threads
        of the process, mean), ``peak_mb`` (largest private memory of the process during
        a fit) and ``params`` (of the first repeat).

    Raises
    ------
    ValueError
        If labels are missing, or an option is unknown.
    """
    labels = _labels(dataset)
    entry = methods.get(method)
    if order not in ORDERS:
        raise ValueError(f"order={order!r} is unknown; use one of {', '.join(ORDERS)}")
    if repeats < 1:
        raise ValueError(f"repeats={repeats} is below 1")
    k = len(np.unique(labels)) if n_clusters is None else n_clusters

    runs = []
    for r in range(repeats):
        model = entry.make(k, seed + r, preset, dataset.name)
        rows = row_order(len(labels), order, seed + r)
        runs.append(fit_once(model, dataset.views[rows], labels[rows]))
        if progress is not None:
            progress(r + 1, repeats)
    return {
        "data": dataset.name,
        "method": method,
        "preset": preset,
        "order": order,
        "n": len(labels),
        "k": k if k != "auto" else _agreed([run.model.n_clusters_ for run in runs]),
        "views": dataset.views.n_views,
        "repeats": repeats,
        **_summary(runs),
    }


def compare(
    dataset: Any,
    names: list[str],
    seed: int = 0,
    repeats: int = 1,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """Evaluate several methods with default settings on the same shuffled rows."""
    results = []
    for done, name in enumerate(names, start=1):
        results.append(evaluate(dataset, name, seed=seed, repeats=repeats))
        if progress is not None:
            progress(done, len(names))
    return results


def _labels(dataset: Any) -> np.ndarray:
    if dataset.labels is None:
        raise ValueError(
            f"data set {dataset.name!r} has no labels and cannot be scored; "
            f"{_where_labels_are(dataset)}, or use mvgraph cluster"
        )
    return np.asarray(dataset.labels)


def _where_labels_are(dataset: Any) -> str:
    """Explain how to name labels, and which variables of the file may be labels."""
    how = "with --labels NAME (in Python key_map={'labels': NAME})"
    variables = () if dataset.reading is None else dataset.reading.may_be_labels
    if not variables:
        return f"add labels to the file and name them {how}"
    shown = ", ".join(map(repr, variables[:SHOWN])) + ", ..." * (len(variables) > SHOWN)
    return f"name them {how}; they may be {shown}"


def row_order(n: int, order: str, seed: int) -> np.ndarray:
    """Return row numbers in the order in which a method gets the rows."""
    if order == "published":
        return np.arange(n)
    return np.random.default_rng(seed).permutation(n)


def fit_once(model: Any, views: Any, labels: np.ndarray) -> Run:
    """Fit and score; measure time and memory of the fit only."""
    with PeakMemory() as memory:
        start, cpu = time.perf_counter(), time.process_time()
        model.fit(views)
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    scores = metrics.scores(labels, model.labels_)
    return Run(model, scores, seconds, cpu, memory.peak_mb)


def _summary(runs: list[Run]) -> dict[str, Any]:
    columns = {key: [run.scores[key] for run in runs] for key in metrics.SCORES}
    peaks = [run.peak_mb for run in runs if run.peak_mb is not None]
    return {
        **{key: fmean(values) for key, values in columns.items()},
        "std": {key: pstdev(values) for key, values in columns.items()},
        "components": _components([run.model for run in runs]),
        "seconds": fmean(run.seconds for run in runs),
        "cpu_seconds": fmean(run.cpu_seconds for run in runs),
        "peak_mb": max(peaks) if peaks else None,
        "params": plain(runs[0].model.get_params(deep=False)),
    }


def _components(models: list[Any]) -> int | float | None:
    """Average the number of connected components; an integer if all agree."""
    counts = [learned(model, "n_components_") for model in models]
    known = [int(count) for count in counts if count is not None]
    return _agreed(known) if known else None


def _agreed(counts: list[int]) -> int | float:
    """Return the mean; an integer if all agree."""
    return counts[0] if len(set(counts)) == 1 else fmean(counts)


def learned(model: Any, name: str) -> Any:
    """Return an attribute that not every method learns; None without it."""
    return getattr(model, name, None)


def plain(value: Any) -> Any:
    """Turn parameters into plain JSON; other objects become their repr."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return repr(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return repr(value)
