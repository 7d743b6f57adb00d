import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy import stats
from sklearn.cluster import DBSCAN

from mvgraph import AnchorFilter, GraphConsensus, Views, explain, load_model, methods
from mvgraph.display._features import LARGEST
from mvgraph.inspection.markers import standardised_difference

N, K = 120, 3
TRUTH = np.arange(N) % K


@pytest.fixture(params=[GraphConsensus, AnchorFilter], ids=lambda c: c.__name__)
def model(request):
    return request.param(K, random_state=0)


def views(noise_view=False):
    rng = np.random.default_rng(0)
    X = [7 * rng.normal(size=(K, d))[TRUTH] + rng.normal(size=(N, d)) for d in (4, 6)]
    return [*X, rng.normal(size=(N, 5))] if noise_view else X


def test_contributions_are_shares_and_a_view_of_noise_has_little(model):
    X = views(noise_view=True)
    why = explain(model.fit(X), X)
    assert why.contributions.shape == (N, 3)
    np.testing.assert_allclose(why.contributions.sum(axis=1), 1)
    assert why.contributions[:, 2].mean() < 0.25
    turned = explain(model.fit(X[::-1]), X[::-1])
    np.testing.assert_allclose(turned.contributions[:, ::-1], why.contributions)


def test_a_view_that_a_sample_lacks_contributes_nothing(model):
    X = views()
    X[0][:20] = np.nan
    why = explain(model.fit(X), X)
    np.testing.assert_array_equal(why.contributions[:20], [[0, 1]] * 20)


def test_exemplars_belong_to_their_cluster_and_carry_ids(model):
    names = [f"s{i}" for i in range(N)]
    X = {f"v{i}": pd.DataFrame(x, index=names) for i, x in enumerate(views())}
    why = explain(model.fit(X), X, n_exemplars=2)
    assert [r["cluster"] for r in why.exemplars] == [0, 0, 1, 1, 2, 2]
    for row in why.exemplars:
        assert model.labels_[row["row"]] == row["cluster"]
        assert row["id"] == names[row["row"]]
        assert row["closeness"] <= 1 + 1e-9


def test_features_name_what_was_planted():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(N, 4)), columns=list("abcd"))
    frame["c"] += 9 * (TRUTH == 1)
    frame["b"] -= 9 * (TRUTH == 2)
    model = GraphConsensus(K, random_state=0).fit(frame)
    why = explain(model, frame, n_features=1)
    top = {TRUTH[model.labels_ == r["cluster"]][0]: r for r in why.features}
    assert (top[1]["name"], top[2]["name"]) == ("c", "b")
    assert top[1]["difference"] > 0 > top[2]["difference"]
    assert why.to_frame().shape == (3, 13)
    assert why.to_frame("contributions").shape == (N, 1)
    with pytest.raises(ValueError, match="table must be"):
        why.to_frame("other")


def test_difference_sparse_constant_and_huge():
    rng = np.random.default_rng(0)
    x = rng.poisson(0.5, size=(40, 6)).astype(float)
    x[:, 3] = 2
    labels = np.arange(40) % 2
    dense = standardised_difference(x, labels, 2)
    inside, outside = x[labels == 0].mean(axis=0), x[labels == 1].mean(axis=0)
    keep = np.arange(6) != 3
    expected = (inside - outside)[keep] / x.std(axis=0)[keep]
    np.testing.assert_allclose(dense[0, keep], expected)
    assert (dense[:, 3] == 0).all()
    np.testing.assert_allclose(
        standardised_difference(sp.csr_matrix(x), labels, 2), dense, atol=1e-12
    )
    np.testing.assert_allclose(standardised_difference(x * 1e250, labels, 2), dense)


def test_other_rows_and_other_models_are_refused(model):
    X = views()
    with pytest.raises(ValueError, match=r"fitted on 120 samples, (but )?X has 60"):
        explain(model.fit(X), [x[:60] for x in X])


def counts_with_markers(form=sp.csr_matrix):
    """Two hundred samples; features 3k, 3k + 1 mark cluster k, and rarely another."""
    rng = np.random.default_rng(3)
    labels = np.repeat([0, 1, 2, 3], 50)
    rates = np.full((4, 40), 0.4)
    for k in range(4):
        rates[k, [3 * k, 3 * k + 1]] = 4
    return form(rng.poisson(rates[labels]).astype(float)), labels


def test_markers_are_on_top_for_labels_alone():
    x, labels = counts_with_markers()
    words = np.array(["b", "a", "d", "c"])[labels]
    why = explain(x, words, n_features=2)
    assert why.contributions is None
    assert why.exemplars == []
    for row in why.features:
        k = "badc".index(row["cluster"])
        assert row["feature"] in (3 * k, 3 * k + 1)
        own, rest = x[labels == k].toarray(), x[labels != k].toarray()
        j = row["feature"]
        assert row["share_inside"] == pytest.approx((own[:, j] > 0).mean())
        assert row["share_outside"] == pytest.approx((rest[:, j] > 0).mean())
        assert row["mean_outside"] == pytest.approx(rest[:, j].mean())
        p = stats.mannwhitneyu(own, rest, method="asymptotic").pvalue
        assert row["pvalue"] == pytest.approx(p[j])
        adjusted = stats.false_discovery_control(p)
        assert row["pvalue_adjusted"] == pytest.approx(adjusted[j])
        assert row["score"] > 0
    assert [r["cluster"] for r in why.features] == list("aabbccdd")


def test_welch_no_test_and_all_features():
    x, labels = counts_with_markers(lambda a: a)
    why = explain([x], labels, test="welch", n_features=None)
    assert len(why.features) == 4 * 40
    row = why.features[0]
    t = stats.ttest_ind(x[labels == 0], x[labels != 0], equal_var=False)
    assert row["score"] == pytest.approx(t.statistic[row["feature"]])
    assert "pvalue" not in explain([x], labels, test=None).features[0]
    with pytest.raises(ValueError, match="test must be"):
        explain([x], labels, test="anova")


def test_keywords_of_texts_have_their_words():
    from sklearn.feature_extraction.text import CountVectorizer

    texts = {
        "sea": ["the ship sails the sea", "a ship at sea and waves"],
        "farm": ["the cow eats the grass", "a cow and horse in grass"],
    }
    wanted = {"sea": ["ship", "sea"], "farm": ["cow", "grass"]}
    docs = [text for own in texts.values() for text in own for _ in range(3)]
    labels = np.repeat(list(texts), 6)
    reader = CountVectorizer()
    view = reader.fit_transform(docs)
    names = {"text": reader.get_feature_names_out()}
    why = explain({"text": view}, labels, n_keywords=2, feature_names=names)
    found = {(r["cluster"], r["name"]) for r in why.keywords}
    assert found == {(k, word) for k, own in wanted.items() for word in own}
    assert why.to_frame("keywords").columns[-1] == "weight"
    dense = {"text": view.toarray()}
    assert explain(dense, labels).keywords == []
    assert explain(dense, labels, counts=["text"], n_keywords=2).keywords
    with pytest.raises(ValueError, match="negative values, so no counts"):
        explain({"text": -view.toarray()}, labels, counts=["text"])
    with pytest.raises(ValueError, match="No view is named 'b'"):
        explain(dense, labels, counts=["b"])


def test_other_clusterers_have_labels_too():
    X = views()
    spectral = methods.get("spectral-concat").make(K, 0).fit(X)
    why = explain(spectral, X, n_exemplars=1)
    assert why.contributions is None
    assert len(why.exemplars) == K
    assert len(why.features) == K * 2 * 5 - K  # the first view has four features
    with pytest.raises(ValueError, match="There are no contributions"):
        why.to_frame("contributions")
    scanned = DBSCAN(eps=1.5).fit(X[0])
    assert (scanned.labels_ < 0).any()
    own = explain(scanned, X[0])
    assert own.clusters == sorted(set(scanned.labels_.tolist()) - {-1})


def test_labels_are_matched_by_name_and_some_may_lack_one():
    x, labels = counts_with_markers(lambda a: a)
    ids = [f"s{i}" for i in range(len(x))]
    frame = pd.DataFrame(x, index=ids)
    series = pd.Series(labels, index=ids)
    expected = explain(frame, labels).features
    assert explain(frame, series[::-1]).features == expected
    some = series.astype(object)
    some[:10] = None
    assert explain(frame, some).features == explain(frame[10:], labels[10:]).features
    assert explain(x, series).features != []
    ten = pd.Series(labels.astype(str)).replace("3", "10").to_numpy()
    assert explain(x, ten).clusters == ["0", "1", "2", "10"]
    with pytest.raises(ValueError, match="5 samples of 200 have no row, such as 's0'"):
        explain(frame, series[5:])
    with pytest.raises(ValueError, match="duplicated"):
        explain(frame, pd.concat([series, series[:1]]))
    with pytest.raises(ValueError, match="200 samples, got shape"):
        explain(x, labels[:9])
    with pytest.raises(ValueError, match="no cluster"):
        explain(x, np.full(200, -1))


def test_rows_that_lack_a_view_are_neither_inside_nor_outside():
    x, labels = counts_with_markers(lambda a: a)
    some = x.copy()
    some[::7] = np.nan
    kept = np.arange(200) % 7 != 0
    both = explain([some, x], labels).features
    own = [row for row in both if row["view"] == "view_0"]
    assert own == explain([x[kept]], labels[kept]).features


def test_tables_of_polars():
    polars = pytest.importorskip("polars")
    x, labels = counts_with_markers()
    why = explain(x, labels)
    frame = why.to_frame(backend="polars")
    assert isinstance(frame, polars.DataFrame)
    assert frame.columns == list(why.to_frame().columns)
    with pytest.raises(ValueError, match="backend must be"):
        why.to_frame(backend="dask")


def test_dots_are_shares():
    x, labels = counts_with_markers()
    why = explain({"words": x}, labels)
    display = why.plot(n_features=2)
    assert set(map(int, display.features)) == {0, 1, 3, 4, 6, 7, 9, 10}
    assert len(display.ax_.get_yticklabels()) == 4
    sizes = display.ax_.collections[0].get_sizes().reshape(4, 8) / LARGEST
    first = int(display.features[0])
    share = (x[labels == 1].toarray()[:, first] > 0).mean()
    np.testing.assert_allclose(sizes[1, 0], share, atol=1e-4)
    assert type(display).from_data(display.data()).data() == display.data()
    with pytest.raises(ValueError, match="No view is named 'x'"):
        why.plot("x")


def test_notebooks_show_the_first_features_and_keywords():
    words = sp.csr_matrix(np.repeat([[5, 0, 1], [0, 7, 1]], 10, axis=0))
    other = np.repeat([[0.0, 1], [3, 1]], 10, axis=0) + np.arange(20)[:, None] / 100
    names = [("cell", "star", "the"), ("height", "width")]
    views = Views([words, other], ["text", "size"], feature_names=names)
    page = explain(views, np.repeat(["a", "b"], 10))._repr_html_()
    assert "<th>keywords</th>" in page
    rows = page.split("<tr>")
    assert "cell" in rows[2]
    assert "star \u25bc" in rows[2]
    assert "height \u25bc" in rows[2]
    assert "star" in rows[3].split("<td>")[-1]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"imagess": list("abcd")}, "no view is named 'imagess'; names: .'image', 'te"),
        ({"image": list("abcde")}, "5 names for view 'image', which has 4 columns"),
        ({"image": list("abc")}, "3 names for view 'image', which has 4 columns"),
        ({"image": "abcd"}, "of view 'image' must be a sequence of names"),
        ({"image": None}, "of view 'image' must be a sequence of names"),
        ([list("abcd")], "must be a dict of view name to names of its columns"),
    ],
)
def test_names_of_features_that_fit_no_view_are_refused(names, message):
    X = dict(zip(["image", "text"], views(), strict=True))
    with pytest.raises(ValueError, match=message):
        explain(X, TRUTH, feature_names=names)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([list("abcd")], "names, or None, for each of 2 views"),
        ({"view_0": list("abcd"), "view_1": None}, "for each of 2 views"),
        ([list("abcd"), list("abc")], "3 names for view 'view_1', which has 6"),
        (["abcd", None], "of view 'view_0' must be a sequence"),
    ],
)
def test_views_refuse_the_same(names, message):
    with pytest.raises(ValueError, match=message):
        Views(views(), feature_names=names)


def test_names_are_in_the_order_of_the_columns_given():
    x = views()[0]
    frame = pd.DataFrame(x, columns=list("abcd"))
    model = GraphConsensus(K, random_state=0).fit({"v": frame, "w": x})
    turned = {"v": frame[list("dbca")], "w": x}
    why = explain(model, turned, feature_names={"v": list("DBCA")})
    for row in why.features:
        if row["view"] == "v":
            assert row["name"] == "ABCD"[row["feature"]]


@pytest.mark.filterwarnings("ignore:X contains other values")
def test_views_that_are_lacking_are_named(model):
    a, b = views()
    model.fit({"images": a, "text": b})
    with pytest.raises(ValueError, match=r"1 of the 2 views .*: it lacks 'text'"):
        explain(model, {"images": a})
    with pytest.raises(ValueError, match=r"'images' \(4\), 'text' \(6\); X has \(4,\)"):
        explain(model, [a])
    with pytest.raises(ValueError, match="The views are named"):
        explain(model, {"sound": a})
    gone = {"images": a, "text": np.full_like(b, np.nan)}
    for given in ((gone, TRUTH), (model, gone)):
        with pytest.raises(ValueError, match="View 'text': no sample of a cluster"):
            explain(*given)


@pytest.mark.filterwarnings("error")
def test_rows_in_another_order_are_refused(model, tmp_path):
    X = views()
    model.fit(X)
    turned = [x[::-1] for x in X]
    expected = explain(model, X).features
    loaded = load_model(model.save(tmp_path / "model"))
    for one in (model, loaded):
        assert explain(one, X).features == expected
        with pytest.raises(ValueError, match="fitted on in another order"):
            explain(one, turned)
    with pytest.warns(UserWarning, match="other values than .* taken by position") as w:
        explain(model, [10 * x for x in X])
    assert w[0].filename == __file__
    as_sparse = [sp.csr_matrix(X[0]), X[1]]
    assert len(explain(model, as_sparse).features) == len(expected)


@pytest.mark.filterwarnings("error")
def test_ids_show_whether_rows_are_those_of_the_fit(model):
    ids = [f"s{i}" for i in range(N)]
    X = {f"v{i}": pd.DataFrame(x, index=ids) for i, x in enumerate(views())}
    model.fit(X)
    explain(model, {name: 10 * x for name, x in X.items()})  # the same samples
    with pytest.raises(ValueError, match=r"the order of model\.sample_ids_"):
        explain(model, {name: 10 * x[::-1] for name, x in X.items()})
    with pytest.raises(ValueError, match="in another order"):
        explain(model, {name: x.to_numpy()[::-1] for name, x in X.items()})
    explain(model, {name: x.to_numpy() for name, x in X.items()})
    other = {name: 10 * x.rename({"s5": "t"}) for name, x in X.items()}
    with pytest.warns(UserWarning, match="1 of 120 samples .* 't' where it had 's5'"):
        explain(model, other)


def test_one_name_of_counts_is_not_a_sequence():
    x, labels = counts_with_markers()
    with pytest.raises(ValueError, match=r"write \['text'\]"):
        explain({"text": x}, labels, counts="text")
    twice = explain({"text": x}, labels, counts=["text", "text"])
    assert twice.keywords == explain({"text": x}, labels).keywords


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_empty_tables_have_columns_and_a_reason(backend):
    pytest.importorskip(backend)
    x, labels = counts_with_markers()
    full = explain({"text": x}, labels)
    why = explain({"text": x.toarray()}, labels, n_features=0, test=None)
    with pytest.warns(UserWarning, match="no keywords: no view was taken as counts"):
        frame = why.to_frame("keywords", backend)
    assert list(frame.columns) == list(full.keywords[0])
    with pytest.warns(UserWarning, match="no exemplars: there is no embedding"):
        assert "closeness" in why.to_frame("exemplars", backend).columns
    with pytest.warns(UserWarning, match="n_features is 0"):
        frame = why.to_frame("features", backend)
    untested = explain({"text": x}, labels, test=None).features
    assert list(frame.columns) == list(untested[0])


def test_dense_tables_with_named_columns_are_counts_of_words():
    x, labels = counts_with_markers(lambda a: a)
    names = [f"word{j}" for j in range(x.shape[1])]
    frame = pd.DataFrame(x.astype(int), columns=names)
    why = explain({"text": frame, "sizes": frame + 0.5}, labels)
    assert why.counts == ("text",)
    expected = explain(
        {"text": sp.csr_matrix(x)}, labels, feature_names={"text": names}
    )
    assert why.keywords == expected.keywords
    assert explain({"text": x}, labels).counts == ()
    assert explain({"text": frame + 1}, labels).counts == ()


@pytest.mark.parametrize("name", ["n_features", "n_keywords", "n_exemplars"])
@pytest.mark.parametrize("n", [-1, 2.0, True, "3"])
def test_numbers_of_rows_are_checked(name, n):
    with pytest.raises(ValueError, match=f"{name} must be a whole number, at least 0"):
        explain(views(), TRUTH, **{name: n})


def test_plots_without_features_are_refused():
    x, labels = counts_with_markers()
    with pytest.raises(ValueError, match="n_features=0 leaves nothing to draw"):
        explain({"text": x}, labels).plot("text", n_features=0)
    with pytest.raises(ValueError, match="n_features=0: there is nothing to draw"):
        explain({"text": x}, labels, n_features=0).plot()


def test_the_name_of_a_view_does_not_lie_on_the_key_of_sizes():
    x, labels = counts_with_markers(lambda a: a)
    display = explain({"a rather long name": x[:, :1]}, labels == 0).plot()
    display.figure_.draw_without_rendering()
    (title,) = [t for t in (display.ax_._left_title,) if t.get_text()]
    key = display.ax_.get_legend()
    assert not title.get_window_extent().overlaps(key.get_window_extent())
