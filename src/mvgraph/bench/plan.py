"""Plans: which methods run on which sets, in which orders, how often, how long."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from importlib import resources
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

from mvgraph import methods
from mvgraph.bench.plan_faults import faults, limit_faults
from mvgraph.evaluation.protocol import ORDERS

__all__ = ["Plan", "PlanError", "PlannedRun", "Trial", "load", "ready_plans"]

#: A longer file is no plan.
MOST_BYTES = 1 << 20
EXTRA = "mvgraph bench needs pydantic and pyyaml: pip install 'mvgraph[bench]'"


class PlanError(ValueError):
    """A plan with faults, described one per line."""

    def __init__(self, source: str, faults: list[str]) -> None:
        self.faults = [f"plan {source}: {fault}" for fault in faults]
        super().__init__("; ".join(self.faults))


@dataclass(frozen=True)
class PlannedRun:
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

    methods: list[str]
    preset: str = "default"
    orders: list[str] = field(default_factory=lambda: ["shuffled"])
    params: dict[str, Any] = field(default_factory=dict)
    grid: dict[str, list[Any]] = field(default_factory=dict)

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}


@dataclass(frozen=True)
class Plan:
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

    title: str
    sets: list[str]
    runs: list[PlannedRun]
    about: str = ""
    repeats: int = 1
    seed: int = 0
    time_limit: float = 600.0

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    def narrow(
        self,
        only: list[str] | None = None,
        repeats: int | None = None,
        names: list[str] | None = None,
        time_limit: float | None = None,
    ) -> Plan:
        """Return the part of the plan selected on the command line."""
        runs = self.runs
        if names:
            runs = [replace(block, methods=_keep(block, names)) for block in runs]
            runs = [block for block in runs if block.methods]
            if not runs:
                raise ValueError(
                    f"the plan runs none of the methods {', '.join(names)}; "
                    "leave --methods out to run all that it names"
                )
        plan = replace(
            self,
            sets=only or self.sets,
            runs=runs,
            repeats=self.repeats if repeats is None else repeats,
            time_limit=self.time_limit if time_limit is None else time_limit,
        )
        wrong = list(limit_faults(plan))
        if wrong:
            raise ValueError(wrong[0])
        return plan

    def trials(self, sets: list[str]) -> Iterator[Trial]:
        """Yield the trials, the first repeat of all of them first.

        An interrupted run has then tried every method. All sets are run in one order of
        rows before the other, so that slow trials are known before their second run.
        """
        seen = set()
        loops = product(range(self.repeats), sorted(ORDERS), sets, self.runs)
        for r, order, name, block in loops:
            if order not in block.orders:
                continue
            for trial in _planned_trials(block, name, order, self.seed + r):
                if repr(trial) not in seen:
                    seen.add(repr(trial))
                    yield trial


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

    def describe(self) -> dict[str, Any]:
        """Return the fields for a record."""
        return asdict(self)


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
    path = Path(source)
    if path.is_file():
        text = _text_of(path)
    elif source in ready_plans():
        text = (_folder() / f"{source}.yaml").read_text(encoding="utf-8")
    else:
        close = get_close_matches(source, ready_plans(), n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise ValueError(
            f"there is no plan {source!r}; {hint}give a YAML file, "
            f"or one of {', '.join(ready_plans())}"
        )
    return parse(text, source)


def ready_plans() -> list[str]:
    """List the plans bundled with the package."""
    names = [entry.name for entry in _folder().iterdir()]
    return sorted(name[:-5] for name in names if name.endswith(".yaml"))


def parse(text: str, source: str) -> Plan:
    """Parse the text of a plan; raise PlanError with all faults."""
    try:
        import pydantic
        import yaml
    except ImportError as error:
        raise ImportError(EXTRA) from error
    try:
        raw = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise PlanError(source, [_describe_yaml_error(error)]) from error
    except RecursionError as error:
        raise PlanError(source, ["nested too deeply"]) from error
    except ValueError as error:  # 2020-99-99
        raise PlanError(source, [f"a value is none: {error}"]) from error
    if not isinstance(raw, dict):
        raise PlanError(source, ["no settings found; write at least sets and runs"])
    raw = {"title": Path(source).stem, **raw}
    try:
        plan = pydantic.TypeAdapter(Plan).validate_python(raw)
    except pydantic.ValidationError as error:
        wrong = [_describe_type_error(e) for e in error.errors()]
        raise PlanError(source, wrong) from error
    wrong = faults(plan)
    if wrong:
        raise PlanError(source, wrong)
    return plan


def _text_of(path: Path) -> str:
    try:
        text = path.read_bytes()[: MOST_BYTES + 1].decode("utf-8")
    except UnicodeDecodeError as error:
        raise PlanError(str(path), ["no text in UTF-8"]) from error
    if len(text) > MOST_BYTES:
        raise PlanError(str(path), [f"longer than {MOST_BYTES} bytes"])
    return text


def _folder() -> Any:
    return resources.files("mvgraph.bench").joinpath("plans")


def _keep(block: PlannedRun, names: list[str]) -> list[str]:
    if block.methods == ["all"]:
        return names
    return [name for name in block.methods if name in names]


def _planned_trials(
    block: PlannedRun, name: str, order: str, seed: int
) -> Iterator[Trial]:
    chosen = methods.names() if block.methods == ["all"] else block.methods
    points = [
        dict(zip(block.grid, values, strict=True))
        for values in product(*block.grid.values())
    ]
    for method in chosen:
        known = block.preset in methods.get(method).presets
        preset = block.preset if known else "default"
        for point in points:
            yield Trial(name, method, preset, order, seed, block.params, point)


def _describe_type_error(error: Any) -> str:
    """Describe in one line which value is wrong, and what is expected."""
    where = "".join(
        f"[{part}]" if isinstance(part, int) else f".{part}" for part in error["loc"]
    ).lstrip(".")
    if error["type"] == "missing":
        return f"{where}: missing"
    if error["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
        return f"{where}: unknown setting; see the ready plans for those that exist"
    return f"{where}: {error['msg']}; got {reprlib.repr(error['input'])}"


def _describe_yaml_error(error: Any) -> str:
    mark = getattr(error, "problem_mark", None)
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    return f"{where}{getattr(error, 'problem', None) or 'not YAML'}"
