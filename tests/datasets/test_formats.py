"""Features x samples, Parquet, Matrix Market, AnnData and MuData."""

import gzip
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.io
from scipy import sparse

from mvgraph import as_views, datasets

NAMES = [f"s{j}" for j in range(12)]
pytestmark = pytest.mark.usefixtures("walked")


def transposed(path, view, names=NAMES, corner="gene"):
    frame = pd.DataFrame(view.T, columns=names)
    frame.index = pd.Index([f"g{i}" for i in range(view.shape[1])], name=corner)
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, sep="\t" if path.suffix == ".tsv" else ",")


# ---------------------------------------------------------------- features x samples
@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_one_table_of_features_by_samples(toy, tmp_path, same, suffix):
    path = tmp_path / f"expression.{suffix}"
    transposed(path, toy[0][1])
    data = datasets.load(path, orientation="columns")
    same(data, toy[0][1:], None)
    assert list(data.ids) == NAMES
    assert datasets.load(path).views.shape == (30, 12)  # as it lies, unless told


def test_entrez_numbers_are_no_sample(toy, tmp_path, same):
    path = tmp_path / "expression.csv"
    transposed(path, toy[0][0])
    path.write_text(path.read_text().replace("\ng", "\n"))
    same(datasets.load(path, orientation="columns"), toy[0][:1], None)


def test_folder_of_features_by_samples(toy, tmp_path, same):
    views, y = toy
    transposed(tmp_path / "a.csv", views[0])
    turned = np.arange(12)[::-1]
    transposed(tmp_path / "b.csv", views[1][turned], [NAMES[i] for i in turned])
    with pytest.raises(ValueError, match="the same header"):
        datasets.load(tmp_path)
    same(datasets.load(tmp_path, orientation="columns"), views, None)
    labels = pd.DataFrame({"label": y}, index=pd.Index(NAMES, name="id"))
    labels.iloc[turned].to_csv(tmp_path / "labels.csv")
    data = datasets.load(tmp_path)  # the identifiers of the labels tell
    same(data, views, y)
    assert list(data.ids) == NAMES
    found = datasets.info(tmp_path)
    assert [view["shape"] for view in found["views"]] == [(12, 5), (12, 30)]


def test_mixed_orientations_are_told_by_the_labels(toy, tmp_path, same):
    views, y = toy
    transposed(tmp_path / "a.csv", views[0])
    pd.DataFrame(views[1], index=NAMES).to_csv(tmp_path / "b.csv")
    pd.DataFrame({"label": y}, index=pd.Index(NAMES, name="id")).to_csv(
        tmp_path / "labels.csv"
    )
    same(datasets.load(tmp_path), views, y)


def test_the_number_of_labels_tells_too(toy, tmp_path, same):
    views, y = toy
    transposed(tmp_path / "a.csv", views[0])
    transposed(tmp_path / "b.csv", views[1])
    np.save(tmp_path / "labels.npy", y)
    with pytest.warns(
        UserWarning, match="rows of table 'labels' are paired.*by position"
    ):
        data = datasets.load(tmp_path)
    same(data, views, y)
    assert list(data.ids) == NAMES


def test_one_feature_is_no_sample(toy, tmp_path, same):
    views = [toy[0][0][:, :1], toy[0][1]]
    for i, view in enumerate(views):
        names = [f"f{i}{j}" for j in range(view.shape[1])]
        frame = pd.DataFrame(view, index=NAMES, columns=names)
        frame.to_csv(tmp_path / f"v{i}.csv")
    same(datasets.load(tmp_path), views, None)


def test_a_common_header_alone_is_ambiguous(toy, tmp_path):
    """Same genes and other samples (parts of one table) look just like it."""
    transposed(tmp_path / "a.csv", toy[0][0])
    transposed(tmp_path / "b.csv", toy[0][0])
    path = tmp_path / "b.csv"
    path.write_text(path.read_text().replace("\ng", "\nh"))
    with pytest.raises(ValueError, match='pass orientation="columns"'):
        datasets.load(tmp_path)


def test_arrays_beside_tables_that_move(toy, tmp_path):
    views, _ = toy
    pd.DataFrame(views[0], index=NAMES).to_csv(tmp_path / "a.csv")
    pd.DataFrame(views[1], index=NAMES).iloc[::-1].to_csv(tmp_path / "b.csv")
    np.save(tmp_path / "c.npy", views[0])
    with pytest.raises(ValueError, match="'c' does not name its samples"):
        datasets.load(tmp_path)
    (tmp_path / "c.npy").unlink()
    np.savetxt(tmp_path / "c.csv", views[0], delimiter=",")
    with pytest.raises(ValueError, match="'c' does not name its samples"):
        datasets.load(tmp_path)


def test_folder_of_arrays_in_columns(toy, tmp_path, same):
    views, y = toy
    for i, view in enumerate(views):
        np.save(tmp_path / f"v{i}.npy", view.T)
    np.save(tmp_path / "labels.npy", y)
    same(datasets.load(tmp_path, orientation="columns"), views, y)


# --------------------------------------------------------------------------- parquet
def test_parquet_columns_of_vectors(toy, tmp_path, same):
    views, y = toy
    frame = pd.DataFrame({
        "product": NAMES, "price": np.arange(12.0), "label": y,
        "image": list(views[0]), "text": list(views[1]),
    })  # fmt: skip
    path = tmp_path / "items.parquet"
    frame.to_parquet(path)
    data = datasets.load(path)
    same(data, [np.arange(12.0)[:, None], *views], y)
    assert data.views.names == ("items", "image", "text")
    assert list(data.ids) == NAMES
    frame[["product", "image", "text"]].to_parquet(path)
    same(datasets.load(path), views, None)
    frame.loc[3, "image"] = None
    frame.loc[5, "text"] = None
    frame.to_parquet(path)
    mask = datasets.load(path).views.mask
    assert np.argwhere(~mask).tolist() == [[3, 1], [5, 2]]
    frame.at[5, "text"] = np.zeros(3)
    frame.to_parquet(path)
    with pytest.raises(ValueError, match="'text' have different lengths"):
        datasets.load(path)


def test_parquet_folder_is_one_table(toy, tmp_path, same):
    views, y = toy
    folder = tmp_path / "items.parquet"
    folder.mkdir()
    frame = pd.DataFrame(views[1], columns=[f"f{i}" for i in range(30)])
    frame = frame.assign(id=NAMES, y=y)[["id", *frame.columns, "y"]]
    frame.iloc[:7].to_parquet(folder / "part-0.parquet")
    frame.iloc[7:].to_parquet(folder / "part-1.parquet")
    data = datasets.load(folder)
    same(data, views[1:], y)
    assert list(data.ids) == NAMES
    assert datasets.info(folder)["sha256"] is None


# --------------------------------------------------------------------- Matrix Market
@pytest.mark.parametrize("packed", ["", ".GZ"])
def test_matrix_market(toy, tmp_path, same, packed):
    views, y = toy
    for i, view in enumerate(views):
        path = tmp_path / f"v{i}.mtx"
        scipy.io.mmwrite(path, sparse.csr_matrix(view.T * (view.T > 0)))
        if packed:
            content = gzip.compress(path.read_bytes())
            (tmp_path / f"v{i}.mtx{packed}").write_bytes(content)
            path.unlink()
    kept = [view * (view > 0) for view in views]
    data = datasets.load(tmp_path)  # 5 x 12 and 30 x 12: samples in columns
    same(data, kept, None)
    assert all(sparse.issparse(x) for x in data.views.arrays)
    np.save(tmp_path / "labels.npy", y)
    same(datasets.load(tmp_path, orientation="columns"), kept, y)


def test_one_matrix_market_file(toy, tmp_path, same):
    path = tmp_path / "counts.mtx"
    scipy.io.mmwrite(path, sparse.csr_matrix(toy[0][0].T))
    with pytest.raises(ValueError, match="could be read either way"):
        datasets.load(path)
    same(datasets.load(path, orientation="columns"), toy[0][:1], None)
    path.write_text("%%MatrixMarket matrix coordinate real general\n3 3 9\n1 1 5\n")
    with pytest.raises(ValueError, match="not a readable Matrix Market file"):
        datasets.load(path)


def test_folder_of_sparse_npz(toy, tmp_path, same):
    views, y = toy
    for i, view in enumerate(views):
        sparse.save_npz(tmp_path / f"v{i}.npz", sparse.csr_matrix(view))
    np.save(tmp_path / "y.npy", y)
    data = datasets.load(tmp_path)
    same(data, views, y)
    assert all(sparse.issparse(x) for x in data.views.arrays)


# ----------------------------------------------------------------- AnnData and MuData
@pytest.fixture
def cells(toy):
    """Two modalities; the second lacks two cells and has another order."""
    anndata = pytest.importorskip("anndata")
    mudata = pytest.importorskip("mudata")
    (a, b), y = toy
    obs = pd.DataFrame({"cell_type": [f"t{c}" for c in y]}, index=NAMES)
    rna = anndata.AnnData(sparse.csr_matrix(b * (b > 0.5)), obs=obs)
    rna.obsm["X_pca"] = b[:, :4]
    rna.obsm["X_umap"] = b[:, :2]
    adt = anndata.AnnData(a[9::-1], obs=pd.DataFrame(index=NAMES[9::-1]))
    rna.var_names = [f"g{i}" for i in range(30)]
    adt.var_names = [f"p{i}" for i in range(5)]
    with mudata.set_options(pull_on_update=False):
        both = mudata.MuData({"rna": rna, "adt": adt})
        yield both


def test_mudata_is_views(cells, toy):
    views = as_views(cells)
    assert views.names == ("rna", "adt")
    assert views.ids.tolist() == list(cells.obs_names)
    place = {name: i for i, name in enumerate(NAMES)}
    rows = [place[name] for name in views.ids]
    np.testing.assert_array_equal(views.arrays[0], toy[0][1][rows, :4])
    kept = views.mask[:, 1]
    assert set(views.ids[~kept]) == {"s10", "s11"}
    np.testing.assert_array_equal(views.arrays[1][kept], toy[0][0][rows][kept])
    assert as_views(cells, join="inner").n_samples == 10


def test_h5mu(cells, toy, tmp_path):
    path = tmp_path / "cells.h5mu"
    cells.write(path)
    with pytest.raises(
        ValueError, match=r"'adt' \(10 samples\) lacks 2 .*join='outer'"
    ):
        datasets.load(path)
    data = datasets.load(path, join="outer")
    assert any("added 2 that view 'adt'" in note for note in data.reading.notes)
    assert data.views.names == ("rna", "adt")
    assert data.views.n_features == (4, 5)
    assert (~data.views.mask).sum() == 2
    keys = {"views": ["rna.X", "adt", "rna"], "labels": "rna:cell_type"}
    data = datasets.load(path, keys, join="inner")
    assert data.views.n_features == (30, 5, 4)
    assert sparse.issparse(data.views.arrays[0])
    y = dict(zip(NAMES, toy[1], strict=True))
    assert data.labels.tolist() == [y[name] - 1 for name in data.ids]
    with pytest.raises(ValueError, match="no modality 'atac'"):
        datasets.load(path, {"views": ["atac"]})
    with pytest.raises(ValueError, match="'adt' has no 'X_lsi'"):
        datasets.load(path, {"views": ["adt.X_lsi"]})


def test_h5ad(cells, toy, tmp_path):
    path = tmp_path / "cells.h5ad"
    cells.mod["rna"].write_h5ad(path)
    data = datasets.load(path, {"labels": "cell_type"})
    assert data.views.names == ("X_pca",)  # no drawing
    assert data.labels.tolist() == (toy[1] - 1).tolist()
    assert list(data.ids) == NAMES
    data = datasets.load(path, {"views": ["X", "X_umap"]})
    assert data.views.n_features == (30, 2)
    assert sparse.issparse(data.views.view("X"))
    with pytest.raises(ValueError, match=r"has no 'X_lsi'; it has \['X', 'X_pca'"):
        datasets.load(path, {"views": "X_lsi"})


def test_single_cell_packages_are_named(tmp_path, monkeypatch):
    for suffix, package in (("h5ad", "anndata"), ("h5mu", "mudata")):
        path = tmp_path / f"cells.{suffix}"
        path.write_bytes(b"no such thing")
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, package, None)
            with pytest.raises(ImportError, match=r"mvgraph\[mudata\]"):
                datasets.load(path)


def test_a_folder_of_parts_is_named_so(toy, tmp_path):
    """Parts with ids: refused as views, with the remedy that reads them."""
    frame = pd.DataFrame(toy[0][0], index=pd.Index(NAMES, name="id"))
    frame = frame.add_prefix("f")
    folder = tmp_path / "new"
    folder.mkdir()
    frame[:7].to_parquet(folder / "part-0.parquet")
    frame[7:].to_parquet(folder / "part-1.parquet")
    with pytest.raises(ValueError, match=r"parts of one table.*new\.parquet"):
        datasets.load(folder)
    data = datasets.load(folder.rename(tmp_path / "new.parquet"))
    np.testing.assert_array_equal(data.views.arrays[0], toy[0][0])
    assert list(data.ids) == NAMES
