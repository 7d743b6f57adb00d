"""The published files themselves, array by array."""

import hashlib
import json
import re

import numpy as np
import pytest
from scipy import sparse

from mvgraph import datasets

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def manifest(shared_dir):
    """Entries of the manifest by file, and the folder of the files."""
    folder = shared_dir / "data"
    entries = json.loads((folder / "manifest.json").read_text())
    for entry in entries:
        content = (folder / entry["file"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == entry["sha256"]
    return folder, {entry["file"]: entry for entry in entries}


LABELLED = [
    "msrc_v5.mat",
    "handwritten4.mat",
    "mnist4.mat",
    "leaves100__data_truth_dxn.mat",
    "three_sources__csc_extra_vars.mat",
    "bbcsport2__csc_dxn_truelabel_row.mat",
    "reuters1200__csc_fea_gt.mat",
    "scene15.mat",
    "orl4__float32_mixed.mat",
    "proteinfold12__cell_12x1_y.mat",
    "mnist_usps__x1x2_int64_row.mat",
    "webkb203__row_labels_zero_rows.mat",
    "three_sources_incomplete__nan_dxn_index.mat",
    "three_sources_incomplete__zero_rows_mask.mat",
    "layouts/handwritten6__fea_gt_labels_from_0.mat",
    "layouts/handwritten6__hdf5_header_says_7.0.mat",
    "layouts/msrc_v5__separate_vars_truth.mat",
    "layouts/msrc_v5__dxn_row_truth.mat",
    "layouts/bbc4__stale_trailing_bytes.mat",
    "layouts/three_sources__plus_adjacency_A.mat",
    "layouts/blobs_overlap__view_0_view_1.npz",
]
REFUSED = {
    "layouts/handwritten6__train_test_split_vars.mat": "train and test parts",
    "layouts/washington2__kernels_3d_v73.mat": "'KH' has more than two dimensions",
    "layouts/emotions2__multilabel.mat": "several classes per sample",
}
BY_RULE = {  # no md5 in the manifest: shapes decide
    "layouts/cora4__mixed_orientation_vars.mat": [2708, 1433, 2706, 2706],
    "layouts/cornell2__coo_triplets.mat": [195, 1703],
}


def load(folder, file, **options):
    if "stale_trailing" in file:
        with pytest.warns(UserWarning, match="983 stale bytes"):
            return datasets.load(folder / file, **options)
    return datasets.load(folder / file, **options)


def md5(array):
    array = array.toarray() if sparse.issparse(array) else array
    return hashlib.md5(np.ascontiguousarray(array, dtype=np.float64)).hexdigest()


def test_every_file_of_the_manifest_is_tested(manifest):
    assert {*LABELLED, *REFUSED, *BY_RULE} == set(manifest[1])


@pytest.mark.parametrize("file", LABELLED)
def test_views_and_labels(manifest, file):
    folder, entries = manifest
    data = load(folder, file)
    arrays = data.views.arrays
    if "zero_rows_mask" in file:  # the manifest hashes the zeros that stand for NaN
        arrays = [np.nan_to_num(a) for a in arrays]
    expected = [v["md5_float64_rows_by_features"] for v in entries[file]["views"]]
    assert [md5(a) for a in arrays] == expected
    codes = hashlib.md5(data.labels).hexdigest()
    assert codes == entries[file]["md5_labels_0based_int64"]


@pytest.mark.parametrize("file", LABELLED)
def test_info(manifest, file):
    folder, entries = manifest
    entry = entries[file]
    if "stale_trailing" in file:
        with pytest.warns(UserWarning, match="stale bytes"):
            found = datasets.info(folder / file)
    else:
        found = datasets.info(folder / file)
    assert found["sha256"] == entry["sha256"]
    assert (found["n"], found["k"]) == (entry["n"], entry["k"])
    assert found["label_counts"] == entry["label_counts"]
    assert found["labels_sorted"] == entry["sorted"]
    for own, expected in zip(found["views"], entry["views"], strict=True):
        assert own["stored"] == expected["stored"].split()[-1].removeprefix("csc-")
        assert own["shape"] == tuple(expected["shape"])
        if "incomplete" not in file:  # missing rows are counted apart here
            for key in ("duplicate_rows", "constant_columns", "zero_rows"):
                assert own[key] == expected[key], key


@pytest.mark.parametrize("file", REFUSED)
def test_clear_refusals(manifest, file):
    folder, _ = manifest
    with pytest.raises(ValueError, match=REFUSED[file]) as error:
        datasets.load(folder / file)
    assert "Found: " in str(error.value)
    advice = "[.] (Name|Pass|Join|Load|Store|Check|Keep|Fill) "
    assert re.search(advice, str(error.value))


@pytest.mark.parametrize("file", BY_RULE)
def test_mixed_orientation_and_triplets(manifest, file):
    folder, entries = manifest
    data = datasets.load(folder / file)
    n = entries[file]["n"]
    assert [a.shape for a in data.views.arrays] == [(n, d) for d in BY_RULE[file]]
    assert len(np.unique(data.labels)) == entries[file]["k"]


def test_multilabel_views_alone(manifest):
    folder, entries = manifest
    file = "layouts/emotions2__multilabel.mat"
    data = datasets.load(folder / file, {"labels": None})
    expected = [v["md5_float64_rows_by_features"] for v in entries[file]["views"]]
    assert [md5(a) for a in data.views.arrays] == expected
    assert data.labels is None
    assert data.views.names == ("Rhythmic", "Timbre")


def test_joined_train_and_test_parts_hold_the_handwritten_rows(manifest):
    folder, _ = manifest
    keys = {
        "views": [[f"x{i}_train", f"x{i}_test"] for i in range(1, 7)],
        "labels": ["gt_train", "gt_test"],
    }
    file = folder / "layouts/handwritten6__train_test_split_vars.mat"
    data = datasets.load(file, keys)
    whole = datasets.load(folder / "layouts/handwritten6__fea_gt_labels_from_0.mat")
    assert data.views.n_features == whole.views.n_features
    np.testing.assert_array_equal(np.bincount(data.labels), np.bincount(whole.labels))


def test_equal_sets_in_several_layouts(manifest):
    folder, _ = manifest

    def hashes(file):
        return [md5(a) for a in datasets.load(folder / file).views.arrays]

    four = hashes("handwritten4.mat")
    six = hashes("layouts/handwritten6__fea_gt_labels_from_0.mat")
    assert set(four) <= set(six)
    assert set(six) == set(hashes("layouts/handwritten6__hdf5_header_says_7.0.mat"))
    msrc = hashes("msrc_v5.mat")
    assert msrc == hashes("layouts/msrc_v5__separate_vars_truth.mat")
    assert msrc == hashes("layouts/msrc_v5__dxn_row_truth.mat")
    three = hashes("three_sources__csc_extra_vars.mat")
    assert three == hashes("layouts/three_sources__plus_adjacency_A.mat")


def test_both_encodings_of_incomplete_3sources_agree(manifest):
    folder, _ = manifest
    a = datasets.load(folder / "three_sources_incomplete__nan_dxn_index.mat")
    b = datasets.load(folder / "three_sources_incomplete__zero_rows_mask.mat")
    np.testing.assert_array_equal(a.views.mask, b.views.mask)
    assert a.views.mask.all(axis=1).sum() == 169
    for own, other in zip(a.views.arrays, b.views.arrays, strict=True):
        np.testing.assert_array_equal(own, other)
    np.testing.assert_array_equal(a.labels, b.labels)
