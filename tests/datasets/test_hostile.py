"""Files made to harm: bombs, links to other files, pipes, indices out of range."""

import gzip
import os
import re
import time
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pytest
import scipy.io
from scipy import sparse

from mvgraph import GraphConsensus, cli, datasets
from mvgraph.views.casting import check_sparse
from pairs import crossed

X = np.random.default_rng(0).normal(size=(30, 4))
BIG = (1000, 2500)  # 20 MB of zeros, which pack to almost nothing
#: Verbs with which the last sentence of a message says what to do.
ADVICE = "(Fetch|Copy|Raise|Save|Store|Write|Use)"


def refused(path, problem, **options):
    with pytest.raises(ValueError, match=problem) as caught:
        datasets.load(path, **options)
    assert path.name in str(caught.value)
    assert re.search(rf"\. {ADVICE} ", str(caught.value))


# ------------------------------------------------------------------------------ bombs
def bomb(folder, kind):
    path, zeros = folder / f"bomb.{kind}", np.zeros(BIG)
    if kind == "npz":
        np.savez_compressed(path, x=zeros)
    elif kind == "mat":
        scipy.io.savemat(path, {"x1": zeros, "x2": zeros}, do_compression=True)
    elif kind == "h5":
        h5py = pytest.importorskip("h5py")
        with h5py.File(path, "w") as file:  # complex numbers cannot stay in the file
            file.create_dataset("x", data=zeros.astype("c8"), compression="gzip")
    elif kind == "csv.gz":
        row = b",".join([b"0"] * 1000) + b"\n"
        path.write_bytes(gzip.compress(row * 25_000))
    elif kind == "mtx.gz":
        head = b"%%MatrixMarket matrix coordinate real general\n9 9 9\n"
        path.write_bytes(gzip.compress(head + b" " * 50_000_000))
    elif kind == "xlsx":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("xl/workbook.xml", bytes(50_000_000))
    return path


@pytest.mark.parametrize("kind", ["npz", "mat", "h5", "csv.gz", "mtx.gz", "xlsx"])
def test_bombs_are_refused_before_they_are_unpacked(tmp_path, kind):
    path = bomb(tmp_path, kind)
    assert path.stat().st_size < 2_000_000
    datasets_, start = datasets, time.perf_counter()
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"bomb.*more than the limit of 10 MB"):
        datasets_.load(path, memory_limit=10_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30_000_000
    assert time.perf_counter() - start < 10


def test_what_the_process_holds_is_taken_off_the_limit(tmp_path, monkeypatch):
    path = tmp_path / "x.csv"
    path.write_text("a,b\n" + "1.5,2.5\n" * 2000)
    monkeypatch.setattr("mvgraph.ops.memory.private_bytes", lambda: 150_000_000)
    assert len(datasets.load(path, memory_limit=150_100_000).views) == 2000
    words = (
        "takes 16 kB in memory on top of 150 MB of this process, more than the limit"
    )
    with pytest.raises(ValueError, match=words):
        datasets.load(path, memory_limit=150_010_000)


def test_declared_sizes_are_no_memory(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, X)
    content = path.read_bytes()
    path.write_bytes(content.replace(b"(30, 4)", b"(3000000000, 40)"[:7]))
    path.write_bytes(content.replace(b"(30, 4), }   ", b"(9999999, 4),}"[:13]))
    refused(path, "not a readable NumPy file")
    path = tmp_path / "a.mtx"
    head = "%%MatrixMarket matrix coordinate real general\n"
    path.write_text(head + "999999999999 4 1\n1 1 1.0\n")
    refused(path, "more than the")
    path.write_text(head + "4 4 2\n1 1 1.0\n")
    refused(path, "Truncated file. Expected another 1 line")
    path.write_text(head + "4 4 1\n9 1 1.0\n")
    refused(path, "not a readable Matrix Market file")


# ------------------------------------------------------------------------- other files
@pytest.mark.parametrize("kind", ["external", "virtual", "raw", "deep"])
@pytest.mark.parametrize("suffix", ["h5", "h5ad"])
def test_hdf5_reads_no_other_file(tmp_path, kind, suffix):
    h5py = pytest.importorskip("h5py")
    path, secret = tmp_path / f"f.{suffix}", tmp_path / "secret"
    secret.write_bytes(b"root:x:0:0" * 100)
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = X
    with h5py.File(path, "w") as file:
        file["a"] = X
        if kind == "external":
            file["b"] = h5py.ExternalLink(str(tmp_path / "other.h5"), "/x")
        elif kind == "deep":
            file["g/h/b"] = h5py.ExternalLink(str(tmp_path / "other.h5"), "/x")
        elif kind == "virtual":
            layout = h5py.VirtualLayout(X.shape, "f8")
            layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "x", X.shape)
            file.create_virtual_dataset("b", layout)
        else:
            file.create_dataset("b", (30, 8), "u1", external=[(str(secret), 0, 240)])
    refused(path, "link to another file|keeps its values in other files")


def test_hdf5_that_holds_more_than_arrays(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "f.h5"
    with h5py.File(path, "w") as file:
        file["a"], file["b"] = X, X
        file["gone"] = h5py.SoftLink("/nowhere")
        file["kind"] = np.dtype("f8")
        file["words"] = ["one", "two"]
        file["ragged"] = np.array(
            [np.ones(2), np.ones(3)], dtype=h5py.vlen_dtype(float)
        )
        file["empty"] = h5py.Empty("f8")
        group = file.create_group("loop")
        group["again"] = h5py.SoftLink("/a")
    data = datasets.load(path)
    assert data.views.names == ("a", "b")
    why = dict(data.reading.left_out)
    assert {"gone", "kind", "words", "ragged", "empty", "loop"} <= {*why}
    assert why["gone"] == "a broken link"
    with h5py.File(path, "a") as file:
        file["loop/itself"] = h5py.SoftLink("/loop")
    refused(path, "a group inside more than")
    with h5py.File(path, "a") as file:
        del file["loop/itself"]
        file["loop"]["itself"] = file["loop"]
    refused(path, "a group inside more than")


def test_pipes_and_devices_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    refused(tmp_path / "pipe.csv", "not a regular file")
    np.save(tmp_path / "a.npy", X)
    data = datasets.load(tmp_path)
    assert ("pipe.csv", "not a regular file") in data.reading.left_out
    with pytest.raises(ValueError, match="not a regular file"):
        datasets.load("/dev/zero")


# ---------------------------------------------------------------------- sparse indices
def broken(how, layout="csr"):
    matrix = sparse.random(30, 6, 0.4, format=layout, random_state=0)
    if how == "far":
        matrix.indices[3] = 10**9
    elif how == "one too far":
        matrix.indices[3] = matrix.shape[1 if layout == "csr" else 0]
    elif how == "negative":
        matrix.indices[3] = -1
    elif how == "pointers":
        matrix.indptr[4] = matrix.indptr[5] + 3
    else:
        matrix.indptr[-1] += 5
    return matrix


HOW = ["far", "one too far", "negative", "pointers", "beyond"]


@pytest.mark.parametrize("layout", ["csr", "csc"])
@pytest.mark.parametrize("how", HOW)
def test_indices_are_checked_in_memory(how, layout):
    with pytest.raises(ValueError, match="'view_0' is damaged"):
        GraphConsensus(3, random_state=0).fit([broken(how, layout), X])


@pytest.mark.parametrize(
    ("kind", "how"), crossed(["npz", "mat", "h5ad", "tenx.h5"], HOW)
)
def test_indices_are_checked_in_files(tmp_path, how, kind):
    matrix, path = broken(how), tmp_path / f"a.{kind}"
    if kind == "npz":
        sparse.save_npz(path, matrix)
    elif kind == "mat":
        scipy.io.savemat(path, {"x1": broken(how, "csc"), "x2": X})
    elif kind == "tenx.h5":
        damage = pytest.importorskip("damage")
        damage.write_tenx(path, matrix, ["Gene Expression"] * 6)
    else:
        anndata = pytest.importorskip("anndata")
        h5py = pytest.importorskip("h5py")
        good = sparse.random(30, 6, 0.4, format="csr", random_state=0)
        anndata.AnnData(good).write_h5ad(path)
        with h5py.File(path, "a") as file:
            file["X/indices"][...] = matrix.indices
            file["X/indptr"][...] = matrix.indptr
    with pytest.raises(ValueError, match=f"^a.{kind}"):
        datasets.load(path)


def test_good_matrices_of_every_layout_pass():
    dense = sparse.random(30, 6, 0.4, random_state=0)
    for layout in ("csr", "csc", "coo", "bsr", "dia", "lil", "dok"):
        check_sparse(dense.asformat(layout))
    check_sparse(sparse.csr_matrix((0, 3)))
    matrix = sparse.coo_matrix(dense)
    matrix.row[0] = 30
    with pytest.raises(ValueError, match="axis 0 index 30 exceeds"):
        check_sparse(matrix)


# ----------------------------------------------------------------------------- escapes
def test_names_do_not_steer_the_terminal(tmp_path, capsys):
    evil = "\x1b[31mred\x1b[2J"
    frame = pd.DataFrame(X, columns=[evil, "b", "c", "d"])
    frame.to_csv(tmp_path / "t.csv", index=False)
    np.savez(tmp_path / "t.npz", **{evil: X, "b": X[:, :2]})
    for args in (
        ["explain", tmp_path / "t.csv", "--n-clusters", 2],
        ["cluster", tmp_path / "t.npz", "--n-clusters", 2],
        ["datasets", "info", tmp_path / "t.npz"],
        ["cluster", tmp_path / "t.npz", "--views", "x", "--n-clusters", 2],
    ):
        with pytest.raises(SystemExit):
            cli.main([str(a) for a in args])
        out, err = capsys.readouterr()
        assert "\x1b" not in out + err
