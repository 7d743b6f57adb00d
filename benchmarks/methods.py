"""Time every method on one labelled file: one fit each, in a process of its own.

    python benchmarks/methods.py DATA.mat [--preset paper] [--limit 150] [-o table.md]

Prints a Markdown table of processor seconds (all threads), wall seconds and accuracy,
rows shuffled by seed 0. Beside them stand straightforward formulations (``TWINS``):
processor seconds measured once, in NumPy and SciPy, on one thread.
"""

import argparse
import multiprocessing
import os
import time
from pathlib import Path

# One fit on Handwritten4 (N = 2000): dense eigensolvers or SVDs of N x N in every step.
TWINS = {
    "co-reg": "2.3 (ARPACK), 13.2 (dense)",
    "rmsc": "100 to 145",
    "csmsc": "450",
    "etlmsc": "26 (t-SVT alone)",
    "clr": "24.0 (one view, dense)",
    "sfmc": "112",
    "tbgl": "180 (3.5 a step)",
    "mvsc": "1.7",
    "spectral-concat": "equal to scikit-learn",
}


def one(path, name, preset, queue):
    from mvgraph import datasets, methods
    from mvgraph.evaluation import evaluate

    data = datasets.load(path)
    known = methods.get(name).presets
    start, clock = time.process_time(), time.perf_counter()
    row = evaluate(data, name, preset=preset if preset in known else "default")
    cpu, wall = time.process_time() - start, time.perf_counter() - clock
    queue.put((cpu, wall, row["acc"]))


def main():
    from mvgraph import methods

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--preset", default="paper")
    parser.add_argument("--limit", type=float, default=150)
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args()
    lines = [
        f"{args.data.stem}, preset {args.preset}, rows shuffled, "
        f"OMP_NUM_THREADS={os.environ.get('OMP_NUM_THREADS', 'not set')}",
        "",
        "| method | processor s | wall s | ACC | straightforward, processor s |",
        "|---|---|---|---|---|",
    ]
    context = multiprocessing.get_context("spawn")
    for name in methods.names():
        queue = context.Queue()
        job = (args.data, name, args.preset, queue)
        process = context.Process(target=one, args=job)
        process.start()
        process.join(args.limit)
        if process.is_alive():
            process.kill()
            cells = f"over {args.limit:.0f} | | "
        elif process.exitcode:
            cells = "failed | | "
        else:
            cpu, wall, acc = queue.get()
            cells = f"{cpu:.1f} | {wall:.1f} | {acc:.3f}"
        lines.append(f"| {name} | {cells} | {TWINS.get(name, '')} |")
        print(lines[-1], flush=True)
        if args.output:
            args.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
