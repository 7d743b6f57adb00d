"""Write the page with all methods on all sets from the records of big_table.yaml.

    python benchmarks/unequal_sets.py FOLDER DATA
    OMP_NUM_THREADS=1 mvgraph bench benchmarks/big_table.yaml --data DATA \\
        -o RESULTS --jobs 1
    python benchmarks/big_table.py RESULTS

Writes docs/results_all.md and docs/_static/accuracy_time.svg. The benchmark can be
interrupted and goes on; the page says which trials are missing. The records of the
present page are in logs/big_table.jsonl.gz: unpacked as RESULTS/trials.jsonl they are
not run again.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import fmean, median

import matplotlib.pyplot as plt
from figures import image, save
from versions import measured, one_clock

from mvgraph import methods
from mvgraph.bench import compare, export, significance
from mvgraph.bench.figures import tradeoff_of
from mvgraph.bench.records import latest_records, read, variant
from mvgraph.bench.tables import DASH, Table, short, signed

OWN = ("graph-consensus", "anchor-filter")
ROOT = Path(__file__).parents[1]
VARIANTS = {"": "as they are", "_1to10": "1 : 10", "_1to30": "1 : 30"}
LEAST = 0.005  # a smaller difference does not count as better


def kind_of(name: str) -> str:
    """Return the suffix of an unequal copy; empty for a set as it is."""
    return next((s for s in VARIANTS if s and name.endswith(s)), "")


def of_kind(records: list[dict], kind: str) -> list[dict]:
    """Keep the shuffled trials of default settings on one kind of sets."""
    return [
        r
        for r in records
        if kind_of(r["set"]) == kind
        and r["method"] is not None
        and (r["order"], r["preset"]) == ("shuffled", "default")
        and variant(r) == r["method"]
    ]


class Row:
    """What the records show of one method."""

    def __init__(self, name: str, records: list[dict]) -> None:
        self.name = name
        self.acc: dict[str, dict[str, float]] = {kind: {} for kind in VARIANTS}
        self.ari: dict[str, dict[str, float]] = {kind: {} for kind in VARIANTS}
        seconds, peaks = [], []
        for (s, v, order), g in compare.groups(records).items():
            if v == name and order == "shuffled":
                kind, base = kind_of(s), s.removesuffix(kind_of(s))
                self.acc[kind][base] = g.score("acc")[0]
                self.ari[kind][base] = g.score("ari")[0]
                if not kind_of(s):
                    seconds.append(g.mean("cpu_seconds"))
                    peaks.append(g.mean("peak_mb"))
        known = [s for s in seconds if s is not None]
        self.seconds = median(known) if known else None
        self.peak = max((mb for mb in peaks if mb is not None), default=None)

    def mean(self, kind: str) -> float | None:
        """Return the mean accuracy over the finished sets of a kind."""
        values = self.acc[kind].values()
        return fmean(values) if values else None

    @property
    def done(self) -> int:
        """Number of the sets as they are that the method finished."""
        return len(self.acc[""])


def summary(rows: list[Row], records: list[dict]) -> list[str]:
    """Tabulate one line per method."""
    ranks = significance.mean_ranks(of_kind(records, ""))
    lines = [
        "| method | ACC | rank | sets | ARI | ACC, 1 : 10 | ARI, 1 : 10 "
        "| ACC, 1 : 30 | ARI, 1 : 30 | CPU s (median) | peak MB (largest) |",
        "|---" * 11 + "|",
    ]
    for row in rows:
        cells = [
            number(row.mean("")),
            f"{ranks[row.name]:.1f}" if row.name in ranks else DASH,
            str(row.done),
            number(fmean(row.ari[""].values())),
            *(cell for kind in ("_1to10", "_1to30") for cell in unequal(row, kind)),
            f"{row.seconds:{'.2g' if row.seconds < 99 else '.0f'}}"
            if row.seconds is not None
            else DASH,
            f"{row.peak:.0f}" if row.peak is not None else DASH,
        ]
        name = f"**{row.name}**" if row.name in OWN else row.name
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def number(value: float | None) -> str:
    """Write a score, or a dash."""
    return DASH if value is None else short(value)


def unequal(row: Row, kind: str) -> tuple[str, str]:
    """Write the means of ACC and ARI; the number of sets if some are missing."""
    n = len(row.acc[kind])
    if not n:
        return DASH, DASH
    count = f" ({n})" if n != row.done else ""
    return number(row.mean(kind)) + count, number(fmean(row.ari[kind].values()))


def behind(rows: list[Row], name: str, kind: str) -> list[str]:
    """List the sets on which another method is ahead, the largest lead first."""
    by_name = {row.name: row for row in rows}
    own = by_name[name].acc[kind]
    found = []
    for s, mine in own.items():
        rivals = {
            r.name: r.acc[kind][s]
            for r in rows
            if r.name != name and r.acc[kind].get(s, 0) > mine + LEAST
        }
        if rivals:
            top = max(rivals, key=rivals.__getitem__)
            found.append((rivals[top] - mine, s, mine, top, len(rivals)))
    found.sort(reverse=True)
    lines = [
        f"| set | {name} | best | its accuracy | ahead by | methods ahead |",
        "|---" * 6 + "|",
    ]
    lines += [
        f"| {s} | {short(mine)} | {top} | {short(mine + gap)} | {signed(gap)} | {n} |"
        for gap, s, mine, top, n in found
    ]
    return [f"{len(found)} of {len(own)} sets:", "", *lines] if found else ["none."]


def missing(records: list[dict]) -> list[str]:
    """List what did not finish, by method."""
    lost: dict[str, dict[str, set[str]]] = {}
    for r in records:
        if r["status"] != "done" and r["method"]:
            lost.setdefault(r["method"], {}).setdefault(r["reason"], set()).add(
                r["set"]
            )
    lines = ["| method | sets | reason |", "|---|---|---|"]
    lines += [
        f"| {m} | {', '.join(sorted(sets))} | {why} |"
        for m, reasons in sorted(lost.items())
        for why, sets in reasons.items()
    ]
    return lines if lost else ["Nothing."]


def untried(records: list[dict]) -> str:
    """List the methods that were not tried on all sets, by the number of sets."""
    every = {r["set"] for r in records}
    tried = {
        name: len({r["set"] for r in records if r["method"] == name})
        for name in methods.names()
    }
    found = [
        f"`{name}` ({count} of {len(every)})"
        for name, count in tried.items()
        if count < len(every)
    ]
    return ", ".join(found) or "none"


def order_effect(records: list[dict]) -> list[str]:
    """Tabulate what the order of the file changes, where a method reads it."""
    acc: dict[str, dict[str, dict[str, float]]] = {}
    for (s, v, order), g in compare.groups(records).items():
        if not kind_of(s) and v in methods.names():
            acc.setdefault(v, {}).setdefault(order, {})[s] = g.score("acc")[0]
    lines = [
        "| method | sets | shuffled | as in the file | change | largest on one set |",
        "|---" * 6 + "|",
    ]
    for name, by_order in sorted(acc.items()):
        shuffled, filed = by_order["shuffled"], by_order.get("published", {})
        gaps = {s: filed[s] - shuffled[s] for s in sorted(filed.keys() & shuffled)}
        if gaps:
            top = max(gaps, key=lambda s: abs(gaps[s]))
            cells = [
                str(len(gaps)),
                short(fmean(shuffled[s] for s in gaps)),
                short(fmean(filed[s] for s in gaps)),
                signed(fmean(gaps.values())),
                f"{signed(gaps[top])} ({top})",
            ]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def by_set(records: list[dict], kind: str) -> list[str]:
    """Return the table of methods x sets as Markdown, the mean first."""
    table = export.methods_by_sets(of_kind(records, kind))
    head = [name.removesuffix(kind) if kind else name for name in table.head]
    text = Table(table.name, "", head, table.rows).markdown()
    return text.strip().splitlines()


def write(records: list[dict]) -> None:
    """Write page and figure."""
    names = {r["method"] for r in records if r["method"]}
    records = one_clock(records)
    rows = [Row(name, records) for name in methods.names() if name in names]
    rows = [row for row in rows if row.done]
    rows.sort(key=lambda row: (-row.done, -(row.mean("") or 0)))
    sets = sorted({s for row in rows for s in row.acc[""]})
    plain = of_kind(records, "")
    display = tradeoff_of(plain)

    def draw():
        # the height follows the number of names; pages are wider than reports
        size = 8.2, 0.8 * display.size[1]
        ax = plt.subplots(figsize=size, layout="constrained")[1]
        return display.plot(ax).figure_

    save(draw, "accuracy_time.svg")
    tests = export.comparisons(plain)
    edge = [row for row in rows if row.name in display.front()]
    third = sorted(r.seconds for r in rows)[max(0, len(rows) // 3 - 1)]
    others = [r.name for r in edge if r.seconds > third and r.name not in OWN]
    seeds = {m: len({r["seed"] for r in plain if r["method"] == m}) for m in names}
    about = "Mean accuracy against median processor seconds"
    parts = {
        "picture": image("accuracy_time.svg", about),
        "summary": summary(rows, records),
        "behind": behind(rows, OWN[0], ""),
        "behind_10": behind(rows, OWN[0], "_1to10"),
        "behind_30": behind(rows, OWN[0], "_1to30"),
        "tests": [] if tests is None else tests.markdown().splitlines(),
        "sets": by_set(records, ""),
        "sets_10": by_set(records, "_1to10"),
        "sets_30": by_set(records, "_1to30"),
        "order": order_effect(records),
        "missing": missing(records),
        "measured": measured(records),
        "untried": [untried(records)],
        "front": [", ".join(f"`{name}`" for name in display.front())],
        "third": [f"{third:.2g}"],
        "others": [", ".join(f"`{n}`" for n in others) or "none"],
        "seeds": [", ".join(f"{m} {n}" for m, n in sorted(seeds.items()))],
        "counts": [f"{len(rows)} methods, {len(sets)} sets"],
    }
    page = Path(__file__).with_name("big_table.md").read_text(encoding="utf-8")
    for key, lines in parts.items():
        page = page.replace(f"<!-- {key} -->", "\n".join(lines))
    (ROOT / "docs" / "results_all.md").write_text(page, encoding="utf-8")


def main() -> None:
    """Read the records and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    write(latest_records(read(parser.parse_args().results)))


if __name__ == "__main__":
    main()
