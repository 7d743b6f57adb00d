"""How often labels are right, beside their confidence; weights, and what limits them.

    python benchmarks/calibration.py FOLDER --cache CACHE [--seeds 2]

FOLDER holds one file per set of two_fold_split.json. Of every set, as it is and with
class sizes that fall to 1 / 10 and 1 / 30, at most 1,500 rows are used: four fifths are
clustered with the number of classes, one fifth is predicted. A label is right if its
cluster is matched, one to one, to the class. The weights of `Recipe.odds_by_votes` and
`Recipe.odds_by_anchors` are fitted to one half of the sets and reported on the other,
both ways, and then to all. Then follow, for the rows that were clustered: what could be
reached if labels were known, other signals beside the two in use, the error of a
predicted share of right labels, and made sets. Fits are kept in a folder.
"""

from __future__ import annotations

import itertools
import warnings

import numpy as np
from calibration_signals import SIGNALS, WHAT, fit, logits, measured
from labelled_sets import SPLIT, find, read_options
from made_sets import blobs
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mvgraph.consensus.method import DEFAULT

RATIOS = (1, 10, 30)
BINS = 10
OF_SETS = ("K", "rows per cluster", "evenness")
SLOPES = (DEFAULT.odds_by_votes[0], 0.7, 0.5, 0.3)  # of the odds by the votes
LEAST = 5  # right and wrong labels of a set whose area is taken


def odds_of(cases, columns=(0, 1)):
    """Fit the weights of the odds; every case counts the same."""
    X = np.concatenate([x[:, list(columns)] for x in cases])
    right = np.concatenate([x[:, 2] for x in cases])
    weight = np.concatenate([np.full(len(x), 20 / len(x)) for x in cases])
    centre, scale = X.mean(axis=0), X.std(axis=0) + 1e-9
    found = LogisticRegression(max_iter=500).fit((X - centre) / scale, right, weight)
    slopes = found.coef_[0] / scale
    return np.r_[slopes, found.intercept_ - slopes @ centre]


def error(p, right):
    """Return the expected calibration error, in ten bins of equal width."""
    b = np.minimum((p * BINS).astype(int), BINS - 1)
    gaps = [
        (b == i).mean() * abs(p[b == i].mean() - right[b == i].mean())
        for i in np.unique(b)
    ]
    return sum(gaps)


def report(name, cases, said):
    """Print, by ratio, the means over sets of the error, the area, and the share.

    The last is by how much the mean of what is said differs from the share of right
    labels: no error is smaller. ``said`` returns the probabilities of a case.
    """
    lines = []
    for ratio in RATIOS:
        errors, areas, off = [], [], []
        for key, x in cases.items():
            if key[2] == ratio and len(x):
                p, right = said(key, x), x[:, 2]
                errors.append(error(p, right))
                off.append(abs(p.mean() - right.mean()))
                if 0 < right.mean() < 1:
                    areas.append(roc_auc_score(right, p))
        means = (f"{np.mean(x):.3f}" for x in (errors, areas, off))
        lines.append(f"1:{ratio} {' '.join(means)}")
    print(f"{name:36s} error, area, share: {'; '.join(lines)}", flush=True)


def two_fold(name, cases, columns=(0, 1)):
    """Report weights that are fitted to the other half, and return those of each."""
    of = {
        h: odds_of([x for key, x in cases.items() if key[0] == h], columns)
        for h in SPLIT
    }
    other = dict(zip(SPLIT, reversed(list(of.values())), strict=True))
    report(name, cases, lambda key, x: line(x, other[key[0]], columns))
    return of


def line(x, weights, columns=(0, 1)):
    """Return the probabilities of rows."""
    return expit(x[:, list(columns)] @ weights[:-1] + weights[-1])


def limits(cases, more, labels):
    """Report what could be reached if labels were known."""
    for slope in SLOPES:
        name = f"share of the set known, {slope}"
        report(name, cases, lambda _, x, slope=slope: shifted(x, slope))
    rng, drawn = np.random.default_rng(0), {}
    for key, x in cases.items():
        hits = rng.random(len(x)) < shifted(x, SLOPES[0])
        drawn[key] = np.column_stack([x[:, :2], hits, shifted(x, SLOPES[0])])
    report("the same, labels drawn by it", drawn, lambda _, x: x[:, 3])
    apart = {k: x for k, x in cases.items() if LEAST <= x[:, 2].sum() <= len(x) - LEAST}

    def by_cluster(key, x):
        c = labels[key]
        share = np.bincount(c, x[:, 2]) / np.maximum(np.bincount(c), 1)
        return expit(x[:, 0] + logits(share)[c])

    report("share of each cluster known", apart, by_cluster)
    for name, columns in (("of rows", slice(6)), ("of rows and clusters", slice(8))):

        def own(key, x, columns=columns):
            X = np.column_stack([x[:, 0], more[key][:, columns]])
            model = make_pipeline(StandardScaler(), LogisticRegression(C=0.3))
            return cross_val_predict(model, X, x[:, 2], method="predict_proba")[:, 1]

        report(f"own labels, signals {name}", apart, own)


def shifted(x, slope):
    """Return probabilities of which the mean is the share of right labels."""
    share = np.clip(x[:, 2].mean(), 0.005, 0.995)
    z = slope * x[:, 0]
    return expit(z + brentq(lambda b: expit(z + b).mean() - share, -40, 40))


def others(cases, more, labels):
    """Report every signal beside the two in use, of rows and as a mean of the set."""
    wide = {key: np.column_stack([x, more[key]]) for key, x in cases.items()}
    for i, name in enumerate(SIGNALS, 3):
        two_fold(f"+ {name}", wide, (0, 1, i))
    two_fold("+ all of rows", wide, (0, 1, *range(3, 3 + len(SIGNALS))))
    of_sets = {key: set_level(x, more[key], labels[key]) for key, x in cases.items()}
    wide = {
        k: np.column_stack([x, 0 * x[:, :1] + of_sets[k]]) for k, x in cases.items()
    }
    for i, name in enumerate((*SIGNALS[:6], *OF_SETS), 3):
        two_fold(f"+ {name}, of the set", wide, (0, 1, i))
    names = np.array([key[1] for key in cases])
    ratio = np.array([key[2] for key in cases])
    right = np.array([x[:, 2].mean() for x in cases.values()])
    agreement = np.array([x[0, 1] for x in cases.values()])[:, None]
    every = np.column_stack([agreement, np.array(list(of_sets.values()))])
    for name, X in (("agreement", agreement), ("all of sets", every)):
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        told = np.zeros(len(X))
        for one in np.unique(names):  # all cases of a set are left out
            out = names == one
            told[out] = Ridge(1.0).fit(X[~out], right[~out]).predict(X[out])
        gaps = [f"1:{r} {abs(told - right)[ratio == r].mean():.3f}" for r in RATIOS]
        print(f"share of right labels, from {name}: off {'; '.join(gaps)}")


def set_level(x, more, labels):
    """Return the signals of a set."""
    share = np.bincount(labels) / len(labels)
    even = -(share[share > 0] * np.log(share[share > 0])).sum() - np.log(len(share))
    sizes = np.log(len(share)), np.log(len(x) / len(share))
    return np.r_[more[:, :6].mean(axis=0), sizes, even]


def made(weights):
    """Print, for made blobs, what is said and what is right, by the weights given."""
    for apart, ratio in itertools.product((2, 3, 5, 8), (1, 20)):
        found = {name: [] for name in weights}
        for K, seed in itertools.product((3, 10), (0, 1)):
            x = measured(*blobs(K, apart, ratio, (10, 20), 600, seed), seed)
            x = x["clustered"]
            right = x[:, 2] > 0
            for name, w in weights.items():
                p = line(x, np.asarray(w))
                wrong = p[~right].mean() if not right.all() else np.nan
                found[name].append(
                    (right.mean(), p.mean(), p[right].mean(), wrong, error(p, right))
                )
        for name, rows in found.items():
            numbers = " ".join(f"{m:.2f}" for m in np.nanmean(rows, axis=0))
            print(f"blobs {apart} sd, 1:{ratio}, {name}: {numbers}", flush=True)


def main():
    options = read_options(__doc__.splitlines()[0], seeds=2)
    keys = [(half, name) for half in SPLIT for name in SPLIT[half]]
    found = {what: {} for what in (*WHAT, "signals", "labels")}
    for seed, ratio, (half, name) in itertools.product(
        range(options.seeds), RATIOS, keys
    ):
        kept_fit = options.cache / f"{name}_{ratio}_{seed}.npz"
        if not kept_fit.exists():
            np.savez(kept_fit, **fit(find(options.folder, name), ratio, seed))
            print(name, ratio, seed, flush=True)
        for what, x in np.load(kept_fit).items():
            found[what][half, name, ratio, seed] = x
    of = {}
    for what, library in zip(
        WHAT, (DEFAULT.odds_by_votes, DEFAULT.odds_by_anchors), strict=True
    ):
        cases = found[what]
        of[what] = two_fold(f"{what}, other half", cases)
        every = odds_of(list(cases.values()))
        for name, w in (("all sets", every), ("library", np.asarray(library))):
            report(f"{what}, {name}", cases, lambda _, x, w=w: line(x, w))
        weights = (*of[what].values(), every)
        print("  weights", *(np.round(w, 2).tolist() for w in weights))
    rest = found["clustered"], found["signals"], found["labels"]
    limits(*rest)
    others(*rest)
    made(of["clustered"] | {"library": DEFAULT.odds_by_votes})


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
