"""CSV, TSV and Parquet tables, alone and in folders."""

import numpy as np
import pandas as pd
import pytest

from mvgraph import datasets


@pytest.fixture
def folder(toy, tmp_path):
    """A folder with two views that name their samples, and labels."""
    views, y = toy
    for i, view in enumerate(views):
        write(tmp_path / f"view_{i}.csv", view, [f"s{j}" for j in range(12)])
    lines = ["id,label", *(f"s{j},class {label}" for j, label in enumerate(y))]
    (tmp_path / "labels.csv").write_text("\n".join(lines))
    return tmp_path


def write(path, view, ids=None, header=True, sep=","):
    names = [f"f{j}" for j in range(view.shape[1])]
    rows = [[repr(float(x)) for x in row] for row in view]
    if ids is not None:
        names, rows = ["id", *names], [[i, *r] for i, r in zip(ids, rows, strict=True)]
    lines = ([names] if header else []) + rows
    path.write_text("\n".join(sep.join(line) for line in lines) + "\n")


def test_folder_with_ids_and_labels(folder, toy, same):
    data = datasets.load(folder)
    same(data, *toy)
    assert data.views.names == ("view_0", "view_1")
    assert list(data.ids[:2]) == ["s0", "s1"]
    assert data.views.ids is not None


def test_folder_in_another_order_is_matched(folder, toy, same):
    names = [f"s{j}" for j in range(12)]
    write(folder / "view_1.csv", toy[0][1][::-1], names[::-1])
    data = datasets.load(folder)
    same(data, *toy)
    assert list(data.ids) == names


def test_labels_are_matched_too(folder, toy, same):
    lines = (folder / "labels.csv").read_text().splitlines()
    (folder / "labels.csv").write_text("\n".join([lines[0], *lines[:0:-1]]))
    same(datasets.load(folder), *toy)


def test_folder_of_other_samples(folder, toy):
    (a, b), y = toy
    names = [f"s{j}" for j in range(12)]
    write(folder / "view_1.csv", b[:9], names[:9])
    with pytest.raises(ValueError, match=r"'view_1' .9 samples. lacks 3 of them: 's9'"):
        datasets.load(folder)
    inner = datasets.load(folder, join="inner")
    np.testing.assert_array_equal(inner.views.arrays[0], a[:9])
    np.testing.assert_array_equal(inner.labels, y[:9] - 1)
    outer = datasets.load(folder, join="outer")
    assert outer.views.mask[:, 1].sum() == 9
    np.testing.assert_array_equal(outer.labels, y - 1)
    with pytest.raises(ValueError, match="join must be one of"):
        datasets.load(folder, join="left")


def test_samples_without_a_class(folder, toy):
    lines = (folder / "labels.csv").read_text().splitlines()
    (folder / "labels.csv").write_text("\n".join([*lines[:-2], "other,class 1"]))
    with pytest.raises(ValueError, match=r"'labels' .11 samples. lacks 2 of them"):
        datasets.load(folder)
    with pytest.raises(ValueError, match="'labels' has no class for 2 of 12"):
        datasets.load(folder, join="outer")
    assert len(datasets.load(folder, join="inner").labels) == 10
    alone = datasets.load(folder, {"labels": None})
    assert alone.labels is None
    assert alone.views.n_samples == 12


def test_folder_with_a_short_view_is_refused(folder, toy):
    write(folder / "view_1.csv", toy[0][1][:9])
    with pytest.raises(ValueError, match=r"'view_1' does not name|'view_1' is 9 x 30"):
        datasets.load(folder)


@pytest.mark.parametrize(("suffix", "sep"), [("csv", ","), ("tsv", "\t"), ("csv", ";")])
def test_folder_without_headers(toy, tmp_path, same, suffix, sep):
    views, y = toy
    for i, view in enumerate(views):
        write(tmp_path / f"m{i}.{suffix}", view, header=False, sep=sep)
    np.savetxt(tmp_path / f"labels.{suffix}", y, fmt="%d")
    same(datasets.load(tmp_path), views, y)


def test_folder_of_arrays(toy, tmp_path, same):
    views, y = toy
    np.save(tmp_path / "a10.npy", views[1])
    np.save(tmp_path / "a9.npy", views[0])
    np.save(tmp_path / "labels.npy", y)
    data = datasets.load(tmp_path)
    same(data, views, y)
    assert data.views.names == ("a9", "a10")


def test_labels_as_words_alone(toy, tmp_path, same):
    views, y = toy
    np.save(tmp_path / "a.npy", views[0])
    (tmp_path / "labels.csv").write_text("\n".join("abc"[c - 1] for c in y))
    same(datasets.load(tmp_path), views[:1], y)


def test_labels_in_the_last_column_of_every_table(toy, tmp_path, same):
    views, y = toy
    for i, view in enumerate(views):
        names = [*(f"f{j}" for j in range(view.shape[1])), "label"]
        rows = [
            [*map(repr, row.tolist()), str(c)] for row, c in zip(view, y, strict=True)
        ]
        text = "\n".join(",".join(row) for row in [names, *rows])
        (tmp_path / f"mfeat-{i}.csv").write_text(text)
    same(datasets.load(tmp_path), views, y)
    (tmp_path / "mfeat-1.csv").write_text(text.replace(",2\n", ",3\n"))
    with pytest.raises(ValueError, match="disagree in column 'label'"):
        datasets.load(tmp_path)


def test_one_table_with_prefixed_columns_and_classes_in_words(toy, tmp_path, same):
    views, y = toy
    both = np.hstack(views)
    names = [f"v1_f{j}" for j in range(5)] + [f"v2_f{j}" for j in range(30)]
    rows = [
        ["abc"[c - 1], *map(repr, row.tolist())] for row, c in zip(both, y, strict=True)
    ]
    path = tmp_path / "htad.csv"
    path.write_text("\n".join(",".join(r) for r in [["class", *names], *rows]))
    data = datasets.load(path)
    same(data, views, y)
    assert data.views.names == ("v1", "v2")
    other = path.read_text().replace("class", "species")
    path.write_text(other)
    same(datasets.load(path, {"labels": "species"}), views, y)


def test_header_of_numbers_and_byte_order_mark(toy, tmp_path, same):
    views, _ = toy
    path = tmp_path / "p.csv"
    write(path, views[0], header=False)
    path.write_text(
        "\ufeff,0,1,2,3,4\n"
        + "".join(
            f"{i},{line}\n" for i, line in enumerate(path.read_text().splitlines())
        )
    )
    data = datasets.load(path)
    same(data, views[:1], None)
    assert data.ids[3] == "3"


def test_missing_samples_are_empty_rows(toy, tmp_path):
    views, _ = toy
    write(tmp_path / "a.csv", views[0], [f"s{j}" for j in range(12)])
    write(tmp_path / "b.csv", views[1], [f"s{j}" for j in range(12)])
    lines = (tmp_path / "a.csv").read_text().splitlines()
    lines[3] = "s2,,NA,nan,,"
    (tmp_path / "a.csv").write_text("\n".join(lines))
    mask = datasets.load(tmp_path).views.mask
    assert not mask[2, 0]
    assert mask.sum() == 23


def test_words_between_numbers_are_refused(toy, tmp_path):
    (tmp_path / "t.csv").write_text("id,a,b\nx,1,red\ny,2,7\n")
    with pytest.raises(ValueError, match="column 'b' is text, such as 'red'"):
        datasets.load(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3\n")
    with pytest.raises(ValueError, match="line 3 has 1 fields"):
        datasets.load(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text("")
    with pytest.raises(ValueError, match="empty table"):
        datasets.load(tmp_path / "t.csv")


def test_folders_that_hold_no_views(tmp_path):
    with pytest.raises(ValueError, match="no table for a view"):
        datasets.load(tmp_path)
    np.save(tmp_path / "a.npy", np.ones((3, 2)))
    (tmp_path / "a.csv").write_text("1,2\n3,4\n")
    with pytest.raises(ValueError, match="two files are called 'a'"):
        datasets.load(tmp_path)


def test_parquet(toy, tmp_path, same):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    views, y = toy
    names = [f"s{j}" for j in range(12)]
    for i, view in enumerate(views):
        frame = pd.DataFrame(view, index=pd.Index(names, name="id"))
        frame.columns = frame.columns.astype(str)
        frame.to_parquet(tmp_path / f"v{i}.parquet")
    pd.DataFrame({"label": y}).to_parquet(tmp_path / "labels.parquet")
    with pytest.warns(UserWarning, match="'labels' are paired with .* by position"):
        data = datasets.load(tmp_path)
    same(data, views, y)
    assert list(data.ids) == names


@pytest.mark.parametrize("join", ["strict", "inner", "outer"])
def test_a_table_whose_header_has_the_samples_of_the_others_is_named(tmp_path, join):
    rng = np.random.default_rng(0)
    ids = [f"P{i}" for i in range(30)]
    rows = pd.DataFrame(rng.normal(size=(30, 3)), ids, columns=["a", "b", "c"])
    for name in ("clinic", "blood"):
        rows.rename_axis("patient_id").to_csv(tmp_path / f"{name}.csv")
    genes = pd.DataFrame(rng.normal(size=(9, 30)), [f"G{j}" for j in range(9)], ids)
    genes.to_csv(tmp_path / "genes.csv")
    with pytest.raises(ValueError, match=r"'genes' has its samples in columns.*'P0'"):
        datasets.load(tmp_path, join=join)
    genes.T.rename_axis("patient_id").to_csv(tmp_path / "genes.csv")
    assert len(datasets.load(tmp_path, join=join).views) == 30
