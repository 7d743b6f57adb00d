"""Labels written as AnnData or MuData: the input with labels, or ids and labels."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.ops.wording import extra
from mvgraph.persistence.files import replacing

__all__ = ["ANNOTATED", "check_annotated", "write_annotated"]

ANNOTATED = (".h5ad", ".h5mu")
#: Name of the column of ``obs``, as `mvgraph.tl.cluster` has it.
KEY = "mvgraph"


def check_annotated(path: Path, source: str | Path) -> None:
    """Find out before a long computation whether labels of a source fit this file.

    Raises
    ------
    ValueError
        A MuData is wanted of something else, or an AnnData of a MuData.
    ImportError
        The package that writes it is not installed.
    """
    wanted, held = path.suffix.lower(), Path(source).suffix.lower()
    if ".h5mu" in (wanted, held) and wanted != held:
        other = ".h5mu" if held == ".h5mu" else ".h5ad"
        raise ValueError(
            f"cannot write {path}: a .h5mu file is a copy of a .h5mu input "
            f"with labels, and the input is {Path(source).name}; name a {other} or .csv"
        )
    package = "mudata" if wanted == ".h5mu" else "anndata"
    with extra(f"writing {path.name}", f"{package}", "mudata"):
        import_module(package)


def write_annotated(
    path: Path,
    source: str | Path,
    ids: Sequence[Any] | None,
    blocks: Iterable[dict[str, np.ndarray]],
    n_clusters: int | None = None,
) -> None:
    """Write labels into ``obs["mvgraph"]``, with confidence where it is known.

    An input of the same format is copied whole; of others the file has ``obs`` alone.

    Parameters
    ----------
    path : Path
    source : str or Path
        The input.
    ids : sequence or None
    blocks : iterable of dict
        Columns of consecutive samples.
    n_clusters : int, optional
        Of the model: some of them may have no sample here.
    """
    from mvgraph.tl._writing import spread_rows, write_labels

    held = list(blocks)
    columns = {key: np.concatenate([b[key] for b in held]) for key in held[0]}
    labels = columns["label"]
    names = [str(i) for i in (range(len(labels)) if ids is None else ids)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of these packages, about their own plans
        data = _read(path, source, names)
        places = {str(name): i for i, name in enumerate(data.obs_names)}
        rows = np.array([places[name] for name in names], dtype=np.intp)
        k = int(labels.max()) + 1 if n_clusters is None else n_clusters
        write_labels(data, rows, labels, k, KEY)
        if "confidence" in columns:
            sure = spread_rows(columns["confidence"], rows, len(data.obs_names))
            data.obs[f"{KEY}_confidence"] = sure
        # the packages want a path, and HDF5 locks it: it is made elsewhere and moved
        with tempfile.TemporaryDirectory(prefix="mvgraph-") as folder:
            made = Path(folder, path.name)
            data.write(made)
            with replacing(path) as target, open(made, "rb") as file:
                shutil.copyfileobj(file, target, 2**20)


def _read(path: Path, source: str | Path, names: list[str]) -> Any:
    """Return the input where it has the format of the output, else an empty object."""
    if Path(source).suffix.lower() != path.suffix.lower():
        from anndata import AnnData
        from pandas import DataFrame

        return AnnData(obs=DataFrame(index=names))
    if path.suffix.lower() == ".h5mu":
        from mudata import read_h5mu as read
    else:
        from anndata import read_h5ad as read
    return read(Path(source).expanduser())
