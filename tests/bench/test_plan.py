import pytest

from mvgraph import methods
from mvgraph.bench import plan

GOOD = """
sets: [one, two]
repeats: 2
seed: 5
runs:
  - {methods: [mgl], preset: paper, orders: [published, shuffled]}
  - {methods: [mgl, kmeans-concat], grid: {}, orders: [shuffled]}
"""


@pytest.mark.parametrize("name", plan.ready_plans())
def test_every_ready_plan_is_sound(name):
    assert list(plan.load(name).trials(["a"]))


def test_ready_plans_are_those_that_the_documents_name():
    names = ["anchor-sweep", "honest", "p-sweep", "published", "scale"]
    assert plan.ready_plans() == names


def test_trials_are_listed_once_repeats_first():
    trials = list(plan.parse(GOOD, "good").trials(["one", "two"]))
    assert len(trials) == len(set(map(repr, trials))) == 2 * 2 * (2 + 2)
    assert [t.seed for t in trials] == [5] * 8 + [6] * 8
    assert {t.preset for t in trials if t.order == "published"} == {"paper"}


def test_all_methods_fall_back_to_default_settings():
    text = "{sets: [a], runs: [{methods: [all], preset: paper}]}"
    trials = list(plan.parse(text, "all").trials(["a"]))
    assert [t.method for t in trials] == methods.names()
    assert {t.method: t.preset for t in trials}["kmeans-concat"] == "default"


def test_a_grid_is_the_product_of_its_values():
    text = "{sets: [a], runs: [{methods: [mgl], grid: {p: [0.1, 1], eta: [1.1, 2]}}]}"
    points = [t.grid for t in plan.parse(text, "grid").trials(["a"])]
    assert points == [{"p": p, "eta": e} for p in (0.1, 1) for e in (1.1, 2)]


def test_narrowing():
    whole = plan.parse(GOOD, "good")
    part = whole.narrow(1, ["kmeans-concat"], 9.0)
    assert (part.repeats, part.time_limit) == (1, 9.0)
    assert [t.method for t in part.trials(["two"])] == ["kmeans-concat"]
    with pytest.raises(ValueError, match="none of the methods swmc"):
        whole.narrow(names=["swmc"])


BAD = """
sets: []
repeats: 0
time_limit: -1
runs:
  - {methods: [mgk], preset: best, orders: [sorted]}
  - {methods: [mgl], grid: {q: [1]}}
  - {methods: [mgl], grid: {p: []}}
"""


def test_every_fault_has_its_line():
    with pytest.raises(plan.PlanError) as caught:
        plan.parse(BAD, "bad.yaml")
    faults = caught.value.faults
    words = [
        "sets: empty; list at least one",
        "repeats: Input should be greater than or equal to 1; got 0",
        "time_limit: Input should be greater than 0; got -1",
        "runs[0].preset: Input should be 'default' or 'paper'; got 'best'",
        "runs[0].orders[0]: Input should be 'published' or 'shuffled'; got 'sorted'",
        "runs[0].methods[0]: no method is named 'mgk'; did you mean 'mgl'",
        "runs[1]: method 'mgl': Invalid parameter 'q'",
        "runs[2].grid.p: empty; list at least one",
    ]
    assert len(faults) == len(words)
    for word in words:
        assert any(word in fault for fault in faults), word
    assert all("\n" not in f and f.startswith("plan bad.yaml: ") for f in faults)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sets: [a", "line 1"),
        ("just words", "no settings found"),
        ("sets: [a]", "runs: missing"),
        ("{sets: [a], runs: [{methods: [mgl], order: [x]}]}", "runs[0].order: unknown"),
        ("{sets: 3, runs: [{methods: [mgl]}]}", "sets: "),
        ("{sets: [a], runs: [{methods: [mgl]}], repeats: many}", "got 'many'"),
    ],
)
def test_faults_of_form(text, words):
    with pytest.raises(plan.PlanError) as caught:
        plan.parse(text, "p")
    assert len(caught.value.faults) == 1
    assert words in caught.value.faults[0]


def test_an_unknown_plan_lists_the_ready_ones():
    with pytest.raises(ValueError, match="did you mean 'published'"):
        plan.load("publised")


def test_params_of_a_plan_and_set_params_are_the_same():
    """As in the example of docs/own_methods.md."""
    text = "{sets: [x], runs: [{methods: [fastmice], params: {metric: cosine}}]}"
    (trial,) = plan.parse(text, "x").trials(["x"])
    model = methods.get("fastmice").make(3).set_params(**trial.override)
    assert model.get_params()["metric"] == "cosine"
    other = methods.get("fastmice").make(3).set_params(metric="cosine")
    assert model.get_params() == other.get_params()
    with pytest.raises(plan.PlanError, match="'metrik'"):
        plan.parse(text.replace("metric", "metrik"), "x")
