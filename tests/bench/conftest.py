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


@pytest.fixture
def undrawn(monkeypatch):
    """Leave the pictures out of the page, which take most time, for tests of words."""
    from mvgraph.bench import figures, report
    from mvgraph.display._styles import MethodsDisplay

    for module in (figures, report):
        monkeypatch.setattr(module, "draw", lambda *_, **__: "")
    monkeypatch.setattr(MethodsDisplay, "file", lambda *_: b"")
