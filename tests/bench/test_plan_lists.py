"""Lists of methods and sets in plans: all, without, patterns, manifests, grids."""

import hashlib
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from mvgraph import cli, datasets, methods
from mvgraph.bench import plan, records, sets
from mvgraph.bench.listing import expand, generated_names
from mvgraph.datasets._catalogue import built_in

OWN = "median_split:MedianSplit"


def chosen(listed):
    text = f"{{sets: [digits], runs: [{{methods: {json.dumps(listed)}}}]}}"
    (block,) = plan.parse(text, "p").runs
    return block.chosen()


@pytest.mark.parametrize("place", [0, 1, 2])
def test_all_may_stand_anywhere(place):
    listed = ["kmeans-concat", "-mgl"]
    listed.insert(place, "all")
    found = chosen([*listed, "mgl", "all"])
    assert sorted(found) == sorted(set(methods.names()) - {"mgl"})
    first = "kmeans-concat" if place else methods.names()[0]
    assert found[0] == first


def test_her_own_method_stands_beside_all(third_party):
    assert chosen(["all", OWN]) == [*methods.names(), OWN]
    assert chosen([OWN, "all", "-gmc"])[0] == OWN


@pytest.fixture
def third_party(monkeypatch):
    methods.names()  # read once in a process, without the entry points of this folder
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "third_party")


@pytest.mark.parametrize(
    ("listed", "words"),
    [
        (["all", "-mgk"], "'-mgk' leaves out nothing; did you mean 'mgl'"),
        (["-mgl"], "'-mgl' leaves out nothing; add names, or 'all'"),
        (["mgl", "-mgl"], "nothing is left in the list"),
        (["all", "-*"], "nothing is left in the list"),
        ([], "empty; list at least one"),
        (["alll"], "no method is named 'alll'"),
    ],
)
def test_lists_without_sense_are_a_sentence(listed, words):
    with pytest.raises(plan.PlanError) as error:
        chosen(listed)
    assert words in str(error.value)


def test_a_list_means_each_name_once_wherever_the_minus_is():
    def find(name):
        return [name] if name != "two" else ["x", "y"]

    for entries in (["all", "two", "-b", "x"], ["-b", "all", "all", "two", "a"]):
        assert expand(entries, lambda: ["a", "b"], find) == ["a", "x", "y"]


def test_a_pattern_leaves_out_only_what_is_not_listed_itself():
    found = expand(["all", "-m*", "mine"], lambda: ["mgl", "gmc"], lambda name: [name])
    assert found == ["gmc", "mine"]


# ------------------------------------------------------------------------------ files
def names_of(entries, data=None):
    return [found.name for found in sets.find_sets(entries, data)]


def test_sets_by_folder_pattern_and_file(folder, tmp_path):
    (folder / "notes.txt").unlink()
    assert names_of([f"{folder}/"]) == ["four", "three"]
    assert names_of([f"{folder}/f*.npz"]) == ["four"]
    assert names_of([f"{folder}/four.npz", "digits", f"{folder}/"]) == [
        "four",
        "digits",
        "three",
    ]
    assert names_of(["t*"], folder) == ["three"]
    assert names_of(["all", "-t*"], folder) == ["four"]
    assert names_of(["all", "three__plain"], folder) == ["four", "three"]


@pytest.mark.parametrize(
    ("only", "names"),
    [("four", ["four"]), ("t*", ["three"]), ("f*,digits", ["four", "digits"])],
)
def test_only_takes_the_names_that_are_shown(only, names, folder):
    entries = [f"{folder}/four.npz", f"{folder}/t*.npz", "ambiguous:100"]
    found = sets.find_sets(entries, None, only.split(","))
    assert [each.name for each in found] == names
    words = f"no set 'fuor'.*did you mean 'four'.*: {', '.join(['four', 'three'])}"
    with pytest.raises(ValueError, match=words):
        sets.find_sets(entries, None, ["fuor"])


@pytest.mark.slow
def test_only_leaves_the_names_of_other_sets_alone(tmp_path):
    text = """{sets: [{generate: ambiguous, noise: 1, n_samples: 30}, digits],
    set_names: {digits: D, 'ambiguous:30,noise=1': A},
    runs: [{methods: [kmeans-concat]}]}"""
    (tmp_path / "p.yaml").write_text(text)
    out = tmp_path / "out"
    for name in ("A", "ambiguous:30,noise=1", "amb*"):
        bench = ["bench", str(tmp_path / "p.yaml"), "-o", str(out), "--only", name]
        with pytest.raises(SystemExit, match="0"):
            cli.main([*bench, "-q"])
        assert [r["set"] for r in records.read(out)] == ["ambiguous:30,noise=1"]


def test_paths_are_relative_to_the_plan(folder, tmp_path, monkeypatch):
    text = "{sets: [data/f*.npz], data: data, runs: [{methods: [kmeans-concat]}]}"
    (tmp_path / "plan.yaml").write_text(text)
    monkeypatch.chdir("/")
    found = plan.load(str(tmp_path / "plan.yaml"))
    assert (found.sets, found.data) == ([f"{folder}/f*.npz"], str(folder))
    part = found.narrow(repeats=2)
    assert (part.sets, part.data) == (found.sets, found.data)


@pytest.mark.parametrize(
    ("entries", "with_data", "words"),
    [
        (["no/such/file.npz"], False, "there is no file 'no/such/file.npz'; paths in"),
        (["no/such/*.npz"], False, "no file matches 'no/such/\\*.npz'; paths in a"),
        (["no/such/"], False, "no folder or manifest no/such"),
        (["fuor"], True, "no data set 'fuor' in .*; did you mean 'four'"),
        (["x*"], True, "no set matches 'x\\*'; known: four, notes, three"),
        (["dig?s"], False, "no set matches 'dig\\?s'"),
    ],
)
def test_sets_that_are_not_there(folder, entries, with_data, words):
    with pytest.raises(ValueError, match=words):
        names_of(entries, folder if with_data else None)


def test_two_files_of_one_name_are_refused(folder, tmp_path):
    (tmp_path / "digits.npz").write_bytes((folder / "four.npz").read_bytes())
    (tmp_path / "four.npz").write_bytes((folder / "four.npz").read_bytes())
    for other in ("digits", f"{folder}/four.npz"):
        name = "four" if "/" in other else "digits"
        own = f"{tmp_path}/{name}.npz"
        for entries in ([own, other], [other, own]):
            with pytest.raises(ValueError, match=f"two sets are named '{name}'"):
                names_of(entries)


def test_a_manifest_lists_files_and_checks_their_hashes(folder, tmp_path):
    right = hashlib.sha256((folder / "four.npz").read_bytes()).hexdigest()
    entries = [{"file": "four.npz", "sha256": right}, {"file": "three__plain.npz"}]
    path = folder / "manifest.json"
    path.write_text(json.dumps(entries))
    assert names_of(["all"], path) == ["four", "three"]
    assert names_of([f"{folder}/manifest.json"]) == ["four", "three"]
    beside = folder / "more"
    beside.mkdir()
    (beside / "manifest.json").write_text(path.read_text())  # files one folder above
    assert names_of(["four"], beside / "manifest.json") == ["four"]
    entries[0]["sha256"] = "0" * 64
    path.write_text(json.dumps(entries))
    with pytest.raises(ValueError, match=r"four\.npz is not the file in the manifest"):
        names_of(["four"], path)


BROKEN = ["{", "{}", "[]", "[1]", '[{"file": 1}]', '[{"file": " "}]', "[" * 100_000]
BROKEN += ['[{"file": "gone.mat"}]', '[{"file": "four.npz", "sha256": 3}]', "null"]


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_no_manifest_is_a_sentence(folder, text):
    (folder / "manifest.json").write_text(text)
    with pytest.raises(ValueError, match=r"manifest\.json"):
        names_of(["all"], folder / "manifest.json")


def test_the_same_data_under_two_names_is_said(folder):
    (folder / "copy.npz").write_bytes((folder / "four.npz").read_bytes())
    with pytest.warns(UserWarning, match="'copy' and 'four' are the same data"):
        assert names_of(["copy", "four"], folder) == ["copy", "four"]


# ------------------------------------------------------------------------------- grids
GRIDS = [
    ({"n_samples": [50, 100], "noise": [1, 2.5], "imbalance": [1, 10]}, 8),
    ({"n_samples": [50, 50.0]}, 1),
    ({"noise": 2}, 1),
    ({}, 1),
    ({"random_state": [0, 1], "n_clusters": [2, 3]}, 4),
]


@pytest.mark.parametrize(("grid", "n"), GRIDS)
def test_a_grid_is_a_set_for_every_combination(grid, n):
    entry = {"generate": "ambiguous", **grid}
    names = generated_names(entry, "entry 1")
    assert len(names) == len(set(names)) == n
    text = f"{{sets: [digits, {json.dumps(entry)}], runs: [{{methods: [mgl]}}]}}"
    found = plan.parse(text, "p")
    assert found.sets == ["digits", *names]
    assert len(found.trials(found.sets)) == n + 1
    assert names_of(found.sets) == found.sets
    hashes = [f.sha256 for f in sets.find_sets(names)]
    assert None not in hashes
    assert len(set(hashes)) == n


def test_the_name_of_a_set_says_how_it_is_made():
    data = built_in("ambiguous:90,n_clusters=3,imbalance=8,noise=0.5").open()
    sizes = np.bincount(data.labels)
    assert sizes.sum() == 90
    assert list(sizes) == sorted(sizes, reverse=True)
    assert 6 < sizes[0] / sizes[-1] < 10
    same = datasets.make_ambiguous_views(90, n_clusters=3, imbalance=8, noise=0.5)
    assert all(
        (a == b).all()
        for a, b in zip(data.views.arrays, same.views.arrays, strict=True)
    )
    assert built_in("misleading:50,random_state=3").open().views.n_samples == 50


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"generate": "ambigous"}, "'ambigous' is not generated; did you mean 'amb"),
        ({"noise": [1]}, "generate: None is not generated"),
        ({"generate": "digits"}, "'digits' is not generated"),
        ({"generate": "misleading", "noise": 1}, "'noise' is unknown; known: n_sam"),
        (
            {"generate": "ambiguous", "nois": 1},
            "'nois' is unknown; did you mean 'noise'",
        ),
        ({"generate": "ambiguous", "noise": "x"}, "noise: 'x' is not a number"),
        ({"generate": "ambiguous", "noise": [True]}, "noise: True is not a number"),
        ({"generate": "ambiguous", "noise": []}, "noise: None is not a number"),
        ({"generate": "ambiguous", "n_samples": 3}, "a whole number of at least 10"),
        ({"generate": "ambiguous", "n_samples": 30.5}, "a whole number of at least 10"),
        ({"generate": "ambiguous", "n_views": 2.5}, "n_views='2.5' is not a whole"),
        (
            {
                "generate": "ambiguous",
                "noise": list(range(101)),
                "n_samples": [*range(10, 111)],
            },
            "more than 10000 sets",
        ),
    ],
)
def test_grids_without_sense_are_a_sentence(entry, words):
    with pytest.raises(plan.PlanError) as error:
        plan.parse(json.dumps({"sets": [entry], "runs": [{"methods": ["mgl"]}]}), "p")
    assert words in str(error.value)
    assert len(error.value.faults) == 1


@pytest.mark.parametrize("imbalance", [0.5, float("nan"), float("inf"), 0])
def test_unequal_classes_need_a_ratio(imbalance):
    with pytest.raises(ValueError, match="imbalance must be a number of at least 1"):
        datasets.make_ambiguous_views(20, imbalance=imbalance)
    with pytest.raises(ValueError, match="are too few for 10 classes"):
        datasets.make_misleading_view(9, imbalance=5)


# --------------------------------------------------------------------- names in plans
RUNS = "runs: [{methods: [mgl, gmc]}, {methods: [gmc], params: {n_neighbors: 3}}]"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("names: {mgk: M}", "names: 'mgk' is not run; did you mean 'mgl'"),
        ("names: {mgl: ' '}", "names: the name of 'mgl' is empty"),
        ("names: {mgl: gmc}", "two methods are named 'gmc'"),
        (
            "groups: {a: [mgk]}",
            "groups: 'mgk' is not run on shuffled rows; did you mean",
        ),
        ("groups: {a: [mgl], b: [mgl]}", "groups: 'mgl' is in 'a' and 'b'"),
        ("groups: {a: []}", "groups.a: empty"),
        ("reference: MyMgl", "reference: 'MyMgl' is not run"),
        ("reference: [mgl]", "reference: "),
        ("names: [mgl]", "names: "),
        ("refrence: mgl", "refrence: unknown setting; did you mean 'reference'"),
    ],
)
def test_names_of_what_is_not_run_are_a_sentence(more, words):
    with pytest.raises(plan.PlanError) as error:
        plan.parse(f"{{sets: [digits], {RUNS}, {more}}}", "p")
    assert words in str(error.value)


def test_names_and_reference_of_a_setting():
    text = f"{{sets: [x], {RUNS}, names: {{gmc: GMC, 'gmc (n_neighbors=3)': three}}, "
    found = plan.parse(text + "reference: three, groups: {ours: [GMC, three]}}", "p")
    assert found.reference == "three"
    assert found.narrow(names=["mgl"]).naming() == found.naming()


# ------------------------------------------------------------------ what people write
WRONG = [
    ("sets: digits", "sets: write a list, as in [a, b]; got 'digits'"),
    ("sets: {generate: ambiguous}", "sets: write a list"),
    ("sets: [[a]]", "sets[0]: write a text; got ['a']"),
    ("sets: [3]", "sets[0]: write a text; got 3"),
    ("sets: [null]", "sets[0]: write a text; got None"),
    ("sets: ['']", "sets: entry 1: empty; write the name of a set"),
    ("sets: [{1: 2}]", "sets: entry 1: generate: None is not generated"),
    ("sets: [{generate: [ambiguous]}]", "['ambiguous'] is not generated"),
    ("sets: [{generate: ambiguous, n_samples: .inf}]", "inf is not a number"),
    ("sets: [{generate: ambiguous, noise: {a: 1}}]", "{'a': 1} is not a number"),
    ("data: ''", "data: empty; write a path"),
    ("data: 3", "data: write a text; got 3"),
    ("names: [a]", "names: write names with their values, as in {a: b}"),
    ("names: {3: a}", "write a text; got 3"),
    ("names: {mgl: 3}", "names.mgl: write a text; got 3"),
    ("groups: {a: mgl}", "groups.a: write a list"),
    ("runs: {methods: [mgl]}", "runs: write a list"),
    ("runs: [{methods: mgl}]", "runs[0].methods: write a list"),
    ("runs: [{methods: [{a: 1}]}]", "runs[0].methods[0]: write a text"),
    ("runs: [{methods: [all, -x]}]", "runs[0]: '-x' leaves out nothing"),
    ("runs: [{methods: [all], params: {q: 3}}]", "leave it out with -graph-consensus"),
    ("Runs: []", "Runs: unknown setting; did you mean 'runs'"),
    ("runs: [{method: [mgl]}]", "method: unknown setting; did you mean 'methods'"),
    ("runs: [{methods: [mine.py]}]", "name its class, as in mine.py:Class"),
]


@pytest.mark.parametrize(("line", "words"), WRONG)
def test_what_is_wrong_in_a_plan_is_said_where_it_is(line, words):
    usual = {"sets": "sets: [digits]", "runs": "runs: [{methods: [mgl]}]"}
    usual[line.partition(":")[0]] = line
    with pytest.raises(plan.PlanError) as error:
        plan.parse("\n".join(usual.values()), "p")
    assert any(words in fault for fault in error.value.faults), error.value.faults


BAD_FILES = {
    "syntax": ("def x(:\n", "its import fails: SyntaxError: .*line 1\\)$"),
    "package": ("import torchhh\n", r"No module named 'torchhh' \(.*py, line 1\)"),
    "name": ("\n\nclass A:\n    x = y\n", r"NameError: .* \(.*py, line 4\)$"),
    "exit": ("import sys\nsys.exit(3)\n", r"SystemExit: 3 \(.*py, line 2\)$"),
    "number": ("A = 3\n", "type int is not a class"),
    "function": ("def A(X, k): pass\n", "the function A is not a class"),
    "no_fit": ("class A: pass\n", "has no method fit"),
    "other": ("class B: pass\n", "has no 'A'"),
}


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("form", ["file_{}:A", "file_{}.py:A", "./file_{}:A"])
def test_a_file_that_is_no_method_is_a_sentence(name, form, tmp_path, monkeypatch):
    text, words = BAD_FILES[name]
    (tmp_path / f"file_{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(plan.PlanError, match=words):
        chosen([form.format(name)])


def test_a_class_is_named_by_its_file(tmp_path, monkeypatch):
    text = "import helper\nclass Own:\n    fit = helper.fit\n"
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(text + f"    a = {folder!r}\n")
    (tmp_path / "one" / "helper.py").write_text("def fit(self, views): pass\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    names = ["one/mine.py:Own", "two/mine:Own", "one/mine:Own"]
    kinds = [methods.get(name).make(3).kind for name in names]
    assert [kind.a for kind in kinds] == ["one", "two", "one"]
    assert kinds[0] is kinds[2]


def test_a_file_beside_the_plan_is_found_from_anywhere(tmp_path, monkeypatch):
    """Two files of one name are not chosen from without a word."""
    home, work = tmp_path / "home", tmp_path / "work"
    for folder in (home, work):
        folder.mkdir()
    own = "class Own:\n    def fit(self, views): pass\n"
    (home / "beside.py").write_text(own)
    text = "{sets: [digits], runs: [{methods: ['beside.py:Own']}]}"
    (home / "p.yaml").write_text(text)
    monkeypatch.chdir(work)
    monkeypatch.setattr(sys, "path", [*sys.path, str(home)])
    (trial,) = plan.load("../home/p.yaml").trials(["digits"])
    assert trial.method == "beside.py:Own"
    (work / "beside.py").write_text(own)
    with pytest.raises(plan.PlanError, match=r"'beside\.py' is a file of the plan's"):
        plan.load("../home/p.yaml")


@pytest.mark.parametrize("page", ["own_methods.md", "commands.md"])
def test_plans_of_the_documentation_are_sound(page, tmp_path, monkeypatch):
    text = (Path(__file__).parents[2] / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```(\w+)\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    classes = [code for kind, code in blocks if kind == "python" and "class" in code]
    (tmp_path / "mine.py").write_text("".join(classes))
    plans = [code for kind, code in blocks if kind == "yaml"]
    assert len(plans) == {"own_methods.md": 3, "commands.md": 1}[page]
    for code in plans:
        assert plan.parse(code, page).trials(["x"])
