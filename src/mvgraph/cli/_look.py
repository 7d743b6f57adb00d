"""Commands to use before and after clustering: choose-k, explain."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from mvgraph.cli import _terminal as show
from mvgraph.cli._app import AsJson, Seed, app, print_json, split_names
from mvgraph.cli._clusters import number_option, tell_levels
from mvgraph.cli._input import HowCounts, Input, MemoryLimit, OneInput, treat_counts
from mvgraph.cli._labels import read_labels
from mvgraph.cli._log import note

#: Label of samples that are in no cluster, as `cluster --noise` writes it.
NOISE = "-1"
#: Columns that a terminal has room for; --json has all.
FEATURE = (
    *("cluster", "view", "rank", "name", "difference"),
    *("share_inside", "share_outside", "pvalue_adjusted"),
)


@app.command("choose-k")
def choose_k(
    source: Input,
    k: str | None = None,
    output: Path | None = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    counts: HowCounts = None,
    memory_limit: MemoryLimit = None,
) -> None:
    """Find the numbers of clusters that stand out, and how certain each is.

    Parameters
    ----------
    k : A:B
        Only from A to B, or A,B,C.
    output
        Write a plot: .png, .svg, .pdf.
    """
    from mvgraph import ChooseK
    from mvgraph.display import ChooseKDisplay
    from mvgraph.display._display import check_figure

    if output is not None:
        check_figure(output)
    numbers = None if k is None else _numbers(k)
    choice = ChooseK(numbers, memory_limit=memory_limit, random_state=seed)
    dataset, _ = treat_counts(source.open(memory_limit), counts)
    with show.progress(f"choose-k on {dataset.name}") as report:
        choice.fit(dataset.views, callback=report)
    if output is not None:
        ChooseKDisplay.from_estimator(choice).save(output)
    if as_json:
        result = {"best_k": choice.best_k_, "range": choice.k_range_}
        result["confidence"] = choice.confidence_
        levels = [level._asdict() for level in choice.levels_]
        print_json({**result, "levels": levels, "table": choice.table_})
        return
    low, high = choice.k_range_
    title = f"{dataset.name}: best k {choice.best_k_}, range {low} to {high}"
    title += f", of {k} alone" if k is not None else ""
    if not choice.levels_:
        about = "all samples are one cluster, as in noise or in a single group"
        show.print_line(f"{dataset.name}: no division stands out; {about}")
        return
    names = [f"in view {name}" for name in dataset.views.names]
    head = ["k", "confidence", "stability", *names]
    rows = [
        [show.cell(v) for v in (x.k, x.confidence, x.stability, *x.views)]
        for x in choice.levels_
    ]
    show.print_table(title, head, rows)


@app.command()
def explain(
    source: OneInput,
    given: Annotated[
        Path | None, Argument(metavar="LABELS", help="File of mvgraph cluster -o.")
    ] = None,
    n_clusters: Annotated[
        Any, number_option("How many clusters, without LABELS; default: auto.")
    ] = None,
    n_features: Annotated[
        int, Option("--features", min=1, help="How many per cluster and view.")
    ] = 3,
    keywords: str | None = None,
    counts: HowCounts = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    memory_limit: MemoryLimit = None,
) -> None:
    """Show exemplars, features and keywords of clusters of DATA, or of LABELS.

    Parameters
    ----------
    keywords : VIEW[,VIEW]
        Views of word counts, for keywords, where not detected.
    """
    from mvgraph import GraphConsensus
    from mvgraph import explain as explain_fit
    from mvgraph.datasets._beside import genes_beside

    if given is not None and n_clusters is not None:
        raise ValueError("give either a file of labels or --n-clusters")
    words = split_names(keywords, "--keywords")
    options: dict[str, Any] = {"n_features": n_features, "counts": words}
    file_labels = {} if given is None else read_labels(given)
    dataset, _ = treat_counts(source.open(memory_limit), counts)
    for name in words or ():
        dataset.views.view(name)  # an unknown name is an error before the fit
    options["described_by"] = genes_beside(source.place, dataset)
    weights: dict[str, float] = {}
    with show.progress(f"explain {dataset.name}") as report:
        if given is None:
            model = GraphConsensus(
                n_clusters or "auto", memory_limit=memory_limit, random_state=seed
            ).fit(dataset.views, callback=report)
            tell_levels(model)
            report(0, None, {"stage": "features"})
            why = explain_fit(model, dataset.views, **options)
            pairs = zip(why.view_names, model.view_weights_.tolist(), strict=True)
            weights = dict(pairs)
        else:
            labels = _labels_of(file_labels, given, dataset)
            why = explain_fit(dataset.views, labels, **options)
    if as_json:
        named = dict(zip(map(str, why.clusters), why.names_, strict=True))
        tables = {"view_weights": weights, "names": named, "exemplars": why.exemplars}
        tables |= {"features": why.features, "keywords": why.keywords}
        print_json({**tables, "counts": why.counts})
        return
    _print_tables(why, weights)


def _print_tables(why: Any, weights: dict[str, float]) -> None:
    named = zip(why.clusters, why.names_, strict=True)
    for title, rows in (
        ("Names", [{"cluster": c, "name": name} for c, name in named]),
        ("Weights of views", [{"view": v, "weight": w} for v, w in weights.items()]),
        ("Exemplars", why.exemplars),
        ("Features", [{key: row[key] for key in FEATURE} for row in why.features]),
        (f"Keywords, of counts in {', '.join(why.counts)}", why.keywords),
    ):
        if rows:
            show.print_rows(title, rows)
    if not why.keywords:
        reason = "no view was taken as counts of words; name such views with --keywords"
        if why.counts:
            reason = f"{', '.join(why.counts)} contain no words"
        note("keywords", [f"no keywords: {reason}"], counts=why.counts)


def _labels_of(labels: dict[str, str], path: Path | None, dataset: Any) -> list[Any]:
    """Return the label of every sample, None where it is in no cluster.

    Reports on standard error empty labels, those that `cluster --noise` writes for
    samples in no cluster, and ids that are not in the data.

    Raises
    ------
    ValueError
        A sample is not in the file.
    """
    n, name = len(dataset.views), dataset.name
    ids = [str(i) for i in (range(n) if dataset.ids is None else dataset.ids)]
    missing = [i for i in ids if i not in labels]
    if missing:
        raise ValueError(
            f"{path}: {len(missing)} of {n} samples of {name} have no label in this "
            f"file, first {missing[0]!r}; use the labels of these data"
        )
    n_empty = sum(not labels[i] for i in ids)
    in_data = set(ids)
    unused = [i for i in labels if i not in in_data]
    notes = []
    n_noise = sum(labels[i] == NOISE for i in ids)
    if n_noise:
        notes.append(f"{n_noise} samples of {name} are in no cluster; left out")
    if n_empty:
        notes.append(f"{n_empty} samples of {name} have an empty label; left out")
    if unused:
        notes.append(f"{len(unused)} ids are not in {name}, first {unused[0]!r}")
    if notes:
        facts = {"file": str(path), "empty": n_empty + n_noise}
        facts["not_in_data"] = len(unused)
        note("labels", [f"{path}: {'; '.join(notes)}"], **facts)
    return [None if labels[i] in ("", NOISE) else labels[i] for i in ids]


def _numbers(text: str) -> list[int] | range:
    try:
        if ":" not in text:
            return [int(part) for part in text.split(",")]
        first, last = (int(part) for part in text.split(":"))
    except ValueError:
        raise ValueError(f"--k must look like 2:20 or 2,5,10; got {text!r}") from None
    if last < first:
        raise ValueError(
            f"--k {text} counts down, so it is empty; write {last}:{first}"
        )
    return range(first, last + 1)
