import pytest


@pytest.fixture(scope="module")
def client():
    """A client of two workers, each a process with one thread."""
    distributed = pytest.importorskip("distributed")
    options = {"threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(n_workers=2, processes=True, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
