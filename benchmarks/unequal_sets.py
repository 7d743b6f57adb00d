"""Write copies of labelled sets whose class sizes fall geometrically to 1 / ratio.

    python benchmarks/unequal_sets.py FOLDER OUT [--ratios 10 30] [--sets NAME ...]

FOLDER is searched for the sets of two_fold_split.json. OUT gets, for every set, a link
NAME.mat to the file and the copies NAME_1to10.mat and NAME_1to30.mat: a folder of data
for ``mvgraph bench benchmarks/big_table.yaml --data OUT``. Which classes become small,
and which of their rows stay, is drawn with one seed and does not look at the features.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from labelled_sets import SPLIT, find
from scipy.io import savemat

from mvgraph import datasets

RATIOS = (10, 30)
LEAST = 3  # rows of the smallest class
#: Text in front of a file. The usual one has the date: each writing would be a new set.
HEADER = b"MATLAB 5.0 MAT-file, written by unequal_sets.py".ljust(116)


def kept_rows(labels: np.ndarray, ratio: float, seed: int = 1) -> np.ndarray:
    """Return the rows to keep, shuffled."""
    rng = np.random.default_rng(seed)
    classes = np.unique(labels)
    keep = []
    for i, c in enumerate(rng.permutation(classes)):
        members = np.flatnonzero(labels == c)
        share = ratio ** (-i / (len(classes) - 1))
        keep.append(rng.permutation(members)[: max(LEAST, round(len(members) * share))])
    return rng.permutation(np.concatenate(keep))


def write(path: Path, name: str, out: Path, ratios: tuple[int, ...]) -> None:
    """Link a set and write its unequal copies."""
    link = out / f"{name}.mat"
    if not link.exists():
        link.symlink_to(path.resolve())
    data = datasets.load(path)
    labels = np.unique(np.asarray(data.labels), return_inverse=True)[1] + 1
    for ratio in ratios:
        rows = kept_rows(labels, ratio)
        views = np.empty((1, data.views.n_views), dtype=object)
        for v, x in enumerate(data.views[rows].arrays):
            views[0, v] = x
        target = out / f"{name}_1to{ratio}.mat"
        savemat(target, {"X": views, "Y": labels[rows][:, None]}, do_compression=True)
        with target.open("r+b") as file:
            file.write(HEADER)


def main() -> None:
    """Write all sets and print their names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--ratios", type=int, nargs="+", default=RATIOS)
    parser.add_argument("--sets", nargs="+", default=SPLIT["a"] + SPLIT["b"])
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.sets:
        write(find(args.folder, name), name, args.out, tuple(args.ratios))
        print(name, flush=True)


if __name__ == "__main__":
    main()
