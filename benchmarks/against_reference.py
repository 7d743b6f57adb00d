"""Compare MGL with a slow NumPy reference: same labels, time per iteration.

    python benchmarks/against_reference.py DATA.mat REFERENCE.py [--iterations 12]

REFERENCE.py is a module with a function ``mgl(X, K, anchors, lam, p, basis, k, mu, eta,
rank_from, max_iter)`` that returns the graphs. Both run the settings of the preset
``paper`` in this process, with the threads that the environment gives (ours with BLAS
on one thread, as in every fit, and threads of its own). Labels are compared at the end
of the whole fit with --full, else the graphs after some steps.
"""

import argparse
import importlib.util
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from mvgraph import datasets
from mvgraph.graphs.anchors import choose_anchors
from mvgraph.graphs.partition import components
from mvgraph.mgl import steps
from mvgraph.mgl.estimator import MGL
from mvgraph.mgl.problem import Problem, finished
from mvgraph.views.scaling import fit_scaling, scale_views


def warm_up(problem, state):
    """Compile or load all kernels: those of J = 0, and those of a small threshold."""
    steps.step(problem, state)
    steps.step(problem._replace(tensor_weight=1e-6), state)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("reference", type=Path)
    parser.add_argument("--iterations", type=int, default=12)
    parser.add_argument("--full", action="store_true")
    args = parser.parse_args()
    spec = importlib.util.spec_from_file_location("reference", args.reference)
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)

    data = datasets.load(args.data)
    K = len(np.unique(data.labels))
    model = MGL.paper(K, dataset=data.name, random_state=0)
    scalings = [fit_scaling(x, model.scaling) for x in data.views.arrays]
    scaled = scale_views(data.views, scalings)
    rng = np.random.default_rng(0)
    anchors = choose_anchors(
        data.views, scaled, model.anchors, model.n_anchors, len(scaled), K, rng
    )
    o = model.get_params()
    given = Problem(K, **{n: o[n] for n in Problem._fields if n in o})
    problem, state = steps.start_from_views(scaled, anchors, given)
    warm_up(problem, steps.start_from_views(scaled, anchors, given)[1])

    rank_from = np.inf
    start, count = time.perf_counter(), 0
    with threadpool_limits(limits=1, user_api="blas"):
        while count < (model.max_iter if args.full else args.iterations):
            state = steps.step(problem, state)
            count += 1
            if state.c.converged and rank_from == np.inf:
                rank_from = count
            if finished(state.c):
                break
    ours = (time.perf_counter() - start) / count

    start = time.perf_counter()
    Z = reference.mgl(
        scaled.arrays,
        K,
        anchors.rows,
        model.tensor_weight,
        model.p,
        model.basis,
        k=model.n_neighbors,
        mu=model.mu,
        eta=model.eta,
        rank_from=rank_from,
        max_iter=count + args.full,
    )
    theirs = (time.perf_counter() - start) / count
    pairs = set(
        zip(components(state.Zbar)[1], components(Z.mean(axis=0))[1], strict=True)
    )
    print(f"{data.name}: {count} iterations, anchors {len(anchors.rows)}")
    print(f"largest difference of the graphs {abs(Z - state.Z).max():.1e}")
    print(f"same components: {len(pairs) == components(state.Zbar)[0]} ({len(pairs)})")
    print(
        f"seconds per iteration: {ours:.3f}, reference {theirs:.3f}, "
        f"ratio {theirs / ours:.1f}"
    )


if __name__ == "__main__":
    main()
