"""Plans: which methods run on which sets, in which orders, how often, how long."""

from __future__ import annotations

import reprlib
from importlib import resources
from itertools import product
from pathlib import Path
from typing import Annotated, Any

from mvgraph.bench.block import STRICT, PlannedRun, Some
from mvgraph.bench.listing import ALL, WITHOUT, generated_names
from mvgraph.bench.naming import Naming
from mvgraph.bench.trial import Trial
from mvgraph.evaluation.protocol import ORDERS
from mvgraph.ops.wording import extra, nearest
from mvgraph.persistence.yaml_files import parse_yaml

with extra("mvgraph bench", "pydantic and pyyaml", "bench"):
    import yaml  # noqa: F401  imported when a plan is read
    from pydantic import (
        AfterValidator,
        BaseModel,
        BeforeValidator,
        Field,
        ValidationError,
        ValidationInfo,
        model_validator,
    )

#: More than these are a mistake: a year, more trials than anybody waits for.
MOST_SECONDS, MOST_TRIALS = 366 * 86_400.0, 1_000_000
#: What a fault of this type means, where pydantic's own words do not help.
WORDS = {
    "missing": "missing",
    "too_short": "empty; list at least one",
    "list_type": "write a list, as in [a, b]",
    "dict_type": "write names with their values, as in {a: b}",
    "string_type": "write a text",
    "invalid-json-value": "write a number, a text, true or a list",
    "recursion_loop": "nested too deeply",
}


class PlanError(ValueError):
    """A plan with faults, described one per line."""

    def __init__(self, source: str, faults: list[str]) -> None:
        self.faults = [f"plan {source}: {fault}" for fault in faults]
        super().__init__("; ".join(self.faults))


def _beside_plan(path: str, info: ValidationInfo) -> str:
    """Return a path that is relative to the plan as one of the working folder."""
    if not path.strip():
        raise ValueError("empty; write a path, or leave it out")
    home = (info.context or {}).get("home", Path())
    place = str(home / Path(path).expanduser())
    return f"{place.rstrip('/')}/" if path.endswith("/") else place


def _set_names(entries: Any, info: ValidationInfo) -> Any:
    """Return names for grids of generated sets, and paths beside the plan."""
    if not isinstance(entries, list):
        return entries
    names: list[Any] = []
    for i, entry in enumerate(entries):
        if isinstance(entry, dict):
            names += generated_names(entry, f"entry {i + 1}")
        elif isinstance(entry, str) and "/" in entry and entry[0] != WITHOUT:
            names.append(_beside_plan(entry, info))
        elif isinstance(entry, str) and not entry.strip():
            raise ValueError(f"entry {i + 1}: empty; write the name of a set")
        else:
            names.append(entry)
    return names


class Plan(BaseModel):
    """Everything that a benchmark runs.

    Parameters
    ----------
    title : str
    sets : list of str or dict
        See `mvgraph.bench.sets.find_sets`; ``{generate: ambiguous, noise: [1, 2]}`` is
        a set for every combination of parameters of the function that generates it.
    runs : list of PlannedRun
    data : str, optional
        Folder or manifest of the sets; ``--data`` replaces it.
    about : str
    repeats : int
        Repeat r uses the seed ``seed + r``.
    seed : int
    time_limit : float
        Seconds that a trial may take once its kernels are compiled and its data read.
    names, set_names, groups, reference
        See `mvgraph.bench.naming.Naming`.

    Notes
    -----
    Paths are relative to the folder of the plan, which is the context of validation.
    """

    model_config = STRICT

    title: str
    sets: Annotated[Some[str], BeforeValidator(_set_names)]
    runs: Some[PlannedRun]
    data: Annotated[str, AfterValidator(_beside_plan)] | None = None
    about: str = ""
    repeats: Annotated[int, Field(ge=1)] = 1
    seed: Annotated[int, Field(ge=0)] = 0
    time_limit: Annotated[float, Field(gt=0, le=MOST_SECONDS)] = 600.0
    names: dict[str, str] = {}
    set_names: dict[str, str] = {}
    groups: dict[str, Some[str]] = {}
    reference: str | None = None

    @model_validator(mode="after")
    def _names_are_of_methods(self, info: ValidationInfo) -> Plan:
        if info.context:  # a part of a plan keeps the names of all its methods
            pairs = (pair for block in self.runs for pair in block.settings())
            self.naming().check(pairs)
        return self

    def naming(self) -> Naming:
        """Return how methods are shown."""
        return Naming(**self.model_dump(include=set(Naming.model_fields)))

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
        repeats: int | None = None,
        names: list[str] | None = None,
        time_limit: float | None = None,
    ) -> Plan:
        """Return the part of the plan selected on the command line."""
        whole = self.model_dump()
        runs = whole["runs"]
        if names:
            for block, planned in zip(runs, self.runs, strict=True):
                listed = names if ALL in planned.methods else planned.chosen()
                block["methods"] = [name for name in listed if name in names]
            runs = [block for block in runs if block["methods"]]
            if not runs:
                raise ValueError(
                    f"the plan runs none of the methods {', '.join(names)}; "
                    "leave --methods out to run all methods of the plan"
                )
        options = {"repeats": repeats, "time_limit": time_limit}
        changed = {key: value for key, value in options.items() if value is not None}
        return _checked({**whole, "runs": runs, **changed}, self.title)

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
            raise ValueError(
                f"there is no plan {source!r}; give a YAML file, or a ready plan; "
                f"{nearest(source, ready_plans())}"
            )
        return parse(path.read_bytes(), source)
    return parse(path.read_bytes(), source, path.parent)


def ready_plans() -> list[str]:
    """List the plans bundled with the package."""
    folder = resources.files("mvgraph.bench").joinpath("plans")
    names = [entry.name for entry in folder.iterdir()]
    return sorted(name[:-5] for name in names if name.endswith(".yaml"))


def parse(content: str | bytes, source: str, home: Path = Path()) -> Plan:
    """Parse a plan of this folder; raise PlanError with all faults."""
    try:
        raw = parse_yaml(content)
    except ValueError as error:
        raise PlanError(source, [str(error)]) from error
    if not isinstance(raw, dict):
        raise PlanError(source, ["no settings found; write at least sets and runs"])
    return _checked({"title": Path(source).stem, **raw}, source, home)


def _checked(raw: dict[Any, Any], source: str, home: Path | None = None) -> Plan:
    context = None if home is None else {"home": home}
    try:
        return Plan.model_validate(raw, context=context)
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
    elif kind == "extra_forbidden":
        fields = (PlannedRun if "runs" in error["loc"] else Plan).model_fields
        words = f"unknown setting; {nearest(str(error['loc'][-1]), fields)}"
    else:
        words = WORDS.get(kind, error["msg"])
        if kind not in ("missing", "recursion_loop"):
            words += f"; got {reprlib.repr(error['input'])}"
    return f"{where}: {words}" if where else words
