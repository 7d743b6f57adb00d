"""A method of another package, which knows nothing of mvgraph."""

import numpy as np


class MedianSplit:
    """Split the samples by quantiles of the sum of all features."""

    def __init__(self, n_clusters=2, sign=1):
        self.n_clusters, self.sign = n_clusters, sign

    def fit(self, views):
        """Set labels_ from a list of arrays, one per view."""
        total = self.sign * sum(np.asarray(x).sum(axis=1) for x in views)
        place = np.argsort(np.argsort(total, kind="stable"), kind="stable")
        self.labels_ = place * self.n_clusters // len(place)
        return self


class Broken(MedianSplit):
    """Fail in fit."""

    def fit(self, views):
        """Fail."""
        raise RuntimeError("this method does not work")
