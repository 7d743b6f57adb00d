"""How often labels are right, beside their confidence; weights of the odds.

    python benchmarks/calibration.py FOLDER --cache CACHE [--seeds 2]

FOLDER holds one file per set of two_fold_split.json. Of every set, as it is and with
class sizes that fall to 1 / 10 and 1 / 30, at most 1,500 rows are used: four fifths are
clustered with the number of classes, one fifth is predicted. A label is right if its
cluster is matched, one to one, to the class. The weights of `Recipe.odds_by_votes` and
`Recipe.odds_by_anchors` are fitted to one half of the sets and reported on the other,
both ways, and then to all. Fits are kept in a folder.
"""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace

import numpy as np
from labelled_sets import SPLIT, find, read_options, unequal_rows
from scipy.optimize import linear_sum_assignment
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from mvgraph import GraphConsensus, datasets
from mvgraph.consensus.recipe import DEFAULT

RATIOS = (1, 10, 30)
ROWS, BINS = 1500, 10
WHAT = ("clustered", "predicted")


class Plain(GraphConsensus):
    """With odds from which the votes and the agreement can be read."""

    recipe = replace(DEFAULT, odds_by_votes=(1, 0, 0), odds_by_anchors=(1, 1, 0))


def fit(path, ratio, seed):
    """Return, for clustered and predicted rows, the terms of the odds and the truth."""
    data = datasets.load(path)
    rows = unequal_rows(np.asarray(data.labels), ratio, seed)[:ROWS]
    truth = np.unique(np.asarray(data.labels)[rows], return_inverse=True)[1]
    views, n = data.views[rows], int(0.8 * len(rows))
    K = max(len(np.unique(truth[:n])), 2)
    model = Plain(K, random_state=seed).fit(views[np.arange(n)])
    both = np.zeros((K, truth.max() + 1))
    np.add.at(both, (model.labels_, truth[:n]), 1)
    classes = np.full(K, -1)
    matched = linear_sum_assignment(-both)
    classes[matched[0]] = matched[1]
    agreement = model.predictor_.odds[1]
    new = model.predict_proba(views[np.arange(n, len(rows))])
    ratios = _logit(model.confidence_), _logit(new.max(axis=1)) - agreement
    labels = model.labels_, new.argmax(axis=1)
    return {
        what: np.column_stack(
            [r, np.full(len(r), agreement), classes[found] == truth[part]]
        )
        for what, r, found, part in zip(
            WHAT, ratios, labels, (slice(n), slice(n, None)), strict=True
        )
    }


def _logit(p):
    return logit(np.clip(np.asarray(p, dtype=float), 1e-4, 1 - 1e-4))


def odds_of(cases):
    """Fit the weights of the odds; every case counts the same."""
    X = np.concatenate(cases)
    weight = np.concatenate([np.full(len(x), 20 / len(x)) for x in cases])
    found = LogisticRegression(max_iter=500).fit(X[:, :2], X[:, 2], weight)
    return np.r_[found.coef_[0], found.intercept_]


def error(p, right):
    """Return the expected calibration error, in ten bins of equal width."""
    b = np.minimum((p * BINS).astype(int), BINS - 1)
    gaps = [
        (b == i).mean() * abs(p[b == i].mean() - right[b == i].mean())
        for i in np.unique(b)
    ]
    return sum(gaps)


def report(name, cases, weights):
    """Print the mean error and area of the sets, by ratio."""
    lines = []
    for ratio in RATIOS:
        errors, areas = [], []
        for (half, _, r, _), x in cases.items():
            if r == ratio and len(x):
                p, right = (
                    expit(x[:, :2] @ weights[half][:2] + weights[half][2]),
                    x[:, 2],
                )
                errors.append(error(p, right))
                if 0 < right.mean() < 1:
                    areas.append(roc_auc_score(right, p))
        lines.append(f"1:{ratio} {np.mean(errors):.3f} {np.mean(areas):.3f}")
    print(f"{name:30s} error, area: {'; '.join(lines)}")


def main():
    options = read_options(__doc__.splitlines()[0], seeds=2)
    keys = [(half, name) for half in SPLIT for name in SPLIT[half]]
    found = {what: {} for what in WHAT}
    for seed, ratio, (half, name) in itertools.product(
        range(options.seeds), RATIOS, keys
    ):
        kept = options.cache / f"{name}_{ratio}_{seed}.npz"
        if not kept.exists():
            np.savez(kept, **fit(find(options.folder, name), ratio, seed))
            print(name, ratio, seed, flush=True)
        for what, x in np.load(kept).items():
            found[what][half, name, ratio, seed] = x
    for what, cases in found.items():
        of = {h: odds_of([x for key, x in cases.items() if key[0] == h]) for h in SPLIT}
        every = odds_of(list(cases.values()))
        report(f"{what}, other half", cases, {"a": of["b"], "b": of["a"]})
        report(f"{what}, all sets", cases, {"a": every, "b": every})
        print("  weights", *(np.round(w, 2).tolist() for w in (*of.values(), every)))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
