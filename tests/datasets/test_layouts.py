"""Every layout of published files, written small, must give the same views."""

import numpy as np
import pytest
from scipy import sparse

from mvgraph import datasets

pytestmark = pytest.mark.usefixtures("walked")


@pytest.mark.parametrize(
    ("views_name", "labels_name"),
    [  # each name once: they are looked up independently of each other
        *zip(("X", "data", "fea", "view"), ("Y", "y", "gt", "gnd"), strict=True),
        *(("X", name) for name in ("truth", "truelabel", "label", "labels")),
    ],
)
def test_cell_and_label_names(toy, save, cell, same, views_name, labels_name):
    views, y = toy
    path = save({labels_name: y[:, None], views_name: cell(views)})
    same(datasets.load(path), views, y)


@pytest.mark.parametrize("column", [False, True])
@pytest.mark.parametrize("compress", [False, True])
def test_cell_shape_and_compression(toy, save, cell, same, column, compress):
    views, y = toy
    path = save({"X": cell(views, column), "Y": y}, do_compression=compress)
    same(datasets.load(path), views, y)


def test_samples_in_columns(toy, save, cell, same):
    views, y = toy
    path = save({"data": cell([v.T for v in views]), "truth": y[None, :]})
    same(datasets.load(path), views, y)


def test_both_orientations_in_one_file(toy, save, same):
    views, y = toy
    path = save({"X1": views[0].T, "X2": views[1], "Y": y})
    same(datasets.load(path), views, y)


def test_square_view_follows_its_sisters(toy, save, cell, same):
    views, y = toy
    square = np.arange(144.0).reshape(12, 12)
    rows = save({"X": cell([*views, square]), "Y": y})
    same(datasets.load(rows), [*views, square], y)
    columns = save({"X": cell([*(v.T for v in views), square]), "Y": y})
    same(datasets.load(columns), [*views, square.T], y)


def test_lopsided_square_view_between_two_orientations_is_refused(toy, save, cell):
    views, y = toy
    square = np.arange(144.0).reshape(12, 12)
    path = save({"X": cell([views[0], views[1].T, square]), "Y": y})
    with pytest.raises(ValueError, match=r"'view_2' could be read.*orientation="):
        datasets.load(path)


def test_symmetric_square_view_goes_with_any(toy, save, cell, same):
    views, y = toy
    square = views[0] @ views[0].T
    path = save({"X": cell([views[0], views[1].T, square]), "Y": y})
    same(datasets.load(path), [*views, square], y)


def test_only_kernels_are_refused_unless_asked_for(toy, save, cell, same):
    views, y = toy
    kernels = [v @ v.T for v in views]
    path = save({"X": cell(kernels), "Y": y})
    with pytest.raises(ValueError, match="kernel or graph"):
        datasets.load(path)
    same(datasets.load(path, orientation="rows"), kernels, y)


def test_fewer_samples_than_features_and_no_labels(toy, save, cell, same):
    views, _ = toy
    path = save({"X": cell(views)})
    same(datasets.load(path), views, None)
    path = save({"X": cell([v.T for v in views])})
    same(datasets.load(path), views, None)


def test_equal_shapes_without_labels_need_an_orientation(toy, save, cell, same):
    views, _ = toy
    path = save({"X": cell([views[0], views[0] + 1])})
    with pytest.raises(ValueError, match="orientation="):
        datasets.load(path)
    data = datasets.load(path, orientation="columns")
    assert data.views.n_samples == 5


def test_neither_side_fits(toy, save, cell):
    views, y = toy
    path = save({"X": cell([views[0], views[1][:-1]]), "Y": y})
    with pytest.raises(ValueError, match=r"'view_1' is 11 x 30 float64 but .*12"):
        datasets.load(path)


def test_separate_variables_in_natural_order(save, same):
    rng = np.random.default_rng(0)
    views = [rng.random((20, 3 + i)) for i in range(11)]
    y = np.arange(20) % 2
    names = [f"X{i + 1}" for i in range(11)]
    shuffled = dict(sorted(zip(names, views, strict=True)))  # X1, X10, X11, X2, ...
    data = datasets.load(save({"Y": y, **shuffled}))
    same(data, views, y)
    assert data.views.names == tuple(names)


def test_numbered_variable_of_wrong_length_is_not_left_out(toy, save):
    views, y = toy
    path = save({"X1": views[0], "X2": views[1], "X3": np.ones((9, 4)), "Y": y})
    with pytest.raises(ValueError, match="'X3' is 9 x 4"):
        datasets.load(path)


def test_other_names_keep_the_order_of_the_file(toy, save, same):
    views, y = toy
    path = save({"y": y, "paper_text": views[1], "cites": views[0]})
    data = datasets.load(path)
    same(data, views[::-1], y)
    assert data.views.names == ("paper_text", "cites")


def test_extra_variables_are_not_views(toy, save, cell, same):
    views, y = toy
    extra = {
        "A": cell([np.eye(12)] * 2),
        "bbc": views[0],
        "sigma1": np.ones((12, 12)),
        "folds": cell([np.ones((12, 2))] * 3),
        "class_meaning": cell(["a", "b", "c"]),
        "rand_num_test": np.ones((12, 10)),
    }
    same(datasets.load(save({"X": cell(views), "Y": y, **extra})), views, y)
    numbered = {"X1": views[0], "X2": views[1], "A": np.eye(12), "sigma1": 3.0}
    same(datasets.load(save(numbered | {"Y": y})), views, y)


def test_view_names_of_the_file(toy, save, cell):
    views, y = toy
    titles = {"view_meaning": cell(["colour", "shape"])}
    data = datasets.load(save({"X": cell(views), "Y": y, **titles}))
    assert data.views.names == ("colour", "shape")


@pytest.mark.parametrize("turned", [False, True])
def test_sparse_views_stay_sparse(save, cell, same, turned):
    y = np.arange(12) % 3
    views = [sparse.random(12, d, 0.3, "csc", random_state=d) for d in (40, 50)]
    stored = [sparse.csc_matrix(v.T) if turned else v for v in views]
    data = datasets.load(save({"X": cell(stored), "Y": y}))
    same(data, [v.toarray() for v in views], y)
    assert all(a.format == "csr" for a in data.views.arrays)


def test_struct_array_of_views(toy, save, same):
    views, y = toy
    records = np.empty((1, 2), dtype=[("name", object), ("data", object)])
    for i, view in enumerate(views):
        records[0, i] = (f"v{i}", view)
    same(datasets.load(save({"X": records, "Y": y})), views, y)


def test_everything_inside_one_struct(toy, save, cell, same):
    views, y = toy
    same(datasets.load(save({"dataset": {"X": cell(views), "Y": y}})), views, y)
    nested = save({"data": {"b10": views[1], "b2": views[0]}, "Y": y})
    same(datasets.load(nested), views, y)


def test_nested_cell(toy, save, cell, same):
    views, y = toy
    same(datasets.load(save({"X": cell([cell(views)]), "Y": y})), views, y)


def test_version_4_file(toy, save, same):
    views, y = toy
    path = save({"X1": views[0], "X2": views[1], "Y": y[:, None]}, format="4")
    same(datasets.load(path), views, y)


def test_matlab_73(toy, save73, same):
    views, y = toy
    old = "MATLAB 7.0 MAT-file, HDF5 schema 0.05"  # seen in a published file
    for title in ("MATLAB 7.3 MAT-file", old):
        path = save73({"X": views, "Y": y[:, None]}, title=title)
        same(datasets.load(path), views, y)
    path = save73({"X": [v.T for v in views], "Y": y[None, :]})
    same(datasets.load(path), views, y)


def test_matlab_73_separate_sparse_struct_and_strings(toy, save73, same):
    views, y = toy
    thin = sparse.random(12, 40, 0.3, "csc", random_state=0)
    words = ["abc"[c - 1] * 2 for c in y]
    data = datasets.load(save73({"X1": views[0], "X2": thin, "Y": words}))
    same(data, [views[0], thin.toarray()], y)
    assert sparse.issparse(data.views.arrays[1])
    held = {"all": {"X": views, "Y": y[:, None].astype(float)}}
    same(datasets.load(save73(held)), views, y)


def test_matlab_73_struct_array(toy, save73, same):
    h5py = pytest.importorskip("h5py")
    views, y = toy
    path = save73({"Y": y[:, None], "hold": views})
    with h5py.File(path, "r+") as file:
        references = file["hold"][()]
        del file["hold"]
        group = file.create_group("X")
        group["data"] = references  # fields of a struct array carry no class
        group.attrs["MATLAB_class"] = np.bytes_("struct")
    same(datasets.load(path), views, y)


def test_matlab_73_empty_and_all_zero(toy, save73, same):
    h5py = pytest.importorskip("h5py")
    views, y = toy
    path = save73({"Y": y[:, None], "X1": views[0], "none": np.zeros((1, 2))})
    with h5py.File(path, "r+") as file:
        file["none"].attrs["MATLAB_empty"] = np.uint8(1)
        group = file.create_group("X2")
        group["jc"] = np.zeros(41, dtype=np.uint64)
        group.attrs["MATLAB_sparse"] = np.uint64(12)
    same(datasets.load(path), [views[0], np.zeros((12, 40))], y)


def test_plain_hdf5_is_not_reversed(toy, tmp_path, same):
    h5py = pytest.importorskip("h5py")
    views, y = toy
    with h5py.File(tmp_path / "toy.h5", "w") as file:
        file["view_0"], file["view_1"], file["labels"] = *views, y
    same(datasets.load(tmp_path / "toy.h5"), views, y)


def test_npz(toy, tmp_path, same):
    views, y = toy
    path = tmp_path / "toy.npz"
    np.savez(path, n_views=2, labels=y, view_0=views[0], view_1=views[1])
    data = datasets.load(path)
    same(data, views, y)
    assert data.views.names == ("view_0", "view_1")


def test_npy_and_sparse_npz_are_one_view(toy, tmp_path, same):
    views, _ = toy
    np.save(tmp_path / "index.npy", views[0])
    same(datasets.load(tmp_path / "index.npy"), views[:1], None)
    sparse.save_npz(tmp_path / "one.npz", sparse.csr_matrix(views[0]))
    data = datasets.load(tmp_path / "one.npz")
    same(data, views[:1], None)
    assert sparse.issparse(data.views.arrays[0])


def test_triplets_with_a_size_line(save, same):
    view = sparse.random(12, 40, 0.2, "coo", random_state=0)
    lines = np.column_stack([view.row + 1, view.col + 1, view.data])
    table = np.vstack([[12, 40, view.nnz], lines])
    y = np.arange(12) % 3
    data = datasets.load(save({"X1": table, "X2": table, "truth": y}))
    same(data, [view.toarray()] * 2, y)
    assert sparse.issparse(data.views.arrays[0])


def test_triplets_without_a_size_line(save, same):
    view = sparse.random(12, 40, 0.2, "lil", random_state=0)
    view[11, 39] = 2.0
    view = view.tocoo()
    table = np.column_stack([view.row + 1, view.col + 1, view.data])
    y = np.arange(12) % 3
    same(datasets.load(save({"X1": table, "truth": y})), [view.toarray()], y)


def test_three_whole_number_columns_are_a_view(save, same):
    rng = np.random.default_rng(0)
    thin = rng.integers(1, 9, (12, 3)).astype(float)
    y = np.arange(12) % 3
    same(datasets.load(save({"X1": thin, "X2": thin + 1, "Y": y})), [thin, thin + 1], y)


def test_key_map_names_variables_cells_and_fields(toy, save, cell, same):
    views, y = toy
    path = save({"p": views[1], "q": views[0], "other": y, "z": np.ones((12, 4))})
    keys = {"views": ["q", "p"], "labels": "other"}
    same(datasets.load(path, keys), views, y)
    path = save({"W": cell(views), "s": {"t": y}})
    same(datasets.load(path, {"views": "W", "labels": "s.t"}), views, y)


def test_key_map_without_labels(toy, save, cell, same):
    views, y = toy
    path = save({"X": cell(views), "Y": y})
    same(datasets.load(path, {"labels": None}), views, None)


def test_key_map_joins_train_and_test(toy, save, same):
    views, y = toy
    parts = {"gt_train": y[:8], "gt_test": y[8:]}
    for i, view in enumerate(views, 1):
        parts |= {f"x{i}_train": view[:8], f"x{i}_test": view[8:]}
    path = save(parts)
    with pytest.raises(ValueError, match="train and test parts"):
        datasets.load(path)
    keys = {
        "views": [["x1_train", "x1_test"], ["x2_train", "x2_test"]],
        "labels": ["gt_train", "gt_test"],
    }
    same(datasets.load(path, keys), views, y)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"view": "X"}, "unknown keys"),
        ({"views": ["nothing"]}, r"no variable 'nothing'.*Found: X: cell of 2"),
        ({"views": [["X", "X"], "X"]}, "joins samples"),
        ({"views": ["Y", "words"]}, "'words' is not a two-dimensional"),
        ({"mask": "Y"}, "neither a 12 x 2 matrix"),
        ({"labels": "X"}, "not one value per sample"),
    ],
)
def test_wrong_key_maps(toy, save, cell, keys, message):
    views, y = toy
    path = save({"X": cell(views), "Y": y, "words": "abc"})
    with pytest.raises(ValueError, match=message):
        datasets.load(path, keys)


def test_unknown_orientation(toy, save, cell):
    views, y = toy
    with pytest.raises(ValueError, match="orientation must be"):
        datasets.load(save({"X": cell(views), "Y": y}), orientation="up")
