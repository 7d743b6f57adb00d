"""Counts or other numbers: which views are told apart, and from how little."""

import numpy as np
import pytest
import scipy.sparse as sp

from mvgraph.views.counts import find_kinds, holds_counts, other_kinds

N = 60
COUNTS = np.random.default_rng(0).poisson(4, (N, 6)).astype(float)
LOGS = np.log1p(COUNTS)


@pytest.mark.parametrize("shape", [np.asarray, np.asfortranarray, sp.csr_matrix])
def test_kinds_of_any_storage(shape):
    assert find_kinds([shape(COUNTS), shape(LOGS)], [True, True]) == (True, False)
    assert find_kinds([shape(COUNTS - 9)], [True]) == (False,)


def test_files_are_told_by_their_first_rows(tmp_path):
    np.save(tmp_path / "a.npy", np.vstack([COUNTS, LOGS]))
    x = np.load(tmp_path / "a.npy", mmap_mode="r")
    assert find_kinds([x], [True], first_values=COUNTS.size) == (True,)
    assert find_kinds([x], [True]) == (False,)


def test_absent_samples_and_views_say_nothing():
    holes = COUNTS.copy()
    holes[:50] = np.nan
    assert holds_counts(holes)
    assert find_kinds([COUNTS, holes], [True, True]) == (True, True)
    assert find_kinds([LOGS, holes], [True, False]) == (False, None)
    assert "'a': the fit had counts" in other_kinds("ab", (False, None), (True, True))
    assert other_kinds("ab", (False, None), (None, True)) is None
