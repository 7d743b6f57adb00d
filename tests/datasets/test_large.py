"""Arrays that are too large to read at once stay in their files."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score as ari

from data import planted
from mvgraph import AnchorFilter, datasets
from mvgraph.evaluation import forecast
from mvgraph.views.lazy import LazyArray, ParquetArray


@pytest.fixture
def views():
    X, y = planted(300, spread=5)
    return [x.astype(np.float32) for x in X], y


def same_data(dataset, views, y):
    for ours, x in zip(dataset.views.arrays, views, strict=True):
        np.testing.assert_array_equal(ours[[7, 3, 3, -1]], x[[7, 3, 3, -1]])
        np.testing.assert_array_equal(ours[10:20], x[10:20])
        mask = np.arange(300) % 7 == 0
        np.testing.assert_array_equal(ours[mask], x[mask])
    np.testing.assert_array_equal(dataset.labels, y)
    assert forecast.estimate(dataset.views, "anchor-filter", 3)["bytes"]["views"] == 0
    held = AnchorFilter(3, random_state=0).fit(list(views)).labels_
    np.testing.assert_array_equal(
        AnchorFilter(3, random_state=0).fit(dataset.views).labels_, held
    )


def test_folder_of_npy_is_mapped(views, tmp_path):
    X, y = views
    for v, x in enumerate(X):
        np.save(tmp_path / f"v{v}.npy", x)
    np.save(tmp_path / "labels.npy", y)
    dataset = datasets.load(tmp_path, eager_bytes=0)
    same_data(dataset, X, y)
    for x in dataset.views.arrays:
        assert isinstance(x.base, np.memmap)


def test_mapped_integers_and_columns_first_are_cast_block_by_block(views, tmp_path):
    X, y = views
    X = [(100 * X[0]).astype(np.int16), np.asfortranarray(X[1], dtype=np.float64)]
    for v, x in enumerate(X):
        np.save(tmp_path / f"v{v}.npy", x)
    np.save(tmp_path / "labels.npy", y)
    dataset = datasets.load(tmp_path, eager_bytes=0)
    assert all(isinstance(x, LazyArray) for x in dataset.views.arrays)
    same_data(dataset, X, y)


def test_hdf5(views, tmp_path):
    h5py = pytest.importorskip("h5py")
    X, y = views
    with h5py.File(tmp_path / "views.h5", "w") as file:
        file["x1"], file["x2"], file["labels"] = *X, y
    dataset = datasets.load(tmp_path / "views.h5", eager_bytes=0)
    same_data(dataset, X, y)
    copy = pickle.loads(pickle.dumps(dataset.views.arrays[0]))
    np.testing.assert_array_equal(copy[:], X[0])


@pytest.mark.parametrize("version", [2, 3])
def test_zarr(views, tmp_path, version):
    zarr = pytest.importorskip("zarr")
    X, y = views
    path = tmp_path / "views.zarr"
    group = zarr.open_group(str(path), mode="w", zarr_format=version)
    for name, x in zip(("x1", "x2", "labels"), (*X, y), strict=True):
        group.create_array(name, shape=x.shape, dtype=x.dtype)[...] = x
    dataset = datasets.load(path, eager_bytes=0)
    same_data(dataset, X, y)
    copy = pickle.loads(pickle.dumps(dataset.views.arrays[0]))
    np.testing.assert_array_equal(copy[:], X[0])
    held = LazyArray(group["x1"])
    np.testing.assert_array_equal(held[[5, 1]], X[0][[5, 1]])


def test_parquet_folder(views, tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    X, y = views
    for v, x in enumerate(X):
        frame = pd.DataFrame(x, columns=[f"f{j}" for j in range(x.shape[1])])
        if v == 0:
            frame["label"] = y
        frame.to_parquet(tmp_path / f"v{v}.parquet", row_group_size=37, index=False)
    dataset = datasets.load(tmp_path, eager_bytes=0)
    same_data(dataset, X, y)
    assert all(isinstance(x, ParquetArray) for x in dataset.views.arrays)
    assert pickle.loads(pickle.dumps(dataset.views.arrays[0])).shape == (300, 4)


def test_parquet_file_with_ids_and_groups_of_columns(views, tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    X, y = views
    columns = [f"v{v}_{j}" for v, x in enumerate(X) for j in range(x.shape[1])]
    frame = pd.DataFrame(np.hstack(X), columns=columns)
    frame.index = [f"cell {i}" for i in range(300)]
    frame["label"] = [f"kind {c}" for c in y]
    frame.to_parquet(tmp_path / "all.parquet", row_group_size=50)
    dataset = datasets.load(tmp_path / "all.parquet", eager_bytes=0)
    assert dataset.ids[3] == "cell 3"
    assert dataset.views.n_features == (4, 6)
    same_data(dataset, X, y)


def test_only_the_row_groups_that_rows_are_in_are_read(views, tmp_path, monkeypatch):
    pd = pytest.importorskip("pandas")
    pq = pytest.importorskip("pyarrow.parquet")
    X, _ = views
    path = tmp_path / "x.parquet"
    frame = pd.DataFrame(X[1], columns=list("abcdef"))
    frame.iloc[5, 2] = np.nan
    frame.to_parquet(path, row_group_size=50)
    array, read = ParquetArray(path), []
    original = pq.ParquetFile.read_row_group
    monkeypatch.setattr(
        pq.ParquetFile,
        "read_row_group",
        lambda self, g, **how: read.append(g) or original(self, g, **how),
    )
    np.testing.assert_array_equal(array[[260, 110, 111]], X[1][[260, 110, 111]])
    assert read == [2, 5]
    for start in range(0, 100, 10):  # in order every group is decoded once
        array[start : start + 10]
    assert read == [2, 5, 0, 1]
    assert np.isnan(array[5:6][0, 2])
    assert array.select([1, 3]).columns == ["b", "d"]
    frame["g"] = "text"
    frame.to_parquet(path)
    with pytest.raises(ValueError, match="are not numbers"):
        ParquetArray(path)


SCRIPT = """
import json, sys, warnings
import numpy as np
from mvgraph import AnchorFilter, datasets, estimate
from mvgraph.ops.memory import PeakMemory

warnings.simplefilter("ignore")
AnchorFilter(3, random_state=0).fit(np.random.default_rng(0).normal(size=(300, 4)))
data = datasets.load(sys.argv[1])
asked = {"n_anchors": 100, "engine": "chunked"}
told = estimate(data.views, "anchor-filter", 3, **asked)["bytes"]
limit = told["least"] + 50_000_000
with PeakMemory() as memory:
    model = AnchorFilter(3, memory_limit=limit, random_state=0, **asked).fit(data.views)
print(json.dumps({"mb": memory.peak_mb, "told": told, "limit": limit,
                  "labels": model.labels_[:300].tolist()}))
"""


@pytest.mark.slow
def test_private_memory_stays_bounded_on_a_mapped_file_of_200_mb(tmp_path):
    import json

    rng = np.random.default_rng(0)
    n, y = 250_000, rng.integers(0, 3, 250_000)
    for v in range(2):
        x = np.lib.format.open_memmap(
            tmp_path / f"v{v}.npy", "w+", np.float32, (n, 100)
        )
        centres = 4 * rng.normal(size=(3, 100))
        for start in range(0, n, 50_000):
            part = y[start : start + 50_000]
            x[start : start + 50_000] = centres[part] + rng.normal(size=(50_000, 100))
        x.flush()
    command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["told"]["views"] == 0
    assert found["mb"] * 2**20 <= found["limit"]
    assert ari(y[:300], found["labels"]) > 0.9
