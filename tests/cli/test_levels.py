"""What the commands say of data in which no division stands out."""

import json

import numpy as np
import pytest


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("noise") / "noise.npz"
    np.savez(path, a=rng.normal(size=(40, 6)), b=rng.normal(size=(40, 5)))
    return path


@pytest.mark.slow
def test_no_division_is_said_by_every_command(run, noise, tmp_path):
    status, out, _ = run("choose-k", noise)
    assert status == 0
    assert "no division stands out" in out
    status, out, _ = run("choose-k", noise, "--json")
    found = json.loads(out)
    assert found["best_k"] == 1
    assert not any(row["probability"] for row in found["table"])
    labels, model = tmp_path / "labels.csv", tmp_path / "model"
    status, _, err = run("cluster", noise, "-o", labels, "--save", model)
    assert status == 0
    assert "No division stands out" in err
    status, _, err = run("cut", model, "-k", 3, "-o", tmp_path / "cut.csv")
    assert status == 0
    assert "no division stands out" in err
    assert "the 3 are parts of one" in err
