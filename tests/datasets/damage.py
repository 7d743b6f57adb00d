"""Small files of every format, ways to damage them, and a process that reads one."""

import contextlib
import gzip
import hashlib
import importlib
import json
import os
import resource
import shutil
import signal
import time
import traceback
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.io
from scipy import sparse
from structures import mutate, restructure

from data import planted
from mvgraph import AnchorFilter, GraphConsensus

#: Imported before processes are forked, which would import them once a file.
READERS = (
    "anndata", "h5py", "narwhals", "pyarrow.csv", "pyarrow.compute", "pyarrow.feather",
    "pyarrow.parquet", "python_calamine", "scipy.io", "zarr", "mvgraph.datasets._load",
    "mvgraph.datasets.formats.folder", "mvgraph.datasets.formats.market",
    "mvgraph.datasets.formats.h5ad", "mvgraph.datasets.formats.arrow",
    "mvgraph.bench.plan", "mvgraph.persistence.models", "mvgraph.tables.schema_file",
)  # fmt: skip

SECONDS, MEGABYTES = 20, 400  # beyond what the process starts with
VIEWS = planted(40)[0]
SCHEMA = """\
views:
  first: [a, b]
  second: [c, d]
ids: id
labels: y
kinds: {a: number, flag: category}
impute: median
"""
PLAN = """\
title: Two methods
sets: [digits]
repeats: 1
time_limit: 60
runs:
  - methods: [mgl, anchor-filter]
    preset: default
    orders: [shuffled]
    grid: &grid
      n_anchors: [0.1, 0.2]
"""
LIMIT = 200_000_000  # bytes that a reader may add to what the process holds


def write_all(folder):
    """Write one good file (or folder) of every format; return their paths."""
    for package in READERS:
        with contextlib.suppress(ImportError):
            importlib.import_module(package)
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(30, 4)), rng.random(size=(30, 6))
    y = np.arange(30) % 3
    counts = sparse.csr_matrix(rng.poisson(0.5, size=(30, 12)))
    frame = pd.DataFrame(a, columns=list("abcd")).assign(flag=b[:, 0] > 0.5)
    frame.insert(0, "id", [f"s{i}" for i in range(30)])
    folder = Path(folder)
    np.save(folder / "a.npy", a)
    np.savez(folder / "a.npz", x=a, z=b, labels=y)
    np.savez_compressed(folder / "packed.npz", x=a, z=b, labels=y)
    sparse.save_npz(folder / "sparse.npz", counts)
    cell = np.empty((1, 2), dtype=object)
    cell[0, :] = [a, counts]
    for name, more in (("v5", {}), ("v5c", {"do_compression": True})):
        scipy.io.savemat(folder / f"{name}.mat", {"X": cell, "Y": y}, **more)
    scipy.io.savemat(folder / "v4.mat", {"x1": a, "x2": b, "Y": y}, format="4")
    scipy.io.mmwrite(folder / "a.mtx", counts)
    (folder / "b.mtx.gz").write_bytes(gzip.compress((folder / "a.mtx").read_bytes()))
    frame.to_csv(folder / "a.csv", index=False)
    frame.to_csv(folder / "b.csv.gz", index=False)
    frame.to_csv(folder / "c.csv.zst", index=False)
    frame.to_csv(folder / "a.tsv", index=False, sep="\t")
    np.savetxt(folder / "a.txt", a)
    frame.to_parquet(folder / "a.parquet")
    frame.assign(v=list(b)).to_parquet(folder / "vectors.parquet")
    frame.to_feather(folder / "a.feather")
    with_arrow(frame, folder)
    with_hdf5(folder, a, b, counts, y)
    with_workbook(folder, frame)
    return sorted(p for p in folder.iterdir())


def write_others(folder):
    """Write a model of each own method, and the files of options."""
    folder = Path(folder)
    GraphConsensus(3, random_state=0).fit(VIEWS).save(folder / "consensus-model")
    AnchorFilter(3, random_state=0).fit(VIEWS).save(folder / "filter-model")
    (folder / "schema.yaml").write_text(SCHEMA)
    (folder / "plan.yaml").write_text(PLAN)


def with_arrow(frame, folder):
    import pyarrow as pa

    table = pa.Table.from_pandas(frame)
    with pa.ipc.new_stream(str(folder / "stream.arrow"), table.schema) as stream:
        stream.write_table(table)


def with_hdf5(folder, a, b, counts, y):
    import anndata
    import h5py
    import zarr

    with h5py.File(folder / "a.h5", "w") as file:
        file["x"], file["z"], file["labels"] = a, b, y
        file.create_dataset("packed", data=b, chunks=(10, 6), compression="gzip")
    with h5py.File(folder / "v73.mat", "w", userblock_size=512) as file:
        file["x1"], file["x2"], file["Y"] = a.T, b.T, y[:, None]
    write_tenx(folder / "tenx.h5", counts)
    cells = anndata.AnnData(counts.astype(np.float32))
    cells.obsm["X_pca"] = a
    cells.write_h5ad(folder / "a.h5ad")
    group = zarr.open_group(str(folder / "a.zarr"), mode="w")
    group.create_array("x", data=a)
    group.create_array("z", data=b)
    (folder / "tenx").mkdir()
    scipy.io.mmwrite(folder / "tenx" / "matrix.mtx", counts.T)
    names = "\n".join(f"g{i}\tG{i}\tGene Expression" for i in range(12))
    (folder / "tenx" / "features.tsv").write_text(names)
    (folder / "tenx" / "barcodes.tsv").write_text("\n".join(f"c{i}" for i in range(30)))


def write_tenx(path, counts, kinds=("Gene Expression",) * 12):
    """Write counts (cells x features) as cellranger 3 does."""
    import h5py

    with h5py.File(path, "w") as file:
        group = file.create_group("matrix")
        group["data"], group["indices"] = counts.data, counts.indices
        group["indptr"], group["shape"] = counts.indptr, counts.shape[::-1]
        cells, genes = range(counts.shape[0]), range(counts.shape[1])
        group["barcodes"] = np.array([f"c{i}".encode() for i in cells])
        own = group.create_group("features")
        own["id"] = np.array([f"g{i}".encode() for i in genes])
        own["name"] = np.array([f"G{i}".encode() for i in genes])
        own["feature_type"] = np.array([kind.encode() for kind in kinds])


def with_workbook(folder, frame):
    """Write a workbook of two sheets, which pandas does with openpyxl."""
    with pd.ExcelWriter(folder / "a.xlsx") as book:
        frame.to_excel(book, sheet_name="first", index=False)
        frame.iloc[::-1].to_excel(book, sheet_name="second", index=False)


def damaged_copy(source, target, rng):
    """Damage a file, or one file of a folder: any bytes of it, or within its format."""
    if not source.is_dir():
        target.write_bytes(_damaged(source.name, source.read_bytes(), rng))
        return target
    shutil.copytree(source, target)
    files = sorted(p for p in target.rglob("*") if p.is_file())
    one = files[int(rng.integers(len(files)))]
    one.write_bytes(_damaged(one.name, one.read_bytes(), rng))
    if (target / "model.json").is_file() and rng.random() < 0.7:
        with contextlib.suppress(ValueError, LookupError, TypeError, OSError):
            reseal(target)
    return target


def _damaged(name, content, rng):
    way = mutate if rng.random() < 0.5 else partial(restructure, name)
    return way(content, rng)


def reseal(folder):
    """Write the checksums of a model anew, as whoever forges one would."""
    from mvgraph.persistence.document import seal

    path = folder / "model.json"
    document = json.loads(path.read_text())
    content = (folder / document["arrays"]["file"]).read_bytes()
    document["arrays"]["sha256"] = hashlib.sha256(content).hexdigest()
    document["sha256"] = seal(document)
    path.write_text(json.dumps(document))


def read_apart(path):
    """Read a file in a process of its own.

    Returns (outcome, megabytes, message): read, refused, traceback, crash or hang.
    """
    note = Path(f"{path}.outcome")
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        _serve(path, note)
    while True:
        done, status, usage = os.wait4(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() - start > SECONDS:
            os.kill(child, signal.SIGKILL)
            os.wait4(child, 0)
            return "hang", 0, ""
        time.sleep(0.002)
    before, _, message = note.read_text().partition("\n")
    note.unlink()
    if os.WIFSIGNALED(status):
        return "crash", 0, f"signal {os.WTERMSIG(status)}"
    outcome = {0: "read", 2: "refused"}.get(os.WEXITSTATUS(status), "traceback")
    return outcome, usage.ru_maxrss / 1024 - float(before), message


def _serve(path, note):
    """Read a file and everything that stayed in it; end the process."""
    from mvgraph.ops.memory import private_bytes

    def say(text):
        note.write_text(f"{before}\n{text}")

    pages = int(Path("/proc/self/statm").read_text().split()[1])
    before = pages * resource.getpagesize() / 2**20
    say("")
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 1)
    os.dup2(devnull, 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    status = 3
    try:
        warnings.simplefilter("ignore")
        _read(path, (private_bytes() or 0) + LIMIT)
        status = 0
    except (ValueError, MemoryError, OSError) as error:
        named = any(part in str(error) for part in (path.name, *_inside(path)))
        status = 2 if named else 3
        say(str(error))
    except BaseException:
        say(traceback.format_exc())
    finally:
        os._exit(status)


def _read(path, limit):
    """Read a file of data, of options, or a model, and use what it holds."""
    from mvgraph import bench, datasets, load_model
    from mvgraph.tables.schema_file import read_schema
    from mvgraph.views.casting import check_sparse

    if path.name.endswith("schema.yaml"):
        read_schema(path)
    elif path.name.endswith("plan.yaml"):
        bench.plan.load(str(path))
    elif path.name.endswith("model"):
        model = load_model(path, memory_limit=limit)
        assert set(model.predict(VIEWS)) <= set(model.cluster_ids_)
    else:
        data = datasets.load(path, memory_limit=limit)
        for x in data.views.arrays:
            check_sparse(x) if sparse.issparse(x) else np.asarray(x[:])


def _inside(path):
    return [p.name for p in path.iterdir()] if path.is_dir() else []
