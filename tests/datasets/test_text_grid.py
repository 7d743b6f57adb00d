"""Text tables of every kind: separators, encodings, headers, names, quotes, comments.

The law: every row arrives with its own name and values, whatever it is written like.
"""

import itertools

import numpy as np
import pytest

from mvgraph import datasets
from pairs import crossed

N = 12
VALUES = np.round(np.random.default_rng(0).normal(size=(N, 4)), 3)
PLAIN = [f"s{i}" for i in range(N)]
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "blank": " "}
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-be")
HEADERS = {
    "named": ["sample_id", "a", "b", "c", "d"],
    "blank corner": ["", "a", "b", "c", "d"],
    "no corner": ["a", "b", "c", "d"],
    "wavelengths": ["id", "400.5", "401.5", "402.5", "403.5"],
    "wavelengths, blank corner": ["", "400.5", "401.5", "402.5", "403.5"],
    "wavelengths, no corner": ["400.5", "401.5", "402.5", "403.5"],
    "numbers, blank corner": ["", "400", "410", "420", "430"],
    "hashed": ["#SampleID", "a", "b", "c", "d"],
    "none": [],
}
NAMES = {
    "plain": PLAIN,
    "NA": ["NA", *PLAIN[1:]],
    "null": [*PLAIN[:5], "null", *PLAIN[6:]],
    "quote inside": [*PLAIN[:3], '5"pipe', *PLAIN[4:]],
    "quote at the start": [*PLAIN[:3], '"x', *PLAIN[4:]],
    "quote at the end": [*PLAIN[:3], 'x"', *PLAIN[4:]],
    "two quotes": [*PLAIN[:3], '"p', 'q"r', *PLAIN[5:]],
    "two quotes apart": [*PLAIN[:3], '"p', *PLAIN[4:8], 'r"', *PLAIN[9:]],
    "quoted": [f'"{name}"' for name in PLAIN],
}
COMMENTS = ([], ["# made, by; x\tq|"])
LINE_ENDS = ("\n", "\r\n")


def write(path, lines, encoding, end):
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    path.write_bytes(mark + (end.join(lines) + end).encode(encoding))


def sampled(*parts, one_in):
    """Return every so many-th combination, so that the grid stays quick."""
    return list(itertools.product(*parts))[::one_in]


@pytest.mark.parametrize(("separator", "encoding"), crossed(SEPARATORS, ENCODINGS))
def test_rows_keep_their_names_and_values(tmp_path, separator, encoding):
    mark, path = SEPARATORS[separator], tmp_path / "t.csv"
    grid = sampled(HEADERS, NAMES, COMMENTS, LINE_ENDS, one_in=5)
    for head, kind, comments, end in grid:
        if separator == "blank" and "blank" in head:
            continue  # blanks cannot spell an empty field
        header, names = HEADERS[head], NAMES[kind]
        rows = [[n, *map(str, x)] for n, x in zip(names, VALUES, strict=True)]
        lines = [mark.join(row) for row in ([header] if header else []) + rows]
        write(path, [*comments, *lines], encoding, end)
        data = datasets.load(path)
        case = (head, kind, comments, end)
        assert np.array_equal(data.views.arrays[0], VALUES), case
        assert data.ids.tolist() == (PLAIN if kind == "quoted" else names), case
        if header:
            assert list(data.views.feature_names[0]) == header[-4:], case


@pytest.mark.parametrize(("separator", "encoding"), crossed(SEPARATORS, ENCODINGS))
def test_label_files_are_read_like_other_tables(tmp_path, separator, encoding):
    mark = SEPARATORS[separator]
    order = np.random.default_rng(1).permutation(N)
    heads = ("id", "#SampleID", "none")
    classes = {"words": ["red", "blue"], "numbers": ["5", "2"]}
    for head, kind, of, end in sampled(heads, NAMES, classes, LINE_ENDS, one_in=5):
        names, labels = NAMES[kind], classes[of] * (N // 2)
        written = [name.strip('"') for name in names] if kind == "quoted" else names
        quoted = ['"' + name.replace('"', '""') + '"' for name in written]
        rows = [[n, *map(str, x)] for n, x in zip(quoted, VALUES, strict=True)]
        for view in ("a", "b"):
            lines = ["id,x,y,z,w", *map(",".join, rows)]
            write(tmp_path / f"{view}.csv", lines, "utf-8", "\n")
        lines = [] if head == "none" else [mark.join([head, "label"])]
        lines += [mark.join([names[i], labels[i]]) for i in order]
        write(tmp_path / "labels.csv", lines, encoding, end)
        data = datasets.load(tmp_path)
        assert data.labels.tolist() == [1, 0] * (N // 2), (head, kind, of, end)


def test_lines_are_rows_or_are_counted(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,a,b\ns0,1,2\n\n# a note\ns1,3,4\n\ns2,5,6\n")
    data = datasets.load(path)
    assert data.ids.tolist() == ["s0", "s1", "s2"]
    assert "3 lines" in " ".join(data.reading.notes)


@pytest.mark.parametrize("version", [2, 3])
def test_a_single_array_of_zarr_is_a_view(tmp_path, version):
    zarr = pytest.importorskip("zarr")
    path = tmp_path / "one.zarr"
    zarr.save_array(str(path), VALUES, zarr_format=version)
    data = datasets.load(path)
    assert data.views.names == ("one",)
    assert np.array_equal(data.views.arrays[0], VALUES)


@pytest.mark.parametrize("form", ["npy", "npz", "zarr"])
def test_one_dimension_is_refused_with_the_remedy(tmp_path, form):
    path = tmp_path / f"one.{form}"
    if form == "npy":
        np.save(path, VALUES[:, 0])
    elif form == "npz":
        np.savez(path, a=VALUES[:, 0], b=VALUES[:, 1])
    else:
        zarr = pytest.importorskip("zarr")
        zarr.save_array(str(path), VALUES[:, 0])
    with pytest.raises(ValueError, match=r"one\..*N x 1 matrix \(array\.reshape"):
        datasets.load(path)


def test_hidden_sheets_are_read_where_they_are_named(tmp_path):
    book = pytest.importorskip("openpyxl").Workbook()
    shown, hidden, labels = book.active, *map(book.create_sheet, ("b", "truth"))
    shown.title, hidden.sheet_state, labels.sheet_state = "a", "hidden", "hidden"
    for sheet in (shown, hidden):
        sheet.append(["id", "x", "y"])
    labels.append(["id", "label"])
    for name, x in zip(PLAIN, VALUES, strict=True):
        shown.append([name, *x[:2]])
        hidden.append([name, *x[2:]])
        labels.append([name, len(name)])
    path = tmp_path / "t.xlsx"
    book.save(path)
    data = datasets.load(path)
    assert len(data.views.names) == 1
    assert data.labels is None
    assert {one.name for one in data.reading.left_out} == {"sheet 'b'", "sheet 'truth'"}
    data = datasets.load(path, {"views": ["a", "b"]})
    assert data.views.names == ("a", "b")
    assert datasets.load(path, {"views": ["a"]}).views.names == ("a",)
