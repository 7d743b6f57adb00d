"""What has moved since a fit: tables, and one verdict with its reasons."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.stats import beta, false_discovery_control

from mvgraph.ops.stability import LARGE, MODERATE, PER_BIN, Stability, stability
from mvgraph.ops.wording import counted, html_table
from mvgraph.prediction.outliers import reason_of
from mvgraph.views.reference import DECILES, ENTRIES_OF_ROW, NORM_OF_ROW

VERDICTS = ("ok", "watch", "refit")
#: Share of the features of a view that makes it, or a cluster in it, moved: what is
#: called significant of tests, taken as a share.
FEW = 0.05
#: Share of the samples whose clusters have moved beyond which most of the model is old.
MOST = 0.5
#: ... and of the samples with values that the fit was far from having: so many are
#: errors in a delivery; for one percent a word will do.
SOME = 0.01
#: Samples that are outliers of a fit on clean groups: see ``MAX_OUTLIER``.
CLEAN = 0.005
#: Names of what is followed of a sparse view besides its columns.
OF_ROWS = {ENTRIES_OF_ROW: "(entries of a row)", NORM_OF_ROW: "(norm of a row)"}
#: Features, and clusters, that a reason names.
NAMED = 3


class Seen(NamedTuple):
    """Counts of new samples."""

    sizes: np.ndarray  # (K,) samples of every cluster
    n_compared: int  # samples that all else is counted of
    present: np.ndarray  # (V,)
    counts: list[np.ndarray]  # V arrays (K, f, bins)
    parts: np.ndarray  # outliers by the part in which they are


class MonitorReport(NamedTuple):
    """How new samples compare with those of a fit; see :func:`mvgraph.monitor`."""

    verdict: str
    reasons: tuple[str, ...]
    n_samples: int
    n_compared: int
    clusters: list[dict[str, Any]]
    views: list[dict[str, Any]]
    features: list[dict[str, Any]]
    outliers: dict[str, Any] | None

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, for JSON."""
        return self._asdict() | {"reasons": list(self.reasons)}

    def _repr_html_(self) -> str:
        """Return the verdict and its reasons, for notebooks."""
        return html_table(
            f"Verdict: {self.verdict}", ["reason"], [[r] for r in self.reasons]
        )


class _Found(NamedTuple):
    """A reason, and how serious it is: 1 watch, 2 refit."""

    level: int
    text: str


def report(
    model: Any, seen: Seen, n_samples: int, notes: tuple[str, ...]
) -> MonitorReport:
    """Compare the counts of new samples with those of the fit of a model."""
    drifts = _drifts(model, seen)
    used = set(model.predictor_.used.tolist())
    clusters, found = _clusters(model, seen, drifts, used)
    views, of_views = _views(model, seen, drifts, used)
    outliers, odd = _outliers(model, seen)
    found = [*of_views, *found, *odd, *(_Found(1, note) for note in notes)]
    needed = PER_BIN * (len(DECILES) + 1)
    if seen.n_compared < needed:
        n = counted(seen.n_compared, "sample")
        found.append(_Found(0, f"{n}: too few to tell; {needed} are needed"))
    found.sort(key=lambda one: -one.level)
    level = found[0].level if found else 0
    return MonitorReport(
        VERDICTS[level],
        tuple(one.text for one in found),
        n_samples,
        seen.n_compared,
        clusters,
        views,
        _features(model, drifts),
        outliers,
    )


class _Drift(NamedTuple):
    """How far the features of a view have moved: in all samples, and by cluster."""

    names: list[str]
    overall: Stability  # (f,)
    by_cluster: Stability  # (K, f)
    weights: np.ndarray  # (K,) shares of the clusters
    far: np.ndarray  # (f,) shares of values far beyond those of the fit

    def within(self) -> np.ndarray:
        """Return the mean index within clusters, beyond chance, (f,)."""
        beyond = np.where(self.by_cluster.at_least(0), self.by_cluster.psi, 0)
        return np.asarray(self.weights @ beyond)


def _drifts(model: Any, seen: Seen) -> list[_Drift]:
    pairs = list(zip(model.reference_.views, seen.counts, strict=True))
    n_tests = sum(new[..., 0].size + new.shape[1] for _, new in pairs)
    weights = seen.sizes / max(seen.sizes.sum(), 1)
    names = model.schema_.feature_names
    return [
        _Drift(
            [_name(own, c) for c in old.columns.tolist()],
            stability(old.counts.sum(axis=0), new.sum(axis=0), n_tests),
            stability(old.counts, new, n_tests),
            weights,
            old.far(new) / max(seen.n_compared, 1),
        )
        for own, (old, new) in zip(names, pairs, strict=True)
    ]


def _name(names: Any, column: int) -> str:
    if column < 0:
        return OF_ROWS[column]
    return str(column if names is None else names[column])


def _top(drift: _Drift, index: np.ndarray) -> str:
    """Name the features that have moved most."""
    best = np.argsort(-index, kind="stable")[:NAMED]
    return ", ".join(f"{drift.names[f]} ({index[f]:.2f})" for f in best if index[f] > 0)


def _first(ids: np.ndarray) -> str:
    more = ", ..." if len(ids) > NAMED else ""
    return ", ".join(map(str, ids[:NAMED])) + more


def _level(change: Stability) -> int:
    """Return how serious one change is: 0, 1 watch, 2 refit."""
    return int(change.at_least(MODERATE)) + int(change.at_least(LARGE))


def _views(
    model: Any, seen: Seen, drifts: list[_Drift], used: set[int]
) -> tuple[list[dict[str, Any]], list[_Found]]:
    rows, found = [], []
    reference = model.reference_
    total = np.array([reference.n_rows, seen.n_compared])
    for v, (name, drift) in enumerate(zip(model.schema_.names, drifts, strict=True)):
        there = np.array([reference.n_present[v], seen.present[v]])
        before, now = ((total - there) / np.maximum(total, 1)).tolist()
        has = np.stack([total - there, there], axis=1)
        gaps = stability(has[0], has[1], len(drifts))
        large = drift.overall.at_least(LARGE)
        rows.append(
            {
                "view": name,
                "used": v in used,
                "features": len(large),
                "drifted": int(large.sum()),
                "psi_within": float(drift.within().max(initial=0)),
                "missing_before": before,
                "missing": now,
            }
        )
        if v in used and _level(gaps):
            text = f"view {name!r}: {before:.1%} -> {now:.1%} of the samples lack it"
            found.append(_Found(_level(gaps), text))
        if v in used:
            found += _drifted(f"view {name!r}", drift)
    return rows, found


def _drifted(what: str, drift: _Drift) -> list[_Found]:
    """Return what there is to say of the features of a view over all samples."""
    large, some = (drift.overall.at_least(x) for x in (LARGE, MODERATE))
    few, far, found = FEW * len(large), drift.far.max(initial=0), []
    if far >= SOME:
        text = f"{what}: {far:.1%} of the samples have values far beyond the fit, most "
        found = [_Found(2 if far >= FEW else 1, text + _top(drift, drift.far))]
    if not large.any() and some.sum() < max(few, 1):
        return found
    n = counted(int((large if large.any() else some).sum()), "feature")
    text = f"{what}: {n} of {len(large)} drifted, most "
    text += _top(drift, drift.overall.psi)
    return [*found, _Found(2 if large.sum() >= max(few, 1) else 1, text)]


def _clusters(
    model: Any, seen: Seen, drifts: list[_Drift], used: set[int]
) -> tuple[list[dict[str, Any]], list[_Found]]:
    ids, n = model.cluster_ids_, seen.sizes
    old = np.bincount(np.searchsorted(ids, model.labels_), minlength=len(ids))
    total = max(int(n.sum()), 1)
    before, now = old / old.sum(), n / total
    large = [drift.by_cluster.at_least(LARGE) for drift in drifts]
    share = [x.sum(axis=1) / max(x.shape[1], 1) for x in large]
    moved = np.array([x * (v in used) for v, x in enumerate(share)])
    low, high = (beta.ppf(p, n + 0.5, total - n + 0.5) for p in (0.025, 0.975))
    columns = {
        "cluster": ids,
        "n": n,
        "share_before": before,
        "share": now,
        "low": low,
        "high": high,
        "moved": moved.max(axis=0),
    }
    values = zip(*(column.tolist() for column in columns.values()), strict=True)
    rows = [dict(zip(columns, row, strict=True)) for row in values]
    found = []
    shares = stability(old, n, 1)
    if _level(shares):
        far = np.argsort(-np.abs(now - before), kind="stable")[:NAMED]
        told = ", ".join(f"{ids[k]} ({before[k]:.1%} -> {now[k]:.1%})" for k in far)
        text = f"shares of clusters changed ({float(shares.psi):.2f}): {told}"
        found.append(_Found(_level(shares), text))
    other = moved.max(axis=0) >= FEW
    if other.any():
        v, part = int(np.argmax(moved @ (n * other))), n[other].sum() / total
        text = (
            f"{counted(int(other.sum()), 'cluster')} with {part:.0%} of the samples "
            f"moved ({_first(ids[other])}), most in view {model.schema_.names[v]!r}: "
            f"{_top(drifts[v], drifts[v].within())}"
        )
        found.append(_Found(2 if part >= MOST else 1, text))
    return rows, found


def _outliers(model: Any, seen: Seen) -> tuple[dict[str, Any] | None, list[_Found]]:
    if "outlier_score" not in model.predictor_.fields:
        return None, []
    n, m = model.reference_.n_rows, seen.n_compared
    usual = max(model.reference_.outliers or 0.0, CLEAN)
    many = int(seen.parts.sum())
    old = round(usual * n)
    change = stability(np.array([old, n - old]), np.array([many, m - many]), 1)
    names = tuple(model.schema_.names[v] for v in model.predictor_.used)
    reason = reason_of(int(np.argmax(seen.parts)), names) if many else ""
    share = many / max(m, 1)
    row = {"share_before": usual, "share": share, "reason": reason}
    if share <= usual or not _level(change):
        return row, []
    text = f"{share:.1%} of the samples belong nowhere (usual {usual:.1%}): {reason}"
    return row, [_Found(_level(change), text)]


def _features(model: Any, drifts: list[_Drift]) -> list[dict[str, Any]]:
    """Return a row per feature, those that have moved most first."""
    rows = []
    pvalues = np.concatenate([d.overall.pvalue for d in drifts])
    adjusted = iter(false_discovery_control(pvalues).tolist())
    for name, drift in zip(model.schema_.names, drifts, strict=True):
        within = drift.within()
        for f, feature in enumerate(drift.names):
            rows.append(
                {
                    "view": name,
                    "feature": feature,
                    "psi": float(drift.overall.psi[f]),
                    "psi_within": float(within[f]),
                    "far": float(drift.far[f]),
                    "pvalue_adjusted": next(adjusted),
                }
            )
    return sorted(rows, key=lambda row: -max(row["psi"], row["psi_within"], row["far"]))
