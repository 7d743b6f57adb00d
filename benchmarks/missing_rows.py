"""Accuracy on all rows when one view lacks a share of the rows.

    python benchmarks/missing_rows.py SHARED [--shares 0,0.1,0.3,0.5] [--seeds 1]

Every view is thinned in turn; a table of markdown is printed at the end. Rows are
shuffled first. "worst" is the view whose loss hurts most.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np

from mvgraph import AnchorFilter, GraphConsensus, Views, datasets, metrics

SETS = {
    "handwritten4": ("handwritten4.mat", 10),
    "mnist_usps": ("mnist_usps__x1x2_int64_row.mat", 10),
}
INCOMPLETE = (
    "three_sources_incomplete__nan_dxn_index.mat",
    "three_sources_incomplete__zero_rows_mask.mat",
)
METHODS = {"graph-consensus": GraphConsensus, "anchor-filter": AnchorFilter}


def thinned(views, v, share, rng):
    """Remove a share of the rows of one view."""
    arrays = [np.array(x, dtype=float) for x in views.arrays]
    gone = rng.permutation(len(views))[: round(share * len(views))]
    arrays[v][gone] = np.nan
    return Views(arrays, views.names)


def accuracy(name, views, labels, K, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = METHODS[name](K, random_state=seed).fit(views).labels_
    assert len(found) == len(labels)
    return metrics.accuracy(labels, found)


def removed(folder, shares, seeds, methods, sets):
    lines = []
    for name in sets:
        file, K = SETS[name]
        data = datasets.load(folder / "data" / file)
        for method in methods:
            for share in shares:
                rows = []
                for v in range(data.views.n_views if share else 1):
                    for seed in range(seeds):
                        rng = np.random.default_rng([seed, v])
                        order = np.random.default_rng(seed).permutation(
                            len(data.labels)
                        )
                        X, y = data.views[order], data.labels[order]
                        X = thinned(X, v, share, rng) if share else X
                        start = time.perf_counter()
                        acc = accuracy(method, X, y, K, seed)
                        rows.append(acc)
                        seconds = time.perf_counter() - start
                        print(
                            f"{name} {method} share {share} view {v} seed {seed}: "
                            f"{acc:.4f} ({seconds:.1f} s)",
                            flush=True,
                        )
                lines.append(
                    f"| {name} | {method} | {share:.0%} | {np.mean(rows):.3f} | "
                    f"{np.min(rows):.3f} | {len(rows)} |"
                )
    print("\n| set | method | rows removed | mean ACC | worst | fits |")
    print("|---|---|---|---|---|---|")
    print("\n".join(lines))


def encodings(folder, methods):
    """Rows of NaN, and rows of zeros with a mask: the same stories, the same labels."""
    pair = [datasets.load(folder / "data" / file) for file in INCOMPLETE]
    print("\n| method | ACC, NaN | ACC, zeros and mask | the same labels |")
    print("|---|---|---|---|")
    for method in methods:
        found = []
        for data in pair:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = METHODS[method](6, random_state=0).fit(data.views)
            found.append(model.labels_)
        acc = [metrics.accuracy(d.labels, f) for d, f in zip(pair, found, strict=True)]
        same = np.array_equal(*found)
        print(f"| {method} | {acc[0]:.3f} | {acc[1]:.3f} | {same} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shared", type=Path)
    parser.add_argument("--shares", default="0,0.1,0.3,0.5")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--sets", default=",".join(SETS))
    options = parser.parse_args()
    methods = options.methods.split(",")
    encodings(options.shared, methods)
    shares = [float(s) for s in options.shares.split(",")]
    removed(
        options.shared,
        shares,
        options.seeds,
        methods,
        options.sets.split(",") if options.sets else [],
    )


if __name__ == "__main__":
    main()
