"""What is measured of the rows of a set, for calibration.py: signals, and the truth."""

from __future__ import annotations

from dataclasses import replace
from unittest import mock

import numpy as np
from labelled_sets import unequal_rows
from scipy.optimize import linear_sum_assignment
from scipy.special import logit

from mvgraph import GraphConsensus, datasets
from mvgraph.consensus import calibration, learning
from mvgraph.consensus.method import DEFAULT

ROWS = 1500
WHAT = ("clustered", "predicted")
#: Of clustered rows, beside the ratio of the votes and the agreement.
SIGNALS = (
    *("anchors", "views, mean", "views, least", "unusual", "kept at fewer"),
    *("kept at more", "size of cluster", "ratio of cluster"),
)
FEWER, MORE = (0.9, 0.75, 0.5, 0.33), (1.1, 1.25, 1.5, 2, 3)  # clusters, over K


class Plain(GraphConsensus):
    """With odds from which the votes and the agreement of all can be read."""

    recipe = replace(DEFAULT, odds_by_votes=(1, 0, 0), odds_by_anchors=(1, 1, 0))


def fitted(views, K, seed):
    """Return a fit, and the logit of the agreement of partitions of mean graphs."""
    clear = []

    def odds(agreement, weights):
        clear.append(calibration.odds(agreement, (1, 1, 0))[1])
        return calibration.odds(agreement, weights)

    with mock.patch.object(learning, "odds", odds):
        return Plain(K, random_state=seed).fit(views), clear[0]


def fit(path, ratio, seed):
    """Return what is measured of the rows of a set."""
    data = datasets.load(path)
    rows = unequal_rows(np.asarray(data.labels), ratio, seed)[:ROWS]
    truth = np.unique(np.asarray(data.labels)[rows], return_inverse=True)[1]
    return measured(data.views[rows], truth, seed)


def measured(views, truth, seed):
    """Return the terms of the odds and whether the label is right, by row.

    Of clustered rows also other signals, and their labels.
    """
    n = int(0.8 * len(truth))
    K = max(len(np.unique(truth[:n])), 2)
    train, test = views[np.arange(n)], views[np.arange(n, len(truth))]
    model, clear = fitted(train, K, seed)
    both = np.zeros((K, truth.max() + 1))
    np.add.at(both, (model.labels_, truth[:n]), 1)
    classes = np.full(K, -1)
    matched = linear_sum_assignment(-both)
    classes[matched[0]] = matched[1]
    agreement = clear, model.predictor_.odds[1]
    new = model.predict_proba(test)
    ratios = logits(model.confidence_), logits(new.max(axis=1)) - agreement[1]
    labels = model.labels_, new.argmax(axis=1)
    found = {
        what: np.column_stack(
            [r, np.full(len(r), agreed), classes[found] == truth[part]]
        )
        for what, r, agreed, found, part in zip(
            WHAT, ratios, agreement, labels, (slice(n), slice(n, None)), strict=True
        )
    }
    return found | {"signals": signals(model, train), "labels": model.labels_}


def signals(model, views):
    """Return the signals of the rows of a fit, in the order of `SIGNALS`."""
    labels, K = model.labels_, len(model.cluster_ids_)
    rows, size = np.arange(len(labels)), np.bincount(labels, minlength=K)
    anchors = logits(model.predict_proba(views)[rows, labels])
    votes = model.predictor_.votes(views, labels)[:, model.predictor_.used]
    ratio = logits(model.confidence_)
    return np.column_stack(
        [
            *(anchors, votes.mean(axis=1), votes.min(axis=1)),
            np.log(1.001 - model.outlier_score_),
            *(kept(model, K, shares) for shares in (FEWER, MORE)),
            np.log(size[labels] * K / len(labels)),
            (np.bincount(labels, ratio, K) / np.maximum(size, 1))[labels],
        ]
    )


def kept(model, K, shares):
    """Return in how many cuts of the tree a row has the number of its own cluster."""
    leaves = model.tree_.n_leaves_
    numbers = [np.clip(int(np.ceil(s * K)), 1, leaves) for s in shares]
    return np.mean([model.cut(int(k)) == model.labels_ for k in numbers], axis=0)


def logits(p):
    return logit(np.clip(np.asarray(p, dtype=float), 1e-4, 1 - 1e-4))
