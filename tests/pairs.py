"""Test cases of several factors without the full product."""

from itertools import combinations, product

__all__ = ["cover_pairs"]


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
