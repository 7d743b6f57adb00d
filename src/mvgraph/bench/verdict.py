"""What a report says first if all methods are compared with one."""

from __future__ import annotations

from statistics import median
from typing import NamedTuple

from mvgraph.bench import compare, significance
from mvgraph.bench.records import Record
from mvgraph.ops.wording import counted, first_few

#: Names in a sentence; more of them are a number.
MOST_NAMES = 5


class Answer(NamedTuple):
    """A question, its answer in a few words, and the numbers behind it."""

    question: str
    short: str
    long: str


def about_reference(
    records: list[Record], own: str, score: str = "acc"
) -> list[Answer]:
    """Answer how good the reference is, how sure that is, and how long it takes.

    Parameters
    ----------
    records : list of dict
    own : str
        The reference, as in tables.
    score : str
    """
    means = significance.mean_ranks(records, score)
    if own not in means.index:
        return []
    n_sets = significance.complete_table(records, score).shape[1]
    over = f"mean over {n_sets} sets" if n_sets > 1 else "on one set"
    others = means.drop(own)
    best = f"; first of the others: {others.index[0]}, {others.iloc[0]:.2f}"
    good = f"{over}, rows shuffled" + (best if len(others) else "")
    rank = f"rank {means[own]:.2f} of {len(means)}"
    return [
        Answer(f"How good is {own}?", rank, good),
        Answer("How sure?", *_sure(records, own, score, n_sets)),
        Answer("How long?", *_long(records, own)),
    ]


def _sure(records: list[Record], own: str, score: str, n_sets: int) -> tuple[str, str]:
    """Say which methods differ from the reference."""
    better: list[str] = []
    worse: list[str] = []
    pairs = significance.pairs(records, score, own)
    for pair in pairs:
        if pair.p_holm < significance.LEVEL:
            is_first, other = pair.first == own, (set(pair[:2]) - {own}).pop()
            won = (pair.wins > pair.losses) == is_first
            (better if won else worse).append(other)
    if not pairs:
        return "one set shows no difference", "a test needs several sets"
    tested = "Wilcoxon's test at 5 %, corrected after Holm"
    if not better + worse:
        least = significance.least_p(n_sets, len(pairs))
        few = (
            f"; on {n_sets} sets and with {counted(len(pairs), 'comparison')} it has "
            f"no p below {least:.2g}"
        )
        return "no difference can be shown", tested + few * (least > significance.LEVEL)
    both = (("better than", better), ("worse than", worse))
    parts = [(words, names) for words, names in both if names]
    said = [f"{words} {first_few(names, MOST_NAMES)}" for words, names in parts]
    short = [f"{words} {len(names)}" for words, names in parts]
    return f"{', '.join(short)} of {len(pairs)}", f"{'; '.join(said)}; {tested}"


def _long(records: list[Record], own: str) -> tuple[str, str]:
    """Say how long a fit of the reference takes."""
    groups = [g for g in compare.shuffled(records, failed=True) if g.variant == own]
    times = [g.mean("seconds") for g in groups if g.records]
    lost = sum(bool(g.lost) for g in groups)
    more = f"; {counted(lost, 'set')} not finished" if lost else ""
    seconds = [value for value in times if value is not None]
    if not seconds:
        return "no fit finished", more.removeprefix("; ")
    n = max(g.first["n"] for g in groups if g.records)
    most = f"at most {in_time(max(seconds))}, {n} samples in the largest set"
    return in_time(median(seconds)), f"a fit, median over sets; {most}{more}"


def in_time(seconds: float) -> str:
    """Write a time with its unit."""
    if seconds < 10:
        return f"{seconds:.2g} s"
    return f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 60:.0f} min"
