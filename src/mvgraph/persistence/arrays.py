"""Arrays of a model in few bytes; NumPy's files, checked before they are read."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Callable
from typing import IO, Any

import numpy as np
import scipy.sparse as sp
from numpy.lib import format as npy

#: Between the names of an array of text; a name that contains it is kept as JSON.
BETWEEN = "\0"


def encode_array(value: Any, arrays: dict, encode: Callable[[Any], Any]) -> dict:
    """Turn an array into JSON, its numbers into `arrays` under a numbered name.

    Parameters
    ----------
    value : ndarray or sparse matrix
    arrays : dict
        Gets the numbers.
    encode : callable
        Turns a list of objects into JSON.
    """
    if sp.issparse(value):
        csr = sp.csr_matrix(value)
        parts = [_put(a, arrays) for a in (csr.data, csr.indices, csr.indptr)]
        return {"kind": "csr", "parts": parts, "shape": list(csr.shape)}
    if value.dtype.kind in "OU" and value.ndim == 1 and value.size:
        items = value.tolist()
        if all(isinstance(item, str) and BETWEEN not in item for item in items):
            text = BETWEEN.join(items).encode("utf-8", "surrogatepass")
            name = _put(np.frombuffer(text, dtype=np.uint8), arrays)
            return {"kind": "texts", "name": name, "dtype": value.dtype.str}
    if value.dtype.hasobject:
        return {"kind": "objects", "items": encode(value.tolist())}
    if value.dtype.kind != "i" or not value.size:
        return {"kind": "array", "name": _put(value, arrays)}
    # labels below 128 are one byte each, and are compressed faster and better
    few = np.result_type(*map(np.min_scalar_type, (value.min(), value.max())))
    few = few if few.kind in "iu" else value.dtype
    name = _put(value.astype(few), arrays)
    return {"kind": "integers", "name": name, "dtype": value.dtype.str}


def decode_array(coded: dict, arrays: Any) -> Any:
    """Turn JSON and numbers into an array; None if the JSON is not that of one."""
    kind = coded["kind"]
    if kind == "array":
        return arrays[coded["name"]]
    if kind == "integers":
        return arrays[coded["name"]].astype(_kind(coded, "i"))
    if kind == "texts":
        text = arrays[coded["name"]].tobytes().decode("utf-8", "surrogatepass")
        # padded to the longest here, whatever the file says
        return np.array(text.split(BETWEEN), dtype=_kind(coded, "OU").type)
    if kind == "csr":
        parts = tuple(arrays[name] for name in coded["parts"])
        matrix = sp.csr_matrix(parts, shape=tuple(coded["shape"]))
        matrix.check_format(full_check=True)
        return matrix
    return None


def _kind(coded: dict, kinds: str) -> np.dtype:
    kind = np.dtype(coded["dtype"])
    if kind.kind not in kinds:
        raise ValueError(f"an array cannot be of type {kind}")
    return kind


def _put(array: np.ndarray, arrays: dict) -> str:
    name = f"a{len(arrays)}"
    arrays[name] = array
    return name


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
