"""Two labelings of the same samples: what they share, and what split or merged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from mvgraph import metrics
from mvgraph.inspection.groups import coded
from mvgraph.inspection.labelings import labeling, plain, same_samples
from mvgraph.ops.matching import homes
from mvgraph.ops.wording import counted, html_table

#: Parts of a cluster that are named, the largest first.
PARTS = 4


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
            f"AMI {self.ami:.3f}; {percent(self.agreement)} are in matched clusters."
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
    rows, columns, notes = same_samples(one, other, (first, second), normalise_ids)
    codes_a, groups_a = coded(plain(one.labels))
    codes_b, groups_b = coded(plain(other.labels))
    left, right = codes_a[rows], codes_b[columns]
    for name, codes in ((first, left), (second, right)):
        if (codes < 0).any():
            what = counted(int((codes < 0).sum()), "sample")
            notes.append(f"{what} in no cluster of {name}; left out")
    both = (left >= 0) & (right >= 0)
    if not both.any():
        raise ValueError(f"No sample is in a cluster of both {first} and {second}.")
    left, right = left[both], right[both]
    from sklearn.metrics.cluster import contingency_matrix

    counts = contingency_matrix(left, right)
    groups = (
        [groups_a[i] for i in np.unique(left)],
        [groups_b[j] for j in np.unique(right)],
    )

    return Comparison(
        (first, second),
        groups,
        counts,
        metrics.ari(left, right),
        metrics.ami(left, right),
        metrics.accuracy(left, right),
        changes(counts, groups, (first, second)),
        notes,
    )


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
    home, origin = homes(counts), homes(counts.T)
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
            how = f"; they share {percent(share)} of their samples" if share < 1 else ""
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


def _parts(row: np.ndarray, size: int, of: np.ndarray, names: list[Any]) -> str:
    """List parts of a group with their shares, the largest first."""
    order = of[np.argsort(-row[of], kind="stable")]
    words = [f"{names[j]} ({percent(row[j] / size)})" for j in order[:PARTS]]
    more = len(order) - PARTS
    return ", ".join(words) + (f" and {more} more" if more > 0 else "")


def percent(share: float) -> str:
    """Write a share; one that is not all is never written as all, nor one as none."""
    text = f"{share:.0%}"
    if share < 1 and text == "100%":
        return "over 99 %"
    if share > 0 and text == "0%":
        return "under 1 %"
    return text.replace("%", " %")
