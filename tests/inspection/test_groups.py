"""Clusters of components are described by the genes behind them."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mvgraph import explain
from mvgraph.inspection.names import name_clusters

anndata = pytest.importorskip("anndata")
mudata = pytest.importorskip("mudata")

N, GENES = 120, 30
TRUTH = np.repeat([0, 1, 2], N // 3)


def cells(kind, seed=0):
    """Genes 3 c, 3 c + 1, 3 c + 2 are high in group c; components, and proteins."""
    rng = np.random.default_rng(seed)
    rates = np.full((3, GENES), 1.0)
    for c in range(3):
        rates[c, 3 * c : 3 * c + 3] = [12, 9, 7]
    counts = rng.poisson(rates[TRUTH]).astype(np.float32)
    logs = np.log1p(counts)
    U, s, Vt = np.linalg.svd(logs - logs.mean(axis=0), full_matrices=False)
    var = pd.DataFrame(index=[f"GENE{j}" for j in range(GENES)])
    names = [f"cell {i}" for i in range(N)]
    x = {"counts": sp.csr_matrix(counts), "logs": sp.csr_matrix(logs)}.get(kind)
    rna = anndata.AnnData(x, obs=pd.DataFrame(index=names), var=var)
    rna.obsm["X_pca"] = U[:, :5] * s[:5]
    rna.varm["PCs"] = Vt[:5].T
    prot = rng.normal(size=(N, 4)) + 5 * np.eye(3, 4)[TRUTH]
    prot = anndata.AnnData(prot, obs=pd.DataFrame(index=names))
    prot.var_names = ["CD3", "CD19", "CD14", "IgG"]
    mudata.set_options(pull_on_update=False)
    return mudata.MuData({"rna": rna, "prot": prot})


@pytest.mark.parametrize("kind", ["counts", "logs", "loadings"])
@pytest.mark.filterwarnings("ignore")
def test_markers_are_genes_where_the_view_is_a_pca(kind):
    data = cells(kind)
    why = explain(data, TRUTH)
    for c in range(3):
        rows = [r for r in why.features if r["cluster"] == c and r["view"] == "rna"]
        assert {r["name"] for r in rows[:3]} == {f"GENE{3 * c + i}" for i in range(3)}
        assert all(r["difference"] > 0 for r in rows[:3])
    assert all("GENE" in name or "CD" in name for name in why.names_)


@pytest.mark.filterwarnings("ignore")
def test_only_reductions_of_the_matrix_are_described_by_its_genes():
    data = cells("counts")["rna"]
    data.obsm["other"] = np.eye(3, 4)[TRUTH] + 0.1
    why = explain(data, TRUTH)
    names = {r["view"]: r["name"] for r in why.features}
    assert names["X_pca"].startswith("GENE")
    assert names["other"].isdecimal()


def test_a_table_may_describe_a_view_and_wrong_ones_are_refused():
    rng = np.random.default_rng(0)
    view = rng.normal(size=(N, 3)) + 9 * np.eye(3)[TRUTH]
    told = pd.DataFrame({"age": TRUTH == 1, "noise": rng.normal(size=N)}, dtype=float)
    why = explain({"v": view}, TRUTH, described_by={"v": told})
    assert why.names_[1] == "high age"
    with pytest.raises(ValueError, match=r"'v' has shape \(119, 2\)"):
        explain({"v": view}, TRUTH, described_by={"v": told[1:]})
    with pytest.raises(ValueError, match="w"):
        explain({"v": view}, TRUTH, described_by={"w": told})


def test_a_model_is_named_by_genes():
    from mvgraph import GraphConsensus, as_views

    data = cells("logs")
    views = as_views(data)
    model = GraphConsensus(3, random_state=0).fit(views)
    name_clusters(model, data)
    assert all("GENE" in name or "CD" in name for name in model.cluster_names_)
