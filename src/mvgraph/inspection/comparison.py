"""Two labelings of the same samples: what they share, and what split or merged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mvgraph import metrics
from mvgraph.inspection.changes import changes, matched, percent
from mvgraph.inspection.groups import coded
from mvgraph.inspection.labelings import labeling, plain, same_samples
from mvgraph.ops.wording import counted, html_table


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
