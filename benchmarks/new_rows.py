"""Labels of new rows: fitted on 80 %, predicted for 20 %, against a fit on all rows.

    python benchmarks/new_rows.py SHARED [--methods anchor-filter] [--sets msrc_v5]
        [--splits 5]

Means over random splits: ARI on the held-out rows ("new", and the least of the splits)
and between the two fits on the others ("old"): where old is low the partition itself
is not stable, and no prediction can agree.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np

from mvgraph import AnchorFilter, GraphConsensus, datasets, metrics

SETS = {
    "msrc_v5": ("msrc_v5.mat", 7),
    "bbcsport2": ("bbcsport2__csc_dxn_truelabel_row.mat", 5),
    "handwritten4": ("handwritten4.mat", 10),
    "mnist4": ("mnist4.mat", 4),
    "mnist_usps": ("mnist_usps__x1x2_int64_row.mat", 10),
}
METHODS = {"graph-consensus": GraphConsensus, "anchor-filter": AnchorFilter}


def agreement(method, data, K, whole, seed):
    """Return the figures of one split of the rows."""
    rows = np.random.default_rng(seed).permutation(len(data.labels))
    cut = round(0.8 * len(rows))
    old, new = rows[:cut], rows[cut:]
    part = METHODS[method](K, random_state=0).fit(data.views[old])
    found, y = part.predict(data.views[new]), data.labels[new]
    return (
        metrics.scores(whole[new], found)["ari"],
        metrics.scores(whole[old], part.labels_)["ari"],
        metrics.accuracy(y, found),
        metrics.accuracy(y, whole[new]),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shared", type=Path)
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--splits", type=int, default=5)
    options = parser.parse_args()
    print(
        "| set | method | ARI new | least | ARI old | ACC new | ACC new, fit on all |"
    )
    print("|---|---|---|---|---|---|---|")
    warnings.simplefilter("ignore")
    for name in options.sets.split(","):
        file, K = SETS[name]
        data = datasets.load(options.shared / "data" / file)
        for method in options.methods.split(","):
            whole = METHODS[method](K, random_state=0).fit(data.views).labels_
            scores = np.array(
                [agreement(method, data, K, whole, s) for s in range(options.splits)]
            )
            new, old, acc, acc_all = scores.mean(axis=0)
            cells = (new, scores[:, 0].min(), old, acc, acc_all)
            cells = " | ".join(f"{x:.3f}" for x in cells)
            print(f"| {name} | {method} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
