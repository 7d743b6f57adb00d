"""With which versions, on which processors and with which seeds records were made."""

from __future__ import annotations


def processor(record: dict) -> str:
    """Name the processor of a trial as its maker does."""
    return str(record["environment"]["processor"]).replace("(R)", "").strip()


def one_clock(records: list[dict]) -> list[dict]:
    """Forget seconds on another processor than that of the last trial of a method."""
    last = {r["method"]: processor(r) for r in records if r["status"] == "done"}
    return [
        r if processor(r) == last.get(r["method"]) else r | {"cpu_seconds": None}
        for r in records
    ]


def measured(records: list[dict]) -> list[str]:
    """Tabulate with which version and on which processor the methods were measured."""
    found: dict[tuple[str, str], dict[str, set[int]]] = {}
    for r in records:
        if r["status"] == "done" and r["order"] == "shuffled" and not r["override"]:
            key = r.get("commit", "not noted"), processor(r)
            found.setdefault(key, {}).setdefault(r["method"], set()).add(r["seed"])
    lines = ["| commit | processor | methods (seeds) |", "|---|---|---|"]
    for (commit, chip), methods_ in sorted(found.items(), key=str):
        by_seeds: dict[str, list[str]] = {}
        for name, seeds in sorted(methods_.items()):
            by_seeds.setdefault(", ".join(map(str, sorted(seeds))), []).append(name)
        cells = [f"{', '.join(ms)} ({seeds})" for seeds, ms in by_seeds.items()]
        lines.append(f"| {commit} | {chip} | {'; '.join(cells)} |")
    return lines
