"""Signs that a number which stands out is one too few, or too many."""

from __future__ import annotations

import numpy as np

from mvgraph.levels.evidence import Evidence
from mvgraph.levels.finer import finest_parted, parted_numbers
from mvgraph.levels.hidden import clear_division, principal
from mvgraph.ops.arrays import Matrix

#: Share of its confidence that a number keeps: of 48 made sets with such a sign, it was
#: near in 30, and right in 9; of 267 without, near in 260, and right in 237.
DOUBTED = 0.63
#: Stability of the two clusters into which the next number divides one: Hennig calls
#: clusters valid from here on, and patterns in the data from the second on. One normal
#: cluster in two has 0.3 to 0.6.
VALID, PATTERN = 0.75, 0.6
#: Valleys that make a doubt of such a pattern, in times the bound. Of 544 made sets,
#: four seeds, seven have no sign but this one, and the number is too small in all.
SHALLOW = 1.25
#: Density left between two clusters that were one: two normal ones have 0.4 at most.
FULL = 0.9
#: Density left within a divided cluster, and share of its smaller part, from which on
#: that is a sign. Chosen from made sets; that small parts are none, after a look at
#: labelled ones too, whose classes have clear but small parts.
DEEP, PART = 0.15, 0.2
#: Valleys between the clusters of a finer number, in shares of the bound, that make one
#: doubtful. Of made sets with such valleys, the number was wrong in 14 of 17; of those
#: with all that the bound allows, in 17 of 25.
DEEPER = 0.75


def instead(evidence: Evidence, at: int, first: bool) -> int:
    """Return the number that may be right instead of one; the same without a sign.

    Of levels, only the first hides a finer one: the others are listed beside it.
    """
    number = int(evidence.numbers[at])
    further = finest_parted(evidence, DEEPER) if first else 1
    return further if further > number else number + one_off(evidence, at, first)


def one_off(evidence: Evidence, at: int, first: bool = True) -> int:
    """Return 1 if a number is likely one too small, -1 if one too large, else 0.

    All clusters of the next number but two are those of this one; so what is left of
    the sum of stabilities is that of the two. Less is asked for where valleys part all
    clusters of the next number but one. Where one cluster was divided, there is no
    valley between two of them.
    """
    k, J = evidence.numbers, evidence.stability
    if at + 1 < len(k) and k[at + 1] == k[at] + 1:
        parts = (k[at + 1] * J[at + 1] - (k[at] - 1) * J[at]) / 2
        parted = first and k[at + 1] in parted_numbers(evidence, SHALLOW)
        if parts >= (PATTERN if parted else VALID):
            return 1
    return -int(evidence.valleys.second[at] >= FULL)


def divided_inside(labels: np.ndarray, X: np.ndarray, columns: list[Matrix]) -> int:
    """Count the clusters that a valley divides into two parts of some size.

    Parameters
    ----------
    labels : ndarray of int, shape (n,)
        -1 for rows of none.
    X : ndarray of shape (n, d)
    columns : list of ndarray or csr_matrix of n rows
        The views as they are given.
    """
    found = 0
    for c in range(int(labels.max()) + 1):
        rows = np.flatnonzero(labels == c)
        parts = clear_division(rows, X, columns, (principal,))
        if parts is not None and parts.valley <= DEEP:
            found += int(PART <= parts.labels.mean() <= 1 - PART)
    return found
