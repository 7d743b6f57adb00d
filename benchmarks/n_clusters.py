"""Numbers of clusters that are found, rows shuffled, beside the classes.

    python benchmarks/n_clusters.py run FOLDER -o OUTPUT [--ratios 1 10] [--seeds 2]
    python benchmarks/n_clusters.py weights FOLDER --cache CACHE [--seeds 2]

FOLDER holds one file per set of two_fold_split.json. ``run`` writes one line of JSON a
set, ratio and seed: the levels, and the scores and seconds of GraphConsensus with the
number found and with that of the classes; then it prints a table. Lines that are there
are not run again. ``weights`` fits the weights of the choice to one half of the sets,
and to generated blobs, and reports them on the other half; then to all.
"""

from __future__ import annotations

import argparse
import itertools
import json
import pickle
import time
import warnings
from pathlib import Path

import numpy as np
from labelled_sets import SPLIT, find, unequal_rows
from made_sets import blobs
from scipy.optimize import minimize
from sklearn.metrics import adjusted_rand_score

from mvgraph import GraphConsensus, datasets
from mvgraph.levels import search
from mvgraph.levels.choice import WEIGHTS, stand_out
from mvgraph.views.order import content_order

SETS = [(half, name) for half in SPLIT for name in SPLIT[half]]
#: Generated sets: clusters, standard deviations apart, ratio of sizes, features, rows.
BLOBS = [
    *itertools.product((2, 3, 5), (5, 8), (1, 20), ((4, 5), (10,)), (2500,)),
    *itertools.product((2, 3, 5, 10), (3, 5), (1, 20), ((10, 20),), (800,)),
    *itertools.product((2, 3, 5), (6, 9), (1,), ((5,), (5, 4)), (60, 90, 120, 250)),
    *itertools.product((30,), (3, 5), (1, 20), ((10, 20),), (1500,)),
]
#: The logarithm of a probability is so much flatter than the weights that find most
#: numbers, so that what is said with 0.9 is right nine times of ten.
FLATTER = 0.85


def views_of(path, ratio, seed):
    """Return the views of a set, rows shuffled, and the classes."""
    data = datasets.load(path)
    labels = np.asarray(data.labels)
    rows = np.random.default_rng(seed).permutation(len(labels))
    if ratio > 1:
        rows = unequal_rows(labels, ratio, seed)
    return data.views[rows], labels[rows]


def measure(path, ratio, seed):
    views, labels = views_of(path, ratio, seed)
    K = len(np.unique(labels))
    start = time.perf_counter()
    found = GraphConsensus(random_state=seed).fit(views)
    middle = time.perf_counter()
    given = GraphConsensus(K, random_state=seed).fit(views)
    end = time.perf_counter()
    return {
        "rows": len(labels),
        "classes": K,
        "best": found.n_clusters_,
        "levels": [level.k for level in found.levels_],
        "confidence": round(found.levels_[0].confidence, 3) if found.levels_ else 0,
        "ari": round(adjusted_rand_score(labels, found.labels_), 4),
        "ari_given": round(adjusted_rand_score(labels, given.labels_), 4),
        "seconds": round(middle - start, 2),
        "seconds_given": round(end - middle, 2),
    }


def is_near(k, classes):
    """Return True within one, or a tenth, of the number of classes."""
    return abs(k - classes) <= max(1, 0.1 * classes)


def run(folder, output, ratios, seeds):
    lines = output.read_text().splitlines() if output.exists() else []
    rows = {(r["set"], r["ratio"], r["seed"]): r for r in map(json.loads, lines)}
    for ratio, seed, (half, name) in itertools.product(ratios, range(seeds), SETS):
        if (name, ratio, seed) not in rows:
            found = measure(find(folder, name), ratio, seed)
            key = {"set": name, "half": half, "ratio": ratio, "seed": seed}
            rows[name, ratio, seed] = key | found
            with output.open("a") as file:
                file.write(json.dumps(key | found) + "\n")
    print("| set | classes | found | levels | confidence | ARI | ARI, K given |")
    for r in rows.values():
        if r["seed"] == 0:
            name = r["set"] if r["ratio"] == 1 else f"{r['set']}, 1:{r['ratio']}"
            levels = ", ".join(map(str, r["levels"]))
            cells = [name, r["classes"], r["best"], levels, f"{r['confidence']:.2f}"]
            cells += [f"{r['ari']:.3f}", f"{r['ari_given']:.3f}"]
            print("|", " | ".join(map(str, cells)), "|")
    for ratio in ratios:
        summarise([r for r in rows.values() if r["ratio"] == ratio])


def summarise(rows):
    best = np.mean([is_near(r["best"], r["classes"]) for r in rows])
    among = np.mean([any(is_near(k, r["classes"]) for k in r["levels"]) for r in rows])
    share = sum(r["ari"] for r in rows) / sum(r["ari_given"] for r in rows)
    sure = [is_near(r["best"], r["classes"]) for r in rows if r["confidence"] >= 0.9]
    seconds = [sum(r[key] for r in rows) for key in ("seconds", "seconds_given")]
    print(f"{len(rows)} fits: number near {best:.2f}, a level near {among:.2f}")
    print(f"levels a fit {np.mean([len(r['levels']) for r in rows]):.2f}")
    print(f"sure in {len(sure)}, of these near {np.mean(sure) if sure else 0:.2f}")
    print(f"ARI over that with K given {share:.3f}, time {seconds[0] / seconds[1]:.2f}")


def evidence(views, truth, seed):
    """Return what the search gathers, the groups set apart, and the ARI of the cuts."""
    order = content_order(views, seed)
    rows = order.rows[search.sampled(order.copies_before)]
    sample = views.select(order.views[np.unique(order.copy_of)])[rows]
    kept = []
    gather = search.gather

    def keep(trees, *rest):
        kept.extend((trees, gather(trees, *rest)))
        return kept[1]

    search.gather = keep
    try:
        found = search.find_levels(sample, seed)
    finally:
        search.gather = gather
    trees, e = kept
    aside = found.table["k"][0] - 2
    ari = None
    if not aside:  # else the rows of the trees are others
        whole = [t[0] for t in trees.values()]
        ari = np.mean([_ari_of_cuts(t, e.numbers, truth[rows]) for t in whole], axis=0)
    return e._asdict(), aside, ari


def _ari_of_cuts(tree, numbers, truth):
    leaves = tree.merges.labels
    own = truth[tree.rows]
    return [adjusted_rand_score(own, cut[leaves]) for cut in tree.cuts(numbers)]


def gain_of(right, ari, k, K):
    """Return what every number is worth: half for being near, half for its ARI."""
    if ari is None:
        return right.astype(float)
    best = max(float(np.interp(K, k, ari)), 0.02)
    return 0.5 * right + 0.5 * np.clip(ari / best, 0, 1)


def features_of(e):
    """Return the terms whose weighted sum is the logarithm of the probability."""
    k, s = e["numbers"], e["stability"]
    terms = [k * (s - WEIGHTS.stable)]
    for name, neighbors, _ in WEIGHTS.counts:
        count = e["counts"].get((name, neighbors), np.inf)
        terms.append(np.exp(-((np.log(k / count) / WEIGHTS.width) ** 2) / 2))
    fall = np.zeros(len(k))
    for i, number in enumerate(k):
        later = (k > number) & (k <= max(WEIGHTS.beyond * number, number + 1))
        fall[i] = max(s[i] - s[later].mean(), 0) if later.any() else 0
    parted = np.sqrt(k) * (WEIGHTS.valley - e["valleys"].mean)
    clear = -np.log(1 + WEIGHTS.lacking - s)
    return np.stack([*terms, 10 * fall, clear, parted], axis=1)


def fit_weights(cases):
    """Maximise the mean expected gain, from several starts."""

    def loss(w):
        total, gradient = 3e-4 * (w**2).sum(), 6e-4 * w
        for x, right, weight in cases:
            z = x @ w
            p = np.exp(z - z.max())
            p /= p.sum()
            total -= weight * (p @ right)
            gradient = gradient - weight * (x.T @ (p * (right - p @ right)))
        return total, gradient

    n = cases[0][0].shape[1]
    starts = [np.random.default_rng(s).uniform(0.5, 4, n) for s in range(8)]
    found = [minimize(loss, w, jac=True, method="L-BFGS-B") for w in starts]
    return min(found, key=lambda r: r.fun).x


def weights(folder, cache, seeds):
    cache.mkdir(exist_ok=True)
    cases = []
    made = [(half, name, seed) for half, name in SETS for seed in range(seeds)]
    for key in [*made, *(("blobs", blob, 0) for blob in BLOBS)]:
        half, what, seed = key
        kept = cache / f"{half}_{str(what).replace(' ', '')}_{seed}.pkl"
        if not kept.exists():
            views, truth = (
                blobs(*what)
                if half == "blobs"
                else views_of(find(folder, what), 1, seed)
            )
            kept.write_bytes(
                pickle.dumps((*evidence(views, truth, seed), len(np.unique(truth))))
            )
        e, aside, ari, K = pickle.loads(kept.read_bytes())
        k = e["numbers"] + aside
        right = k == K if half == "blobs" else np.array([is_near(i, K) for i in k])
        gain = gain_of(right, None if half == "blobs" else ari, k, K)
        cases.append((half, features_of(e), gain, k, K))
    for trained, half in (("a", "b"), ("b", "a"), ("ab", "ab")):
        used = [c for c in cases if c[0] == "blobs" or c[0] in trained]
        w = fit_weights([(x, r, 1 / len(used)) for _, x, r, _, _ in used])
        report(w, half, [c for c in cases if c[0] in half])


def report(w, half, cases):
    best, among, n_levels, sure = [], [], [], []
    for _, x, _, k, K in cases:
        z = FLATTER * (x @ w)
        p = np.exp(z - z.max())
        levels = stand_out(k, p / p.sum())
        first = next(iter(levels))
        best.append(is_near(first, K))
        among.append(any(is_near(i, K) for i in levels))
        n_levels.append(len(levels))
        if levels[first] >= 0.9:
            sure.append(best[-1])
    print(f"reported on {half}: weights {np.round(FLATTER * w, 2).tolist()}")
    print(f"  number near {np.mean(best):.2f}, a level near {np.mean(among):.2f}")
    print(
        f"  levels {np.mean(n_levels):.2f}; sure {len(sure)}, near {np.mean(sure):.2f}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["run", "weights"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--output", "-o", type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--ratios", type=int, nargs="+", default=[1])
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.what == "run":
        run(options.folder, options.output, options.ratios, options.seeds)
    else:
        weights(options.folder, options.cache, options.seeds)
