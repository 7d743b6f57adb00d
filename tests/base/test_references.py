"""The bibliography agrees with the records, the docstrings and what is cited."""

import re
from pathlib import Path

import pytest
from pybtex.database import parse_string

import mvgraph
from mvgraph import methods
from mvgraph.base.method import cite, read_references

SOURCE = Path(mvgraph.__file__).parent
ROOT = Path(__file__).parents[2]
TEXT = (SOURCE / "base" / "references.bib").read_text(encoding="utf-8")
ENTRIES = parse_string(TEXT, "bibtex").entries
METHODS = [methods.get(name) for name in methods.names()]
DOI = re.compile(r":doi:`([^`]+)`")
WHERE = {
    "article": {"journal", "volume", "pages"},
    "inproceedings": {"booktitle", "pages"},
}


def test_own_reader_agrees_with_a_bibtex_parser():
    own = read_references()
    assert list(own) == list(ENTRIES)
    for key, text in own.items():
        (entry,) = parse_string(text, "bibtex").entries.values()
        assert entry == ENTRIES[key]


@pytest.mark.parametrize("key", ENTRIES)
def test_entries_are_complete(key):
    entry = ENTRIES[key]
    needed = {"title", "year"} | WHERE.get(entry.type, set())
    assert needed <= set(entry.fields)
    assert entry.persons["author"]


def test_no_doi_is_given_twice():
    found = [e.fields["doi"] for e in ENTRIES.values() if "doi" in e.fields]
    assert len(found) == len(set(found))


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_records_agree_with_their_entry(method):
    entry, row = ENTRIES[method.reference], method.describe()
    assert int(entry.fields["year"]) == row["year"]
    assert entry.fields.get("doi", "") == row["doi"]
    if not row["paper"].startswith("none: "):
        first = entry.persons["author"][0].last_names[0]
        title = re.sub(r"[{}]", "", entry.fields["title"])
        assert row["paper"].startswith(first)
        assert row["paper"].endswith(title)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_docstrings_cite_the_paper_of_the_record(method):
    if doi := cite(method.reference)["doi"]:
        assert doi in DOI.findall(type(method.make(2)).__doc__)


def test_every_doi_of_the_sources_has_an_entry():
    known = {e.fields.get("doi") for e in ENTRIES.values()}
    for path in SOURCE.rglob("*.py"):
        assert set(DOI.findall(path.read_text(encoding="utf-8"))) <= known, path


def test_bibtex_prints_every_publication_once():
    assert set(parse_string(methods.bibtex(), "bibtex").entries) == {
        method.reference for method in METHODS
    }
    both = methods.bibtex("clr", "clr-concat")
    assert list(parse_string(both, "bibtex").entries) == ["nie2016clr"]
    with pytest.raises(ValueError, match="did you mean 'clr'"):
        methods.bibtex("clrr")


def test_the_version_to_cite_is_this_one():
    assert ENTRIES["mvgraph"].fields["version"] == mvgraph.__version__
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {mvgraph.__version__}\n" in citation


def test_the_readme_prints_entries_of_the_bibliography():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert read_references()["mvgraph"] in readme
    assert read_references()["jiang2021mgl"] in readme
