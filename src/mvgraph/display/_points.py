"""Points in the plane: where they lie, and the colours of a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from mvgraph.display._axes import GREY
from mvgraph.display._styles import LEADING, group_numbers, group_style
from mvgraph.ops.labels import is_missing

#: With more groups, the legend would hide the picture: their names are on the points.
MAX_LEGEND = 24
#: Least distance of two names on the points, as a share of the picture: a line of text.
APART = 0.045
#: Area of all points, in points^2, that fills the picture without hiding it; and the
#: largest and smallest area of one, as in scanpy.
AREA, LARGEST, SMALLEST = 30_000, 20.0, 1.0

Palette = Mapping[Any, str] | Sequence[str] | str | None
#: t-SNE of this many rows takes a second or two; of twenty thousand, minutes.
MAX_LANDMARKS = 1_000
N_NEAREST = 3


def bare(ax: Any) -> None:
    """Leave away ticks and frame: distances in the plane have no unit."""
    ax.set(xticks=[], yticks=[])
    ax.margins(0.02)
    ax.spines[:].set_visible(False)
    ax.grid(visible=False)


def draw_points(
    ax: Any,
    points: np.ndarray,
    values: Any,
    *,
    palette: Palette = None,
    cmap: str = "viridis",
    legend_loc: str | None = "right margin",
) -> None:
    """Draw points in the colours of a column."""
    if len(values) != len(points):
        raise ValueError(
            f"There must be one value for each of {len(points)} points; got "
            f"{len(values)}."
        )
    size = float(np.clip(AREA / max(len(points), 1), SMALLEST, LARGEST))
    style = {"s": size, "lw": 0, "rasterized": len(points) > 500}
    groups = as_groups(values)
    if groups is None:
        _draw_numbers(ax, points, np.asarray(values, dtype=float), cmap, style)
    else:
        codes, names = groups
        colours = colours_of(names, palette)
        _draw_groups(ax, points, codes, names, colours, legend_loc, style)
    bare(ax)


def as_groups(values: Any) -> tuple[np.ndarray, list[Any]] | None:
    """Return the group of every value, -1 if missing, and all names; None: numbers."""
    column = getattr(values, "array", values)
    if hasattr(column, "categories"):
        return np.asarray(column.codes), list(column.categories)
    x = np.asarray(values)
    if x.dtype.kind in "fiu":
        return None
    known = np.array([not is_missing(v) for v in x.tolist()], dtype=bool)
    names = sorted(set(x[known].tolist()), key=_place)
    places = {name: i for i, name in enumerate(names)}
    return np.array([places.get(v, -1) for v in x.tolist()], dtype=int), names


def _place(name: Any) -> tuple[Any, ...]:
    """Return what sorts "2" before "10", and both before words."""
    number = LEADING.match(str(name))
    return (0, int(number[0]), str(name)) if number else (1, 0, str(name))


def colours_of(names: Sequence[Any], palette: Palette) -> list[str]:
    """Return a colour per group.

    Parameters
    ----------
    names : sequence
    palette : mapping, sequence of colours, name of a colour map of matplotlib, or None
        None: those of all displays, fixed by the number of a group.

    Raises
    ------
    ValueError
        A mapping lacks a group, or a sequence is too short.
    """
    if palette is None:
        return [group_style(i)[0] for i in group_numbers(names)]
    if isinstance(palette, str):
        import matplotlib as mpl

        map_ = mpl.colormaps[palette]
        listed = getattr(map_, "colors", None)
        if listed is not None and len(listed) >= len(names) and map_.N < 256:
            return [mpl.colors.to_hex(c) for c in listed[: len(names)]]
        places = np.linspace(0, 1, max(len(names), 2))
        return [mpl.colors.to_hex(map_(x)) for x in places[: len(names)]]
    if isinstance(palette, Mapping):
        words = {str(key): colour for key, colour in palette.items()}
        lacking = [name for name in names if str(name) not in words]
        if lacking:
            raise ValueError(f"palette has no colour for {lacking}")
        return [words[str(name)] for name in names]
    if len(palette) < len(names):
        raise ValueError(f"palette has {len(palette)} colours for {len(names)} groups")
    return list(palette[: len(names)])


def _draw_numbers(
    ax: Any, points: np.ndarray, x: np.ndarray, cmap: str, style: Any
) -> None:
    known = np.isfinite(x)
    ax.scatter(*points[~known].T, color=GREY, alpha=0.4, **style)
    order = np.flatnonzero(known)[np.argsort(x[known], kind="stable")]  # large on top
    dots = ax.scatter(*points[order].T, c=x[order], cmap=cmap, **style)
    if len(order):
        ax.figure.colorbar(dots, ax=ax, pad=0.01, fraction=0.05)


def _draw_groups(
    ax: Any,
    points: np.ndarray,
    codes: np.ndarray,
    names: Sequence[Any],
    colours: Sequence[str],
    legend_loc: str | None,
    style: Any,
) -> None:
    ax.scatter(*points[codes < 0].T, color=GREY, alpha=0.4, **style)
    # in one call and in the order of the samples: no group hides all others
    order = np.flatnonzero(codes >= 0)
    ax.scatter(*points[order].T, c=[colours[c] for c in codes[order]], **style)
    if legend_loc is None:
        return
    if legend_loc == "on data" or len(names) > MAX_LEGEND:
        _name_on_points(ax, points, codes, names)
        return
    for name, colour in zip(names, colours, strict=True):
        ax.scatter([], [], s=30, lw=0, color=colour, label=str(name))
    if (codes < 0).any():
        ax.scatter([], [], s=30, lw=0, color=GREY, alpha=0.4, label="none")
    place = {"loc": "upper left", "bbox_to_anchor": (1, 1), "frameon": False}
    ax.legend(**place, ncols=1 if len(names) <= 14 else 2, handletextpad=0.1)


def _name_on_points(
    ax: Any, points: np.ndarray, codes: np.ndarray, names: Sequence[Any]
) -> None:
    """Write the names of groups amid their points, the largest first."""
    from matplotlib import patheffects

    sizes = np.bincount(codes[codes >= 0], minlength=len(names))
    spread = np.maximum(np.ptp(points, axis=0), 1e-12)
    placed: list[np.ndarray] = []
    ink = ax.xaxis.label.get_color()
    ground = ax.get_facecolor()
    rim = patheffects.withStroke(linewidth=2.5, foreground=ground)
    for g in np.argsort(-sizes, kind="stable"):
        if not sizes[g]:
            continue
        own = points[codes == g]
        centre = np.median(own, axis=0)
        # the sample nearest to the median: that of two islands lies between them
        place = own[((own - centre) ** 2).sum(axis=1).argmin()]
        far = [np.abs((place - p) / spread).max() > APART for p in placed]
        if all(far):
            placed.append(place)
            middle = {"ha": "center", "va": "center", "fontsize": "small"}
            ax.text(*place, str(names[g]), color=ink, path_effects=[rim], **middle)


def layout(U: np.ndarray, seed: int) -> np.ndarray:
    """Lay rows out in the plane such that they fill the square from -1 to 1.

    Rows are scaled to length 1 first, as spectral clustering does. Of more than a
    thousand rows a thousand are laid out by t-SNE, and the others at the weighted mean
    of the three of these that are nearest, with some noise against overlaps.
    """
    from sklearn.neighbors import NearestNeighbors

    rng = np.random.default_rng(seed)
    length = np.linalg.norm(U, axis=1, keepdims=True)
    U = np.nan_to_num(U / np.where(length > 0, length, 1))
    # the layout needs distinct rows
    U = U + rng.normal(scale=1e-4, size=U.shape)
    if len(U) <= MAX_LANDMARKS:
        return filling(_plane(U, seed))
    chosen = np.sort(rng.permutation(len(U))[:MAX_LANDMARKS])
    P = _plane(U[chosen], seed)
    with threadpool_limits(limits=1):
        landmarks = NearestNeighbors(n_neighbors=N_NEAREST).fit(U[chosen])
        distance, near = landmarks.kneighbors(U)
    weight = 1 / (distance + 1e-9)
    weight /= weight.sum(axis=1, keepdims=True)
    Q = np.einsum("nk,nkd->nd", weight, P[near])
    Q += rng.normal(size=Q.shape) * np.ptp(P, axis=0) * 0.006
    Q[chosen] = P
    return filling(Q)


def _plane(U: np.ndarray, seed: int) -> np.ndarray:
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE

    if len(U) < 10 or U.shape[1] < 2:
        flat = PCA(min(2, *U.shape)).fit_transform(U)
        P = np.zeros((len(U), 2))
        P[:, : flat.shape[1]] = flat
        return P
    near = min(30.0, (len(U) - 1) / 3)
    tsne = TSNE(2, perplexity=near, init="pca", random_state=seed, max_iter=500)
    with threadpool_limits(limits=1):  # several threads are slower on few points
        return np.asarray(tsne.fit_transform(U), dtype=float)


def filling(P: np.ndarray) -> np.ndarray:
    """Scale both axes to -1 .. 1: distances of t-SNE have no scale to keep."""
    P = P - (P.max(axis=0) + P.min(axis=0)) / 2
    return np.round(P / np.maximum(np.abs(P).max(axis=0), 1e-12), 3)
