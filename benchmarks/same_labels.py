"""Fit every method and compare its labels with those of another version.

Labels of all methods and presets, of MGL with the transform along anchors and of
AnchorFilter out of core, on the embedded digits, on sets with missing rows and sparse
views, and on the files named. Write them with one version of the library, compare with
another:

    python benchmarks/same_labels.py --write before.npz [FILE ...]
    python benchmarks/same_labels.py --compare before.npz [FILE ...]

``--only TEXT`` runs the fits whose names hold the text.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph import MGL, AnchorFilter, GraphConsensus, Views, datasets, methods

SEEDS = (0, 1)
SMALL = 300  # samples of the sets on which the slow methods run
#: Names of fits in files of the time when AnchorFilter was a form of MGL.
FORMER = {
    "anchor-filter default": "mgl default",
    "anchor-filter chunked": "mgl chunked",
    "mgl default": "mgl paper",
}


def generated() -> Iterator[tuple[str, Views]]:
    """Yield small sets: dense, sparse, with missing rows."""
    digits = datasets.load_digits_views()
    rows = np.random.default_rng(0).permutation(len(digits.views))[:SMALL]
    yield "digits", digits.views[rows]
    rng = np.random.default_rng(1)
    truth = np.arange(240) % 4
    counts = [
        sp.csr_matrix(rng.poisson(rng.gamma(0.3, size=(4, d)))[truth].astype(float))
        for d in (90, 60)
    ]
    noise = [sp.random(240, d, 0.02, random_state=d) for d in (90, 60)]
    yield "sparse", Views([a + b for a, b in zip(counts, noise, strict=True)])
    full = [
        3 * rng.normal(size=(4, d))[truth] + rng.normal(size=(240, d))
        for d in (5, 6, 7)
    ]
    for v, x in enumerate(full):
        x[np.arange(v * 7, 240, 17)] = np.nan
    yield "missing", Views(full)


def fits(sets: list[tuple[str, Views, int]]) -> Iterator[tuple[str, Any, Views]]:
    """Yield a name, an estimator and its views for everything that is compared."""
    for (name, views, k), seed in product(sets, SEEDS):
        whole = views.mask is None
        yield (
            f"{name}/graph-consensus/{seed}",
            GraphConsensus(k, random_state=seed),
            views,
        )
        if whole:
            model = MGL(k, basis="fft-anchors", random_state=seed)
            yield f"{name}/mgl along anchors/{seed}", model, views
        model = AnchorFilter(k, engine="chunked", random_state=seed)
        yield f"{name}/anchor-filter chunked/{seed}", model, views
        if whole and len(views) <= 2 * SMALL:
            yield from baselines(name, views, k, seed)


def baselines(
    name: str, views: Views, k: int, seed: int
) -> Iterator[tuple[str, Any, Views]]:
    """Yield every method with every preset."""
    for method in methods.names():
        for preset in methods.get(method).presets:
            model = methods.get(method).make(k, seed, preset)
            yield f"{name}/{method} {preset}/{seed}", model, views


def former(name: str, old: dict[str, Any]) -> str:
    """Return the name of a fit in a file that may be older than the names."""
    if any("/anchor-filter " in key for key in old):
        return name
    data, method, seed = name.split("/")
    return f"{data}/{FORMER.get(method, method)}/{seed}"


def main() -> int:
    """Write or compare; the exit status is 1 where labels differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--compare", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    sets = [(n, v, 10 if n == "digits" else 4) for n, v in generated()]
    for file in args.files:
        data = datasets.load(file)
        rows = np.random.default_rng(0).permutation(len(data.views))[:2000]
        sets.append((data.name, data.views[rows], len(np.unique(data.labels))))
    old = dict(np.load(args.compare)) if args.compare else {}
    found, wrong, counts = {}, [], Counter()
    for name, model, views in fits(sets):
        if args.only not in name:
            continue
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found[name] = model.fit(views).labels_
            except (ValueError, ImportError) as error:
                found[name] = np.array([f"{type(error).__name__}"])
        key = former(name, old)
        took, said = time.perf_counter() - start, "same"
        if key not in old:
            said = "new"
        elif not np.array_equal(old[key], found[name]):
            said = "DIFFERENT"
            wrong.append(name)
        counts[said] += 1
        print(f"{said:10s} {took:6.2f} s  {name}", flush=True)
    if args.write:
        np.savez(args.write, **found)
    print(f"{dict(counts)}; different: {wrong}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
