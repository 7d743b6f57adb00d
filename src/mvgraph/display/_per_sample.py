"""One value per sample, sorted within every cluster: silhouettes and confidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from threadpoolctl import threadpool_limits

from mvgraph.display._axes import GREY
from mvgraph.display._display import Display, fitted_attribute, views_of_fit
from mvgraph.display._styles import group_style
from mvgraph.views.beside import in_order_of
from mvgraph.views.casting import in_memory
from mvgraph.views.coerce import as_views
from mvgraph.views.scaling import apply_steps, fit_scaling

#: More views than this are not named below the axis.
MAX_NAMED = 4
#: Silhouettes take the distances of all pairs; of more samples, so many are drawn.
MAX_SILHOUETTES = 3_000


@dataclass(repr=False)
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
            look = {"fill": True, "color": group_style(c)[0]}
            ax.stairs(bars, edges, orientation="horizontal", **look)
            ticks.append(start + len(bars) / 2)
            start += len(bars) + gap
        ax.axvline(values.mean(), color=GREY, ls="--", lw=1.2)
        ax.set_yticks(ticks, [str(c) for c in np.unique(of)])
        ax.grid(visible=False, axis="y")
        ax.invert_yaxis()
        ax.set(xlabel=f"{self.WHAT}, mean {values.mean():.2f}", ylabel="cluster")
        ax.set_title(self.name)
        return self


@dataclass(repr=False)
class SilhouetteDisplay(_PerSampleDisplay):
    """Silhouettes of the samples in the views, sorted within every cluster [1]_.

    In one view s = (b - a) / max(a, b), where a is the mean distance to the own cluster
    and b that to the nearest other one, from -1 to 1; a sample has the mean over the
    views that it has. Distances are those of the data, in no way fitted to the
    clusters, so that values also compare methods.

    Parameters
    ----------
    values : list of float
    clusters : list of int
    name : str
    views : dict of str to float
        Mean silhouette in each view alone.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot

    References
    ----------
    .. [1] Rousseeuw, "Silhouettes: a graphical aid to the interpretation and
       validation of cluster analysis", J. Comput. Appl. Math. 20, 1987,
       :doi:`10.1016/0377-0427(87)90125-7`.
    """

    views: dict[str, float] = field(default_factory=dict)

    WHAT: ClassVar[str] = "silhouette"

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, name: str = "", random_state: int = 0
    ) -> SilhouetteDisplay:
        """Compute silhouettes of ``labels_`` from the views.

        Features of a view are scaled to standard deviation 1, rows of mostly empty
        views to length 1 (:func:`mvgraph.views.scaling.fit_scaling`, ``auto``).

        Parameters
        ----------
        estimator : fitted clusterer with ``labels_``
        X : as in fit
        name : str
        random_state : int
            Chooses the samples, at most 3000.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If there is one cluster only, or the rows of X are not those of the fit.
        """
        labels = np.asarray(fitted_attribute(estimator, "labels_"))
        views = views_of_fit(estimator, X)
        name = name or type(estimator).__name__
        return cls.from_labels(views, labels, name=name, random_state=random_state)

    @classmethod
    def from_labels(
        cls, X: Any, labels: Any, *, name: str = "", random_state: int = 0
    ) -> SilhouetteDisplay:
        """Compute silhouettes of any clusters from the views.

        Parameters
        ----------
        X : views, as in :func:`mvgraph.as_views`
        labels : array-like of int, shape (n_samples,)
            Samples with a negative one are in no cluster and left out.
        name : str
        random_state : int
            Chooses the samples, at most 3000.

        Raises
        ------
        ValueError
            If there is not one label per sample, or one cluster only.
        """
        views = as_views(X)
        labels = np.asarray(in_order_of(labels, views.ids, "labels"))
        if labels.shape != (len(views),):
            raise ValueError(
                f"labels must have one label for each of {len(views)} samples, got "
                f"shape {labels.shape}."
            )
        rows = np.random.default_rng(random_state).permutation(
            np.flatnonzero(labels >= 0)
        )
        rows = np.sort(rows[:MAX_SILHOUETTES])
        labels = labels[rows]
        if len(np.unique(labels)) < 2:
            raise ValueError("silhouettes need at least two clusters")
        found = np.full((len(rows), views.n_views), np.nan)
        for v, x in enumerate(views.arrays):
            has = np.ones(len(rows), bool)
            if views.mask is not None:
                has = views.mask[rows, v]
            # silhouettes need two clusters, and one of them two samples
            if 1 < len(np.unique(labels[has])) < has.sum():
                found[has, v] = _silhouettes(in_memory(x[rows[has]]), labels[has])
        has = np.isfinite(found)
        seen = has.any(axis=1)
        values = np.nansum(found, axis=1)[seen] / has.sum(axis=1)[seen]
        display = cls._from_values(values, labels[seen], name)
        means = np.nansum(found, axis=0) / np.maximum(has.sum(axis=0), 1)
        shown = has.any(axis=0)
        pairs = zip(views.names, means.round(5).tolist(), shown, strict=True)
        display.views = {str(view): mean for view, mean, seen in pairs if seen}
        return display

    @property
    def about(self) -> str:
        """Describe the picture."""
        views = ", ".join(f"{name} {mean:.2f}" for name, mean in self.views.items())
        return f"{super().about} In the views: {views}."

    def plot(self, ax: Any = None) -> SilhouetteDisplay:
        """Draw the values sorted within every cluster; the mean is dashed."""
        super().plot(ax)
        if len(self.views) > 1:
            shown = list(self.views.items())[:MAX_NAMED]
            words = [f"{name} {mean:.2f}" for name, mean in shown]
            words += ["..."] if len(self.views) > MAX_NAMED else []
            self.ax_.set_xlabel(f"{self.ax_.get_xlabel()}\n{', '.join(words)}")
        return self


def _silhouettes(x: Any, labels: np.ndarray) -> np.ndarray:
    """Return the silhouettes in one view, in units of its features' spread."""
    from sklearn.metrics import silhouette_samples

    x = apply_steps(x, fit_scaling(x, "auto"))
    with threadpool_limits(limits=1):
        return np.asarray(silhouette_samples(x, labels))


@dataclass(repr=False)
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
