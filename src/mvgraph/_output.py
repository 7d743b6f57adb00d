"""Write result files: to a temporary name beside the target, then renamed."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

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


def check_target(path: str | Path) -> Path:
    """Find out before a long computation whether a file can be written here.

    Follows links, so that the file behind a link is replaced and not the link.

    Raises
    ------
    ValueError
        The folder does not exist or is read-only, or the target is no plain file.
    """
    target = Path(os.path.realpath(path))
    if Path(path).exists() and not target.is_file():  # a folder, device or pipe
        raise ValueError(f"cannot write {path}: it is not a plain file; name a file")
    if not target.parent.is_dir():
        raise ValueError(
            f"cannot write {path}: there is no folder {target.parent}; create it first"
        )
    if not os.access(target.parent, os.W_OK):
        raise ValueError(
            f"cannot write {path}: no permission in {target.parent}; choose another"
        )
    return target


def replace_text(path: str | Path, text: str) -> None:
    """Write a text file whole or not at all; an older file survives any failure."""
    target = check_target(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "x", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def labels_csv(ids: Iterable[Any] | None, labels: Iterable[Any]) -> str:
    """Format ``id,label`` lines; without ids, samples are numbered from 0."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
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
