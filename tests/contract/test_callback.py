"""What the callback of fit is told by the methods that report steps."""

import numpy as np
import pytest

from data import planted
from mvgraph import ChooseK, methods


def test_a_search_for_levels_counts_its_draws():
    X, _ = planted(centres="axes")
    seen = []
    ChooseK(random_state=0).fit(X, callback=lambda *step: seen.append(step))
    of_search = [(done, total, record["stage"]) for done, total, record in seen]
    draws = [done for done, _, stage in of_search if stage == "levels: draws"]
    assert draws == list(range(6))
    of_reference = [(n, of) for n, of, stage in of_search if "of one group" in stage]
    assert not of_reference or of_reference[-1][0] == of_reference[-1][1]


@pytest.mark.parametrize("name", ["anchor-filter", "mgl", "graph-consensus"])
def test_fit_reports_to_a_callback_and_forgets_it(name):
    X, _ = planted(centres="axes")
    seen = []
    model = methods.get(name).make(3, 0)
    model.fit(X, callback=lambda *step: seen.append(step))
    assert all(total is None or 0 <= step <= total for step, total, _ in seen)
    assert all(record["seconds"] >= 0 for _, _, record in seen)
    assert all(record["seconds"] >= 0 for record in model.history_)
    if name != "graph-consensus":
        assert [step for step, _, _ in seen] == list(range(1, model.n_iter_ + 1))
    else:
        stages = list(dict.fromkeys(record["stage"] for _, _, record in seen))
        assert stages == [record["stage"] for record in model.history_]
    seen.clear()
    expected = model.labels_
    np.testing.assert_array_equal(model.fit(X).labels_, expected)
    assert seen == []
