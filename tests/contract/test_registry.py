"""The records of the registry are true."""

from dataclasses import asdict
from importlib import import_module

import pytest
from sklearn.base import clone, is_clusterer
from sklearn.utils import get_tags

from mvgraph import methods
from mvgraph.base import parameters


def records(module):
    """``METHOD`` and ``METHODS`` of an imported module, by name."""
    one = vars(module).get("METHOD")
    found = [one] if one else module.METHODS
    return {record.name: record for record in found}


def test_names_are_unique_and_the_default_comes_first():
    assert methods.names()[0] == methods.DEFAULT == "graph-consensus"
    assert len(set(methods.names())) == len(methods.names())
    with pytest.raises(ValueError, match="did you mean 'mgl'"):
        methods.get("mlg")


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        *(("FASTMICE", "fastmice"), ("FastMICE", "fastmice"), ("MGL", "mgl")),
        *(("WNN", "wnn-leiden"), ("wnn", "wnn-leiden"), ("leiden", "leiden-mean")),
        *(("k-means", "kmeans-concat"), ("k_means_concat", "kmeans-concat")),
        *(("consensus", "graph-consensus"), ("clrr", "clr"), ("fpmvs", "fpmvs-cag")),
        ("kmean-conct", "kmeans-concat"),
    ],
)
def test_a_wrong_name_is_mended(wrong, meant):
    with pytest.raises(ValueError, match=f"did you mean {meant!r}"):
        methods.get(wrong)


def test_a_name_like_no_other_gets_no_guess():
    for wrong in ("", "x", "zzzzzz"):
        with pytest.raises(ValueError, match=r"is named .*; known: graph-consensus"):
            methods.get(wrong)


def test_a_record_read_from_the_text_is_the_imported_one(name):
    read = methods.get(name)
    home = {
        "graph-consensus": "mvgraph.consensus.method",
        "anchor-filter": "mvgraph.anchor_filter.method",
        "mgl": "mvgraph.mgl.method",
    }
    module = home.get(name) or read.estimator.partition(":")[0]
    expected = asdict(records(import_module(module))[name])
    if expected["cost_model"]:  # the registry adds the module
        expected["cost_model"] = f"{module}:{expected['cost_model']}"
    if not expected["estimator"]:  # ... and the class that the file has
        kind = type(read.make(3))
        assert kind.__module__ == module
        expected["estimator"] = f"{module}:{kind.__qualname__}"
    assert asdict(read) == expected


def test_the_record_and_the_estimator_agree_about_the_order(name):
    method = methods.get(name)
    model = method.make(3)
    assert model._order_free == method.order_free
    said = type(model).__doc__.lower() + method.title.lower()
    assert method.order_free or "order" in said


def test_clone_and_description(name):
    model = methods.get(name).make(3, random_state=0)
    assert clone(model).get_params() == model.get_params()
    row = methods.get(name).describe()
    assert row["name"] == name
    assert row["cost"]
    assert row["memory"]
    assert row["year"] > 1980
    assert "default" in row["presets"]


def test_every_number_has_a_range(name):
    model = methods.get(name).make(3)
    numbers = {
        key
        for key, value in model.get_params().items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    assert numbers - {"random_state", "view"} <= set(parameters.RANGES)


def test_tags(name):
    model = methods.get(name).make(3)
    tags = get_tags(model)
    assert is_clusterer(model)
    assert tags.input_tags.sparse
    assert not tags.target_tags.required
    assert (tags.transformer_tags is not None) == hasattr(model, "transform")
