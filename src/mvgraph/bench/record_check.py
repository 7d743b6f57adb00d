"""What a record must hold, so that runs and reports can rely on it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mvgraph.metrics import SCORES
from mvgraph.ops.wording import extra

with extra("a check of records", "pydantic", "bench"):
    from pydantic import (
        BaseModel,
        ConfigDict,
        Field,
        ValidationError,
        field_validator,
    )

__all__ = ["fault_of"]

Count = Annotated[int, Field(ge=1, lt=10**18)]


class _Record(BaseModel):
    """What every record holds.

    Fields of later versions are kept as they are, and what earlier versions did not
    write need not be there.
    """

    model_config = ConfigDict(strict=True, extra="allow", allow_inf_nan=False)

    key: str
    set: str
    plan: str
    data_sha256: str | None = None
    environment: dict[str, str | int | float | bool | None]


class Missing(_Record):
    """A set that was not found."""

    status: Literal["skipped"]
    method: None
    reason: str


class _Trial(_Record):
    method: str
    preset: str
    order: str
    seed: Annotated[int, Field(ge=0, lt=10**18)]
    override: dict[str, Any]
    grid: dict[str, Any]
    code_sha256: str | None = None
    time_limit: float | None = None


class Skipped(_Trial):
    """A trial without a result."""

    status: Literal["skipped"]
    reason: str


class Done(_Trial):
    """A trial with a result."""

    status: Literal["done"]
    data_sha256: str
    n: Count
    k: Count
    views: Count
    scores: dict[str, float | None]
    seconds: float
    cpu_seconds: float | None = None
    peak_mb: float | None = None
    components: int | None = None
    warnings: list[str] = []
    artefacts: dict[str, Any] = {}
    reading: dict[str, Any] = {}

    @field_validator("scores")
    @classmethod
    def _in_range(cls, scores: dict[str, float | None]) -> dict[str, float | None]:
        for name, value in scores.items():
            if name not in SCORES or value is None:
                continue
            if not SCORES[name].least <= value <= 1 + 1e-9:  # sums are rounded
                raise ValueError(f"{name} is {value:g}, which is no such score")
        return scores


def fault_of(record: Any) -> str | None:
    """Say what is wrong with a record; None: nothing."""
    if not isinstance(record, dict):
        return "no object"
    trial = Done if record.get("status") == "done" else Skipped
    try:
        (trial if record.get("method") else Missing).model_validate(record)
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return None
