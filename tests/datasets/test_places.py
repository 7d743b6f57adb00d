"""Where data lie makes no difference: files, parts, partitions, addresses."""

import http.server
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from mvgraph import datasets
from mvgraph.persistence.scratch import folder_of_process

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
slow = partial(pytest.param, marks=pytest.mark.slow)
EAGER = [0, slow(2**26)]


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(60, 4))
    table = pd.DataFrame(numbers, columns=["a1", "a2", "b1", "b2"])
    table.insert(0, "id", [f"s{i}" for i in range(60)])
    table["town"] = np.array(["x", "y", "z"])[rng.integers(3, size=60)]
    return table


@pytest.fixture
def day(frame, tmp_path):
    """Four parts in two folders, and the whole as one file."""
    return lay_out(frame, tmp_path)


def lay_out(frame, folder, write="parquet"):
    for part in range(4):
        inner = folder / f"2026-{part // 2}"
        inner.mkdir(exist_ok=True)
        save(frame[part * 15 :][:15], inner / f"part-{part}.{write}")
    save(frame, folder / f"part.{write}")
    return folder


def save(table, path):
    if path.suffix == ".csv":
        table.to_csv(path, index=False)
    elif path.suffix == ".arrow":
        table.reset_index(drop=True).to_feather(path)
    else:
        table.to_parquet(path, index=False, row_group_size=7)


def same(one, other):
    assert one.views.names == other.views.names
    assert one.views.feature_names == other.views.feature_names
    assert list(one.ids) == list(other.ids)
    for a, b in zip(one.views.arrays, other.views.arrays, strict=True):
        np.testing.assert_array_equal(a[:], b[:])


@pytest.mark.parametrize("eager", EAGER)
@pytest.mark.parametrize("ending", ["parquet", "csv", slow("arrow")])
def test_parts_are_the_table(frame, tmp_path, ending, eager):
    folder = lay_out(frame, tmp_path, ending)
    whole = datasets.load(folder / f"part.{ending}", eager_bytes=eager)
    files = sorted(folder.glob(f"*/*.{ending}"))
    for data in (f"{folder}/2026-*/part-*.{ending}", files[::-1], [*files, files[0]]):
        same(datasets.load(data, eager_bytes=eager), whole)


@pytest.mark.parametrize("eager", EAGER)
def test_partitions_are_columns(frame, tmp_path, eager):
    land = np.where(np.arange(60) % 2, "d e", "fr")
    frame = frame.assign(year=2024 + np.arange(60) // 20, land=land)
    folder = tmp_path / "sales"
    frame.to_parquet(folder, partition_cols=["year", "land"], index=False)
    save(frame, tmp_path / "sales.parquet")
    kinds = {"year": "numeric"}
    ways = {"kinds": kinds, "eager_bytes": eager}
    parts = datasets.load(folder, **ways)
    whole = datasets.load(tmp_path / "sales.parquet", **ways)
    assert parts.views.feature_names == whole.views.feature_names
    back = [list(whole.ids).index(name) for name in parts.ids]
    rows = whole.views.arrays[0][:][back]
    np.testing.assert_allclose(parts.views.arrays[0][:], rows)
    (folder / "notes.txt").write_text("not a part")
    (folder / "_SUCCESS").touch()
    reading = datasets.load(folder, **ways).reading
    assert "notes.txt" in {name for name, _ in reading.left_out}
    pattern = datasets.load(f"{folder}/year=*", **ways)
    np.testing.assert_array_equal(pattern.views.arrays[0][:], parts.views.arrays[0][:])


@pytest.mark.parametrize("ending", ["parquet", slow("csv")])
def test_columns_that_differ_are_refused(frame, tmp_path, ending):
    folder = lay_out(frame, tmp_path, ending)
    other = folder / f"2026-1/part-2.{ending}"
    pattern = f"{folder}/2026-*/part-*.{ending}"
    for change, said in (
        (frame.drop(columns="b1"), "part-2.*has no column 'b1'"),
        (frame.assign(c=1.0), "part-0.*has no column 'c'"),
        (frame.assign(a2="high"), "'a2' is numbers in .*part-0.*text in .*part-2"),
    ):
        save(change[30:45], other)
        with pytest.raises(ValueError, match=said):
            datasets.load(pattern)
    save(frame[30:45][["b2", "id", "town", "b1", "a2", "a1"]], other)
    same(datasets.load(pattern), datasets.load(folder / f"part.{ending}"))


def test_what_is_no_part_of_a_table_is_refused(day, tmp_path):
    np.savez(tmp_path / "x.npz", a=np.ones((9, 2)), b=np.ones((9, 3)))
    with pytest.raises(ValueError, match=r"x\.npz is not a table"):
        datasets.load([day / "part.parquet", tmp_path / "x.npz"])
    with pytest.raises(ValueError, match="empty"):
        datasets.load([])
    with pytest.raises(FileNotFoundError, match="no file"):
        datasets.load(f"{day}/2027-*/part.parquet")
    with pytest.raises(FileNotFoundError, match=r"nowhere\.csv"):
        datasets.load([day / "part.parquet", day / "nowhere.csv"])
    with pytest.raises(ValueError, match="s0"):  # rows twice: ids say so
        datasets.load([day / "part.parquet", day / "2026-0/part-0.parquet"])
    assert datasets.load(f"{tmp_path}/*.npz").views.names == ("a", "b")


@pytest.fixture
def memory(frame):
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()
    system.pseudo_dirs[:] = [""]


@pytest.mark.parametrize(
    "ending", ["parquet", *map(slow, ["csv", "npz", "mat", "h5ad", "xlsx"])]
)
def test_addresses_are_files(memory, frame, tmp_path, ending):
    path = tmp_path / f"toy.{ending}"
    if ending in ("parquet", "csv"):
        save(frame, path)
    elif ending == "xlsx":
        pytest.importorskip("python_calamine")
        frame.to_excel(path, index=False)
    elif ending == "h5ad":
        anndata = pytest.importorskip("anndata")
        cells = frame[["id"]].set_index("id")
        anndata.AnnData(frame[["a1", "a2"]].to_numpy(), obs=cells).write(path)
    else:
        from scipy.io import savemat

        views = {"a": frame[["a1", "a2"]].to_numpy(), "b": frame[["b1"]].to_numpy()}
        views["y"] = np.arange(60) % 2
        np.savez(path, **views) if ending == "npz" else savemat(path, views)
    memory.pipe(f"/deep/er/toy.{ending}", path.read_bytes())
    near, far = datasets.load(path), datasets.load(f"memory://deep/er/toy.{ending}")
    assert near.name == far.name
    assert near.views.names == far.views.names
    for a, b in zip(near.views.arrays, far.views.arrays, strict=True):
        np.testing.assert_array_equal(a[:], b[:])


@pytest.mark.slow
def test_patterns_and_folders_of_addresses_are_those_of_files(memory, frame, day):
    for file in day.glob("*/*.parquet"):
        memory.pipe(f"/in/{file.relative_to(day)}", file.read_bytes())
    whole = datasets.load(f"{day}/2026-*/part-*.parquet")
    same(datasets.load("memory://in/2026-*/part-*.parquet"), whole)
    for town, part in frame.groupby("town"):
        inner = day / f"hive/town={town}"
        inner.mkdir(parents=True)
        save(part.drop(columns="town"), inner / "x.parquet")
        memory.pipe(f"/hive/town={town}/x.parquet", (inner / "x.parquet").read_bytes())
    same(datasets.load("memory://hive"), datasets.load(day / "hive"))


class Cutting(http.server.SimpleHTTPRequestHandler):
    """Ends the connection in the middle of files whose name says so."""

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if "cut" not in path.name:
            super().do_GET()
            return
        content = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2])
        self.close_connection = True

    def log_message(self, *args):
        pass


@pytest.fixture
def server(day):
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    answer = partial(Cutting, directory=str(day))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), answer) as serving:
        thread = threading.Thread(target=serving.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{serving.server_port}"
        serving.shutdown()
        thread.join()


def copies():
    return [p for p in folder_of_process().rglob("*") if p.is_file()]


def test_the_web_is_a_file_too_and_a_cut_line_leaves_nothing(server, frame, day):
    far = datasets.load(f"{server}/part.parquet?version=2")
    assert far.reading.path == f"{server}/part.parquet?version=2"
    same(
        far,
        datasets.load(day / "part.parquet"),
    )
    both = [f"{server}/2026-0/part-{i}.parquet" for i in (0, 1)]
    same(datasets.load(both), datasets.load(f"{day}/2026-0/part-*.parquet"))
    before = copies()
    save(frame, day / "cut.csv")
    with pytest.raises(ConnectionError, match=r"cut\.csv: could not be read to"):
        datasets.load(f"{server}/cut.csv")
    with pytest.raises(FileNotFoundError, match=r"none\.csv"):
        datasets.load(f"{server}/none.csv")
    assert copies() == before


def test_a_package_that_lacks_is_named():
    pytest.importorskip("fsspec")
    with pytest.raises((ImportError, ConnectionError), match=r"s3fs|near"):
        datasets.load("s3://near/none.csv")
    with pytest.raises(ConnectionError, match="nothing://"):
        datasets.load("nothing://near/none.csv")
