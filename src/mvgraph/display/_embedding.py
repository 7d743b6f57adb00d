"""The embedding of the samples in two dimensions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from mvgraph.display._colours import CLUSTERS, MARKS, axes

MAX_POINTS = 300


@dataclass
class EmbeddingDisplay:
    """Samples as points, near each other if they are near in the embedding.

    Parameters
    ----------
    points : list of [x, y]
        At most 300 samples, from -1 to 1.
    clusters : list of int
    classes : list of int or None
        Known classes, for comparison only.
    samples : list of int
        Row numbers of the samples.
    name : str

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot
    """

    points: list[list[float]]
    clusters: list[int]
    classes: list[int] | None
    samples: list[int]
    name: str = ""
    ax_: Any = field(default=None, repr=False, compare=False)
    figure_: Any = field(default=None, repr=False, compare=False)

    @classmethod
    def from_estimator(
        cls, estimator: Any, y: Any = None, name: str = "", random_state: int = 0
    ) -> EmbeddingDisplay:
        """Lay ``embedding_`` of a fitted estimator out in the plane by t-SNE.

        Parameters
        ----------
        estimator : fitted clusterer with ``embedding_``
        y : array-like of int, optional
            Known classes.
        name : str
        random_state : int
            Chooses the samples that are shown, and seeds the layout.

        Raises
        ------
        ValueError
            If the method has no embedding.
        """
        embedding = getattr(estimator, "embedding_", None)
        if embedding is None:
            raise ValueError(f"{type(estimator).__name__} has no embedding_ to draw")
        U = np.asarray(embedding, dtype=float)
        rng = np.random.default_rng(random_state)
        chosen = np.sort(rng.permutation(len(U))[:MAX_POINTS])
        labels = np.asarray(estimator.labels_)
        classes = None if y is None else np.asarray(y)[chosen].astype(int).tolist()
        return cls(
            points=layout(U[chosen], random_state).tolist(),
            clusters=labels[chosen].astype(int).tolist(),
            classes=classes,
            samples=chosen.tolist(),
            name=name or type(estimator).__name__,
        )

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> EmbeddingDisplay:
        """Build from the output of ``data()``."""
        return cls(**data)

    def data(self) -> dict[str, Any]:
        """Return the table as plain JSON."""
        keys = ("points", "clusters", "classes", "samples", "name")
        return {key: getattr(self, key) for key in keys}

    def plot(self, ax: Any = None) -> EmbeddingDisplay:
        """Draw the points, with one colour and mark per cluster."""
        self.ax_ = axes(ax)
        self.figure_ = self.ax_.figure
        points, clusters = np.asarray(self.points), np.asarray(self.clusters)
        for c in np.unique(clusters):
            x, y = points[clusters == c].T
            mark = MARKS[(c // len(CLUSTERS)) % len(MARKS)]
            colour = CLUSTERS[c % len(CLUSTERS)]
            self.ax_.scatter(x, y, s=12, color=colour, marker=mark, label=str(c))
        self.ax_.set(title=self.name, xticks=[], yticks=[], aspect="equal")
        return self


def layout(U: np.ndarray, seed: int) -> np.ndarray:
    """Lay rows out in the plane, inside the square from -1 to 1.

    Rows are scaled to length 1 first, as spectral clustering does.
    """
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE

    length = np.linalg.norm(U, axis=1, keepdims=True)
    U = np.nan_to_num(U / np.where(length > 0, length, 1))
    if len(U) < 10 or U.shape[1] < 2:
        flat = PCA(min(2, *U.shape)).fit_transform(U)
        P = np.zeros((len(U), 2))
        P[:, : flat.shape[1]] = flat
    else:
        # the layout needs distinct rows
        jitter = np.random.default_rng(seed).normal(scale=1e-4, size=U.shape)
        near = min(30.0, (len(U) - 1) / 3)
        tsne = TSNE(2, perplexity=near, init="pca", random_state=seed, max_iter=500)
        with threadpool_limits(limits=1):  # several threads are slower on few points
            P = np.asarray(tsne.fit_transform(U + jitter), dtype=float)
    P = P - (P.max(axis=0) + P.min(axis=0)) / 2
    return np.round(P / max(float(np.abs(P).max()), 1e-12), 3)
