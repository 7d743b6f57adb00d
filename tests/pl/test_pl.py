"""Figures with scanpy's arguments, of annotated data and of models."""

import warnings

import numpy as np
import pytest

from data import planted
from mvgraph import GraphConsensus, compare_labels, pl

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture(scope="module")
def fitted():
    views, _ = planted(90)
    return GraphConsensus(3, random_state=0).fit(views), views


@pytest.fixture(scope="module")
def cells():
    anndata = pytest.importorskip("anndata")
    pandas = pytest.importorskip("pandas")
    (rna, prot), y = planted(60)
    names = [f"c{i}" for i in range(60)]
    obs = pandas.DataFrame(
        {
            "mvgraph": pandas.Categorical.from_codes(y, ["0", "1", "2"]),
            "age": np.arange(60.0),
        },
        names,
    )
    cells = anndata.AnnData(rna, obs=obs)
    cells.var_names = [f"g{j}" for j in range(4)]
    cells.obsm["X_umap"] = prot[:, :2]
    return cells


def colours_in(ax):
    return {tuple(c) for c in ax.collections[1].get_facecolors()}


def test_a_list_of_colours_is_a_panel_each(fitted):
    axes = pl.embedding(*fitted, color=["cluster", "confidence"], show=False)
    assert [ax.get_title() for ax in axes] == ["cluster", "confidence"]
    assert len(colours_in(axes[0])) == 3
    assert len(axes[0].collections[1].get_offsets()) == 90
    # numbers have a bar of colours
    assert len(axes[0].figure.axes) == 3


def test_values_have_the_colours_of_their_samples(fitted):
    model, X = fitted
    values = np.arange(90.0)
    ax = pl.embedding(model, X, color=values, show=False, title="mine")
    dots = ax.collections[1]
    assert sorted(dots.get_array()) == values.tolist()
    assert ax.get_title() == "mine"
    palette = {"0": "#ff0000", "1": "#00ff00", "2": "#0000ff"}
    ax = pl.embedding(model, X, palette=palette, show=False)
    assert colours_in(ax) == {(1, 0, 0, 1), (0, 1, 0, 1), (0, 0, 1, 1)}
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["0", "1", "2"]
    ax = pl.embedding(model, X, legend_loc="on data", show=False)
    assert ax.get_legend() is None
    assert {text.get_text() for text in ax.texts} == {"0", "1", "2"}


def test_clusters_have_their_names_and_the_colours_of_their_numbers(fitted):
    model, X = GraphConsensus(3, random_state=0).fit(fitted[1]), fitted[1]
    plain = colours_in(pl.embedding(model, X, show=False))
    model.rename_clusters({1: "B cells"})
    ax = pl.embedding(model, X, show=False)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["0", "1 B cells", "2"]
    assert colours_in(ax) == plain
    for draw in (pl.heatmap, pl.views):
        names = [t.get_text() for t in draw(model, X, show=False).get_yticklabels()]
        assert names[:3] == labels


def test_figures_are_shown_unless_they_are_saved_or_drawn_elsewhere(
    fitted, tmp_path, monkeypatch
):
    import matplotlib.pyplot as plt

    shown = []
    monkeypatch.setattr(plt, "show", lambda: shown.append(1))
    model, _ = fitted
    assert pl.tree(model) is None
    assert shown == [1]
    target = tmp_path / "tree.svg"
    ax = pl.tree(model, save=target)
    assert "merges, from the first" in target.read_text()
    assert pl.tree(model, ax=plt.figure().subplots()) is not ax
    assert shown == [1]


def test_a_view_of_noise_shows_no_cluster():
    views, _ = planted(150)
    noise = np.random.default_rng(0).normal(size=(150, 5))
    X = {"a": views[0], "b": views[1], "noise": noise}
    model = GraphConsensus(3, random_state=0).fit(X)
    ax = pl.views(model, X, show=False)
    table = np.asarray(ax.images[0].get_array())
    assert table.shape == (4, 3)
    assert (table[:, :2] > 0.9).all()
    assert (table[:, 2] < 0.6).all()  # a third by chance
    assert [text.get_text() for text in ax.get_yticklabels()][-1] == "all"
    with pytest.raises(ValueError, match="pass X, as in fit"):
        pl.views(model)


def test_columns_of_annotated_data(cells):
    pandas = pytest.importorskip("pandas")
    axes = pl.embedding(cells, color=["mvgraph", "age", "g2"], show=False)
    order = np.argsort(cells.X[:, 2])
    assert np.allclose(axes[2].collections[1].get_array(), cells.X[order, 2])
    # what scanpy drew in its colours stays in them
    cells.uns["mvgraph_colors"] = ["#ff0000", "#00ff00", "#0000ff"]
    ax = pl.embedding(cells, show=False)
    assert colours_in(ax) == {(1, 0, 0, 1), (0, 1, 0, 1), (0, 0, 1, 1)}
    ax = pl.heatmap(cells, n_features=3, show=False, feature_names=None)
    assert len(ax.get_xticklabels()) == 3
    found = compare_labels(cells.obs["mvgraph"], pandas.cut(cells.obs["age"], 2))
    cells.obs["half"] = pandas.cut(cells.obs["age"], 2)
    axes = pl.compare(cells, "half", show=False)
    assert axes[1].get_title() == "half to mvgraph"
    assert found.counts.sum() == 60


def test_cells_without_a_plane_are_laid_out_by_their_graph(cells):
    tl = pytest.importorskip("mvgraph.tl")
    cells = cells.copy()
    cells.obsm["X_prot"] = cells.obsm.pop("X_umap")
    with pytest.raises(ValueError, match="obsm has none of"):
        pl.embedding(cells)
    tl.cluster(cells, 3, use_rep=["X", "X_prot"])
    ax = pl.embedding(cells, show=False)
    P = np.asarray(ax.collections[1].get_offsets())
    distance = np.linalg.norm(P[:, None] - P[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    codes = cells.obs["mvgraph"].cat.codes.to_numpy()
    assert (codes[distance.argmin(axis=1)] == codes).mean() > 0.9


def test_features_of_modalities(cells):
    mudata = pytest.importorskip("mudata")
    part = cells[10:].copy()
    part.var_names = [f"p{j}" for j in range(4)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        both = mudata.MuData({"rna": cells.copy(), "prot": part})
    both.obsm["X_umap"] = np.random.default_rng(0).normal(size=(60, 2))
    ax = pl.embedding(both, color="rna:mvgraph", show=False)
    assert len(colours_in(ax)) >= 3
    ax = pl.embedding(both, color="p1", show=False)
    grey, known = ax.collections[:2]
    assert [len(d.get_offsets()) for d in (grey, known)] == [10, 50]
    with pytest.raises(ValueError, match="neither a column of obs nor a feature"):
        pl.embedding(both, color="q1", show=False)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (
            lambda m, X, a: pl.embedding(m, X, color="age"),
            "use one of .'cluster', 'conf",
        ),
        (lambda m, X, a: pl.embedding(m, X, color=np.ones(3)), "each of 90 samples"),
        (lambda m, X, a: pl.embedding(m), "pass the views of the fit"),
        (lambda m, X, a: pl.embedding(a, "pca"), "obsm has none of"),
        (lambda m, X, a: pl.embedding(a, palette=["red"]), "1 colours for 3 groups"),
        (lambda m, X, a: pl.embedding(a, palette={"0": "r"}), "no colour for"),
        (lambda m, X, a: pl.embedding(a, color=["age"], ax=[1, 2]), "ax must be 1"),
        (lambda m, X, a: pl.embedding(a, title=["a", "b"]), "title must be 1"),
        (lambda m, X, a: pl.heatmap(m), "pass X, as in fit"),
        (lambda m, X, a: pl.tree(a), "names no model"),
        (lambda m, X, a: pl.compare(m, m, m), "two clusterings"),
        (lambda m, X, a: pl.compare(a, "leiden"), "obs has no 'leiden'"),
        (lambda m, X, a: pl.tree(m, save="a.bmp"), "ending '.bmp' is unknown"),
    ],
)
def test_what_cannot_be_drawn_is_refused(fitted, cells, call, match):
    cells.uns.clear()
    with pytest.raises(ValueError, match=match):
        call(*fitted, cells)


def test_arrays_are_refused(fitted):
    for draw in (pl.embedding, pl.heatmap, pl.tree):
        with pytest.raises(TypeError, match="a MuData, an AnnData or a fitted model"):
            draw(fitted[1])
    with pytest.raises(ValueError, match="not fitted"):
        pl.embedding(GraphConsensus())
