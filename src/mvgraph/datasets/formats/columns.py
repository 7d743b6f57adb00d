"""The columns of a table: ids, features, labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

__all__ = ["FEATURE_NAMES", "ID_NAMES", "Columns"]

ID_NAMES = ("id", "ids", "sample", "sample_id", "index", "name", "unnamed: 0")


FEATURE_NAMES = ("gene", "genes", "gene_id", "feature", "features", "probe", "entrez")


class Columns(NamedTuple):
    """A table's columns: names, which are text, and how to read them."""

    header: list[str]
    text: list[bool]
    headed: bool
    one: Callable[[int], np.ndarray]
    numbers: Callable[[Sequence[int]], Any]  # an array, held or in the file
    ids: Callable[[], np.ndarray]  # the first column, exactly as it was written
    vectors: Mapping[str, np.ndarray] = MappingProxyType({})
