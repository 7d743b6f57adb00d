"""The report of a benchmark: one HTML file that needs no network."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

from mvgraph._version import __version__
from mvgraph.bench import charts, compare, content
from mvgraph.bench.compare import Record
from mvgraph.bench.records import latest_records, read
from mvgraph.display import (
    ConvergenceDisplay,
    EmbeddingDisplay,
    GraphDisplay,
    ScoresDisplay,
    SweepDisplay,
    colour_of,
)
from mvgraph.display._scores import finished, variant

__all__ = ["check_extra", "render", "write", "write_records"]

EXTRA = "the report needs jinja2 and matplotlib: pip install 'mvgraph[report]'"
SWEPT_SCORES = ("acc", "nmi", "purity")
#: Pictures are shown for at most this many methods per set, this library's first.
MAX_PICTURES = 4


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

    records = latest_records(records)
    folder = resources.files("mvgraph.bench").joinpath("templates")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: folder.joinpath(name).read_text()),
        autoescape=lambda name: bool(name and name.endswith(".html")),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html").render(
        css=folder.joinpath("report.css").read_text(),
        js=folder.joinpath("report.js").read_text(),
        **_context(records),
    )


def _context(records: list[Record]) -> dict[str, Any]:
    done = finished(records)
    names = list(dict.fromkeys(record["set"] for record in done))
    tables = {
        "skipped": content.skip_table(records),
        "data": content.data_table(records),
        "environment": content.environment(records),
    }
    return {
        "titles": list(dict.fromkeys(record["plan"] for record in records)),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "version": __version__,
        "counts": {
            "trials": len(done),
            "skipped": len(records) - len(done),
            "sets": len(names),
            "methods": len({record["method"] for record in done}),
        },
        "findings": _findings(records),
        "sets": [_set(records, name) for name in names if not _generated(name)],
        "ranks": _ranks(records),
        "growth": _growth(done),
        **tables,
    }


def _set(records: list[Record], name: str) -> dict[str, Any]:
    mine = [record for record in records if record["set"] == name]
    groups = compare.groups(mine)
    shuffled = [g for g in groups.values() if g.order == "shuffled"]
    scores = ScoresDisplay.from_records(mine, name)
    both = any(gap is not None for gap in scores.effect())
    first = next(record for record in mine if record["status"] == "done")
    return {
        "name": name,
        "slug": content.slug(name),
        "about": f"{first['n']} samples, {first['views']} views, {first['k']} classes",
        "scores": content.score_table(mine, name),
        "paper": content.paper_table(mine, name),
        "order": charts.order_effect(scores) if both else None,
        "cost": charts.cost(shuffled) if shuffled else None,
        "sweeps": _sweeps(mine, name),
        "pictures": _pictures(mine),
    }


def _sweeps(records: list[Record], name: str) -> list[str]:
    swept = [r["grid"] for r in finished(records) if len(r["grid"]) == 1]
    parameters = list(dict.fromkeys(key for grid in swept for key in grid))
    displays = [
        SweepDisplay.from_records(records, name, parameter, score)
        for parameter in parameters
        for score in SWEPT_SCORES
    ]
    return [charts.sweep(display) for display in displays if len(display.values) > 1]


def _pictures(records: list[Record]) -> list[dict[str, Any]]:
    """Choose the runs to show: this library's, then the best of the others."""
    shown = [r for r in finished(records) if r.get("artefacts", {})]
    shown = [r for r in shown if set(r["artefacts"]) & {"graphs", "embedding"}]
    shown.sort(key=_importance)
    return [_picture(record) for record in shown[:MAX_PICTURES]]


def _importance(record: Record) -> tuple[bool, bool, float]:
    own = record["method"] in ("graph-consensus", "mgl")
    other_order = record["order"] == "published" and record["preset"] == "default"
    return not own, other_order, -record["scores"]["acc"]


def _picture(record: Record) -> dict[str, Any]:
    kept, name = record["artefacts"], variant(record)
    order = "rows shuffled" if record["order"] == "shuffled" else "order of the file"
    accuracy = content.short(record["scores"]["acc"])
    out: dict[str, Any] = {"name": f"{name}, {order}", "accuracy": accuracy}
    if "graphs" in kept:
        display = GraphDisplay.from_data(kept["graphs"])
        out["graphs"], out["borders"] = charts.graphs(display), display.borders
    if "embedding" in kept:
        shown = EmbeddingDisplay.from_data({**kept["embedding"], "name": name})
        out["embedding"] = charts.embedding(shown)
        out["classes"] = shown.classes is not None
    if "convergence" in kept:
        curves = ConvergenceDisplay.from_data({**kept["convergence"], "name": name})
        out["convergence"] = charts.convergence(curves, colour_of(name))
    if kept.get("weights"):
        out["weights"] = charts.weights(kept["weights"], name)
    return out


def _ranks(records: list[Record]) -> dict[str, Any] | None:
    result = compare.ranks(records)
    if result is None:
        return None
    return {
        "chart": charts.rank_diagram(result),
        "n_sets": result.n_sets,
        "n_methods": len(result.methods),
        "p_value": None if result.p_value is None else f"{result.p_value:.2g}",
        "critical": f"{result.critical:.2f}",
    }


def _generated(name: str) -> bool:
    return ":" in name


def _growth(done: list[Record]) -> list[str]:
    """Draw time and memory against the number of samples, over generated sets."""
    out = []
    for key, what in (("seconds", "seconds"), ("peak_mb", "peak MiB")):
        series: dict[str, list[tuple[int, float]]] = {}
        for group in compare.groups(done).values():
            value = group.mean(key)
            if _generated(group.set) and value:
                point = (group.first["n"], value)
                series.setdefault(group.variant, []).append(point)
        series = {name: sorted(points) for name, points in series.items()}
        if any(len(points) > 1 for points in series.values()):
            out.append(charts.growth(series, what))
    return out


def _findings(records: list[Record]) -> list[str]:
    """Return the main findings as sentences, computed from the records."""
    found = []
    result = compare.ranks(records)
    if result is not None:
        best, rank = result.methods[0], result.mean[0]
        found.append(
            f"Best mean rank on shuffled rows: {best} ({rank:.1f} of "
            f"{len(result.methods)}, over {result.n_sets} sets)."
        )
    groups = compare.groups(records)
    effects = {
        (name, method): compare.effect(groups, name, method)
        for name, method, _ in groups
    }
    known = {key: value for key, value in effects.items() if value is not None}
    if known:
        (name, method), gap = max(known.items(), key=lambda item: abs(item[1]))
        found.append(
            f"Largest order effect: {method} on {name}, accuracy "
            f"{content.signed(gap)} when the rows are in the order of the file."
        )
        free = [value for value in known.values() if abs(value) <= content.SAME]
        found.append(
            f"{len(free)} of {len(known)} pairs of method and set do not depend on the "
            f"order of rows (accuracy within {content.SAME})."
        )
    return found
