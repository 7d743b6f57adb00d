"""Test cases of several factors without the full product."""

from itertools import combinations, product

import pytest

__all__ = ["cover_pairs", "crossed", "slow"]


def slow(*values):
    """Return values to parametrise with that the default run leaves out."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


def crossed(*factors):
    """Return all cases; slow, but for as many as show every value of every factor."""
    lists = [list(factor) for factor in factors]
    first = {tuple(i % len(f) for f in lists) for i in range(max(map(len, lists)))}
    found = []
    for places in product(*(range(len(f)) for f in lists)):
        marks = () if places in first else pytest.mark.slow
        values = [f[i] for f, i in zip(lists, places, strict=True)]
        found.append(pytest.param(*values, marks=marks))
    return found


def cover_pairs(*factors):
    """Return few cases in which any two values of different factors meet.

    The next case is the one with most pairs that have not met yet: 24 cases instead of
    432 for factors of 6, 4, 3, 3 and 2 values.
    """
    places = list(combinations(range(len(factors)), 2))

    def pairs(case):
        return {(i, j, case[i], case[j]) for i, j in places}

    every = {case: pairs(case) for case in product(*(range(len(f)) for f in factors))}
    missing, found = set().union(*every.values()), []
    while missing:
        best = max(every, key=lambda case: len(every[case] & missing))
        missing -= every[best]
        found.append(tuple(f[i] for f, i in zip(factors, best, strict=True)))
    return found
