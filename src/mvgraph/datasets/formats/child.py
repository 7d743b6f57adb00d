"""The script that `isolated` runs: it reads one file under limits of its own.

It imports nothing of this package, so that it starts in a tenth of a second.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import sys
from typing import Any

#: Bytes of texts read at a time, about.
PIECE = 2**18
#: Bytes of the texts that were read so far.
TEXT_BYTES: list[int] = []


def sheets(path: str) -> None:
    """Write every sheet of a workbook as CSV, each after a line that describes it.

    Blank lines, and titles above the table, are left out and counted; whole numbers
    lose their fraction, as a sheet shows them.
    """
    from python_calamine import CalamineWorkbook, SheetVisibleEnum

    book = CalamineWorkbook.from_path(path)
    shown = {
        s.name: s.visible == SheetVisibleEnum.Visible for s in book.sheets_metadata
    }
    for name in book.sheet_names:
        rows = book.get_sheet_by_name(name).to_python(skip_empty_area=True)
        text = io.StringIO()
        written = [row for row in rows if _full(row)]
        titles = next((i for i, r in enumerate(written) if not _is_title(r)), 0)
        csv.writer(text, lineterminator="\n").writerows(map(_cells, written[titles:]))
        content = text.getvalue().encode()
        sheet = {
            "name": name, "shown": shown.get(name, False), "rows": len(rows),
            "titles": titles, "blank": len(rows) - len(written), "bytes": len(content),
        }  # fmt: skip
        sys.stdout.buffer.write(json.dumps(sheet).encode() + b"\n")
        sys.stdout.buffer.write(content)


def _full(row: list[Any]) -> list[int]:
    return [i for i, cell in enumerate(row) if cell is not None and cell != ""]


def _is_title(row: list[Any]) -> bool:
    """Return whether a row has one cell, the first: a title above the table."""
    return _full(row) == [0] and len(row) > 1


def _cells(row: list[Any]) -> list[Any]:
    return [
        int(c) if isinstance(c, float) and c.is_integer() and abs(c) < 2**53 else c
        for c in row
    ]


def structure(path: str) -> None:
    """Walk everything in an HDF5 file but its numbers; write the bytes of all texts.

    Texts are references, and any number of them may share one text. What is damaged is
    left to whoever reads the file, but for a text that declares too much.
    """
    import h5py

    try:
        with h5py.File(path, "r") as file:
            file.visititems(_walk)
    except (OSError, RuntimeError, LookupError, ValueError, TypeError) as error:
        if "allocation failed" in str(error):
            raise MemoryError from error
    sys.stdout.write(str(sum(TEXT_BYTES)))


def _walk(name: str, item: Any) -> None:
    dict(item.attrs)
    if getattr(item, "shape", None) is None or item.is_virtual or item.external:
        return
    if item.chunks is not None:
        item.id.get_num_chunks()
    if item.dtype.kind == "O" and item.dtype.metadata and "vlen" in item.dtype.metadata:
        flat = item if item.ndim == 1 else [item[()]]
        start, step = 0, 1
        while start < len(flat):
            size = sum(map(len, flat[start : start + step]))
            TEXT_BYTES.append(size)
            start, step = start + step, 2 * step if size < PIECE else max(1, step // 2)


def values(path: str) -> None:
    """Write how many values a Parquet file has in its nested columns."""
    import pyarrow.parquet as pq

    meta, total = pq.read_metadata(path), 0
    nested = [
        i for i in range(len(meta.schema)) if meta.schema.column(i).max_repetition_level
    ]
    for g in range(meta.num_row_groups):
        total += sum(meta.row_group(g).column(i).num_values for i in nested)
    sys.stdout.write(str(total))


def arrow(path: str) -> None:
    """Read an Arrow file or stream, and write how many bytes its values take.

    A compressed buffer declares what it takes, however small the file is.
    """
    import pyarrow as pa

    with pa.OSFile(path) as stream:
        is_file = stream.read(6) == b"ARROW1"
        stream.seek(0)
        opened = pa.ipc.open_file if is_file else pa.ipc.open_stream
        table = opened(stream).read_all()
    table.validate(full=True)
    sys.stdout.write(str(pa.total_allocated_bytes()))


def market(path: str) -> None:
    """Read a Matrix Market file, which can crash SciPy's parser."""
    import gzip

    from scipy.io import mmread

    with open(path, "rb") as stream:
        is_packed = stream.read(2) == b"\x1f\x8b"
    with gzip.open(path) if is_packed else open(path, "rb") as stream:
        mmread(stream)


WORKS = {f.__name__: f for f in (sheets, structure, values, arrow, market)}


def main() -> None:
    """Apply the limits of the command line, do the work, and report errors."""
    work, path, n_bytes, seconds = sys.argv[1:]
    with contextlib.suppress(ImportError, ValueError):  # not on every system
        import resource

        limits = {"RLIMIT_DATA": n_bytes, "RLIMIT_CPU": seconds, "RLIMIT_CORE": "0"}
        for name, most in limits.items():
            which = getattr(resource, name)
            hard = resource.getrlimit(which)[1]
            own = int(most) if hard == resource.RLIM_INFINITY else min(int(most), hard)
            resource.setrlimit(which, (own, hard))
    try:
        WORKS[work](path)
        sys.stdout.flush()
    except MemoryError:
        sys.exit("MemoryError")
    except Exception as error:
        sys.stderr.write(" ".join(str(error).split())[:200] or type(error).__name__)
        sys.exit(3)


if __name__ == "__main__":
    main()
