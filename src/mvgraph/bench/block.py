"""A block of a plan: methods that run with the same settings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from mvgraph import methods
from mvgraph.bench.listing import ALL, WITHOUT, expand
from mvgraph.bench.records import setting
from mvgraph.bench.trial import Trial
from mvgraph.ops.wording import extra

with extra("mvgraph bench", "pydantic and pyyaml", "bench"):
    from pydantic import (
        AfterValidator,
        BaseModel,
        ConfigDict,
        Field,
        JsonValue,
        ValidationInfo,
        model_validator,
    )

Item = TypeVar("Item")
Some = Annotated[list[Item], Field(min_length=1)]
STRICT = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def _known(name: str, info: ValidationInfo) -> str:
    if name != ALL and not name.startswith(WITHOUT):
        file = Path(name.rpartition(":")[0])
        beside = (info.context or {}).get("home", Path()) / file
        two = file.suffix == ".py" and file.is_file() and beside.is_file()
        if two and not file.samefile(beside):
            raise ValueError(
                f"{str(file)!r} is a file of the plan's folder and of the working "
                "folder; rename one"
            )
        methods.get(name).make(2)  # raises ValueError with what is wrong
    return name


class PlannedRun(BaseModel):
    """Methods that run with the same settings.

    Parameters
    ----------
    methods : list of str
        Names; ``all``, anywhere in the list; ``-NAME`` leaves a method out.
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
        given, chosen = [*self.params, *self.grid], self.chosen()
        for name in chosen if given else []:
            model = methods.get(name).make(2)
            try:
                model.set_params(**dict.fromkeys(given))
            except ValueError as error:
                hint = f"; leave it out with -{name}" if ALL in self.methods else ""
                raise ValueError(f"method {name!r}: {error}{hint}") from error
        return self

    @property
    def n_trials(self) -> int:
        """Return the number of trials per set and repeat."""
        points = prod(map(len, self.grid.values()))
        return len(self.chosen()) * len(self.orders) * points

    def chosen(self) -> list[str]:
        """Return the names of the methods."""
        return expand(self.methods, methods.names, lambda name: [name])

    def settings(self) -> Iterator[tuple[str, str]]:
        """Yield the methods, and what they are called with their settings."""
        for name in self.chosen():
            preset = self._preset(name)
            fields = {"method": name, "preset": preset, "override": self.params}
            yield name, setting(fields)

    def _preset(self, name: str) -> str:
        return self.preset if self.preset in methods.get(name).presets else "default"

    def trials(self, name: str, order: str, seed: int) -> Iterator[Trial]:
        """Yield the trials on one set."""
        points = [
            dict(zip(self.grid, values, strict=True))
            for values in product(*self.grid.values())
        ]
        for method in self.chosen():
            preset = self._preset(method)
            for point in points:
                yield Trial(name, method, preset, order, seed, self.params, point)
