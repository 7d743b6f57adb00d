"""What is wrong with a plan, beyond the types of its settings."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator
from math import isfinite, prod
from typing import TYPE_CHECKING, Any

from mvgraph import methods
from mvgraph.evaluation.protocol import ORDERS

if TYPE_CHECKING:
    from mvgraph.bench.plan import Plan, PlannedRun

__all__ = ["faults", "limit_faults"]

PRESETS = ("default", "paper")
#: Beyond these a plan is a slip: a year, more trials than anybody waits for.
MOST_SECONDS, MOST_TRIALS = 366 * 86_400.0, 1_000_000
MOST_DEPTH = 20


def faults(plan: Plan) -> list[str]:
    """Find all faults that the check of types does not find."""
    found = []
    if not plan.sets:
        found.append("sets: no data set is named; write sets: [all] for every one")
    if not plan.runs:
        found.append("runs: empty; write at least one block with methods")
    if plan.repeats < 1:
        found.append(f"repeats: {plan.repeats} is below 1")
    if plan.seed < 0:
        found.append(f"seed: {plan.seed} is below 0")
    found += [*limit_faults(plan)]
    for i, block in enumerate(plan.runs):
        found += [f"runs[{i}].{fault}" for fault in _block_faults(block)]
    return found


def limit_faults(plan: Plan) -> Iterator[str]:
    """Find limits that are none, and plans that nobody can wait for."""
    if not 0 < plan.time_limit <= MOST_SECONDS:
        yield (
            f"time_limit: {plan.time_limit:g} is not between 0 and {MOST_SECONDS:g} "
            "seconds"
        )
    n_trials = plan.repeats * len(plan.sets) * sum(map(_size, plan.runs))
    if n_trials > MOST_TRIALS:
        yield f"more than {MOST_TRIALS} trials; lower repeats, or list less in a grid"


def _size(block: PlannedRun) -> int:
    n_methods = len(methods.names() if block.methods == ["all"] else block.methods)
    return n_methods * len(block.orders) * prod(map(len, block.grid.values()))


def _block_faults(block: PlannedRun) -> Iterator[str]:
    if not block.methods:
        yield "methods: no method is named; write methods: [all] for every one"
    if block.preset not in PRESETS:
        yield f"preset: {block.preset!r} is unknown; use {' or '.join(PRESETS)}"
    if not block.orders:
        yield f"orders: empty; use {' or '.join(ORDERS)}"
    strange = [order for order in block.orders if order not in ORDERS]
    for order in strange:
        yield f"orders: {order!r} is unknown; use {' or '.join(ORDERS)}"
    yield from _setting_faults(block)
    for method in block.methods:
        if method != "all" or len(block.methods) > 1:
            yield from _method_faults(method, block)


def _setting_faults(block: PlannedRun) -> Iterator[str]:
    for name in (name for name, values in block.grid.items() if not values):
        yield f"grid.{name}: no value is listed"
    for part in ("params", "grid"):
        for name, value in getattr(block, part).items():
            fault = _value_fault(value)
            if fault:
                yield f"{part}.{name}: {fault}; write a number, a text, true or a list"


def _value_fault(value: Any, depth: int = 0) -> str | None:
    """Say why a record cannot hold a value: YAML knows dates, sets and bytes."""
    if depth > MOST_DEPTH:
        return "nested too deeply"
    if isinstance(value, float) and not isfinite(value):
        return f"{value} is not finite"
    if isinstance(value, list):
        return next(filter(None, (_value_fault(v, depth + 1) for v in value)), None)
    if value is None or isinstance(value, bool | int | float | str):
        return None
    return f"{reprlib.repr(value)} is a {type(value).__name__}"


def _method_faults(method: str, block: PlannedRun) -> Iterator[str]:
    try:
        model = methods.get(method).make(2)
    except ValueError as error:
        yield f"methods: {error}"
        return
    known = model.get_params(deep=False)
    accepts = getattr(model, "accepts", known.__contains__)  # of another package
    for name in (*block.params, *block.grid):
        if not accepts(name):
            yield (
                f"parameter {name!r}: method {method!r} has none of this name; "
                f"it has {', '.join(known)}"
            )
