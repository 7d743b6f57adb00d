"""Arrays in NumPy's files: the header is checked before numbers are read."""

from __future__ import annotations

import math
import zipfile
from typing import IO

import numpy as np
from numpy.lib import format as npy


def read_member(archive: zipfile.ZipFile, one: zipfile.ZipInfo) -> np.ndarray:
    """Read one array of an archive.

    Raises
    ------
    ValueError
        Its header declares more than the member holds, or objects.
    """
    with archive.open(one) as stream:
        check_header(stream, one.file_size, one.filename)
    with archive.open(one) as stream:
        return np.asarray(npy.read_array(stream, allow_pickle=False))


def check_header(stream: IO[bytes], n_bytes: int, name: str) -> None:
    """Read the header of an array; raise if it declares more than so many bytes."""
    major, _ = npy.read_magic(stream)
    reader = {1: npy.read_array_header_1_0, 2: npy.read_array_header_2_0}
    if major not in reader:  # version 3: names of fields beyond Latin-1
        raise ValueError("it contains records, not plain arrays")
    shape, _, kind = reader[major](stream)
    if kind.hasobject:
        raise ValueError("it contains pickled objects")
    if min(shape, default=0) < 0:
        raise ValueError(f"it declares the shape {shape}")
    if math.prod(map(int, shape)) * kind.itemsize > n_bytes:  # Python's do not overflow
        raise ValueError(f"{name} declares {shape} of {kind} and ends before")
