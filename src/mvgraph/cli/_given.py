"""Labels of a file that ``mvgraph cluster -o`` wrote, for the samples of a data set."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

__all__ = ["labels_of", "read_labels"]


def read_labels(path: Path) -> dict[str, str]:
    """Read the columns id and label of a text table.

    Raises
    ------
    ValueError
        The file has no such columns, or names a sample twice.
    """
    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, delimiter=separator))
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(
            f"{path}: not a text table; write the labels with -o labels.csv"
        ) from error
    if not rows or not {"id", "label"} <= set(rows[0]):
        raise ValueError(
            f"{path}: there are no columns 'id' and 'label' with rows; name a file "
            "that mvgraph cluster -o labels.csv has written"
        )
    found = {row["id"]: row["label"] or "" for row in rows}
    if len(found) < len(rows):
        raise ValueError(f"{path}: {len(rows) - len(found)} ids stand there twice")
    return found


def labels_of(known: dict[str, str], path: Path | None, dataset: Any) -> list[Any]:
    """Return the label of every sample, None where the file has an empty one.

    Raises
    ------
    ValueError
        The file lacks a sample.
    """
    n = len(dataset.views)
    ids = [str(i) for i in (range(n) if dataset.ids is None else dataset.ids)]
    absent = [i for i in ids if i not in known]
    if absent:
        raise ValueError(
            f"{path}: {len(absent)} of {n} samples of {dataset.name} have no label "
            f"there, first {absent[0]!r}; bring the labels of these data"
        )
    return [known[i] or None for i in ids]
