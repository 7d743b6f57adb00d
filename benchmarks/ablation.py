"""AnchorFilter and MGL with parts switched off, both row orders.

    python benchmarks/ablation.py run FOLDER -o out.jsonl [--sets NAME ...]
    python benchmarks/ablation.py table -o out.jsonl

FOLDER holds the sets of two_fold_split.json. Rows are in the order of the file, and
shuffled. MGL, which holds dense graphs of all rows, runs on sets of at most 2,100
samples and 20 classes. A record that is there already is not run again.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from labelled_sets import SPLIT, find

from mvgraph import MGL, AnchorFilter, datasets, metrics
from mvgraph.anchor_filter.method import Recipe

MAX_ROWS_DENSE, MAX_K_DENSE = 2_100, 20
ORDERS = ("file", "shuffled")

#: Forms of AnchorFilter, by their recipes.
RECIPES = {
    "anchor-filter": Recipe(),
    "no filter": Recipe(order=0),
    "no joint graph": Recipe(joint=0.0),
    "joint graph only": Recipe(joint=1.0),
}
#: Forms of MGL, by parameters beside those of MSRC-v5.
PARAMETERS = {"mgl": {}, "mgl, no tensor term": {"tensor_weight": 0}}


def make(form: str, K: int) -> Any:
    """Build one form, unfitted."""
    if form in PARAMETERS:
        return MGL(K).set_params(**PARAMETERS[form])
    model = AnchorFilter(K, random_state=0)
    model.recipe = RECIPES[form]
    return model


def fit(form: str, views: Any, K: int) -> Any:
    """Fit one form."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(form, K).fit(views)


def run(args: argparse.Namespace) -> None:
    """Append one record per set, form and order."""
    done = set()
    if args.output.exists():
        for line in args.output.read_text().splitlines():
            record = json.loads(line)
            done.add((record["set"], record["form"], record["order"]))
    for name in args.sets or [n for names in SPLIT.values() for n in names]:
        data = datasets.load(find(args.folder, name))
        truth = np.asarray(data.labels)
        K = len(np.unique(truth))
        rows = {
            "file": np.arange(len(truth)),
            "shuffled": np.random.default_rng(0).permutation(len(truth)),
        }
        for form in (*RECIPES, *PARAMETERS):
            for order in ORDERS:
                large = len(truth) > MAX_ROWS_DENSE or K > MAX_K_DENSE
                too_large = form in PARAMETERS and large
                if too_large or (name, form, order) in done:
                    continue
                start = time.process_time()
                model = fit(form, data.views[rows[order]], K)
                record = {
                    "set": name,
                    "form": form,
                    "order": order,
                    "acc": metrics.accuracy(truth[rows[order]], model.labels_),
                    "components": int(model.n_components_),
                    "k": K,
                    "cpu": round(time.process_time() - start, 2),
                }
                with args.output.open("a") as file:
                    file.write(json.dumps(record) + "\n")
                print(json.dumps(record), flush=True)


def table(args: argparse.Namespace) -> None:
    """Print means over the sets that every form ran on, and over all of its own."""
    acc: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    exact: dict[str, list[bool]] = defaultdict(list)
    for line in args.output.read_text().splitlines():
        r = json.loads(line)
        acc[r["form"]][r["set"], r["order"]] = r["acc"]
        exact[r["form"]].append(r["components"] == r["k"])
    common = set.intersection(*({s for s, _ in found} for found in acc.values()))
    print(f"common sets: {len(common)}")
    for form, found in acc.items():
        cells = []
        for sets in (common, {s for s, _ in found}):
            for order in ORDERS:
                cells.append(f"{np.mean([found[s, order] for s in sets]):.3f}")
        cells.append(f"{sum(exact[form])} of {len(exact[form])}")
        print(f"| {form} | " + " | ".join(cells) + " |")


def main() -> None:
    """Parse the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    for name, call in (("run", run), ("table", table)):
        command = commands.add_parser(name)
        command.set_defaults(call=call)
        if name == "run":
            command.add_argument("folder", type=Path)
            command.add_argument("--sets", nargs="*")
        command.add_argument("-o", "--output", type=Path, required=True)
    args = parser.parse_args()
    args.call(args)


if __name__ == "__main__":
    main()
