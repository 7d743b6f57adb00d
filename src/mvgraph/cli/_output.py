"""Write labels: as text, Parquet, AnnData or MuData, or ready for JSON."""

from __future__ import annotations

import csv
import io
import shutil
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from itertools import count, islice
from pathlib import Path
from typing import Any, TextIO, TypeAlias

from mvgraph.ops.escaping import no_formula, terminal
from mvgraph.ops.wording import extra
from mvgraph.persistence.files import check_target, replacing
from mvgraph.persistence.scratch import Scratch

#: Arrays of consecutive samples: label, and confidence if the model has it.
Blocks: TypeAlias = Iterable[dict[str, Any]]
#: Names of the samples; without them they are numbered from 0.
Ids: TypeAlias = Sequence[Any] | None

PARQUET, ANNOTATED = (".parquet", ".pq"), (".h5ad", ".h5mu")
#: Suffixes that choose the format; a name without one gets the first.
LABELS = (".csv", ".tsv", *PARQUET, *ANNOTATED)
PACKAGES = {".h5mu": "mudata", ".h5ad": "anndata"} | dict.fromkeys(PARQUET, "pyarrow")
#: Name of the column of ``obs``, as in `mvgraph.tl.cluster`.
KEY = "mvgraph"


def check_labels(path: Path | None, *sources: str | Path | None) -> Path | None:
    """Check before a long computation that labels can be written to a file.

    Returns
    -------
    Path or None
        None, which is standard output, for None and ``-``.

    Raises
    ------
    ValueError
        The file is one of the sources or inside one, or AnnData or MuData does not fit
        the first source. See also `check_target`.
    ImportError
        The package that writes the file is not installed.
    """
    if path is None or path == Path("-"):
        return None
    target, suffix = path.resolve(), path.suffix.lower()
    named = [Path(source) for source in sources if source is not None]
    for source in (one.resolve() for one in named if path.exists()):
        if target == source or source in target.parents:
            raise ValueError(
                f"{path}: the labels would replace the data or the model, or a file "
                f"in it ({source}); name another file"
            )
    check_target(path, LABELS)
    given = named[0]
    both = {suffix, given.suffix.lower()}
    made = suffix == ".h5mu" and _is_tenx(given)
    if suffix in ANNOTATED and ".h5mu" in both and len(both) > 1 and not made:
        other = ".h5ad" if suffix == ".h5mu" else ".h5mu"
        raise ValueError(
            f"cannot write {path}: a .h5mu file is a copy of a .h5mu input, or holds "
            f"the counts of a 10x input, with labels, and the input is {given.name}; "
            f"name a {other} or .csv"
        )
    package = PACKAGES.get(suffix)
    if package is not None:
        name = "files" if suffix in PARQUET else "mudata"
        with extra(f"writing {path.name}", package, name):
            import_module(package)
    return path


def write_labels(
    path: Path | None, ids: Ids, blocks: Blocks, source: Path, model: Any
) -> None:
    """Write ids and labels; a name without a suffix means CSV.

    Parameters
    ----------
    path : Path or None
        None: standard output.
    ids : sequence or None
    blocks : iterable of dict
        Columns of consecutive samples; as text, each block is written before the next
        is taken.
    source : Path
        The input.
    model : estimator
        Fitted; some of its clusters may have no sample here.
    """
    if path is None:
        write_csv(sys.stdout, ids, blocks)
        return
    from mvgraph.tl._writing import join_blocks

    suffix = path.suffix.lower()
    if suffix in ANNOTATED:
        _write_annotated(path, source, ids, blocks, model)
        return
    with replacing(path) as file:
        if suffix in PARQUET:
            import pyarrow as pa
            import pyarrow.parquet as pq

            columns = join_blocks(blocks)
            names = range(len(columns["label"])) if ids is None else ids
            pq.write_table(pa.table({"id": pa.array(names), **columns}), file)
            return
        text = io.TextIOWrapper(file, "utf-8", newline="")
        write_csv(text, ids, blocks, "\t" if suffix == ".tsv" else ",")
        text.detach()


def write_csv(file: TextIO, ids: Ids, blocks: Blocks, separator: str = ",") -> None:
    """Write lines of id, label and, if the model has it, confidence.

    Ids and labels are written as they are; on a terminal, control characters are seen.
    """
    seen: Any = terminal if file.isatty() else str
    # before Python 3.13, a carriage return alone gets no quotes
    returns = ids is not None and any("\r" in str(name) for name in ids)
    quoting: Any = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    form: Any = {"delimiter": separator, "lineterminator": "\n", "quoting": quoting}
    writer = csv.writer(file, **form)
    names = map(seen, count() if ids is None else ids)
    for i, block in enumerate(blocks):
        if i == 0:
            writer.writerow(["id", *block])
        columns = [_cells(column, seen) for column in block.values()]
        # the columns first: zip would take one id more than there are labels
        rows = zip(*columns, islice(names, len(block["label"])), strict=True)
        writer.writerows((name, *row) for *row, name in rows)
    file.flush()


def _cells(column: Any, seen: Callable[[str], str]) -> Iterable[Any]:
    if column.dtype.kind == "f":
        return [f"{value:.6g}" for value in column]
    if column.dtype.kind in "OU":  # names of clusters
        return [seen(no_formula(str(value))) for value in column]
    return column


def _write_annotated(
    path: Path, source: Path, ids: Ids, blocks: Blocks, model: Any
) -> None:
    """Write labels into ``obs["mvgraph"]``, and confidence if there is one.

    An input of the same format is copied whole; a .h5mu of a 10x input has its counts;
    else the file has ``obs`` alone.
    """
    import numpy as np  # slow to import

    from mvgraph.tl._writing import join_blocks, write_labels

    columns = join_blocks(blocks)
    n = len(columns["label"])
    names = [str(i) for i in (range(n) if ids is None else ids)]
    # these packages warn of planned changes
    with warnings.catch_warnings(action="ignore"):
        if source.suffix.lower() == path.suffix.lower():
            data = annotated_reader(path)(source)
        elif path.suffix.lower() == ".h5mu":
            data = _counts_of_tenx(source)
        else:
            from anndata import AnnData
            from pandas import DataFrame

            data = AnnData(obs=DataFrame(index=names))
        places = {str(name): i for i, name in enumerate(data.obs_names)}
        rows = np.array([places[name] for name in names], dtype=np.intp)
        write_labels(data, rows, columns, model, KEY)
        # the packages need a path, and HDF5 locks it: written elsewhere and copied
        with Scratch() as folder:
            written = folder / path.name
            data.write(written)
            with replacing(path) as target, open(written, "rb") as file:
                shutil.copyfileobj(file, target, 2**20)


def _is_tenx(path: Path) -> bool:
    from mvgraph.datasets.formats.market import is_tenx_file, is_tenx_folder

    path = path.expanduser()
    if path.is_dir():
        return is_tenx_folder(path)
    if path.suffix.lower() not in (".h5", ".hdf5"):
        return False
    return not path.exists() or is_tenx_file(path)  # an address is read later


def _counts_of_tenx(source: Path) -> Any:
    """Return all counts of a 10x input as a MuData, one modality a view."""
    from anndata import AnnData
    from mudata import MuData
    from pandas import DataFrame

    from mvgraph.datasets import load

    whole = load(source, join="outer")
    views, parts = whole.views, {}
    for v, (name, x) in enumerate(views.items()):
        rows = slice(None) if views.mask is None else views.mask[:, v]
        cells = DataFrame(index=whole.ids[rows].astype(str))  # type: ignore[index]
        features = DataFrame(index=list(views.feature_names[v] or ()))
        parts[name] = AnnData(x[rows], obs=cells, var=features)
    return MuData(parts)


def annotated_reader(path: Path) -> Any:
    """Return the function that reads an AnnData or a MuData file."""
    if path.suffix.lower() == ".h5mu":
        from mudata import read_h5mu as read
    else:
        from anndata import read_h5ad as read
    return read


def labels_json(
    ids: Ids, sizes: Counter[int], output: Path | None, blocks: Blocks
) -> dict[str, Any]:
    """Describe labels for JSON; include them unless they were written to a file."""
    from mvgraph.tl._writing import join_blocks

    n = sizes.total()
    facts = {"n": n, "sizes": {str(k): sizes[k] for k in sorted(sizes)}}
    if output is not None:
        return facts | {"output": str(output)}
    columns = {key: column.tolist() for key, column in join_blocks(blocks).items()}
    columns["labels"] = columns.pop("label")
    return facts | {"ids": list(map(str, range(n) if ids is None else ids))} | columns
