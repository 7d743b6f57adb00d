"""The page of clusters from the command line: cluster --page, and page."""

import csv
import re
import zlib
from base64 import b64decode

import numpy as np
import pytest

from data import planted

pytestmark = pytest.mark.slow


@pytest.fixture
def table(tmp_path):
    (x, _), of = planted(n=90, dims=(4, 2), spread=9)
    path = tmp_path / "items.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "a", "b", "c", "d", "kind", "note"])
        for i, row in enumerate(x):
            note = f"something to read {i}"
            writer.writerow([f"i{i}", *row, "xyz"[of[i]], note])
    return path


def held(page):
    """Return the packed columns of a page as bytes."""
    text = re.search('id="packed">([^<]*)<', page.read_text("utf-8"))[1]
    return zlib.decompress(b64decode(text))


def test_a_page_beside_the_labels(run, table, tmp_path):
    page, labels = tmp_path / "clusters.html", tmp_path / "labels.csv"
    options = ("--labels", "kind", "--drop", "note", "-o", labels)
    status, _, err = run("cluster", table, "--page", page, *options)
    assert status == 0, err
    text = page.read_text("utf-8")
    assert '"name": "kind"' in text
    assert b"something to read 7" in held(page)
    assert labels.exists()


def test_a_page_of_a_saved_model(run, table, tmp_path):
    model, page = tmp_path / "model", tmp_path / "again.html"
    options = ("--labels", "kind", "--drop", "note")
    assert run("cluster", table, "--save", model, *options)[0] == 0
    status, _, err = run("page", model, table, "-o", page)
    assert status == 0, err
    assert b"i89" in held(page)


def test_a_wrong_name_is_refused_before_the_fit(run, table, tmp_path):
    for name in ("clusters.pdf", "nowhere/clusters.html"):
        status, _, err = run("cluster", table, "--page", tmp_path / name)
        assert status == 2
        assert "cannot write" in err


def test_other_samples_have_no_page(run, table, tmp_path):
    model = tmp_path / "model"
    assert run("cluster", table, "--save", model, "--drop", "note,kind")[0] == 0
    rows = table.read_text().splitlines()
    other = tmp_path / "other.csv"
    other.write_text("\n".join([rows[0], *np.array(rows[1:])[::-1]]))
    status, _, err = run("page", model, other, "-o", tmp_path / "page.html")
    assert status == 2
    assert "order" in err
