"""The labelled sets that constants are compared on, in two halves."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

SPLIT = json.loads(Path(__file__).with_name("two_fold_split.json").read_text())
MAX_ROWS = 5000


def read_options(about: str, seeds: int) -> argparse.Namespace:
    """Read the folder of the sets, that of computed parts, which is made, and seeds."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=seeds)
    options = parser.parse_args()
    options.cache.mkdir(exist_ok=True)
    return options


def find(folder: Path, name: str) -> Path:
    """Return the file of a set."""
    found = [*folder.rglob(f"{name}__*"), *folder.rglob(f"{name}.*")]
    if not found:
        raise FileNotFoundError(f"no file of {name} in {folder}")
    return min(found, key=lambda path: (len(path.parts), path))


def unequal_rows(labels: np.ndarray, ratio: int, seed: int) -> np.ndarray:
    """Keep rows so that class sizes fall geometrically to 1 / ratio, at least 3."""
    rng = np.random.default_rng(seed)
    classes = np.unique(labels)
    keep = []
    for i, c in enumerate(np.random.default_rng(1).permutation(classes)):
        members = np.flatnonzero(labels == c)
        share = ratio ** (-i / (len(classes) - 1))
        keep.append(rng.permutation(members)[: max(3, round(len(members) * share))])
    return rng.permutation(np.concatenate(keep))[:MAX_ROWS]
