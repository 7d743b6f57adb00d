"""What a method hands to the base class: labels, and attributes by their axis."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Fit"]


class Fit(NamedTuple):
    """What a method returns: labels, and attributes by the axis that they follow."""

    labels: np.ndarray  # (N,)
    #: attributes whose first axis is samples
    samples: Mapping[str, Any] = MappingProxyType({})
    #: label arrays, renumbered as labels are
    clusters: Mapping[str, Any] = MappingProxyType({})
    #: attributes whose first axis is views
    views: Mapping[str, Any] = MappingProxyType({})
    #: attributes with samples on both axes, dense or CSR
    pairs: Mapping[str, Any] = MappingProxyType({})
    #: everything else
    other: Mapping[str, Any] = MappingProxyType({})

    def take(self, rows: np.ndarray) -> Fit:
        """Reorder all that follows samples."""
        return self._replace(
            labels=self.labels[rows],
            samples={name: value[rows] for name, value in self.samples.items()},
            pairs={name: value[rows][:, rows] for name, value in self.pairs.items()},
        )
