"""mvgraph compare: two files of labels, or models."""

import csv
import json

import numpy as np
import pytest


@pytest.fixture
def labels(tmp_path):
    """Write labels of 60 samples, and the same with one cluster split, shuffled."""
    rng = np.random.default_rng(0)
    a = np.arange(60) % 3
    b = np.where((a == 1) & (np.arange(60) % 2 == 0), 7, a)
    order = rng.permutation(60)
    for name, values, rows in (("a", a, np.arange(60)), ("b", b, order)):
        with open(tmp_path / f"{name}.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["id", "label", "confidence"])
            writer.writerows([f"s{i}", values[i], 0.5] for i in rows)
    return tmp_path


def test_compare_says_what_split(run, labels):
    table = labels / "t.csv"
    files = [str(labels / "a.csv"), str(labels / "b.csv")]
    status, out, _err = run("compare", *files, "-o", table)
    assert status == 0
    assert "1 of a splits into 1 (50 %), 7 (50 %) of b." in out
    assert "a and b, 60 samples in both" in out
    rows = list(csv.reader(table.read_text().splitlines()))
    assert rows[0] == ["a \\ b", "0", "1", "2", "7"]
    assert rows[2] == ["1", "0", "10", "0", "10"]
    found = json.loads(run("compare", *files, "--json")[1])
    assert found["counts"] == [[20, 0, 0, 0], [0, 10, 0, 10], [0, 0, 20, 0]]
    assert 0.7 < found["ari"] < 1


@pytest.mark.slow
def test_figures_and_pages_have_text_not_shapes(run, labels):
    names = ("f.svg", "f.pdf", "f.html")
    targets = [word for name in names for word in ("-o", labels / name)]
    assert run("compare", labels / "a.csv", labels / "b.csv", *targets)[0] == 0
    assert "<text" in (labels / "f.svg").read_text()
    assert (labels / "f.pdf").read_bytes().startswith(b"%PDF")
    assert "1 of a splits into" in (labels / "f.html").read_text()


def test_columns_are_named_after_a_colon(run, labels):
    a = str(labels / "a.csv")
    status, out, err = run("compare", f"{a}:label", f"{a}:confidence", "--json")
    assert json.loads(out)["names"] == ["label", "confidence"]
    status, out, err = run("compare", a, f"{a}:size")
    assert status == 2
    assert "no column 'size'; there are ['id', 'label', 'confidence']" in err
    np.savez(labels / "c.npz", id=[f"s{i}" for i in range(60)], cell=np.arange(60) % 3)
    status, out, err = run("compare", a, f"{labels / 'c.npz'}:cell", "--json")
    assert json.loads(out)["ari"] == 1


def test_samples_in_one_alone_are_said(run, labels):
    lines = (labels / "a.csv").read_text().splitlines()
    (labels / "part.csv").write_text("\n".join(lines[:-4]))
    _, _, err = run("compare", str(labels / "part.csv"), str(labels / "b.csv"))
    assert "dropped 4 of labeling 'b' ('s" in err
    other = (labels / "a.csv").read_text().replace("s", "cell")
    (labels / "other.csv").write_text(other)
    status, _out, err = run("compare", str(labels / "other.csv"), str(labels / "b.csv"))
    assert status == 2
    assert "'other' has no id in common" in err
    assert "its ids: 'cell0', 'cell1', 'cell2', ...; theirs: 's" in err


def test_tables_of_others(run, labels):
    a = labels / "a.csv"
    text = a.read_text().replace("id,label", "Vorgang,Gruppe").replace(",", ";")
    (labels / "other.csv").write_text("\ufeff" + text, encoding="utf-8")
    status, out, err = run("compare", a, f"{labels / 'other.csv'}:Gruppe", "--json")
    assert status == 0
    assert json.loads(out)["ari"] == 1
    assert "samples are named by 'Vorgang', the first column" in err
    # a file and itself
    assert json.loads(run("compare", a, a, "--json")[1])["ari"] == 1
    (labels / "short.csv").write_text("label,id\n3,s1\n4\n")
    status, _, err = run("compare", a, labels / "short.csv")
    assert status == 2
    assert "row 3 names no sample" in err
    (labels / "hole.csv").write_text("id,label\ns1,3\ns2\n\n")
    assert "1 sample in no cluster of hole" in run("compare", a, labels / "hole.csv")[2]


@pytest.mark.parametrize("name", ["x.bmp", "no/x.svg"])
def test_the_target_is_checked_first(run, labels, name):
    status, _out, err = run("compare", "nothing", "nothing", "-o", str(labels / name))
    assert status == 2
    assert "cannot write" in err


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_columns_of_annotated_data(run, labels):
    anndata = pytest.importorskip("anndata")
    pandas = pytest.importorskip("pandas")
    mudata = pytest.importorskip("mudata")
    names = [f"s{i}" for i in range(60)]
    parts = {}
    for name, k in (("rna", 3), ("prot", 2)):
        obs = pandas.DataFrame({"leiden": [str(i % k) for i in range(60)]}, names)
        parts[name] = anndata.AnnData(np.ones((60, 2)), obs=obs)
    parts["rna"].write(labels / "c.h5ad")
    mudata.MuData(parts).write(labels / "c.h5mu")
    a = str(labels / "a.csv")
    for source in ("c.h5ad:leiden", "c.h5mu:rna:leiden"):
        status, out, err = run("compare", a, str(labels / source), "--json")
        assert json.loads(out)["ari"] == 1
    both = [f"{labels / 'c.h5mu'}:{m}:leiden" for m in ("rna", "prot")]
    status, out, err = run("compare", *both, "--json")
    assert json.loads(out)["names"] == ["rna:leiden", "prot:leiden"]
    status, out, err = run("compare", a, str(labels / "c.h5mu"))
    assert status == 2
    assert "obs has no 'mvgraph'" in err
