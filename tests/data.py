"""Views of planted clusters: the data of all tests that need a known answer."""

import numpy as np
import pytest

from mvgraph import methods

__all__ = [
    "cite_seq",
    "degenerate",
    "every_method",
    "neighbour_agreement",
    "planted",
    "write_groups",
    "write_table",
    "write_tables",
]


def planted(
    n=60,
    k=3,
    dims=(4, 6),
    *,
    seed=0,
    spread=6.0,
    noise=1.0,
    rows="shuffled",
    centres="normal",
):
    """Return views of k Gaussian clusters of equal size, and the cluster of each row.

    Parameters
    ----------
    n, k : int
        Numbers of rows and of clusters.
    dims : sequence of int
        Number of features per view.
    spread, noise : float
        Scale of the centres, and standard deviation of the rows around them.
    rows : {"shuffled", "sorted", "cycled"}
        The clusters of the rows: in random order; one after the other, as in many
        published files; or 0, 1, ..., k - 1 over and over.
    centres : {"normal", "axes"}
        Drawn at random in each view; or one per axis, all equally far apart.
    """
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k
    if rows == "sorted":
        truth = np.sort(truth)
    elif rows == "shuffled":
        truth = rng.permutation(truth)
    views = []
    for d in dims:
        middle = rng.normal(size=(k, d)) if centres == "normal" else np.eye(k, d)
        views.append(spread * middle[truth] + noise * rng.normal(size=(n, d)))
    return views, truth


def planted_files(folder, n):
    """Write the views of `planted` as float32 files, one each; return the folder."""
    for v, x in enumerate(planted(n)[0]):
        np.save(folder / f"v{v}.npy", x.astype(np.float32))
    return folder


def every_method(*fast):
    """Return the names of all methods to parametrise with: slow, all but these."""
    return [
        name if name in fast else pytest.param(name, marks=pytest.mark.slow)
        for name in methods.names()
    ]


def degenerate():
    """Return views of 20 rows that methods stumble over, by what is odd about them."""
    rng = np.random.default_rng(0)
    x, few = rng.normal(size=(20, 4)), rng.normal(size=(3, 4))
    return {
        "one column": [x[:, :1], x],
        "constant columns": [np.column_stack([x, np.full(20, 0.1)]), x],
        "a view of zeros": [x, np.zeros((20, 3))],
        "rows of zeros": [np.where(np.arange(20)[:, None] < 5, 0, x), x],
        "no differences": [np.ones((20, 3)), np.zeros((20, 2))],
        "copies": [few[np.arange(20) % 3], few[np.arange(20) % 3, :2]],
        "as many samples as clusters": [x[:4], x[:4, :2]],
    }


def write_table(table, path):
    """Write a data frame in the format that the ending of the path names."""
    kind = path.name.split(".", 1)[1]
    if kind == "parquet":
        table.to_parquet(path)
    elif kind in ("feather", "arrow"):
        table.to_feather(path)
    else:
        table.to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")


def write_tables(folder, kind, tables):
    """Write data frames as files of a folder, or as sheets of a workbook."""
    if kind == "xlsx":
        pytest.importorskip("openpyxl")
        from pandas import ExcelWriter

        with ExcelWriter(folder / "book.xlsx") as book:
            for name, table in tables.items():
                table.to_excel(book, sheet_name=name, index=False)
        return folder / "book.xlsx"
    for name, table in tables.items():
        write_table(table, folder / f"{name}.{kind}")
    return folder


def cite_seq(n, seed=0):
    """RNA merges two pairs of eight types, protein two others."""
    rng = np.random.default_rng(seed)
    y = rng.integers(8, size=n)
    rna, protein = (
        np.array([0, 0, 2, 2, 4, 5, 6, 7]),
        np.array([0, 1, 2, 3, 4, 4, 6, 6]),
    )
    views = []
    for types, d, signal in ((rna, 50, 10), (protein, 20, 8)):
        centres = np.zeros((8, d))
        centres[:, :signal] = 3 * rng.normal(size=(8, signal))
        views.append(centres[types[y]] + rng.normal(size=(n, d)))
    return views, y


def neighbour_agreement(points, y, k=1):
    from sklearn.neighbors import NearestNeighbors

    near = NearestNeighbors(n_neighbors=k).fit(points).kneighbors()[1]
    return (y[near] == y[:, None]).mean()


def write_groups(path, sizes, seed):
    """Write a table of four groups of these sizes, every row with its own name."""
    from pandas import DataFrame

    rng, centres = np.random.default_rng(seed), np.random.default_rng(0)
    y = rng.permutation(np.repeat(np.arange(4), sizes))
    noise = rng.normal(size=(len(y), 5))
    table = DataFrame(9 * centres.normal(size=(4, 5))[y] + noise, columns=list("abcde"))
    table.insert(0, "id", [f"{g}_{i}" for i, g in enumerate(y)])
    write_table(table, path)
    return path
