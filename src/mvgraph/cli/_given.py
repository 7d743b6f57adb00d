"""Labels of a file that ``mvgraph cluster -o`` wrote, for the samples of a data set."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mvgraph.cli._log import note
from mvgraph.cli._output import ANNOTATED, KEY, PARQUET, annotated_reader
from mvgraph.ops.wording import extra

ADVICE = "name a file that mvgraph cluster -o labels.csv has written"


def read_labels(path: Path) -> dict[str, str]:
    """Read ids and labels: CSV, TSV, Parquet, AnnData or MuData, by the suffix.

    Returns
    -------
    dict of str to str
        An empty label where the file has none.

    Raises
    ------
    ValueError
        The file has no such columns, or names a sample twice.
    ImportError
        The package that reads it is not installed.
    """
    path.stat()  # a missing file is reported before a missing package
    from mvgraph.datasets.formats.limits import readable

    suffix = path.suffix.lower()
    kind, read = "text table", _text_rows
    if suffix in ANNOTATED:
        kind, read = "file of annotated data", _annotated_rows
    elif suffix in PARQUET:
        kind, read = "Parquet file", _parquet_rows
    with readable(path, kind, ADVICE):
        pairs = [(_text(i), _text(label)) for i, label in read(path)]
    labels = dict(pairs)
    if len(labels) < len(pairs):
        raise ValueError(
            f"{path}: ids occur more than once ({len(pairs) - len(labels)} rows); "
            "keep one row per id"
        )
    return labels


def _text_rows(path: Path) -> Iterable[tuple[Any, Any]]:
    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=separator))
    _check_columns(path, rows[0] if rows else ())
    return [(row["id"], row["label"]) for row in rows]


def _parquet_rows(path: Path) -> Iterable[tuple[Any, Any]]:
    with extra(f"reading {path.name}", "pyarrow", "files"):
        import pyarrow.parquet as pq
    with open(path, "rb") as file:
        _check_columns(path, pq.read_schema(file).names)
        table = pq.read_table(file, columns=["id", "label"])
    return zip(*(table[name].to_pylist() for name in ("id", "label")), strict=True)


def _annotated_rows(path: Path) -> Iterable[tuple[Any, Any]]:
    with extra(f"reading {path.name}", "anndata", "mudata"):
        read = annotated_reader(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # these packages announce their plans
        obs = read(path, backed="r").obs  # the matrices stay in the file
    if KEY not in obs:
        raise ValueError(
            f"{path}: obs has no {KEY!r}; it has {list(obs.columns)}; {ADVICE}"
        )
    return zip(obs.index.tolist(), obs[KEY].tolist(), strict=True)


def _text(value: Any) -> str:
    """Return a label as the text tables have it; empty for None and NaN."""
    if value is None or value != value:
        return ""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)


def _check_columns(path: Path, names: Iterable[str]) -> None:
    if not {"id", "label"} <= set(names):
        raise ValueError(
            f"{path}: there are no columns 'id' and 'label' with rows; {ADVICE}"
        )


def labels_of(labels: dict[str, str], path: Path | None, dataset: Any) -> list[Any]:
    """Return the label of every sample, None where the file has an empty one.

    Reports on standard error empty labels, and ids that are not in the data.

    Raises
    ------
    ValueError
        A sample is not in the file.
    """
    n, name = len(dataset.views), dataset.name
    ids = [str(i) for i in (range(n) if dataset.ids is None else dataset.ids)]
    missing = [i for i in ids if i not in labels]
    if missing:
        raise ValueError(
            f"{path}: {len(missing)} of {n} samples of {name} have no label in this "
            f"file, first {missing[0]!r}; use the labels of these data"
        )
    n_empty = sum(not labels[i] for i in ids)
    in_data = set(ids)
    unused = [i for i in labels if i not in in_data]
    notes = []
    if n_empty:
        notes.append(f"{n_empty} samples of {name} have an empty label; left out")
    if unused:
        notes.append(f"{len(unused)} ids are not in {name}, first {unused[0]!r}")
    if notes:
        facts = {"file": str(path), "empty": n_empty, "not_in_data": len(unused)}
        note("labels", [f"{path}: {'; '.join(notes)}"], **facts)
    return [labels[i] or None for i in ids]
