"""Compare predicted clusters with known classes.

All scores are computed from the contingency table C, where C_ij is the number of
samples of class i in cluster j; n = sum_ij C_ij. The numbering of clusters is
irrelevant. C is sparse: it has at most n entries, however many clusters there are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from mvgraph.ops.contingency import best_matching, contingency

Normalization = Literal["max", "min", "arithmetic", "geometric"]

_MEANS: dict[str, Callable[[float, float], float]] = {
    "max": max,
    "min": min,
    "arithmetic": lambda a, b: (a + b) / 2,
    "geometric": lambda a, b: float(np.sqrt(a * b)),
}


class PairCounts(NamedTuple):
    """Numbers of pairs of samples, by agreement of classes and clusters.

    tp: same class, same cluster; fp: different class, same cluster; fn: same class,
    different cluster; tn: both different. Python integers, which cannot overflow.
    """

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def precision(self) -> float:
        """Return tp / (tp + fp); 1 if no pair shares a cluster."""
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        """Return tp / (tp + fn); 1 if no pair shares a class."""
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def f_score(self) -> float:
        """Return the harmonic mean, 2 tp / (2 tp + fp + fn); 1 if that is 0 / 0."""
        return _ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def ari(self) -> float:
        """Return 2 (tp tn - fn fp) / ((tp+fn)(fn+tn) + (tp+fp)(fp+tn)); 1 if 0 / 0."""
        tp, fp, fn, tn = self
        chance = (tp + fn) * (fn + tn) + (tp + fp) * (fp + tn)
        return _ratio(2 * (tp * tn - fn * fp), chance)


def scores(
    labels_true: ArrayLike, labels_pred: ArrayLike, nmi: Normalization = "max"
) -> dict[str, float]:
    """Compute all scores of `SCORES`: the seven of the paper's tables, and two more.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Known classes and predicted clusters, numbers or strings.
    nmi : {"max", "min", "arithmetic", "geometric"}
        Normalisation of the mutual information; the paper's tables use "max".

    Returns
    -------
    dict
        ``acc nmi purity precision recall f_score ari ami balanced_accuracy``, in this
        order.

    Examples
    --------
    >>> from mvgraph import metrics
    >>> metrics.scores([0, 0, 1, 1], ["b", "b", "a", "a"])["acc"]
    1.0
    """
    C = contingency(labels_true, labels_pred)
    values = {name: score.of(C) for name, score in SCORES.items()}
    return values | {"nmi": _nmi(C, nmi)}


def accuracy(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Match clusters to classes one to one and count the samples that agree.

    ACC = max over matchings m of  sum_j C_{m(j), j} / n  (Hungarian method). If there
    are more clusters than classes, or fewer, samples of unmatched clusters or classes
    count as errors. A single cluster scores the share of the largest class.
    """
    return _accuracy(contingency(labels_true, labels_pred))


def nmi(
    labels_true: ArrayLike, labels_pred: ArrayLike, normalization: Normalization = "max"
) -> float:
    """Compute normalised mutual information, I(y; c) / mean(H(y), H(c)).

    I = sum_ij C_ij/n log(n C_ij / (a_i b_j)), a and b the row and column sums of C,
    H(y) = -sum_i a_i/n log(a_i/n). The mean is the larger entropy ("max"), the smaller
    ("min"), their "arithmetic" or "geometric" mean.

    Notes
    -----
    One class and one cluster agree perfectly: 1. If only one of the two is constant,
    there is no shared information: 0 with every normalisation.
    """
    return _nmi(contingency(labels_true, labels_pred), normalization)


def purity(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Count the samples in the majority class of their cluster: sum_j max_i C_ij / n.

    Never below ACC, and 1 if every sample is its own cluster: use it together with ACC.
    """
    return _purity(contingency(labels_true, labels_pred))


def pair_counts(labels_true: ArrayLike, labels_pred: ArrayLike) -> PairCounts:
    """Count the n (n - 1) / 2 pairs of samples by joint membership.

    tp = sum_ij C_ij (C_ij - 1) / 2,  tp + fp = sum_j b_j (b_j - 1) / 2,
    tp + fn = sum_i a_i (a_i - 1) / 2. The result gives precision, recall, f_score and
    ari, each 1 where its formula is 0 / 0 (see `PairCounts`).
    """
    return _count_pairs(contingency(labels_true, labels_pred))


def ari(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Compute the adjusted Rand index: pair agreement, 0 at chance, at most 1.

    Notes
    -----
    1 if both partitions are one cluster, or both consist of singletons.
    """
    return pair_counts(labels_true, labels_pred).ari


def ami(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Compute adjusted mutual information: 0 at chance, at most 1 [vinh2010]_.

    AMI = (I - E[I]) / ((H(y) + H(c)) / 2 - E[I]), where E[I] is the mean of I over all
    labellings with the same sizes of classes and clusters.

    Notes
    -----
    1 if both partitions are one cluster, or both consist of singletons.

    References
    ----------
    .. [vinh2010] Vinh, Epps and Bailey, "Information theoretic measures for clusterings
       comparison", JMLR 11, 2010.

    Examples
    --------
    >>> from mvgraph import metrics
    >>> metrics.ami([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    """
    return _ami(contingency(labels_true, labels_pred))


def balanced_accuracy(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Average over the classes the share of samples in the matched cluster.

    max over matchings m of  sum_i C_{i, m(i)} / a_i  / (number of classes), a_i the
    size of class i: a small class counts as much as a large one. The matching is the
    best for this sum, not that of `accuracy`, of which there may be several.

    Examples
    --------
    >>> from mvgraph import metrics
    >>> metrics.balanced_accuracy([0, 0, 0, 0, 1], [0, 0, 0, 0, 0])
    0.5
    """
    return _balanced(contingency(labels_true, labels_pred))


def _accuracy(C: sparse.csr_array) -> float:
    return float(best_matching(C) / C.sum())


def _balanced(C: sparse.csr_array) -> float:
    shares = C.multiply(1 / C.sum(axis=1)[:, None]).tocsr()
    matched = float(best_matching(shares))
    return min(1.0, matched / C.shape[0])  # a sum of rounded shares


def _nmi(C: sparse.csr_array, normalization: Normalization = "max") -> float:
    if normalization not in _MEANS:
        raise ValueError(
            f"normalization={normalization!r} is unknown; use one of {sorted(_MEANS)}"
        )
    H_true, H_pred = _entropy(C.sum(axis=1)), _entropy(C.sum(axis=0))
    if H_true == H_pred == 0.0:
        return 1.0
    if H_true == 0.0 or H_pred == 0.0:
        return 0.0
    shared = H_true + H_pred - _entropy(C.data)
    # rounding may leave 1e-17 outside [0, 1]
    return float(np.clip(shared / _MEANS[normalization](H_true, H_pred), 0.0, 1.0))


def _ami(C: sparse.csr_array) -> float:
    from sklearn.metrics.cluster import expected_mutual_information  # slow to import

    if 1 in C.shape or C.sum() in C.shape:  # chance cannot differ from this
        return float(C.shape[0] == C.shape[1])
    H_true, H_pred = _entropy(C.sum(axis=1)), _entropy(C.sum(axis=0))
    expected = expected_mutual_information(sparse.csr_matrix(C), int(C.sum()))
    shared = H_true + H_pred - _entropy(C.data)
    gain = (shared - expected) / ((H_true + H_pred) / 2 - expected)
    return float(min(1.0, gain))


def _entropy(counts: NDArray[np.int64]) -> float:
    share = counts / counts.sum()
    return float(-(share * np.log(share)).sum()) if share.size > 1 else 0.0


def _purity(C: sparse.csr_array) -> float:
    return float(C.max(axis=0).sum() / C.sum())


def _count_pairs(C: sparse.csr_array) -> PairCounts:
    def pairs(counts: NDArray[np.int64]) -> int:
        return int((counts * (counts - 1) // 2).sum())

    tp = pairs(C.data)
    same_class, same_cluster = pairs(C.sum(axis=1)), pairs(C.sum(axis=0))
    total = pairs(np.array([C.sum()]))
    fp, fn = same_cluster - tp, same_class - tp
    return PairCounts(tp, fp, fn, total - tp - fp - fn)


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


class Score(NamedTuple):
    """How a score is computed, and how it is called in tables and on axes.

    Of all of them the greatest value is 1, for clusters that are the classes, and
    greater is better.
    """

    of: Callable[[sparse.csr_array], float]
    title: str
    axis: str
    least: float = 0.0


#: The scores that evaluations, benchmarks, the command line, reports and displays show,
#: in this order.
SCORES: dict[str, Score] = {
    "acc": Score(_accuracy, "ACC", "accuracy"),
    "nmi": Score(_nmi, "NMI", "NMI"),
    "purity": Score(_purity, "Purity", "purity"),
    "precision": Score(lambda C: _count_pairs(C).precision, "Precision", "precision"),
    "recall": Score(lambda C: _count_pairs(C).recall, "Recall", "recall"),
    "f_score": Score(lambda C: _count_pairs(C).f_score, "F", "F score"),
    "ari": Score(lambda C: _count_pairs(C).ari, "ARI", "adjusted Rand index", -1.0),
    "ami": Score(_ami, "AMI", "adjusted mutual information", -1.0),
    "balanced_accuracy": Score(_balanced, "Bal. ACC", "balanced accuracy"),
}
