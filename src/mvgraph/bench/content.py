"""Tables of one set and of all trials, and the notes below tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from mvgraph.bench import compare
from mvgraph.bench.compare import Group
from mvgraph.bench.naming import reference_of
from mvgraph.bench.records import Record, latest_records, left_out, variant
from mvgraph.bench.significance import RULE
from mvgraph.bench.states import State
from mvgraph.bench.tables import (
    ABOVE,
    DASH,
    Cell,
    Table,
    name_cell,
    number,
    plain_rows,
    score_cells,
    short,
    signed,
)
from mvgraph.metrics import SCORES

TITLES = {name: score.title for name, score in SCORES.items()}
#: Differences from the paper up to these values are marked "same" and "near".
SAME, NEAR = 0.015, 0.05
#: What the columns mean that are not in every table.
COLUMNS = {
    "order effect": "Order effect: accuracy in the order of the file minus accuracy on "
    "shuffled rows. A value far from 0 comes from the order, not from the data.",
    "components": "Components: connected components of the learned graph, of K "
    "expected.",
}
#: What the signs in a table beside the paper's numbers mean.
SIGNS = (
    f"= differs by at most {SAME}, ≈ by at most {NEAR}, ▲ ours is higher, ▼ ours is "
    "lower. Second line: the paper's number.",
    "‡ impossible as printed, † doubtful: hover or focus the number for the reason. "
    "Settings of the baselines were fitted to the paper's numbers.",
)
PARTIAL = (
    "(2 of 3, failed): two of three trials finished, and how the others ended. Such a "
    "mean is over the seeds that finished: it is not marked as best, and does not "
    "count for the mean over sets."
)

MEANS = (
    "A mean is over the sets that the method finished. Means over different sets do "
    "not compare: a method that did not finish a hard set has a higher one."
)


def slug(text: str) -> str:
    """Return a name for a file or an HTML anchor."""
    return "".join(c if c.isalnum() else "-" for c in text.lower()).strip("-")


def score_table(
    records: list[Record], name: str, scores: Sequence[str] = tuple(SCORES)
) -> Table | None:
    """Tabulate scores on shuffled rows, and the order effect."""
    every = compare.groups(records, failed=True)
    groups = [g for g in every.values() if g.set == name and g.order == "shuffled"]
    if not any(g.records for g in groups):
        return None
    own = reference_of(records)
    # in the order of the table: complete ones, those with failures, failed ones
    groups.sort(key=lambda g: (bool(g.lost), not g.records, -g.mean_score(scores[0])))
    effects = [compare.effect(every, g.set, g.variant) for g in groups]
    columns = {
        "method": [name_cell(g.variant, own) for g in groups],
        **{
            TITLES.get(key, key): score_cells([*groups], key, ("best",), own)
            for key in scores
        },
        "order effect": [_effect_cell(effect) for effect in effects],
        "components": [_components_cell(g) for g in groups],
        "seconds": [number(g.mean("seconds"), ".2f") for g in groups],
        "peak MiB": [number(g.mean("peak_mb"), ".0f") for g in groups],
        "runs": [_runs_cell(g) for g in groups],
    }
    columns = {
        title: cells
        for title, cells in columns.items()
        if any(cell.value is not None for cell in cells)
    }
    several = any(len(g.records) > 1 for g in groups)
    spread = "mean ± population standard deviation over the runs"
    caption = f"{name}: rows shuffled, " + (spread if several else "one run")
    notes = [words for title, words in COLUMNS.items() if title in columns]
    if any(g.records and g.lost for g in groups):
        notes.append(PARTIAL)
    if any(g.variant == own for g in groups):
        notes.append(f"{ABOVE} higher than {own}, the reference.")
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    return Table(f"scores-{slug(name)}", caption, list(columns), rows, notes)


def _effect_cell(gap: float | None) -> Cell:
    if gap is None:
        return Cell(DASH)
    mark = "far" if abs(gap) > NEAR else "near" if abs(gap) > SAME else ""
    return Cell(signed(gap), gap, mark=mark)


def _components_cell(group: Group) -> Cell:
    components = group.mean("components")
    if components is None:
        return Cell(DASH)
    k = group.first["k"]
    return Cell(f"{components:g} of {k}", components, more={"wanted": k})


def _runs_cell(group: Group) -> Cell:
    n = len(group.records)
    return Cell(group.share or str(n), n, more={"tried": group.tried})


def paper_table(records: list[Record], name: str) -> Table | None:
    """Tabulate scores in the order of the file next to the paper's numbers, if any."""
    paper = compare.paper_rows(name)
    ours = compare.closest_to_paper(records, name)
    if not paper or not ours:
        return None
    rows = []
    for row, numbers in paper.items():
        faults, group = compare.flags(name, row), ours.get(row)
        cells = [_paper_cell(group, k, numbers[k], faults.get(k, [])) for k in numbers]
        label = f"{row} (paper's own method)" if row == "mgl" else row
        note = "" if group else "not run, or skipped: see the skipped trials"
        rows.append([Cell(label, row, note=note), *cells])
    caption = f"{name}: order of the file, with the paper's numbers below"
    head = ["method", *(TITLES[key] for key in next(iter(paper.values())))]
    return Table(f"paper-{slug(name)}", caption, head, rows, [*SIGNS])


def _paper_cell(
    group: Group | None, key: str, paper: Any, faults: list[tuple[str, str]]
) -> Cell:
    impossible = any(strength == "hard" for strength, _ in faults)
    sign = "‡" if impossible else "†" if faults else ""
    fault = "; ".join(why for _, why in faults)
    more = {"paper": paper[0], "paper std": paper[1], "difference": None}
    flag, sub = "flag" if faults else "", f"paper {short(paper[0])}{sign}"
    cell = Cell(DASH, None, sub, flag, fault, {**more, "paper fault": fault or None})
    score = group.score(key) if group else None
    if group is None or score is None:
        return cell
    (mean, std), gap = score, score[0] - paper[0]
    mark, symbol = "far", "▲" if gap > 0 else "▼"
    if abs(gap) <= NEAR:
        mark, symbol = ("same", "=") if abs(gap) <= SAME else ("near", "≈")
    if impossible and mark != "same":  # there is no valid number to compare with
        mark = "void"
    note = f"difference {signed(gap)}, std {std:.3f}"
    cell.text, cell.value, cell.tried = f"{short(mean)} {symbol}", mean, group.shortfall
    cell.mark, cell.more["difference"] = f"{mark} {flag}".strip(), gap
    cell.note = f"{note}; {fault}" if fault else note
    return cell


# ---------------------------------------------------------------------- of all trials
def skip_table(records: list[Record]) -> Table:
    """Tabulate the trials that were skipped, with the reasons."""
    n_trials = Counter(
        (r["set"], variant(r), State(r["status"]).word, r["reason"])
        for r in records
        if r["status"] != State.FINISHED
    )
    rows = [(*what, n, why) for (*what, why), n in sorted(n_trials.items())]
    head = ["set", "method", "state", "trials", "reason"]
    return Table("skipped", "Trials without a result", head, plain_rows(rows))


def warning_table(records: list[Record]) -> Table:
    """Tabulate the warnings of methods, and on which sets they were given."""
    sets: dict[tuple[str, str], list[str]] = {}
    for r in records:
        for text in r.get("warnings", []):
            sets.setdefault((variant(r), text), []).append(r["set"])
    rows = [
        (*what, ", ".join(dict.fromkeys(names)), len(names))
        for what, names in sorted(sets.items())
    ]
    head = ["method", "warning", "sets", "trials"]
    return Table("warnings", "Warnings of methods", head, plain_rows(rows))


def data_table(records: list[Record]) -> Table:
    """Tabulate the data sets used."""
    first = {r["set"]: r for r in reversed(records) if r["status"] == State.FINISHED}
    names = dict.fromkeys(r["set"] for r in records if r["set"] in first)
    sizes = (map(first[name].get, ("n", "k", "views")) for name in names)
    rows = plain_rows((name, *n) for name, n in zip(names, sizes, strict=True))
    head = ["set", "samples", "classes", "views", "SHA-256"]
    renamed = any(first[name].get("set_in_plan") for name in names)
    for row, name in zip(rows, names, strict=True):
        sha256 = first[name]["data_sha256"]
        in_plan = first[name].get("set_in_plan", name)
        row.append(Cell(sha256[:12] + "…", sha256, note=sha256))
        row += [Cell(in_plan, in_plan)] * renamed
    return Table("data", "Data sets", head + ["in the plan"] * renamed, rows)


def environment_table(records: list[Record]) -> Table:
    """Tabulate machine and versions; several values if trials differ."""
    values: dict[str, dict[str, None]] = {}
    for r in records:
        for key, value in r["environment"].items():
            values.setdefault(key, {})[str(value)] = None
    rows = plain_rows((key, ", ".join(texts)) for key, texts in values.items())
    return Table("environment", "Machine and versions", ["what", "value"], rows)


def copy_notes(copies: Iterable[compare.Copy]) -> Iterator[str]:
    """Say which sets are copies of others, and how they count."""
    titles = ", ".join(copy.title for copy in copies)
    if titles:
        yield (
            f"With unequal classes, the largest so many times the smallest: {titles}. "
            "These are no further sets: mean, rank, sets and tests are without them."
        )


def table_notes(records: list[Record]) -> list[str]:
    """Report what is in the records and not in the table."""
    notes = left_out(records)
    records = latest_records(records)
    names = ", ".join(sorted(compare.series(records)))
    if names:
        notes.append(f"Left out, several sizes of one set: {names}.")
    if any(record["grid"] for record in records if record["method"] is not None):
        notes.append("Left out: trials of a grid of parameters.")
    every = compare.shuffled(records, failed=True)
    complete: dict[str, set[str]] = {}
    for group in every:
        if not group.lost:
            complete.setdefault(group.variant, set()).add(group.set)
    notes += [MEANS] if len(set(map(frozenset, complete.values()))) > 1 else []
    lost = [g for g in every if g.lost]
    notes += [PARTIAL] if any(g.records for g in lost) else []
    notes += [RULE] if any(g.state.ran for g in lost) else []
    notes += _failures(records)
    ended = [r for r in records if r["status"] == State.FINISHED]
    n = sum(bool(r.get("warnings")) for r in ended)
    if n:
        words = "trials gave warnings; the page of mvgraph report lists them."
        notes.append(f"{n} of {len(ended)} {words}")
    return notes


def _failures(records: list[Record]) -> Iterator[str]:
    """Name methods and sets without any result, each with the first reason."""
    ended = [r for r in records if r["status"] == State.FINISHED]
    lost = [r for r in reversed(records) if r["status"] != State.FINISHED]
    of_method = {variant(r): r["reason"] for r in lost if r["method"] is not None}
    of_set = {r["set"]: r["reason"] for r in lost}
    for name in reversed(of_method):
        if name not in map(variant, ended):
            yield f"Without any result: {name} ({of_method[name]})."
    for name in reversed(of_set):
        if name not in {r["set"] for r in ended}:
            yield f"No method has a result on {name} ({of_set[name]})."
