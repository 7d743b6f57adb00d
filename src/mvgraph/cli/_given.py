"""Labels of a file that ``mvgraph cluster -o`` wrote, for the samples of a data set."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mvgraph.cli._annotated import ANNOTATED, KEY
from mvgraph.cli._log import note
from mvgraph.ops.wording import extra

__all__ = ["labels_of", "read_labels"]

PARQUET = (".parquet", ".pq")
REMEDY = "name a file that mvgraph cluster -o labels.csv has written"


def read_labels(path: Path) -> dict[str, str]:
    """Read ids and labels: CSV, TSV, Parquet, AnnData or MuData, by the ending.

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
    path.stat()  # a file that is not there is named before a package that is not
    suffix = path.suffix.lower()
    if suffix in ANNOTATED:
        rows = list(_annotated_rows(path))
    elif suffix in PARQUET:
        rows = list(_parquet_rows(path))
    else:
        rows = list(_text_rows(path, "\t" if suffix == ".tsv" else ","))
    found = dict(rows)
    if len(found) < len(rows):
        raise ValueError(f"{path}: ids stand there twice ({len(rows) - len(found)})")
    return found


def _text_rows(path: Path, separator: str) -> Iterable[tuple[str, str]]:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, delimiter=separator))
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(
            f"{path}: not a text table; write the labels with -o labels.csv"
        ) from error
    _check_columns(path, set(rows[0]) if rows else set())
    return ((row["id"], row["label"] or "") for row in rows)


def _parquet_rows(path: Path) -> Iterable[tuple[str, str]]:
    with extra(f"reading {path.name}", "pyarrow", "files"):
        import pyarrow as pa
        import pyarrow.parquet as pq
    try:
        with open(path, "rb") as file:
            names = set(pq.read_schema(file).names)
            _check_columns(path, names)
            table = pq.read_table(file, columns=["id", "label"])
    except pa.ArrowException as error:
        raise ValueError(f"{path}: not a Parquet file ({error}); {REMEDY}") from error
    ids, labels = (table[name].to_pylist() for name in ("id", "label"))
    return ((_text(i), _text(k)) for i, k in zip(ids, labels, strict=True))


def _annotated_rows(path: Path) -> Iterable[tuple[str, str]]:
    with extra(f"reading {path.name}", "anndata", "mudata"):
        if path.suffix.lower() == ".h5mu":
            from mudata import read_h5mu as read
        else:
            from anndata import read_h5ad as read
    from mvgraph.datasets.formats.limits import readable

    open(path, "rb").close()  # says plainly if there is none
    with readable(path, "file of annotated data"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of these packages, about their own plans
        obs = read(path, backed="r").obs  # the matrices stay in the file
    if KEY not in obs:
        raise ValueError(
            f"{path}: obs has no {KEY!r}; it has {list(obs.columns)}; name a file that "
            "mvgraph cluster -o has written"
        )
    pairs = zip(obs.index.tolist(), obs[KEY].tolist(), strict=True)
    return [(str(i), _text(k)) for i, k in pairs]


def _text(value: Any) -> str:
    """Return a label as the text tables have it; empty for None and NaN."""
    if value is None or value != value:
        return ""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)


def _check_columns(path: Path, names: set[str]) -> None:
    if not {"id", "label"} <= names:
        raise ValueError(
            f"{path}: there are no columns 'id' and 'label' with rows; {REMEDY}"
        )


def labels_of(known: dict[str, str], path: Path | None, dataset: Any) -> list[Any]:
    """Return the label of every sample, None where the file has an empty one.

    Says on standard error how many labels are empty, and how many ids the data lack.

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
    _report(known, ids, dataset.name, str(path))
    return [known[i] or None for i in ids]


def _report(known: dict[str, str], ids: list[str], data: str, path: str) -> None:
    held = set(ids)
    empty = sum(not known[i] for i in ids)
    other = [i for i in known if i not in held]
    said = []
    if empty:
        said.append(f"{empty} samples of {data} have an empty label and are left out")
    if other:
        said.append(f"{len(other)} ids are not in {data}, first {other[0]!r}")
    if said:
        note(
            "labels", [f"{path}: {'; '.join(said)}"], file=path, empty=empty,
            not_in_data=len(other),
        )  # fmt: skip
