"""Compare two labelings of the same samples: compare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mvgraph.cli import _terminal as show
from mvgraph.cli._app import AsJson, NormaliseIds, app, print_json
from mvgraph.cli._labels import read_labeling
from mvgraph.cli._log import note

#: A wider table is not printed; -o writes it.
MAX_COLUMNS = 16


@app.command()
def compare(
    a: str,
    b: str,
    output: list[Path] | None = None,
    normalise_ids: NormaliseIds = False,
    as_json: AsJson = False,
) -> None:
    """Compare two clusterings of the same samples: what is shared, split, merged.

    Files are .csv, .tsv, .parquet, .npz, .h5ad or .h5mu; samples are matched by id.

    Parameters
    ----------
    a : A
        File of labels, FILE:COLUMN, or folder of a model.
    b : B
        The other one.
    output
        An .html page, .csv table or .svg, .pdf, .png figure; repeatable.
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
        from mvgraph.page.comparison import table_of

        head, *rows = table_of(found)
        show.print_table("", head, rows)
    show.print_line(found.summary)
    for line in found.changes:
        show.print_line(line)


def _check_target(path: Path) -> None:
    from mvgraph.display._display import FIGURES, check_figure
    from mvgraph.page.template import check_extra
    from mvgraph.persistence.files import PAGES, check_target

    check_target(path, (".csv", *PAGES, *FIGURES))
    if path.suffix.lower() in PAGES:
        check_extra("the page", "jinja2 and matplotlib")
    elif path.suffix.lower() in FIGURES:
        check_figure(path)


def _write(found: Any, path: Path) -> None:
    from mvgraph.page.comparison import csv_of, table_of, write_comparison
    from mvgraph.persistence.files import PAGES, replace_text

    suffix = path.suffix.lower()
    if suffix in PAGES:
        write_comparison(found, path)
    elif suffix in ("", ".csv"):
        replace_text(path, csv_of(table_of(found)))
    else:
        found.display().save(path)
