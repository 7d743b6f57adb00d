"""The report of a benchmark: one HTML file that needs no network."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

from mvgraph._version import __version__
from mvgraph.bench import (
    compare,
    content,
    export,
    figures,
    significance,
    verdict,
)
from mvgraph.bench.records import (
    Record,
    finished,
    latest_records,
    left_out,
    read,
    variant,
)
from mvgraph.bench.tables import Cell, Table

__all__ = ["check_extra", "render", "write", "write_records"]

EXTRA = "the report needs jinja2 and matplotlib: pip install 'mvgraph[report]'"


def write(results: str | Path, output: str | Path) -> int:
    """Write the report of a folder of results; return the size of the file in bytes.

    Raises
    ------
    ValueError
        If there are no results, or the file cannot be written.
    ImportError
        If the extra ``report`` is not installed.
    """
    from mvgraph.persistence.files import PAGES, check_target

    check_target(output, PAGES)
    check_extra()
    return write_records(read(results), output)


def write_records(records: list[Record], output: str | Path) -> int:
    """Write the report of records; return the size of the file in bytes."""
    from mvgraph.persistence.files import replace_text

    page = render(records)
    replace_text(output, page)
    return len(page.encode())


def check_extra() -> None:
    """Raise ImportError if the extra ``report`` is not installed."""
    try:
        import jinja2  # noqa: F401
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(EXTRA) from error


def render(records: list[Record]) -> str:
    """Format the report of records."""
    import jinja2

    folder = resources.files("mvgraph.bench").joinpath("templates")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: folder.joinpath(name).read_text()),
        autoescape=lambda name: bool(name and name.endswith(".html")),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    css = folder.joinpath("report.css").read_text()
    js = folder.joinpath("report.js").read_text()
    return environment.get_template("report.html").render(
        css=css, js=js, policy=policy(css, js), **_context(records)
    )


def _context(records: list[Record]) -> dict[str, Any]:
    everything, records = records, latest_records(records)
    done = finished(records)
    names = list(dict.fromkeys(record["set"] for record in done))
    of_series = compare.series(done)
    files = [name for name in names if name not in of_series]
    tables = {
        "skipped": skip_table(records),
        "warnings": warning_table(done),
        "data": data_table(records),
        "environment": environment_table(records),
    }
    return {
        "titles": list(dict.fromkeys(record["plan"] for record in records)),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "version": __version__,
        "counts": {
            "trials": len(done),
            "skipped": len(records) - len(done),
            "warned": sum(bool(record.get("warnings")) for record in done),
            "sets": len(names),
            "methods": len({record["method"] for record in done}),
        },
        "answers": verdict.answers(records),
        "notes": verdict.notes(records),
        "left_out": left_out(everything),
        "sets": [_set(records, name, len(files)) for name in files],
        "ranks": _ranks(everything),
        "shared_process": any(record.get("shared_process") for record in done),
        "growth": figures.growth(done),
        **tables,
    }


def _set(records: list[Record], name: str, n_sets: int) -> dict[str, Any]:
    mine = [record for record in records if record["set"] == name]
    first = next(record for record in mine if record["status"] == "done")
    return {
        "name": name,
        "slug": content.slug(name),
        "about": f"{first['n']} samples, {first['views']} views, {first['k']} classes",
        "scores": content.score_table(mine, name),
        "paper": content.paper_table(mine, name),
        "charts": figures.scores(mine, name),
        "sweeps": figures.sweeps(mine, name),
        "learned": figures.learned(mine, name, n_sets),
    }


def _ranks(records: list[Record]) -> dict[str, Any] | None:
    result = significance.ranks(records)
    if result is None:
        return None
    return {
        "chart": figures.ranks(result),
        "tradeoff": figures.tradeoff(records),
        "n_sets": result.n_sets,
        "n_methods": len(result.methods),
        "p_value": None if result.p_value is None else f"{result.p_value:.2g}",
        "critical": f"{result.critical:.2f}",
        "by_set": export.methods_by_sets(records),
        "tests": export.against_best(records),
    }


def skip_table(records: list[Record]) -> Table:
    """Tabulate the trials that were skipped, with the reasons."""
    lost = Counter(
        (r["set"], r["method"] or "all methods", r["reason"])
        for r in records
        if r["status"] == "skipped"
    )
    rows = [(*what, n, why) for (*what, why), n in sorted(lost.items())]
    head = ["set", "method", "trials", "reason"]
    return Table("skipped", "Trials without a result", head, _cells(rows))


def warning_table(records: list[Record]) -> Table:
    """Tabulate what methods warned of, and on which sets."""
    found: dict[tuple[str, str], list[str]] = {}
    for r in records:
        for text in r.get("warnings", []):
            found.setdefault((variant(r), text), []).append(r["set"])
    rows = [
        (*what, ", ".join(dict.fromkeys(sets)), len(sets))
        for what, sets in sorted(found.items())
    ]
    head = ["method", "warning", "sets", "trials"]
    return Table("warnings", "What methods warned of", head, _cells(rows))


def data_table(records: list[Record]) -> Table:
    """Tabulate the data sets used."""
    first: dict[str, Record] = {}
    for r in records:
        if r["status"] == "done":
            first.setdefault(r["set"], r)
    rows = []
    for name, r in first.items():
        sizes = [(name, *(r[key] for key in ("n", "k", "views")))]
        code = r["data_sha256"]
        rows.append([*_cells(sizes)[0], Cell(code[:12] + "…", code, note=code)])
    head = ["set", "samples", "classes", "views", "SHA-256"]
    return Table("data", "Data sets", head, rows)


def environment_table(records: list[Record]) -> Table:
    """Tabulate machine and versions; several values if trials differ."""
    values: dict[str, dict[str, None]] = {}
    for r in records:
        for key, value in r["environment"].items():
            values.setdefault(key, {})[str(value)] = None
    rows = _cells((key, ", ".join(found)) for key, found in values.items())
    return Table("environment", "Machine and versions", ["what", "value"], rows)


def _cells(rows: Iterable[tuple[Any, ...]]) -> list[list[Cell]]:
    return [[Cell(str(value), value) for value in row] for row in rows]


def policy(css: str, js: str) -> str:
    """Return the policy that allows one style sheet, one script, and inlined images.

    Parameters
    ----------
    css, js : str
        Exactly the text between the tags.
    """
    rules = {
        "default-src": "'none'",
        "img-src": "data:",
        "style-src": f"'{_hash(css)}'",
        "script-src": f"'{_hash(js)}'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256-" + base64.b64encode(digest).decode()
