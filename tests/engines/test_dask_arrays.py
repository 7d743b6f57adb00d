"""Views that are dask arrays: read, labelled and predicted where they lie."""

import os
import threading
import time

import numpy as np
import pytest

from data import planted
from mvgraph import AnchorFilter, GraphConsensus, Views, load_model
from mvgraph.consensus import estimator
from mvgraph.consensus.method import Recipe
from mvgraph.views import dask_array
from mvgraph.views.lazy import LazyArray
from mvgraph.views.order import content_order


def da():
    """Import dask when a test runs; it takes longer than to collect all files."""
    return pytest.importorskip("dask.array")


N, K = 1500, 3
CHUNKS = ((700, 1, 250, 549), (400, 1100))


@pytest.fixture(autouse=True)
def _small_sample(monkeypatch):
    """Draw fewer rows than there are, so that the others are labelled by blocks."""
    monkeypatch.setattr(GraphConsensus, "recipe", Recipe(max_sample=400))


def views_of(missing=False):
    views, y = planted(N, spread=4)
    if missing:
        for v, x in enumerate(views):
            x[v * 3 :: 11] = np.nan
    return views, y


def far(views):
    """Cut every view at other rows, and the second one at a column too."""
    parts = [(CHUNKS[v % 2], -1 if v != 1 else 2) for v in range(len(views))]
    return [da().from_array(x, chunks=c) for x, c in zip(views, parts, strict=True)]


def fit(views, **parameters):
    return GraphConsensus(K, random_state=0, **parameters).fit(views)


def assert_same(model, expected):
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    np.testing.assert_array_equal(model.tree_.labels, expected.tree_.labels)
    assert model.n_components_ == expected.n_components_
    for name in ("membership_", "embedding_"):
        held = getattr(model, name)
        assert isinstance(held, da().Array)
        np.testing.assert_allclose(held.compute(), getattr(expected, name), atol=1e-6)
    assert abs(model.graph_.compute() - expected.graph_).max() < 1e-6
    assert model.graph_.shape == expected.graph_.shape
    np.testing.assert_array_equal(model.dask_labels().compute(), model.labels_)
    np.testing.assert_allclose(
        model.confidence_.compute(), expected.confidence_, atol=1e-6
    )


def assert_predicts_the_same(model, expected, lazy, views):
    assert isinstance(model.predict(lazy), da().Array)
    for name in ("predict", "predict_proba", "transform"):
        found, wanted = getattr(model, name)(lazy), getattr(expected, name)(views)
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
        np.testing.assert_allclose(found.compute(), wanted, atol=1e-6)


@pytest.mark.slow
class TestInThisProcess:
    """Dask arrays without a cluster: dask's threads compute them."""

    @pytest.mark.parametrize("missing", [False, True])
    def test_the_same_as_in_memory(self, missing):
        views, _ = views_of(missing)
        expected, model = fit(views), fit(far(views))
        assert_same(model, expected)
        assert_predicts_the_same(model, expected, far(views), views)

    def test_content_order_and_samples(self):
        views, _ = views_of(missing=True)
        here, there = Views(views), Views(far(views))
        np.testing.assert_array_equal(here.mask, there.mask)
        a, b = content_order(here, 1), content_order(there, 1)
        np.testing.assert_array_equal(a.rows, b.rows)
        np.testing.assert_array_equal(a.views, b.views)
        np.testing.assert_array_equal(a.copy_of, b.copy_of)
        copies = [views[1], views[0], views[1], views[1][::-1]]
        a, b = (content_order(Views(x), 1) for x in (copies, far(copies)))
        np.testing.assert_array_equal(a.copy_of, b.copy_of)
        np.testing.assert_array_equal(a.rows, b.rows)
        assert len(set(a.copy_of)) == 3
        for rows in ([5, 1, -1, 5], slice(690, 960), np.arange(N) % 7 == 0):
            pairs = zip(here[rows].arrays, there[rows].arrays, strict=True)
            for x, z in pairs:
                np.testing.assert_array_equal(x, z)

    def test_float32_and_integers(self):
        views, _ = views_of()
        views = [views[0].astype(np.float32), np.round(views[1]).astype(int)]
        assert [a.dtype for a in Views(far(views)).arrays] == [np.float32, np.float64]
        assert_same(fit(far(views)), fit(views))

    @pytest.mark.parametrize("bad", [np.nan, np.inf, 1e308])
    def test_what_is_refused_is_named(self, bad):
        views, _ = views_of()
        views[1][1203, 2] = bad
        with pytest.raises(ValueError, match="row 1203, column 2") as here:
            Views(views)
        with pytest.raises(ValueError, match="row 1203, column 2") as there:
            assert Views(far(views)).mask is None
        assert str(here.value) == str(there.value)

    def test_prediction_checks_rows_where_it_labels_them(self):
        views, _ = views_of()
        model = fit(views)
        read = []

        def note(block):
            read.append(len(block))
            return block

        lazy = [da().from_array(x, chunks=(400, -1)) for x in views]
        lazy = [x.map_blocks(note, dtype=x.dtype, meta=x._meta) for x in lazy]
        labels = model.predict(lazy)
        assert read == []
        np.testing.assert_array_equal(labels.compute(), model.predict(views))
        assert sum(read) == len(views) * N  # one pass
        views[1][1203, 2] = np.nan
        with pytest.raises(ValueError, match="row 1203, column 2"):
            model.predict(far(views)).compute()
        views[1][1203] = np.inf
        with pytest.raises(ValueError, match=r"infinity.*row 1203"):
            model.transform(far(views)).compute()

    def test_a_number_of_rows_that_is_not_known(self):
        x = da().from_array(np.ones((9, 2)), chunks=(3, -1))
        with pytest.raises(ValueError, match="compute_chunk_sizes"):
            Views([x[x[:, 0] > 0]])

    def test_empty_chunks(self):
        views, _ = views_of()
        parts = [da().concatenate([x[:0], x]) for x in far(views)]
        np.testing.assert_array_equal(fit(parts).labels_, fit(views).labels_)

    def test_a_view_that_new_samples_lack(self):
        views, _ = views_of()
        named = {f"v{i}": x for i, x in enumerate(views)}
        model = fit(named)
        few = {"v0": views[0]}
        lazy = {"v0": far(views)[0]}
        assert_predicts_the_same(model, model, lazy, few)

    def test_one_view_here_and_one_there(self):
        views, _ = views_of()
        model = fit([views[0], *far(views)[1:]])
        assert isinstance(model.membership_, np.ndarray)
        np.testing.assert_array_equal(model.labels_, fit(views).labels_)

    def test_a_saved_model_leaves_out_what_is_on_the_workers(self, tmp_path):
        views, _ = views_of()
        model = fit(far(views))
        loaded = load_model(model.save(tmp_path / "model"))
        np.testing.assert_array_equal(loaded.labels_, model.labels_)
        np.testing.assert_array_equal(loaded.predict(views), fit(views).predict(views))
        assert not hasattr(loaded, "membership_")
        with pytest.raises(ValueError, match="use labels_"):
            loaded.dask_labels()
        assert hasattr(model, "membership_")

    @pytest.mark.slow
    def test_pictures_and_explanations(self):
        from mvgraph import explain
        from mvgraph.display import EmbeddingDisplay, GraphDisplay

        views, _ = views_of()
        model, expected = fit(far(views)), fit(views)
        assert GraphDisplay.from_estimator(model, far(views)).data()
        assert EmbeddingDisplay.from_embedding(model).data()
        told, wanted = explain(model, far(views)), explain(expected, views)
        assert str(told) == str(wanted)

    def test_chunked_is_not_needed(self):
        with pytest.raises(ValueError, match="is not needed"):
            fit(views_of()[0], engine="chunked")

    def test_what_all_blocks_need_is_in_the_graph_once(self):
        from cloudpickle import dumps

        views, _ = views_of()
        model = fit(views)
        held = len(dumps(model.predictor_))
        lazy = [da().from_array(x, chunks=(100, -1)) for x in views]
        tasks = model.predict(lazy).to_delayed(optimize_graph=True)[0].__dask_graph__()
        rows = sum(len(dumps(x[:100])) for x in views)
        sizes = sorted(len(dumps(task)) for task in dict(tasks).values())
        assert sizes[-1] < 1.2 * held + 4000
        assert sizes[-2] < rows + 4000


@pytest.mark.dask
class TestOnWorkers:
    @pytest.fixture(autouse=True)
    def _client(self, client):
        self.client = client

    @pytest.mark.parametrize("missing", [False, True])
    def test_the_same_as_in_memory(self, missing):
        views, _ = views_of(missing)
        lazy = [x.persist() for x in far(views)]
        expected, model = fit(views), fit(lazy)
        assert_same(model, expected)
        assert_predicts_the_same(model, expected, lazy, views)

    def test_no_rows_but_the_sample_pass_the_client(self, monkeypatch):
        views, _ = views_of()
        lazy = [x.persist() for x in far(views)]
        wide = sum(x.shape[1] for x in views)
        moved = []

        def refuse(self, rows):
            raise AssertionError("rows were read by the client")

        def count(self, **options):
            moved.append(compute(self, **options))
            return moved[-1]

        compute = da().Array.compute
        for name in ("_read_slice", "_read_rows", "__getitem__"):
            monkeypatch.setattr(LazyArray, name, refuse)
            monkeypatch.setattr(dask_array.DaskArray, name, refuse, raising=False)
        monkeypatch.setattr(da().Array, "compute", count)
        model = fit(lazy)
        states, totals, joint, sample = moved
        assert (states.shape, states.dtype) == ((N, len(views)), np.uint8)
        assert (totals.shape, joint.shape) == ((len(views),), (N,))
        assert sample.shape == (400, wide)
        model.predict(lazy)
        assert moved[4:] == []

    @pytest.mark.parametrize("n_workers", [1, 3])
    def test_the_number_of_workers_does_not_matter(self, n_workers):
        import distributed

        views, _ = views_of()
        expected = fit(views)
        options = {"threads_per_worker": 1, "dashboard_address": ":0"}
        with distributed.LocalCluster(n_workers=n_workers, **options) as cluster:
            address = cluster.scheduler_address
            model = fit(views, engine=address)  # arrays in memory
            assert isinstance(model.membership_, np.ndarray)
            np.testing.assert_array_equal(model.labels_, expected.labels_)
            np.testing.assert_array_equal(model.membership_, expected.membership_)
            with distributed.Client(cluster):
                model = fit([x.persist() for x in far(views)], engine=address)
                assert_same(model, expected)

    def test_a_worker_killed_in_the_middle_changes_nothing(self, monkeypatch):
        views, _ = views_of()
        lazy = [x.rechunk((50, -1)).persist() for x in far(views)]
        expected = fit(views)
        victim = next(iter(self.client.run(os.getpid).values()))
        from mvgraph.consensus import all_rows

        def extend(*args):
            killer = threading.Thread(target=lambda: (time.sleep(0.1), kill()))
            killer.start()
            found = original(*args)
            killer.join()
            return found

        def kill():
            os.kill(victim, 9)

        original = all_rows.extend
        monkeypatch.setattr(estimator, "extend", extend)
        assert_same(fit(lazy), expected)
        assert victim not in self.client.run(os.getpid).values()

    def test_anchor_filter_reads_blocks_where_they_lie(self):
        from mvgraph.engines.distributed import DistributedEngine

        views, _ = views_of(missing=True)

        def fit(views):
            engine = DistributedEngine(self.client, block_rows=300)
            return AnchorFilter(K, engine=engine, random_state=0).fit(views)

        expected, model = fit(views), fit(far(views))
        np.testing.assert_array_equal(model.labels_, expected.labels_)
        assert (model.graph_ != expected.graph_).nnz == 0
        lazy = [x.persist() for x in far(views)]
        np.testing.assert_array_equal(
            model.predict(lazy).compute(), model.predict(views)
        )
