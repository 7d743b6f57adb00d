"""Numbers of clusters that are found in made sets, whose number is known.

    python benchmarks/made_sets.py [KIND ...] [--seeds 2] [-o OUTPUT]

Prints one line a kind: sets where the number is right, too small, too large; where
nine tenths or more are said of a number that is not right, and of one that is not even
near; where all levels of the set are listed; and the levels a set. With ``-o``, one
line of JSON a set. Every set is found in about a second.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist, squareform

from mvgraph import ChooseK, as_views, datasets


class Made(NamedTuple):
    """A made set: right numbers, and levels that have to be listed."""

    kind: str
    name: str
    views: list
    right: tuple[int, ...]
    listed: tuple[int, ...]


def blobs(K, apart, ratio, features, n, seed=None):
    """Return normal clusters whose nearest centres are so far apart in every view."""
    rng = np.random.default_rng(K if seed is None else [K, seed])
    share = ratio ** (-np.arange(K) / max(K - 1, 1))
    sizes = np.maximum(3, np.round(n * share / share.sum())).astype(int)
    truth = rng.permutation(np.repeat(np.arange(K), sizes))
    views = []
    for d in features:
        tries = [rng.normal(size=(K, d)) for _ in range(300 if d <= 4 else 1)]
        gaps = [_least_distance(c) for c in tries]
        best = int(np.argmax(gaps))
        centres = tries[best] * apart / gaps[best]
        views.append(centres[truth] + rng.normal(size=(len(truth), d)))
    return as_views(views), truth


def _least_distance(centres):
    D = np.linalg.norm(centres[:, None] - centres, axis=2)
    return D[np.triu_indices(len(D), 1)].min()


def _around(rng, centres, truth):
    return centres[truth] + rng.normal(size=(len(truth), centres.shape[1]))


def made_blobs(seed):
    for K, apart, ratio in itertools.product((2, 3, 5, 10, 20, 30), (3, 5, 8), (1, 20)):
        n = 500 if K <= 5 else 1000
        views, _ = blobs(K, apart, ratio, (10, 20), n, seed)
        kind = f"blobs {apart} sd, 1:{ratio}"
        yield Made(kind, f"{K}", views, (K,), (K,))
    for K, n, d in itertools.product((2, 3), (400, 800), ((5,), (30,))):
        views, _ = blobs(K, 5, 20, d, n, seed)
        yield Made("one view, 1:20", f"{K} of {n} in {d[0]}", views, (K,), (K,))


def made_grids(seed):
    """Equal round groups on a grid, four standard deviations apart."""
    for shape in ((2, 2), (3, 3), (3, 4), (2, 2, 2), (5, 5)):
        rng = np.random.default_rng([seed, *shape])
        centres = 4.0 * np.array(list(np.ndindex(shape)))
        K = len(centres)
        truth = rng.integers(K, size=60 * K if K < 20 else 40 * K)
        for n_views in (1, 2):
            views = [_around(rng, centres, truth) for _ in range(n_views)]
            name = f"{shape}, {n_views} views"
            yield Made("grid 4 sd", name, views, (K,), (K,))


def made_nested(seed):
    """Coarse groups, each of some fine ones."""
    for fine, apart in itertools.product(
        ((4, 4, 4), (3, 3, 3, 3), (4, 3, 3), (5, 5), (2, 2, 2)), (12, 20)
    ):
        rng = np.random.default_rng([seed, *fine])
        coarse = np.repeat(np.arange(len(fine)), fine)
        K = len(coarse)
        truth = np.arange(60 * K) % K
        views = []
        for d in (10, 20):
            far, near = rng.normal(size=(len(fine), d)), rng.normal(size=(K, d))
            far *= apart / np.linalg.norm(far, axis=1).mean()
            near *= 4.5 / np.linalg.norm(near, axis=1).mean()
            views.append(_around(rng, far[coarse] + near, truth))
        both = (K, len(fine))
        yield Made("nested", f"{fine} {apart}", views, both, both)


DRAWS = {
    "normal": lambda rng, n, d: rng.normal(size=(n, d)),
    "uniform": lambda rng, n, d: rng.uniform(size=(n, d)),
    "heavy": lambda rng, n, d: rng.standard_t(3, size=(n, d)),
    "integers": lambda rng, n, d: rng.integers(0, 30, size=(n, d)).astype(float),
    "exponential": lambda rng, n, d: rng.exponential(size=(n, d)),
}


def made_noise(seed):
    shapes = ((60, (10, 8)), (400, (2,)), (600, (10, 20)), (800, (3,)), (120, (50,)))
    for (draw, law), (n, dims) in itertools.product(DRAWS.items(), shapes):
        rng = np.random.default_rng([seed, n])
        yield Made(
            "noise", f"{draw} {n} {dims}", [law(rng, n, d) for d in dims], (1,), ()
        )


def made_single(seed):
    """One group of any shape."""
    n = 700
    rng = np.random.default_rng(seed)

    def seen(z, noise):
        return [
            z @ rng.normal(size=(z.shape[1], d)) + noise * rng.normal(size=(n, d))
            for d in (10, 8)
        ]

    t = rng.uniform(0, 1, n)
    bend = 3 * np.pi * (t - 0.5)
    sheet = np.c_[
        np.sin(bend), 2 * rng.uniform(size=n), np.sign(bend) * (np.cos(bend) - 1)
    ]
    arc = np.c_[np.cos(1.5 * np.pi * t), np.sin(1.5 * np.pi * t)]
    groups = {
        "arc": seen(arc, 0.05),
        "sheet": seen(sheet, 0.05),
        "gradient": seen(np.c_[t, t**2, np.sqrt(t)], 0.02),
        "long": [rng.normal(size=(n, d)) * 3.0 ** -np.arange(d) for d in (10, 8)],
    }
    for q in (1, 2, 3, 5, 8):
        groups[f"{q} factors"] = seen(rng.normal(size=(n, q)), 0.3)
    for name, views in groups.items():
        yield Made("one group", name, views, (1,), ())


def made_touching(seed):
    """Six clusters of which two are nearer; types of cells of which two are alike."""
    for near, size in itertools.product((3.0, 3.5, 4.0), (1, 4)):
        rng = np.random.default_rng([seed, int(10 * near)])
        sizes = [100, 100, 100, 100, 100, 100 // size]
        truth = np.repeat(np.arange(6), sizes)
        views = []
        for d in (10, 20):
            centres = rng.normal(size=(6, d))
            centres *= 8 / _least_distance(centres)
            step = rng.normal(size=d)
            centres[5] = centres[4] + near * step / np.linalg.norm(step)
            views.append(_around(rng, centres, truth))
        yield Made("two near of six", f"{near} sd, 1:{size}", views, (6,), (6,))
    for types, n in itertools.product((6, 9), (600, 1000)):
        views = _cells(np.random.default_rng([seed, types]), types, n)
        yield Made("cells, log1p", f"{types} of {n}", views, (types,), (types,))


def _cells(rng, types, n):
    """Return log1p counts of 200 genes and 20 proteins; two types are alike."""
    truth = rng.choice(types, n, p=np.r_[np.full(types - 1, 1), 0.5] / (types - 0.5))
    views = []
    for d, depth, fold in ((200, 2.0, 1.2), (20, 40.0, 1.0)):
        level = rng.gamma(0.7, 1.0, size=d)
        up = np.exp(fold * rng.normal(size=(types, d)) * (rng.random((types, d)) < 0.3))
        if d == 20:  # two proteins tell the last types apart
            up[-1] = up[-2]
            up[-1, :2] = up[-2, :2] * (6, 1 / 6)
        else:
            up[-1] = up[-2] * np.exp(1.2 * rng.normal(size=d) * (rng.random(d) < 0.1))
        rate = depth * (level * up)[truth] * rng.gamma(10, 0.1, size=(n, 1))
        views.append(np.log1p(rng.poisson(rate * rng.gamma(10, 0.1, size=rate.shape))))
    return views


def _apart(data, n_views):
    """Return how many classes are two standard deviations apart in the first views."""
    parts = []
    for x in data.views.arrays[:n_views]:
        means = np.stack(
            [np.median(x[data.labels == c], axis=0) for c in np.unique(data.labels)]
        )
        spread = np.median(np.abs(x - means[data.labels])) / 0.6745
        parts.append(means / spread)
    links = squareform(pdist(np.hstack(parts))) < 2
    return int(connected_components(links)[0])


def made_hard(seed):
    for n in (400, 1000):
        data = datasets.make_ambiguous_views(n, random_state=seed)
        K = _apart(data, 3)
        yield Made("ambiguous", f"{n}", data.views, (K - 1, K, K + 1), (K,))
        for K in (6, 10):
            data = datasets.make_misleading_view(n, n_clusters=K, random_state=seed + 1)
            seen = _apart(data, 2)
            near = (seen - 1, seen, seen + 1)
            yield Made("misleading", f"{K} of {n}", data.views, near, (seen,))
    for K, other in ((4, 6), (3, 5), (4, 1)):
        rng = np.random.default_rng([seed, K, other])
        views = [
            _around(rng, 2.0 * rng.normal(size=(k, d)), rng.integers(k, size=600))
            for k, d in ((K, 10), (other, 12))
        ]
        right = (K, other) if other > 1 else (K,)
        yield Made("a view of another", f"{K}, {other}", views, right, right)
    for n, types in itertools.product((120, 300), (2, 4)):
        rng = np.random.default_rng([seed, n, types])
        X = _around(rng, 1.5 * rng.normal(size=(types, 200)), np.arange(n) % types)
        U, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
        white = U[:, :50] * np.sqrt(n)
        yield Made("whitened", f"{types} of {n}", [white], (types,), (types,))
        plain = U[:, :50] * s[:50]
        yield Made("components", f"{types} of {n}", [plain], (types,), (types,))
    for far in (1, 2):
        rng = np.random.default_rng([seed, far])
        views = [rng.normal(size=(1010, d)) for d in (10, 20)]
        for x in views[:far]:
            x[:10, 0] += 12
        yield Made("ten beside 1000", f"in {far}", views, (2,), (2,))
    for K, n in itertools.product((2, 3, 5), (40, 60, 120)):
        views, _ = blobs(K, 6, 1, (5, 4), n, seed)
        yield Made("few rows", f"{K} of {n}", views, (K,), (K,))


SETS = (made_blobs, made_grids, made_nested, made_noise, made_single)
SETS += (made_touching, made_hard)


def look(made, seed):
    start = time.process_time()
    found = ChooseK(random_state=seed).fit(made.views)
    levels = {level.k: round(level.confidence, 3) for level in found.levels_}
    right = np.array(made.right)
    near = np.abs(right - found.best_k_) <= np.maximum(1, 0.1 * right)
    return {
        "kind": made.kind,
        "name": made.name,
        "seed": seed,
        "truth": made.right,
        "found": found.best_k_,
        "confidence": round(found.confidence_, 3),
        "levels": levels,
        "right": found.best_k_ in made.right,
        "near": bool(near.any()) and (found.best_k_ > 1 or 1 in made.right),
        "listed": all(k in levels for k in made.listed),
        "seconds": round(time.process_time() - start, 2),
    }


def table(rows):
    heads = ["kind", "sets", "right", "too few", "too many", "sure, not right"]
    heads += ["sure, not near", "all listed", "levels"]
    print("|", " | ".join(heads), "|\n|" + "---|" * len(heads))
    kinds = list(dict.fromkeys(r["kind"] for r in rows))
    for kind in [*kinds, "all"]:
        own = [r for r in rows if kind in (r["kind"], "all")]
        wrong = [r for r in own if not r["right"]]
        sure = [r for r in wrong if r["confidence"] >= 0.9]
        cells = [len(own), len(own) - len(wrong)]
        cells += [sum(r["found"] < min(r["truth"]) for r in wrong)]
        cells += [sum(r["found"] > min(r["truth"]) for r in wrong), len(sure)]
        cells += [sum(not r["near"] for r in sure), sum(r["listed"] for r in own)]
        cells += [f"{np.mean([len(r['levels']) for r in own]):.1f}"]
        print("|", " | ".join(map(str, [kind, *cells])), "|")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--output", "-o", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    if options.output:
        options.output.write_text("")
    for seed in range(options.seeds):
        for made in itertools.chain.from_iterable(make(seed) for make in SETS):
            if not options.kinds or any(k in made.kind for k in options.kinds):
                rows.append(look(made, seed))
                if options.output:
                    with options.output.open("a") as file:
                        file.write(json.dumps(rows[-1]) + "\n")
    table(rows)
