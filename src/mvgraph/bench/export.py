"""One table of methods x sets, for papers and other programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from mvgraph.bench import compare, content, significance
from mvgraph.bench.compare import Group
from mvgraph.bench.content import table_notes
from mvgraph.bench.records import Record
from mvgraph.bench.significance import Pair, means, pairs, places
from mvgraph.bench.tables import Cell, Table
from mvgraph.persistence.files import check_target, replace_text

__all__ = ["FORMATS", "against_best", "methods_by_sets", "write"]

#: Ending of the file: the method of `Table` that formats it.
FORMATS: dict[str, Callable[[Table], str]] = {
    ".md": Table.markdown,
    ".csv": Table.csv,
    ".tex": Table.latex,
}


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
    target = check_target(output, tuple(FORMATS))
    tables = [methods_by_sets(records, score, caption, label)]
    tested = against_best(records, score, label)
    if tested is not None and Path(output).suffix.lower() != ".csv":
        tables.append(tested)
    text = "\n".join(FORMATS[Path(output).suffix.lower()](table) for table in tables)
    replace_text(target, text)
    return len(text.encode())


def methods_by_sets(
    records: list[Record], score: str = "acc", caption: str = "", label: str = ""
) -> Table:
    """Tabulate mean ± standard deviation of a score on shuffled rows.

    The best of a set is marked, and the second; ``mean`` is over the sets that a method
    finished, ``rank`` among the methods that finished a set. Where trials failed, the
    cell says how many did not, ``(2 of 3)``, and does not count for either; where all
    did, it says so.

    Parameters
    ----------
    records : list of dict
    score : str
        ``acc nmi purity precision recall f_score ari``.
    caption, label : str
        Of the LaTeX table.

    Raises
    ------
    ValueError
        If no trial with shuffled rows has ended.
    """
    tried = {(g.variant, g.set): g for g in compare.shuffled(records, failed=True)}
    found = {key: group for key, group in tried.items() if group.records}
    if not found:
        left_out = ", ".join(sorted(compare.series(records)))
        why = f" ({left_out}: sizes of one set, see the page)" if left_out else ""
        raise ValueError(
            f"no trial with shuffled rows has ended{why}; run mvgraph bench"
        )
    if not any(group.score(score) for group in found.values()):
        known = dict.fromkeys(s for g in found.values() for s in g.first["scores"])
        raise ValueError(
            f"no trial has the score {score!r}; choose among {', '.join(known)}"
        )
    sets = sorted({name for _, name in tried})
    chosen = list(dict.fromkeys(method for method, _ in [*found, *tried]))
    columns = [_column([tried.get((m, s)) for m in chosen], score) for s in sets]
    cells = dict(zip(chosen, zip(*columns, strict=True), strict=True))
    table = means(list(found.values()), score).reindex(chosen)
    ranks = places(table)
    rows = [
        [Cell(m, m), *_summary(table.loc[m], ranks.loc[m]), *row]
        for m, row in cells.items()
    ]
    rows.sort(key=lambda row: (-row[3].value, -(row[1].value or 0)))
    several = any(len(g.records) > 1 for g in found.values())
    spread = " ± population standard deviation over seeds" if several else ""
    title = content.TITLES.get(score, score)
    text = f"{title}{spread}, rows shuffled, true number of clusters"
    head = ["method", "mean", "rank", "sets", *sets]
    name = label or f"{score}-by-set"
    notes = [f"{text}."] if caption else []  # what a caption of one's own leaves open
    return Table(name, caption or text, head, rows, [*notes, *table_notes(records)])


def against_best(
    records: list[Record], score: str = "acc", label: str = ""
) -> Table | None:
    """Tabulate the tests of all methods against the one of the best mean rank.

    Corrected for all pairs, since the best was not chosen before. None with fewer than
    two methods or two sets.
    """
    ranks = significance.ranks(records, score)
    if ranks is None:
        return None
    best = ranks.methods[0]
    rows = [_test_row(pair, best) for pair in pairs(records, score)]
    friedman = "" if ranks.p_value is None else f"; Friedman p = {ranks.p_value:.2g}"
    text = (
        f"{best} against each method on {ranks.n_sets} sets: Wilcoxon signed-rank "
        f"test, corrected for all pairs after Holm{friedman}; Nemenyi critical "
        f"difference of mean ranks {ranks.critical:.2f}"
    )
    head = ["method", "difference", "wins", "ties", "losses", "p", "p (Holm)"]
    name = f"{label or score}-tests"
    least, notes = 2 / 2**ranks.n_sets, []
    if least > 0.05:
        notes = [
            f"On {ranks.n_sets} sets this test has no p below {least:.2g}, whatever "
            "the methods do; below .05 is possible from six sets on (.03)."
        ]
    return Table(name, text, head, [row for row in rows if row], notes)


def _test_row(pair: Pair, best: str) -> list[Cell]:
    """Lay out a pair as seen from the best method; empty if it is not in the pair."""
    if best not in (pair.first, pair.second):
        return []
    turned = pair.second == best
    other = pair.first if turned else pair.second
    gap = -pair.difference if turned else pair.difference
    counts = (pair.wins, pair.ties, pair.losses)
    return [
        Cell(other, other),
        Cell(content.signed(gap), gap),
        *(Cell(str(c), c) for c in (counts[::-1] if turned else counts)),
        *(Cell(f"{p:.2g}", p) for p in (pair.p_value, pair.p_holm)),
    ]


def _column(groups: list[Group | None], score: str) -> list[Cell]:
    """Lay out the methods' scores on one set; mark the best that never failed.

    Where a trial failed, the CSV file gets the numbers of trials.
    """
    cells = [content.score_cell(g, score) if g else Cell(content.DASH) for g in groups]
    pairs = [(c, g) for c, g in zip(cells, groups, strict=True) if g is not None]
    content.mark_highest([c for c, g in pairs if not g.lost], ("best", "second"))
    if any(group.lost for _, group in pairs):
        for cell, group in pairs:
            cell.more["trials"] = f"{len(group.records)} of {group.tried}"
    return cells


def _summary(values: Any, ranks: Any) -> list[Cell]:
    """Return mean, mean rank, and the number of sets without a failed trial."""
    n = int(values.count())
    if n == 0:
        return [content.NONE, content.NONE, Cell("0", 0)]
    mean, rank = float(values.mean()), float(ranks.mean())
    return [
        Cell(content.short(mean), mean),
        Cell(f"{rank:.2f}", rank),
        Cell(str(n), n),
    ]
