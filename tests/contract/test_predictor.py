"""What a method can do with new samples follows from its predictor alone."""

from dataclasses import replace

import numpy as np
import pytest

from data import planted
from mvgraph import load_model, methods
from mvgraph.base.predictor import predict_blocks, predict_rows
from mvgraph.ops.arrays import dense

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
BY_PREDICTOR = (
    "predict",
    "transform",
    "fit_transform",
    "get_feature_names_out",
    "set_output",
    "save",
)
LABELLING = [n for n in methods.names() if methods.get(n).make(3).predictor is not None]
X, _ = planted(48, spread=4, noise=0.5)
VIEWS = {f"v{i}": x for i, x in enumerate(X)}


def test_a_method_has_all_that_its_predictor_gives_or_nothing(name, fit):
    known = name in LABELLING
    for model in (methods.get(name).make(3, random_state=0), fit(name, VIEWS)):
        assert [hasattr(model, what) for what in BY_PREDICTOR] == [known] * 6
        fields = model.predictor.fields if known else ()
        assert (model.predictor is not None) == known
        assert hasattr(model, "predict_proba") == ("probability" in fields)
        if not known:
            with pytest.raises(AttributeError) as refused:
                model.save("m")
            assert "cannot label new samples" in str(refused.value.__cause__)


@pytest.mark.parametrize("name", LABELLING)
def test_a_saved_model_does_what_the_model_does(name, fit, tmp_path):
    model = fit(name, VIEWS)
    assert isinstance(model.predictor_, model.predictor)
    loaded = load_model(model.save(tmp_path / "m"))
    new = {key: x[::-1] + 0.01 for key, x in VIEWS.items()}
    for field in model.predictor.fields:
        a, b = (
            predict_rows(m.predictor_, m.schema_.match(new), field, whole=False)
            for m in (model, loaded)
        )
        np.testing.assert_array_equal(dense(a), dense(b))


@pytest.mark.parametrize("name", LABELLING)
def test_fields_have_the_shapes_that_are_told_and_agree(name, fit):
    model = fit(name, VIEWS)
    views = model.schema_.match(VIEWS)
    wanted = sorted(model.predictor.fields)
    found = model.predictor_.block(views, wanted)
    for field in wanted:
        dtype, width = model.predictor_.shape_of(field)
        assert found[field].shape == (48, width)[: 1 if width is None else 2]
        assert found[field].dtype == dtype
        alone = model.predictor_.block(views, [field])[field]
        np.testing.assert_array_equal(dense(alone), dense(found[field]))
    np.testing.assert_array_equal(found["label"], model.predict(VIEWS))
    np.testing.assert_array_equal(found["embedding"], model.transform(VIEWS))
    if "probability" in wanted:
        P = model.predict_proba(VIEWS)
        np.testing.assert_array_equal(P.argmax(axis=1), found["label"])
        np.testing.assert_array_equal(P.max(axis=1), found["confidence"])
        np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-5)


@pytest.mark.parametrize("name", LABELLING)
def test_rows_are_labelled_one_by_one_and_views_by_their_names(name, fit):
    model = fit(name, VIEWS)
    expected = model.predict(VIEWS)
    rows = np.random.default_rng(0).permutation(48)
    turned = {key: VIEWS[key][rows] for key in reversed(VIEWS)}
    np.testing.assert_array_equal(model.predict(turned), expected[rows])
    views = model.schema_.match(VIEWS)
    blocks = predict_blocks(
        model.predictor_, views, ("label", "nothing"), whole=False, block_rows=10
    )
    parts = [block["label"] for block in blocks]
    assert [len(part) for part in parts] == [10, 10, 10, 10, 8]
    np.testing.assert_array_equal(np.concatenate(parts), expected)


@pytest.mark.parametrize("name", LABELLING)
def test_a_predictor_follows_the_order_of_views_and_the_numbers_of_labels(name, fit):
    model = fit(name, VIEWS)
    views, order = model.schema_.match(VIEWS), np.array([1, 0])
    moved = model.predictor_.take_views(order)
    swapped = predict_rows(moved, views.select(order), "label", whole=False)
    np.testing.assert_array_equal(swapped, model.predict(VIEWS))
    new = np.array([2, 0, 1])
    moved = replace(model.predictor_.renumber(new), ids=None)
    renamed = predict_rows(moved, views, "label", whole=False)
    np.testing.assert_array_equal(renamed, new[model.predict(VIEWS)])


@pytest.mark.parametrize("name", LABELLING)
def test_samples_that_lack_a_view_are_labelled_or_refused(name, fit):
    model = fit(name, VIEWS)
    holed = {key: x.copy() for key, x in VIEWS.items()}
    holed["v1"][3] = np.nan
    if not model.schema_.needs_every_view:
        assert (model.predict(holed) == model.predict(VIEWS)).mean() > 0.95
        return
    with pytest.raises(ValueError, match="new samples need every view"):
        model.predict(holed)
    with pytest.raises(ValueError, match="'v1' of the fit is not there"):
        model.predict({"v0": VIEWS["v0"]})


def test_the_schema_is_a_value_of_its_own(fit):
    model = fit("spectral-concat", VIEWS)
    same = replace(model.schema_)
    views = same.match({key: VIEWS[key] for key in reversed(VIEWS)})
    assert views.names == ("v0", "v1")
    same.check_same_rows(views)
    with pytest.raises(ValueError, match="in another order"):
        same.check_same_rows(views[::-1])
