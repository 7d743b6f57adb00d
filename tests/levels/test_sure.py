"""What is hardly found again in other draws is not certain."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from mvgraph import ChooseK
from mvgraph.levels.draws import Tree
from mvgraph.levels.evidence import Evidence, Reference, chance
from mvgraph.levels.listed import listed
from mvgraph.levels.valleys import Valleys
from mvgraph.ops.merges import merge_communities


@pytest.mark.parametrize("of_one", [0.0, 0.3, 0.5, 0.6, 0.7])
def test_confidence_follows_what_exceeds_one_group_of_the_same_shape(of_one):
    """A clear and stable number is as sure as it is more stable than one group."""
    numbers, n, k = np.arange(2, 22), 600, 6
    J = np.where(numbers == k, 0.75, 0.3)
    W = sp.random(n, n, 0.02, "csr", random_state=np.random.default_rng(0))
    tree = Tree(np.arange(n), merge_communities((W + W.T).tocsr(), np.arange(n) % 30))
    reference = Reference(np.full((1, 20), of_one), np.ones((1, 20)))
    valleys = Valleys(*np.full((4, 20), 0.05))
    found = listed(
        Evidence(numbers, J, {}, n, valleys, reference),
        tree,
        SimpleNamespace(views=[], informative=None),
        0,
        None,
    )
    base = max(of_one, float(chance(np.array([k]), n)[0]))
    first = found.levels[0]
    assert first.k == k
    assert first.confidence <= min(1, 2 * (0.75 - base) / (1 - base)) + 1e-9
    assert first.confidence > 0


@pytest.mark.slow
@pytest.mark.parametrize("n_features", [10, 15, 40])
def test_confidence_follows_stability(n_features):
    rng, truth = np.random.default_rng(n_features), np.repeat(np.arange(30), 60)
    spread = 4 / np.sqrt(2 * n_features)
    centres = [spread * rng.normal(size=(30, n_features)) for _ in range(2)]
    views = [c[truth] + rng.normal(size=(len(truth), n_features)) for c in centres]
    for level in ChooseK(random_state=0).fit(views).levels_:
        assert level.confidence <= 2 * level.stability
