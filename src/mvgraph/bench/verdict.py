"""The first screen of the report: which method, how sure, how long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mvgraph.bench import compare, significance
from mvgraph.bench.compare import Group
from mvgraph.bench.content import SAME, short, signed
from mvgraph.bench.records import Record

__all__ = ["answers", "notes"]


@dataclass
class Answer:
    """A question, its answer in a few words, and the numbers behind it."""

    question: str
    short: str
    long: str


def answers(records: list[Record]) -> list[Answer]:
    """Answer the three questions from the runs on shuffled rows.

    Over several sets the mean rank decides, on one set the accuracy.
    """
    result = significance.ranks(records)
    best = _best(records)
    if result is not None:
        return _from_ranks(result, records)
    if not best:
        return []
    return [_which(best), _how_sure(best), _how_long(best)]


def _best(records: list[Record]) -> list[Group]:
    """Return the groups of the first set that is not of a series, best first.

    Those of which trials failed are left out, if others are there.
    """
    found = compare.shuffled(records)
    mine = [g for g in found if g.set == found[0].set]
    whole = [g for g in mine if not g.lost] or mine
    return sorted(whole, key=lambda g: -_accuracy(g)[0])


def _accuracy(group: Group) -> tuple[float, float]:
    return group.score("acc") or (0.0, 0.0)


def _which(best: list[Group]) -> Answer:
    first, mean = best[0], _accuracy(best[0])[0]
    long = f"accuracy {short(mean)} on {first.set}, rows shuffled"
    if first.lost:
        long += f"; only {first.share} trials ended with a result"
    if len(best) > 1:
        gap = mean - _accuracy(best[1])[0]
        long += f"; {short(gap)} above {best[1].variant}"
    return Answer("Which method?", first.variant, long)


def _how_sure(best: list[Group]) -> Answer:
    first = best[0]
    (mean, std), n, runs = _accuracy(first), first.first["n"], len(first.records)
    error = (mean * (1 - mean) / n) ** 0.5
    sampling = f"standard error of {n} samples {short(error)}"
    spread = f"one run; {sampling}"
    if runs > 1:
        spread = f"{runs} runs, standard deviation {short(std)}; {sampling}"
    if len(best) == 1:
        return Answer("How sure?", f"± {short(2 * error)}", spread)
    gap = mean - _accuracy(best[1])[0]
    noise = 2 * (2 * error**2 + std**2 + _accuracy(best[1])[1] ** 2) ** 0.5
    clear = "the lead is clear" if gap > noise else "the lead may be chance"
    words = f"lead {short(gap)}; chance alone gives up to {short(noise)}"
    return Answer("How sure?", clear, f"{words} ({spread})")


def _how_long(best: list[Group]) -> Answer:
    seconds = best[0].mean("seconds") or 0.0
    others = [(g.mean("seconds") or 0.0, g.variant) for g in best[1:]]
    long = f"a fit of {best[0].first['n']} samples"
    if others:
        fastest = min(others)
        long += f"; fastest of the others: {fastest[1]}, {_time(fastest[0])}"
    return Answer("How long?", _time(seconds), long)


def _from_ranks(result: Any, records: list[Record]) -> list[Answer]:
    best, k = result.methods[0], len(result.methods)
    which = f"best mean rank, {result.mean[0]:.1f} of {k}, on {result.n_sets} sets"
    first = [last for start, last in result.cliques() if start == 0]
    alike = result.methods[1 : first[0] + 1] if first else []
    sure = f"{len(alike)} others may be as good" if alike else "the lead is clear"
    why = "better than all others at 5 %"
    if alike:
        why = f"no difference at 5 % from {', '.join(alike)}"
    if result.n_sets < 5:
        why += f"; {result.n_sets} sets are few"
    mine = [g for g in compare.shuffled(records) if g.variant == best]
    times = sorted((g.mean("seconds") or 0.0, g.set, g.first["n"]) for g in mine)
    (low, _, n_low), (high, _, n_high) = times[0], times[-1]
    span = f"from {_time(low)} ({n_low} samples) to {_time(high)} ({n_high})"
    middle = _time(times[len(times) // 2][0])
    return [
        Answer("Which method?", best, f"{which}, rows shuffled"),
        Answer("How sure?", sure, why),
        Answer("How long?", middle, f"a fit, median over sets; {span}"),
    ]


def _time(seconds: float) -> str:
    if seconds < 10:
        return f"{seconds:.2g} s"
    return f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 60:.0f} min"


def notes(records: list[Record]) -> list[str]:
    """Return findings on the order of rows as sentences."""
    groups = compare.groups(records)
    pairs = dict.fromkeys((name, method) for name, method, _ in groups)
    effects = {pair: compare.effect(groups, *pair) for pair in pairs}
    known = {key: value for key, value in effects.items() if value is not None}
    if not known:
        return []
    (name, method), gap = max(known.items(), key=lambda item: abs(item[1]))
    free = [value for value in known.values() if abs(value) <= SAME]
    return [
        f"Largest order effect: {method} on {name}, accuracy {signed(gap)} when the "
        "rows are in the order of the file.",
        f"{len(free)} of {len(known)} pairs of method and set do not depend on the "
        f"order of rows (accuracy within {SAME}).",
    ]
