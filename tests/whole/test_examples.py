"""Every example of the gallery runs; it is short, and says what it shows."""

import ast
import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"
EXAMPLES = sorted(FOLDER.glob("*/plot_*.py"))
QUICK = ("plot_6",)  # the others are slow only by comparison


def _marked(path):
    quick = path.name.startswith(QUICK)
    return pytest.param(path, id=path.stem, marks=() if quick else pytest.mark.slow)


def test_there_are_examples():
    assert len(EXAMPLES) >= 8


@pytest.mark.parametrize("path", [_marked(path) for path in EXAMPLES])
def test_example_runs(path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    plt = pytest.importorskip("matplotlib.pyplot")
    shown = []
    monkeypatch.setattr(plt, "show", lambda: shown.append(plt.get_fignums()))
    try:
        runpy.run_path(str(path), run_name="__main__")
    finally:
        plt.close("all")
    assert shown, "an example shows at least one figure"
    assert all(figures for figures in shown)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_short_and_explained(path):
    text = path.read_text()
    title, underline, *rest = ast.get_docstring(ast.parse(text)).splitlines()
    assert set(underline) == {"="}
    assert len(underline) == len(title)
    assert len(" ".join(rest).split()) > 15
    assert len(text.splitlines()) <= 60
