"""Models without their rows: small, and the same for everything else."""

import json

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from data import planted
from mvgraph import GraphConsensus, Views, load_model
from mvgraph.persistence.document import decode, encode

X, TRUTH = planted(90)
NEW = [x + 0.5 for x in X]


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    ids = [f"s{i}" for i in range(90)]
    model = GraphConsensus(3, random_state=0).fit(Views(X, ids=ids))
    model.save(folder / "small", rows=False)
    return model, load_model(folder / "small"), folder


def test_all_but_the_rows_is_the_same(models):
    model, small, _ = models
    lost = set(vars(model)) - set(vars(small))
    assert lost == {
        *("graph_", "embedding_", "membership_"),
        *("outlier_score_", "outlier_part_"),
    }
    np.testing.assert_array_equal(small.labels_, model.labels_)
    assert small.labels_.dtype == model.labels_.dtype
    assert small.sample_ids_.tolist() == model.sample_ids_.tolist()
    for k in (2, 3, 5):
        np.testing.assert_array_equal(small.cut(k), model.cut(k))
        np.testing.assert_array_equal(small.cut(k, NEW), model.cut(k, NEW))
    np.testing.assert_array_equal(small.predict_proba(NEW), model.predict_proba(NEW))
    np.testing.assert_array_equal(small.transform(NEW), model.transform(NEW))


def test_what_is_not_there_is_named(models):
    _, small, _ = models
    for ask in (lambda: small.labels(), lambda: small.confidence_):
        with pytest.raises(AttributeError, match=r"without membership_; .*rows=True"):
            ask()
    for name in ("outlier_score_", "graph_", "embedding_"):
        with pytest.raises(AttributeError, match=f"without {name}; .*rows=True"):
            getattr(small, name)
        with pytest.raises(NotFittedError):
            getattr(GraphConsensus(), name)
    with pytest.raises(AttributeError, match="no attribute 'outlier_scores_'"):
        getattr(small, "outlier_scores_")  # noqa: B009


def test_a_sample_takes_few_bytes(models):
    """Labels and leaves of 5000 more samples, and their names."""
    model, _, folder = models
    rng = np.random.default_rng(0)
    sizes = []
    for n in (5000, 10000):
        vars(model)["labels_"] = rng.integers(8, size=n)
        vars(model)["tree_"] = model.tree_._replace(labels=rng.integers(30, size=n))
        ids = [f"customer_{i:08d}" for i in rng.permutation(10**6)[:n]]
        object.__setattr__(model.schema_, "ids", np.array(ids, dtype=object))
        model.save(folder / "m", rows=False)
        sizes.append(sum(p.stat().st_size for p in (folder / "m").iterdir()))
    assert sizes[1] - sizes[0] < 10 * 5000


@pytest.mark.parametrize(
    "array",
    [
        np.array([3, 1, 2]),
        np.array([-1, 200]),
        np.array([2**62, -1]),
        np.array([1, 2], dtype=np.int16),
        np.arange(6).reshape(2, 3),
        np.array([], dtype=np.int64),
        np.array(["a", "", "\n", "\udc80 ü"], dtype=object),
        np.array(["", ""]),
        np.array(["a\0b", "c"], dtype=object),
        np.array(["a", None], dtype=object),
        np.array([["a", "b"]]),
        np.array(["wide", "x"], dtype="<U4"),
        np.array([2**63], dtype=np.uint64),
        np.array([True, False]),
    ],
)
def test_arrays_come_back(array):
    arrays = {}
    text = json.dumps(encode("x", array, arrays))
    back = decode(json.loads(text), arrays)
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert back.tolist() == array.tolist()
