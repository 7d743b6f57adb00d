"""Accuracy of every method with its default settings, rows shuffled, K given.

    python benchmarks/shuffled.py run FOLDER -o shuffled.jsonl [--seeds 0 1 2 3 4]
        [--methods graph-consensus ...] [--sets msrc_v5 ...] [--limit 600]
        [--order shuffled|published] [--noise] [--double]
    python benchmarks/shuffled.py table -o shuffled.jsonl

FOLDER holds labelled files that ``mvgraph.datasets.load`` can read; incomplete sets are
left out. Every fit is one line of the output; lines that are there are not run again. A
method that needs more than --limit seconds on a set is stopped and not tried there with
other seeds. --noise adds a view of pure noise, --double a copy of the first view.
``table`` prints means over seeds, their mean over sets, mean ranks among the methods
that finished a set, and the change from the published order to shuffled rows.
"""

import argparse
import json
import multiprocessing
from collections import defaultdict
from pathlib import Path

import numpy as np

KEYS = ("data", "method", "order", "change", "seed")
OVER = "over the limit"


def changed(data, change, seed):
    """Return the set with one more view."""
    from mvgraph.views.coerce import as_views

    arrays = list(data.views.arrays)
    if change == "noise":
        rng = np.random.default_rng([seed, 77])
        arrays.append(rng.normal(size=(len(data.labels), 50)))
    if change == "double":
        arrays.append(arrays[0])
    return data._replace(views=as_views(arrays))


def one(path, method, order, change, seed, queue):
    from mvgraph import datasets
    from mvgraph.evaluation.protocol import evaluate

    data = datasets.load(path)
    if change:
        data = changed(data, change, seed)
    row = evaluate(data, method, order=order, seed=seed)
    queue.put({k: row[k] for k in ("acc", "nmi", "ari", "seconds", "n", "k", "views")})


def limited(limit, *job):
    """Run one fit in a process of its own; return the reason if there is no result."""
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=one, args=(*job, queue))
    process.start()
    process.join(limit)
    if process.is_alive():
        process.kill()
        process.join()
        return {"error": OVER}
    return {"error": "failed"} if process.exitcode else queue.get()


def complete_sets(folder, names):
    for path in sorted(folder.glob("*.mat")):
        name = path.stem.split("__")[0]
        if "incomplete" not in name and (not names or name in names):
            yield name, path


def read(path):
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def run(args):
    from mvgraph import methods

    change = "noise" if args.noise else "double" if args.double else ""
    rows = read(args.output)
    done = {tuple(r[k] for k in KEYS) for r in rows}
    slow = {(r["data"], r["method"]) for r in rows if r.get("error") == OVER}
    for seed in args.seeds:
        for method in args.methods or methods.names():
            for name, path in complete_sets(args.folder, args.sets):
                key = (name, method, args.order, change, seed)
                if key in done or (name, method) in slow:
                    continue
                row = dict(zip(KEYS, key, strict=True))
                row |= limited(args.limit, path, method, args.order, change, seed)
                if row.get("error") == OVER:
                    slow.add((name, method))
                with args.output.open("a") as file:
                    file.write(json.dumps(row) + "\n")
                print(row, flush=True)


def means(rows, order, change=""):
    """Return the mean ACC by method and set."""
    runs = defaultdict(list)
    for r in rows:
        if r["order"] == order and r["change"] == change and "acc" in r:
            runs[r["method"], r["data"]].append(r["acc"])
    return {key: float(np.mean(values)) for key, values in runs.items()}


def ranks(table, methods, sets):
    """Return the mean rank of every method among those that finished each set."""
    from scipy.stats import rankdata

    found = defaultdict(list)
    for s in sets:
        here = [m for m in methods if (m, s) in table]
        scores = -np.round([table[m, s] for m in here], 3)
        for m, rank in zip(here, rankdata(scores), strict=True):
            found[m].append(rank)
    return {m: float(np.mean(r)) for m, r in found.items()}


def table(args):
    rows = read(args.output)
    shuffled, published = (means(rows, order) for order in ("shuffled", "published"))
    sets = sorted({s for _, s in shuffled})
    methods = list(dict.fromkeys(m for m, _ in shuffled))
    place = ranks(shuffled, methods, sets)
    mean = {
        m: np.mean([shuffled[m, s] for s in sets if (m, s) in shuffled])
        for m in methods
    }
    print(
        "| method | " + " | ".join(sets) + " | mean | sets | mean rank | order effect |"
    )
    print("|---" * (len(sets) + 5) + "|")
    for m in sorted(methods, key=lambda m: -mean[m]):
        cells = [f"{shuffled[m, s]:.3f}" if (m, s) in shuffled else "" for s in sets]
        both = [
            published[m, s] - shuffled[m, s]
            for s in sets
            if (m, s) in published and (m, s) in shuffled
        ]
        effect = f"{np.mean(both):+.3f}" if both else ""
        count = sum((m, s) in shuffled for s in sets)
        cells += [f"{mean[m]:.3f}", f"{count}", f"{place[m]:.2f}", effect]
        print(f"| {m} | " + " | ".join(cells) + " |")
    for change in ("noise", "double"):
        other = means(rows, "shuffled", change)
        for (m, s), acc in sorted(other.items()):
            print(f"{change}: {m} {s} {acc:.3f} ({acc - shuffled[m, s]:+.3f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("run", "table"))
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--methods", nargs="+")
    parser.add_argument("--sets", nargs="+")
    parser.add_argument("--limit", type=float, default=600)
    parser.add_argument(
        "--order", choices=("shuffled", "published"), default="shuffled"
    )
    parser.add_argument("--noise", action="store_true")
    parser.add_argument("--double", action="store_true")
    args = parser.parse_args()
    (run if args.what == "run" else table)(args)


if __name__ == "__main__":
    main()
