"""Damaged files are read or refused in one line: no traceback, crash, hang, bomb."""

from collections import Counter

import numpy as np
import pytest

damage = pytest.importorskip("damage")

PER_FORMAT = 90  # times 29 formats
FORMATS = [
    "a.npy",
    "a.npz",
    "packed.npz",
    "sparse.npz",
    "v5.mat",
    "v5c.mat",
    "v4.mat",
    "v73.mat",
    "a.mtx",
    "b.mtx.gz",
    "a.csv",
    "b.csv.gz",
    "c.csv.zst",
    "a.tsv",
    "a.txt",
    "a.parquet",
    "vectors.parquet",
    "a.feather",
    "stream.arrow",
    "a.xlsx",
    "a.h5",
    "tenx.h5",
    "a.h5ad",
    "a.zarr",
    "tenx",
    "consensus-model",
    "filter-model",
    "schema.yaml",
    "plan.yaml",
]


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    folder = tmp_path_factory.mktemp("good")
    damage.write_all(folder)
    damage.write_others(folder)
    return folder


def test_every_format_is_damaged(good):
    assert sorted(path.name for path in good.iterdir()) == sorted(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_the_good_file_is_read(good, name):
    if name in ("a.mtx", "b.mtx.gz"):
        pytest.skip("which side of one matrix holds the samples is not known")
    outcome, _, message = damage.read_apart(good / name)
    assert outcome == "read", message


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files(good, tmp_path, name, record_property):
    outcomes, bad = Counter(), []
    for seed in range(PER_FORMAT):
        rng = np.random.default_rng([seed, FORMATS.index(name)])
        path = damage.damaged_copy(good / name, tmp_path / f"{seed}-{name}", rng)
        outcome, megabytes, message = damage.read_apart(path)
        outcomes[outcome] += 1
        if outcome not in ("read", "refused") or megabytes > damage.MEGABYTES:
            bad.append((seed, outcome, int(megabytes), message[-600:]))
    record_property("outcomes", dict(outcomes))
    assert not bad, bad[:3]
