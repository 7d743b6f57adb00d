"""The report of a benchmark: one HTML file that needs no network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mvgraph.bench import compare, content, export, figures, pictures, significance
from mvgraph.bench.compare import Group
from mvgraph.bench.naming import reference_of
from mvgraph.bench.records import Record, finished, latest_records, left_out
from mvgraph.bench.states import State
from mvgraph.bench.tables import short, signed
from mvgraph.bench.verdict import MOST_NAMES, Answer, about_reference, in_time
from mvgraph.display import _axes as axes
from mvgraph.display._styles import MethodsDisplay
from mvgraph.metrics import SCORES
from mvgraph.ops.wording import first_few
from mvgraph.page import template
from mvgraph.page.svg import draw
from mvgraph.persistence.files import replace_text

#: Scores of a page: keys of `mvgraph.metrics.SCORES`, or others that records have.
Scores = Sequence[str]
ALL: Scores = tuple(SCORES)


def write_records(
    records: list[Record],
    output: str | Path,
    scores: Scores = ALL,
    joined: Sequence[str] = (),
) -> int:
    """Write the report of records; return the size of the file in bytes."""
    return replace_text(output, render(records, scores, joined))


def render(
    records: list[Record], scores: Scores = ALL, joined: Sequence[str] = ()
) -> str:
    """Format the report of records.

    Parameters
    ----------
    records : list of dict
    scores : sequence of str
        Those in the tables; the first one ranks the methods, and is drawn.
    joined : sequence of str
        Sentences of `mvgraph.bench.results.gather`.
    """
    css, js = template.texts("mvgraph.bench", "report.css", "report.js")
    context = _context(records, scores)
    context["left_out"] = [*joined, *context["left_out"]]
    return template.render("mvgraph.bench", "report.html", css, js, **context)


def _context(records: list[Record], scores: Scores) -> dict[str, Any]:
    everything, records = records, latest_records(records)
    looks = figures.looks(records)
    copied = {name: copy.of for name, copy in compare.copies(records).items()}
    done = finished(records)
    names = list(dict.fromkeys(record["set"] for record in done))
    sets = [name for name in names if name not in compare.series(done)]
    return {
        "titles": list(dict.fromkeys(record["plan"] for record in records)),
        "counts": {
            "trials": len(done),
            "lost": len(records) - len(done),
            "warned": sum(bool(record.get("warnings")) for record in done),
            "sets": len(names),
            "methods": len({record["method"] for record in done}),
        },
        "answers": answers(records, scores[0]),
        "notes": notes(records),
        "columns": [content.TITLES.get(score, score) for score in scores],
        "left_out": left_out(everything),
        "sets": [
            _set(records, name, len(sets), scores, looks, copied.get(name, ""))
            for name in sets
        ],
        "ranks": _ranks(everything, scores[0]),
        "shared_process": any(record.get("shared_process") for record in done),
        "growth": _growth(done),
        "skipped": content.skip_table(records),
        "warnings": content.warning_table(done),
        "data": content.data_table(records),
        "environment": content.environment_table(records),
    }


def _set(
    records: list[Record],
    name: str,
    n_sets: int,
    scores: Scores,
    looks: dict[str, Any],
    of: str,
) -> dict[str, Any]:
    trials = [record for record in records if record["set"] == name]
    first = next(record for record in trials if record["status"] == State.FINISHED)
    return {
        "name": name,
        "slug": content.slug(name),
        "about": f"{first['n']} samples, {first['views']} views, {first['k']} classes"
        + (f"; a copy of {of} with unequal classes" if of else ""),
        "scores": content.score_table(trials, name, scores),
        "paper": content.paper_table(trials, name),
        "charts": figures.scores(trials, name, scores[0], looks),
        "sweeps": figures.sweeps(trials, name, looks),
        "learned": figures.learned(trials, name, n_sets),
    }


def _ranks(records: list[Record], score: str) -> dict[str, Any] | None:
    result = significance.ranks(records, score)
    if result is None:
        return None
    ranks = figures.ranks_of(result, figures.looks(records))
    tradeoff = figures.tradeoff_of(records, score)
    return {
        "result": result,
        "rule": significance.RULE if result.limited else "",
        "score": axes.score_name(score),
        "verdict": ranks.verdict,
        "differ": bool(ranks.bars),
        "chart": _picture(ranks, "ranks"),
        "scores": _picture(figures.set_scores_of(records, score), "scores"),
        "tradeoff": None if tradeoff.empty else _picture(tradeoff, "tradeoff"),
        "traded": "" if tradeoff.empty else figures.tradeoff_caption(tradeoff),
        "by_set": export.methods_by_sets(records, [score]),
        "tests": export.comparisons(records, score),
    }


def _picture(display: MethodsDisplay, name: str) -> dict[str, Any]:
    """Return a figure for the page, and its files."""
    files = pictures.links(display, name)
    return {"svg": draw(display, f"figure-{name}"), "name": name, "files": files}


def _growth(records: list[Record]) -> list[dict[str, Any]]:
    """Draw time and memory against the number of samples, over generated sets."""
    curves = [figures.growth_of(records, key) for key in ("seconds", "peak_mb")]
    return [_picture(d, f"growth-{d.key}") for d in curves if not d.empty]


# ----------------------------------------------------------------- the first screen
def answers(records: list[Record], score: str = "acc") -> list[Answer]:
    """Answer which method, how sure and how long, from the runs on shuffled rows.

    Over several sets the mean rank decides, on one set the score.
    """
    own = reference_of(records)
    if own is not None:
        return about_reference(records, own, score)
    ranks, groups = significance.ranks(records, score), compare.shuffled(records)
    if ranks is not None:
        return _from_ranks(ranks, groups)
    # the first set, without methods that failed at times, if there are others
    groups = [g for g in groups if g.set == groups[0].set]
    groups = [g for g in groups if not g.lost] or groups
    groups = [g for g in groups if g.score(score)]
    groups.sort(key=lambda g: -g.mean_score(score))
    return _from_one_set(groups, score) if groups else []


def _from_one_set(best: list[Group], score: str) -> list[Answer]:
    first, n = best[0], best[0].first["n"]
    mean, std = first.score(score) or (0.0, 0.0)
    which = f"{axes.score_name(score)} {short(mean)} on {first.set}, rows shuffled"
    if first.lost:
        which += f"; only {first.share} trials ended with a result"
    # of a share of samples; of other scores it is not known
    error = (mean * (1 - mean) / n) ** 0.5 if score == "acc" else 0.0
    runs = f"{len(first.records)} runs, standard deviation {short(std)}"
    sure = runs if len(first.records) > 1 else "one run"
    if error:
        sure += f"; standard error of {n} samples {short(error)}"
    sure_short, long = f"± {short(2 * error)}", f"a fit of {n} samples"
    if len(best) > 1:
        second, second_std = best[1].score(score) or (0.0, 0.0)
        gap = mean - second
        noise = 2 * (2 * error**2 + std**2 + second_std**2) ** 0.5
        which += f"; {short(gap)} above {best[1].variant}"
        clear = gap > noise and (score == "acc" or len(first.records) > 1)
        sure_short = "the lead is clear" if clear else "the lead may be chance"
        lead = f"lead {short(gap)}; chance alone gives up to {short(noise)}"
        sure = f"{lead} ({sure})"
        seconds, name = min((g.mean("seconds") or 0.0, g.variant) for g in best[1:])
        long += f"; fastest of the others: {name}, {in_time(seconds)}"
    return [
        Answer("Which method?", first.variant, which),
        Answer("How sure?", sure_short, sure),
        Answer("How long?", in_time(first.mean("seconds") or 0.0), long),
    ]


def _from_ranks(ranks: significance.Ranks, groups: list[Group]) -> list[Answer]:
    best, k = ranks.methods[0], len(ranks.methods)
    which = f"best mean rank, {ranks.mean[0]:.2f} of {k}, on {ranks.n_sets} sets"
    last = next((last for start, last in ranks.cliques() if start == 0), 0)
    alike = ranks.methods[1 : last + 1]
    sure, why = "the lead is clear", "better than all others at 5 %"
    if alike:
        sure = f"{len(alike)} others may be as good"
        why = f"no difference at 5 % from {first_few(alike, MOST_NAMES)}"
    if ranks.n_sets < 5:
        why += f"; {ranks.n_sets} sets are few"
    own = (g for g in groups if g.variant == best)
    times = sorted((g.mean("seconds") or 0.0, g.set, g.first["n"]) for g in own)
    (low, _, n_low), (high, _, n_high) = times[0], times[-1]
    span = f"from {in_time(low)} ({n_low} samples) to {in_time(high)} ({n_high})"
    middle = in_time(times[len(times) // 2][0])
    return [
        Answer("Which method?", best, f"{which}, rows shuffled"),
        Answer("How sure?", sure, why),
        Answer("How long?", middle, f"a fit, median over sets; {span}"),
    ]


def notes(records: list[Record]) -> list[str]:
    """Return findings on the order of rows as sentences."""
    groups = compare.groups(records)
    pairs = dict.fromkeys((name, method) for name, method, _ in groups)
    effects = [(compare.effect(groups, *pair), pair) for pair in pairs]
    gaps = [(gap, pair) for gap, pair in effects if gap is not None]
    if not gaps:
        return []
    gap, (name, method) = max(gaps, key=lambda item: abs(item[0]))
    free = sum(abs(gap) <= content.SAME for gap, _ in gaps)
    return [
        f"Largest order effect: {method} on {name}, accuracy {signed(gap)} when the "
        "rows are in the order of the file.",
        f"{free} of {len(gaps)} pairs of method and set do not depend on the "
        f"order of rows (accuracy within {content.SAME}).",
    ]
