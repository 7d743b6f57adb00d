"""Compare two labelings of the same samples: compare."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from mvgraph.cli import _terminal as show
from mvgraph.cli._app import AsJson, app, print_json
from mvgraph.cli._labels import read_labeling
from mvgraph.cli._log import note
from mvgraph.ops.wording import extra

#: A wider table is not printed; -o writes it.
MAX_COLUMNS = 16


@app.command()
def compare(
    a: Annotated[
        str,
        Argument(
            metavar="A", help="File of labels, FILE:COLUMN, or folder of a model."
        ),
    ],
    b: Annotated[str, Argument(metavar="B", help="The other one.")],
    output: Annotated[
        list[Path] | None,
        Option(
            "--output",
            "-o",
            help="A .csv table or a .svg, .pdf or .png figure; repeatable.",
        ),
    ] = None,
    normalise_ids: Annotated[
        bool,
        Option(
            "--normalise-ids",
            help="Match names regardless of Unicode form, outer blanks and case.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compare two clusterings of the same samples: what is shared, split, merged.

    Files are .csv, .tsv, .parquet, .npz, .h5ad or .h5mu; samples are matched by id.
    """
    from mvgraph import compare_labels

    for path in output or ():
        _check_target(path)
    (first, one), (second, other) = read_labeling(a), read_labeling(b)
    names = (first, second) if first != second else (a, b)
    found = compare_labels(one, other, names=names, normalise_ids=normalise_ids)
    for path in output or ():
        _write(found, path)
    note("samples", found.notes, notes=found.notes)
    if as_json:
        columns = ("names", "groups", "ari", "ami", "agreement", "changes", "notes")
        values = {key: found._asdict()[key] for key in columns}
        print_json({**values, "counts": found.counts.tolist()})
        return
    if found.counts.shape[1] <= MAX_COLUMNS:
        head, *rows = _table(found)
        show.print_table("", head, rows)
    print(found.summary)
    for line in found.changes:
        print(line)


def _check_target(path: Path) -> None:
    from mvgraph.display import FIGURES
    from mvgraph.persistence.files import check_target

    check_target(path, (".csv", *FIGURES))
    if path.suffix.lower() in FIGURES:
        with extra(f"drawing {path.name}", "matplotlib", "plots"):
            import matplotlib  # noqa: F401


def _table(found: Any) -> list[list[str]]:
    """Return the contingency table with its head."""
    head = [" \\ ".join(found.names), *map(str, found.groups[1])]
    pairs = zip(found.groups[0], found.counts.tolist(), strict=True)
    return [head, *([str(group), *map(str, row)] for group, row in pairs)]


def _write(found: Any, path: Path) -> None:
    from mvgraph.persistence.files import replace_text

    if path.suffix.lower() in ("", ".csv"):
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(_table(found))
        replace_text(path, text.getvalue())
    else:
        found.display().save(path)
