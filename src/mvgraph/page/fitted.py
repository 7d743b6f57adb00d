"""What a page reads off a model, for the drawn samples."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mvgraph.base.predictor import MAX_OUTLIER, predict_blocks
from mvgraph.page.levels import Level
from mvgraph.prediction.outliers import reason_of
from mvgraph.views.container import Views

#: Probability from which a sample belongs clearly: no other group has as much.
CLEAR = 0.5
#: Samples that belong to none, or contradict themselves, that are listed.
N_ODD = 60
#: What a predictor calls the attributes of the samples.
FIELDS = {
    "membership_": "probability",
    "outlier_score_": "outlier_score",
    "outlier_part_": "outlier_part",
}


class Drawn(NamedTuple):
    """What is known of every drawn sample; None for what the method does not tell."""

    membership: np.ndarray | None  # (m, K)
    outlier: np.ndarray | None  # (m,)
    part: np.ndarray | None
    used: tuple[str, ...]  # names of the views that were used
    ids: np.ndarray  # numbers of the columns of the memberships

    @classmethod
    def of(cls, model: Any, sample: Views, rows: np.ndarray) -> Drawn:
        """Read the attributes; a model that was saved without them is asked anew."""
        fitted, found = vars(model), {}
        predictor = fitted.get("predictor_")
        known = {name for name in FIELDS if fitted.get(name) is not None}
        for name in known:
            found[name] = np.asarray(fitted[name][rows])
        if predictor is not None:
            wanted = {
                FIELDS[name]: name
                for name in FIELDS
                if name not in known and FIELDS[name] in predictor.fields
            }
            if wanted:
                blocks = list(predict_blocks(predictor, sample, [*wanted], False))
                for field, name in wanted.items():
                    found[name] = np.concatenate([b[field] for b in blocks])
        names = np.array(sample.names)
        used = names if predictor is None else names[predictor.used]
        membership, outlier, part = (found.get(name) for name in FIELDS)
        return cls(membership, outlier, part, tuple(used.tolist()), model.cluster_ids_)

    @property
    def sure(self) -> np.ndarray | None:
        """Largest membership of every sample."""
        return None if self.membership is None else self.membership.max(axis=1)

    @property
    def usual(self) -> np.ndarray | None:
        """Whether a sample belongs to any group."""
        return None if self.outlier is None else self.outlier <= MAX_OUTLIER

    def merged(self, own: Level, level: Level) -> np.ndarray | None:
        """Return memberships of the groups of a level; None for a finer one than own.

        Memberships of groups that a coarser level joins are added.
        """
        if self.membership is None or level.k > own.k:
            return None
        joined = np.zeros((own.k, level.k), dtype=self.membership.dtype)
        joined[own.codes, level.codes] = 1
        # there is a column for every cluster, and groups only for those with samples
        at = np.searchsorted(self.ids, own.numbers)
        return np.asarray(self.membership[:, at] @ joined)

    def shares(self, codes: np.ndarray, sizes: np.ndarray) -> dict[str, float]:
        """Return which share of all samples belongs clearly, and to none."""
        drawn = np.maximum(np.bincount(codes, minlength=len(sizes)), 1)
        weight = (sizes / drawn)[codes]
        found, clear, usual = {}, self.sure, self.usual
        if usual is not None:
            found["none"] = float(weight @ ~usual / weight.sum())
        if clear is not None:
            clear = (clear >= CLEAR) & (True if usual is None else usual)
            found["clear"] = float(weight @ clear / weight.sum())
            found["mean"] = float(weight @ self.sure / weight.sum())
        return found

    def odd(self) -> list[tuple[int, bool, str]]:
        """List samples that belong to none, the farthest first.

        Returns
        -------
        list of (position, whether its views contradict each other, reason)
        """
        if self.outlier is None or self.part is None:
            return []
        at = np.flatnonzero(self.outlier > MAX_OUTLIER)
        at = at[np.argsort(-self.outlier[at], kind="stable")][:N_ODD]
        V = len(self.used)
        parts = [(int(i), int(self.part[i])) for i in at]
        return [(i, part > V, reason_of(part, self.used)) for i, part in parts]


def weights_of(model: Any, n_views: int) -> np.ndarray:
    """Return the weights of the views; equal where the method gives none."""
    found = vars(model).get("view_weights_")
    return np.ones(n_views) if found is None else np.asarray(found, dtype=float)


def views_of(model: Any, views: Views, weights: np.ndarray) -> list[dict[str, Any]]:
    """Describe the views: size, weight, whether the method used them."""
    linked, n = vars(model).get("linked_views_"), len(views)
    lacking = [0] * views.n_views if views.mask is None else (~views.mask).sum(axis=0)
    return [
        {
            "name": view,
            "features": int(d),
            "used": True if linked is None else bool(linked[v]),
            "weight": float(weights[v]),
            "lacking": int(lacking[v]) / n,
        }
        for v, (view, d) in enumerate(zip(views.names, views.n_features, strict=True))
    ]


def method_of(model: Any) -> dict[str, Any]:
    """Return the name of the method, its parameters, and versions of packages."""
    import platform

    import scipy
    import sklearn

    from mvgraph._version import __version__

    versions = {
        "mvgraph": __version__,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }
    params = {k: str(v) for k, v in model.get_params(deep=False).items()}
    return {"name": type(model).__name__, "parameters": params, "versions": versions}
