"""Numbers of clusters that ChooseK suggests, rows shuffled, beside the classes.

    python benchmarks/n_clusters.py run FOLDER -o OUTPUT [--ratios 1 10]
    python benchmarks/n_clusters.py variants FOLDER

FOLDER holds one file per set of two_fold_split.json. ``run`` writes one line of JSON a
set and ratio, with the seconds of one fit of ChooseK and of one of GraphConsensus, and
prints a table; lines that are there are not run again. ``variants`` counts, in both
halves of the sets, how often the number is within one, for every share of rows in a
draw and both rules for the number of neighbours: a constant is chosen on one half and
reported on the other.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
import warnings
from pathlib import Path

import numpy as np
from two_fold import SPLIT, find, unequal_rows

from mvgraph import ChooseK, GraphConsensus, datasets
from mvgraph.inspection import resampling

SHARES = (0.7, 0.8, 0.9)
NEIGHBORS = {"20": lambda n: 20, "root of n, at most 20": resampling.n_neighbors}
SETS = [(half, name) for half in SPLIT for name in SPLIT[half]]


def views_of(path, ratio):
    """Return the views of a set, rows shuffled, and the classes."""
    data = datasets.load(path)
    labels = np.asarray(data.labels)
    rows = np.random.default_rng(0).permutation(len(labels))
    if ratio > 1:
        rows = unequal_rows(labels, ratio, 0)
    return data.views[rows], labels[rows]


def measure(path, ratio):
    views, labels = views_of(path, ratio)
    K = len(np.unique(labels))
    start = time.perf_counter()
    choice = ChooseK(random_state=0).fit(views)
    middle = time.perf_counter()
    GraphConsensus(K, random_state=0).fit(views)
    end = time.perf_counter()
    return {
        "rows": len(labels),
        "classes": K,
        "best": choice.best_k_,
        "low": choice.k_range_[0],
        "high": choice.k_range_[1],
        "confidence": round(choice.confidence_, 3),
        "seconds": round(middle - start, 2),
        "fit": round(end - middle, 2),
    }


def run(folder, output, ratios):
    lines = output.read_text().splitlines() if output.exists() else []
    rows = {(r["set"], r["ratio"]): r for r in map(json.loads, lines)}
    for ratio, (half, name) in itertools.product(ratios, SETS):
        if (name, ratio) not in rows:
            found = measure(find(folder, name), ratio)
            rows[name, ratio] = {"set": name, "half": half, "ratio": ratio, **found}
            with output.open("a") as file:
                file.write(json.dumps(rows[name, ratio]) + "\n")
    print("| set | classes | `best_k_` | `k_range_` | `confidence_` | seconds | fit |")
    for r in rows.values():
        name = r["set"] if r["ratio"] == 1 else f"{r['set']}, 1:{r['ratio']}"
        cells = [name, r["classes"], r["best"], f"{r['low']} to {r['high']}"]
        cells += [f"{r['confidence']:.2f}", f"{r['seconds']:.1f}", f"{r['fit']:.1f}"]
        print("|", " | ".join(map(str, cells)), "|")
    for ratio in ratios:
        found = [r for r in rows.values() if r["ratio"] == ratio]
        near = sum(abs(r["best"] - r["classes"]) <= 1 for r in found)
        inside = sum(r["low"] <= r["classes"] <= r["high"] for r in found)
        print(f"ratio {ratio}: {near} within one, {inside} in the range, {len(found)}")


def variants(folder):
    near = {}
    for half, name in SETS:
        views, labels = views_of(find(folder, name), 1)
        for share, (rule, n_neighbors) in itertools.product(SHARES, NEIGHBORS.items()):
            resampling.SHARE, resampling.n_neighbors = share, n_neighbors
            best = ChooseK(random_state=0).fit(views).best_k_
            hit = abs(best - len(np.unique(labels))) <= 1
            near.setdefault((share, rule), {"a": 0, "b": 0})[half] += int(hit)
    for variant, hits in near.items():
        print(*variant, hits)
    for chosen, other in (("a", "b"), ("b", "a")):
        most = max(hits[chosen] for hits in near.values())
        hits = [h[other] for h in near.values() if h[chosen] == most]
        print(
            f"chosen on {chosen}: {np.mean(hits):.1f} of {len(SPLIT[other])} on {other}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["run", "variants"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--output", "-o", type=Path)
    parser.add_argument("--ratios", type=int, nargs="+", default=[1])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.what == "run":
        run(options.folder, options.output, options.ratios)
    else:
        variants(options.folder)
