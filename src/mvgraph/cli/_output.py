"""Write result files: to a temporary name beside the target, then renamed."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.persistence.files import check_target, replace_bytes, replace_text

PARQUET = (".parquet", ".pq")
#: Endings that say what is written; a name without any gets the first.
LABELS, PLOTS = (".csv", ".tsv", *PARQUET), (".png", ".svg", ".pdf")

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font-family: sans-serif; margin: 2rem; max-width: 60rem }}
table {{ border-collapse: collapse }}
th, td {{ padding: .3rem .8rem; border-bottom: 1px solid #ccc; text-align: right }}
th:first-child, td:first-child {{ text-align: left }}
</style>
<h1>{title}</h1>
<p>{text}</p>
<table>
<thead><tr>{head}</tr></thead>
<tbody>
{body}
</tbody>
</table>
</html>
"""


def check_labels_target(path: Path, source: str = "") -> None:
    """Find out before a long computation whether labels can be written here.

    Raises
    ------
    ValueError
        See `check_target`.
    ImportError
        A Parquet file is wanted and pandas or pyarrow is not installed.
    """
    if source and path.exists() and Path(source).resolve() == path.resolve():
        raise ValueError(
            f"{path}: the labels would replace the data; name another file"
        )
    check_target(path, LABELS)
    if path.suffix.lower() in PARQUET:
        try:
            import pandas  # noqa: F401
            import pyarrow  # noqa: F401
        except ImportError as error:
            raise ImportError(
                f"writing {path.name} needs pandas and pyarrow: pip install "
                "'mvgraph[files]'"
            ) from error


def check_plot_target(path: Path) -> None:
    """Find out before a long computation whether a plot can be written here.

    Raises
    ------
    ValueError
        See `check_target`.
    ImportError
        Matplotlib is not installed.
    """
    check_target(path, PLOTS)
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"drawing {path.name} needs matplotlib: pip install 'mvgraph[plots]'"
        ) from error


def write_labels(path: Path, ids: Iterable[Any] | None, labels: Any) -> None:
    """Write ids and labels as Parquet, TSV or, for a name without ending, CSV."""
    suffix = path.suffix.lower()
    if suffix in PARQUET:
        replace_bytes(path, labels_parquet(ids, labels))
    else:
        separator = "\t" if suffix == ".tsv" else ","
        replace_text(path, labels_csv(ids, labels, separator))


def labels_parquet(ids: Iterable[Any] | None, labels: Any) -> bytes:
    """Format a Parquet file of the columns id and label."""
    from pandas import DataFrame

    own = range(len(labels)) if ids is None else list(ids)
    buffer = io.BytesIO()
    DataFrame({"id": own, "label": labels}).to_parquet(buffer, index=False)
    return buffer.getvalue()


def labels_csv(
    ids: Iterable[Any] | None, labels: Iterable[Any], separator: str = ","
) -> str:
    """Format ``id,label`` lines; without ids, samples are numbered from 0."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=separator, lineterminator="\n")
    writer.writerow(["id", "label"])
    if ids is None:
        writer.writerows(enumerate(labels))
    else:
        writer.writerows(zip(ids, labels, strict=True))
    return buffer.getvalue()


def html_page(title: str, text: str, head: list[str], rows: list[list[str]]) -> str:
    """Format one self-contained page with one table."""

    def cells(row: list[str], tag: str) -> str:
        return "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row)

    body = "\n".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return _PAGE.format(
        title=escape(title), text=escape(text), head=cells(head, "th"), body=body
    )


def labels_summary(
    dataset: Any, method: str, model: Any, output: Path | None
) -> dict[str, Any]:
    """Describe a clustering, ready for JSON; with the labels, if no file has them."""
    labels, sizes = np.unique(model.labels_, return_counts=True)
    summary = {
        "data": dataset.name,
        "method": method,
        "n": len(model.labels_),
        "sizes": {str(c): int(n) for c, n in zip(labels, sizes, strict=True)},
    }
    if hasattr(model, "view_weights_"):
        names = dataset.views.names
        summary["view_weights"] = dict(
            zip(names, model.view_weights_.tolist(), strict=True)
        )
    if output is not None:
        return summary | {"output": str(output)}
    ids = range(len(model.labels_)) if dataset.ids is None else dataset.ids
    return summary | {"ids": list(map(str, ids)), "labels": model.labels_.tolist()}
