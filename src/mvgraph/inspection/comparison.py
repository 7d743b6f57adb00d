"""Two labelings of the same samples: what they share, and what split or merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from mvgraph import metrics
from mvgraph.base.clusterer import Clusterer
from mvgraph.inspection.groups import coded
from mvgraph.ops.wording import counted, html_table
from mvgraph.views.spelling import normalised, of_one_kind, refuse_other_spelling

__all__ = ["Comparison", "Labeling", "compare_labels", "labeling"]

#: Samples that one labeling alone has: so many are named.
NAMED = 3
#: Parts of a cluster that are named, the largest first.
PARTS = 4
#: A group belongs where more than half of it is: to one group, or to none.
MOST = 0.5


class Labeling(NamedTuple):
    """Labels, and the samples that have them."""

    ids: np.ndarray | None  # None: samples are known by their positions
    labels: np.ndarray


class Comparison(NamedTuple):
    """How two labelings compare; see :func:`compare_labels`."""

    names: tuple[str, str]
    groups: tuple[list[Any], list[Any]]
    counts: np.ndarray  # (groups of the first, groups of the second)
    ari: float
    ami: float
    agreement: float
    changes: list[str]
    notes: list[str]

    @property
    def summary(self) -> str:
        """State the agreement in one sentence."""
        n = counted(int(self.counts.sum()), "sample")
        return (
            f"{self.names[0]} and {self.names[1]}, {n} in both: ARI {self.ari:.3f}, "
            f"AMI {self.ami:.3f}; {_percent(self.agreement)} are in matched clusters."
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return the cells of the contingency table that are not empty.

        Returns
        -------
        list of dict
            The group of either labeling, by its name, and ``n``.
        """
        first, second = self.names
        return [
            {first: self.groups[0][i], second: self.groups[1][j], "n": int(n)}
            for (i, j), n in np.ndenumerate(self.counts)
            if n
        ]

    def display(self) -> Any:
        """Return the pictures: a matched heat map, and the flow of samples."""
        from mvgraph.display import ComparisonDisplay

        return ComparisonDisplay(
            self.names,
            ([str(g) for g in self.groups[0]], [str(g) for g in self.groups[1]]),
            self.counts.tolist(),
            matched(self.counts).tolist(),
            self.summary,
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw a matched heat map and the flow of samples.

        Parameters
        ----------
        ax : sequence of two Axes, optional

        Returns
        -------
        ComparisonDisplay
            See :class:`mvgraph.display.ComparisonDisplay`.
        """
        return self.display().plot(ax)

    def _repr_html_(self) -> str:
        """Return the summary and what changed, for notebooks."""
        return html_table(self.summary, ["change"], [[text] for text in self.changes])


def labeling(source: Any, name: str = "labels") -> Labeling:
    """Return the labels of a fitted model, a Series, a mapping of ids, or an array.

    Raises
    ------
    ValueError
        A model is not fitted, or a sample is named twice.
    """
    if isinstance(source, Labeling):
        return source
    if hasattr(source, "fit"):
        labels = vars(source).get("labels_")
        if labels is None:
            raise ValueError(f"{name}: the {type(source).__name__} is not fitted.")
        ids = source.schema_.ids if isinstance(source, Clusterer) else None
        return Labeling(ids, np.asarray(labels))
    if isinstance(source, Mapping):
        keys, values = list(source), list(source.values())
        return Labeling(np.array(keys, object), np.array(values, object))
    if hasattr(source, "reindex"):
        index = source.index
        if not index.is_unique:
            twice = index[index.duplicated()][0]
            raise ValueError(f"{name}: sample {twice!r} occurs twice; keep one row.")
        return Labeling(np.asarray(index, dtype=object), np.asarray(source, object))
    labels = np.asarray(source)
    if labels.ndim != 1:
        raise ValueError(
            f"{name}: one label per sample is needed, got shape {labels.shape}."
        )
    return Labeling(None, labels)


def compare_labels(
    a: Any,
    b: Any,
    *,
    names: Sequence[str] = ("A", "B"),
    normalise_ids: bool = False,
) -> Comparison:
    """Compare two clusterings of the same samples, matched by their names.

    Parameters
    ----------
    a, b : fitted model, pandas Series, mapping of sample to label, or array
        Labels are numbers or words; negative or missing ones are in no cluster and left
        out. Labels without names of samples are matched by position.
    names : sequence of two str, default=("A", "B")
        What messages and pictures call the two.
    normalise_ids : bool, default=False
        Match names regardless of Unicode form, outer blanks and case.

    Returns
    -------
    Comparison
        ``groups``, the names of the clusters of both; ``counts``, samples by cluster of
        a (rows) and of b (columns); ``ari`` and ``ami``, adjusted Rand index and
        adjusted mutual information; ``agreement``, the share of samples whose clusters
        are matched one to one; ``changes``, sentences on what is the same, split,
        merged or mixed; ``notes`` on samples that only one of them has. ``plot()``
        draws it, ``rows()`` is the table.

    Raises
    ------
    ValueError
        No sample is in both, a sample is named twice, names differ in spelling alone,
        or labels without names differ in number.

    Examples
    --------
    >>> import mvgraph
    >>> two = mvgraph.compare_labels([0, 0, 0, 1, 1, 2], [0, 0, 0, 1, 1, 1])
    >>> two.changes
    ['0 of A is 0 of B.', '1, 2 of A merge into 1 of B.']
    """
    first, second = str(names[0]), str(names[1])
    if first == second:
        first, second = f"{first} (1)", f"{second} (2)"
    one, other = labeling(a, first), labeling(b, second)
    rows, columns, notes = _matched(one, other, (first, second), normalise_ids)
    codes_a, groups_a = coded(_plain(one.labels))
    codes_b, groups_b = coded(_plain(other.labels))
    left, right = codes_a[rows], codes_b[columns]
    for name, codes in ((first, left), (second, right)):
        if (codes < 0).any():
            what = counted(int((codes < 0).sum()), "sample")
            notes.append(f"{what} in no cluster of {name}; left out")
    both = (left >= 0) & (right >= 0)
    if not both.any():
        raise ValueError(f"No sample is in a cluster of both {first} and {second}.")
    left, right = left[both], right[both]
    counts = np.zeros((len(groups_a), len(groups_b)), np.int64)
    np.add.at(counts, (left, right), 1)
    used = [np.flatnonzero(counts.sum(axis=axis)).tolist() for axis in (1, 0)]
    counts = counts[np.ix_(*used)]
    groups = [groups_a[i] for i in used[0]], [groups_b[j] for j in used[1]]
    from sklearn.metrics import adjusted_mutual_info_score

    return Comparison(
        (first, second),
        groups,
        counts,
        metrics.ari(left, right),
        min(float(adjusted_mutual_info_score(left, right)), 1.0),  # but for rounding
        metrics.accuracy(left, right),
        changes(counts, groups, (first, second)),
        notes,
    )


def _plain(labels: np.ndarray) -> np.ndarray:
    """Return whole numbers that were read as text as numbers, "" as missing."""
    if labels.dtype.kind not in "OU":
        return labels
    values = [None if v is None or v != v or v == "" else v for v in labels.tolist()]
    if all(v is None or _is_number(v) for v in values):
        return np.array([np.nan if v is None else float(v) for v in values])
    return np.array(values, dtype=object)


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return value.isascii() and value.removeprefix("-").isdecimal()
    return isinstance(value, int | float)


# ------------------------------------------------------------------------- the samples
def _matched(
    one: Labeling, other: Labeling, names: tuple[str, str], normalise: bool
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return the rows of both that are the same samples, and notes on the others."""
    a, b = names
    if one.ids is None or other.ids is None:
        n, m = len(one.labels), len(other.labels)
        if n != m:
            which = a if one.ids is None else b
            raise ValueError(
                f"{a} has {n} labels and {b} has {m}, and {which} does not name its "
                "samples: give both with the names of the samples"
            )
        named = one.ids is not None or other.ids is not None
        lacking = a if one.ids is None else b
        said = f"{lacking} names no samples: matched by position"
        return np.arange(n), np.arange(n), [said] if named else []
    pair = of_one_kind([one.ids, other.ids])
    if normalise:
        pair = normalised(pair)
    places = {}
    for name, ids in zip(names, pair, strict=True):
        assert ids is not None
        places[name] = {x: i for i, x in enumerate(ids.tolist())}
        if len(places[name]) < len(ids):
            n_twice = len(ids) - len(places[name])
            raise ValueError(
                f"{name}: ids occur more than once ({counted(n_twice, 'row')}); keep "
                "one row per id"
            )
    return _rows_of(places)


def _rows_of(
    places: Mapping[str, dict[Any, int]],
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return the rows of the samples that both name."""
    left, right = places.values()
    if left.keys() != right.keys():
        refuse_other_spelling(places, "labeling")
    shared = [x for x in left if x in right]
    (a, b), notes = places, []
    if not shared:
        raise ValueError(
            f"{a} and {b} have no sample in common: {a} has {_some(list(left))}, {b} "
            f"has {_some(list(right))}. Write both with the same ids; labels without "
            "ids are numbered from 0 in the order of their data"
        )
    for name, own, others in ((a, left, right), (b, right, left)):
        only = [x for x in own if x not in others]
        if only:
            notes.append(
                f"{counted(len(only), 'sample')} only in {name}: {_some(only)}"
            )
    rows = np.array([left[x] for x in shared], np.intp)
    return rows, np.array([right[x] for x in shared], np.intp), notes


def _some(ids: list[Any]) -> str:
    more = ", ..." if len(ids) > NAMED else ""
    return ", ".join(str(x) for x in ids[:NAMED]) + more


# ------------------------------------------------------------------------- the changes
def matched(counts: np.ndarray) -> np.ndarray:
    """Return the column that every row is matched with one to one, -1: none.

    The matching has the largest number of shared samples; a pair shares at least one.
    """
    partner = np.full(len(counts), -1)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    real = counts[rows, columns] > 0
    partner[rows[real]] = columns[real]
    return partner


def changes(
    counts: np.ndarray, groups: tuple[list[Any], list[Any]], names: tuple[str, str]
) -> list[str]:
    """Say what is the same, what split, what merged, and what is mixed.

    A group belongs to the one that has more than half of it. A group to which several
    belong has split into them; several that belong to one have merged into it.
    """
    (a, b), (left, right) = names, groups
    home, origin = _homes(counts), _homes(counts.T)
    sizes = counts.sum(axis=1)
    same, split, mixed, merged = [], [], [], []
    joined = np.bincount(home[home >= 0], minlength=counts.shape[1])
    for i in range(len(counts)):
        parts = np.flatnonzero(origin == i)
        j = home[i]
        if len(parts) > 1:
            shares = _parts(counts[i], sizes[i], parts, right)
            split.append(f"{left[i]} of {a} splits into {shares} of {b}.")
        elif j >= 0 and origin[j] == i and joined[j] == 1:
            union = sizes[i] + counts[:, j].sum() - counts[i, j]
            share = counts[i, j] / union
            how = (
                f"; they share {_percent(share)} of their samples" if share < 1 else ""
            )
            same.append(f"{left[i]} of {a} is {right[j]} of {b}{how}.")
        elif j < 0 or joined[j] == 1:
            shares = _parts(counts[i], sizes[i], np.flatnonzero(counts[i]), right)
            mixed.append(f"{left[i]} of {a} lies in {shares} of {b}.")
    for j in range(counts.shape[1]):
        own = np.flatnonzero(home == j)
        if len(own) > 1:
            which = ", ".join(str(left[i]) for i in own)
            merged.append(f"{which} of {a} merge into {right[j]} of {b}.")
        elif not len(own) and origin[j] < 0:
            column = counts[:, j]
            shares = _parts(column, column.sum(), np.flatnonzero(column), left)
            mixed.append(f"{right[j]} of {b} is drawn from {shares} of {a}.")
    return [*same, *split, *merged, *mixed]


def _homes(counts: np.ndarray) -> np.ndarray:
    """Return the column that has more than half of every row, -1: none."""
    largest = counts.argmax(axis=1)
    share = counts.max(axis=1) / counts.sum(axis=1)
    return np.where(share > MOST, largest, -1)


def _parts(row: np.ndarray, size: int, of: np.ndarray, names: list[Any]) -> str:
    """List parts of a group with their shares, the largest first."""
    order = of[np.argsort(-row[of], kind="stable")]
    words = [f"{names[j]} ({_percent(row[j] / size)})" for j in order[:PARTS]]
    more = len(order) - PARTS
    return ", ".join(words) + (f" and {more} more" if more > 0 else "")


def _percent(share: float) -> str:
    """Write a share; one that is not all is never written as all, nor one as none."""
    text = f"{share:.0%}"
    if share < 1 and text == "100%":
        return "over 99 %"
    if share > 0 and text == "0%":
        return "under 1 %"
    return text.replace("%", " %")
