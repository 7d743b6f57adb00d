"""Clusterings without a given number, and others' pipelines, beside the default.

    python benchmarks/simple_pipelines.py FOLDER [SET ...] [--log LOG]

FOLDER holds one file per set of two_fold_split.json. Appends the scores of every set,
or of those named, to the log, one line of JSON per set and model, rows shuffled by seed
0, and prints the adjusted Rand indices of all that it has. Lines that are there are not
run again. The two classes with UMAP are also methods of a plan,
``simple_pipelines:UMAPWard``, for ``mvgraph bench`` in this folder.

They are no methods of the package: they are three lines with umap-learn, which comes
with ``pip install 'mvgraph[plots]'``, and scikit-learn, and `leiden-mean` is ahead of
the first in a tenth of its time. HDBSCAN takes no number of clusters and leaves samples
out, which are scored as one cluster.
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from labelled_sets import SPLIT, find
from sklearn.cluster import HDBSCAN, AgglomerativeClustering

from mvgraph import GraphConsensus, as_views, datasets
from mvgraph.baselines.leiden_concat import LeidenConcat
from mvgraph.baselines.leiden_mean import LeidenMean
from mvgraph.metrics import scores
from mvgraph.ops.distance import join_features
from mvgraph.views.scaling import scaled

#: As in umap-learn's own guide to clustering; its default of 15 neighbours is kept,
#: because some classes are small.
DIMENSIONS, NEIGHBOURS, MIN_DIST = 10, 15, 0.0
#: As in BERTopic. With scikit-learn's 5, and with 15, the mean ARI was lower.
MIN_CLUSTER_SIZE = 10


def embedded(views, seed):
    """Embed the joined views, scaled as in `leiden-concat`, by UMAP."""
    X = join_features(scaled(as_views(views), "auto").arrays)
    k = min(NEIGHBOURS, X.shape[0] - 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that one seed means one thread
        from umap import UMAP

        model = UMAP(k, DIMENSIONS, min_dist=MIN_DIST, random_state=seed)
        return model.fit_transform(X)


class UMAPWard:
    """UMAP of the joined views in ten dimensions, and Ward's clustering."""

    def __init__(self, n_clusters=8, random_state=None):
        self.n_clusters, self.random_state = n_clusters, random_state

    def fit(self, views):
        points = embedded(views, self.random_state)
        self.labels_ = AgglomerativeClustering(self.n_clusters).fit_predict(points)
        return self


class UMAPHDBSCAN:
    """UMAP of the joined views in ten dimensions, and HDBSCAN, which finds a number."""

    def __init__(self, random_state=None, min_cluster_size=MIN_CLUSTER_SIZE):
        self.random_state, self.min_cluster_size = random_state, min_cluster_size

    def fit(self, views):
        points = embedded(views, self.random_state)
        self.labels_ = HDBSCAN(self.min_cluster_size).fit_predict(points)
        return self


class JoinedHDBSCAN:
    """HDBSCAN of the joined views."""

    def fit(self, views):
        X = join_features(scaled(as_views(views), "auto").arrays)
        X = X.toarray() if hasattr(X, "toarray") else X
        self.labels_ = HDBSCAN(MIN_CLUSTER_SIZE).fit_predict(X)
        return self


def rows(K):
    """Return the models by what the table calls them; K is the number of classes."""
    free = {"resolution": 1.0, "random_state": 0}
    return {
        "graph-consensus, auto": GraphConsensus(random_state=0),
        "leiden-mean, modularity": LeidenMean(K, **free),
        "leiden-concat, modularity": LeidenConcat(K, **free),
        "UMAP, HDBSCAN": UMAPHDBSCAN(random_state=0),
        "HDBSCAN": JoinedHDBSCAN(),
        "graph-consensus, K": GraphConsensus(K, random_state=0),
        "leiden-mean, K": LeidenMean(K, random_state=0),
        "leiden-concat, K": LeidenConcat(K, random_state=0),
        "UMAP, ward, K": UMAPWard(K, random_state=0),
    }


def measure(model, views, truth):
    """Fit a model and return its scores, number of clusters and processor seconds."""
    start = time.process_time()
    labels = model.fit(views if hasattr(model, "get_params") else views.arrays).labels_
    seconds = time.process_time() - start
    codes = np.unique(labels, return_inverse=True)[1]
    found = scores(truth, codes)
    return {
        "acc": round(found["acc"], 4),
        "ari": round(found["ari"], 4),
        "found": len(np.unique(labels[labels >= 0])),
        "cpu_seconds": round(seconds, 2),
    }


def run(folder, names, log):
    """Measure what the log does not have, and return all that it has then."""
    lines = log.read_text().splitlines() if log.exists() else []
    done = {(r["set"], r["model"]): r for r in map(json.loads, lines)}
    for name in names:
        models = rows(2)
        if all((name, model) in done for model in models):
            continue
        data = datasets.load(find(folder, name))
        truth = np.asarray(data.labels)
        order = np.random.default_rng(0).permutation(len(truth))
        views, truth = data.views[order], truth[order]
        for called, model in rows(len(np.unique(truth))).items():
            if (name, called) in done:
                continue
            key = {"set": name, "model": called, "classes": len(np.unique(truth))}
            done[name, called] = key | measure(model, views, truth)
            with log.open("a") as file:
                file.write(json.dumps(done[name, called]) + "\n")
    return done


def table(done, names):
    """Tabulate the adjusted Rand index of the sets that every model has."""
    models = list(rows(2))
    names = [n for n in names if all((n, model) in done for model in models)]
    lines = [f"| set | {' | '.join(models)} |", "|---" * (len(models) + 1) + "|"]
    found = np.array([[done[n, model]["ari"] for model in models] for n in names])
    for name, line in zip([*names, "**mean**"], [*found, found.mean(0)], strict=True):
        cells = (f"{x:.3f}".replace("0.", ".", 1) for x in line)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def main():
    """Measure, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("sets", nargs="*", metavar="SET")
    default = Path(__file__).with_name("logs") / "simple_pipelines.jsonl"
    parser.add_argument("--log", type=Path, default=default)
    args = parser.parse_args()
    names = args.sets or [name for half in SPLIT.values() for name in half]
    print("\n".join(table(run(args.folder, names, args.log), names)))


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
