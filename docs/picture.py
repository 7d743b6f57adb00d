"""Draw docs/_static/digits.png: samples of each cluster, accuracy of each view.

Run it from the repository's root: python docs/picture.py
"""

from pathlib import Path

import matplotlib as mpl

mpl.use("agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from scipy.optimize import linear_sum_assignment
from sklearn.datasets import load_digits

from mvgraph import GraphConsensus, datasets, methods, metrics

TARGET = Path(__file__).parent / "_static" / "digits.png"
COLUMNS = 16
RIGHT, WRONG, OTHER = "#2f7de1", "#d9622b", "#7f8790"


def main() -> None:
    data = datasets.load_digits_views()
    model = GraphConsensus(n_clusters=10, random_state=0).fit(data.views)
    fig = plt.figure(figsize=(9.6, 4.1), layout="constrained", facecolor="white")
    left, right = fig.subplots(1, 2, width_ratios=[1.6, 1])
    draw_samples(left, data.labels, model.labels_)
    draw_scores(right, scores(data, model))
    fig.savefig(TARGET, dpi=130)
    shrink()


def draw_samples(ax, truth, labels) -> None:
    """Draw one row of random images per cluster; errors are orange."""
    images = load_digits().images / 16
    classes, clusters = linear_sum_assignment(-metrics.contingency(truth, labels))
    rng = np.random.default_rng(3)
    sheet = np.ones((10 * 10, COLUMNS * 10, 4))
    for row, (digit, k) in enumerate(zip(classes, clusters, strict=True)):
        chosen = rng.permutation(np.flatnonzero(labels == k))[:COLUMNS]
        for column, i in enumerate(chosen):
            ink = "#20242a" if truth[i] == digit else WRONG
            shade = LinearSegmentedColormap.from_list("ink", ["white", ink])
            y, x = row * 10 + 1, column * 10 + 1
            sheet[y : y + 8, x : x + 8] = shade(images[i])
    ax.imshow(np.kron(sheet, np.ones((8, 8, 1))), interpolation="antialiased")
    ax.set_axis_off()
    ax.set_title(
        "one row per cluster, random samples; orange: wrong cluster", fontsize=10
    )


def scores(data, model) -> dict[str, float]:
    """Return the accuracy of each view alone, of k-means, and of all views."""
    found = {}
    for name, x in zip(data.views.names, data.views.arrays, strict=True):
        alone = GraphConsensus(n_clusters=10, random_state=0).fit(x)
        found[f"{name} alone"] = metrics.accuracy(data.labels, alone.labels_)
    kmeans = methods.get("kmeans-concat").make(10, random_state=0).fit(data.views)
    found["all five, k-means"] = metrics.accuracy(data.labels, kmeans.labels_)
    found["all five, mvgraph"] = metrics.accuracy(data.labels, model.labels_)
    return found


def draw_scores(ax, accuracy: dict[str, float]) -> None:
    bars = ax.barh(list(accuracy), list(accuracy.values()), 0.6, color=OTHER)
    bars[-1].set_color(RIGHT)
    ax.bar_label(bars, fmt="%.2f", padding=3, fontsize=9)
    ax.set(xlim=(0, 1.1), xticks=[])
    ax.set_title("accuracy", fontsize=10)
    ax.invert_yaxis()
    ax.tick_params(length=0)
    ax.spines[["top", "right", "bottom"]].set_visible(False)


def shrink() -> None:
    """Store 64 colours only."""
    from PIL import Image

    with Image.open(TARGET) as image:
        image.convert("RGB").quantize(64).save(TARGET, optimize=True)


if __name__ == "__main__":
    main()
