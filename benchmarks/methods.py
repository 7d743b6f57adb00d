"""Time every method on one labelled file beside a straightforward formulation of it.

    python benchmarks/methods.py DATA.mat [--preset paper] [--methods amgl clr]
        [--limit 300] [--repeats 1] [--n-init N] [-o table.md]

Prints a Markdown table: processor seconds (all threads), wall seconds and accuracy of
the method and of its reference in plain NumPy and SciPy
(benchmarks/reference_implementations), the ARI between the two, and the wall seconds of
the reference over ours. Rows are shuffled by seed 0.

Each runs in a process of its own, one after the other, in the same environment: set
OMP_NUM_THREADS (ours keeps BLAS on one thread in any case). Starting Python, importing,
reading the file and one fit on 60 rows, which compiles or loads the kernels of ours,
are not timed, for either. With --repeats the fastest fit counts. The reference gets the
rows and views in the order in which the method works on them, the same parameters and a
generator with the same seed; scaling is part of both times. Starts of k-means differ:
with --n-init 50 both come close to the best ones, which shows whether the two agree.
"""

import argparse
import contextlib
import multiprocessing
import os
import time
import warnings
from pathlib import Path

import numpy as np

WARM_UP_ROWS = 60


def ours(data, model, name):
    """Return what makes a fit of some rows: rows -> labels."""
    return lambda rows: model.fit(data.views[rows]).labels_


def reference(data, model, name):
    """Return what fits the reference implementation to some rows: rows -> labels."""
    from reference_implementations import REFERENCES
    from sklearn.base import clone
    from sklearn.utils import check_random_state

    from mvgraph.views.order import content_order
    from mvgraph.views.scaling import apply_steps, fit_scaling

    def fit(rows):
        p, seed = clone(model), int(check_random_state(0).randint(2**31 - 1))
        views = data.views[rows]
        back, keys = np.arange(len(rows)), np.arange(views.n_views)
        if model._order_free:
            order, keys, *_ = content_order(views, seed)
            views, back = views.select(keys)[order], np.argsort(order)
            if getattr(p, "view", None) is not None:
                p.view = int(np.flatnonzero(keys == p.view)[0])
        X = [scale(x, getattr(p, "scaling", "none")) for x in views.arrays]
        return REFERENCES[name](X, p, np.random.default_rng(seed))[back]

    def scale(x, rule):
        x = np.asarray(x.toarray() if hasattr(x, "toarray") else x, dtype=np.float64)
        return apply_steps(x, fit_scaling(x, rule))

    return fit


def child(make, args, name, pipe):
    """Warm up, report it, fit; send processor seconds, wall seconds and labels."""
    from mvgraph import datasets, methods
    from mvgraph.evaluation.protocol import row_order

    warnings.simplefilter("ignore")
    data, entry = datasets.load(args.data), methods.get(name)
    preset = args.preset if args.preset in entry.presets else "default"
    model = entry.make(len(np.unique(data.labels)), 0, preset, data.name)
    if args.n_init and "n_init" in model.get_params():
        model.set_params(n_init=args.n_init)
    rows = row_order(len(data.labels), "shuffled", 0)
    fit = make(data, model, name)
    with contextlib.suppress(Exception):  # some need more rows than that
        fit(rows[:WARM_UP_ROWS])
    pipe.send("ready")
    best = (np.inf, np.inf, None)
    for _ in range(args.repeats):
        start, clock = time.process_time(), time.perf_counter()
        labels = fit(rows)
        cpu, wall = time.process_time() - start, time.perf_counter() - clock
        best = min(best, (cpu, wall, labels), key=lambda run: run[1])
    pipe.send((*best, np.asarray(data.labels)[rows]))


def measure(make, args, name):
    """Run one child; return its last message, or the reason why there is none."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=child, args=(make, args, name, there))
    process.start()
    there.close()
    try:
        here.recv()  # warmed up
        if here.poll(args.limit * args.repeats):
            return here.recv()
        return f"over {args.limit:.0f}"
    except EOFError:
        return "failed"
    finally:
        process.kill()
        process.join()


def cells(run):
    from mvgraph.metrics import scores

    if isinstance(run, str):
        return [run, run, ""]
    cpu, wall, labels, truth = run
    return [f"{cpu:.2f}", f"{wall:.2f}", f"{scores(truth, labels)['acc']:.3f}"]


def compare(mine, other, limit):
    """ARI between two runs, and wall seconds of the other over mine."""
    from mvgraph.metrics import scores

    if isinstance(mine, str) or other == "failed":
        return ["", ""]
    if isinstance(other, str):
        return ["", f"over {limit / mine[1]:.1f}"]
    ari = scores(other[2], mine[2])["ari"]
    return [f"{ari:.3f}", f"{other[1] / mine[1]:.2f}"]


def main():
    from reference_implementations import REFERENCES

    from mvgraph import methods

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--preset", default="paper")
    parser.add_argument("--methods", nargs="+", default=methods.names())
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--n-init", type=int)
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args()
    lines = [
        f"{args.data.stem}, preset {args.preset}, rows shuffled, "
        f"OMP_NUM_THREADS={os.environ.get('OMP_NUM_THREADS', 'not set')}",
        "",
        "| method | processor s | wall s | ACC | reference processor s | "
        "reference wall s | reference ACC | ARI | reference wall / wall |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines))
    for name in args.methods:
        mine, row = measure(ours, args, name), [""] * 5
        if name in REFERENCES:
            other = measure(reference, args, name)
            row = cells(other) + compare(mine, other, args.limit)
        lines.append(f"| {' | '.join([name, *cells(mine), *row])} |")
        print(lines[-1], flush=True)
        if args.output:
            args.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
