"""What the real scanpy and muon make of the results."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from data import cite_seq, neighbour_agreement
from mvgraph import metrics, tl

# scanpy and mudata announce changes of their own by warnings
pytestmark = [pytest.mark.scanpy, pytest.mark.filterwarnings("ignore")]

N = 300
TRUTH = np.repeat([0, 1, 2], N // 3)
NAMES = np.array([f"cell {i}" for i in range(N)])
WIDE = 60  # more columns than scanpy takes without principal components


@pytest.fixture(scope="module")
def sc():
    import matplotlib as mpl

    mpl.use("Agg")
    pytest.importorskip("muon")
    return pytest.importorskip("scanpy")


def genes(rows=slice(None), name="rna", seed=0):
    """Counts; genes 2k and 2k + 1 mark group k."""
    import anndata

    rates = np.full((3, WIDE), 0.5)
    for k in range(3):
        rates[k, [2 * k, 2 * k + 1]] = 6
    x = np.random.default_rng(seed).poisson(rates[TRUTH]).astype(np.float32)
    obs = pd.DataFrame(index=NAMES)
    cells = anndata.AnnData(sp.csr_matrix(x), obs=obs)[rows].copy()
    cells.var_names = [f"{name} {j}" for j in range(WIDE)]
    return cells


def both(rows=slice(None)):
    import mudata

    mudata.set_options(pull_on_update=False)
    return mudata.MuData({"rna": genes(), "prot": genes(rows, "prot", 1)})


def test_umap_and_leiden_of_the_joint_graph(sc):
    cells = both()
    tl.cluster(cells, 3, counts="log1p")
    sc.tl.umap(cells, neighbors_key="mvgraph")
    assert cells.obsm["X_umap"].shape == (N, 2)
    assert np.isfinite(cells.obsm["X_umap"]).all()
    centres = [cells.obsm["X_umap"][k == TRUTH].mean(axis=0) for k in range(3)]
    spread = max(cells.obsm["X_umap"][k == TRUTH].std(axis=0).max() for k in range(3))
    gaps = [
        np.linalg.norm(centres[i] - centres[j]) for i, j in [(0, 1), (0, 2), (1, 2)]
    ]
    assert min(gaps) > spread
    sc.pl.embedding(cells, "X_umap", color="mvgraph", show=False)


def test_scanpy_s_map_and_communities_agree_with_the_labels(sc):
    """RNA tells some types apart, protein others."""
    import anndata

    (rna, protein), y = cite_seq(1500)
    cells = anndata.AnnData(rna, obsm={"rna": rna, "protein": protein})
    tl.cluster(cells, 8)
    assert metrics.ari(y, cells.obs["mvgraph"].cat.codes) > 0.97
    assert cells.obs["mvgraph_confidence"].between(0, 1).all()
    sc.tl.umap(cells, neighbors_key="mvgraph")
    labels = cells.obs["mvgraph"].cat.codes.to_numpy()
    assert neighbour_agreement(cells.obsm["X_umap"], labels) >= 0.95
    assert neighbour_agreement(cells.obsm["X_umap"], y) >= 0.95
    sc.tl.leiden(
        cells, 0.5, neighbors_key="mvgraph", flavor="igraph", n_iterations=2,
        directed=False,
    )  # fmt: skip
    assert metrics.ari(labels, cells.obs["leiden"].cat.codes) > 0.95


def test_umap_where_cells_lack_a_modality(sc):
    cells = both(slice(5, None))
    tl.cluster(cells, 3, counts="log1p")
    sc.tl.umap(cells, neighbors_key="mvgraph")
    assert np.isfinite(cells.obsm["X_umap"]).all()
    tl.cluster(cells, 3, counts="log1p", join="inner")
    kept = cells[cells.obs["mvgraph"].notna()].copy()
    sc.tl.umap(kept, neighbors_key="mvgraph")
    assert kept.obsm["X_umap"].shape == (N - 5, 2)


def test_scanpy_reads_the_ranked_features(sc, tmp_path):
    cells = genes()
    sc.pp.normalize_total(cells)
    sc.pp.log1p(cells)
    cells.obs["group"] = pd.Categorical(np.array(["a", "b", "c"])[TRUTH])
    tl.rank_features(cells, "group", key_added="mine")
    sc.tl.rank_genes_groups(
        cells, "group", method="wilcoxon", tie_correct=True, pts=True, use_raw=False
    )
    for group in "abc":
        own = sc.get.rank_genes_groups_df(cells, group=group, key="mine")
        other = sc.get.rank_genes_groups_df(cells, group=group)
        assert set(own["names"][:2]) == set(other["names"][:2])
        merged = own.merge(other, on="names")
        for what, bound in (("scores", 0.01), ("logfoldchanges", 1e-3)):
            gap = merged[f"{what}_x"] - merged[f"{what}_y"]
            assert np.abs(gap).max() < bound
        share = merged["pct_nz_group_x"] - merged["pct_nz_group_y"]
        assert np.abs(share).max() < 1e-6
    sc.pl.rank_genes_groups_dotplot(cells, n_genes=2, key="mine", show=False)
    sc.pl.rank_genes_groups(cells, n_genes=2, key="mine", show=False)
    cells.write_h5ad(tmp_path / "cells.h5ad")
    back = sc.read_h5ad(tmp_path / "cells.h5ad")
    own = sc.get.rank_genes_groups_df(back, group="b", key="mine")
    assert set(own["names"][:2]) == {"rna 2", "rna 3"}


def test_modalities_of_a_file_are_drawn_too(sc, tmp_path):
    import mudata

    cells = both(slice(5, None))
    tl.cluster(cells, 3, counts="log1p", save=tmp_path / "model")
    tl.choose_k(cells, range(2, 6), counts="log1p")
    tl.rank_features(cells, counts="log1p")
    cells.write(tmp_path / "cells.h5mu")
    back = mudata.read_h5mu(tmp_path / "cells.h5mu")
    for name in ("rna", "prot"):
        first = sc.get.rank_genes_groups_df(back[name], group="0")["names"][:2]
        assert set(first) == {f"{name} 0", f"{name} 1"}
        sc.pl.rank_genes_groups_dotplot(back[name], n_genes=2, show=False)
    assert back.uns["mvgraph"]["model"] == str(tmp_path / "model")
    assert back.uns["mvgraph_k"]["best_k"] == 3


def test_the_recipe_runs_as_it_stands(sc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = both()
    sc.pp.normalize_total(cells["rna"])
    sc.pp.log1p(cells["rna"])
    cells.write("cells.h5mu")
    text = (Path(__file__).parents[1] / "docs" / "recipes.md").read_text()
    part = text.split("## CITE-seq")[1].split("\n## ")[0]
    blocks = re.findall(r"```python\n(.*?)```", part, re.DOTALL)
    blocks = [block for block in blocks if "mvgraph.pl." not in block]  # tests/pl
    assert len(blocks) == 3
    names: dict = {}
    # 50 of 60 components would be noise, which a fit scales like the others
    exec(blocks[0].replace("n_comps=50", "n_comps=10"), names)
    exec(blocks[1], names)
    exec(blocks[1].replace('"rna"', '"prot"'), names)  # sparse too
    names["new"] = names["mdata"].copy()
    exec(blocks[2], names)
    assert "mvgraph" in names["mdata"]["rna"].obs
    assert names["new"].obs["mvgraph_confidence"].between(0, 1).all()
