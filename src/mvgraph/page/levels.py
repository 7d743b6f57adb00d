"""The levels that a page shows, and the groups of each: size, doubt, name, colour."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mvgraph.base.kept import names_of
from mvgraph.display._styles import CLUSTERS
from mvgraph.inspection.groups import Groups, Rows
from mvgraph.inspection.keywords import keyword_rows
from mvgraph.inspection.markers import Profile, feature_rows
from mvgraph.inspection.names import cluster_names

#: Features and words of a group, by view; features of each of many groups.
N_FEATURES, N_WORDS, N_OF_MANY = 6, 10, 3
MANY = 60
#: Mean membership below which a group may be part of another: others have most of it.
DOUBTFUL = 0.6
#: Hues of `CLUSTERS`, in degrees of OKLCH, for shades of them.
HUES = (255, 50, 150, 345, 100, 300, 200, 20, 125, 275, 75, 325)
#: Golden angle: hues of any number of groups are far apart.
GOLDEN = 137.508
#: Lightness of OKLCH: 3 to 1 against white and against near-black.
LIGHT = (0.62, 0.55, 0.65)
CHROMA = 0.15
#: Steps of lightness of the parts of a group.
SHADES = (0.0, 0.09, -0.08, 0.045, -0.04)


class Level(NamedTuple):
    """One division of all samples into groups."""

    numbers: list[int]  # of the groups, as in every file
    codes: np.ndarray  # (n,) position of the group of every sample in numbers
    stands_out: bool  # found by the search, or asked for
    stability: float | None
    confidence: float | None

    @property
    def k(self) -> int:
        """How many groups."""
        return len(self.numbers)


class Group(NamedTuple):
    """One group of one level."""

    number: int
    size: int
    sure: float | None  # mean membership
    may_join: int | None  # group that has most of the rest, if little is sure
    features: Rows
    keywords: Rows


def levels_of(model: Any) -> tuple[list[Level], int]:
    """Return the levels to show, coarse first, and which of them are the labels.

    Levels are those that stand out, and the number of the fit. Where only that is known
    and there is a tree, one of half as many groups and one of twice as many are shown
    too.
    """
    labels = np.asarray(model.labels_)
    fitted = vars(model)
    known = {level.k: level for level in fitted.get("levels_") or ()}
    own = len(np.unique(labels))
    tree = fitted.get("tree_")
    if tree is None:
        return [_level(labels, known.get(own), True)], 0
    wanted = {k for k in known if 1 <= k <= tree.n_leaves_} | {own}
    if len(wanted) == 1 and 1 < own <= MANY:
        wanted |= {max(2, own // 2), min(2 * own, tree.n_leaves_)}
    found = []
    for k in sorted(wanted):
        of = labels if k == own else model.leaf_numbers(k)[tree.labels]
        found.append(_level(of, known.get(k), k == own or k in known))
    return found, sorted(wanted).index(own)


def _level(labels: np.ndarray, level: Any, stands_out: bool) -> Level:
    numbers, codes = np.unique(labels, return_inverse=True)
    stability, confidence = (
        (None, None) if level is None else (level.stability, level.confidence)
    )
    return Level(numbers.tolist(), codes, stands_out, stability, confidence)


def tree_of(model: Any, level: Level) -> list[tuple[int, int, float]]:
    """Return the merges of the groups of a level: two nodes and the height.

    Nodes are positions in the level; merge i makes node k + i.
    """
    tree = vars(model).get("tree_")
    if tree is None or level.k < 2:
        return []
    leaf = np.zeros(tree.n_leaves_, dtype=np.int64)
    leaf[tree.labels] = level.codes
    C, k = tree.n_leaves_, level.k
    name = np.concatenate([leaf, np.zeros(C - 1, dtype=np.int64)])
    merges: list[tuple[int, int, float]] = []
    pairs = zip(tree.children_.tolist(), tree.distances_.tolist(), strict=True)
    for step, ((a, b), height) in enumerate(pairs):
        if step < C - k:
            name[C + step] = name[a]
            continue
        name[C + step] = k + len(merges)
        merges.append((int(name[a]), int(name[b]), float(height)))
    return merges


def describe(
    level: Level,
    groups: Groups,
    names: dict[str, Any],
    words: tuple[str, ...],
    codes: np.ndarray,
    membership: np.ndarray | None,
) -> tuple[list[Group], list[Profile]]:
    """Describe the groups of a level: how sure they are, and what they differ in.

    Parameters
    ----------
    level : Level
    groups : Groups
        Views and groups of the samples that are counted.
    names : dict
        Names of the columns, by view.
    words : tuple of str
        Views of word counts.
    codes : ndarray of int, shape (m,)
        Groups of the drawn samples.
    membership : ndarray of shape (m, k), or None
        Of the drawn samples in the groups of this level.
    """
    rows, profiles = feature_rows(
        groups, N_FEATURES if level.k <= MANY else N_OF_MANY, names, None
    )
    spoken = keyword_rows(groups, N_WORDS, names, words)
    sizes = np.bincount(level.codes, minlength=level.k)
    found = []
    for g, number in enumerate(level.numbers):
        sure, other = _doubt(level, codes, membership, g)
        own = [row for row in rows if row["cluster"] == number]
        said = [row for row in spoken if row["cluster"] == number]
        found.append(Group(number, int(sizes[g]), sure, other, own, said))
    return found, profiles


def _doubt(
    level: Level, codes: np.ndarray, membership: np.ndarray | None, g: int
) -> tuple[float | None, int | None]:
    """Return the mean membership of a group, and where else it may belong."""
    if membership is None:
        return None, None
    mean = np.asarray(membership[codes == g].mean(axis=0), dtype=float)
    sure = float(mean[g])
    if sure >= DOUBTFUL or level.k < 2:
        return sure, None
    mean[g] = -1
    return sure, level.numbers[int(mean.argmax())]


def names_found(level: Level, groups: list[Group]) -> list[str]:
    """Name the groups of a level by what stands out."""
    features = [row for group in groups for row in group.features]
    words = [row for group in groups for row in group.keywords]
    return cluster_names(level.numbers, features, words)


def with_given_names(
    model: Any, level: Level, own: Level, names: list[str]
) -> list[str]:
    """Give the groups that are clusters of the fit the names that the model has.

    Parameters
    ----------
    model : fitted clusterer
    level, own : Level
        Any, and that of the labels.
    names : list of str
        Of the groups of the level.
    """
    told, names = names_of(model), list(names)
    for i, number in enumerate(level.numbers):
        name = told.get(number)
        if not name:
            continue
        same = own.codes == own.numbers.index(number)
        if np.array_equal(level.codes == i, same):
            taken = name in names[:i] + names[i + 1 :]
            names[i] = f"{name} ({number})" if taken else name
    return names


def colours_of(levels: list[Level], base: int) -> dict[int, str]:
    """Return the colour of every number: its own at the base, else a shade of that.

    A group that splits gives its colour to the part that keeps its number, and shades
    of it to the others.
    """
    own = levels[base]
    found = {number: _own(number) for number in own.numbers}
    parts: dict[int, int] = {}
    for level in levels:
        for g, number in enumerate(level.numbers):
            if number in found:
                continue
            inside = own.codes[level.codes == g]
            parent = own.numbers[int(np.bincount(inside).argmax())]
            parts[parent] = parts.get(parent, 0) + 1
            found[number] = _own(parent, parts[parent])
    return found


def _own(i: int, shade: int = 0) -> str:
    if i < len(CLUSTERS) and not shade:
        return CLUSTERS[i]
    hue = HUES[i] if i < len(HUES) else (HUES[0] + i * GOLDEN) % 360
    lightness = LIGHT[(i // len(HUES) + (i % 2 if i >= len(HUES) else 0)) % len(LIGHT)]
    lightness += SHADES[shade % len(SHADES)]
    return _hex(lightness, CHROMA, hue + 9 * (shade // len(SHADES)))


def _hex(lightness: float, chroma: float, hue: float) -> str:
    """Return a colour of OKLCH as #rrggbb, with less chroma where the screen ends."""
    for part in np.linspace(1, 0, 21):
        rgb = _linear(lightness, chroma * part, np.deg2rad(hue))
        if (rgb >= -1e-4).all() and (rgb <= 1 + 1e-4).all():
            break
    rgb = np.clip(rgb, 0, 1)
    rgb = np.where(rgb <= 0.0031308, 12.92 * rgb, 1.055 * rgb ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * c):02x}" for c in rgb)


def _linear(lightness: float, chroma: float, hue: float) -> np.ndarray:
    """Ottosson, "A perceptual color space for image processing", 2020."""
    a, b = chroma * np.cos(hue), chroma * np.sin(hue)
    to_lms = np.array(
        [[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728],
         [1, -0.0894841775, -1.2914855480]]
    )  # fmt: skip
    to_rgb = np.array(
        [[4.0767416621, -3.3077115913, 0.2309699292],
         [-1.2684380046, 2.6097574011, -0.3413193965],
         [-0.0041960863, -0.7034186147, 1.7076147010]]
    )  # fmt: skip
    return np.asarray(to_rgb @ (to_lms @ np.array([lightness, a, b])) ** 3)
