"""Straightforward NumPy and SciPy formulations of every published baseline.

Ports of the equations as a researcher would write them: SVDs of LAPACK, ARPACK where a
few eigenvectors are wanted, vectorised rows. Nothing comes from the package but the
scaled views, in the order in which the package works on them, and the parameters. A
reference implementation takes (X, p, rng): float64 views, the unfitted estimator with
its parameters, and the generator that the estimator would get. It returns the labels.
k-means is that of scikit-learn, so its starts differ.
"""

from reference_implementations.anchors import mvsc, sfmc, tbgl
from reference_implementations.concat import (
    kmeans_concat,
    leiden_concat,
    opmc,
    rdekm,
    spectral_concat,
)
from reference_implementations.ensemble import fastmice
from reference_implementations.fast_anchors import fpmvs_cag, lmvsc, udbgl
from reference_implementations.fusion import snf, wnn_leiden
from reference_implementations.lowrank import csmsc, etlmsc, rmsc
from reference_implementations.rank import clr, gmc, mlan, mvgl, swmc
from reference_implementations.spectral import amgl, co_reg, smsc

REFERENCES = {
    "amgl": amgl,
    "clr": clr,
    "clr-concat": clr,
    "co-reg": co_reg,
    "csmsc": csmsc,
    "etlmsc": etlmsc,
    "fastmice": fastmice,
    "fpmvs-cag": fpmvs_cag,
    "fpmvs-cag-first": fpmvs_cag,
    "gmc": gmc,
    "kmeans-concat": kmeans_concat,
    "leiden-concat": leiden_concat,
    "lmvsc": lmvsc,
    "mlan": mlan,
    "mvgl": mvgl,
    "mvsc": mvsc,
    "opmc": opmc,
    "rdekm": rdekm,
    "rmsc": rmsc,
    "sfmc": sfmc,
    "smsc": smsc,
    "snf": snf,
    "spectral-concat": spectral_concat,
    "swmc": swmc,
    "tbgl": tbgl,
    "udbgl": udbgl,
    "wnn-leiden": wnn_leiden,
}
