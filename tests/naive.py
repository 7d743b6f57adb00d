"""Slow, obvious twins of fast routines: loops only, nothing shared with the package."""

from itertools import combinations, permutations
from math import log


def pair_counts(labels_true, labels_pred):
    """tp, fp, fn, tn over all pairs of samples."""
    tp = fp = fn = tn = 0
    for i, j in combinations(range(len(labels_true)), 2):
        same_class = labels_true[i] == labels_true[j]
        same_cluster = labels_pred[i] == labels_pred[j]
        if same_class and same_cluster:
            tp += 1
        elif same_cluster:
            fp += 1
        elif same_class:
            fn += 1
        else:
            tn += 1
    return tp, fp, fn, tn


def accuracy(labels_true, labels_pred):
    """Best agreement over all one-to-one matchings, tried one by one."""
    classes = sorted(set(labels_true))
    clusters = sorted(set(labels_pred))
    while len(classes) < len(clusters):
        classes.append(object())  # a class that nobody belongs to
    best = 0
    for chosen in permutations(classes, len(clusters)):
        match = dict(zip(clusters, chosen, strict=True))
        hits = sum(match[c] == y for y, c in zip(labels_true, labels_pred, strict=True))
        best = max(best, hits)
    return best / len(labels_true)


def purity(labels_true, labels_pred):
    """Share of samples that belong to the majority class of their cluster."""
    hits = 0
    for cluster in set(labels_pred):
        inside = [
            y for y, c in zip(labels_true, labels_pred, strict=True) if c == cluster
        ]
        hits += max(inside.count(y) for y in set(inside))
    return hits / len(labels_true)


def mutual_information(labels_true, labels_pred):
    """I(y; c), H(y), H(c) in nats, by their definitions."""
    n = len(labels_true)
    pairs = list(zip(labels_true, labels_pred, strict=True))
    shared = 0.0
    for y, c in set(pairs):
        joint = pairs.count((y, c)) / n
        chance = labels_true.count(y) / n * labels_pred.count(c) / n
        shared += joint * log(joint / chance)

    def entropy(labels):
        shares = [labels.count(v) / n for v in set(labels)]
        return -sum(share * log(share) for share in shares)

    return shared, entropy(labels_true), entropy(labels_pred)
