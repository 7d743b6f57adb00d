"""A model that somebody changed and sealed again: refused, or its labels are labels."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from scipy import sparse

from data import planted
from mvgraph import AnchorFilter, GraphConsensus, load_model
from mvgraph.ops.memory import TooLargeError
from mvgraph.persistence.document import seal
from pairs import crossed

ODD = [None, True, -1, 7, 10**400, 1e308, "", "a0", "\ud800", [], {}, [[]], "x" * 999]
CHANGES = {
    "nan": lambda a: np.full(a.shape, np.nan),
    "cut": lambda a: a[: len(a) // 2],
    "negated": lambda a: -a.astype(np.float64 if a.dtype.kind == "f" else np.int64),
    "reversed": lambda a: a[::-1],
    "huge": lambda a: np.full(
        a.shape, 1e300 if a.dtype.kind == "f" else 2**31 - 1, np.result_type(a, "i8")
    ),
    "turned": lambda a: a.T,
    "words": lambda a: np.full(a.shape, "x"),
}
VIEWS, _ = planted(40)
#: Set: a bound that a compiled loop crosses is an error, and no reason to refuse.
CROSSED = "MVGRAPH_TEST_BOUNDS"

pytestmark = pytest.mark.filterwarnings("ignore")  # of fields that are only words
METHODS = {"graph-consensus": GraphConsensus, "anchor-filter": AnchorFilter}


@pytest.fixture(scope="module", params=METHODS)
def saved(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "m"
    METHODS[request.param](3, random_state=0).fit(VIEWS).save(folder)
    return folder


def change(folder, target, edit, sealed=True):
    """Copy a model with an edited document and edited arrays."""
    shutil.copytree(folder, target)
    (archive,) = target.glob("arrays*")
    with np.load(archive) as held:
        arrays = dict(held)
    document = json.loads((target / "model.json").read_text())
    edit(document, arrays)
    with archive.open("wb") as file:
        arrays.pop("allow_pickle", None)  # NumPy 2.0 takes the option for an array
        np.savez_compressed(file, **arrays)
    if sealed:
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()
        document["arrays"] = {"file": archive.name, "sha256": digest}
        document["sha256"] = seal(document)
    (target / "model.json").write_text(json.dumps(document))
    return target


def refused_or_labels(folder):
    """Load and predict: the only error is that the model is damaged."""
    try:
        model = load_model(folder)
    except ValueError as error:
        cause = error.__cause__ or error.__context__
        beyond = str(cause) == "index is out of bounds"  # as numba words it
        assert not (CROSSED in os.environ and beyond), cause
        return "refused"
    assert np.isin(model.predict(VIEWS), model.cluster_ids_).all()
    if "probability" in model.predictor.fields:
        assert np.isfinite(model.predict_proba(VIEWS)).all()
    return "labels"


def leaves(node, place=()):
    """Yield the places of all values of a document."""
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in items:
        if isinstance(value, dict | list) and value:
            yield from leaves(value, (*place, key))
        yield (*place, key)


def put(document, place, value):
    for key in place[:-1]:
        document = document[key]
    document[place[-1]] = value


@pytest.mark.slow
@pytest.mark.parametrize("how", CHANGES)
def test_every_array_can_be_anything(saved, tmp_path, how):
    with np.load(next(saved.glob("arrays*"))) as held:
        names = [n for n in held.files if held[n].size]
    found = {}
    for name in names:

        def edit(_, arrays, name=name):
            arrays[name] = CHANGES[how](arrays[name])

        target = change(saved, tmp_path / name, edit)
        found[name] = refused_or_labels(target)
    assert "refused" in found.values()


@pytest.mark.slow
@pytest.mark.parametrize("turn", range(len(ODD)), ids=lambda i: repr(ODD[i])[:9])
def test_every_value_can_be_anything(saved, tmp_path, turn):
    value = ODD[turn]  # at every fifth place, each time at others
    document = json.loads((saved / "model.json").read_text())
    places = [p for p in leaves(document) if p[0] not in ("arrays", "sha256")]
    places = places[turn % 5 :: 5]
    for i, place in enumerate(places):
        target = change(saved, tmp_path / str(i), lambda d, _: put(d, place, value))  # noqa: B023
        refused_or_labels(target)
        shutil.rmtree(target)


@pytest.mark.parametrize("how", ["nan", "cut", "huge"])
def test_what_cannot_be_is_refused(saved, tmp_path, how):
    def edit(_, arrays):
        for name, array in arrays.items():
            if array.ndim == 2 and array.dtype.kind == "f":
                arrays[name] = CHANGES[how](array)

    stale = change(saved, tmp_path / "stale", edit, sealed=False)
    with pytest.raises(ValueError, match="is not what was saved"):
        load_model(stale)
    sealed = change(saved, tmp_path / "sealed", edit)
    if how != "huge":
        with pytest.raises(ValueError, match="does not form a model"):
            load_model(sealed)
    refused_or_labels(sealed)


def test_pickles_and_methods_are_refused(saved, tmp_path):
    def pickle(_, arrays):
        arrays["a0"] = np.array([print], dtype=object)

    def method(document, _):
        document["attributes"]["predict"] = 1

    for i, edit in enumerate((pickle, method)):
        target = change(saved, tmp_path / str(i), edit)
        with pytest.raises(ValueError, match="does not form a model"):
            load_model(target)


def test_an_address_of_a_scheduler_is_not_taken_from_a_file(saved, tmp_path):
    def edit(document, _):
        document["parameters"]["engine"] = "tcp://192.0.2.1:8786"

    assert load_model(change(saved, tmp_path / "m", edit)).engine == "auto"


def test_a_header_that_declares_more_than_there_is(saved, tmp_path):
    target = change(saved, tmp_path / "m", lambda *_: None)
    (archive,) = target.glob("arrays*")
    with zipfile.ZipFile(archive) as packed:
        members = {one: packed.read(one) for one in packed.namelist()}
    name = max(members, key=lambda one: len(members[one]))
    shape = re.search(rb"'shape': \((\d+),", members[name])
    huge = shape[0].replace(shape[1], b"1" + b"0" * 11)
    members[name] = members[name].replace(shape[0], huge, 1)
    with zipfile.ZipFile(archive, "w") as packed:
        for one, content in members.items():
            packed.writestr(one, content)
    document = json.loads((target / "model.json").read_text())
    document["arrays"]["sha256"] = hashlib.sha256(archive.read_bytes()).hexdigest()
    document["sha256"] = seal(document)
    (target / "model.json").write_text(json.dumps(document))
    with pytest.raises(ValueError, match="does not form a model"):
        load_model(target)


@pytest.mark.usefixtures("alone")
def test_arrays_that_do_not_fit_are_refused_before_they_are_read(saved, tmp_path):
    def edit(_, arrays):
        arrays["more"] = np.zeros(3_000_000)

    target = change(saved, tmp_path / "m", edit)
    with pytest.raises(TooLargeError, match=r"takes 24.* MB in memory"):
        load_model(target, memory_limit=20_000_000)


@pytest.mark.parametrize(
    ("method", "form", "n_features"),
    crossed(METHODS, [np.asarray, sparse.csr_matrix], [4, 40]),
)
def test_constant_columns_are_no_damage(tmp_path, method, form, n_features):
    rng = np.random.default_rng(0)
    counts = rng.poisson(1 + 3 * (np.arange(90) % 3)[:, None], (90, n_features))
    counts[:, ::3] = 0
    views = [form(counts.astype(float)), form(np.c_[counts[:, 1:3], np.ones(90)])]
    model = METHODS[method](3, random_state=0).fit(views)
    model.save(tmp_path / "m")
    loaded = load_model(tmp_path / "m")
    np.testing.assert_array_equal(loaded.predict(views), model.predict(views))


@pytest.mark.slow
def test_no_array_is_read_beyond_its_end():
    """Compiled loops check no bounds: told to, they find none crossed."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", ""]
    chosen = [__file__, "-k", "array_can_be_anything and cut", "--log-level=ERROR"]
    bounds = {"NUMBA_BOUNDSCHECK": "1", "MVGRAPH_CACHE": "0", CROSSED: "raise"}
    done = subprocess.run(
        [*command, *chosen], env=os.environ | bounds, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:]
