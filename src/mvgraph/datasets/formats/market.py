"""Matrix Market files: sparse matrices as text, also compressed with gzip."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

from scipy import sparse

from mvgraph.datasets.formats.limits import check_gzip, check_size, readable
from mvgraph.datasets.layout.source import ReadOptions, Source

MARKET = (".mtx", ".mtx.gz")
_CHARACTERS = b"0123456789+-.eEinfINFaA \t\r\n"
_FIELDS = {"pattern": 0, "real": 1, "double": 1, "integer": 1, "unsigned-integer": 1}


def read_market(path: Path, options: ReadOptions) -> Source:
    """Read one matrix; samples lie in rows or in columns, both are usual.

    Raises
    ------
    ValueError
        If the file is damaged, or would not fit into memory.
    """
    with readable(path, "Matrix Market file"):
        matrix = read_matrix(path, options)
    name = path.name.split(".mtx")[0]
    return Source(
        path, "Matrix Market file", {name: matrix}, views=(name,), log=options.log
    )


def read_matrix(path: Path, options: ReadOptions) -> Any:
    """Read a matrix as CSR, or as an array if it is stored as one.

    SciPy's parser crashes on some damaged files, so the text is checked first.

    Raises
    ------
    ValueError
    """
    from scipy.io import mmread

    if path.suffix.lower() == ".gz":
        check_gzip(path, options)
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    with opener(path, "rb") as stream:
        content = stream.read()
    check_size(path.name, len(content), options)
    _check(path, content, options)
    matrix = mmread(io.BytesIO(content))
    if not sparse.issparse(matrix):
        return matrix
    matrix = sparse.coo_matrix(matrix)
    if matrix.nnz and (
        min(matrix.row.min(), matrix.col.min()) < 0
        or matrix.row.max() >= matrix.shape[0]
        or matrix.col.max() >= matrix.shape[1]
    ):
        raise ValueError("an entry is outside the matrix")
    return sparse.csr_matrix(matrix)


def _check(path: Path, content: bytes, options: ReadOptions) -> None:
    """Reject text that does not match its first lines."""
    first, _, rest = content.partition(b"\n")
    words = first.lower().split()
    if len(words) != 5 or words[0] != b"%%matrixmarket" or words[1] != b"matrix":
        raise ValueError(f"its first line is {first[:60]!r}")
    layout, field = words[2].decode(), words[3].decode()
    if layout not in ("coordinate", "array") or field not in _FIELDS:
        raise ValueError(f"it holds a {layout} of {field}, not of real numbers")
    if words[4] not in (b"general", b"symmetric", b"skew-symmetric"):
        raise ValueError(f"its symmetry is {words[4][:30]!r}")
    while rest.lstrip(b" \t\r\n").startswith(b"%"):
        _, _, rest = rest.lstrip(b" \t\r\n").partition(b"\n")
    line, _, rest = rest.lstrip(b" \t\r\n").partition(b"\n")
    sizes = [int(word) for word in line.split()]
    if len(sizes) != (3 if layout == "coordinate" else 2) or min(sizes) < 0:
        raise ValueError(f"its line of sizes is {line[:60]!r}")
    general = words[4] == b"general"
    if not general and sizes[0] != sizes[1]:
        raise ValueError(f"it is symmetric but {sizes[0]} x {sizes[1]}")
    if layout == "array":
        entries = sizes[0] * sizes[1] if general else None
        per_entry, n_bytes = 1, 8 * sizes[0] * sizes[1]
    else:
        entries, per_entry = sizes[2], 2 + _FIELDS[field]
        n_bytes = 16 * entries + 8 * (sizes[0] + sizes[1])
    check_size(path.name, n_bytes, options)
    _check_entries(rest, entries, per_entry)


def _check_entries(rest: bytes, entries: int | None, per_entry: int) -> None:
    """Count lines and numbers, and reject characters that no number contains."""
    lines = 0
    foreign = rest.translate(None, _CHARACTERS)
    if foreign:
        raise ValueError(f"characters {foreign[:10]!r} among the numbers")
    for line in io.BytesIO(rest):
        count = len(line.split())
        if count:
            lines += 1
            if count != per_entry:
                raise ValueError(f"entry {lines} has {count} numbers, not {per_entry}")
    if entries is not None and lines != entries:
        raise ValueError(f"it declares {entries} entries and has {lines}")
