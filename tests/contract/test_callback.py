"""What the callback of fit is told by the methods that report steps."""

import numpy as np
import pytest

from data import planted
from mvgraph import methods


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
