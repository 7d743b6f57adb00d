"""Options on memory and place of a fit, and the forecast that --dry-run prints."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, Any

import typer

from mvgraph.cli import _terminal as show
from mvgraph.cli._log import UNFIT, complain
from mvgraph.ops.memory import free_bytes

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
UNITS |= {f"{u}I": 1024**i for i, u in enumerate("KMGT", start=1)}


def parse_bytes(text: str) -> int:
    """Read 4GB, 1.5 GiB, 500M or a plain number of bytes."""
    match = re.fullmatch(r"([0-9.]+) *([KMGT]?I?)B?", text.strip().upper())
    try:
        value = int(float(match[1]) * UNITS[match[2]]) if match else 0
    except (KeyError, ValueError):
        value = 0
    if value <= 0:
        raise typer.BadParameter(
            f"{text!r} is no size; write for example 4GB, 500MB or 2GiB"
        )
    return value


class Engine(StrEnum):
    """Where the rows live while they are learned."""

    auto = "auto"
    memory = "memory"
    chunked = "chunked"
    distributed = "distributed"


DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Print the expected bytes; do not fit."),
]
MemoryLimit = Annotated[
    int | None,
    typer.Option(
        "--memory-limit",
        metavar="SIZE",
        parser=parse_bytes,
        help="Refuse what takes more; with an engine, go out of core: 4GB, 500MB.",
    ),
]
EngineName = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="NAME|ADDRESS",
        help="Where rows are processed: auto, memory, chunked, distributed, or the "
        "address of a dask scheduler; not every method has all.",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option("--scheduler", help="Address of a dask scheduler: tcp://host:8786."),
]


def place(method: Any, engine: str, scheduler: str | None) -> dict[str, Any]:
    """Return the parameters that send a method to an engine or a scheduler."""
    chosen = _chosen(engine, scheduler)
    kind = Engine.distributed if "://" in chosen else chosen
    if kind in method.engines:
        return {"engine": chosen}
    if kind in (Engine.auto, Engine.memory):
        return {}
    from mvgraph import methods

    others = [name for name in methods.names() if kind in methods.get(name).engines]
    raise ValueError(
        f"{method.name} has no engine {chosen}; leave --engine and --scheduler out, or "
        f"use --method {' or '.join(others)}"
    )


def _chosen(engine: str, scheduler: str | None) -> str:
    """Return the name of an engine, or the address of a scheduler."""
    if scheduler is not None and engine not in (Engine.auto, Engine.distributed):
        raise ValueError(
            f"--scheduler={scheduler} goes with --engine distributed, not with "
            f"{engine}; leave one of them out"
        )
    if scheduler is not None and "://" not in scheduler:
        raise ValueError(
            f"--scheduler={scheduler!r} is no address; write tcp://host:8786"
        )
    if "://" not in engine and engine not in list(Engine):
        raise ValueError(
            f"--engine={engine!r} is neither one of {', '.join(Engine)} nor the "
            "address of a scheduler such as tcp://host:8786"
        )
    return scheduler or str(engine)


def limit(model: Any, method: str, views: Any, n_bytes: int | None) -> None:
    """Hand the limit to an estimator that has one; else refuse what is too large."""
    from mvgraph.evaluation.forecast import refuse_fit

    if n_bytes is None:
        return
    if "memory_limit" in model.get_params():
        model.set_params(memory_limit=n_bytes)
    else:
        refuse_fit(views, method, model, n_bytes)


def tell_unfit(forecast: dict[str, Any], n_bytes: int | None) -> None:
    """Say in one line on standard error that a dry run has found a fit not to fit."""
    if not forecast["fits"]:
        limit = "the memory at hand" if n_bytes is None else "--memory-limit"
        complain(
            f"{forecast['method']} on {forecast['n']} samples does not fit into {limit}"
            f" ({free_bytes() if n_bytes is None else n_bytes} bytes); at least"
            f" {forecast['bytes']['least']} bytes are needed",
            UNFIT,
        )


def print_forecast(forecast: dict[str, Any], n_bytes: int | None) -> None:
    """Print the expected bytes as a table, and how time grows."""
    names = {
        "interpreter": "interpreter and libraries",
        "views": "views held in memory (mapped files do not count)",
        "rows": "state of all rows (other engines keep it in files or on workers)",
        "fixed": "outputs and working memory",
        "other": "other data of this process",
        "peak": "expected peak, everything in memory",
        "least": "least memory limit that this engine keeps to",
    }
    rows = [[text, f"{forecast['bytes'][key]}"] for key, text in names.items()]
    fits = "holds" if forecast["fits"] else "does not hold"
    if n_bytes is not None:
        rows.append([f"memory limit ({fits})", f"{n_bytes}"])
    elif not forecast["fits"]:
        rows.append(["memory at hand (does not hold)", f"{free_bytes()}"])
    title = (
        f"{forecast['method']}: {forecast['n']} samples, "
        f"{len(forecast['views'])} views, {forecast['k']} clusters"
    )
    show.print_table(title, ["memory", "bytes"], rows)
    print(f"time grows as {forecast['cost']}")
