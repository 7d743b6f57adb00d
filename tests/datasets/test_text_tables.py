"""Tables as people write them: headers, identifiers, separators, what is refused."""

import gzip

import numpy as np
import pandas as pd
import pytest

from mvgraph import datasets
from mvgraph.datasets.formats.sniff import sniff
from pairs import cover_pairs

RNG = np.random.default_rng(0)
CELLS = RNG.normal(size=(20, 6))
NAMES = [f"s{i}" for i in range(20)]


# -------------------------------------------------------------------------- headers
@pytest.mark.parametrize(
    ("corner", "columns", "names"),
    cover_pairs(
        ["gene", "entity", "Region", "probe", "", "id"],
        [range(2000, 2006), range(6), [2, 30, 41, 7, 9, 0]],
        [NAMES, list("abcdefghijklmnopqrst")],
    ),
)
def test_a_header_of_numbers_is_no_sample(tmp_path, corner, columns, names):
    path = tmp_path / "h.csv"
    index = pd.Index(names, name=corner)
    pd.DataFrame(CELLS, columns=columns, index=index).to_csv(path)
    data = datasets.load(path)
    assert data.ids.tolist() == names
    np.testing.assert_array_equal(data.views.arrays[0], CELLS)


def test_a_header_of_numbers_above_counts(tmp_path):
    path = tmp_path / "h.csv"
    counts = RNG.integers(0, 9, size=(20, 6))
    frame = pd.DataFrame(counts, columns=range(2000, 2006), index=NAMES)
    frame.rename_axis("region").to_csv(path)
    assert datasets.load(path).ids.tolist() == NAMES


@pytest.mark.parametrize("kind", ["fractions", "counts"])
@pytest.mark.parametrize("at", [0, 3, 6])
@pytest.mark.parametrize("index", [False, True])
def test_a_header_of_numbers_and_a_word(tmp_path, kind, at, index):
    """As pandas writes an array to which a column of text was added."""
    path = tmp_path / "h.csv"
    x = CELLS if kind == "fractions" else RNG.integers(0, 9, size=(20, 6))
    table = pd.DataFrame(x)
    sex = np.array(["female", "male"])[np.arange(20) % 2]
    table.insert(at, "sex", sex)
    table.to_csv(path, index=index)
    data = datasets.load(path, key_map={"labels": "sex"})
    np.testing.assert_array_equal(data.views.arrays[0], x)
    np.testing.assert_array_equal(data.labels, np.arange(20) % 2)
    data = datasets.load(path)
    assert data.views.n_features == (6 + 2,)
    said = {row["column"]: row["use"] for row in data.views.encoders.rows()}
    assert said["sex"] == "2 categories; --labels sex if they are the classes"


def test_a_header_of_wavelengths_and_a_word(tmp_path):
    path = tmp_path / "h.csv"
    table = pd.DataFrame(CELLS, columns=range(400, 412, 2))
    table["kind"] = [("oak", "elm", "ash")[i % 3] for i in range(20)]
    table.to_csv(path, index=False)
    assert datasets.load(path, key_map={"labels": "kind"}).views.n_features == (6,)


@pytest.mark.parametrize(
    "rows",
    [
        ["0,1,2,a", "4,3,1,b", "2,2,0,a"],  # a is a value below
        ["0,1,2,s1", "4,3,1,s2", "2,2,0,s3"],  # all are different
        ["3,5,9,oak", "0.5,1.5,2.5,elm", "1.5,1.5,1.5,elm"],  # no even steps
    ],
)
def test_a_first_sample_with_a_word_is_no_header(rows):
    assert not sniff("h.csv", rows).headed


@pytest.mark.parametrize(
    "first", ["s0,5.1,3.2,4", "s0,5,3,4", "s0,1,2,3", "s0,4,5,6", "ann,5,3,4"]
)
def test_a_first_sample_is_no_header(tmp_path, first):
    """Names of samples and numbers, without a header."""
    path = tmp_path / "h.csv"
    path.write_text(first + "\ns1,7,8,1\ns2,2.5,1,0\nbob,1,1,2\n")
    data = datasets.load(path)
    assert data.ids.tolist() == [first.split(",")[0], "s1", "s2", "bob"]


# ---------------------------------------------------------------------- identifiers
@pytest.mark.parametrize("corner", ["id", ""])
@pytest.mark.parametrize(
    "names",
    [["3", "1", "2"], ["00001", "1", "01"], ["9007199254740993", "9007199254740992"]],
)
def test_identifiers_are_kept_as_written(tmp_path, corner, names):
    path = tmp_path / "h.csv"
    rows = "".join(f"{name},{i},0.5\n" for i, name in enumerate(names))
    path.write_text(f"{corner},a,b\n{rows}")
    assert datasets.load(path).ids.tolist() == names


def test_numbered_samples_match_across_formats(tmp_path):
    ids = np.arange(20) + 2**53
    for i, kind in enumerate(["csv", "parquet", "csv"]):
        view = pd.DataFrame({"id": ids, f"x{i}": CELLS[:, i]}).iloc[:: 1 - 2 * (i % 2)]
        path = tmp_path / f"v{i}.{kind}"
        view.to_csv(path, index=False) if kind == "csv" else view.to_parquet(path)
    data = datasets.load(tmp_path)
    assert data.ids.tolist() == [str(i) for i in ids]
    np.testing.assert_array_equal(np.hstack(list(data.views.arrays)), CELLS[:, :3])


# -------------------------------------------------------------------------- refused
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("id,a,b\ns1,1,2\ns7,7,0,9\n", 3),
        ("id,a,b\ns7,7,0,9\ns8,7,0,9\n", 2),
        ("x,a,b\n\n1,7,0,9\n2,3,4\n", 3),
        ("1,2,3\n4,5,6\n7,8,9,0\n", 3),
        ("id,a,b\ns1,1,2\ns7,7\n", 3),
    ],
)
def test_a_row_of_another_length(tmp_path, text, line):
    path = tmp_path / "h.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=rf"h\.csv: line {line} has .*decimal comma"):
        datasets.load(path)


def test_a_header_written_by_r(tmp_path):
    path = tmp_path / "h.csv"
    path.write_text("a,b\ns1,1,2\ns2,3,4\n")
    data = datasets.load(path)
    assert data.ids.tolist() == ["s1", "s2"]
    assert data.views.arrays[0].tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("names", [("a", "b"), ("X1", "X2")])
def test_complex_numbers_are_refused(tmp_path, names):
    views = dict(zip(names, [CELLS, CELLS + 1j], strict=True))
    np.savez(tmp_path / "c.npz", **views)
    with pytest.raises(ValueError, match=f"'{names[1]}' contains complex"):
        datasets.load(tmp_path / "c.npz")
    np.savez(tmp_path / "c.npz", a=CELLS, y=np.arange(20) * 1j)
    with pytest.raises(ValueError, match="'y' are complex"):
        datasets.load(tmp_path / "c.npz")
    np.save(tmp_path / "c.npy", views[names[1]])
    with pytest.raises(ValueError, match="contains complex"):
        datasets.load(tmp_path / "c.npy")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("names", [["s0", "s1", "s1", "s2"], [7, 8, 8, 9]])
def test_duplicated_identifiers(tmp_path, kind, names):
    frame = pd.DataFrame(CELLS[:4], columns=list("abcdef"))
    frame.insert(0, "id", names)
    path = tmp_path / f"t.{kind}"
    frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path)
    problem = rf"has 1 duplicated identifier, such as '{names[1]}' \(2 rows: 1, 2\)"
    problem += ".*--column id"
    for source in (path, tmp_path):  # the file, and a folder of one table
        with pytest.raises(ValueError, match=problem):
            datasets.load(source)
    assert datasets.load(path, {"labels": "id"}).labels.tolist() == [0, 1, 1, 2]
    assert len(datasets.load(path, column="id").views) == 4  # as the message says


def test_duplicated_samples_in_columns(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("gene,s0,s1,s1\ng,1,2,3\ng,4,5,6\n")
    with pytest.raises(ValueError, match=r"such as 's1' \(2 rows: 1, 2\)"):
        datasets.load(path, orientation="columns")
    path.write_text("gene,s0,s1,s2\ng,1,2,3\ng,4,5,6\n")  # features may repeat
    assert datasets.load(path, orientation="columns").views.shape == (3, 2)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("id,a\nJos\u00e9,1\n".encode("latin-1"), "not UTF-8 text"),
        (b"", "has no rows"),
        (b"id,a,b\n", "a header without rows"),
        (b"gene,a,b\n", "a header without rows"),
        (
            b"id;a;b\ns1;1,500;1,200\ns2;1,500;2,200\n",
            "comma or a thousands",
        ),
        (b"id,a,b\ns1,1,2,\ns2,3,4,\n", "every row ends with a ',', .* number 4"),
        (b"a,b,\n1,2,\n3,4,\n", "every row ends with a ',', .* number 3"),
        (b"id,a\ns1,1\ns2,x\n", "column 'a' is text, such as 'x'"),
        (b"id,a\ns1,1\n,2\n", "row 1 has no name"),
    ],
)
def test_errors_name_the_file(tmp_path, content, problem):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    for source in (path, tmp_path):
        with pytest.raises(ValueError, match=rf"^t\.csv: .*{problem}"):
            datasets.load(source)


def test_damaged_and_empty_parquet(tmp_path):
    path = tmp_path / "t.parquet"
    frame = pd.DataFrame(CELLS, columns=list("abcdef"))
    frame.iloc[:0].to_parquet(path)
    with pytest.raises(ValueError, match=r"t\.parquet: .* no rows"):
        datasets.load(path)
    frame.to_parquet(path)
    content = path.read_bytes()
    for damaged in (
        content[:-20],
        b"PAR1",
        b"",
        content[:9] + bytes(99) + content[99:],
    ):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"t\.parquet: not a readable Parq"):
            datasets.load(path)


def test_arguments_of_the_wrong_type(tmp_path):
    np.save(tmp_path / "a.npy", CELLS)
    with pytest.raises(TypeError, match="got NoneType"):
        datasets.load(None)
    for key_map in (3, ["a"], "a"):
        with pytest.raises(TypeError, match="key_map must be a dict"):
            datasets.load(tmp_path / "a.npy", key_map=key_map)


# --------------------------------------------------------------------- lines and quotes
def lines_of(quoted, n=150):
    names = [f'"room {i}' if i in quoted else f"room {i}" for i in range(n)]
    rows = [f"{name}\t{i}\t{i % 7}.5" for i, name in enumerate(names)]
    return ["id\tx\tz", *rows], names


@pytest.mark.parametrize("quoted", [(5,), (5, 25), (120,), (120, 140), (0, 149)])
def test_quotes_that_do_not_close_are_characters(tmp_path, quoted):
    lines, names = lines_of(quoted)
    (tmp_path / "t.tsv").write_text("\n".join(lines) + "\n")
    data = datasets.load(tmp_path / "t.tsv")
    assert data.ids.tolist() == names
    assert "kept as characters" in str(data.reading)


def test_a_field_of_several_lines_is_one_row(tmp_path):
    (tmp_path / "t.csv").write_text('id,x\n"a\nb",1\n"c, d",2\n\ne,3\n   \n"f",4\n\n')
    data = datasets.load(tmp_path / "t.csv")
    assert data.ids.tolist() == ["a\nb", "c, d", "e", "f"]


def test_the_line_of_a_quote_that_does_not_close_is_named(tmp_path):
    (tmp_path / "t.csv").write_text('id,x,z\na,1,2\n"b,1\nc,1,2\nd,3,4\n')
    with pytest.raises(ValueError, match="line 3 has a quote that is not closed"):
        datasets.load(tmp_path / "t.csv")


def test_lines_in_are_rows_and_what_is_said(tmp_path):
    lines, _ = lines_of(())
    for at in (3, 9, 140):
        lines.insert(at, "  " if at == 9 else "")
    (tmp_path / "t.tsv").write_text("\n".join(lines) + "\n\n\n")
    data = datasets.load(tmp_path / "t.tsv")
    assert data.views.n_samples == 150
    assert "3 blank lines left out" in str(data.reading)


@pytest.mark.parametrize("corner", ["", "spectrum", "sample", None])
def test_wavelengths_are_a_header(tmp_path, corner):
    head = [f"{400.5 + i}" for i in range(6)]
    table = pd.DataFrame(CELLS, columns=head, index=pd.Index(NAMES, name=corner))
    text = table.to_csv()
    (tmp_path / "t.csv").write_text(text[1:] if corner is None else text)
    data = datasets.load(tmp_path / "t.csv")
    assert data.ids.tolist() == NAMES
    assert data.views.feature_names[0] == tuple(head)


def test_vectors_that_are_written_as_text_are_views(tmp_path):
    cells = [str(row.tolist()) for row in CELLS]
    table = pd.DataFrame({"sku": NAMES, "text": cells, "image": cells})
    table.to_csv(tmp_path / "t.csv", index=False)
    views = datasets.load(tmp_path / "t.csv").views
    assert views.names == ("text", "image")
    np.testing.assert_array_equal(views.view("image"), CELLS)


COMMENTED = "id,a,b\n# made by hand\nx,1,2\n   \ny,3,4\n"


@pytest.mark.parametrize("text", ["id,a,b\nx,1,2\ny,3,4\n", COMMENTED])
@pytest.mark.parametrize("suffix", ["csv", "csv.gz"])
def test_the_reader_holds_nothing_of_python_as_the_process_ends(
    tmp_path, monkeypatch, text, suffix
):
    import pyarrow.csv

    seen, read = [], pyarrow.csv.read_csv
    monkeypatch.setattr(
        pyarrow.csv, "read_csv", lambda *args: seen.append(args) or read(*args)
    )
    path = tmp_path / f"t.{suffix}"
    data = text.encode()
    path.write_bytes(data if suffix == "csv" else gzip.compress(data))
    assert datasets.load(path).views.shape == (2, 2)
    for source, _, parsing, _ in seen:
        assert isinstance(source, str | pyarrow.BufferReader)
        assert parsing.invalid_row_handler is None
