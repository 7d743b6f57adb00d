"""Tonight's rows against those of the fit: what has moved, and one verdict."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from mvgraph.base.predictor import (
    MAX_OUTLIER,
    Block,
    predict_blocks,
    refuse_no_predictor,
)
from mvgraph.persistence.models import load_model
from mvgraph.prediction.monitor_report import MonitorReport, Seen, report
from mvgraph.views.container import Views
from mvgraph.views.reference import count_bins, n_counted

OUTLIER = ("outlier_score", "outlier_part")


def monitor(model: Any, X: Any) -> MonitorReport:
    """Compare new samples with those of a fit: tell whether the data have moved.

    Clusters, features and outliers of at most 20,000 samples, drawn at random, are
    compared with what the model keeps of its fit. A change is measured by its size, the
    population stability index, since with many samples every change is significant:
    0.1 is moderate and 0.25 large.

    Parameters
    ----------
    model : fitted model or folder
    X : as in fit, with the same views

    Returns
    -------
    MonitorReport
        ``verdict``: ``ok``, ``watch`` or ``refit``; ``reasons`` in words; tables
        ``clusters`` (share with its 95 % interval, and how far the cluster has moved),
        ``views`` (share of samples that lack it, features that have drifted) and
        ``features`` (index over all samples and within clusters, p-value of a
        chi-square test with the correction of Benjamini and Hochberg), the most drifted
        first; ``outliers``. ``refit``: a twentieth of the features of a view have a
        large index, or clusters with half of the samples have moved, or the shares of
        the clusters, of outliers or of missing rows have changed by a large index.
        ``watch``: less than that.

    Raises
    ------
    ValueError
        The views or columns are not those of the fit, or the model is of a method that
        cannot label new samples.

    Examples
    --------
    >>> import numpy as np
    >>> import mvgraph
    >>> rng = np.random.default_rng(0)
    >>> def night(shift):
    ...     truth = rng.integers(3, size=300)
    ...     return [9 * np.eye(3)[truth] + rng.normal(size=(300, 3)) + shift]
    >>> model = mvgraph.GraphConsensus(3, random_state=0).fit(night(0))
    >>> [mvgraph.monitor(model, night(shift)).verdict for shift in (0, 3)]
    ['ok', 'refit']
    """
    return compare(load_model(model) if isinstance(model, str | PathLike) else model, X)


def compare(model: Any, X: Any, notes: Sequence[str] = ()) -> MonitorReport:
    """Compare new samples with those of a fit; see `monitor`.

    Parameters
    ----------
    model : fitted model
    X : as in fit
    notes : sequence of str
        What was said while the samples were read.
    """
    refuse_no_predictor(model)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        views = model.schema_.match(X)
    rows = _drawn(len(views), model)
    seen = Monitor(model, len(rows))
    whole = model.schema_.needs_every_view
    label, few = ("label",), views[rows]
    for _ in predict_blocks(model.predictor_, few, label, whole, observe=seen.add):
        pass
    return seen.report(len(views), [*notes, *(str(one.message) for one in said)])


def _drawn(n: int, model: Any) -> np.ndarray:
    """Return the rows that are looked at, rising; the same for the same number."""
    most = n_counted(model.schema_.n_features)
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, most, replace=False))


class Monitor:
    """Counts what comes by while rows are labelled.

    Parameters
    ----------
    model : fitted model
    n_rows : int
        Rows that will come, in all.
    """

    def __init__(self, model: Any, n_rows: int) -> None:
        self.model, self.rows, self.start = model, _drawn(n_rows, model), 0
        reference, K = model.reference_, len(model.cluster_ids_)
        self.sizes = np.zeros(K, dtype=np.int64)
        self.counts = [np.zeros_like(own.counts) for own in reference.views]
        self.present = np.zeros(len(self.counts), dtype=np.int64)
        self.parts: np.ndarray = np.zeros(2 * len(self.counts) + 1, dtype=np.int64)

    def add(self, views: Views, block: Block) -> None:
        """Count the next rows.

        Parameters
        ----------
        views : Views
            In the order of the fit.
        block : dict
            With ``label``.
        """
        n = len(views)
        codes = self.model.predictor_.positions(block["label"])
        self.sizes += np.bincount(codes, minlength=len(self.sizes))
        first, last = np.searchsorted(self.rows, (self.start, self.start + n))
        if last > first:
            rows = self.rows[first:last] - self.start
            self._count(views[rows], codes[rows])
        self.start += n

    def _count(self, views: Views, codes: np.ndarray) -> None:
        for v, own in enumerate(self.model.reference_.views):
            there = slice(None) if views.mask is None else views.mask[:, v]
            x = views.arrays[v][there]
            self.present[v] += x.shape[0]
            self.counts[v] += count_bins(own, x, codes[there], len(self.sizes))
        if set(OUTLIER) <= self.model.predictor_.fields:
            whole = self.model.schema_.needs_every_view
            for found in predict_blocks(self.model.predictor_, views, OUTLIER, whole):
                beyond = found["outlier_score"] > MAX_OUTLIER
                parts = found["outlier_part"][beyond]
                self.parts += np.bincount(parts, minlength=len(self.parts))

    def report(self, n_samples: int | None = None, notes: Any = ()) -> MonitorReport:
        """Return what was found.

        Parameters
        ----------
        n_samples : int, optional
            If more rows were there than came by.
        notes : sequence of str
            What was said while the rows were read.
        """
        seen = Seen(self.sizes, len(self.rows), self.present, self.counts, self.parts)
        n = self.start if n_samples is None else n_samples
        return report(self.model, seen, n, tuple(notes))
