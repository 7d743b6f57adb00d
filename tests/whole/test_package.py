"""What the package as a whole promises: cheap imports, honest names, layout."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import mvgraph

SOURCE = Path(mvgraph.__file__).parent


def loaded_by(statement):
    code = f"{statement}; import sys; print(*{{m.split('.')[0] for m in sys.modules}})"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_is_cheap():
    heavy = {"numba", "dask", "matplotlib", "typer", "numpy", "scipy", "sklearn"}
    assert not heavy & loaded_by("import mvgraph")


def test_readers_of_files_start_without_heavy_imports():
    heavy = {"numba", "dask", "matplotlib", "sklearn", "pandas", "pyarrow"}
    assert not heavy & loaded_by("from mvgraph import datasets")


def test_command_line_starts_without_heavy_imports():
    heavy = {"numba", "dask", "matplotlib", "numpy", "scipy", "sklearn", "pandas"}
    assert not heavy & loaded_by("from mvgraph.cli import app")


def test_methods_are_listed_without_heavy_imports():
    heavy = {"numba", "dask", "matplotlib", "numpy", "scipy", "sklearn", "pandas"}
    listing = "import mvgraph.methods as m; m.table(); m.bibtex()"
    assert not heavy & loaded_by(listing)


def test_every_public_name_resolves():
    for name in mvgraph.__all__:
        assert getattr(mvgraph, name) is not None
    assert set(mvgraph.__all__) == set(dir(mvgraph))


def test_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'KMeans'"):
        mvgraph.KMeans  # noqa: B018


def test_private_scikit_learn_is_not_used():
    private = re.compile(r"^\s*(from|import) sklearn(\.\w+)*\._", re.MULTILINE)
    found = [p.name for p in SOURCE.rglob("*.py") if private.search(p.read_text())]
    assert found == []
