import pytest

from bench_data import save


@pytest.fixture
def folder(tmp_path):
    """Two small data sets, one of them with a suffix that says how it is stored."""
    data = tmp_path / "data"
    data.mkdir()
    save(data / "three__plain.npz")
    save(data / "four.npz", k=4, seed=1)
    (data / "notes.txt").write_text("no data")
    return data
