"""The size in memory is known before anything is decoded, whatever a file says."""

import bz2
import contextlib
import gzip
import json
import zipfile

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from mvgraph import datasets
from mvgraph.datasets.formats.limits import output_of
from mvgraph.datasets.layout.source import ReadOptions
from mvgraph.ops import memory

LIMIT = 40_000_000  # bytes that a reader may add
N = 6_000_000  # zeros that do not fit: 48 MB


def arrow():
    """Import pyarrow with its formats; at the top it would slow down every process."""
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.ipc")
    pytest.importorskip("pyarrow.parquet")
    return pa


def as_arrow(path, compression="zstd", **columns):
    pa = arrow()
    table = pa.table({k: v() if callable(v) else v for k, v in columns.items()})
    options = pa.ipc.IpcWriteOptions(compression=compression)
    new = pa.ipc.new_file if path.suffix == ".arrow" else pa.ipc.new_stream
    with new(str(path), table.schema, options=options) as file:
        file.write_table(table)


def as_parquet(path, **columns):
    pa = arrow()
    table = pa.table({k: v() if callable(v) else v for k, v in columns.items()})
    pa.parquet.write_table(table, path, row_group_size=N)


def repeated(n=300):
    """A dictionary of one long text."""
    pa = arrow()
    index = pa.array(np.zeros(n, np.int32))
    return pa.DictionaryArray.from_arrays(index, pa.array(["x" * 200_000]))


def vectors(n=40, missing=False):
    pa = arrow()
    values = pa.array(np.zeros(N), mask=np.arange(N) == 5 if missing else None)
    return pa.FixedSizeListArray.from_arrays(values, N // n)


def with_a_hole():
    return vectors(missing=True)


def runs(n=2_000_000_000):
    pa = arrow()
    return pa.RunEndEncodedArray.from_arrays(pa.array([n], pa.int32()), pa.array([1.0]))


def hdf5(path, **options):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        for name in "ab":
            file.create_dataset(name, dtype="f8", **options)


def shared_texts(path):
    """References to one long text."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(600.0).reshape(300, 2)
        file.create_dataset("ids", (300,), h5py.string_dtype(), fillvalue="x" * 200_000)


def in_zarr(path, shape, chunks, **options):
    zarr = pytest.importorskip("zarr")
    group = zarr.open_group(str(path), mode="w")
    for name in "ab":
        group.create_array(name, shape=shape, chunks=chunks, dtype="f8", **options)


def folder_of_parts(path):
    """Parts of columns of vectors, each below the limit, which are read at once."""
    path.mkdir()
    values = arrow().FixedSizeListArray.from_arrays(np.zeros(N // 4), N // 160)
    for part in range(4):
        as_parquet(path / f"{part}.parquet", v=values)


def workbook(path, rows, texts=""):
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    offices = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    packages = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{packages}/content-types"><Default'
        f' Extension="rels" ContentType="{kind}-package.relationships+xml"/><Default'
        ' Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{packages}/relationships"><Relationship'
        f' Id="rId1" Type="{offices}/officeDocument" Target="xl/workbook.xml"/>'
        "</Relationships>",
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{offices}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{packages}/'
        f'relationships"><Relationship Id="rId1" Type="{offices}/worksheet"'
        ' Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{rows}'
        "</sheetData></worksheet>",
        "xl/sharedStrings.xml": f'<sst xmlns="{main}"><si><t>{texts}</t></si></sst>',
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, '<?xml version="1.0"?>' + text)


CORNER = (
    '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576">'
    "<v>3</v></c></row>"
)
SHARED = "".join(
    f'<row r="{i}">' + '<c t="s"><v>0</v></c>' * 30 + "</row>" for i in range(1, 101)
)
TALL = (2 * 10**9, 5)
FILES = {
    "texts.arrow": lambda p: as_arrow(p, t=repeated, x=np.arange(300.0)),
    "vectors.arrow": lambda p: as_arrow(p, v=vectors, x=np.arange(40.0)),
    "stream.ipc": lambda p: as_arrow(p, v=vectors, x=np.arange(40.0)),
    "holes.arrow": lambda p: as_arrow(p, v=with_a_hole),
    "runs.arrow": lambda p: as_arrow(p, a=runs, b=runs),
    "nothing.arrow": lambda p: as_arrow(p, a=lambda: arrow().nulls(10**9)),
    "texts.parquet": lambda p: as_parquet(p, t=repeated, x=np.arange(300.0)),
    "vectors.parquet": lambda p: as_parquet(p, v=vectors),
    "bytes.parquet": lambda p: as_parquet(p, **dict.fromkeys("abc", np.zeros(N, "i1"))),
    "group.parquet": lambda p: as_parquet(p, a=np.zeros(N), b=np.zeros(N)),
    "folder.parquet": folder_of_parts,
    "fill.h5": lambda p: hdf5(p, shape=TALL, chunks=(1000, 5), fillvalue=1.0),
    "chunk.h5": lambda p: hdf5(p, shape=(N * 4, 2), chunks=(N, 2), compression=9),
    "texts.h5": shared_texts,
    "fill.zarr": lambda p: in_zarr(p, TALL, (1000, 5), fill_value=1.0),
    "chunk.zarr": lambda p: in_zarr(p, (N * 4, 2), (N, 2)),
    "rows.mat": lambda p: scipy.io.savemat(p, {"x": sp.csc_matrix((10**8, 5))}),
    "coo.npz": lambda p: sp.save_npz(p, sp.coo_matrix((10**8, 5))),
    "csc.npz": lambda p: sp.save_npz(p, sp.csc_matrix((10**8, 5))),
    "dia.npz": lambda p: sp.save_npz(p, sp.dia_matrix((10**8, 5))),
    "lines.csv.gz": lambda p: p.write_bytes(gzip.compress(b"a,b\n" + b"0,0\n" * N)),
    "lines.tsv.bz2": lambda p: p.write_bytes(bz2.compress(b"a\tb\n" + b"0\t0\n" * N)),
    "lines.csv": lambda p: p.write_bytes(b"a,b\n" + b"0,0\n" * N),
    "corner.xlsx": lambda p: workbook(p, CORNER),
    "texts.xlsx": lambda p: workbook(p, SHARED, "x" * 30_000),
}  # fmt: skip
QUICK = {"texts.arrow", "fill.h5", "corner.xlsx", "dia.npz", "folder.parquet"}


@pytest.mark.parametrize(
    "name",
    [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in FILES],
)
def test_what_does_not_fit_is_refused_before_it_takes_memory(tmp_path, name):
    path = tmp_path / name
    FILES[name](path)
    arrow().default_memory_pool().release_unused()  # else it may be in the middle
    with memory.PeakMemory(0.002) as before:
        pass
    limit = int(before.peak_mb * 2**20) + LIMIT
    with memory.PeakMemory(0.002) as used, pytest.raises(memory.TooLargeError) as why:
        datasets.load(path, memory_limit=limit)
    assert "Raise memory_limit" in str(why.value)
    assert used.peak_mb - before.peak_mb < 2.5 * LIMIT / 2**20


@pytest.mark.parametrize("compression", [None, "zstd", "lz4"])
@pytest.mark.parametrize("name", ["a.arrow", "a.ipc"])
def test_bytes_of_arrow_are_those_of_its_buffers(tmp_path, compression, name):
    columns = {
        "v": arrow().FixedSizeListArray.from_arrays(np.arange(4000.0), 10),
        "s": arrow().array([f"x{i % 5}" for i in range(400)]).dictionary_encode(),
        "t": arrow().array(["hello"] * 400),
    }
    as_arrow(tmp_path / name, compression, **columns)
    taken = int(output_of("arrow", tmp_path / name, ReadOptions()))
    expected = arrow().table(columns).nbytes
    assert expected <= taken < expected + 5000  # buffers end at whole words


@pytest.mark.parametrize("at", range(0, 400, 57))
def test_a_damaged_message_of_arrow_is_one_sentence(tmp_path, at):
    path = tmp_path / "a.arrow"
    as_arrow(path, x=np.arange(50.0), y=np.arange(50.0))
    content = bytearray(path.read_bytes())
    content[-at - 8 : -at or None] = b"\xff" * 8
    path.write_bytes(content)
    with contextlib.suppress(ValueError):  # and no other exception
        datasets.load(path)


@pytest.mark.parametrize("inside", ["compressor", "filters", "codecs", "shard"])
def test_codecs_that_run_code_are_refused(tmp_path, inside):
    path = tmp_path / "a.zarr"
    in_zarr(path, (30, 4), (30, 4))
    file = path / "a" / "zarr.json"
    about, pickle = json.loads(file.read_text()), {"name": "pickle", "id": "pickle"}
    shard = {"name": "sharding_indexed", "configuration": {"codecs": [pickle]}}
    odd = {"codecs": [pickle], "shard": [shard], "filters": [pickle]}
    about["codecs" if inside == "shard" else inside] = odd.get(inside, pickle)
    file.write_text(json.dumps(about))
    with pytest.raises(ValueError, match="packed with 'pickle'"):
        datasets.load(path)


def test_one_long_text_costs_the_others_nothing(tmp_path):
    rows = "".join(f"r{i},{i % 7},{i % 3}\n" for i in range(5000))
    path = tmp_path / "a.csv"
    path.write_text("id,b,c\n" + rows + "z" * 500_000 + ",2,1\n")
    with memory.PeakMemory(0.002) as before:
        pass
    with memory.PeakMemory(0.002) as used:
        assert len(datasets.load(path).views) == 5001
    assert used.peak_mb - before.peak_mb < 100  # padded texts would take 10 GB


@pytest.mark.parametrize(
    "names",
    [
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ],
)
def test_the_limit_of_a_control_group_counts(tmp_path, names):
    most, taken = (tmp_path / name for name in names)
    most.parent.mkdir(exist_ok=True)
    taken.write_text("400")
    most.write_text("1000")
    assert memory.free_bytes(tmp_path) == 600
    most.write_text("max")
    assert memory.free_bytes(tmp_path) != 600


def test_a_text_that_declares_too_much_is_refused(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["x"] = np.zeros((30, 3))
        file["names"] = [f"s{i}" for i in range(30)]
        place = file["names"].id.get_offset()
    content = bytearray(path.read_bytes())
    content[place : place + 4] = (500_000_000).to_bytes(4, "little")  # its length
    path.write_bytes(content)
    with memory.PeakMemory(0.002) as used:
        start = memory.private_bytes()
        with pytest.raises(memory.TooLargeError, match="takes more in memory"):
            datasets.load(path, memory_limit=start + 200_000_000)
    assert used.peak_mb < (start + 100_000_000) / 2**20


@pytest.mark.parametrize("ending", ["npy", "npz", "parquet", "csv"])
def test_the_caller_may_refuse_a_number_of_samples(tmp_path, ending):
    pd = pytest.importorskip("pandas")
    rows = np.random.default_rng(0).normal(size=(40, 3))
    path = tmp_path / f"x.{ending}"
    if ending in ("npy", "npz"):
        np.save(path, rows) if ending == "npy" else np.savez(path, rows)
    else:
        frame = pd.DataFrame(rows, columns=["a", "b", "c"])
        frame["said"] = "two\nlines"  # which are one row
        to = frame.to_csv if ending == "csv" else frame.to_parquet
        to(path, index=False)
    seen = []
    datasets.load(path, admit=seen.append)
    assert {*seen} == {40}

    def refuse(n):
        raise memory.TooLargeError(f"{n} are too many")

    with pytest.raises(memory.TooLargeError, match="40 are too many"):
        datasets.load(path, admit=refuse)
