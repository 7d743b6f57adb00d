"""What users of scanpy and muon expect to find in their objects."""

import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mvgraph import ChooseK, GraphConsensus, datasets, explain, metrics, tl
from mvgraph.views.annotated import matrices

N = 60
NAMES = [f"cell {i}" for i in range(N)]
TRUTH = np.repeat([0, 1, 2], 20)


def view(d, seed):
    rng = np.random.default_rng(seed)
    return 9 * np.eye(3, d)[TRUTH] + rng.normal(size=(N, d))


def fake(X, rows=range(N), **obsm):
    """An object that has what an AnnData has, and is none."""
    names = [NAMES[i] for i in rows]
    return SimpleNamespace(
        X=X, obs_names=pd.Index(names), obs=pd.DataFrame(index=names),
        obsm=obsm, obsp={}, layers={}, uns={},
        var_names=[] if X is None else [str(j) for j in range(X.shape[1])],
    )  # fmt: skip


def check(data, key="mvgraph", k=3):
    """Return labels as numbers after looking at all that was written."""
    column = data.obs[key]
    assert isinstance(column.dtype, pd.CategoricalDtype)
    assert list(column.cat.categories) == [str(i) for i in range(k)]
    uns = data.uns[key]
    near = data.obsp[uns["connectivities_key"]]
    apart = data.obsp[uns["distances_key"]]
    assert uns["connectivities_key"] == f"{key}_connectivities"
    assert sp.issparse(near)
    assert near.shape == apart.shape == (len(column), len(column))
    assert near.nnz == apart.nnz <= 2 * uns["params"]["n_neighbors"] * len(column)
    assert abs(near - near.T).max() == 0
    assert near.diagonal().max() == 0
    assert data.obsm[f"X_{key}"].shape[0] == len(column)
    assert near.max() == 1
    known = column.notna()
    for name in ("confidence", "outlier_score"):
        if f"{key}_{name}" in data.obs:
            assert data.obs[f"{key}_{name}"][known].between(0, 1).all()
            assert data.obs[f"{key}_{name}"][~known].isna().all()
    assert sum(uns["view_weights"].values()) == pytest.approx(1)
    return column.cat.codes.to_numpy()


@pytest.mark.parametrize("method", ["graph-consensus", "anchor-filter"])
def test_keys_of_one_object(method):
    data = fake(view(5, 0), rna=view(4, 1), adt=view(6, 2), X_umap=np.ones((N, 2)))
    assert tl.cluster(data, 3, method=method, n_neighbors=5) is None
    assert metrics.accuracy(TRUTH, check(data)) == 1
    numbers = {"mvgraph_confidence", "mvgraph_outlier_score"}
    assert (numbers <= set(data.obs)) == (method == "graph-consensus")
    assert list(data.uns["mvgraph"]["view_weights"]) == ["rna", "adt"]
    near = data.obsp["mvgraph_connectivities"].tocoo()
    assert (TRUTH[near.row] == TRUTH[near.col]).mean() > 0.95
    tl.cluster(data, 3, method=method, use_rep=["X", "adt"], key_added="two")
    assert list(data.uns["two"]["view_weights"]) == ["X", "adt"]
    assert "mvgraph" in data.obs


def both(rows=range(N)):
    """Two modalities in different order; X of the first is sparse counts."""
    turned = list(rows)[::-1]
    rna = fake(sp.csr_matrix(np.abs(view(5, 0))), X_pca=view(4, 1))
    adt = fake(view(6, 2)[turned], turned)
    data = fake(None)
    data.mod = {"rna": rna, "adt": adt}
    return data


def test_modalities_are_matched_by_cell():
    data = both()
    tl.cluster(data, 3)
    assert metrics.accuracy(TRUTH, check(data)) == 1
    assert data.uns["mvgraph"]["params"]["views"] == ["rna", "adt"]
    tl.cluster(data, 3, use_rep={"rna": "X", "adt": "X"}, key_added="counts")
    assert metrics.accuracy(TRUTH, check(data, "counts")) > 0.9


def test_cells_outside_an_inner_join_have_no_cluster():
    data = both(range(4, N))
    tl.cluster(data, 3, join="inner")
    codes = check(data)
    assert (codes[:4] == -1).all()
    assert metrics.accuracy(TRUTH[4:], codes[4:]) == 1
    assert np.isnan(data.obsm["X_mvgraph"][:4]).all()
    assert data.obsp["mvgraph_connectivities"][:4].nnz == 0
    with pytest.raises(ValueError, match=r"'adt' .56 samples. lacks 4"):
        tl.cluster(data, 3, join="strict")


def test_cells_that_a_modality_lacks():
    """Either the method takes absent rows, or it says why not."""
    data = both(range(4, N))
    message = ""
    try:
        tl.cluster(data, 3)
    except ValueError as error:
        message = str(error)
    if message:
        assert "view 'adt' lacks" in message
    else:
        assert metrics.accuracy(TRUTH, check(data)) > 0.95


def test_what_was_written_is_no_view_of_the_next_call():
    """Else a second clustering repeats the first, and its k is the first one's."""
    data = fake(view(5, 0))
    model = tl.cluster(data, 2, key_added="two", return_model=True)
    tl.predict(data, model, key_added="new")
    data.obsm["maps"] = np.ones((N, 2))  # as scanpy stores a UMAP under a given name
    data.uns["maps"] = {"params": {"a": 0.6, "b": 1.3}}
    data.uns["neighbors"] = {"params": {"use_rep": "X"}}
    tl.cluster(data, 3)
    assert data.uns["mvgraph"]["params"]["views"] == ["X"]
    assert metrics.accuracy(TRUTH, check(data)) == 1
    alone = ChooseK(range(2, 6), random_state=0).fit([data.X])
    assert tl.choose_k(data, range(2, 6)).table_ == alone.table_
    data.uns.clear()  # as in anndata.concat
    del data.obsm["X_two"], data.obsm["X_new"], data.obsm["maps"]
    tl.cluster(data, 3, key_added="again")
    assert data.uns["again"]["params"]["views"] == ["X"]
    tl.cluster(data, 3, use_rep="X_mvgraph", key_added="asked")
    assert data.uns["asked"]["params"]["views"] == ["X_mvgraph"]


def test_a_result_is_known_by_its_record_and_not_by_its_name():
    data = fake(view(5, 0), rna=view(4, 1), X_adt=view(6, 2))
    tl.cluster(data, 3, method="kmeans-concat", key_added="rna")  # writes no embedding
    tl.cluster(data, 3)
    assert data.uns["mvgraph"]["params"]["views"] == ["rna", "X_adt"]


def test_results_of_other_tools_are_not_overwritten():
    """A fit under the name "pca" would replace the components that it came from."""
    data = fake(view(5, 0), X_pca=view(4, 1))
    data.obs["cell_type"] = TRUTH
    data.uns["neighbors"] = {"params": {"n_neighbors": 15}}
    data.obsp["old_distances"] = sp.eye(N)
    before = data.obsm["X_pca"].copy()
    model = tl.cluster(data, 3, return_model=True)
    for key, what in (
        ("pca", r"obsm\['X_pca'\]"), ("cell_type", r"obs\['cell_type'\]"),
        ("neighbors", r"uns\['neighbors'\]"), ("old", r"obsp\['old_distances'\]"),
    ):  # fmt: skip
        for call in (
            lambda key=key: tl.cluster(data, 3, key_added=key),
            lambda key=key: tl.predict(data, model, key_added=key),
        ):
            with pytest.raises(ValueError, match=f"overwrite {what}, which"):
                call()
    for call in (tl.choose_k, tl.rank_features):
        with pytest.raises(ValueError, match=r"overwrite uns\['neighbors'\]"):
            call(data, key_added="neighbors")
    assert np.array_equal(data.obsm["X_pca"], before)
    assert data.obs["cell_type"].tolist() == TRUTH.tolist()
    for _ in range(2):  # its own result it replaces
        tl.cluster(data, 3, key_added="own")
        tl.choose_k(data, range(2, 4))


def test_modalities_keep_the_columns_of_other_tools():
    data = both()
    data.mod["rna"].obs["leiden"] = "a"
    with pytest.raises(ValueError, match=r"overwrite rna: obs\['leiden'\]"):
        tl.cluster(data, 3, key_added="leiden", modalities="all")
    tl.cluster(data, 3, key_added="leiden")
    assert set(data.mod["rna"].obs["leiden"]) == {"a"}


def test_a_result_may_have_the_name_of_a_modality_s_embedding():
    data = both()
    tl.cluster(data.mod["adt"], 2, key_added="pca")
    tl.cluster(data, 3)
    assert data.obsm["X_mvgraph"].shape[0] == N
    assert data.uns["mvgraph"]["params"]["views"] == ["rna", "adt"]
    assert matrices(data).keys == {"rna": "X_pca", "adt": "X"}


def test_methods_without_anchors_and_without_a_graph():
    data = fake(None, rna=view(4, 1), adt=view(6, 2))
    tl.cluster(data, 3, method="kmeans-concat")
    assert data.uns["mvgraph"]["params"]["method"] == "kmeans-concat"
    assert "mvgraph_confidence" not in data.obs
    near = data.obsp["mvgraph_connectivities"].tocoo()
    assert (TRUTH[near.row] == TRUTH[near.col]).mean() > 0.95
    tl.cluster(data, 3, method="spectral-concat", n_neighbors=4, key_added="square")
    near = data.obsp["square_connectivities"]
    assert near.shape == (N, N)
    assert near.nnz <= 8 * N


def test_bad_input():
    with pytest.raises(TypeError, match="MuData or an AnnData, got ndarray"):
        tl.cluster(view(4, 0), 3)
    with pytest.raises(ValueError, match="n_neighbors"):
        tl.cluster(both(), 3, n_neighbors=0)
    with pytest.raises(ValueError, match="no modality 'atac'"):
        tl.cluster(both(), 3, use_rep={"atac": "X"})
    with pytest.raises(ValueError, match="one key, or a dict"):
        tl.cluster(both(), 3, use_rep=["X"])
    with pytest.raises(ValueError, match="AnnData, not a MuData"):
        tl.cluster(fake(None, a=view(4, 0)), 3, use_rep={"rna": "a"})


def test_real_objects_survive_a_file(tmp_path):
    anndata = pytest.importorskip("anndata")
    mudata = pytest.importorskip("mudata")
    parts = both().mod
    made = {}
    for name, part in parts.items():
        made[name] = anndata.AnnData(part.X, obs=part.obs, obsm=part.obsm)
        made[name].var_names = [f"{name} {i}" for i in range(part.X.shape[1])]
    with mudata.set_options(pull_on_update=False):
        data = mudata.MuData(made)
        tl.cluster(data, 3, random_state=None)
        truth = pd.Series(TRUTH, index=NAMES).loc[data.obs_names].to_numpy()
        assert metrics.accuracy(truth, check(data)) == 1
        path = tmp_path / "cells.h5mu"
        data.write(path)
        back = mudata.read_h5mu(path)
    assert metrics.accuracy(truth, check(back)) == 1
    tl.cluster(made["rna"], 3, use_rep="X_pca")
    assert metrics.accuracy(TRUTH, check(made["rna"])) == 1
    made["rna"].write_h5ad(tmp_path / "rna.h5ad")


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of mudata, about its plans
def test_a_file_that_was_written_after_clustering_gives_the_same_views(tmp_path):
    anndata = pytest.importorskip("anndata")
    mudata = pytest.importorskip("mudata")
    cells = anndata.AnnData(view(5, 0), obs=pd.DataFrame(index=NAMES))
    tl.cluster(cells, 3, key_added="mine")
    cells.write_h5ad(tmp_path / "a.h5ad")
    read = datasets.load(tmp_path / "a.h5ad")
    assert read.views.names == ("X",)
    why = {left.name: left.why for left in read.reading.left_out}
    assert why["X_mine"].startswith("a result of mvgraph")
    tl.cluster(cells, 3, key_added="label")  # not the truth
    cells.write_h5ad(tmp_path / "a.h5ad")
    assert datasets.load(tmp_path / "a.h5ad").labels is None
    asked = datasets.load(tmp_path / "a.h5ad", {"labels": "label"})
    assert metrics.accuracy(TRUTH, asked.labels) == 1
    named = datasets.load(tmp_path / "a.h5ad", {"views": ["X_mine"]})
    assert named.views.names == ("X_mine",)
    many = mudata.MuData({"rna": cells})
    tl.cluster(many, 3)
    many.write(tmp_path / "a.h5mu")
    read = datasets.load(tmp_path / "a.h5mu")
    assert read.views.names == ("rna",)
    assert read.views.n_features == (5,)
    left = {left.name for left in read.reading.left_out}
    assert {"rna.X_mine", "X_mvgraph"} <= left


def test_repeated_names_of_cells_are_refused():
    """Results are written back by name: a name twice would lose a cell."""
    anndata = pytest.importorskip("anndata")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # anndata says that names repeat
        cells = anndata.AnnData(
            np.zeros((40, 1), np.float32),
            obs=pd.DataFrame(index=[f"c{i % 20}" for i in range(40)]),
            obsm={"a": np.random.default_rng(0).normal(size=(40, 3))},
        )
    with pytest.raises(ValueError, match=r"20 duplicated.*obs_names_make_unique"):
        tl.cluster(cells, n_clusters=2)
    assert "mvgraph" not in cells.obs


def test_names_of_genes_reach_explain():
    anndata = pytest.importorskip("anndata")
    y = np.repeat([0.0, 9.0], 20)[:, None]
    rng = np.random.default_rng(0)
    cells = anndata.AnnData(y + rng.normal(size=(40, 3)))
    cells.var_names = ["CD3", "CD4", "CD8"]
    model = GraphConsensus(2, random_state=0).fit(cells)
    names = {row["name"] for row in explain(model, cells).features}
    assert names == {"CD3", "CD4", "CD8"}


# ------------------------------------------------------------------------- counts
def counted(n=N, depth=1, seed=0, sparse=True):
    """Cells of three kinds whose library sizes differ much more than the kinds."""
    rng = np.random.default_rng(seed)
    truth = TRUTH[:n]
    rates = np.full((3, 12), 3.0)
    for k in range(3):
        rates[k, 4 * k : 4 * k + 4] = 12
    size = depth * np.exp(rng.uniform(-1.5, 1.5, n))
    x = rng.poisson(rates[truth] * size[:, None]).astype(np.float32)
    data = fake(sp.csr_matrix(x) if sparse else x, range(n))
    data.var_names = [f"gene {j}" for j in range(12)]
    return data


def test_counts_are_taken_as_they_are_only_with_a_warning():
    with pytest.warns(UserWarning, match=r"'X': raw counts.*counts='log1p'") as seen:
        tl.cluster(counted(), 3)
    assert seen[0].filename == __file__
    tl.cluster(counted(), 3, counts="raw")
    with pytest.warns(UserWarning, match="raw counts"):
        tl.choose_k(counted(), [2, 3])
    with pytest.raises(ValueError, match=r"counts must be one of .* got 'log'"):
        tl.cluster(counted(), 3, counts="log")


@pytest.mark.parametrize("sparse", [True, False])
def test_logarithms_at_one_library_size(sparse):
    data = counted(sparse=sparse)
    before = data.X.copy()
    tl.cluster(data, 3, counts="log1p")
    assert metrics.accuracy(TRUTH, check_codes(data)) == 1
    assert abs(data.X - before).max() == 0
    assert data.uns["mvgraph"]["params"]["counts"] == "log1p"
    with pytest.raises(ValueError, match="no view contains counts"):
        tl.cluster(fake(view(4, 0)), 3, counts="log1p")


def check_codes(data, key="mvgraph"):
    return data.obs[key].cat.codes.to_numpy()


def test_counts_of_absent_cells_stay_absent():
    data = fake(None)
    rows = list(range(4, N))
    x, y = counted().X, counted(seed=1).X
    data.mod = {"rna": fake(x), "adt": fake(y[rows], rows)}
    tl.cluster(data, 3, counts="log1p")
    assert metrics.accuracy(TRUTH, check_codes(data)) > 0.95


# ------------------------------------------------------------------------- models
@pytest.mark.parametrize("counts", [None, "raw"])
def test_new_cells_of_another_kind_than_in_the_fit(counts, tmp_path):
    """Normalised cells in a model of raw counts get labels that mean little."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tl.cluster(counted(), 3, counts=counts, save=tmp_path / "m")
    tl.predict(counted(seed=3), tmp_path / "m")  # the same kind: no warning
    normal = counted(seed=3)
    normal.X = normal.X.log1p()
    with pytest.warns(
        UserWarning, match="'X': the fit had counts.* have other"
    ) as seen:
        tl.predict(normal, tmp_path / "m")
    assert len(seen) == 1
    model = tl.cluster(normal, 3, return_model=True)
    with pytest.warns(UserWarning, match=r"'X': the fit had other.* have counts"):
        tl.predict(counted(seed=4), model)
    model = GraphConsensus(3, random_state=0).fit([normal.X])
    with pytest.warns(UserWarning, match=r"'view_0': the fit had other.* have counts"):
        model.predict([counted(seed=4).X])
    model.predict([counted(seed=4).X[:1] > 0])  # ones and zeros may be either


def test_new_cells_are_labelled_with_what_the_fit_knew(tmp_path):
    data = counted()
    model = tl.cluster(data, 3, counts="log1p", save=tmp_path / "m", return_model=True)
    assert data.uns["mvgraph"]["model"] == str(tmp_path / "m")
    kinds = pd.Series(check_codes(data)).groupby(TRUTH).first()
    for source in (model, tmp_path / "m", str(tmp_path / "m")):
        new = counted(depth=5, seed=3)  # of another depth
        assert tl.predict(new, source) is None
        assert (check_codes(new) == kinds[TRUTH]).mean() > 0.95
        assert new.obs["mvgraph_confidence"].between(0, 1).all()
        assert new.obsm["X_mvgraph"].shape[0] == N
    turned = counted(seed=3)
    turned.X, turned.var_names = turned.X[:, ::-1], turned.var_names[::-1]
    tl.predict(turned, model)
    assert (check_codes(turned) == kinds[TRUTH]).mean() > 0.95
    for ask in (model.predict, lambda data: explain(model, data)):
        with pytest.raises(ValueError, match=r"label new cells with mvgraph\.tl"):
            ask(turned)
    turned.X = turned.X * 0.5
    with pytest.raises(ValueError, match="'X' does not contain counts, but the model"):
        tl.predict(turned, model)


def test_modalities_get_labels_and_may_be_missing_later():
    data = both(range(4, N))
    model = tl.cluster(data, 3, modalities=["adt"], return_model=True)
    adt = data.mod["adt"]
    joint = data.obs["mvgraph"].loc[adt.obs_names]
    assert adt.obs["mvgraph"].tolist() == joint.tolist()
    assert "mvgraph" not in data.mod["rna"].obs
    new = both()
    del new.mod["adt"]
    tl.predict(new, model, modalities="all", key_added="old")
    assert metrics.accuracy(TRUTH, check_codes(new, "old")) > 0.9
    assert list(new.mod["rna"].obs["old"]) == list(new.obs["old"])
    new.mod = {"atac": new.mod["rna"]}
    with pytest.raises(ValueError, match=r"none of the modalities of the fit, \['rna"):
        tl.predict(new, model)
    with pytest.raises(ValueError, match="no modality 'atac'"):
        tl.cluster(data, 3, modalities=["atac"])
    with pytest.raises(ValueError, match="AnnData; leave it out"):
        tl.cluster(data.mod["rna"], 3, use_rep="X_pca", modalities="all")


def test_models_that_label_no_new_cells(tmp_path):
    data = fake(None, rna=view(4, 1), adt=view(6, 2))
    with pytest.raises(
        ValueError, match="save: SpectralConcat cannot label new samples"
    ):
        tl.cluster(data, 3, method="spectral-concat", save=tmp_path / "m")
    model = tl.cluster(data, 3, method="spectral-concat", return_model=True)
    with pytest.raises(ValueError, match="cannot label new samples"):
        tl.predict(data, model)


def test_a_model_of_the_estimator_reads_views_by_name():
    x = {"rna": view(4, 1), "adt": view(6, 2)}
    model = GraphConsensus(3, random_state=0).fit(x)
    data = fake(None, other=view(3, 5), adt=x["adt"], rna=x["rna"])
    tl.predict(data, model)
    assert metrics.accuracy(TRUTH, check_codes(data)) == 1


# ------------------------------------------------------------- choose_k and markers
def test_number_of_clusters_is_written():
    data = both()
    choice = tl.choose_k(data, range(2, 7))
    assert data.uns["mvgraph_k"]["best_k"] == choice.best_k_ == 3
    assert data.uns["mvgraph_k"]["table"]["k"].tolist() == [2, 3, 4, 5, 6]


@pytest.mark.parametrize("test", ["mann-whitney", "welch"])
def test_features_are_ranked_as_scanpy_lays_them_out(test):
    data = counted()
    data.obs["kind"] = np.array(["a", "b", None])[TRUTH]
    tl.rank_features(data, "kind", counts="log1p", test=test, n_features=5)
    uns = data.uns["rank_genes_groups"]
    assert uns["names"].dtype.names == ("a", "b")
    assert uns["params"]["groupby"] == "kind"
    assert set(uns["names"]["b"][:4]) == {f"gene {j}" for j in range(4, 8)}
    assert (np.diff(uns["scores"]["b"]) <= 0).all()
    assert (uns["pvals"]["b"] <= uns["pvals_adj"]["b"]).all()
    assert (uns["logfoldchanges"]["b"][:4] > 0).all()
    assert uns["pts"].shape == (12, 2)


def test_features_of_modalities_and_of_signed_values():
    data = fake(None)
    data.mod = {"rna": counted(), "adt": fake(view(6, 2))}
    data.mod["adt"].var_names = list("uvwxyz")
    data.obs["mvgraph"] = pd.Categorical(TRUTH.astype(str))
    with pytest.warns(UserWarning, match="'rna': raw counts") as seen:
        tl.rank_features(data)
    assert seen[0].filename == __file__
    own = data.mod["adt"].uns["rank_genes_groups"]
    assert [own["names"][k][0] for k in "012"] == ["u", "v", "w"]
    assert np.isnan(own["logfoldchanges"]["0"]).all()
    assert list(data.mod["rna"].obs["mvgraph"]) == list(data.obs["mvgraph"])


def test_ranking_says_what_is_wrong():
    data = counted()
    with pytest.raises(ValueError, match=r"obs has no 'mvgraph'.*tl\.cluster first"):
        tl.rank_features(data)
    data.obs["one"] = "a"
    with pytest.raises(ValueError, match="at least two"):
        tl.rank_features(data, "one")
    data.obs["two"] = ["a", "b"] * (N // 2)
    with pytest.raises(ValueError, match=r"no layers\.raw; there are \['X'\]"):
        tl.rank_features(data, "two", layer="raw")
    with pytest.raises(TypeError, match=r"use mvgraph\.explain"):
        tl.rank_features(view(4, 0))


def test_labels_in_obs_are_explained():
    anndata = pytest.importorskip("anndata")
    cells = anndata.AnnData(view(4, 0), obs=pd.DataFrame(index=NAMES))
    cells.var_names = ["CD3", "CD4", "CD8", "CD19"]
    cells.obs["kind"] = pd.Categorical(np.array(["a", "b", "c"])[TRUTH])
    why = explain(cells, cells.obs["kind"][::-1], n_features=1)
    assert [(r["cluster"], r["name"]) for r in why.features] == [
        ("a", "CD3"), ("b", "CD4"), ("c", "CD8"),
    ]  # fmt: skip


@pytest.mark.shared
def test_counts_of_a_real_run_are_clustered_and_ranked(shared_dir):
    dataset = datasets.load(shared_dir / "data" / "tenx" / "features_v3.h5")
    (x,), (genes,) = dataset.views.arrays, dataset.views.feature_names
    names = list(map(str, dataset.ids))
    cells = SimpleNamespace(
        X=x, obs_names=pd.Index(names), obs=pd.DataFrame(index=names),
        obsm={}, obsp={}, layers={}, uns={}, var_names=list(genes),
    )  # fmt: skip
    tl.cluster(cells, 5, counts="log1p")
    tl.rank_features(cells, counts="log1p")
    ranked = cells.uns["rank_genes_groups"]
    best = {name for k in range(5) for name in ranked["names"][str(k)][:3]}
    assert {"ITGB2", "S100B"} <= best


def test_clusters_keep_their_numbers_in_an_object(tmp_path):
    from anndata import AnnData

    rng = np.random.default_rng(0)
    centres = 9 * np.eye(4, 6)

    def cells(groups, start):
        y = np.repeat(groups, 60)
        names = [f"c{start + i}" for i in range(len(y))]
        found = AnnData(centres[y] + rng.normal(size=(len(y), 6)))
        found.obs_names, found.obs["group"] = names, y
        return found

    method = {"method": "kmeans-concat"}
    first = cells([0, 1, 2], 0)
    model = tl.cluster(first, 3, return_model=True, **method)
    second = cells([2, 3, 0], 500)  # no cell is in both
    with pytest.warns(UserWarning, match="older model"):
        tl.cluster(second, 3, like=model, **method)
    groups = [
        dict(zip(d.obs["group"], d.obs["mvgraph"], strict=True))
        for d in (first, second)
    ]
    assert {g: groups[1][g] for g in (0, 2)} == {g: groups[0][g] for g in (0, 2)}
    assert groups[1][3] == "3"
    told = second.uns["mvgraph"]["changes"].tolist()
    assert any("cluster 3 is new" in one for one in told)
    second.write_h5ad(tmp_path / "second.h5ad")
