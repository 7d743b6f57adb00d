"""One table of methods x sets, for papers and other programs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean

from mvgraph.bench import compare, content, significance
from mvgraph.bench.compare import Group
from mvgraph.bench.naming import reference_of
from mvgraph.bench.records import Record, finished
from mvgraph.bench.significance import Pair
from mvgraph.bench.tables import (
    ABOVE,
    DASH,
    Cell,
    Table,
    name_cell,
    number,
    score_cells,
    short,
    signed,
)
from mvgraph.ops.wording import counted
from mvgraph.persistence.files import check_target, replace_text

#: Ending of the file: the method of `Table` that formats it.
FORMATS = {".md": Table.markdown, ".csv": Table.csv, ".tex": Table.latex}


def write(
    records: list[Record],
    output: str | Path,
    scores: Sequence[str] = ("acc",),
    caption: str = "",
    label: str = "",
) -> int:
    """Write the table, and the tests in Markdown and LaTeX; return its size in bytes.

    The first score ranks the methods.

    Raises
    ------
    ValueError
        If no trial with shuffled rows has ended, or the file cannot be written.
    """
    target, suffix = check_target(output, tuple(FORMATS)), Path(output).suffix.lower()
    tables = [methods_by_sets(records, scores, caption, label)]
    tested = comparisons(records, scores[0], label)
    if tested is not None and suffix != ".csv":
        tables.append(tested)
    return replace_text(target, "\n".join(map(FORMATS[suffix], tables)))


def methods_by_sets(
    records: list[Record],
    scores: Sequence[str] = ("acc",),
    caption: str = "",
    label: str = "",
) -> Table:
    """Tabulate mean ± standard deviation of scores on shuffled rows.

    The first score gives the ranks. The best and the second of a set are marked, and
    the reference with the values that are higher than its own. ``mean`` is over the
    sets that a method finished, ``rank`` that of `significance.mean_ranks`. Where no
    trial finished, a cell shows its state; where some did, it shows how many,
    ``(2 of 3, failed)``.

    Parameters
    ----------
    records : list of dict
    scores : sequence of str
        Keys of `mvgraph.metrics.SCORES`, or others that the records have. With several,
        every set has a column for each.
    caption, label : str
        Of the LaTeX table.

    Raises
    ------
    ValueError
        If no trial with shuffled rows has ended.
    """
    for score in scores:
        check_score(records, score)
    every = compare.shuffled(records, failed=True, unequal=True)
    tried, copies = {(g.variant, g.set): g for g in every}, compare.copies(records)
    ended = {key: group for key, group in tried.items() if group.records}
    own = reference_of(records)
    found = {name for _, name in tried}
    unequal = [c for c in copies.values() if c.set in found]
    unequal.sort(key=lambda copy: (copy.ratio, copy.of))
    counted = sorted(found - copies.keys())
    titled = {c.set: c.title for c in unequal}
    sets = [*counted, *titled]
    methods = list(dict.fromkeys(method for method, _ in [*ended, *tried]))
    titles = [content.TITLES.get(score, score) for score in scores]
    columns: dict[str, list[Cell]] = {}
    for name, (score, title) in product(sets, zip(scores, titles, strict=True)):
        groups = [tried.get((method, name)) for method in methods]
        cells = score_cells(groups, score, ("best", "second"), own)
        head = titled.get(name, name)
        columns[f"{head} {title}" if len(scores) > 1 else head] = cells
        if score == scores[0]:
            _note_states(cells, groups)
    ranks = significance.mean_ranks(records, scores[0]).to_dict()
    summary = partial(_summary, len(scores), len(counted) * len(scores))
    rows = [
        [name_cell(method, own), *summary(cells, ranks.get(method)), *cells]
        for method, *cells in zip(methods, *columns.values(), strict=True)
    ]
    first = 1 + len(scores)
    rows.sort(key=lambda row: (-row[first + 1].value, -(row[1].value or 0)))
    several = any(len(g.records) > 1 for g in ended.values())
    spread = " ± population standard deviation over seeds" if several else ""
    text = f"{', '.join(titles)}{spread}, rows shuffled, true number of clusters"
    if len(scores) > 1:
        text += f"; ranks by {titles[0]}"
    if own is not None:
        text += f"; {ABOVE} higher than {own}, the reference"
    notes = [f"{text}."] if caption else []  # what the user's caption leaves open
    notes += content.copy_notes(copies.values())
    notes += content.table_notes(records)
    means = titles if len(scores) > 1 else ["mean"]
    titles = ["method", *means, "rank", "sets", *columns]
    return Table(label or f"{scores[0]}-by-set", caption or text, titles, rows, notes)


def _note_states(cells: list[Cell], groups: list[Group | None]) -> None:
    """Add columns of CSV to the cells of a set on which a trial did not finish."""
    if any(group.lost for group in groups if group):
        for cell, group in zip(cells, groups, strict=True):
            if group is not None:
                cell.more["state"] = group.state.word
                cell.more["trials"] = f"{len(group.records)} of {group.tried}"


def check_known(records: list[Record], scores: Sequence[str]) -> None:
    """Raise ValueError if no trial has one of the scores that the user named."""
    pairs = [pair for r in finished(records) for pair in r["scores"].items()]
    known = dict.fromkeys(name for name, value in pairs if value is not None)
    for score in scores:
        if known and score not in known:
            raise ValueError(
                f"no trial has the score {score!r}; choose among {', '.join(known)}"
            )


def check_score(records: list[Record], score: str) -> None:
    """Raise ValueError if there is nothing to show."""
    groups = compare.shuffled(records)
    if not groups:
        sizes = compare.series(finished(records))
        if sizes:
            raise ValueError(
                f"all trials that ended are of {', '.join(sorted(sizes))}: sizes of "
                "one set, which would count several times in a table; write their "
                "growth (--figure growth -o FILE.pdf), or the page (-o FILE.html)"
            )
        raise ValueError("no trial with shuffled rows has ended; run mvgraph bench")
    check_known([r for group in groups for r in group.records], [score])


def _summary(
    n_scores: int, n_counted: int, cells: list[Cell], rank: float | None
) -> list[Cell]:
    """Return means, mean rank, and the number of sets that every trial finished."""
    means = []
    for i in range(n_scores):
        own = cells[i:n_counted:n_scores]
        complete = [c for c in own if c.value is not None and not c.tried]
        mean = fmean(c.value for c in complete) if complete else None
        means.append(Cell(short(mean), mean))
        n = len(complete)
    return [*means, number(rank, ".2f"), Cell(str(n), n)]


def comparisons(
    records: list[Record], score: str = "acc", label: str = ""
) -> Table | None:
    """Tabulate the tests of all methods against the reference.

    Without one, against the method of the best mean rank, corrected for all pairs,
    since it was not chosen beforehand. None with fewer than two methods or two sets, or
    if the reference is not among those that are ranked.
    """
    ranks, own = significance.ranks(records, score), reference_of(records)
    if ranks is None or own not in (None, *ranks.methods):
        return None
    base = own or ranks.methods[0]
    pairs = significance.pairs(records, score, own)
    friedman = "" if ranks.p_value is None else f"; Friedman p = {ranks.p_value:.2g}"
    corrected = "all pairs" if own is None else counted(len(pairs), "comparison")
    text = (
        f"{base} against each method on {ranks.n_sets} sets: Wilcoxon signed-rank "
        f"test, corrected for {corrected} after Holm{friedman}"
    )
    if own is None:
        text += f"; Nemenyi critical difference of mean ranks {ranks.critical:.2f}"
    head = ["method", "difference", "wins", "ties", "losses", "p", "p (Holm)"]
    n, notes = len(pairs), []
    least = significance.least_p(ranks.n_sets, n)
    if least > significance.LEVEL:
        notes = [
            f"On {ranks.n_sets} sets and with {counted(n, 'comparison')} no corrected "
            f"p is below {least:.2g}, whatever the methods do; below "
            f"{significance.LEVEL} is possible from {significance.least_sets(n)} "
            "sets on."
        ]
    if any(g.lost for g in compare.shuffled(records, failed=True)):
        notes.append(f"{significance.RULE} The difference is over the other sets.")
    rows = [_test_row(pair, base) for pair in pairs if base in pair[:2]]
    return Table(f"{label or score}-tests", text, head, rows, notes)


def _test_row(pair: Pair, best: str) -> list[Cell]:
    """Lay out a pair as seen from the method that all are compared with."""
    sign = 1 if pair.first == best else -1
    other = pair.second if pair.first == best else pair.first
    counts = (pair.wins, pair.ties, pair.losses)[::sign]
    gap = None if pair.difference is None else sign * pair.difference
    return [
        Cell(other, other),
        Cell(DASH) if gap is None else Cell(signed(gap), gap),
        *(Cell(str(n), n) for n in counts),
        *(number(p, ".2g") for p in (pair.p_value, pair.p_holm)),
    ]
