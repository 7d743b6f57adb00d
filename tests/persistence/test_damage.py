"""A model that was changed on disk: one clear error, never another exception."""

import json
import random
import re
import shutil

import numpy as np
import pytest

from data import planted
from mvgraph import GraphConsensus, load_model
from mvgraph.persistence.document import seal

ODD = [None, True, -1, 10**400, 1e308, "", "a0", "\ud800", [], {}, [[]], {"kind": "x"}]
CLEAR = re.compile("damaged|not a model|no model|in format|nothing that mvgraph")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A model, with views to predict."""
    folder, (a, b) = tmp_path_factory.mktemp("models"), planted(24)[0]
    views = {"a": a, "b": b}
    GraphConsensus(3, random_state=0).fit(views).save(folder / "m")
    return folder / "m", views


def edit_bytes(path, rng):
    content = bytearray(path.read_bytes())
    at = rng.randrange(len(content))
    kind = rng.choice(["flip", "cut", "insert", "drop", "zeros", "empty"])
    if kind == "flip":
        content[at] ^= 1 << rng.randrange(8)
    elif kind == "cut":
        del content[at:]
    elif kind == "insert":
        content[at:at] = rng.randbytes(5)
    elif kind == "drop":
        del content[at : at + 7]
    elif kind == "zeros":
        content[at : at + 40] = bytes(min(40, len(content) - at))
    else:
        content.clear()
    path.write_bytes(content)


def edit_value(path, rng, sealed):
    """Replace or remove one value at a random place of the JSON."""
    document = json.loads(path.read_text())
    node = document
    while True:
        items = node.items() if isinstance(node, dict) else enumerate(node)
        key, value = rng.choice(list(items))
        if not (isinstance(value, dict | list) and value) or rng.random() < 0.3:
            break
        node = value
    if rng.random() < 0.3:
        del node[key]
    else:
        node[key] = rng.choice(ODD)
    if sealed:
        document["sha256"] = seal(document)
    path.write_text(json.dumps(document))


def edit_arrays(path, rng):
    """Write an archive with arrays of other shapes, or fewer."""
    with np.load(path) as arrays:
        held = dict(arrays)
    for name in rng.sample(sorted(held), 3):
        if rng.random() < 0.5:
            del held[name]
        else:
            held[name] = np.zeros((2, 1))
    np.savez(path, **held)


def edit_entry(path, rng):
    path.unlink()
    kind = rng.choice(["gone", "folder", "other"])
    if kind == "folder":
        path.mkdir()
    elif kind == "other":
        path.write_text("[1, 2]")


def outcome(folder):
    """Return the model or the text of its error; any other exception passes."""
    try:
        return load_model(folder), ""
    except ValueError as error:
        return None, str(error)


@pytest.mark.parametrize("seed", range(70))
def test_an_edited_model_is_refused_or_works(saved, tmp_path, seed):
    folder, views = saved
    rng = random.Random(seed)
    model = tmp_path / "m"
    shutil.copytree(folder, model)
    document, (arrays,) = model / "model.json", model.glob("arrays*.npz")
    edit = rng.choice(["bytes", "bytes", "value", "sealed", "arrays", "entry"])
    if edit == "bytes":
        edit_bytes(rng.choice([document, arrays]), rng)
    elif edit == "arrays":
        edit_arrays(arrays, rng)
    elif edit == "entry":
        edit_entry(rng.choice([document, arrays]), rng)
    else:
        edit_value(document, rng, sealed=edit == "sealed")
    loaded, error = outcome(model)
    if error:
        assert CLEAR.search(error)
        assert str(model) in error or "nothing that mvgraph" in error
        return
    if edit != "sealed":
        loaded.predict(views)
        before = load_model(folder)
        np.testing.assert_array_equal(loaded.labels_, before.labels_)


@pytest.mark.parametrize("other", ["file", "folder", "nothing", "json", "deep"])
def test_what_is_no_model(tmp_path, other):
    path = tmp_path / "m"
    if other == "file":
        path.write_text("x")
    elif other != "nothing":
        path.mkdir()
    if other == "json":
        (path / "model.json").write_text('{"format": "x", "mvgraph": 1, "class": []}')
    if other == "deep":
        (path / "model.json").write_text("[" * 100_000)
    with pytest.raises(ValueError, match=r"no model in|not a model of mvgraph"):
        load_model(path)


def test_a_damaged_model_is_replaced_and_another_json_is_not(tmp_path):
    model = GraphConsensus(3, random_state=0).fit(planted(60)[0])
    model.save(tmp_path / "m")
    next((tmp_path / "m").glob("arrays*")).write_bytes(b"")
    with pytest.raises(ValueError, match="save it again"):
        load_model(tmp_path / "m")
    model.save(tmp_path / "m")
    load_model(tmp_path / "m")
    for text in ("{", "{}", '{"format": 1, "mvgraph": "0.1", "class": "other:Model"}'):
        (tmp_path / "m" / "model.json").write_text(text)
        with pytest.raises(ValueError, match="exists and is not a model"):
            model.save(tmp_path / "m")
        assert (tmp_path / "m" / "model.json").read_text() == text
