"""The published numbers, in the published row order. Marker paper: minutes."""

import numpy as np
import pytest

from mvgraph import datasets
from mvgraph.evaluation.protocol import evaluate

pytestmark = [pytest.mark.paper, pytest.mark.shared]


@pytest.mark.parametrize(
    ("name", "components", "acc"),
    [("msrc_v5", 7, 0.93), ("handwritten4", 10, 0.985), ("mnist4", 4, 0.945)],
)
def test_mgl_reproduces_its_table(shared_dir, name, components, acc):
    data = datasets.load(shared_dir / "data" / f"{name}.mat")
    row = evaluate(data, "mgl", preset="paper", order="published")
    assert row["components"] == components
    assert row["acc"] >= acc


def test_shuffling_the_rows_takes_it_away(shared_dir):
    data = datasets.load(shared_dir / "data" / "msrc_v5.mat")
    row = evaluate(data, "mgl", preset="paper", order="shuffled", repeats=3)
    assert row["acc"] < 0.5
    assert np.isfinite(row["nmi"])
