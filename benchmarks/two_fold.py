"""Choose the constants of the default on half of the sets, report on the other half.

Every set is used as it is and with class sizes that fall geometrically to 1 / 10 and
1 / 30. Base partitions are made once per set and kept in a folder; the variants of the
fusion are compared on them. A constant is chosen by the mean accuracy over one half of
the sets (two_fold_split.json) and reported on the other, both ways.

    python benchmarks/two_fold.py FOLDER --cache CACHE [--seeds 2]

FOLDER holds one file per set, named as in the split up to "__".
"""

from __future__ import annotations

import itertools
import pickle
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from labelled_sets import SPLIT, find, read_options, unequal_rows

from mvgraph import datasets, metrics
from mvgraph.base.run import StageTimer
from mvgraph.consensus import base_partitions, fusion
from mvgraph.consensus.base_partitions import FAMILIES
from mvgraph.consensus.method import DEFAULT, Recipe
from mvgraph.graphs.dependence import linked_views
from mvgraph.graphs.neighbors import GraphSource, mean_of_graphs
from mvgraph.graphs.representations import (
    UNIT,
    informative_rows,
    represent,
    scalings,
)
from mvgraph.views.container import Views

RATIOS = (1, 10, 30)
POWERS = (4, 6)
JOINT = ((1.0, 0), (2.0, 4), (4.0, 8))
MEAN = (0, 8, 16, 32)
STAY = (0.1, 1e9)  # the last: nothing moves
ROUNDS = ((20, 10),)


class Made(NamedTuple):
    """Base partitions of one set, by number of neighbours, and the neighbours."""

    truth: np.ndarray
    partitions: dict[int, list]
    sources: list[GraphSource]


def make(path: Path, ratio: int, seed: int) -> Made:
    """Make the base partitions of a set."""
    data = datasets.load(path)
    rows = unequal_rows(np.asarray(data.labels), ratio, seed)
    views = data.views[rows]
    truth = np.unique(np.asarray(data.labels)[rows], return_inverse=True)[1]
    K = len(np.unique(truth))
    unit = _sources(views, [UNIT])[0]
    linked, _ = linked_views(base_partitions.view_partitions(unit, K, seed))
    views = views.select(np.flatnonzero(linked))
    sources = _sources(views, list(scalings(views)))
    with StageTimer()("partitions") as progress:
        made = {
            k: base_partitions.base_partitions(sources, k, K, seed, progress)
            for k in DEFAULT.neighbors
        }
    return Made(truth, made, sources)


def _sources(views: Views, names: list[str]) -> list[GraphSource]:
    informative, rules = informative_rows(views), scalings(views)
    made = (represent(views, name, rules[name], informative) for name in names)
    return [GraphSource.of(r, informative, max(DEFAULT.neighbors)) for r in made]


def fused(
    made: Made,
    rounds: tuple[int, ...],
    power: int,
    joint: tuple[float, int],
    mean_power: int,
) -> np.ndarray:
    """Fuse the partitions of some rounds with other constants than the library's."""
    parts = [p for k in rounds for p in made.partitions[k]]
    labels = np.stack([p.labels for p in parts])
    families = np.array([FAMILIES.index(p.family) for p in parts])
    recipe = Recipe(power=power, mean_power=mean_power)
    graphs = [source.mean_graph(rounds[-1]) for source in made.sources]
    W = mean_of_graphs(graphs, np.ones(len(graphs)))
    found = base_partitions.evidence_of(parts, W, recipe)
    if families.max() > 1:  # a mean graph besides the joint one
        r = (found / DEFAULT.joint_weight) ** (1 / DEFAULT.joint_power)
        found = np.where(families < 2, joint[0] * r ** joint[1], found)
    K, rng = len(np.unique(made.truth)), np.random.default_rng(0)
    inside = partial(base_partitions.assortativity, W)
    return fusion.fuse(labels, families, found, inside, K, rng, recipe).labels


def main() -> None:
    """Print, per variant, the mean accuracy of each half, and what is chosen."""
    args = read_options(__doc__.splitlines()[0], seeds=1)
    scores: dict[Any, dict[str, list[float]]] = {}
    for half, names in SPLIT.items():
        for name, ratio, seed in itertools.product(names, RATIOS, range(args.seeds)):
            kept = args.cache / f"{name}_{ratio}_{seed}.pkl"
            if not kept.exists():
                made = make(find(args.folder, name), ratio, seed)
                kept.write_bytes(pickle.dumps(made))
            made = pickle.loads(kept.read_bytes())
            most = DEFAULT.neighbors[0]
            graphs = [source.mean_graph(most) for source in made.sources]
            for constants in itertools.product(ROUNDS, POWERS, JOINT, MEAN):
                labels = fused(made, *constants)
                for stay in STAY:
                    moved = fusion.settled(labels, graphs, Recipe(stay=stay))
                    acc = metrics.scores(made.truth, moved)["acc"]
                    variant = scores.setdefault((*constants, stay), {})
                    variant.setdefault(half, []).append(acc)
                    variant.setdefault(f"{half} 1:{ratio}", []).append(acc)
            print(f"{name} 1:{ratio} seed {seed}", flush=True)
    means = {v: {h: float(np.mean(a)) for h, a in s.items()} for v, s in scores.items()}
    for variant, mean in sorted(means.items(), key=lambda item: -sum(item[1].values())):
        print(variant, {h: round(a, 3) for h, a in sorted(mean.items())})
    for chosen_on, reported in (("a", "b"), ("b", "a")):
        best = max(means, key=lambda v: means[v][chosen_on])
        joint = DEFAULT.joint_weight, DEFAULT.joint_power
        own = DEFAULT.neighbors, DEFAULT.power, joint, DEFAULT.mean_power
        library = means[*own, DEFAULT.stay]
        chosen, kept = means[best][reported], library[reported]
        print(f"chosen on {chosen_on}: {best}")
        print(f"on {reported}: {chosen:.4f}, the library's constants {kept:.4f}")


if __name__ == "__main__":
    main()
