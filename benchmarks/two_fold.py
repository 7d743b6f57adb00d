"""Choose the constants of the default on half of the sets, report on the other half.

Every set is used as it is and with class sizes that fall geometrically to 1 / 10 and
1 / 30. Base partitions are made once per set and kept in a folder; the variants of the
fusion are compared on them. A constant is chosen by the mean accuracy over one half of
the sets (two_fold_split.json) and reported on the other, both ways.

    python benchmarks/two_fold.py FOLDER --cache CACHE [--seeds 2]

FOLDER holds one file per set, named as in the split up to "__".
"""

from __future__ import annotations

import argparse
import itertools
import pickle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from labelled_sets import SPLIT, find, unequal_rows

from mvgraph import datasets, metrics
from mvgraph.base.run import StageTimer
from mvgraph.consensus import base_partitions, fusion
from mvgraph.consensus.base_partitions import FAMILIES
from mvgraph.consensus.recipe import DEFAULT, Recipe
from mvgraph.consensus.view_selection import linked_views
from mvgraph.graphs.neighbors import GraphSource
from mvgraph.graphs.representations import informative_rows, representations

RATIOS = (1, 10, 30)
POWERS = (2, 4, 6, 8)
ROUNDS = ((20,), (10,), (20, 10))
RULES = ("best", "cut", "vote", "linkage", "linkage, vote")


class Made(NamedTuple):
    """Base partitions of one set, by number of neighbours."""

    truth: np.ndarray
    partitions: dict[int, list]


def make(path: Path, ratio: int, seed: int) -> Made:
    """Make the base partitions of a set."""
    data = datasets.load(path)
    rows = unequal_rows(np.asarray(data.labels), ratio, seed)
    views = data.views[rows]
    truth = np.unique(np.asarray(data.labels)[rows], return_inverse=True)[1]
    K = len(np.unique(truth))
    informative = informative_rows(views)
    scaled = representations(views, K, informative)
    source = GraphSource.of(
        scaled[min(1, len(scaled) - 1)], informative, max(DEFAULT.neighbors)
    )
    linked, _ = linked_views(base_partitions.view_partitions(source, K, seed))
    used = np.flatnonzero(linked)
    informative = informative[:, used]
    scaled = [r._replace(arrays=[r.arrays[v] for v in used]) for r in scaled]
    sources = [GraphSource.of(r, informative, max(DEFAULT.neighbors)) for r in scaled]
    with StageTimer()("partitions") as progress:
        made = {
            k: base_partitions.base_partitions(sources, k, K, seed, progress)
            for k in DEFAULT.neighbors
        }
    return Made(truth, made)


def candidates(
    made: Made, rounds: tuple[int, ...], power: int
) -> dict[str, np.ndarray]:
    """Fuse by every rule; "best" is the one that agrees most, as in the library."""
    parts = [p for k in rounds for p in made.partitions[k]]
    labels = np.stack([p.labels for p in parts])
    families = np.array([FAMILIES.index(p.family) for p in parts])
    K = len(np.unique(made.truth))
    recipe = Recipe(power=power)
    w = fusion.agreement_weights(labels, families, K, recipe)
    strong = w > recipe.min_vote * w.max()
    cut = fusion.cut(labels, w, K, np.random.default_rng(0))[0]
    linked = fusion.linkage_labels(labels, w, K)
    found = {
        "cut": cut,
        "vote": fusion.vote(labels[strong], w[strong], K, cut),
        "linkage": linked,
        "linkage, vote": fusion.vote(labels[strong], w[strong], K, linked),
    }
    stacked = np.stack(list(found.values()))
    best = fusion.agreement_between(stacked, labels, K).mean(axis=1).argmax()
    return found | {"best": stacked[best]}


def main() -> None:
    """Print, per variant, the mean accuracy of each half, and what is chosen."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=1)
    args = parser.parse_args()
    args.cache.mkdir(exist_ok=True)
    scores: dict[Any, dict[str, list[float]]] = {}
    for half, names in SPLIT.items():
        for name, ratio, seed in itertools.product(names, RATIOS, range(args.seeds)):
            kept = args.cache / f"{name}_{ratio}_{seed}.pkl"
            if not kept.exists():
                made = make(find(args.folder, name), ratio, seed)
                kept.write_bytes(pickle.dumps(made))
            made = pickle.loads(kept.read_bytes())
            for rounds, power in itertools.product(ROUNDS, POWERS):
                for rule, labels in candidates(made, rounds, power).items():
                    acc = metrics.scores(made.truth, labels)["acc"]
                    variant = scores.setdefault((rounds, power, rule), {})
                    variant.setdefault(half, []).append(acc)
                    variant.setdefault(f"{half} 1:{ratio}", []).append(acc)
            print(f"{name} 1:{ratio} seed {seed}", flush=True)
    means = {v: {h: float(np.mean(a)) for h, a in s.items()} for v, s in scores.items()}
    for variant, mean in sorted(means.items(), key=lambda item: -sum(item[1].values())):
        print(variant, {h: round(a, 3) for h, a in sorted(mean.items())})
    for chosen_on, reported in (("a", "b"), ("b", "a")):
        best = max(means, key=lambda v: means[v][chosen_on])
        library = means[(DEFAULT.neighbors, DEFAULT.power, "best")]
        chosen, kept = means[best][reported], library[reported]
        print(f"chosen on {chosen_on}: {best}")
        print(f"on {reported}: {chosen:.4f}, the library's constants {kept:.4f}")


if __name__ == "__main__":
    main()
