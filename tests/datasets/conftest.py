"""Writers of small files in every layout, and two toy views to put into them."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

N = 12


@pytest.fixture
def toy():
    """Two views of 12 samples (5 and 30 columns) and labels 1..3, not sorted."""
    rng = np.random.default_rng(0)
    views = [rng.normal(size=(N, 5)), rng.random(size=(N, 30))]
    return views, np.array([2, 1, 3, 1, 2, 3, 3, 1, 2, 2, 1, 3])


@pytest.fixture
def save(tmp_path):
    """Write variables as a .mat file (version 5 unless told) and return its path."""

    def write(variables, name="toy.mat", **options) -> Path:
        path = tmp_path / name
        savemat(path, variables, **options)
        return path

    return write


@pytest.fixture
def save73(tmp_path):
    """Write variables as MATLAB 7.3 does: user block, reversed sizes, references."""
    h5py = pytest.importorskip("h5py")

    def write(variables, name="toy73.mat", title="MATLAB 7.3 MAT-file") -> Path:
        path = tmp_path / name
        with h5py.File(path, "w", userblock_size=512) as file:
            for key, value in variables.items():
                put73(file, file, key, value)
        with path.open("r+b") as stream:
            stream.write(title.encode().ljust(124) + b"\x00\x02IM")
        return path

    return write


@pytest.fixture
def cell():
    """Return a MATLAB cell, 1 x V (or V x 1), of the given values."""

    def make(values, column=False) -> np.ndarray:
        box = np.empty((len(values), 1) if column else (1, len(values)), dtype=object)
        for i, value in enumerate(values):
            box.flat[i] = value
        return box

    return make


@pytest.fixture
def same():
    """Assert that a data set holds the given views (bit for bit) and classes."""

    def check(data, views, labels) -> None:
        assert data.views.n_views == len(views)
        for own, expected in zip(data.views.arrays, views, strict=True):
            own = own.toarray() if sparse.issparse(own) else own
            np.testing.assert_array_equal(own, expected)
        codes = None if labels is None else np.unique(labels, return_inverse=True)[1]
        np.testing.assert_array_equal(data.labels, codes)

    return check


def put73(file, group, name, value):
    """Put one variable into a group as MATLAB would."""
    if isinstance(value, dict):
        for field, item in value.items():
            put73(file, group.require_group(name), field, item)
        return
    if sparse.issparse(value):
        put73_sparse(group.create_group(name), sparse.csc_matrix(value))
        return
    kind = "double"
    if isinstance(value, list):
        kind, value = "cell", put73_cell(file, name, value)
    elif isinstance(value, str):
        kind, value = "char", np.array([[ord(c) for c in value]], dtype=np.uint16)
    group[name] = np.asarray(value).T
    group[name].attrs["MATLAB_class"] = np.bytes_(kind)


def put73_cell(file, name, values):
    """Store the elements apart and return references to them, 1 x V."""
    import h5py

    held = file.require_group("#refs#")
    names = [f"{name}{i}" for i in range(len(values))]
    for own, item in zip(names, values, strict=True):
        put73(file, held, own, item)
    return np.array([[held[own].ref for own in names]], dtype=h5py.ref_dtype)


def put73_sparse(group, csc):
    group["data"], group["ir"] = csc.data, csc.indices.astype(np.uint64)
    group["jc"] = csc.indptr.astype(np.uint64)
    group.attrs["MATLAB_sparse"] = np.uint64(csc.shape[0])
    group.attrs["MATLAB_class"] = np.bytes_("double")
