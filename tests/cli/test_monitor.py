"""Have the data moved: monitor, predict --monitor, and status 4."""

import hashlib
import json
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import mvgraph
from data import write_groups

SIZES = (60, 80, 100, 70)


@pytest.fixture(scope="module")
def nightly(tmp_path_factory):
    """A model, a quiet night, and one on which a column has moved."""
    from mvgraph import cli

    folder = tmp_path_factory.mktemp("nightly")
    first = write_groups(folder / "fit.csv", SIZES, 0)
    words = ["cluster", first, "--method", "kmeans-concat", "--n-clusters", "4"]
    with pytest.raises(SystemExit) as end:
        cli.main([*map(str, words), "--save", str(folder / "m"), "-q"])
    assert end.value.code == 0
    quiet = write_groups(folder / "quiet.csv", SIZES, 1)
    rows = np.genfromtxt(quiet, delimiter=",", dtype=str)
    rows[1:, 2] = rows[1:, 2].astype(float) + 40
    moved = folder / "moved.csv"
    moved.write_text("\n".join(map(",".join, rows.tolist())))
    return folder / "m", quiet, moved


def test_verdict_reasons_and_status(run, nightly):
    model, quiet, moved = nightly
    for data, verdict in ((quiet, "ok"), (moved, "refit")):
        code, out, err = run("monitor", model, data, "--json", "--quiet")
        assert (code, err) == (0, "")
        found = json.loads(out)
        assert found["verdict"] == verdict
        assert bool(found["reasons"]) == (verdict == "refit")
        status = 4 if verdict == "refit" else 0
        for bound in ("watch", "refit"):
            words = ("monitor", model, data, "--fail-on", bound, "--quiet")
            code, out, _ = run(*words)
            assert code == status
            assert verdict in out
    assert found["features"][0]["feature"] == "b"


def test_predict_finds_the_same_in_one_pass(run, nightly, tmp_path):
    model, _, moved = nightly
    file, labels = tmp_path / "m.json", tmp_path / "y.csv"
    words = ("predict", model, moved, "--monitor", file, "-o", labels)
    assert run(*words)[0] == 0
    assert run(*words, "--fail-on", "refit")[0] == 4
    assert len(labels.read_text().splitlines()) == 1 + sum(SIZES)
    code, out, _ = run("monitor", model, moved, "--json", "--quiet")
    alone = json.loads(out)
    assert code == 0
    of_command = {key: alone[key] for key in ("data", "model", "reading")}
    assert json.loads(file.read_text()) | of_command == alone


def test_what_makes_no_sense_is_refused(run, nightly, tmp_path):
    model, quiet, _ = nightly
    for words, message in (
        (("--fail-on", "refit"), "--fail-on needs --monitor FILE"),
        (("--monitor", tmp_path / "x.csv"), ".json"),
    ):
        code, out, err = run("predict", model, quiet, *words)
        assert (code, out) == (2, "")
        assert message in err


def test_unseen_categories_are_a_reason(run, tmp_path):
    rng = np.random.default_rng(0)

    def table(name, colours):
        y = rng.integers(2, size=200)
        lines = [
            f"{i},{9 * k + rng.normal()},{colours[i % len(colours)]}"
            for i, k in enumerate(y)
        ]
        path = tmp_path / name
        path.write_text("\n".join(["id,x,colour", *lines]))
        return path

    model = tmp_path / "m"
    words = ("--method", "kmeans-concat", "--n-clusters", 2, "--save", model)
    assert run("cluster", table("a.csv", ["red", "blue"]), *words)[0] == 0
    new = table("b.csv", ["red", "blue"] * 20 + ["green"])
    code, out, _ = run("monitor", model, new, "--json", "--quiet")
    found = json.loads(out)
    assert (code, found["verdict"]) == (0, "watch")
    assert "that the fit did not have, such as 'green'" in found["reasons"][0]


def test_the_manifest_says_what_was_computed_from_what(run, nightly, tmp_path):
    model, quiet, _ = nightly
    files = {name: tmp_path / name for name in ("run.json", "y.csv", "m.json")}
    words = ("predict", model, quiet, "-o", files["y.csv"])
    words += ("--monitor", files["m.json"], "--manifest", files["run.json"])
    assert run(*words)[0] == 0
    found = json.loads(files["run.json"].read_text())
    assert found["command"][:2] == ["mvgraph", "predict"]
    assert sum(found["sizes"].values()) == found["n"] == sum(SIZES)
    assert found["environment"]["mvgraph"] == mvgraph.__version__
    assert (found["verdict"], found["reasons"]) == ("ok", [])
    named = {Path(one["path"]): one for one in (*found["read"], *found["written"])}
    assert set(named) == {quiet, files["y.csv"], files["m.json"], *model.iterdir()}
    for path, one in named.items():
        assert one["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    clustered = tmp_path / "c.json"
    words = ("cluster", quiet, "--method", "kmeans-concat", "--n-clusters", 2)
    assert run(*words, "--json", "--seed", 3, "--manifest", clustered)[0] == 0
    found = json.loads(clustered.read_text())
    assert (found["seed"], found["parameters"]["n_clusters"]) == (3, 2)
    assert found["schema"] == {"views": {"quiet": 5}}
    assert found["seconds"] > 0
    assert (found["levels"], found["warnings"]) == ([], [])


def test_a_refit_on_other_data_says_so_and_the_page_shows_it(run, nightly, tmp_path):
    model, quiet, moved = nightly
    words = ("--method", "kmeans-concat", "--n-clusters", 4, "--like", model)
    for data, warned in ((quiet, False), (moved, True)):
        told = tmp_path / "run.json"
        code, _, err = run("cluster", data, *words, "--json", "--manifest", told)
        assert code == 0
        assert ("not as those of the older model" in err) == warned
        assert bool(json.loads(told.read_text())["warnings"]) == warned
    found, page = tmp_path / "m.json", tmp_path / "p.html"
    assert (
        run("predict", model, moved, "--monitor", found, "-o", tmp_path / "y.csv")[0]
        == 0
    )
    pytest.importorskip("jinja2")  # of the page
    written = ("page", model, model.parent / "fit.csv", "-o", page, "--monitor")
    assert run(*written, found)[0] == 0
    text = unescape(page.read_text())
    assert 'id="moved"' in text
    assert json.loads(found.read_text())["reasons"][0].split("<")[0] in text
    for broken in ("{}", "[]", "no", '{"verdict": 1}', "[" * 100_000):
        found.write_text(broken)
        code, out, err = run(*written, found)
        assert (code, out) == (2, "")
        assert "--monitor" in err
