"""What trips loaders of published files: types, labels, missing samples, bad files."""

import numpy as np
import pytest
from scipy import sparse

from mvgraph import datasets
from pairs import cover_pairs


@pytest.mark.parametrize(
    ("kind", "largest"), [("uint16", 1353), ("int32", 77526), ("uint8", 238)]
)
def test_integers_become_floats_before_they_overflow(save, cell, kind, largest):
    stored = np.full((12, 3), largest, dtype=kind)
    stored[0] = 0
    data = datasets.load(save({"X": cell([stored]), "Y": np.arange(12) % 2}))
    view = data.views.arrays[0]
    assert view.dtype == np.float64
    assert (view[1:] ** 2 == float(largest) ** 2).all()
    assert (view[0] - view[1] == -float(largest)).all()


def test_doubles_that_matlab_packed_as_integers(save, cell):
    # MATLAB stores whole doubles in fewer bytes; SciPy then reports the small type.
    data = datasets.load(save({"X": cell([np.eye(12, 3)]), "Y": np.arange(12) % 2}))
    assert data.views.arrays[0].dtype == np.float64


def test_one_float_type_per_set(toy, save, cell):
    views, y = toy
    half = [v.astype(np.float32) for v in views]
    both = datasets.load(save({"X": cell([half[0], views[1]]), "Y": y})).views
    assert [a.dtype for a in both.arrays] == [np.float64, np.float64]
    single = datasets.load(save({"X": cell(half), "Y": y})).views
    assert [a.dtype for a in single.arrays] == [np.float32, np.float32]


@pytest.mark.parametrize(
    ("kind", "first", "shape"),
    cover_pairs([np.uint8, np.int64, np.float64], [0, 1, 5], [(-1, 1), (1, -1)]),
)
def test_numeric_labels(toy, save, cell, same, kind, first, shape):
    views, y = toy
    stored = (y - 1 + first).astype(kind).reshape(shape)
    data = datasets.load(save({"X": cell(views), "Y": stored}))
    same(data, views, y)
    assert data.labels.dtype == np.int64


def test_string_labels(toy, save, cell, same):
    views, y = toy
    words = np.array(["ash", "beech", "cedar"])[y - 1]
    same(datasets.load(save({"X": cell(views), "Y": cell(list(words))})), views, y)
    same(datasets.load(save({"X": cell(views), "Y": words})), views, y)


def test_a_copy_of_the_labels_per_view(toy, save, cell, same):
    views, y = toy
    same(
        datasets.load(save({"data": cell(views), "truelabel": cell([y, y])})), views, y
    )
    path = save({"data": cell(views), "truelabel": cell([y, y[::-1]])})
    with pytest.raises(ValueError, match="copy 1 differs"):
        datasets.load(path)


def test_indicator_matrix_labels(toy, save, cell, same):
    views, y = toy
    one = np.eye(3)[y - 1]
    for stored in (one, one.T):
        same(datasets.load(save({"X": cell(views), "label": stored})), views, y)
    many = one.copy()
    many[0, :] = 1
    path = save({"X": cell(views), "label": many})
    with pytest.raises(ValueError, match=r"several classes.*labels.: None"):
        datasets.load(path)
    same(datasets.load(path, {"labels": None}), views, None)


@pytest.mark.parametrize(
    ("bad", "problem"), [(np.nan, "have no class"), (1.5, "not whole numbers")]
)
def test_labels_must_be_whole(toy, save, cell, bad, problem):
    views, y = toy
    wrong = y.astype(float)
    wrong[3] = bad
    with pytest.raises(ValueError, match=rf"{problem}.*sample 3"):
        datasets.load(save({"X": cell(views), "Y": wrong}))


def test_a_table_under_a_label_name(toy, save, cell, same):
    views, y = toy
    path = save({"X": cell(views), "Y": np.column_stack([y, y + 1])})
    with pytest.raises(ValueError, match="'Y' are not one value per sample but 12 x 2"):
        datasets.load(path)
    same(datasets.load(save({"X": views[0], "Y": views[1]})), views, None)


def test_zero_rows_without_a_mask_are_data(toy, save, cell):
    views, y = toy
    views[0][4] = 0
    data = datasets.load(save({"X": cell(views), "Y": y}))
    assert data.views.mask is None
    assert (data.views.arrays[0][4] == 0).all()


@pytest.fixture
def lacking(toy):
    """Views with holes as zeros, the same as NaN, and the presence matrix."""
    views, y = toy
    present = np.ones((12, 2), dtype=np.uint8)
    present[[1, 2], 0] = 0
    present[[5, 7, 9], 1] = 0
    zeros = [v * flags[:, None] for v, flags in zip(views, present.T, strict=True)]
    nans = [
        np.where(f[:, None], v, np.nan) for v, f in zip(views, present.T, strict=True)
    ]
    return zeros, nans, present, y


def test_all_encodings_of_missing_samples_agree(lacking, save, cell, same):
    zeros, nans, present, y = lacking
    index = cell([np.flatnonzero(flags)[:, None] + 1 for flags in present.T])
    files = [
        {"V1": zeros[0], "V2": zeros[1], "ind": present, "label": y},
        {"X": cell(zeros), "Y": y, "ind": present.T},
        {"X": cell(zeros), "Y": y, "MissingStatus": 1 - present},
        {"data": cell([v.T for v in zeros]), "Y": y, "index": index},
        {"data": cell([v.T for v in nans]), "Y": y, "index": index},
        {"X": cell(nans), "Y": y},
        {"X": cell([sparse.csc_matrix(v) for v in zeros]), "Y": y, "ind": present},
    ]
    for variables in files:
        data = datasets.load(save(variables))
        same(data, nans, y)
        np.testing.assert_array_equal(data.views.mask, present == 1)


def test_whole_numbers_with_missing_samples(lacking, save, cell):
    zeros, _, present, y = lacking
    counts = [np.round(9 * np.abs(v)).astype(np.uint8) for v in zeros]
    data = datasets.load(save({"X": cell(counts), "Y": y, "ind": present}))
    assert np.isnan(data.views.arrays[0][1]).all()


def test_index_wins_over_a_stale_status(lacking, save, cell):
    zeros, _, present, y = lacking
    index = cell([np.flatnonzero(flags) + 1 for flags in present.T])
    stale = present.copy()
    stale[0, 0] = 0
    variables = {"X": cell(zeros), "Y": y, "ind": stale, "index": index}
    assert (datasets.load(save(variables)).views.mask == present).all()


def test_stale_status_is_ignored_aloud(lacking, save, cell):
    _, nans, present, y = lacking
    stale = present.copy()
    stale[0, 0] = 0
    path = save({"X": cell(nans), "Y": y, "ind": stale})
    with pytest.warns(UserWarning, match="ignored 'ind'"):
        data = datasets.load(path)
    assert (data.views.mask == present).all()
    believed = datasets.load(path, {"mask": "ind"})
    assert (believed.views.mask == stale).all()


def test_mask_of_unknown_name_is_refused(lacking, save):
    zeros, _, present, y = lacking
    path = save({"P": zeros[0], "Q": zeros[1], "status_of": present, "Y": y})
    with pytest.raises(ValueError, match=r"'status_of'.*\"mask\""):
        datasets.load(path)
    keys = {"views": ["P", "Q"], "mask": "status_of"}
    assert (datasets.load(path, keys).views.mask == present).all()


def test_stack_of_kernels(save):
    path = save({"KH": np.ones((12, 12, 2)), "Y": np.arange(12) % 2})
    with pytest.raises(ValueError, match="'KH' has more than two dimensions"):
        datasets.load(path)


def test_two_cells_could_be_the_views(toy, save, cell):
    views, y = toy
    path = save({"p": cell(views), "q": cell(views), "Y": y})
    with pytest.raises(ValueError, match="several cells could contain the views: p, q"):
        datasets.load(path)


def test_a_bad_element_of_the_view_cell(toy, save, cell):
    views, y = toy
    path = save({"X": cell([views[0], "text"]), "copy": views[1], "Y": y})
    with pytest.raises(ValueError, match="'view_1' is not a two-dimensional"):
        datasets.load(path)


def test_complex_view(toy, save, cell):
    views, y = toy
    with pytest.raises(ValueError, match="'view_0' contains complex numbers"):
        datasets.load(save({"X": cell([views[0] * 1j]), "Y": y}))


def test_nothing_looks_like_a_view(save):
    with pytest.raises(ValueError, match=r"no variable looks like.*a: 3 x 4.*key_map"):
        datasets.load(save({"a": np.ones((3, 4)), "Y": np.arange(12) % 2}))


@pytest.mark.parametrize("compress", [False, True])
def test_stale_trailing_bytes(toy, save, cell, same, compress):
    views, y = toy
    path = save({"X": cell(views), "y": y}, do_compression=compress)
    with path.open("ab") as stream:
        stream.write(bytes(range(7, 255)) * 4)
    with pytest.warns(UserWarning, match="ignored 992 stale bytes"):
        data = datasets.load(path)
    same(data, views, y)


def test_truncated_file(toy, save, cell):
    views, y = toy
    path = save({"X": cell(views), "Y": y})
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(ValueError, match="not a readable MATLAB file"):
        datasets.load(path)


def test_truncated_hdf5(toy, save73):
    views, y = toy
    path = save73({"X": views, "Y": y[:, None]})
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(ValueError, match="h5py cannot open"):
        datasets.load(path)


@pytest.mark.parametrize("content", [b"", b"hello", b"\x00" * 5000])
def test_foreign_mat(tmp_path, content):
    path = tmp_path / "foreign.mat"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"foreign\.mat"):
        datasets.load(path)


def test_lfs_pointer(tmp_path):
    path = tmp_path / "big.mat"
    path.write_text(
        "version https://git-lfs.github.com/spec/v1\noid sha256:12ab\nsize 582904619\n"
    )
    with pytest.raises(ValueError, match=r"Git LFS pointer.*582904619 bytes"):
        datasets.load(path)


def test_pickles_are_refused(tmp_path):
    np.save(tmp_path / "p.npy", {"X": 1}, allow_pickle=True)
    np.savez(tmp_path / "p.npz", X=np.array([None, 1], dtype=object))
    for name in ("p.npy", "p.npz"):
        with pytest.raises(ValueError, match="pickled objects are rejected"):
            datasets.load(tmp_path / name)


def test_broken_zip_unknown_and_absent(tmp_path):
    (tmp_path / "b.npz").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(ValueError, match="not a readable NumPy file"):
        datasets.load(tmp_path / "b.npz")
    (tmp_path / "b.pkl").write_bytes(b"\x80\x04.")
    with pytest.raises(ValueError, match=r"unknown format.*Use \.mat"):
        datasets.load(tmp_path / "b.pkl")
    with pytest.raises(FileNotFoundError, match=r"none\.mat"):
        datasets.load(tmp_path / "none.mat")


def test_h5py_is_named_when_it_is_absent(save73, toy, monkeypatch):
    views, y = toy
    path = save73({"X": views, "Y": y[:, None]})
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    with pytest.raises(ImportError, match=r"pip install 'mvgraph\[files\]'"):
        datasets.load(path)


def test_features_may_be_called_a_or_w(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "named.npz"
    labels = np.arange(12) % 3
    np.savez(
        path, A=rng.normal(size=(12, 5)), W=rng.normal(size=(12, 4)), labels=labels
    )
    assert datasets.load(path).views.names == ("A", "W")
    np.savez(
        path, A=np.eye(12), X1=rng.random((12, 2)), X2=np.ones((12, 3)), labels=labels
    )
    assert datasets.load(path).views.names == ("X1", "X2")


def test_an_array_that_is_no_view_is_named(tmp_path):
    path = tmp_path / "cube.npz"
    labels = np.arange(12) % 3
    np.savez(path, p=np.ones((12, 5)), q=np.ones((12, 4, 2)), labels=labels)
    with pytest.warns(UserWarning, match="'q'.*left out"):
        assert datasets.load(path).views.names == ("p",)
