"""The record that describes one clustering method to the registry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Method:
    """Name, origin and cost of a method, and how to build its estimator.

    A baseline registers itself by a module-level ``METHOD = Method(...)`` in its file.

    Parameters
    ----------
    name : str
        What users type, for example ``"mgl"``.
    title : str
        One line for people.
    paper : str
        Authors and title of the publication, or a statement that there is none.
    year : int
    doi : str
        Empty if there is none.
    cost, memory : str
        Growth in the number of samples N, anchors M, views V, features d, clusters K.
    order_free : bool
        True if permuting the samples changes nothing but the numbering of clusters.
    needs_n_by_n : bool
        True if N x N matrices are built.
    build : callable
        ``build(n_clusters, random_state, preset, dataset_name) -> estimator``; imports
        the estimator inside, so that listing the methods stays cheap.
    presets : tuple of str
        Accepted presets; "paper" means the settings of the publication, those of
        MSRC-v5 for a data set that it does not have.
    """

    name: str
    title: str
    paper: str
    year: int
    doi: str
    cost: str
    memory: str
    order_free: bool
    needs_n_by_n: bool
    build: Callable[[int, Any, str, str | None], Any] = field(repr=False)
    presets: tuple[str, ...] = ("default",)

    def make(
        self,
        n_clusters: int,
        random_state: Any = None,
        preset: str = "default",
        dataset_name: str | None = None,
    ) -> Any:
        """Build the estimator, unfitted."""
        if preset not in self.presets:
            known = ", ".join(self.presets)
            raise ValueError(
                f"method {self.name!r} has no preset {preset!r}; it knows: {known}"
            )
        return self.build(n_clusters, random_state, preset, dataset_name)

    def describe(self) -> dict[str, Any]:
        """Return everything but the way to build it, ready for JSON."""
        row = asdict(self)
        del row["build"]
        return row
