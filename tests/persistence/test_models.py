"""Models on disk: the same predictions, and nothing half-written or misread."""

import json
import pkgutil
import re
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

import mvgraph
import mvgraph.persistence.files as files
from data import planted
from mvgraph import AnchorFilter, load_model
from mvgraph.persistence.document import SAVED, find, is_record, path_of, seal

X, TRUTH = planted(90)


@pytest.fixture
def model(fitted):
    return fitted.model


def test_everything_comes_back(model, tmp_path):
    model.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert type(loaded) is type(model)
    assert loaded.get_params() == model.get_params()
    assert set(vars(loaded)) == set(vars(model))
    new = [x + 0.5 for x in X]
    np.testing.assert_array_equal(loaded.predict(new), model.predict(new))
    np.testing.assert_array_equal(loaded.transform(new), model.transform(new))
    np.testing.assert_array_equal(loaded.labels_, model.labels_)
    np.testing.assert_array_equal(loaded.view_weights_, model.view_weights_)
    assert (loaded.graph_ != model.graph_).nnz == 0
    assert loaded.history_ == model.history_
    arrays, document = sorted(p.name for p in (tmp_path / "model").iterdir())
    assert re.fullmatch(r"arrays-[0-9a-f]{16}\.npz", arrays)
    assert document == "model.json"


@pytest.mark.parametrize("names", ["texts", "numbers"])
def test_names_of_samples_and_features_stay(names, tmp_path):
    index = [f"s{i}" for i in range(90)] if names == "texts" else range(100, 190)
    frame = pd.DataFrame(X[0], index=index, columns=list("abcd"))
    model = AnchorFilter(3, random_state=0).fit(frame)
    model.save(tmp_path / "m")
    loaded = load_model(tmp_path / "m")
    assert loaded.labels_frame().index.tolist() == list(index)
    assert loaded.feature_names_in_.tolist() == list("abcd")
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))


def test_saving_again_replaces_the_older_model(model, tmp_path):
    target = tmp_path / "m"
    model.save(target)
    model.set_params(random_state=5).save(target)
    assert load_model(target).random_state == 5
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def test_a_folder_with_something_else_is_refused(model, tmp_path):
    (tmp_path / "letters.txt").write_text("mine")
    with pytest.raises(ValueError, match="exists and is not a model"):
        model.save(tmp_path)
    assert (tmp_path / "letters.txt").read_text() == "mine"


def test_folders_above_are_not_made_up(model, tmp_path):
    with pytest.raises(ValueError, match=r"there is no folder .*typo; create it first"):
        model.save(tmp_path / "typo" / "model")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_save_leaves_the_older_model(model, tmp_path, monkeypatch):
    target = tmp_path / "m"
    model.save(target)

    def fail(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez", fail)
    with pytest.raises(OSError, match="disk full"):
        model.save(target)
    load_model(target)
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def test_a_failed_rename_leaves_the_older_model(model, tmp_path, monkeypatch):
    target, real = tmp_path / "m", files.os.replace
    model.save(target)

    def fail_once(a, b):
        if str(a).endswith(".tmp"):
            raise OSError("no")
        real(a, b)

    monkeypatch.setattr(files.os, "replace", fail_once)
    with pytest.raises(OSError, match="no"):
        model.save(target)
    monkeypatch.undo()
    load_model(target)


def test_what_cannot_be_written_is_named(tmp_path):
    model = AnchorFilter(3, random_state=np.random.default_rng(0)).fit(X)
    model.save(tmp_path / "m")
    assert load_model(tmp_path / "m").random_state is None
    model.engine = object()
    with pytest.raises(ValueError, match="cannot save engine: 'object'"):
        model.save(tmp_path / "n")
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def damage(folder, **changes):
    """Change the JSON, with a checksum that fits unless it is one of the changes."""
    path = folder / "model.json"
    changed = json.loads(path.read_text()) | changes
    path.write_text(json.dumps(changed | {"sha256": seal(changed)} | changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 99}, "in format 99; .* reads format 2: upgrade mvgraph"),
        ({"format": 0}, "fit and save it again"),
        ({"class": "os:system"}, "'os:system' is not a class that mvgraph"),
        (
            {"class": "mvgraph.views.schema:Schema"},
            "is not a class that mvgraph .* saves",
        ),
        ({"sha256": "0"}, "damaged: model.json is not what was saved"),
        (
            {"arrays": {"file": "../../a.npz", "sha256": "0"}},
            "does not name a file of arrays",
        ),
    ],
)
def test_what_is_not_readable_is_refused(model, tmp_path, changes, message):
    model.save(tmp_path / "m")
    damage(tmp_path / "m", **changes)
    with pytest.raises(ValueError, match=message):
        load_model(tmp_path / "m")


@pytest.mark.parametrize(
    "path",
    [
        None,
        "GraphConsensus",
        "os:PathLike",
        "builtins:Exception",
        "mvgraph.cli._app:Everywhere",
        "mvgraph.__main__:Main",
        "mvgraph.views.nothing:Nothing",
        "mvgraph.views.lazy:LazyArray",  # reads files
        "mvgraph.views.schema:Views",  # defined elsewhere
        "mvgraph.views:Views",
        "mvgraph.graphs.anchors:Views.mask",
        "mvgraph.consensus.estimator:GraphConsensus",  # no record
    ],
)
def test_no_other_class_is_built(path):
    with pytest.raises(ValueError, match=r"is not a class that mvgraph .* saves"):
        find(path, is_record)


def test_building_a_part_of_a_model_does_nothing_else():
    names = {m.name for m in pkgutil.walk_packages(mvgraph.__path__, "mvgraph.")}
    inside = [name for name in names if SAVED.fullmatch(f"{name}:A")]
    kinds = [kind for name in inside for kind in vars(import_module(name)).values()
             if isinstance(kind, type) and SAVED.fullmatch(path_of(kind))
             and is_record(kind)]  # fmt: skip
    assert len(kinds) > 10
    for kind in kinds:
        assert not {"__post_init__", "__setstate__", "__del__"} & set(dir(kind)), kind
        generated = issubclass(kind, tuple) or kind.__init__.__code__
        assert generated is True or generated.co_filename == "<string>", kind


def test_no_model_and_no_json(model, tmp_path):
    with pytest.raises(ValueError, match="there is no model"):
        load_model(tmp_path)
    model.save(tmp_path / "m")
    (tmp_path / "m" / "model.json").write_text("{")
    with pytest.raises(ValueError, match="damaged"):
        load_model(tmp_path / "m")


def test_transform_of_rows_and_of_rows_that_lack_views(model):
    Y = model.transform(X)
    assert Y.shape == (90, 3)
    centres = np.stack([Y[k == TRUTH].mean(axis=0) for k in range(3)])
    holed = [X[0], np.where(np.arange(90)[:, None] < 30, np.nan, X[1])]
    near = np.linalg.norm(model.transform(holed)[:, None] - centres, axis=2)
    assert (near.argmin(axis=1) == TRUTH).mean() > 0.95


def test_set_output_gives_frames(model):
    joined = pd.DataFrame(np.hstack(X), index=[f"s{i}" for i in range(90)])
    joined.columns = [f"f{i}" for i in range(10)]
    frame = type(model)(3, random_state=0).set_output(transform="pandas")
    out = frame.fit_transform(joined)
    prefix = type(model).__name__.lower()
    assert out.columns.tolist() == [f"{prefix}{i}" for i in range(3)]
    assert out.index.equals(joined.index)
    model.set_output(transform="pandas")
    assert model.transform(X).shape == (90, 3)


@pytest.mark.parametrize("other", ["thesis.tex", "arrays.npz", "model.json"])
def test_a_folder_with_anything_but_a_model_is_refused(tmp_path, other):
    model = AnchorFilter(3, random_state=0).fit(planted(60)[0])
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "model.json").write_text("{}")
    (folder / other).write_text("x")
    before = sorted(p.name for p in folder.iterdir())
    with pytest.raises(ValueError, match="is not a model"):
        model.save(folder)
    assert sorted(p.name for p in folder.iterdir()) == before
    assert (folder / other).read_text() == "x"
