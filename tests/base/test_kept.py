"""Names of clusters: kept with the model, no two alike, true at every level."""

import numpy as np
import pytest

from data import planted
from mvgraph import GraphConsensus, load_model
from mvgraph.base.kept import names_of_labels
from mvgraph.baselines.kmeans_concat import KMeansConcat


def fitted(k=3):
    return KMeansConcat(k, random_state=0).fit(planted(60, 3)[0])


def test_names_are_kept_by_number_and_with_the_model(tmp_path):
    model = fitted()
    assert "cluster_names_" not in vars(model)
    model.rename_clusters({np.int64(2): "  T   cells ", 0: "B"})
    assert model.cluster_names_ == ["B", "", "T cells"]
    model.rename_clusters({0: "", 1: "NK"})
    model.save(tmp_path / "m", rows=False)
    assert load_model(tmp_path / "m").cluster_names_ == ["", "NK", "T cells"]
    again = model.fit(planted(60, 3, seed=1)[0])
    assert "cluster_names_" not in vars(again)  # of other clusters


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({3: "x"}, r"no cluster 3; there are \[0, 1, 2\]"),
        ({0: "x", 1: " x"}, r"clusters \[0, 1\] would have the same name, 'x'"),
        ({0: None}, "cluster 0 is no text"),
    ],
)
def test_wrong_names_change_nothing(names, message):
    model = fitted().rename_clusters({2: "z"})
    with pytest.raises(ValueError, match=message):
        model.rename_clusters(names)
    assert model.cluster_names_ == ["", "", "z"]


def test_a_fit_like_an_older_model_keeps_the_names_of_what_is_still_there():
    views, _ = planted(60, 3)
    first = fitted().rename_clusters({0: "a", 1: "b", 2: "c"})
    second = KMeansConcat(4, random_state=0).fit(views, like=first)
    told = dict(zip(second.cluster_ids_.tolist(), second.cluster_names_, strict=True))
    for cluster, name in told.items():
        assert name == {0: "a", 1: "b", 2: "c"}.get(cluster, "")
    assert "" in told.values()


def test_names_of_labels_and_of_levels():
    model = GraphConsensus(3, random_state=0).fit(planted(90, 3)[0])
    model.rename_clusters({0: "a", 1: "b"})
    labels = np.array([1, -1, 2, 0])
    found = names_of_labels(model, labels).tolist()
    assert found == ["b", "", "cluster 2", "a"]
    union = set(names_of_labels(model, model.cut(2), 2))
    assert len(union) == 2
    assert sum(" + " in name for name in union) == 1
    parts = names_of_labels(model, model.cut(4), 4)
    assert len(set(parts)) == 4
    whole = [n for n in set(parts) if "part" not in n]
    assert len(whole) == 2
    for name in whole:
        own = names_of_labels(model, model.labels_) == name
        np.testing.assert_array_equal(parts == name, own)
