"""Labels in AnnData and MuData files."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from pairs import slow

N = 60
TRUTH = np.repeat([0, 1, 2], 20)

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.usefixtures("walked"),
]


def cells(seed, rows=range(N)):
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(seed)
    x = 9 * np.eye(3, 5)[TRUTH] + rng.normal(size=(N, 5))
    obs = pd.DataFrame({"old": TRUTH * 1.5}, index=[f"c{i}" for i in range(N)])
    made = anndata.AnnData(x.astype(np.float32), obs=obs)[list(rows)].copy()
    made.var_names = [f"f{seed}_{j}" for j in range(5)]
    return made


def same_groups(column):
    return pd.crosstab(TRUTH, column.to_numpy()).gt(0).sum(axis=1).eq(1).all()


def test_an_h5ad_input_is_copied_with_labels(run, tmp_path):
    anndata = pytest.importorskip("anndata")
    cells(0).write_h5ad(tmp_path / "in.h5ad")
    out, model = tmp_path / "out.h5ad", tmp_path / "model"
    args = ["--n-clusters", "3", "--labels", "none", "-q"]
    assert (
        run("cluster", tmp_path / "in.h5ad", *args, "-o", out, "--save", model)[0] == 0
    )
    back = anndata.read_h5ad(out)
    assert same_groups(back.obs["mvgraph"])
    assert list(back.obs["mvgraph"].cat.categories) == ["0", "1", "2"]
    assert back.shape == (N, 5)
    assert "old" in back.obs
    cells(0, range(20)).write_h5ad(tmp_path / "new.h5ad")
    again = tmp_path / "again.h5ad"
    new = tmp_path / "new.h5ad"
    assert run("predict", model, new, "--labels", "none", "-q", "-o", again)[0] == 0
    found = anndata.read_h5ad(again)
    assert found.obs["mvgraph"].nunique() == 1
    assert list(found.obs["mvgraph"].cat.categories) == ["0", "1", "2"]
    assert found.obs["mvgraph_confidence"].between(0, 1).all()
    assert not list(tmp_path.glob(".*"))


def test_an_h5mu_input_is_copied_with_labels(run, tmp_path):
    mudata = pytest.importorskip("mudata")
    with mudata.set_options(pull_on_update=False):
        made = mudata.MuData({"rna": cells(0), "adt": cells(1, range(3, N))})
        made.write(tmp_path / "in.h5mu")
        out = tmp_path / "out.h5mu"
        args = ["--n-clusters", "3", "--labels", "none", "-q", "--join", "inner"]
        assert run("cluster", tmp_path / "in.h5mu", *args, "-o", out)[0] == 0
        back = mudata.read_h5mu(out)
    assert back.obs["mvgraph"].isna().sum() == 3
    assert back["rna"].shape == (N, 5)
    assert list(back.mod) == ["rna", "adt"]
    assert list(back.obs.columns) == [*made.obs.columns, "mvgraph"]


def test_other_inputs_give_ids_and_labels(run, tmp_path):
    anndata = pytest.importorskip("anndata")
    frame = pd.DataFrame(cells(0).X, index=[f"s{i}" for i in range(N)])
    frame.columns = list("abcde")
    frame.to_csv(tmp_path / "t.csv", index_label="id")
    out = tmp_path / "out.h5ad"
    assert (
        run("cluster", tmp_path / "t.csv", "--n-clusters", "3", "-q", "-o", out)[0] == 0
    )
    back = anndata.read_h5ad(out)
    assert back.shape == (N, 0)
    assert list(back.obs_names) == list(frame.index)
    assert same_groups(back.obs["mvgraph"])


@pytest.mark.parametrize(("source", "out"), [("a.csv", "b.h5mu"), ("a.h5mu", "b.h5ad")])
def test_formats_that_do_not_fit_are_refused_before_the_fit(run, tmp_path, source, out):
    (tmp_path / source).write_text("x")
    status, _, err = run(
        "cluster", tmp_path / source, "--n-clusters", "3", "-o", tmp_path / out
    )
    assert status == 2
    assert "is a copy of a .h5mu" in err


# ------------------------------------------------------------------------- counts
def counted(depth, seed):
    """Kinds of cells that only the shares of genes show, at any depth."""
    made = cells(0)
    rng = np.random.default_rng(seed)
    rates = 4 + 30 * np.eye(3, 5)[TRUTH]
    size = depth * np.exp(rng.uniform(-1.5, 1.5, N))[:, None]
    made.X = rng.poisson(rates * size).astype(np.float32)
    del made.obs["old"]
    return made


def test_raw_counts_of_cells_are_normalised_if_asked(run, tmp_path):
    anndata = pytest.importorskip("anndata")
    counted(1, 0).write_h5ad(tmp_path / "in.h5ad")
    counted(20, 1).write_h5ad(tmp_path / "new.h5ad")
    model, out = tmp_path / "model", tmp_path / "out.h5ad"
    args = ["cluster", tmp_path / "in.h5ad", "--n-clusters", "3"]
    status, _, err = run(*args)
    assert status == 0
    assert "'X': raw counts" in err
    assert "--counts log1p" in err
    assert run(*args, "--counts", "raw")[2] == ""
    assert run(*args, "--counts", "log1p", "--save", model, "-o", out)[2] == ""
    assert same_groups(anndata.read_h5ad(out).obs["mvgraph"])
    status, _, err = run("predict", model, tmp_path / "new.h5ad", "-o", out)
    assert (status, err) == (0, "")
    assert same_groups(anndata.read_h5ad(out).obs["mvgraph"])
    scaled = counted(1, 0)
    scaled.X = scaled.X / 3
    scaled.write_h5ad(tmp_path / "scaled.h5ad")
    status, _, err = run("predict", model, tmp_path / "scaled.h5ad")
    assert status == 2
    assert "'X' does not contain counts, but the model" in err
    assert "or --counts raw if the values are" in err
    # what the message advises, this command takes
    scaled.X = np.log1p(scaled.X)
    scaled.write_h5ad(tmp_path / "scaled.h5ad")
    status, _, err = run(
        "predict", model, tmp_path / "scaled.h5ad", "--counts", "raw", "-o", out
    )
    assert (status, err) == (0, "")


def test_new_cells_must_be_of_the_kind_of_the_fit(run, tmp_path):
    """Not a word where both are raw counts, a warning where only one is."""
    for name, seed in (("in", 0), ("new", 1), ("normal", 2)):
        made = counted(1, seed)
        made.X = np.log1p(made.X) if name == "normal" else made.X
        made.write_h5ad(tmp_path / f"{name}.h5ad")
    model, out = tmp_path / "model", tmp_path / "out.csv"
    args = ["--n-clusters", "3", "--save", model]
    assert run("cluster", tmp_path / "in.h5ad", *args)[0] == 0
    status, _, err = run("predict", model, tmp_path / "new.h5ad", "-o", out)
    assert (status, err) == (0, "")
    status, _, err = run("predict", model, tmp_path / "normal.h5ad", "-o", out)
    assert status == 0
    assert err.count("'X': the fit had counts") == 1
    assert run("cluster", tmp_path / "normal.h5ad", *args)[0] == 0
    status, _, err = run("predict", model, tmp_path / "new.h5ad", "-o", out)
    assert err.count("'X': the fit had other numbers") == 1


def test_one_view_of_counts_may_have_any_name(run, tmp_path):
    np.savez(tmp_path / "a.npz", first=counted(1, 0).X)
    np.savez(tmp_path / "b.npz", second=counted(20, 1).X)
    args = ["--n-clusters", "3", "--counts", "log1p", "--save", tmp_path / "m"]
    assert run("cluster", tmp_path / "a.npz", *args)[0] == 0
    status, out, err = run("predict", tmp_path / "m", tmp_path / "b.npz")
    assert (status, err) == (0, "")
    labels = pd.Series([line.split(",")[1] for line in out.split()[1:]])
    assert same_groups(labels)


@pytest.mark.parametrize(
    "args", [("evaluate", "--labels", "kind"), *slow(("choose-k", "--k", "2:4"))]
)
def test_other_commands_take_counts_too(run, tmp_path, args):
    made = counted(1, 0)
    made.obs["kind"] = [f"kind {t}" for t in TRUTH]
    made.write_h5ad(tmp_path / "in.h5ad")
    args = [args[0], tmp_path / "in.h5ad", *args[1:]]
    status, _, err = run(*args)
    assert status == 0
    assert "'X': raw counts" in err
    assert "--counts log1p" in err
    assert run(*args, "--counts", "raw")[2] == ""
    assert run(*args, "--counts", "log1p")[2] == ""


def test_columns_that_may_be_labels_are_named(run, tmp_path):
    made = cells(0)
    made.obs["kind"] = [f"kind {t}" for t in TRUTH]
    made.obs["batch"] = TRUTH % 2
    made.obs["barcode"] = [f"b{i}" for i in range(N)]
    made.obs["depth"] = np.linspace(0.1, 1, N)
    made.write_h5ad(tmp_path / "in.h5ad")
    status, _, err = run("evaluate", tmp_path / "in.h5ad")
    assert status == 2
    assert "name them with --labels NAME" in err
    assert "'kind'" in err
    assert "'batch'" in err
    assert "'barcode'" not in err
    assert "'depth'" not in err
    assert run("evaluate", tmp_path / "in.h5ad", "--labels", "kind")[0] == 0


def test_a_tenx_input_becomes_an_h5mu_with_its_counts(run, tmp_path):
    """Whatever was done to the counts for the fit, the file has them as they were."""
    mudata = pytest.importorskip("mudata")
    h5py = pytest.importorskip("h5py")
    counts = np.random.default_rng(0).poisson(1 + 20 * np.eye(3, 8)[TRUTH])
    counts = sp.csc_matrix(counts.T)  # genes x cells
    source = tmp_path / "run.h5"
    with h5py.File(source, "w") as file:
        group = file.create_group("matrix")
        for name in ("data", "indices", "indptr"):
            group[name] = vars(counts)[name]
        group["shape"] = counts.shape
        group["barcodes"] = [f"cell-{i}".encode() for i in range(N)]
        kinds = [b"Gene Expression"] * 5 + [b"Antibody Capture"] * 3
        named = [f"f{j}".encode() for j in range(8)]
        parts = {"id": named, "name": named, "feature_type": kinds}
        for name, values in parts.items():
            group[f"features/{name}"] = values
    out = tmp_path / "out.h5mu"
    words = ["--n-clusters", 3, "--method", "kmeans-concat", "--counts", "log1p"]
    status, _, err = run("cluster", source, *words, "--cluster-names", "-o", out)
    assert status == 0, err
    found = mudata.read_h5mu(out)
    assert same_groups(found.obs["mvgraph"])
    assert found.obs["mvgraph_name"].nunique() == 3
    kept = sp.hstack([found["Gene Expression"].X, found["Antibody Capture"].X])
    assert (kept != counts.T).nnz == 0
    assert list(found["Antibody Capture"].var_names) == ["f5", "f6", "f7"]


@pytest.mark.slow
def test_genes_are_named_where_a_modality_is_components(run, tmp_path):
    pytest.importorskip("anndata")
    made = cells(0)
    made.obsm["X_pca"] = made.X[:, :3] - made.X[:, :3].mean(axis=0)
    source = tmp_path / "cells.h5ad"
    made.write_h5ad(source)
    words = ["cluster", source, "--n-clusters", 3, "--cluster-names", "--json"]
    status, out, err = run(*words)
    assert status == 0, err
    found = json.loads(out)["cluster_names"].values()
    assert all(name.startswith("high f0_") for name in found)
    status, out, err = run("explain", source, "--n-clusters", 3, "--json")
    assert status == 0, err
    assert all(r["name"].startswith("f0_") for r in json.loads(out)["features"])
