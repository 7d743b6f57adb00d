"""Plans: which methods run on which sets, in which orders, how often, how long."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator
from difflib import get_close_matches
from importlib import resources
from itertools import product
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from mvgraph import methods
from mvgraph.bench.trial import Trial
from mvgraph.evaluation.protocol import ORDERS
from mvgraph.ops.wording import extra
from mvgraph.persistence.yaml_files import parse_yaml

with extra("mvgraph bench", "pydantic and pyyaml", "bench"):
    import yaml  # noqa: F401  imported when a plan is read
    from pydantic import (
        AfterValidator,
        BaseModel,
        ConfigDict,
        Field,
        JsonValue,
        ValidationError,
        model_validator,
    )

#: More than these are a mistake: a year, more trials than anybody waits for.
MOST_SECONDS, MOST_TRIALS = 366 * 86_400.0, 1_000_000
Item = TypeVar("Item")
Some = Annotated[list[Item], Field(min_length=1)]
STRICT = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
#: What a fault of this type means, where pydantic's own words do not help.
WORDS = {
    "missing": "missing",
    "extra_forbidden": "unknown setting; see the ready plans for those that exist",
    "too_short": "empty; list at least one",
    "invalid-json-value": "write a number, a text, true or a list",
    "recursion_loop": "nested too deeply",
}


class PlanError(ValueError):
    """A plan with faults, described one per line."""

    def __init__(self, source: str, faults: list[str]) -> None:
        self.faults = [f"plan {source}: {fault}" for fault in faults]
        super().__init__("; ".join(self.faults))


def _known(name: str) -> str:
    if name != "all":
        methods.get(name).make(2)  # raises ValueError with what is wrong
    return name


class PlannedRun(BaseModel):
    """Methods that run with the same settings.

    Parameters
    ----------
    methods : list of str
        Names, or ``["all"]``.
    preset : {"default", "paper"}
        "paper": settings of the publication, for methods that have them.
    orders : list of {"published", "shuffled"}
    params : dict
        Parameters of the estimator that replace those of the preset.
    grid : dict of str to list
        Every combination is run; figures are drawn for one parameter.
    """

    model_config = STRICT

    methods: Some[Annotated[str, AfterValidator(_known)]]
    preset: Literal["default", "paper"] = "default"
    orders: Some[Literal["published", "shuffled"]] = ["shuffled"]
    params: dict[str, JsonValue] = {}
    grid: dict[str, Some[JsonValue]] = {}

    @model_validator(mode="after")
    def _parameters_exist(self) -> PlannedRun:
        for name in [] if self.methods == ["all"] else self.methods:
            model = methods.get(name).make(2)
            try:
                model.set_params(**dict.fromkeys([*self.params, *self.grid]))
            except ValueError as error:
                raise ValueError(f"method {name!r}: {error}") from error
        return self

    @property
    def n_trials(self) -> int:
        """Return the number of trials per set and repeat."""
        points = prod(map(len, self.grid.values()))
        return len(self.chosen()) * len(self.orders) * points

    def chosen(self) -> list[str]:
        """Return the names of the methods."""
        return methods.names() if self.methods == ["all"] else self.methods

    def trials(self, name: str, order: str, seed: int) -> Iterator[Trial]:
        """Yield the trials on one set."""
        points = [
            dict(zip(self.grid, values, strict=True))
            for values in product(*self.grid.values())
        ]
        for method in self.chosen():
            has_preset = self.preset in methods.get(method).presets
            preset = self.preset if has_preset else "default"
            for point in points:
                yield Trial(name, method, preset, order, seed, self.params, point)


class Plan(BaseModel):
    """Everything that a benchmark runs.

    Parameters
    ----------
    title : str
    sets : list of str
        Names of data sets, or ``["all"]``; ``name:1000`` generates 1000 samples.
    runs : list of PlannedRun
    about : str
    repeats : int
        Repeat r uses the seed ``seed + r``.
    seed : int
    time_limit : float
        Seconds that a trial may take, including reading the data.
    """

    model_config = STRICT

    title: str
    sets: Some[str]
    runs: Some[PlannedRun]
    about: str = ""
    repeats: Annotated[int, Field(ge=1)] = 1
    seed: Annotated[int, Field(ge=0)] = 0
    time_limit: Annotated[float, Field(gt=0, le=MOST_SECONDS)] = 600.0

    @model_validator(mode="after")
    def _not_too_large(self) -> Plan:
        n_trials = self.repeats * len(self.sets) * sum(r.n_trials for r in self.runs)
        if n_trials > MOST_TRIALS:
            raise ValueError(
                f"more than {MOST_TRIALS} trials; lower repeats, or list less in a grid"
            )
        return self

    def narrow(
        self,
        only: list[str] | None = None,
        repeats: int | None = None,
        names: list[str] | None = None,
        time_limit: float | None = None,
    ) -> Plan:
        """Return the part of the plan selected on the command line."""
        runs = [block.model_dump() for block in self.runs]
        if names:
            for block in runs:
                listed = names if block["methods"] == ["all"] else block["methods"]
                block["methods"] = [name for name in listed if name in names]
            runs = [block for block in runs if block["methods"]]
            if not runs:
                raise ValueError(
                    f"the plan runs none of the methods {', '.join(names)}; "
                    "leave --methods out to run all methods of the plan"
                )
        options = {"sets": only, "repeats": repeats, "time_limit": time_limit}
        changed = {key: value for key, value in options.items() if value is not None}
        return _checked({**self.model_dump(), "runs": runs, **changed}, self.title)

    def trials(self, sets: list[str]) -> list[Trial]:
        """List the trials, the first repeat of all of them first.

        An interrupted run has then tried every method. All sets are run in one order of
        rows before the other, so that slow trials are known before their second run.
        """
        distinct: dict[str, Trial] = {}
        seeds = range(self.seed, self.seed + self.repeats)
        for seed, order, name, block in product(seeds, ORDERS[::-1], sets, self.runs):
            if order in block.orders:
                for trial in block.trials(name, order, seed):
                    distinct.setdefault(repr(trial), trial)
        return list(distinct.values())


def load(source: str) -> Plan:
    """Read a plan from a YAML file, or a bundled plan by its name.

    Raises
    ------
    PlanError
        If the plan has faults; the message has one line per fault.
    ValueError
        If there is no such file or bundled plan.
    ImportError
        If the extra ``bench`` is not installed.
    """
    path: Any = Path(source)
    if not path.is_file():
        path = resources.files("mvgraph.bench").joinpath("plans", f"{source}.yaml")
        if source not in ready_plans():
            close = get_close_matches(source, ready_plans(), n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise ValueError(
                f"there is no plan {source!r}; {hint}give a YAML file, "
                f"or one of {', '.join(ready_plans())}"
            )
    return parse(path.read_bytes(), source)


def ready_plans() -> list[str]:
    """List the plans bundled with the package."""
    folder = resources.files("mvgraph.bench").joinpath("plans")
    names = [entry.name for entry in folder.iterdir()]
    return sorted(name[:-5] for name in names if name.endswith(".yaml"))


def parse(content: str | bytes, source: str) -> Plan:
    """Parse a plan; raise PlanError with all faults."""
    try:
        raw = parse_yaml(content)
    except ValueError as error:
        raise PlanError(source, [str(error)]) from error
    if not isinstance(raw, dict):
        raise PlanError(source, ["no settings found; write at least sets and runs"])
    return _checked({"title": Path(source).stem, **raw}, source)


def _checked(raw: dict[Any, Any], source: str) -> Plan:
    try:
        return Plan.model_validate(raw)
    except ValidationError as error:
        raise PlanError(source, [describe(e) for e in error.errors()]) from error


def describe(error: Any) -> str:
    """Describe in one line which value is wrong, and what is expected."""
    where = "".join(
        f"[{part}]" if isinstance(part, int) else f".{part}" for part in error["loc"]
    ).lstrip(".")
    kind = error["type"]
    if kind == "value_error":  # of a validator above, which names the value
        words = str(error["ctx"]["error"])
    else:
        words = WORDS.get(kind, error["msg"])
        if kind not in ("missing", "extra_forbidden", "recursion_loop"):
            words += f"; got {reprlib.repr(error['input'])}"
    return f"{where}: {words}" if where else words
