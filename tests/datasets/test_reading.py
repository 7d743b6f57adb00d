"""What was read is reported: nothing is dropped, split or believed without a word."""

import io
import json
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from mvgraph import Views, as_views, cli, datasets

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(30, 4)), RNG.normal(size=(30, 5))
Y = np.arange(30) % 3
NAMES = [f"s{i}" for i in range(30)]


def table(x=A, ids=NAMES, name="id", prefix="f"):
    out = pd.DataFrame(x, columns=[f"{prefix}{j}" for j in range(x.shape[1])])
    if ids is not None:
        out.insert(0, name, ids)
    return out


def left_out(data):
    return dict(data.reading.left_out)


# --------------------------------------------------------------- variables of a file
@pytest.mark.parametrize("shape", [(30, 1), (30, 2), (30, 30)])
@pytest.mark.parametrize("name", ["age", "clinical", "a", "mask", "w", "folds", "sub"])
@pytest.mark.parametrize("family", [True, False])
def test_every_matrix_is_a_view_or_is_reported(tmp_path, shape, name, family):
    x, z = ("x1", "x2") if family else ("rna", "protein")
    more = RNG.normal(size=shape)
    np.savez(tmp_path / "f.npz", **{x: A, z: B, name: more, "labels": Y})
    data = datasets.load(tmp_path / "f.npz")
    assert {x, z} <= {*data.views.names}
    assert (name in data.views.names) != (name in left_out(data))
    assert data.reading.labels == "labels, 3 classes"


def test_why_variables_were_left_out(tmp_path):
    np.savez(
        tmp_path / "f.npz", x1=A, x2=B, gt=Y, y=Y[:, None], age=np.arange(30.0), n=3,
        words=np.array(NAMES), loadings=np.ones((4, 2)), cube=np.ones((30, 2, 2)),
        w=np.ones((30, 30)),
    )  # fmt: skip
    data = datasets.load(tmp_path / "f.npz")
    why = left_out(data)
    assert "like labels" in why["gt"]
    assert "one-dimensional" in why["age"]
    assert "text" in why["words"]
    assert "single value" in why["n"]
    assert "no side of it has 30" in why["loadings"]
    assert "two-dimensional" in why["cube"]
    assert "graph of samples" in why["w"]
    assert "--views" in why["w"]
    assert data.reading.labels == "y, 3 classes"


def test_a_mask_that_is_used_is_reported(tmp_path):
    present = np.ones((30, 2))
    present[3, 1] = 0
    zeroed = B.copy()
    zeroed[3] = 0
    np.savez(tmp_path / "f.npz", x1=A, x2=zeroed, mask=present)
    data = datasets.load(tmp_path / "f.npz")
    assert not data.views.mask[3, 1]
    assert data.reading.notes == (
        "'mask' lists which samples are missing from which view",
    )
    assert not data.reading.left_out


# --------------------------------------------------------------------------- columns
@pytest.mark.parametrize(
    ("header", "views"),
    [
        (["PC1_rna", "PC2_rna", "PC1_prot", "PC2_prot"], None),
        (["CD3_Er170", "CD4_Nd145", "CD8_Nd146", "CD19_Nd142"], None),
        (["v1_a", "v1_b", "v2_a", "v2_b"], ["v1", "v2"]),
        (["view1.a", "view1.b", "view2.a", "view2.b"], ["view1", "view2"]),
        (["v1_a", "v1_b", "v2_a", "other"], None),
    ],
)
def test_columns_are_views_only_by_a_rule_that_is_reported(tmp_path, header, views):
    frame = table()
    frame.columns = ["id", *header]
    frame.to_csv(tmp_path / "t.csv", index=False)
    data = datasets.load(tmp_path / "t.csv")
    assert list(data.views.names) == (views or ["t"])
    assert any("numbered prefix" in n for n in data.reading.notes) == bool(views)


def test_a_column_y_is_labels_or_a_feature_but_not_in_silence(tmp_path):
    frame = table().assign(y=Y)
    frame.to_csv(tmp_path / "t.csv", index=False)
    data = datasets.load(tmp_path / "t.csv")
    assert data.reading.labels == "y, 3 classes"
    alone = datasets.load(tmp_path / "t.csv", {"labels": None})
    assert alone.labels is None
    assert "column 'y'" in left_out(alone)
    frame.assign(y=A[:, 0]).to_csv(tmp_path / "t.csv", index=False)
    data = datasets.load(tmp_path / "t.csv")
    assert data.labels is None
    assert data.views.n_features == (5,)
    assert "contains fractions" in data.reading.notes[0]


@pytest.mark.parametrize("label", [1.0, "one"])
def test_a_label_column_with_a_hole(tmp_path, label):
    frame = table().assign(label=[label] * 15 + [None] + [label] * 14)
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match="no class at sample 15"):
        datasets.load(tmp_path / "t.csv")


# ---------------------------------------------------------------------- ways of writing
def loaded(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return datasets.load(path)


def same_table(data, columns=4):
    assert data.views.n_features == (columns,)
    np.testing.assert_allclose(data.views.arrays[0], A[:, :columns])
    assert data.ids.tolist() == NAMES
    assert data.views.feature_names[0] == tuple(f"f{j}" for j in range(columns))


@pytest.mark.parametrize("sep", [",", ";", "\t", "|"])
@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("top", ["", "# made by a program\n# today\n", "sep"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_separators_decimals_comments_encodings(tmp_path, sep, decimal, top, encoding):
    text = table().to_csv(index=False, sep=sep, decimal=decimal)
    top = f"sep={sep}\n" if top == "sep" else top
    data = loaded(tmp_path / "t.csv", (top + text).encode(encoding))
    same_table(data)
    assert ("decimal comma" in str(data.reading.notes)) == (decimal == ",")


@pytest.mark.parametrize("ending", ["csv.gz", "csv.zst", "tsv.gz", "csv.bz2", "txt"])
def test_compressed_and_other_endings(tmp_path, ending):
    path = tmp_path / f"t.{ending}"
    table().to_csv(path, index=False, sep="\t" if "tsv" in ending else ",")
    data = datasets.load(path)
    same_table(data)
    assert data.views.names == ("t",)
    assert data.name == "t"


def test_what_numpy_writes(tmp_path):
    np.savetxt(tmp_path / "t.txt", A)
    np.testing.assert_allclose(datasets.load(tmp_path / "t.txt").views.arrays[0], A)


@pytest.mark.parametrize(
    "mark", ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "null", "None", "?", "."]
)
def test_marks_of_missing_values(tmp_path, mark):
    rows = [f"s{i},{i / 7},{i % 4}.5" for i in range(10)]
    rows[4] = f"s4,{mark},{mark}"
    (tmp_path / "a.csv").write_text("\n".join(["id,a,b", *rows]))
    table(A[:10], NAMES[:10]).to_csv(tmp_path / "b.csv", index=False)
    views = datasets.load(tmp_path).views
    assert np.argwhere(~views.mask).tolist() == [[4, 0]]


def test_types_that_break_late_in_a_long_file(tmp_path):
    """Whole numbers in the first rows say nothing about a row a megabyte later."""
    rows = [f"s{i},{i},{i},true" for i in range(90_000)]
    rows[-1] = "s89999,1.5,-2e3,false"
    data = loaded(tmp_path / "t.csv", "\n".join(["id,a,b,flag", *rows]))
    assert data.views.arrays[0][-1].tolist() == [1.5, -2000, 0]
    rows[-2] = "s89998,x,1,true"
    with pytest.raises(ValueError, match="column 'a' is text, such as 'x'"):
        loaded(tmp_path / "t.csv", "\n".join(["id,a,b,flag", *rows]))


@pytest.mark.parametrize("kind", ["csv", "parquet", "feather", "xlsx"])
def test_kinds_of_columns(tmp_path, kind):
    path = tmp_path / f"t.{kind}"
    frame = table().assign(flag=Y > 0, count=pd.array(Y, dtype="Int64"))
    write = {"csv": frame.to_csv, "xlsx": frame.to_excel}.get(kind)
    write(path, index=False) if write else getattr(frame, f"to_{kind}")(path)
    data = datasets.load(path)
    assert data.views.n_features == (6,)
    np.testing.assert_array_equal(data.views.arrays[0][:, 4:], np.c_[Y > 0, Y])
    frame["when"] = pd.date_range("2026-01-01", periods=30)
    write = {"csv": frame.to_csv, "xlsx": frame.to_excel}.get(kind)
    write(path, index=False) if write else getattr(frame, f"to_{kind}")(path)
    views = datasets.load(path).views
    assert views.n_features == (6 + 5,)  # time, and two phases
    assert views.encoders.rows()[-1]["kind"] == "date"


def test_empty_columns_are_left_out_and_said(tmp_path):
    frame = table().assign(nothing=np.nan)
    frame.to_csv(tmp_path / "t.csv", index=False)
    data = datasets.load(tmp_path / "t.csv")
    assert data.views.n_features == (4,)
    assert data.reading.left_out == (("column 'nothing'", "it is empty"),)


# -------------------------------------------------------------------- frames in memory
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "lazy"])
def test_frames_of_every_library(library):
    frame = table().assign(flag=Y > 0, count=pd.array(Y, dtype="Int64"))
    if library in ("polars", "lazy"):
        frame = pytest.importorskip("polars").from_pandas(frame)
        frame = frame.lazy() if library == "lazy" else frame
    elif library == "pyarrow":
        frame = pytest.importorskip("pyarrow").Table.from_pandas(frame)
    for views in (as_views({"a": frame, "b": frame}), Views([frame, frame])):
        assert views.ids.tolist() == NAMES
        np.testing.assert_array_equal(views.arrays[1], np.c_[A, Y > 0, Y])
        assert views.feature_names[0][-2:] == ("flag", "count")


def test_sparse_frames_stay_sparse():
    held = sparse.random(30, 8, 0.2, format="csr", random_state=0)
    frame = pd.DataFrame.sparse.from_spmatrix(held)
    views = as_views([frame, A])
    assert sparse.issparse(views.arrays[0])
    np.testing.assert_array_equal(views.arrays[0].toarray(), held.toarray())


def test_columns_without_numbers_are_named():
    frame = table(ids=None)
    with pytest.raises(ValueError, match="View 'a': column 'when' contains dates"):
        as_views({"a": frame.assign(when=pd.date_range("2026", periods=30)), "b": B})
    with pytest.raises(ValueError, match="View 'a': column 'sex' is text, such as 'm'"):
        as_views({"a": frame.assign(sex=["m"] * 30), "b": B})


# ---------------------------------------------------------------------------- folders
def test_what_a_folder_holds_beside_views(tmp_path):
    table().to_csv(tmp_path / "rna.csv", index=False)
    table(B, prefix="p").to_csv(tmp_path / "protein.csv", index=False)
    pd.DataFrame({"id": NAMES, "class": Y}).to_csv(tmp_path / "labels.tsv.gz", sep="\t")
    (tmp_path / "._rna.csv").write_bytes(b"\x00\x05\x16\x07")
    (tmp_path / ".DS_Store").write_bytes(b"x")
    (tmp_path / "README.md").write_text("text")
    (tmp_path / "sub").mkdir()
    (tmp_path / "broken.csv").write_text("id,a\ns1\n")
    chosen = datasets.load(tmp_path, {"views": ["rna", "protein"]})
    assert chosen.views.names == ("rna", "protein")
    assert chosen.labels.tolist() == Y.tolist()
    why = left_out(chosen)
    assert why.pop("broken.csv") == "not one of the views that were named"
    assert set(why) == {"._rna.csv", ".DS_Store", "README.md", "sub", "column ''"} or (
        {"._rna.csv", ".DS_Store", "README.md", "sub"} <= set(why)
    )
    with pytest.raises(ValueError, match=r"^broken\.csv: line 2"):
        datasets.load(tmp_path)


def test_sheets_are_views(tmp_path):
    with pd.ExcelWriter(tmp_path / "book.xlsx") as book:
        table().to_excel(book, sheet_name="rna", index=False)
        table(B[::-1], NAMES[::-1]).to_excel(book, sheet_name="protein", index=False)
        pd.DataFrame({"id": NAMES, "label": Y}).to_excel(book, sheet_name="labels")
        pd.DataFrame().to_excel(book, sheet_name="empty", index=False)
    data = datasets.load(tmp_path / "book.xlsx")
    assert data.views.names == ("rna", "protein")
    np.testing.assert_allclose(data.views.view("rna"), A)
    np.testing.assert_allclose(data.views.view("protein"), B)
    assert data.labels.tolist() == Y.tolist()
    assert left_out(data)["sheet 'empty'"] == "it is empty"


def test_a_workbook_of_one_sheet_is_a_table_of_its_folder(tmp_path, monkeypatch):
    pytest.importorskip("python_calamine")
    rna, protein = table(), table(B[::-1], NAMES[::-1]).assign(day="2024-01-05")
    plain, mixed, excel = (tmp_path / name for name in ("plain", "mixed", "excel"))
    for folder in (plain, mixed, excel):
        folder.mkdir()
        write = rna.to_excel if folder == excel else rna.to_csv
        write(folder / f"rna.{'xlsx' if folder == excel else 'csv'}", index=False)
    protein.to_csv(plain / "protein.csv", index=False)
    for folder in (mixed, excel):
        protein.to_excel(folder / "protein.xlsx", sheet_name="x", index=False)
    first = datasets.load(plain)
    for folder in (mixed, excel):
        data = datasets.load(folder)
        assert data.views.names == first.views.names == ("protein", "rna")
        assert data.views.feature_names == first.views.feature_names
        for own, same in zip(data.views.arrays, first.views.arrays, strict=True):
            np.testing.assert_allclose(own, same)
        assert left_out(data) == {}
    with pd.ExcelWriter(mixed / "notes.xlsx") as book:
        for name in ("one", "two"):
            rna.to_excel(book, sheet_name=name)
    said = datasets.info(mixed)["reading"]["left_out"]
    assert [one["name"] for one in said] == ["notes.xlsx"]
    assert "a workbook of 2 sheets" in said[0]["why"]
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    assert "mvgraph[excel]" in left_out(datasets.load(mixed))["protein.xlsx"]


# ------------------------------------------------------------------------------- 10x
@pytest.mark.shared
@pytest.mark.parametrize("name", ["features_v3.h5", "v3"])
def test_tenx_version_3(shared_dir, name):
    data = datasets.load(shared_dir / "data" / "tenx" / name)
    assert data.views.names == ("Gene Expression",)
    assert data.views.shape == (1107, 507)
    assert data.views.arrays[0].nnz == 23866
    assert data.ids[0] == "AAACCCAAGGAGAGTA-1"
    assert data.views.feature_names[0][0] == "CH507-9B2.2"
    assert data.reading.ids == "barcodes"


@pytest.mark.shared
@pytest.mark.parametrize("name", ["genes_v2.h5", "v2", "two_genomes_v2.h5"])
def test_tenx_version_2(shared_dir, name):
    data = datasets.load(shared_dir / "data" / "tenx" / name)
    genomes = 2 if name.startswith("two") else 1
    assert data.views.n_features == (343,) * genomes
    assert data.views.n_samples == 12
    assert (
        data.views.arrays[-1].sum()
        == datasets.load(shared_dir / "data" / "tenx" / "v2").views.arrays[0].sum()
    )


@pytest.mark.parametrize("folder", [False, True])
def test_tenx_feature_types_are_views(tmp_path, folder):
    damage = pytest.importorskip("damage")
    counts = sparse.csr_matrix(RNG.poisson(0.7, size=(30, 12)))
    kinds = ["Gene Expression"] * 9 + ["Antibody Capture"] * 3
    path = tmp_path / "f.h5"
    if folder:
        import scipy.io

        path = tmp_path
        scipy.io.mmwrite(path / "matrix.mtx", counts.T)
        rows = [f"g{i}\tG{i}\t{kind}" for i, kind in enumerate(kinds)]
        (path / "features.tsv").write_text("\n".join(rows))
        (path / "barcodes.tsv").write_text("\n".join(f"c{i}" for i in range(30)))
    else:
        damage.write_tenx(path, counts, kinds)
    data = datasets.load(path)
    assert data.views.names == ("Gene Expression", "Antibody Capture")
    dense = counts.toarray()
    np.testing.assert_array_equal(data.views.arrays[0].toarray(), dense[:, :9])
    np.testing.assert_array_equal(data.views.arrays[1].toarray(), dense[:, 9:])
    assert data.ids.tolist() == [f"c{i}" for i in range(30)]
    assert data.views.feature_names[1] == ("G9", "G10", "G11")
    assert data.reading.notes == ("2 views, one per feature type",)


# ------------------------------------------------------------------- the command line
def run(capsys, *args):
    with pytest.raises(SystemExit) as end:
        cli.main([str(a) for a in args])
    out, err = capsys.readouterr()
    return end.value.code, out, err


def test_the_block_on_standard_error(tmp_path, capsys):
    path = tmp_path / "t.csv"
    table().assign(label=Y).to_csv(path, index=False)
    fast = ("--n-clusters", 3, "--method", "kmeans-concat")
    status, out, err = run(capsys, "cluster", path, *fast)
    assert status == 0
    assert out.startswith("id,label\ns0,")
    assert err.splitlines() == [
        f"read {path} (table)",
        "  views: t 30 x 4 float64",
        "  ids: id; rows in the order of the file",
        "  labels: label, 3 classes (left out of the views)",
    ]
    assert run(capsys, "cluster", path, *fast, "--quiet")[2] == ""
    for command in ("cluster", "evaluate"):
        said = json.loads(run(capsys, command, path, *fast, "--json", "-q")[1])
        assert said["reading"] == datasets.load(path).reading.to_dict()
        built = datasets.Reading.from_dict(said["reading"])
        assert built == datasets.load(path).reading


def test_standard_input_and_home(tmp_path, capsys, monkeypatch):
    table().to_csv(tmp_path / "t.csv", index=False)
    fast = ("--n-clusters", 3, "--method", "kmeans-concat", "-q")
    expected = run(capsys, "cluster", tmp_path / "t.csv", *fast)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run(capsys, "cluster", "~/t.csv", *fast) == expected
    for content in ((tmp_path / "t.csv").read_bytes(), parquet(table())):
        stdin = io.TextIOWrapper(io.BytesIO(content))
        monkeypatch.setattr(sys, "stdin", stdin)
        assert run(capsys, "cluster", "-", *fast) == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    status, _, err = run(capsys, "cluster", "-", *fast)
    assert (status, err.count("\n")) == (2, 1)


def parquet(frame):
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()
