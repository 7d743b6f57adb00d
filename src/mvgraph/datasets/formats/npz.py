"""NumPy files: several arrays in .npz, one view in .npy, never pickles."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from mvgraph.datasets.layout.source import Source
from mvgraph.views.lazy import EAGER

_SPARSE_MEMBERS = {"indices", "indptr", "format", "shape", "data"}


def read_numpy(path: Path) -> Source:
    """Read an .npz or .npy file without unpickling anything.

    A large .npy file is mapped into memory and not read.

    Raises
    ------
    ValueError
        If the file is broken or holds pickled objects.
    """
    try:
        if path.suffix.lower() == ".npy" and path.stat().st_size > EAGER:
            return _single(path, np.load(path, mmap_mode="r", allow_pickle=False))
        with path.open("rb") as stream:
            content = np.load(stream, allow_pickle=False)
            if isinstance(content, np.ndarray):
                return _single(path, content)
            if set(content.files) >= _SPARSE_MEMBERS:
                return _single(path, sparse.load_npz(path))
            variables = {name: content[name] for name in content.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(
            f"{path.name}: not a NumPy file of plain arrays ({error}). Pickled objects"
            " are refused, since loading them runs code. Remedy: save the views with"
            " numpy.savez(path, view_0=..., view_1=..., labels=...)"
        ) from error
    return Source(path, ".npz file", variables, rows_first=True)


def _single(path: Path, view: Any) -> Source:
    kind = f"{path.suffix} file"
    return Source(path, kind, {path.stem: view}, views=(path.stem,), rows_first=True)
