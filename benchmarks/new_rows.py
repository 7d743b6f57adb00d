"""Labels of new rows: fitted on 80 %, predicted for 20 %, against a fit on all rows.

    python benchmarks/new_rows.py SHARED [--methods mgl] [--sets msrc_v5]

ARI on the held-out rows ("new") and between the two fits on the others ("old"): where
old is low the partition itself is not stable, and no prediction can agree.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np

from mvgraph import MGL, GraphConsensus, datasets, metrics

SETS = {
    "msrc_v5": ("msrc_v5.mat", 7),
    "bbcsport2": ("bbcsport2__csc_dxn_truelabel_row.mat", 5),
    "handwritten4": ("handwritten4.mat", 10),
    "mnist4": ("mnist4.mat", 4),
    "mnist_usps": ("mnist_usps__x1x2_int64_row.mat", 10),
}
METHODS = {"graph-consensus": GraphConsensus, "mgl": MGL}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shared", type=Path)
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--sets", default=",".join(SETS))
    options = parser.parse_args()
    print("| set | method | ARI new | ARI old | ACC new | ACC new, fit on all |")
    print("|---|---|---|---|---|---|")
    for name in options.sets.split(","):
        file, K = SETS[name]
        data = datasets.load(options.shared / "data" / file)
        rows = np.random.default_rng(0).permutation(len(data.labels))
        cut = round(0.8 * len(rows))
        old, new = rows[:cut], rows[cut:]
        y = data.labels[new]
        for method in options.methods.split(","):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                whole = METHODS[method](K, random_state=0).fit(data.views).labels_
                part = METHODS[method](K, random_state=0).fit(data.views[old])
            found = part.predict(data.views[new])
            scores = (
                metrics.scores(whole[new], found)["ari"],
                metrics.scores(whole[old], part.labels_)["ari"],
                metrics.accuracy(y, found),
                metrics.accuracy(y, whole[new]),
            )
            cells = " | ".join(f"{s:.3f}" for s in scores)
            print(f"| {name} | {method} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
