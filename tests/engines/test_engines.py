"""One set of tests for every engine."""

import os
import tempfile
import threading
import time

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score as ari
from threadpoolctl import threadpool_info, threadpool_limits

import mvgraph
from data import planted
from mvgraph import AnchorFilter, Views
from mvgraph.engines import make_engine
from mvgraph.engines.chunked import ChunkedEngine
from mvgraph.engines.memory import MemoryEngine
from mvgraph.ops.parallel import map_rows, one_blas_thread, slices


class Numbers:
    """A source of rows 0, 1, 2, ..."""

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def read(self, rows):
        return np.arange(rows.start, rows.stop, dtype=float)

    def on_disk(self, folder):
        return self

    def on_workers(self, size=None):
        return None

    def slices(self, size):
        return slices(self.n, size)


def init(x):
    return (x[:, None] * [1.0, 2.0], np.zeros(len(x))), (x.sum(), np.array([len(x)]))


def sum_and_start(x, start):
    assert x[0] == start
    return x.sum(), start


def plus_one(block):
    a, b = block
    return (a, b + 1), (np.array([b.sum()]),)


def fail_late(block):
    if (block[0][:, 0] == 60).any():
        raise ZeroDivisionError("block of row 60")
    return block, (np.zeros(1),)


class EngineTests:
    def engine(self):
        raise NotImplementedError

    def test_start_step_gather(self):
        with self.engine() as engine:
            total, count = engine.start(init, Numbers(100))
            assert total == 4950
            assert count[0] == 100
            assert [engine.step(plus_one)[0][0] for _ in range(3)] == [0, 100, 200]
            a, b = engine.gather(lambda block: block)
            np.testing.assert_array_equal(a[:, 1], 2 * np.arange(100))
            np.testing.assert_array_equal(b, 3)

    def test_map_keeps_the_order(self):
        with self.engine() as engine:
            found = list(engine.map(sum_and_start, Numbers(100)))
            assert len(found) == engine.count_blocks(Numbers(100))
            assert sum(total for total, _ in found) == 4950
            assert [start for _, start in found] == sorted(start for _, start in found)

    def test_an_error_in_one_block_surfaces(self):
        with self.engine() as engine:
            engine.start(init, Numbers(100))
            with pytest.raises(ZeroDivisionError, match="row 60"):
                engine.step(fail_late)

    def test_same_labels_as_in_memory(self):
        X, y = planted(400, spread=1.5)  # clusters overlap
        ours = AnchorFilter(3, engine=self.engine(), random_state=0).fit(X)
        memory = AnchorFilter(3, random_state=0).fit(X)
        np.testing.assert_array_equal(ours.labels_, memory.labels_)
        assert (ours.graph_ != memory.graph_).nnz == 0
        assert 0.5 < ari(y, ours.labels_) < 1


class TestMemory(EngineTests):
    def engine(self):
        return MemoryEngine(block_rows=30)


class TestChunked(EngineTests):
    def engine(self):
        return ChunkedEngine(memory_limit=100_000)

    def test_scratch_files_are_removed_whatever_happens(self, tmp_path):
        for error in (None, ValueError, KeyboardInterrupt):
            try:
                with ChunkedEngine(10**6, folder=tmp_path) as engine:
                    engine.start(init, Numbers(100))
                    assert len(list(tmp_path.rglob("*.npy"))) == 2
                    if error is not None:
                        raise error
            except (ValueError, KeyboardInterrupt):
                pass
            assert list(tmp_path.iterdir()) == []

    def test_a_limit_that_cannot_hold_a_row(self):
        engine = ChunkedEngine(memory_limit=10)
        with engine, pytest.raises(ValueError, match="is too small") as e:
            engine.start(init, Numbers(100))
        least = int(str(e.value).split()[-2])
        with ChunkedEngine(least) as engine:
            engine.start(init, Numbers(100))

    def test_unchanged_tensors_stay_on_disk(self):
        with ChunkedEngine(10**6) as engine:
            engine.start(init, Numbers(100))
            engine._files[0].flags.writeable = False
            engine.step(plus_one)


def views_of(n):
    views, y = planted(n, spread=4)
    return Views(views), y


@pytest.mark.dask
class TestDistributed(EngineTests):
    @pytest.fixture(autouse=True)
    def use_client(self, client):
        self.client = client

    def engine(self):
        from mvgraph.engines.distributed import DistributedEngine

        return DistributedEngine(self.client, block_rows=30)

    def test_it_runs_on_several_processes(self):
        pids = set()
        with self.engine() as engine:
            engine.start(init, Numbers(100))
            pids |= set(self.client.run(os.getpid).values())
            (where,) = engine.gather(lambda block: (np.full(1, os.getpid()),))
        assert len(pids) == 2
        assert set(where) <= pids
        assert os.getpid() not in where

    def test_a_worker_killed_in_the_middle_changes_nothing(self):
        views, _ = views_of(3000)
        expected = AnchorFilter(3, engine=self.engine(), random_state=0).fit(views)
        victim = next(iter(self.client.run(os.getpid).values()))

        def kill():
            time.sleep(0.7)
            os.kill(victim, 9)

        killer = threading.Thread(target=kill)
        killer.start()
        model = AnchorFilter(3, engine=self.engine(), random_state=0).fit(views)
        killer.join()
        np.testing.assert_array_equal(model.labels_, expected.labels_)

    @pytest.mark.parametrize("n_workers", [1, 3])
    def test_the_number_of_workers_does_not_matter(self, n_workers):
        import distributed

        from mvgraph.engines.distributed import DistributedEngine

        views, _ = views_of(500)
        expected = AnchorFilter(3, engine=self.engine(), random_state=0).fit(views)
        options = {"threads_per_worker": 1, "dashboard_address": ":0"}
        with distributed.LocalCluster(n_workers=n_workers, **options) as cluster:
            engine = DistributedEngine(cluster.scheduler_address, 30)
            model = AnchorFilter(3, engine=engine, random_state=0).fit(views)
        np.testing.assert_array_equal(model.labels_, expected.labels_)
        assert (model.graph_ != expected.graph_).nnz == 0

    def test_dask_arrays_as_views(self):
        da = pytest.importorskip("dask.array")
        views, y = views_of(300)
        lazy = [da.from_array(x, chunks=(100, -1)) for x in views.arrays]
        model = AnchorFilter(3, engine=self.engine(), random_state=0).fit(lazy)
        assert ari(y, model.labels_) > 0.95


def test_the_limit_chooses_the_engine():
    assert type(make_engine("auto", None, 10**12)) is MemoryEngine
    assert type(make_engine("auto", 10**6, 10**5)) is MemoryEngine
    assert type(make_engine("auto", 10**6, 10**7)) is ChunkedEngine
    with pytest.raises(ValueError, match="memory_limit is 1000000"):
        make_engine("memory", 10**6, 10**7)
    with pytest.raises(ValueError, match="engine must be"):
        make_engine("gpu", None, 1)


def test_files_larger_than_the_limit_and_memory_maps(tmp_path, monkeypatch, alone):
    views, y = views_of(2000)
    maps = []
    for v, x in enumerate(views.arrays):
        path = tmp_path / f"{v}.npy"
        np.save(path, x.astype(np.float32))
        maps.append(np.load(path, mmap_mode="r"))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    limit = mvgraph.estimate(maps, "anchor-filter", 3, engine="chunked")["bytes"][
        "least"
    ]
    model = AnchorFilter(3, engine="chunked", memory_limit=limit, random_state=0).fit(
        maps
    )
    assert ari(y, model.labels_) > 0.95
    assert list(scratch.iterdir()) == []


def test_hdf5_and_zarr_like_arrays(tmp_path):
    h5py = pytest.importorskip("h5py")
    views, y = views_of(300)
    with h5py.File(tmp_path / "views.h5", "w") as file:
        for v, x in enumerate(views.arrays):
            file[f"view_{v}"] = x
        held = Views([file["view_0"], file["view_1"]])
        np.testing.assert_array_equal(
            held[[5, 1, 5]].arrays[0], views.arrays[0][[5, 1, 5]]
        )
        assert ari(y, AnchorFilter(3, random_state=0).fit(held).labels_) > 0.95


@pytest.mark.parametrize("threads", ["1", "2", "4"])
def test_map_rows_keeps_the_order(threads, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    assert map_rows(lambda r: (r.start, r.stop), 10, size=4) == [
        (0, 4),
        (4, 8),
        (8, 10),
    ]


def test_one_blas_thread_is_lifted_by_the_last_call():
    def threads():
        return [p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas"]

    with threadpool_limits(limits=2, user_api="blas"):
        before = threads()
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert set(threads()) == {1}
        second.__exit__(None, None, None)
        assert threads() == before
