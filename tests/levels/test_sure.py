"""What is hardly found again in other draws is not certain."""

import numpy as np
import pytest

from mvgraph import ChooseK


@pytest.mark.slow
@pytest.mark.parametrize("n_features", [10, 15, 40])
def test_confidence_follows_stability(n_features):
    rng, truth = np.random.default_rng(n_features), np.repeat(np.arange(30), 60)
    spread = 4 / np.sqrt(2 * n_features)
    centres = [spread * rng.normal(size=(30, n_features)) for _ in range(2)]
    views = [c[truth] + rng.normal(size=(len(truth), n_features)) for c in centres]
    for level in ChooseK(random_state=0).fit(views).levels_:
        assert level.confidence <= 2 * level.stability
