"""MATLAB 7.3 files, which are HDF5 with reversed dimensions, and plain HDF5."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from mvgraph.datasets.formats.limits import (
    check_size,
    check_stored,
    output_of,
    readable,
)
from mvgraph.datasets.layout.source import ReadOptions, Source, strings
from mvgraph.ops.wording import extra
from mvgraph.views.casting import check_sparse
from mvgraph.views.lazy import FileArray

#: Deepest nesting of groups and cells; far more than data files use.
DEEPEST = 16
OUTSIDE = "Copy the data into the file, for example with h5repack"


def read_hdf5(path: Path, options: ReadOptions) -> Source:
    """Read every variable of a MATLAB 7.3 file, or every data set of an HDF5 file.

    Raises
    ------
    ImportError
        If h5py is not installed.
    ValueError
        If the file is damaged, would not fit into memory, or refers to other files.
    """
    h5py = import_h5py(path)
    remedy = "Fetch the file again, or save it from MATLAB with save(..., '-v7')"
    with (
        readable(path, "HDF5 file that h5py cannot open", remedy),
        h5py.File(path, "r") as file,
    ):
        check_links(path, file)
        # MATLAB writes 512 extra bytes before the HDF5 part.
        reader = _Reader(path, file, file.userblock_size > 0, options)
        variables = reader.fields(file, "")
    kind = "MATLAB 7.3 file" if reader.matlab else "HDF5 file"
    return Source(path, kind, variables, options, rows_first=not reader.matlab)


def import_h5py(path: Path) -> Any:
    """Import h5py, or name the extra that installs it."""
    with extra(f"{path.name} is an HDF5 (MATLAB 7.3) file, which", "h5py", "files"):
        import h5py
    return h5py


def check_structure(path: Path, options: ReadOptions) -> None:
    """Reject a file whose structure does not end, or whose texts would not fit.

    HDF5 follows addresses in the file: where they are damaged, it may read for ever.

    Raises
    ------
    ValueError
    """
    import_h5py(path)
    with readable(path, "HDF5 file"):
        output = output_of("structure", path, options)
        # as bytes, and as text
        check_size(f"{path.name}: its texts", 2 * int(output or 0), options)


def check_links(path: Path, file: Any) -> None:
    """Reject a file that would make HDF5 open other files.

    External links, virtual data sets and external raw storage can name any path on
    the machine, whose content would be read as data.

    Raises
    ------
    ValueError
    """
    import h5py

    seen, waiting = set(), [("", file)]
    while waiting:
        where, group = waiting.pop()
        for name in group:
            link = group.get(name, getlink=True)
            place = f"{where}/{name}"
            if isinstance(link, h5py.ExternalLink):
                raise ValueError(
                    f"{path.name}: {place!r} is a link to another file. {OUTSIDE}"
                )
            if isinstance(link, h5py.SoftLink):
                continue  # its target is checked itself
            item = group.get(name)
            if isinstance(item, h5py.Dataset) and (item.is_virtual or item.external):
                raise ValueError(
                    f"{path.name}: {place!r} keeps its values in other files. {OUTSIDE}"
                )
            if isinstance(item, h5py.Group):
                key = h5py.h5o.get_info(item.id).addr
                if key not in seen:
                    seen.add(key)
                    waiting.append((place, item))


class _Reader:
    """Turn HDF5 objects of one open file into arrays, lists and dicts."""

    def __init__(
        self, path: Path, file: Any, matlab: bool, options: ReadOptions
    ) -> None:
        self.path = path
        self.file = file
        self.matlab = matlab
        self.options = options
        self.depth = 0

    def fields(self, group: Any, where: str) -> dict[str, Any]:
        """Read the members of a group; report those without data."""
        members = {}
        for name in group:
            if name[:1] == "#":
                continue
            item = group.get(name)
            if item is None:
                self.options.log.leave_out(where + name, "a broken link")
            elif type(item).__name__ == "Datatype":
                self.options.log.leave_out(where + name, "a data type without data")
            else:
                members[name] = self.read(item, f"{where}{name}.")
        return members

    def read(self, item: Any, where: str = "") -> Any:
        """Read a group (sparse matrix or struct) or a data set."""
        if not hasattr(item, "dtype"):
            if "MATLAB_sparse" in item.attrs:
                return self._sparse(item)
            return self._struct(item, where)
        if item.shape is None:
            return None
        if item.attrs.get("MATLAB_empty"):
            return np.zeros(tuple(int(side) for side in item[()].ravel()))
        large = item.nbytes > self.options.eager_bytes and not self.matlab
        where = f"{self.path.name}: {item.name}"
        if large and _stays(item):
            check_stored(where, item, item.id.get_storage_size, self.options)
            return FileArray(self.path, item.name)
        check_size(where, item.nbytes, self.options)
        if item.dtype.kind == "O":
            return self._objects(item)
        value = np.asarray(item[()])
        if _class(item) == "char":
            return _strings(value)
        return value.T if self.matlab or "MATLAB_class" in item.attrs else value

    @contextmanager
    def _deeper(self, item: Any, kind: str) -> Iterator[None]:
        self.depth += 1
        if self.depth > DEEPEST:
            raise ValueError(
                f"{self.path.name}: {item.name!r} is a {kind} inside more than"
                f" {DEEPEST} others, or inside itself. Store plain arrays at the top"
                " level"
            )
        yield
        self.depth -= 1

    def _struct(self, group: Any, where: str) -> Any:
        with self._deeper(group, "group"):
            fields = self.fields(group, where)
            return _struct_array(group, fields) or fields

    def _objects(self, item: Any) -> Any:
        """Read a cell (references, in MATLAB's order) or strings of Python files."""
        import h5py

        entries = np.asarray(item[()]).ravel()
        if h5py.check_ref_dtype(item.dtype) is None:
            if all(isinstance(entry, bytes | str) for entry in entries):
                return strings(_text(entry) for entry in entries)
            return [np.asarray(entry) for entry in entries]  # vectors of any length
        with self._deeper(item, "cell"):
            return [self.read(self.file[entry]) for entry in entries]

    def _sparse(self, group: Any) -> sparse.csc_matrix:
        """Read MATLAB's compressed columns; a matrix of zeros has no data at all."""
        for part in group.values():
            where = f"{self.path.name}: {part.name}"
            check_size(where, part.nbytes, self.options)
        starts = np.asarray(group["jc"][()]).ravel().astype(np.int64)
        shape = (int(group.attrs["MATLAB_sparse"]), len(starts) - 1)
        check_size(f"{self.path.name}: {group.name}", 8 * sum(shape), self.options)
        if "data" not in group:
            return sparse.csc_matrix(shape)
        rows = np.asarray(group["ir"][()]).ravel().astype(np.int64)
        values = np.asarray(group["data"][()]).ravel()
        matrix = sparse.csc_matrix((values, rows, starts), shape=shape)
        check_sparse(matrix, f"{self.path.name}: {group.name}")
        return matrix


def _text(entry: Any) -> str:
    return entry.decode(errors="replace") if isinstance(entry, bytes) else entry


def _stays(item: Any) -> bool:
    """Return whether a data set can be read row by row from the file."""
    return item.ndim == 2 and item.dtype.kind in "buif" and not _class(item)


def _class(item: Any) -> str:
    name = item.attrs.get("MATLAB_class", b"")
    return name.decode() if isinstance(name, bytes) else str(name)


def _strings(codes: np.ndarray) -> np.ndarray:
    """Read character codes: every column of the reversed array is one string."""
    lines = codes.T.reshape(-1, codes.shape[0])
    return np.array(["".join(map(chr, line)) for line in lines])


def _struct_array(group: Any, fields: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return the elements of a struct array, None for a single struct.

    The fields of a struct array are bare references; cells are marked as cells.
    """
    bare = [
        hasattr(v, "dtype") and v.dtype.kind == "O" and not _class(v)
        for v in group.values()
    ]
    if (
        not bare
        or not all(bare)
        or not all(isinstance(v, list) for v in fields.values())
    ):
        return None
    rows = zip(*fields.values(), strict=True)
    return [dict(zip(fields, row, strict=True)) for row in rows]
