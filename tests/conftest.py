"""Fixtures for every test file."""

import copy
import hashlib
import os
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import settings

from chromium import start
from data import planted

# The same examples on every run, and no deadline: a first call may compile kernels.
settings.register_profile("default", derandomize=True, deadline=None, max_examples=40)
settings.register_profile("slow", settings.get_profile("default"), max_examples=100)
settings.load_profile("default")
os.environ.setdefault("MPLBACKEND", "Agg")  # figures need no screen

#: Small fits that call the kernels for both precisions, dense and sparse.
WARM_UP = """
import numpy as np, scipy.sparse as sp
from mvgraph import MGL, AnchorFilter, GraphConsensus
x = 9 * np.eye(3)[np.arange(30) % 3] + np.random.default_rng(0).normal(size=(30, 3))
for view in (x, x.astype(np.float32), sp.csr_matrix(x)):
    for Estimator in ({}):
        Estimator(3, random_state=0).fit([view, view + view]).predict([view, view])
"""
#: They are compiled by two processes, as there are two to run the tests.
ESTIMATORS = "GraphConsensus,", "AnchorFilter, MGL"


def pytest_sessionstart(session):
    """Compile the kernels once, before several processes would all compile them."""
    config = session.config
    if hasattr(config, "workerinput") or not getattr(config.option, "tx", None):
        return
    key, cache = f"mvgraph/kernels/{_kernels()}", getattr(config, "cache", None)
    if cache is None or not cache.get(key, False):
        words = [sys.executable, "-W", "ignore", "-c"]
        runs = [subprocess.Popen([*words, WARM_UP.format(e)]) for e in ESTIMATORS]
        assert [run.wait() for run in runs] == [0, 0]
        if cache is not None:
            cache.set(key, True)


def _kernels() -> str:
    """Name what the compiled kernels depend on: their text, Python, numba, place."""
    folder = Path(find_spec("mvgraph").origin).parent
    place = os.environ.get("NUMBA_CACHE_DIR", str(folder))
    content = [sys.version, version("numba"), place]
    content += [p.read_text() for p in sorted(folder.rglob("kernels/*.py"))]
    return hashlib.sha256("\0".join(content).encode()).hexdigest()[:16]


def pytest_configure(config):
    if "not slow" not in config.option.markexpr:
        settings.load_profile("slow")


@pytest.fixture
def walked(monkeypatch):
    """Trust files of HDF5 and Parquet: to walk them takes a process for each."""
    for form in ("hdf5", "arrow_sizes"):
        found = f"mvgraph.datasets.formats.{form}.output_of"
        monkeypatch.setattr(found, lambda *_: b"0")


@pytest.fixture
def alone(monkeypatch):
    """Let limits of memory disregard what the process of the tests holds."""
    for module in ("base.limits", "ops.memory"):
        monkeypatch.setattr(f"mvgraph.{module}.private_bytes", lambda: None)


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """Folder with benchmark files; the test skips where it is absent."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("MVGRAPH_SHARED", beside))
    if not (folder / "data").is_dir():
        pytest.skip("no benchmark files: set MVGRAPH_SHARED to their folder")
    return folder


class Fitted(NamedTuple):
    """A model with the views that it was fitted on and their true clusters."""

    model: Any
    X: list[np.ndarray]
    truth: np.ndarray


@pytest.fixture(scope="session", params=["GraphConsensus", "AnchorFilter"])
def _fitted_once(request):
    import mvgraph

    X, truth = planted(90)
    model = getattr(mvgraph, request.param)(3, random_state=0)
    return Fitted(model.fit(X), X, truth)


@pytest.fixture
def fitted(_fitted_once) -> Fitted:
    """Either estimator, fitted once a session; every test gets a copy of its own."""
    return copy.deepcopy(_fitted_once)


@pytest.fixture(scope="module")
def downloads(tmp_path_factory):
    """Return the folder of what a browser saves."""
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="module")
def browser(tmp_path_factory, downloads):
    """Start a browser; skip the test where there is none."""
    browser = start(tmp_path_factory.mktemp("profile"), downloads)
    yield browser
    browser.quit()
