"""Files for publishing agree with pyproject.toml."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import mvgraph

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def recipe():
    text = (ROOT / "conda" / "meta.yaml").read_text()
    assert f'set version = "{mvgraph.__version__}"' in text
    return yaml.safe_load(re.sub(r"\{%.*%\}|\{\{ *|\ *\}\}", "", text))


def test_the_recipe_has_the_dependencies_of_the_package(project, recipe):
    wanted = [d.replace(">=", " >=") for d in project["dependencies"]]
    python, *others = recipe["requirements"]["run"]
    assert others == wanted
    assert python == f"python {project['requires-python']}"
    (entry,) = recipe["build"]["entry_points"]
    assert entry == f"mvgraph = {project['scripts']['mvgraph']}"
    assert recipe["about"]["license"] == project["license"]


def test_the_citation_is_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == mvgraph.__version__
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## {mvgraph.__version__}" in changes


def test_every_python_that_is_declared_is_tested(project):
    declared = [
        c.rpartition(" ")[2]
        for c in project["classifiers"]
        if re.search(r":: 3\.\d+$", c)
    ]
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    matrix = yaml.safe_load(text)["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python"] == declared
    assert project["requires-python"] == f">={declared[0]}"


def test_a_release_is_published_without_a_secret():
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    jobs = yaml.safe_load(text)["jobs"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert jobs["publish"]["needs"] == ["test", "build"]
    assert "secrets." not in text
