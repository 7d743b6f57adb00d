"""The page in words: how many groups, how sure, which views show them; new samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mvgraph.ops.wording import counted, cut
from mvgraph.page.data import PageData

#: Confidence and stability from which a number is called certain, and likely.
CERTAIN, LIKELY = 0.8, 0.5
#: Letters of the name of a view in a sentence.
LONGEST = 40


class Fact(NamedTuple):
    """A question, its answer in a few words, and what is behind it."""

    what: str
    short: str
    long: str


def headline(data: PageData) -> str:
    """Say how many groups there are."""
    k = data.levels[data.base].level.k
    samples = f"{data.n:,} sample{'s' if data.n != 1 else ''}"
    if k == 1:
        return f"{samples}, one group"
    return f"{k} groups in {samples}"


def lead(data: PageData) -> Iterator[str]:
    """Say which views show the groups, and which were left out."""
    own = data.levels[data.base]
    if own.level.k == 1:
        yield "No division of the samples stands out: what is seen here is one cloud."
        return
    shown = [
        (alone[-1], view["name"])
        for alone, view in zip(own.alone, data.views, strict=True)
        if view["used"] and alone[-1] is not None
    ]
    shown.sort(key=lambda pair: -pair[0])
    if len(shown) > 1:
        *parts, last = (f"{_name(name)} ({percent(share)})" for share, name in shown)
        yield (
            f"Each view alone would put this share of the samples into the same group: "
            f"{', '.join(parts)} and {last}."
        )
    left = [_name(view["name"]) for view in data.views if not view["used"]]
    if left:
        yield (
            f"{', '.join(left)} {'was' if len(left) == 1 else 'were'} left out: groups "
            "of it alone agree with no other view."
        )
    if own.pairs:
        pairs = counted(len(own.pairs), "pair")
        yield f"{pairs} of groups can be told apart in one view only."


def facts(data: PageData) -> Iterator[Fact]:
    """Answer how many, how sure, and who belongs nowhere."""
    level, shares = data.levels[data.base].level, data.shares
    others = [
        f"{one.level.k} ({one.level.confidence:.2f})"
        for i, one in enumerate(data.levels)
        if one.level.stands_out and i != data.base
    ]
    more = (
        f" Other levels, with their probability: {', '.join(others)}." if others else ""
    )
    if level.confidence is None:
        asked = data.method["parameters"].get("n_clusters") != "auto"
        why, long = "as asked for" if asked else "nothing divides them", more.strip()
    else:
        why = _word(level.confidence)
        long = (
            f"right with probability {level.confidence:.2f}; in other draws of the "
            f"samples its groups are found again by {level.stability:.2f} of 1.{more}"
        )
    yield Fact("How many?", f"{level.k}, {why}", long)
    if "clear" in shares:
        long = "belong to their group with a probability above one half; it is "
        long += f"{shares['mean']:.2f} on average."
        yield Fact("How sure?", f"{percent(shares['clear'])} clearly", long)
    if "none" in shares:
        n = round(shares["none"] * data.n)
        short = f"{n:,} ({percent(shares['none'])})" if n else "none"
        long = "are far from all others, or have views that contradict each other."
        alone = "No sample is far from all others, and no views contradict each other."
        yield Fact("Who belongs nowhere?", short, long if n else alone)
    views = (f"{_name(v['name'])} ({v['features']})" for v in data.views)
    yield Fact("Described by", counted(len(data.views), "view"), "; ".join(views))


def _name(view: str) -> str:
    """Return the name of a view for a sentence: short, in its own direction."""
    return f"\u2068{cut(view, LONGEST)}\u2069"


def _word(confidence: float) -> str:
    if confidence >= CERTAIN:
        return "quite certain"
    return "likely" if confidence >= LIKELY else "one of several"


def percent(share: float) -> str:
    """Write a share; 100 % and 0 % only where they are exact."""
    if 0 < share < 0.001:
        return "under 0.1 %"
    if 0.995 <= share < 1:
        return f"{min(100 * share, 99.9):.1f} %"
    return f"{100 * share:.1f} %" if share < 0.1 and share else f"{100 * share:.0f} %"


class Table(NamedTuple):
    """A table of the last part."""

    title: str
    head: list[str]
    rows: list[list[str]]


def tables(data: PageData) -> list[Table]:
    """List the views, and how columns of tables were read."""
    rows = [
        [
            view["name"],
            f"{view['features']:,}",
            "used" if view["used"] else "left out: agrees with no other view",
            f"{view['weight']:.2f}",
            percent(view["lacking"]),
        ]
        for view in data.views
    ]
    head = ["view", "features", "", "weight", "samples without it"]
    found = [Table("Views", head, rows)]
    if data.reading is None:
        return found
    columns = [
        [c.column, c.table, c.kind, c.use, percent(c.missing)]
        for c in data.reading.columns
    ]
    if columns:
        head = ["column", "table", "kind", "use", "empty"]
        found.append(Table("Columns as they were read", head, columns))
    if data.reading.left_out:
        left = [list(one) for one in data.reading.left_out]
        found.append(Table("Left out", ["what", "why"], left))
    return found


def notes(data: PageData) -> list[str]:
    """List notes on how the data were read, and warnings of the fit."""
    read = data.reading
    notes = [] if read is None else [f"read {read.path} ({read.format})", *read.notes]
    return [*notes, *dict.fromkeys(data.warnings)]


# ------------------------------------------------------------------------ new samples
#: Features that are listed, those that moved most.
SHOWN = 10
_NUMBER = (int, float)
#: What is shown of a comparison, and of the rows of its tables.
FIELDS = {"verdict": str, "reasons": list, "n_samples": int}
SHARES = ("share_before", "share", "low", "high", "moved")
CLUSTERS = {"cluster": int, "n": int, **dict.fromkeys(SHARES, _NUMBER)}
FEATURES = {"feature": str, "view": str, "psi": _NUMBER, "psi_within": _NUMBER}


def check_monitor(found: Any) -> dict[str, Any]:
    """Return a comparison that was read from JSON.

    Raises
    ------
    ValueError
        It is something else.
    """
    held = found if isinstance(found, dict) else {}
    rows = [*_rows(held, "clusters", CLUSTERS), *_rows(held, "features", FEATURES)]
    for row, types in [(held, FIELDS), *rows]:
        if not isinstance(row, dict) or not all(
            isinstance(row.get(name), kind) for name, kind in types.items()
        ):
            raise ValueError("this is no comparison of new samples with a fit")
    return held


def _rows(held: Mapping[str, Any], name: str, types: Mapping[str, Any]) -> list[Any]:
    rows = held.get(name)
    return [(row, types) for row in (rows if isinstance(rows, list) else [None])]


def moved_tables(found: Mapping[str, Any]) -> list[Table]:
    """List clusters, and the features that moved most."""
    clusters = []
    for row in found["clusters"]:
        before, now, low, high, moved = (percent(row[key]) for key in SHARES)
        names = [str(row["cluster"]), f"{row['n']:,}"]
        clusters.append([*names, before, f"{now} ({low} to {high})", moved])
    features = [
        [row["feature"], row["view"], f"{row['psi']:.2f}", f"{row['psi_within']:.2f}"]
        for row in found["features"][:SHOWN]
    ]
    head = ["cluster", "new samples", "share at the fit", "share now (95 %)"]
    of_features = ["feature", "view", "index", "index within clusters"]
    return [
        Table("Clusters", [*head, "features that moved"], clusters),
        Table("Features that moved most", of_features, features),
    ]
