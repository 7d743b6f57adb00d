"""Time, memory and accuracy from a hundred thousand to ten million samples.

    python benchmarks/scale.py compare [--n 100000]     against k-means, same run
    python benchmarks/scale.py linear [--n 100000]      all methods of linear cost
    python benchmarks/scale.py growth --sizes 100000 300000 1000000 3000000 -o out.jsonl
    python benchmarks/scale.py mapped --n 10000000 --folder DIR
    python benchmarks/scale.py dask [--n 300000]        in memory against two workers
    python benchmarks/scale.py dask-anchor-filter [--n 1000000]
    python benchmarks/scale.py parquet --n 10000000 --folder DIR [--features 30]
        [--workers 2] [--memory 2GB]    on dask workers, and the same in memory
    python benchmarks/scale.py part [--n 1000000]        a tenth of the rows, and all
    python benchmarks/scale.py peers [--n 100000]       other packages, if installed
    python benchmarks/scale.py fit -o out.jsonl          exponent from a growth file
    python benchmarks/scale.py plot -o out.jsonl         the figure of the docs

The data are ``mvgraph.datasets.make_ambiguous_views``: ten clusters, three views of
thirty features; every view merges three pairs of clusters. Every fit runs in a process
of its own; the memory is its peak of private pages (RssAnon) while it fits, data
included. State the threads by OMP_NUM_THREADS.
"""

import argparse
import json
import multiprocessing
import os
import threading
import time
from itertools import chain
from pathlib import Path

import numpy as np

METHODS = ("kmeans", "graph-consensus", "anchor-filter")
LINEAR = (
    *("opmc", "fpmvs-cag", "lmvsc", "udbgl", "fastmice"),
    *("mvsc", "sfmc", "rdekm"),
)


class Peak:
    """Largest private memory in MB while the block runs."""

    def __enter__(self):
        self.mb, self._stop = 0.0, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def _watch(self):
        while not self._stop.wait(0.02):
            self.look()

    def look(self):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("RssAnon"):
                self.mb = max(self.mb, int(line.split()[1]) / 1024)

    def __exit__(self, *error):
        self.look()
        self._stop.set()
        self._thread.join()


def build(name):
    from sklearn.cluster import KMeans

    from mvgraph import methods

    if name == "kmeans":
        return KMeans(10, n_init=10, random_state=0)
    return methods.get(name).make(10, random_state=0)


def joined(views):
    parts = [(x - x.mean(0)) / x.std(0) / np.sqrt(x.shape[1]) for x in views]
    return np.hstack(parts)


def one(name, n, queue):
    from mvgraph import datasets, metrics

    warm, _ = small()
    build(name).fit(joined(warm) if name == "kmeans" else warm)  # compiles kernels
    data = datasets.make_ambiguous_views(n)
    views = list(data.views.arrays)
    with Peak() as peak:
        start, cpu = time.perf_counter(), time.process_time()
        model = build(name).fit(joined(views) if name == "kmeans" else views)
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    acc = metrics.accuracy(data.labels, model.labels_)
    row = {"method": name, "n": n, "seconds": seconds, "cpu_seconds": cpu}
    queue.put({**row, "mb": peak.mb, "acc": acc})


def small():
    from mvgraph import datasets

    data = datasets.make_ambiguous_views(400)
    return list(data.views.arrays), data.labels


def isolated(target, *args):
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=target, args=(*args, queue))
    process.start()
    while queue.empty():
        process.join(0.2)
        if process.exitcode and queue.empty():
            raise SystemExit(f"the process of {args} failed")
    result = queue.get()
    process.join()
    return result | {"threads": os.environ.get("OMP_NUM_THREADS", "all")}


def compare(args, names=METHODS):
    first = None
    for name in names:
        row = isolated(one, name, args.n)
        first = row if first is None else first
        row["ratio"] = row["seconds"] / first["seconds"]
        print(json.dumps(row), flush=True)


def linear(args):
    compare(args, args.methods or (*METHODS, *LINEAR))


def faiss_kmeans(views):
    import faiss

    X = np.ascontiguousarray(joined(views), dtype=np.float32)
    model = faiss.Kmeans(X.shape[1], 10, niter=25, nredo=10, seed=1)
    model.train(X)
    return model.index.search(X, 1)[1].ravel()


def opimc(views):
    from imml.cluster import OPIMC

    scaled = [(x - x.mean(0)) / x.std(0) for x in views]
    return OPIMC(n_clusters=10, random_state=0).fit(scaled).labels_


def polyview_kmeans(views):
    from polyview.cluster import MultiViewKMeans

    scaled = [(x - x.mean(0)) / x.std(0) for x in views]
    return MultiViewKMeans(n_clusters=10, random_state=0).fit(scaled).labels_


def anchor_spectral(views):
    """Spectral cut of the anchor graph of the joined views: 1000 anchors, 5 nearest."""
    from sklearn.cluster import KMeans

    from mvgraph.graphs.anchors import kmeans_anchors
    from mvgraph.graphs.bipartite import view_graphs
    from mvgraph.ops.linalg.spectral import bipartite_embedding, row_normalise
    from mvgraph.views.coerce import as_views

    views = as_views([joined(views)])
    anchors = kmeans_anchors(
        views, min(1000, len(views) // 2), np.random.default_rng(0)
    )
    Z = view_graphs(views, anchors, 5)[0].tocsr()
    U = row_normalise(bipartite_embedding(Z[:, np.diff(Z.tocsc().indptr) > 0], 10).P)
    return KMeans(10, n_init=10, random_state=0).fit_predict(U)


def one_peer(name, n, queue):
    from mvgraph import datasets, metrics

    data = datasets.make_ambiguous_views(n)
    views = list(data.views.arrays)
    try:
        PEERS[name](small()[0])
        with Peak() as peak:
            start = time.perf_counter()
            labels = PEERS[name](views)
            seconds = time.perf_counter() - start
    except ImportError as error:
        queue.put({"method": name, "n": n, "error": str(error)})
        return
    acc = metrics.accuracy(data.labels, np.asarray(labels))
    queue.put({"method": name, "n": n, "seconds": seconds, "mb": peak.mb, "acc": acc})


def peers(args):
    base = isolated(one, "kmeans", args.n)
    for row in chain([base], (isolated(one_peer, name, args.n) for name in PEERS)):
        if "seconds" in row:
            row["ratio"] = row["seconds"] / base["seconds"]
        print(json.dumps(row), flush=True)


def growth(args):
    for n in args.sizes:
        for name in METHODS[1:]:
            row = isolated(one, name, n)
            print(json.dumps(row), flush=True)
            if args.output:
                with args.output.open("a") as file:
                    file.write(json.dumps(row) + "\n")


def fit(args):
    rows = [json.loads(line) for line in args.output.read_text().splitlines()]
    for name in METHODS[1:]:
        mine = [r for r in rows if r["method"] == name]
        n, s = (np.log([r[key] for r in mine]) for key in ("n", "cpu_seconds"))
        print(name, "exponent", round(float(np.polyfit(n, s, 1)[0]), 3))


def plot(args):
    """Draw processor seconds and memory into docs/_static."""
    import matplotlib.pyplot as plt
    from figures import save

    rows = [json.loads(line) for line in args.output.read_text().splitlines()]

    def draw():
        figure, (time_axes, memory_axes) = plt.subplots(
            1, 2, figsize=(7, 3), layout="constrained"
        )
        for name, mark in zip(METHODS[1:], "os", strict=True):
            mine = [r for r in rows if r["method"] == name]
            n = [r["n"] for r in mine]
            time_axes.plot(n, [r["cpu_seconds"] for r in mine], marker=mark, label=name)
            memory_axes.plot(n, [r["mb"] / 1024 for r in mine], marker=mark)
        labels = {
            time_axes: ("processor seconds", [5, 10, 20, 50, 100]),
            memory_axes: ("private memory, GiB", [0.25, 0.5, 1, 2, 4]),
        }
        for axes, (what, ticks) in labels.items():
            axes.set(xscale="log", yscale="log", xlabel="samples", ylabel=what)
            axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
            axes.minorticks_off()
            axes.grid(alpha=0.3)
        time_axes.legend()
        return figure

    save(draw, "growth.svg")


def write_mapped(folder, n, block=500_000):
    """Write three float32 views block by block; every block has the same clusters."""
    from mvgraph import datasets

    folder.mkdir(parents=True, exist_ok=True)
    maps = [
        np.lib.format.open_memmap(folder / f"{v}.npy", "w+", np.float32, (n, 30))
        for v in range(3)
    ]
    base = datasets.make_ambiguous_views(block)
    labels = np.empty(n, dtype=np.int8)
    rng = np.random.default_rng(0)
    for start in range(0, n, block):
        size = min(block, n - start)
        rows = rng.permutation(block)[:size]
        for file, x in zip(maps, base.views.arrays, strict=True):
            jitter = 0.01 * rng.standard_normal((size, 30), dtype=np.float32)
            file[start : start + size] = x[rows] + jitter
        labels[start : start + size] = base.labels[rows]
    np.save(folder / "labels.npy", labels)


def one_mapped(folder, queue):
    from mvgraph import metrics

    build("graph-consensus").fit(small()[0])
    views = [np.load(folder / f"{v}.npy", mmap_mode="r") for v in range(3)]
    labels = np.load(folder / "labels.npy")
    with Peak() as peak:
        start = time.perf_counter()
        model = build("graph-consensus").fit(views)
        seconds = time.perf_counter() - start
    acc = metrics.accuracy(labels, model.labels_)
    row = {"n": len(labels), "seconds": seconds, "mb": peak.mb, "acc": acc}
    queue.put({"method": "graph-consensus, mapped"} | row)


def mapped(args):
    if not (args.folder / "labels.npy").exists():
        write_mapped(args.folder, args.n)
    print(json.dumps(isolated(one_mapped, args.folder)))


def part(args):
    """Accuracy on a tenth of the rows of one set, and on all: the same clusters.

    Sets of other sizes from the same seed have other centres.
    """
    from mvgraph import datasets, metrics

    data = datasets.make_ambiguous_views(args.n)
    for name in METHODS:
        row = {"method": name}
        for n in (args.n // 10, args.n):
            X, y = [x[:n] for x in data.views.arrays], data.labels[:n]
            model = build(name).fit(joined(X) if name == "kmeans" else X)
            row[f"acc at {n}"] = metrics.accuracy(y, model.labels_)
        print(json.dumps(row), flush=True)


def local_workers(n=2, memory="auto"):
    """Processes of one thread each."""
    from distributed import LocalCluster

    return LocalCluster(
        n_workers=n, threads_per_worker=1, memory_limit=memory, dashboard_address=":0"
    )


def measured(client, f):
    """Return the result of f, its seconds, and those of all processors together."""

    def processors():
        return sum(client.run(time.process_time).values()) + time.process_time()

    before = processors()
    found, seconds = timed(f)
    return found, seconds, processors() - before


def dask(args):
    """Fit and predict in memory, then on dask arrays that two workers hold.

    Seconds, and seconds of all processors together, which other load changes less.
    """
    import dask.array as da
    from distributed import Client

    from mvgraph import GraphConsensus, datasets

    views = datasets.make_ambiguous_views(args.n).views.arrays
    fit = GraphConsensus(10, random_state=0).fit
    fit(small()[0])
    with local_workers() as cluster, Client(cluster) as client:
        far = [da.from_array(x, chunks=(30_000, -1)).persist() for x in views]
        client.rebalance()
        start = [x[:60_000] for x in far]  # workers load the library and the kernels
        fit(start).predict(start).compute()

        def fitted(views):
            return measured(
                client, lambda: GraphConsensus(10, random_state=0).fit(views)
            )

        runs = {"fit_memory": fitted(views), "fit_dask": fitted(far)}
        here, there = runs["fit_memory"][0], runs["fit_dask"][0]
        runs["predict_memory"] = measured(client, lambda: here.predict(views))
        runs["predict_dask"] = measured(client, lambda: there.predict(far).compute())
    row = {"n": args.n, "threads": os.environ.get("OMP_NUM_THREADS")}
    row["load"] = os.getloadavg()[0]
    for name, (_, seconds, processors) in runs.items():
        row |= {name: seconds, f"{name}_cpu": processors}
    for what in ("fit", "predict"):
        for kind in ("", "_cpu"):
            ratio = row[f"{what}_dask{kind}"] / row[f"{what}_memory{kind}"]
            row[f"{what}_ratio{kind}"] = ratio
    row["same_labels"] = bool(np.array_equal(here.labels_, there.labels_))
    new = runs["predict_memory"][0], runs["predict_dask"][0]
    print(json.dumps(row | {"same_predicted": bool(np.array_equal(*new))}))


def timed(f):
    start = time.perf_counter()
    return f(), time.perf_counter() - start


def write_parts(args, part=250_000):
    """Write a folder of Parquet files, float32; return them and the columns by view."""
    import pandas as pd

    from mvgraph import datasets

    width = args.features // 3
    names = [[f"v{v}_{c}" for c in range(width)] for v in range(3)]
    rows = datasets.make_ambiguous_views(part).views.arrays
    rows = np.hstack([x[:, :width] for x in rows])
    args.folder.mkdir(parents=True, exist_ok=True)
    files = [args.folder / f"part{i:04}.parquet" for i in range(-(-args.n // part))]
    for i, file in enumerate(files):
        if not file.exists():
            noise = 0.3 * np.random.default_rng(i).normal(size=rows.shape)
            frame = pd.DataFrame(
                (rows + noise).astype(np.float32), columns=[*chain(*names)]
            )
            frame.to_parquet(file)
    return files, names


def parquet(args):
    """Fit on columns of Parquet files, which workers read, and the same in memory."""
    import resource

    import dask.dataframe as dd
    from distributed import Client

    from mvgraph import GraphConsensus

    def peak_mb():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    files, names = write_parts(args)
    with local_workers(args.workers, args.memory) as cluster, Client(cluster) as client:
        table = dd.read_parquet(files).to_dask_array(lengths=True)
        width = args.features // 3
        views = [table[:, v * width : (v + 1) * width] for v in range(3)]
        with Peak() as peak:
            model, seconds, processors = measured(
                client, lambda: GraphConsensus(10, random_state=0).fit(views)
            )
            new, *predicted = measured(client, lambda: model.predict(views).compute())
        workers = max(client.run(peak_mb).values())
    row = {"n": len(new), "features": args.features, "memory": args.memory}
    row |= {"fit": seconds, "fit_cpu": processors, "predict": predicted[0]}
    row |= {"predict_cpu": predicted[1], "worker_peak_mb": workers}
    row |= {"client_peak_mb": peak.mb, "load": os.getloadavg()[0]}
    row |= {"clusters": np.bincount(new).tolist(), "stages": model.history_}
    print(json.dumps(row), flush=True)
    print(json.dumps(isolated(one_in_memory, files, names, model.labels_)))


def one_in_memory(files, names, labels, queue):
    import pyarrow.parquet as pq

    views = [np.empty((len(labels), len(own)), np.float32) for own in names]
    at = 0
    for file in files:
        table = pq.read_table(file)
        for view, own in zip(views, names, strict=True):
            view[at : at + len(table)] = table.select(own).to_pandas().to_numpy()
        at += len(table)
    build("graph-consensus").fit(small()[0])
    with Peak() as peak:
        cpu = time.process_time()
        model, seconds = timed(lambda: build("graph-consensus").fit(views))
        cpu = time.process_time() - cpu
    same = model.labels_ == labels
    row = {"in memory": seconds, "cpu": cpu, "mb": peak.mb}
    row["same_labels"] = bool(same.all())
    queue.put(row | {"same_in_first_million": bool(same[:1_000_000].all())})


def dask_anchor_filter(args):
    from distributed import Client

    from mvgraph import AnchorFilter, datasets
    from mvgraph.engines.distributed import DistributedEngine

    data = datasets.make_ambiguous_views(args.n)
    memory, seconds = timed(lambda: AnchorFilter(10, random_state=0).fit(data.views))
    with local_workers() as cluster, Client(cluster) as client:
        AnchorFilter(10, random_state=0, engine=DistributedEngine(client)).fit(
            small()[0]
        )
        engine = DistributedEngine(client)
        far, theirs = timed(
            lambda: AnchorFilter(10, random_state=0, engine=engine).fit(data.views)
        )
    same = bool(np.array_equal(memory.labels_, far.labels_))
    row = {"n": args.n, "memory_seconds": seconds, "dask_seconds": theirs}
    print(json.dumps(row | {"ratio": theirs / seconds, "same_labels": same}))


PEERS = {
    "faiss k-means": faiss_kmeans,
    "iMML OPIMC": opimc,
    "polyview MultiViewKMeans": polyview_kmeans,
    "anchor-graph spectral": anchor_spectral,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=sorted(COMMANDS))
    parser.add_argument("--n", type=int)
    sizes = [100_000, 300_000, 1_000_000, 3_000_000]
    parser.add_argument("--sizes", type=int, nargs="+", default=sizes)
    parser.add_argument("--methods", nargs="+", help="of linear; the first is 1")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--features", type=int, default=90, help="of parquet")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", default="auto", help="of every worker: 2GB")
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args()
    defaults = {"compare": 100_000, "peers": 100_000, "mapped": 10_000_000}
    defaults |= {"dask": 300_000, "parquet": 10_000_000}
    args.n = args.n or defaults.get(args.what, 1_000_000)
    COMMANDS[args.what](args)


COMMANDS = {
    "compare": compare,
    "linear": linear,
    "growth": growth,
    "fit": fit,
    "plot": plot,
    "mapped": mapped,
    "dask": dask,
    "dask-anchor-filter": dask_anchor_filter,
    "parquet": parquet,
    "part": part,
    "peers": peers,
}

if __name__ == "__main__":
    main()
