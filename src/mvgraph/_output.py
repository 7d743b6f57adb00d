"""Write result files: to a temporary name beside the target, then renamed."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

PARQUET = (".parquet", ".pq")
#: Endings that say what is written; a name without any gets the first.
LABELS, PLOTS, PAGES = (".csv", ".tsv", *PARQUET), (".png", ".svg", ".pdf"), (".html",)

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


def check_target(path: str | Path, endings: tuple[str, ...] = ()) -> Path:
    """Find out before a long computation whether a file can be written here.

    Follows links, so that the file behind a link is replaced and not the link.

    Raises
    ------
    ValueError
        The folder does not exist or is read-only, the target is a folder, or its name
        has an ending that is none of those given.
    """
    target, suffix = Path(os.path.realpath(path)), Path(path).suffix.lower()
    if target.is_dir():
        raise ValueError(f"cannot write {path}: it is a folder; name a file")
    if _is_stream(path):
        return Path(path)
    if suffix and endings and suffix not in endings:
        raise ValueError(
            f"cannot write {path}: the ending {suffix!r} is unknown; use one of "
            f"{', '.join(endings)}"
        )
    if not target.parent.is_dir():
        raise ValueError(
            f"cannot write {path}: there is no folder {target.parent}; create it first"
        )
    if not os.access(target.parent, os.W_OK):
        raise ValueError(
            f"cannot write {path}: no permission in {target.parent}; choose another"
        )
    return target


def _is_stream(path: str | Path) -> bool:
    """Tell devices and pipes, such as /dev/null, from plain files and new names."""
    return Path(path).exists() and not Path(path).is_file()


def replace_text(path: str | Path, text: str) -> None:
    """Write a text file whole or not at all; an older file survives any failure."""
    replace_bytes(path, text.encode("utf-8"))


def replace_bytes(path: str | Path, content: bytes) -> None:
    """Write a file whole or not at all; an older file survives any failure.

    Devices and pipes are written to as they are.
    """
    target = check_target(path)
    if _is_stream(path):
        target.write_bytes(content)
        return
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


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
