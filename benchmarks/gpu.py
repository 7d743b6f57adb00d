"""MGL on a GPU: the labels of the CPU, then seconds a step of both.

    python benchmarks/gpu.py [--device auto|cupy|cuda|cpu] [--samples 20000]

Checks that every basis gives the labels of NumPy, for views held by CuPy or
torch, then times single steps of both on a larger problem. Prints what it does on
stderr and one JSON line; ends in under five minutes (``--limit`` seconds for the
timing). ``cpu`` runs torch on the processor, to try the script where no GPU is.
"""

import argparse
import json
import sys
import time

import numpy as np

from mvgraph import MGL
from mvgraph.datasets import make_ambiguous_views
from mvgraph.graphs.anchors import select_anchors
from mvgraph.mgl import steps
from mvgraph.mgl.problem import Problem
from mvgraph.ops.arrays import device_of
from mvgraph.ops.proximal.tensor import BASES
from mvgraph.views.scaling import learn_scalings, scale_views


def open_device(name):
    """Return a function that moves arrays there, one that waits, and a description."""
    if name in ("auto", "cupy"):
        try:
            import cupy

            gpu = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
            wait = cupy.cuda.Device().synchronize
            return cupy.asarray, wait, f"cupy {cupy.__version__}, {gpu}"
        except Exception as error:
            if name == "cupy":
                raise SystemExit(f"no CuPy with a GPU: {error}") from error
    import torch

    if name in ("auto", "cuda") and torch.cuda.is_available():
        about = f"torch {torch.__version__}, {torch.cuda.get_device_name()}"
        return lambda a: torch.asarray(a, device="cuda"), torch.cuda.synchronize, about
    if name in ("auto", "cuda"):
        raise SystemExit(
            "neither CuPy nor torch sees a GPU; --device cpu tries without"
        )
    about = f"torch {torch.__version__} on the processor, no GPU"
    return torch.asarray, lambda: None, about


def check(put):
    """Return, by basis, whether labels are equal, and the largest gap of the graphs."""
    data = make_ambiguous_views(1000)
    moved = [put(np.array(x)) for x in data.views.arrays]
    found = {}
    for basis in BASES:
        settings = {"basis": basis, "n_anchors": 100, "max_iter": 60, "random_state": 0}
        cpu = MGL(9, **settings).fit(data.views)
        start = time.perf_counter()
        gpu = MGL(9, **settings).fit(moved)
        found[basis] = {
            "same_labels": bool((cpu.labels_ == gpu.labels_).all()),
            "graph_gap": float(abs(cpu.graph_ - gpu.graph_).max()),
            "steps": [cpu.n_iter_, gpu.n_iter_],
        }
        print(f"{basis}: {found[basis]}, {time.perf_counter() - start:.1f} s",
              file=sys.stderr)  # fmt: skip
    return found


def seconds_a_step(views, basis, device, wait, limit, n_anchors):
    """Return the median time of a step, the first (which compiles) left out."""
    scaled = scale_views(views, learn_scalings(views, "auto"))
    rng = np.random.default_rng(0)
    anchors = select_anchors(scaled, "kmeans", n_anchors, rng)
    problem = Problem(9, 5, 0.01, 1.0, 1e-3, 1.1, 0.1, 300, basis)
    problem, state = steps.start_from_views(scaled, anchors, problem, device)
    state = steps.step(problem, state)
    wait()
    times, end = [], time.perf_counter() + limit
    while len(times) < 10 and (len(times) < 2 or time.perf_counter() < end):
        start = time.perf_counter()
        state = steps.step(problem, state)
        wait()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--device", default="auto", choices=["auto", "cupy", "cuda", "cpu"]
    )
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--anchors", type=int, default=300)
    parser.add_argument("--limit", type=float, default=12, help="seconds a timing")
    args = parser.parse_args()
    put, wait, about = open_device(args.device)
    print(about, file=sys.stderr)
    result = {"device": about, "check": check(put)}
    result["ok"] = all(c["same_labels"] for c in result["check"].values())

    device = device_of(put(np.ones(1)))
    views = make_ambiguous_views(args.samples).views
    result |= {"n": args.samples, "m": args.anchors, "v": views.n_views, "seconds": {}}
    for basis in BASES:
        cpu, gpu = (
            seconds_a_step(views, basis, h, wait, args.limit, args.anchors)
            for h in (None, device)
        )
        result["seconds"][basis] = {"numpy": cpu, "device": gpu, "ratio": cpu / gpu}
        print(f"{basis}: {result['seconds'][basis]}", file=sys.stderr)
    print(json.dumps(result))
    sys.exit(not result["ok"])


if __name__ == "__main__":
    main()
