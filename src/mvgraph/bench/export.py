"""One table of methods x sets, for papers and other programs."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import Any

from mvgraph.bench import compare, content, significance
from mvgraph.bench.naming import reference_of
from mvgraph.bench.records import Record
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
from mvgraph.persistence.files import check_target, replace_text

#: Ending of the file: the method of `Table` that formats it.
FORMATS = {".md": Table.markdown, ".csv": Table.csv, ".tex": Table.latex}


def write(
    records: list[Record],
    output: str | Path,
    score: str = "acc",
    caption: str = "",
    label: str = "",
) -> int:
    """Write the table, and the tests in Markdown and LaTeX; return its size in bytes.

    Raises
    ------
    ValueError
        If no trial with shuffled rows has ended, or the file cannot be written.
    """
    target, suffix = check_target(output, tuple(FORMATS)), Path(output).suffix.lower()
    tables = [methods_by_sets(records, score, caption, label)]
    tested = comparisons(records, score, label)
    if tested is not None and suffix != ".csv":
        tables.append(tested)
    text = "\n".join(map(FORMATS[suffix], tables))
    replace_text(target, text)
    return len(text.encode())


def methods_by_sets(
    records: list[Record], score: str = "acc", caption: str = "", label: str = ""
) -> Table:
    """Tabulate mean ± standard deviation of a score on shuffled rows.

    The best and the second of a set are marked, and the reference with the values that
    are higher than its own. ``mean`` is over the sets that a method finished, ``rank``
    that of `significance.mean_ranks`. Where no trial finished, a cell shows its state;
    where some did, it shows how many, ``(2 of 3, failed)``.

    Parameters
    ----------
    records : list of dict
    score : str
        A key of `mvgraph.metrics.SCORES`.
    caption, label : str
        Of the LaTeX table.

    Raises
    ------
    ValueError
        If no trial with shuffled rows has ended.
    """
    tried = {(g.variant, g.set): g for g in compare.shuffled(records, failed=True)}
    ended = {key: group for key, group in tried.items() if group.records}
    _check_score(records, list(ended.values()), score)
    own = reference_of(records)
    sets = sorted({name for _, name in tried})
    methods = list(dict.fromkeys(method for method, _ in [*ended, *tried]))
    columns = []
    for name in sets:
        groups = [tried.get((method, name)) for method in methods]
        columns.append(score_cells(groups, score, ("best", "second"), own))
        if any(group.lost for group in groups if group):
            for cell, group in zip(columns[-1], groups, strict=True):
                if group is not None:
                    cell.more["state"] = group.state.word
                    cell.more["trials"] = f"{len(group.records)} of {group.tried}"
    ranks = significance.mean_ranks(records, score).to_dict()
    rows = [
        [name_cell(method, own), *_summary(cells, ranks.get(method)), *cells]
        for method, *cells in zip(methods, *columns, strict=True)
    ]
    rows.sort(key=lambda row: (-row[3].value, -(row[1].value or 0)))
    several = any(len(g.records) > 1 for g in ended.values())
    spread = " ± population standard deviation over seeds" if several else ""
    title = content.TITLES.get(score, score)
    text = f"{title}{spread}, rows shuffled, true number of clusters"
    if own is not None:
        text += f"; {ABOVE} higher than {own}, the reference"
    notes = [f"{text}."] if caption else []  # what the user's caption leaves open
    return Table(
        label or f"{score}-by-set",
        caption or text,
        ["method", "mean", "rank", "sets", *sets],
        rows,
        [*notes, *content.table_notes(records)],
    )


def _check_score(records: list[Record], groups: list[Any], score: str) -> None:
    """Raise ValueError if there is nothing to tabulate."""
    if not groups:
        left_out = ", ".join(sorted(compare.series(records)))
        why = f" ({left_out}: sizes of one set, see the page)" if left_out else ""
        raise ValueError(
            f"no trial with shuffled rows has ended{why}; run mvgraph bench"
        )
    if not any(group.score(score) for group in groups):
        names = dict.fromkeys(name for g in groups for name in g.first["scores"])
        raise ValueError(
            f"no trial has the score {score!r}; choose among {', '.join(names)}"
        )


def _summary(cells: list[Cell], rank: float | None) -> list[Cell]:
    """Return mean, mean rank, and the number of sets that every trial finished."""
    values = [c.value for c in cells if c.value is not None and not c.tried]
    mean, n = fmean(values) if values else None, len(values)
    return [Cell(short(mean), mean), number(rank, ".2f"), Cell(str(n), n)]


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
    corrected = "all pairs" if own is None else f"{len(pairs)} comparisons"
    text = (
        f"{base} against each method on {ranks.n_sets} sets: Wilcoxon signed-rank "
        f"test, corrected for {corrected} after Holm{friedman}"
    )
    if own is None:
        text += f"; Nemenyi critical difference of mean ranks {ranks.critical:.2f}"
    head = ["method", "difference", "wins", "ties", "losses", "p", "p (Holm)"]
    least, notes = 2 / 2**ranks.n_sets, []
    if least > 0.05:
        notes = [
            f"On {ranks.n_sets} sets this test has no p below {least:.2g}, whatever "
            "the methods do; below .05 is possible from six sets on (.03)."
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
