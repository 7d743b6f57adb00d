"""Tables of one set, their cells, and the notes below tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mvgraph.bench import compare
from mvgraph.bench.compare import Group
from mvgraph.bench.records import Record, latest_records, left_out, variant
from mvgraph.bench.tables import Cell, Table
from mvgraph.metrics import SCORES

__all__ = ["PARTIAL", "failed_cell", "mark_highest", "paper_table", "score_cell"]
__all__ += ["score_table", "short", "signed", "slug", "table_notes"]

TITLES = {name: score.title for name, score in SCORES.items()}
#: Differences from the paper up to these values are marked "same" and "near".
SAME, NEAR = 0.015, 0.05
#: What a column means that is not always there.
COLUMNS = {
    "order effect": "Order effect: accuracy in the order of the file minus accuracy on "
    "shuffled rows. A value far from 0 comes from the order, not from the data.",
    "components": "Components: connected components of the learned graph, of K "
    "expected.",
}
PARTIAL = (
    "(2 of 3): so many trials ended with a result, the others failed. Such a mean is "
    "over seeds on which the method did not fail: it is not marked as best, and does "
    "not count for mean, rank and tests."
)
DASH, MINUS = "\N{EN DASH}", "\N{MINUS SIGN}"
NONE = Cell(DASH)


def slug(text: str) -> str:
    """Return a name for a file or an HTML anchor."""
    return "".join(c if c.isalnum() else "-" for c in text.lower()).strip("-")


def score_table(records: list[Record], name: str) -> Table | None:
    """Tabulate scores on shuffled rows, and the order effect."""
    found = compare.tried(records)
    mine = [g for g in found.values() if g.set == name and g.order == "shuffled"]
    if not any(g.records for g in mine):
        return None
    # in the order of the table: complete ones, those with failures, failed ones
    mine.sort(key=lambda g: (bool(g.lost), not g.records, -_accuracy(g)))
    rows = [_score_row(g, found) for g in mine]
    for column in range(1, 1 + len(SCORES)):
        pairs = zip(rows, mine, strict=True)
        mark_highest([row[column] for row, group in pairs if not group.lost])
    extra = ["order effect", "components", "seconds", "peak MiB", "runs"]
    head, rows = _without_empty(["method", *TITLES.values(), *extra], rows)
    several = any(row[-1].value > 1 for row in rows)
    spread = "mean ± population standard deviation over the runs"
    about = "rows shuffled, " + (spread if several else "one run")
    notes = [words for column, words in COLUMNS.items() if column in head]
    if any(g.records and g.lost for g in mine):
        notes.append(PARTIAL)
    return Table(f"scores-{slug(name)}", f"{name}: {about}", head, rows, notes)


def paper_table(records: list[Record], name: str) -> Table | None:
    """Tabulate scores in the order of the file beside the paper's numbers, if any."""
    paper = compare.paper_rows(name)
    ours = compare.closest_to_paper(records, name)
    if not paper or not ours:
        return None
    rows = []
    for row, numbers in paper.items():
        faults = compare.flags(name, row)
        group = ours.get(row)
        cells = [_paper_cell(group, k, numbers[k], faults.get(k, [])) for k in SCORES]
        label = f"{row} (paper's own method)" if row == "mgl" else row
        note = "" if group else "not run, or skipped: see the skipped trials"
        rows.append([Cell(label, row, note=note), *cells])
    return Table(
        f"paper-{slug(name)}",
        f"{name}: order of the file, beside the paper's table",
        ["method", *TITLES.values()],
        rows,
        [
            f"= differs by at most {SAME}, ≈ by at most {NEAR}, ▲ ours is higher, "
            "▼ ours is lower. Second line: the paper's number.",
            "‡ impossible as printed, † doubtful: hover or focus the number for the "
            "reason. Settings of the baselines were fitted to the paper's numbers.",
        ],
    )


def _without_empty(
    head: list[str], rows: list[list[Cell]]
) -> tuple[list[str], list[list[Cell]]]:
    """Leave out the columns without any value."""
    full = [
        i for i in range(len(head)) if any(row[i].value is not None for row in rows)
    ]
    return [head[i] for i in full], [[row[i] for i in full] for row in rows]


def _score_row(group: Group, found: dict[Any, Group]) -> list[Cell]:
    gain = compare.effect(found, group.set, group.variant)
    effect = NONE
    if gain is not None:
        mark = "far" if abs(gain) > NEAR else "near" if abs(gain) > SAME else ""
        effect = Cell(signed(gain), gain, mark=mark)
    scores = [score_cell(group, key) for key in SCORES]
    components = group.mean("components")
    count = NONE
    if components is not None:
        wanted = group.first["k"]
        count = Cell(f"{components:g} of {wanted}", components, more={"wanted": wanted})
    return [
        Cell(group.variant, group.variant),
        *scores,
        effect,
        count,
        _number(group.mean("seconds"), "{:.2f}"),
        _number(group.mean("peak_mb"), "{:.0f}"),
        _runs(group),
    ]


def _paper_cell(
    group: Group | None, key: str, paper: Any, faults: list[tuple[str, str]]
) -> Cell:
    sign = "‡" if any(s == "hard" for s, _ in faults) else "†" if faults else ""
    note = "; ".join(why for _, why in faults)
    sub = f"paper {short(paper[0])}{sign}"
    more = {"paper": paper[0], "paper std": paper[1], "difference": None}
    more["paper fault"] = note or None
    if group is None:
        return Cell(DASH, None, sub, "flag" if faults else "", note, more)
    known = group.score(key)
    if known is None:
        return Cell(DASH, None, sub, "flag" if faults else "", note, more)
    (mean, std), gap = known, known[0] - paper[0]
    more["difference"] = gap
    mark, symbol = ("far", "▲" if gap > 0 else "▼")
    if abs(gap) <= NEAR:
        mark, symbol = ("same", "=") if abs(gap) <= SAME else ("near", "≈")
    text = f"{short(mean)} {symbol}"
    note = "; ".join(filter(None, [f"difference {signed(gap)}, std {std:.3f}", note]))
    if sign == "‡" and mark != "same":  # no valid number to compare with
        mark = "void"
    mark = f"{mark} flag" if faults else mark
    return Cell(text, mean, sub, mark, note, more, group.share)


def score_cell(group: Group, score: str) -> Cell:
    """Lay out a mean, with the standard deviation where there are several runs."""
    if not group.records:
        return failed_cell(group)
    known, several = group.score(score), len(group.records) > 1
    if known is None:  # a score that was added after this log was written
        return Cell(DASH, tried=group.share)
    mean, std = known
    sub = f"± {short(std)}" if several else ""
    more = {"std": std} if several else {}
    return Cell(short(mean), mean, sub, more=more, tried=group.share)


def failed_cell(group: Group) -> Cell:
    """Lay out that all trials failed, with the reason of the first."""
    return Cell("failed", note=str(group.lost[0]["reason"]))


def _runs(group: Group) -> Cell:
    n = len(group.records)
    return Cell(group.share or str(n), n, more={"tried": group.tried})


def _accuracy(group: Group) -> float:
    return (group.score("acc") or (0.0,))[0]


def mark_highest(cells: list[Cell], marks: tuple[str, ...] = ("best",)) -> None:
    """Mark the highest values, as rounded in the table, one mark per value."""
    values = sorted({round(c.value, 3) for c in cells if c.value is not None})
    for mark, value in zip(marks, reversed(values), strict=False):
        for cell in cells:
            if cell.value is not None and round(cell.value, 3) == value:
                cell.mark = mark


def _number(value: float | None, form: str) -> Cell:
    return NONE if value is None else Cell(form.format(value), value)


def short(value: float | None) -> str:
    """Write a score as the paper does, .933."""
    if value is None:
        return DASH
    text = f"{value:.3f}".replace("-0.000", "0.000")
    return text[1:] if text.startswith("0.") else text


def signed(value: float) -> str:
    """Write a difference with its sign; 0 if it rounds to zero."""
    if round(value, 3) == 0:
        return "0"
    return ("+" if value > 0 else MINUS) + short(abs(value))


def table_notes(records: list[Record]) -> list[str]:
    """Say what the records hold and the table does not."""
    notes = left_out(records)
    records = latest_records(records)
    names = ", ".join(sorted(compare.series(records)))
    if names:
        notes.append(f"Left out, several sizes of one set: {names}.")
    if any(record["grid"] for record in records):
        notes.append("Left out: trials of a grid of parameters.")
    if any(g.lost and g.records for g in compare.shuffled(records)):
        notes.append(PARTIAL)
    return [*notes, *_failures(records), *_warned(records)]


def _failures(records: list[Record]) -> Iterator[str]:
    """Name methods and sets without any result, each with a reason."""
    ended = [r for r in records if r["status"] == "done"]
    methods = {variant(r) for r in ended}
    sets = {r["set"] for r in ended}
    lost = [r for r in records if r["status"] == "skipped"]
    trials = [r for r in lost if r["method"] is not None]
    of_method = {variant(r): r["reason"] for r in reversed(trials)}
    of_set = {r["set"]: r["reason"] for r in reversed(lost)}
    for name in dict.fromkeys(map(variant, trials)):
        if name not in methods:
            yield f"Without any result: {name} ({of_method[name]})."
    for name in dict.fromkeys(r["set"] for r in lost):
        if name not in sets:
            yield f"No method has a result on {name} ({of_set[name]})."


def _warned(records: list[Record]) -> Iterator[str]:
    ended = [r for r in records if r["status"] == "done"]
    n = sum(bool(r.get("warnings")) for r in ended)
    if n:
        yield (
            f"{n} of {len(ended)} trials gave warnings; the page of mvgraph report "
            "lists them."
        )
