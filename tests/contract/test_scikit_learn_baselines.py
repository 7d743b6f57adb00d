"""check_estimator of scikit-learn for every method, found by discovery."""

import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn.base import is_clusterer
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from mvgraph import MGL, GraphConsensus, methods

ONE_CLUSTER = "sets n_clusters=1, which is refused: one cluster is no clustering"
EXPECTED = {
    "check_dont_overwrite_parameters": ONE_CLUSTER,
    "check_methods_subset_invariance": ONE_CLUSTER,
    "check_fit2d_1feature": ONE_CLUSTER,
    "check_fit2d_predict1d": ONE_CLUSTER,
}
#: One view of two features is not what it is made for: ARI 0.32, 0.4 is asked for.
SMSC_BLOBS = (
    "SMSC does not tell three blobs apart in one standardised view of 2 features"
)
MORE = {
    "SMSC": {
        "check_clustering": SMSC_BLOBS,
        "check_clustering(readonly_memmap=True)": SMSC_BLOBS,
    }
}
OTHERS = [methods.get(n).make(3) for n in methods.names()]
OTHERS = [m for m in OTHERS if not isinstance(m, GraphConsensus | MGL)]


def expected(estimator):
    return EXPECTED | MORE.get(type(estimator).__name__, {})


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # tiny random data: no K components, warned
@parametrize_with_checks(OTHERS, expected_failed_checks=expected)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", methods.names())
def test_tags(name):
    model = methods.get(name).make(3)
    tags = get_tags(model)
    assert is_clusterer(model)
    assert tags.input_tags.sparse
    assert not tags.target_tags.required
    assert (tags.transformer_tags is not None) == hasattr(model, "transform")


@pytest.mark.parametrize("Estimator", [GraphConsensus, MGL])
def test_fits_in_parallel_are_the_same(Estimator):
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = [6 * rng.normal(size=(3, d))[y] + rng.normal(size=(90, d)) for d in (3, 5)]
    alone = [Estimator(3, random_state=s).fit(X).labels_ for s in range(3)]
    together = Parallel(2, prefer="threads")(
        delayed(Estimator(3, random_state=s).fit)(X) for s in range(3)
    )
    for labels, model in zip(alone, together, strict=True):
        np.testing.assert_array_equal(labels, model.labels_)
