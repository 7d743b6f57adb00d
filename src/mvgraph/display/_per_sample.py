"""One value per sample, sorted within every cluster: silhouettes and confidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from threadpoolctl import threadpool_limits

from mvgraph.display._colours import group_style
from mvgraph.display._display import GREY, Display, fitted_attribute

#: Silhouettes take the distances of all pairs; of more samples, so many are drawn.
MAX_SILHOUETTES = 3_000


@dataclass
class _PerSampleDisplay(Display):
    """Values of the samples, by cluster."""

    values: list[float]
    clusters: list[int]
    name: str = ""

    WHAT: ClassVar[str] = ""

    @classmethod
    def _from_values(cls, values: Any, labels: Any, name: str) -> Self:
        rounded = np.round(np.asarray(values, dtype=float), 5)
        return cls(rounded.tolist(), np.asarray(labels).astype(int).tolist(), name)

    @property
    def about(self) -> str:
        """Describe the picture."""
        values, of = np.array(self.values), np.array(self.clusters)
        means = ", ".join(f"{c}: {values[of == c].mean():.2f}" for c in np.unique(of))
        return (
            f"{self.WHAT} of {len(values)} samples of {self.name}, mean "
            f"{values.mean():.2f}; by cluster {means}."
        )

    def plot(self, ax: Any = None) -> Self:
        """Draw the values sorted within every cluster; the mean is dashed."""
        ax = self._begin(ax)
        values, of = np.array(self.values), np.array(self.clusters)
        gap = max(1, len(values) // 60)
        start, ticks = 0, []
        for c in np.unique(of):
            bars = np.sort(values[of == c])
            edges = np.arange(start, start + len(bars) + 1)
            ax.stairs(
                bars,
                edges,
                orientation="horizontal",
                fill=True,
                color=group_style(c)[0],
            )
            ticks.append(start + len(bars) / 2)
            start += len(bars) + gap
        ax.axvline(values.mean(), color=GREY, ls="--", lw=1.2)
        ax.set_yticks(ticks, [str(c) for c in np.unique(of)])
        ax.grid(visible=False, axis="y")
        ax.invert_yaxis()
        ax.set(xlabel=f"{self.WHAT}, mean {values.mean():.2f}", ylabel="cluster")
        ax.set_title(self.name)
        return self


@dataclass
class SilhouetteDisplay(_PerSampleDisplay):
    """Silhouettes of the samples in the embedding, sorted within every cluster [1]_.

    s = (b - a) / max(a, b), where a is the mean distance to the own cluster
    and b that to the nearest other one, from -1 to 1.

    Parameters
    ----------
    values : list of float
    clusters : list of int
    name : str

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot

    References
    ----------
    .. [1] Rousseeuw, "Silhouettes: a graphical aid to the interpretation and
       validation of cluster analysis", J. Comput. Appl. Math. 20, 1987,
       :doi:`10.1016/0377-0427(87)90125-7`.
    """

    WHAT: ClassVar[str] = "silhouette"

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, name: str = "", random_state: int = 0
    ) -> SilhouetteDisplay:
        """Compute silhouettes from ``embedding_`` (cosine) and ``labels_``.

        The embedding was made for these clusters: values compare clusters and samples
        of one fit, not methods.

        Parameters
        ----------
        estimator : fitted clusterer with ``embedding_``
        name : str
        random_state : int
            Chooses the samples, at most 3000.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the method has no embedding, or there is one cluster only.
        """
        from sklearn.metrics import silhouette_samples

        purpose = "to compute silhouettes from"
        embedding = fitted_attribute(estimator, "embedding_", purpose)
        U, labels = np.asarray(embedding, dtype=float), np.asarray(estimator.labels_)
        rng = np.random.default_rng(random_state)
        rows = np.sort(rng.permutation(len(U))[:MAX_SILHOUETTES])
        if len(np.unique(labels[rows])) < 2:
            raise ValueError("silhouettes need at least two clusters")
        with threadpool_limits(limits=1):
            values = silhouette_samples(U[rows], labels[rows], metric="cosine")
        return cls._from_values(values, labels[rows], name or type(estimator).__name__)


@dataclass
class ConfidenceDisplay(_PerSampleDisplay):
    """Confidence of the samples, sorted within every cluster.

    Parameters
    ----------
    values : list of float
    clusters : list of int
    name : str

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot
    """

    WHAT: ClassVar[str] = "confidence"

    @classmethod
    def from_estimator(cls, estimator: Any, *, name: str = "") -> ConfidenceDisplay:
        """Read ``confidence_`` of a fitted GraphConsensus.

        Parameters
        ----------
        estimator : fitted clusterer with ``confidence_``
        name : str

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the method has none.
        """
        confidence = fitted_attribute(estimator, "confidence_")
        name = name or type(estimator).__name__
        return cls._from_values(confidence, estimator.labels_, name)
