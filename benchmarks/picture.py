"""Draw the picture of the front page: what two halves of an image give together.

    python benchmarks/picture.py

Each of scikit-learn's 1797 digits is cut into its upper and its lower half, which are
two views. Writes docs/_static/digits.light.png and digits.dark.png, and the same one
above the other for phones, digits-phone.*.png.
"""

from collections.abc import Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from figures import STATIC, save
from matplotlib.colors import LinearSegmentedColormap
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from mvgraph import GraphConsensus, metrics

RIGHT, WRONG, OTHER = "#2f7de1", "#d9622b", "#7f8790"
K = 10


def main() -> None:
    digits = load_digits()
    images, truth = digits.images / 16, digits.target
    views = [images[:, :4].reshape(-1, 32), images[:, 4:].reshape(-1, 32)]
    labels = dict(partitions(views))
    shown = labels["both, mvgraph"]
    accuracy = {name: metrics.accuracy(truth, found) for name, found in labels.items()}

    def draw():
        fig = plt.figure(figsize=(9.6, 4.3), layout="constrained")
        left, right = fig.subplots(1, 2, width_ratios=[1.6, 1])
        draw_samples(left, images, truth, shown)
        draw_scores(right, accuracy)
        return fig

    def draw_phone():
        fig = plt.figure(figsize=(4.6, 6.6), layout="constrained")
        upper, lower = fig.subfigures(2, 1, height_ratios=[1.9, 1])
        draw_samples(upper.subplots(), images, truth, shown, 12, 13)
        draw_scores(lower.subplots(), accuracy, 13)
        return fig

    save(draw, "digits.png")
    save(draw_phone, "digits-phone.png")
    shrink()


def partitions(views: list[np.ndarray]) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the clusters of each half alone, of k-means, and of both halves."""
    for name, x in zip(("upper half alone", "lower half alone"), views, strict=True):
        yield name, GraphConsensus(K, random_state=0).fit([x]).labels_
    kmeans = KMeans(K, n_init=50, random_state=0)  # without scaling: better here
    yield "both, k-means", kmeans.fit_predict(np.hstack(views))
    yield "both, mvgraph", GraphConsensus(K, random_state=0).fit(views).labels_


def draw_samples(ax, images, truth, labels, n_columns=16, size=10) -> None:
    """Draw one row of random images per cluster, cut in halves; errors are orange."""
    classes, clusters = linear_sum_assignment(
        -metrics.contingency(truth, labels).toarray()
    )
    rng = np.random.default_rng(3)
    sheet = np.zeros((K * 12, n_columns * 10, 4))
    for row, (digit, k) in enumerate(zip(classes, clusters, strict=True)):
        chosen = rng.permutation(np.flatnonzero(labels == k))[:n_columns]
        for column, i in enumerate(chosen):
            ink = mpl.rcParams["text.color"] if truth[i] == digit else WRONG
            clear = (*mpl.colors.to_rgb(ink), 0.0)
            shade = LinearSegmentedColormap.from_list("ink", [clear, ink])
            y, x = row * 12 + 1, column * 10 + 1
            sheet[y : y + 4, x : x + 8] = shade(images[i][:4])
            sheet[y + 5 : y + 9, x : x + 8] = shade(images[i][4:])
    ax.imshow(np.kron(sheet, np.ones((8, 8, 1))), interpolation="antialiased")
    ax.set_axis_off()
    ax.set_title("one row per cluster; orange: in a wrong cluster", fontsize=size)


def draw_scores(ax, accuracy: dict[str, float], size=10) -> None:
    bars = ax.barh(list(accuracy), list(accuracy.values()), 0.6, color=OTHER)
    bars[-1].set_color(RIGHT)
    ax.bar_label(bars, fmt="%.2f", padding=3, fontsize=size - 1)
    ax.set(xlim=(0, 1.1), xticks=[])
    ax.set_title("accuracy", fontsize=size)
    ax.invert_yaxis()
    ax.tick_params(length=0, labelsize=size)
    ax.spines[["top", "right", "bottom"]].set_visible(False)


def shrink() -> None:
    """Store 64 colours only."""
    from PIL import Image

    for target in STATIC.glob("digits*.png"):
        with Image.open(target) as image:
            image.convert("RGBA").quantize(64, method=2).save(target, optimize=True)


if __name__ == "__main__":
    main()
