"""A row is paired by its name, refused, or said to be paired by position."""

import unicodedata
import warnings
from contextlib import nullcontext
from itertools import product

import numpy as np
import pandas as pd
import pytest

from data import write_tables
from mvgraph import as_views, datasets
from pairs import cover_pairs

pytestmark = pytest.mark.usefixtures("walked")
N = 24
A = np.random.default_rng(0).normal(size=(N, 3)).round(6)  # a sheet has 15 digits
B = np.random.default_rng(1).normal(size=(N, 4)).round(6)
ORDER = np.random.default_rng(2).permutation(N)
DAYS = np.arange("2024-02-20", N, dtype="datetime64[D]")


def changed(values, at, value):
    """Return names of which one is another."""
    out = np.array(values, dtype=object)
    out[at] = value
    return out


#: Names by kind; numbers where a person would write numbers.
NAMES = {
    "whole": 1000 + 7 * np.arange(N),
    "fractional": np.round(10317.000033804 + np.arange(N) / 1000, 9),
    "text": np.array([f"s{i}" for i in range(N)], dtype=object),
    "dates": np.array([str(day) for day in DAYS], dtype=object),
    "long": np.array([str(10**21 + i) for i in range(N)], dtype=object),
    "zeros": np.array([f"{i:05d}" for i in range(N)], dtype=object),
    "blanks inside": np.array([f"sample {i} x" for i in range(N)], dtype=object),
    "decomposed": np.array(
        [unicodedata.normalize("NFD", f"é{i}") for i in range(N)], dtype=object
    ),
    "one fraction": changed([str(i) for i in range(50, 50 + N)], 5, "55.5"),
    "one empty": changed([f"s{i}" for i in range(N)], 3, ""),
    "twice": changed([f"s{i}" for i in range(N)], 4, "s9"),
    "NA": changed([f"s{i}" for i in range(N)], 6, "NA"),
    "missing marks": changed([str(i) for i in range(50, 50 + N)], 7, "nan"),
    "a blank behind": np.array([f"s{i}" for i in range(N)], dtype=object),
}
FORMATS = [
    "csv", "tsv", "xlsx", "parquet", "arrow", "npz", "h5", "mat", "zarr", "h5mu",
    "pandas", "polars",
]  # fmt: skip
HEADERS = ["id", "sample_name", "", "barcode"]
NAMED = ["both", "one", "neither"]


def other_spelling(kind, names):
    """Return the names as the second table has them."""
    if kind == "decomposed":
        return np.array([unicodedata.normalize("NFC", n) for n in names], dtype=object)
    return changed(names, 2, f"{names[2]} ") if kind == "a blank behind" else names


def tables(kind, header, named, shuffled):
    """Return two frames, with names or without; the second in another order."""
    a = pd.DataFrame(A, columns=[f"a{j}" for j in range(3)])
    b = pd.DataFrame(B, columns=[f"b{j}" for j in range(4)])
    if named != "neither":
        a.insert(0, header, NAMES[kind])
    if named == "both":
        b.insert(0, header, other_spelling(kind, NAMES[kind]))
    if shuffled:
        b = b.iloc[ORDER].reset_index(drop=True)
    return {"a": a, "b": b}


def split(table):
    """Return the matrix of a table, and the names beside it."""
    own = [c for c in table.columns if c[:1] in "ab" and c[1:].isdigit()]
    rest = [c for c in table.columns if c not in own]
    return table[own].to_numpy(), table[rest[0]].to_numpy() if rest else None


def write_arrays(path, frames, kind):
    """Write matrices with ``a_ids`` and ``b_ids`` beside them."""
    arrays = {}
    for name, table in frames.items():
        arrays[name], ids = split(table)
        if ids is not None:
            plain = ids.dtype != object
            arrays[f"{name}_ids"] = ids if plain else ids.astype(str)
    target = path / f"t.{kind}"
    if kind == "npz":
        np.savez(target, **arrays)
    elif kind == "mat":
        scipy_io = pytest.importorskip("scipy.io")
        cells = {
            k: v.astype(object) if v.dtype.kind == "U" else v for k, v in arrays.items()
        }
        scipy_io.savemat(target, cells)
    elif kind == "h5":
        h5py = pytest.importorskip("h5py")
        with h5py.File(target, "w") as file:
            for k, v in arrays.items():
                text = v.dtype.kind == "U"
                held = v.astype(object) if text else v
                dtype = h5py.string_dtype() if text else None
                file.create_dataset(k, data=held, dtype=dtype)
    else:
        group = pytest.importorskip("zarr").open_group(str(target), mode="w")
        for k, v in arrays.items():
            group[k] = v
    return target


def write_cells(path, frames):
    """Write a MuData, whose cells always have names."""
    anndata = pytest.importorskip("anndata")
    mudata = pytest.importorskip("mudata")
    parts = {}
    for name, table in frames.items():
        x, ids = split(table)
        index = [f"cell {i}" for i in range(N)] if ids is None else ids.astype(str)
        parts[name] = anndata.AnnData(x, obs=pd.DataFrame(index=pd.Index(index)))
        parts[name].var_names = [f"{name}{j}" for j in range(x.shape[1])]
    mudata.MuData(parts).write(path / "t.h5mu")
    return path / "t.h5mu"


def read(path, frames, kind):
    """Return views, and what was said beside them."""
    if kind in ("pandas", "polars"):
        held = frames
        if kind == "polars":
            polars = pytest.importorskip("polars")
            held = {k: polars.DataFrame(to_plain(v)) for k, v in frames.items()}
        return as_views(held), ""
    if kind == "h5mu":
        source = write_cells(path, frames)
    elif kind in ("npz", "h5", "mat", "zarr"):
        source = write_arrays(path, frames, kind)
    else:
        source = write_tables(path, kind, frames)
    data = datasets.load(source)
    return data.views, data.reading.matched


def to_plain(table):
    """Return columns as polars takes them."""
    return {c: table[c].to_list() for c in table.columns}


def check(path, kind, form, header, named, shuffled):
    frames = tables(kind, header, named, shuffled)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            views, matched = read(path, frames, form)
        except ValueError as error:
            refused = str(error)
        else:
            refused = ""
    if refused:
        assert "\n" not in refused
        assert not (named == "both" and kind in SOUND), refused
        return
    told = matched + " ".join(str(one.message) for one in said)
    assert views.n_features == (3, 4)  # names are no features
    x = dict(views.items())
    places = [int(np.argmin(np.abs(A - row).sum(axis=1))) for row in x["a"]]
    if "position" in told:
        return
    if form in ("pandas", "h5mu") and named == "neither":
        return  # there is always an index; here it counts the rows
    np.testing.assert_array_equal(x["b"], B[places])
    if named == "both":
        own = NAMES[kind][places]
        assert [str(i) for i in views.ids] == [str(i) for i in own]


#: Names that every format must pair, with nothing to complain about.
SOUND = ("whole", "fractional", "text", "dates", "long", "zeros", "blanks inside", "NA")
SAMPLE = [
    (FORMATS[i % len(FORMATS)], *case)
    for i, case in enumerate(cover_pairs(list(NAMES), HEADERS, NAMED, [False, True]))
]


@pytest.mark.parametrize(("form", "kind", "header", "named", "shuffled"), SAMPLE)
def test_rows_are_paired_by_name(tmp_path, form, kind, header, named, shuffled):
    check(tmp_path, kind, form, header, named, shuffled)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", NAMES)
def test_rows_are_paired_by_name_in_the_whole_grid(tmp_path, kind, form):
    for header, named, shuffled in product(HEADERS, NAMED, [False, True]):
        path = tmp_path / f"{HEADERS.index(header)}{named}{shuffled}"
        path.mkdir()
        check(path, kind, form, header, named, shuffled)


@pytest.mark.parametrize("blank", [False, True])
@pytest.mark.parametrize(
    "source", ["pandas", "polars", "csv", "parquet", "in the file"]
)
def test_large_whole_numbers_name_the_rows_exactly(source, blank, tmp_path):
    """Neighbouring ones are one number as float64, which holes make of integers."""
    n, rng = 12, np.random.default_rng(0)
    names = 2**60 + 100 * np.arange(n)
    order = rng.permutation(n)
    x, y = rng.normal(size=n), rng.normal(size=n)
    more = [None] * blank
    cells = pd.array([*names.tolist(), *more], dtype="Int64")
    tables = {
        "a": pd.DataFrame({"sample_id": cells, "x": [*x, *more], "z": [*x, *more]}),
        "b": pd.DataFrame({"sample_id": names[order], "y": y[order], "w": y[order]}),
    }
    said = pytest.warns(UserWarning, match="1 blank row") if blank else nullcontext()
    if source == "pandas":
        with said:
            views = as_views(tables)
    elif source == "polars":
        convert = pytest.importorskip("polars").from_pandas
        with said:
            views = as_views({name: convert(table) for name, table in tables.items()})
    else:
        ending = "csv" if source == "csv" else "parquet"
        for name, table in tables.items():
            if ending == "csv":
                table.to_csv(tmp_path / f"{name}.csv", index=False)
            else:
                table.to_parquet(tmp_path / f"{name}.parquet", index=False)
        large = {"eager_bytes": 0} if source == "in the file" else {}
        views = datasets.load(tmp_path, **large).views
    at = [names.tolist().index(int(one)) for one in views.ids]
    assert sorted(at) == list(range(n))
    np.testing.assert_array_equal(views.arrays[0][:][:, 0], x[at])
    np.testing.assert_array_equal(views.arrays[1][:][:, 0], y[at])
