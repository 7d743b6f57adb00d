"""Explanations and single-cell results of every method."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from data import planted
from mvgraph import explain, tl

X, TRUTH = planted(48, dims=(20, 25), spread=4, noise=0.5)


def test_features_of_every_method(name, fit):
    model = fit(name, X)
    why = explain(model, X)
    assert why.features == explain(X, model.labels_).features
    assert {row["view"] for row in why.features} == set(why.view_names)
    k = len(why.clusters)
    assert len(why.exemplars) in (0, 5 * k)
    assert why.contributions is None or why.contributions.shape == (48, 2)


def test_what_scanpy_draws_has_coordinates(name):
    """A MuData has no X: without use_rep, scanpy lays out no joint graph of one."""
    names = [f"c{i}" for i in range(48)]
    cells = SimpleNamespace(
        X=None, obs_names=pd.Index(names), obs=pd.DataFrame(index=names),
        obsm=dict(zip("ab", X, strict=True)), obsp={}, layers={}, uns={},
    )  # fmt: skip
    tl.cluster(cells, 3, method=name)
    uns = cells.uns["mvgraph"]
    if "connectivities_key" in uns:
        U = cells.obsm[uns["params"]["use_rep"]]
        assert U.shape[0] == 48
        assert np.isfinite(U).all()
