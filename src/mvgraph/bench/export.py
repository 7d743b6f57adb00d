"""One table of methods x sets, for papers and other programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mvgraph.bench import compare, content
from mvgraph.bench.compare import Group, Record
from mvgraph.bench.records import latest_records, left_out
from mvgraph.bench.significance import Pair, pairs
from mvgraph.bench.tables import Cell, Table
from mvgraph.display._scores import variant
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
    finished, ``rank`` among the methods that finished a set.

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
    found = {(g.variant, g.set): g for g in compare.shuffled(records)}
    if not found:
        left_out = ", ".join(sorted(compare.series(records)))
        why = f" ({left_out}: sizes of one set, see the page)" if left_out else ""
        raise ValueError(
            f"no trial with shuffled rows has ended{why}; run mvgraph bench"
        )
    sets = sorted({name for _, name in found})
    cells = {
        method: [_cell(found.get((method, name)), score) for name in sets]
        for method in dict.fromkeys(method for method, _ in found)
    }
    for column in range(len(sets)):
        shown = [row[column] for row in cells.values()]
        content.mark_highest(shown, ("best", "second"))
    values: dict[str, dict[str, float]] = {}
    for (method, name), group in found.items():
        values.setdefault(method, {})[name] = group.score(score)[0]
    ranks = compare.mean_ranks(values)
    rows = [[Cell(m, m), *_summary(row, ranks[m]), *row] for m, row in cells.items()]
    rows.sort(key=lambda row: (-row[3].value, -row[1].value))
    title = content.TITLES[score]
    several = any(len(g.records) > 1 for g in found.values())
    spread = " ± standard deviation over seeds" if several else ""
    text = f"{title}{spread}, rows shuffled, true number of clusters"
    head = ["method", "mean", "rank", "sets", *sets]
    name = label or f"{score}-by-set"
    return Table(name, caption or text, head, rows, _left_out(records, list(cells)))


def _left_out(records: list[Record], shown: list[str]) -> list[str]:
    """Say what the records hold and the table does not."""
    notes = left_out(records)
    records = latest_records(records)
    names = ", ".join(sorted(compare.series(records)))
    if names:
        notes.append(f"Left out, several sizes of one set: {names}.")
    if any(record.get("grid") for record in records):
        notes.append("Left out: trials of a grid of parameters.")
    lost: dict[str, str] = {}
    for record in records:
        if record["method"] and record["status"] == "skipped":
            lost.setdefault(variant(record), record["reason"])
    notes += [
        f"Without any result: {name} ({reason})."
        for name, reason in lost.items()
        if name not in shown
    ]
    return notes


def against_best(
    records: list[Record], score: str = "acc", label: str = ""
) -> Table | None:
    """Tabulate the tests of all methods against the one of the best mean rank.

    Corrected for all pairs, since the best was not chosen before. None with fewer than
    two methods or two sets.
    """
    ranks = compare.ranks(records, score)
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
    return Table(name, text, head, [row for row in rows if row])


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


def _cell(group: Group | None, score: str) -> Cell:
    if group is None:
        return content.NONE
    return content.score_cell(*group.score(score), len(group.records) > 1)


def _summary(row: list[Cell], rank: float) -> list[Cell]:
    """Return mean, mean rank, and the number of finished sets."""
    done = [cell.value for cell in row if cell.value is not None]
    mean = sum(done) / len(done)
    return [
        Cell(content.short(mean), mean),
        Cell(f"{rank:.2f}", rank),
        Cell(str(len(done)), len(done)),
    ]
