"""Digits views, synthetic sets and the description of a file."""

import importlib.util
import time

import numpy as np
import pytest
from scipy import sparse

from mvgraph import datasets
from mvgraph.datasets._digits import feature_names, gradients, profiles, zernike


def test_digits_views():
    data = datasets.load_digits_views()
    assert len(data.views) == len(data.labels) == 1797
    assert data.views.n_features == (64, 40, 72, 25, 78)
    again = datasets.load_digits_views()
    for own, other in zip(data.views.arrays, again.views.arrays, strict=True):
        assert np.isfinite(own).all()
        assert (own == other).all()


def test_features_of_digits_are_named_as_they_are_computed():
    """The brightest pixel, and an edge that only one direction and cell shows."""
    names = feature_names()
    views = datasets.load_digits_views().views
    assert tuple(map(len, names.values())) == views.n_features
    assert all(len(set(own)) == len(own) for own in names.values())
    image = np.zeros((1, 8, 8))
    image[:, 6:, 6:] = 1
    found = gradients(image)[0]
    assert found[names["gradients"].index("edge → bottom right")] > 0
    assert found[names["gradients"].index("edge ← bottom right")] == 0
    assert found[[i for i, n in enumerate(names["gradients"]) if "top" in n]].max() == 0
    found = dict(zip(names["profiles"], profiles(image)[0], strict=True))
    assert found["ink in row 7"] == found["ink in column 8"] == 2
    assert found["ink in diagonal +0"] == found["depth of row 7 from the left"] / 3 == 2
    assert found["depth of column 8 from the bottom"] == 0
    assert found["ink in antidiagonal -6"] == 2


def test_digits_views_are_computed_quickly():
    datasets.load_digits_views()
    start = time.process_time()
    datasets.load_digits_views()
    assert time.process_time() - start < 2  # 0.4 s alone; leave room for a busy machine


def test_digits_views_carry_the_classes():
    """Nearest class mean on the second half, chance 0.1: every view tells digits."""
    data = datasets.load_digits_views()
    y, half = data.labels, 900
    for view, name in zip(data.views.arrays, data.views.names, strict=True):
        z = (view - view.mean(0)) / (view.std(0) + 1e-12)
        means = np.stack([z[:half][y[:half] == c].mean(0) for c in range(10)])
        distances = ((z[half:, None] - means) ** 2).sum(2)
        assert (distances.argmin(1) == y[half:]).mean() > 0.55, name


def test_generated_sets_have_the_size_in_their_name():
    data = datasets.load("ambiguous:30")
    assert len(data.labels) == data.views.n_samples == 30
    assert datasets.load("misleading:40").views.n_samples == 40
    for name in ("ambiguous:", "ambiguous:9", "misleading:-20", "ambiguous:²0"):
        with pytest.raises(ValueError, match=f"{name}.*whole number of at least 10"):
            datasets.load(name)
    with pytest.raises(ValueError, match="digits has a fixed size; leave out ':50'"):
        datasets.load("digits:50")


def test_zernike_moments_ignore_quarter_turns():
    images = np.random.default_rng(0).random((3, 8, 8))
    turned = np.rot90(images, axes=(1, 2))
    np.testing.assert_allclose(zernike(images, 8), zernike(turned, 8), atol=1e-12)


@pytest.mark.shared
@pytest.mark.parametrize("seed", [0, 4])
def test_synthetic_sets_equal_the_reference_draws(shared_dir, seed):
    path = shared_dir / "reference" / "synthetic.py"
    spec = importlib.util.spec_from_file_location("synthetic_reference", path)
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    pairs = [
        (
            reference.ambiguous_views(300, 4, 7, 9, seed, noise=0.7, ambiguous=0.5),
            datasets.make_ambiguous_views(
                300, 4, 7, 9, noise=0.7, ambiguous=0.5, random_state=seed
            ),
        ),
        (
            reference.ambiguous_views(300, seed=seed),
            datasets.make_ambiguous_views(300, random_state=seed),
        ),
        (
            reference.misleading_view(300, k=7, seed=seed),
            datasets.make_misleading_view(300, n_clusters=7, random_state=seed),
        ),
    ]
    for (views, labels), data in pairs:
        for own, expected in zip(data.views.arrays, views, strict=True):
            np.testing.assert_array_equal(own, expected)
        np.testing.assert_array_equal(data.labels, labels)


def test_synthetic_sizes():
    data = datasets.make_ambiguous_views(40, 2, 6, 3, random_state=1)
    assert data.views.n_features == (6, 6)
    assert set(data.labels) == {0, 1, 2}
    same = datasets.make_ambiguous_views(40, 2, 6, 3, random_state=1)
    assert (data.views.arrays[0] == same.views.arrays[0]).all()
    with pytest.raises(ValueError, match="n_views must be positive, got 0"):
        datasets.make_ambiguous_views(40, 0)
    with pytest.raises(ValueError, match="ambiguous must lie"):
        datasets.make_ambiguous_views(40, ambiguous=0.6)
    with pytest.raises(ValueError, match="n_samples must be positive"):
        datasets.make_misleading_view(0)


@pytest.mark.parametrize("stored", ["dense", "sparse"])
def test_info_counts(save, cell, stored):
    view = np.zeros((12, 4))
    view[:, 0] = 7  # constant
    view[3:9, 1] = np.arange(6) + 1.0  # rows 0-2 and 9-11 are equal
    empty = np.zeros((12, 3), dtype=np.uint8)
    empty[5:, 0] = np.arange(7)  # rows 0-5 are zero
    views = [view, empty]
    if stored == "sparse":
        views = [sparse.csc_matrix(v) for v in views]
    y = np.repeat([4, 2], 6)
    found = datasets.info(save({"X": cell(views), "Y": y}))
    assert (found["n"], found["k"], found["label_counts"]) == (12, 2, {"2": 6, "4": 6})
    assert found["labels_sorted"]
    assert "shuffle" in found["order_warning"]
    assert len(found["sha256"]) == 64
    first, second = found["views"]
    assert first["shape"] == (12, 4)
    assert first["sparse"] == (stored == "sparse")
    assert first["nonzero_fraction"] == 18 / 48
    assert (first["duplicate_rows"], first["constant_columns"]) == (5, 3)
    assert (second["zero_rows"], second["duplicate_rows"]) == (6, 5)
    assert found["duplicate_rows"] == 5 - 3


def test_info_of_incomplete_unsorted_and_unlabelled(toy, save, cell):
    views, y = toy
    views[0][[2, 4]] = np.nan
    for stored in (views, [sparse.csc_matrix(v) for v in views]):
        found = datasets.info(save({"X": cell(stored), "Y": y}))
        assert found["views"][0]["missing_rows"] == 2
        assert found["views"][0]["zero_rows"] == 0
        assert found["views"][0]["duplicate_rows"] == 0
        assert not found["labels_sorted"]
        assert found["order_warning"] is None
    found = datasets.info(save({"X": cell(views)}))
    assert found["k"] is None
    assert found["label_counts"] is None


def test_info_counts_missing_values(tmp_path):
    x = np.random.default_rng(0).normal(size=(10, 3))
    x[:, 2] = 5
    x[4], x[6, 1], x[7, 2] = np.nan, np.nan, np.nan
    x[8, 0] = 0
    np.savez(tmp_path / "f.npz", x=x)
    (view,) = datasets.info(tmp_path / "f.npz")["views"]
    assert (view["missing_rows"], view["missing_values"]) == (1, 2)
    assert view["nonzero_fraction"] == pytest.approx(24 / 30)
    assert view["constant_columns"] == 1
