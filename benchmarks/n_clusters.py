"""Numbers of clusters that ChooseK suggests, rows shuffled, beside the classes.

    python benchmarks/n_clusters.py run FOLDER -o OUTPUT [--ratios 1 10]

FOLDER holds one file per set of two_fold_split.json. ``run`` writes one line of JSON a
set and ratio, with the seconds of one fit of ChooseK and of one of GraphConsensus, and
prints a table; lines that are there are not run again.
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
        "levels": [level.k for level in choice.levels_],
        "seconds": round(middle - start, 2),
        "fit": round(end - middle, 2),
    }


def is_near(k, classes):
    """Return True within one, or a tenth, of the number of classes."""
    return abs(k - classes) <= max(1, 0.1 * classes)


def run(folder, output, ratios):
    lines = output.read_text().splitlines() if output.exists() else []
    rows = {(r["set"], r["ratio"]): r for r in map(json.loads, lines)}
    for ratio, (half, name) in itertools.product(ratios, SETS):
        if (name, ratio) not in rows:
            found = measure(find(folder, name), ratio)
            rows[name, ratio] = {"set": name, "half": half, "ratio": ratio, **found}
            with output.open("a") as file:
                file.write(json.dumps(rows[name, ratio]) + "\n")
    print(
        "| set | classes | best_k_ | levels | k_range_ | confidence_ | seconds | fit |"
    )
    for r in rows.values():
        name = r["set"] if r["ratio"] == 1 else f"{r['set']}, 1:{r['ratio']}"
        levels = ", ".join(map(str, r["levels"]))
        cells = [name, r["classes"], r["best"], levels, f"{r['low']} to {r['high']}"]
        cells += [f"{r['confidence']:.2f}", f"{r['seconds']:.1f}", f"{r['fit']:.1f}"]
        print("|", " | ".join(map(str, cells)), "|")
    for ratio in ratios:
        found = [r for r in rows.values() if r["ratio"] == ratio]
        best = sum(is_near(r["best"], r["classes"]) for r in found)
        among = sum(any(is_near(k, r["classes"]) for k in r["levels"]) for r in found)
        mean = np.mean([len(r["levels"]) for r in found])
        print(f"ratio {ratio}: {best} near, {among} with a level near, of {len(found)}")
        print(f"levels of a set: {mean:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["run"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--output", "-o", type=Path, required=True)
    parser.add_argument("--ratios", type=int, nargs="+", default=[1])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    run(options.folder, options.output, options.ratios)
