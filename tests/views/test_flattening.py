"""What rules that scale samples one by one leave of a view."""

import numpy as np
import pytest
import scipy.sparse as sp

from mvgraph import Views
from mvgraph.views.flattening import NOTHING, SIGN, flattened, flattened_views

rng = np.random.default_rng(0)
ONE = rng.normal(size=(40, 1))
TWO, FULL = rng.normal(size=(40, 2)), rng.normal(size=(40, 5))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, np.float32])
@pytest.mark.parametrize("size", [1e-15, 1, 1e15])
@pytest.mark.parametrize(
    ("x", "rule", "left"),
    [
        (ONE, "rowz", NOTHING),
        (ONE, "unit", SIGN),
        (ONE, "auto", None),
        (np.abs(ONE), "unit", NOTHING),
        (ONE, "zscore+unit", SIGN),
        (np.repeat(ONE, 3, axis=1), "rowz", NOTHING),
        (np.repeat(ONE, 3, axis=1), "unit", SIGN),
        (TWO, "rowz", SIGN),
        (TWO, "unit", None),
        (FULL, "rowz", None),
        (np.outer(ONE, [1, 2, 3]), "rowz", SIGN),
        (np.ones((40, 3)), "rowz", None),  # there was nothing before
        (np.sign(ONE), "unit", None),  # all is kept
        (FULL, "zscore", None),
    ],
)
def test_what_is_left(x, rule, left, size, kind):
    assert flattened(kind(size * x), rule) == left


def test_a_small_block_does_not_change_the_answer():
    late = np.vstack([np.repeat(ONE, 3, axis=1), [[1, 2, 4], [2, 1, 4]]])
    assert flattened(late, "rowz", block_values=8) is None
    assert flattened(late[:-1], "rowz", block_values=8) == SIGN  # 0 and one direction
    assert flattened(ONE, "unit", block_values=8) == SIGN


def test_missing_rows_are_left_out():
    one = ONE.copy()
    one[:5] = np.nan
    views = Views([FULL, one], names=("a", "b"))
    assert flattened_views(views, "rowz") == {"b": NOTHING}
