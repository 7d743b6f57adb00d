"""The loop of every iterative method, with its history."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["iterate"]

State = TypeVar("State")


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
