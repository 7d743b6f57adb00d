"""One run of a method: order, generator, device, progress and the loop of steps."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from mvgraph.base.parameters import draw_seed
from mvgraph.ops.arrays import Device, device_of, is_non_numpy
from mvgraph.views.casting import is_plain
from mvgraph.views.container import Views
from mvgraph.views.order import ContentOrder, content_order

logger = logging.getLogger("mvgraph")

#: Called with (steps done, number of steps or None, record with ``seconds``).
Callback = Callable[[int, int | None, dict[str, Any]], Any]
State = TypeVar("State")


class StageTimer:
    """Time the stages of a fit and report their steps.

    Examples
    --------
    >>> from mvgraph.base.run import StageTimer
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
        """Return the callback for :func:`mvgraph.base.run.iterate`, or None."""
        callback = self.callback
        if callback is None:
            return None
        return lambda i, entry: callback(i + 1, total, entry)


@dataclass(frozen=True)
class Run:
    """One call of fit.

    Parameters
    ----------
    seed : int
    rng : Generator
        Of this seed.
    order : ContentOrder
        The order of rows and views by their content, duplicate views, and the number
        of distinct rows.
    device : Device or None
        Device of the input, if it is not NumPy arrays.
    stages : StageTimer
        Reports progress.
    bytes_left : int or None, default=None
        What a limit of memory leaves for the state of the rows.
    """

    seed: int
    rng: np.random.Generator
    order: ContentOrder
    device: Device | None
    stages: StageTimer
    bytes_left: int | None = None

    @classmethod
    def start(
        cls,
        random_state: Any,
        X: Any,
        views: Views,
        callback: Callback | None = None,
        bytes_left: int | None = None,
    ) -> Run:
        """Draw the seed and compute the order of the content."""
        seed = draw_seed(random_state)
        device, order = _device(X), content_order(views, seed)
        rng = np.random.default_rng(seed)
        stages = StageTimer(callback)
        return cls(seed, rng, order, device, stages, bytes_left)


def _device(X: Any) -> Device | None:
    """Return the device of the first view that is not a NumPy array, or None."""
    views = X.values() if isinstance(X, Mapping) else X
    if not isinstance(X, Mapping | list | tuple):
        views = [X]
    return next(
        (device_of(a) for a in views if not is_plain(a) and is_non_numpy(a)), None
    )


def iterate(
    step: Callable[[State], State],
    state: State,
    stop: Callable[[State], bool],
    max_iter: int,
    record: Callable[[State], dict[str, Any]] | None = None,
    callback: Callable[[int, dict[str, Any]], Any] | None = None,
) -> tuple[State, list[dict[str, Any]]]:
    """Apply ``step`` until ``stop`` is true or ``max_iter`` steps are done.

    Parameters
    ----------
    step : callable, state -> state
    state : the starting state
    stop : callable, state -> bool
        Called after every step.
    max_iter : int
    record : callable, state -> dict, optional
        Returns the history entry of a state; ``seconds`` of the step is added. Default:
        ``objective`` and ``residual``, two fields of the state.
    callback : callable, optional
        Called with (iteration, record) after every step; if it returns True, the loop
        ends.

    Returns
    -------
    state
    history : list of dict, one per step
    """
    history = []
    for iteration in range(max_iter):
        start = time.perf_counter()
        state = step(state)
        entry = (record or _record)(state) | {"seconds": time.perf_counter() - start}
        history.append(entry)
        if callback is not None and callback(iteration, entry):
            break
        if stop(state):
            break
    return state, history


def _record(state: Any) -> dict[str, Any]:
    return {"objective": state.objective, "residual": state.residual}
