"""Fixtures for every test file."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on every run, and no deadline: a first call may compile kernels.
settings.register_profile("mvgraph", derandomize=True, deadline=None)
settings.load_profile("mvgraph")


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """Folder with benchmark files; the test skips where it is absent."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("MVGRAPH_SHARED", beside))
    if not (folder / "data").is_dir():
        pytest.skip("no benchmark files: set MVGRAPH_SHARED to their folder")
    return folder
