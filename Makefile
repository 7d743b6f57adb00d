# Works from a fresh clone with Python >= 3.11 and make; everything goes into .venv.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; \
	then echo $$p; break; fi; done)
# Many tests start processes, and each would compile all modules that no file keeps.
PYTEST := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest

.PHONY: help install dev check test slow everything lowest package paper bench demo docs changelog clean
.DEFAULT_GOAL := help

help:     ## show this list
	@grep -E '^[a-z]+: .*##|^[a-z]+:  *##' $(MAKEFILE_LIST) | sed 's/:.*##/ -/'

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "error: no Python >= 3.11 found; install one or run make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "error: $(PYTHON) cannot create a virtual environment (ensurepip is missing); on Debian or Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install -q -e .
	@touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install -q -e '.[test]'
	@touch $@ $(VENV)/.installed

install: $(VENV)/.installed ## create .venv and install the package

dev: $(VENV)/.dev ## the same with everything that the tests need

check: $(VENV)/.dev ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/check-jsonschema -q --builtin-schema vendor.github-workflows .github/workflows/*.yml

test: check ## check, then the default tests (under 2 minutes on 2 cores)
	$(PYTEST) -n 2 --dist worksteal

slow: $(VENV)/.dev ## the tests that take longer or need the benchmark files
	$(PYTEST) -n 2 --dist worksteal -m "(slow or shared) and not paper and not gpu and not browser and not dask and not scanpy"

$(VENV)/.everything: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install -q -e '.[test,dask]' polars narwhals scanpy muon igraph
	@touch $@ $(VENV)/.dev $(VENV)/.installed

# make docs runs the examples
everything: $(VENV)/.everything check ## check, then all tests but those that need hours or a GPU
	$(PYTEST) -n 2 --dist worksteal --durations=30 -m "not paper and not gpu" \
		--deselect tests/whole/test_examples.py::test_example_runs

LOWEST := $(VENV)/lowest
WORKERS ?= 2
lowest: $(BIN)/python ## the core with the oldest supported versions of its dependencies
	@set -e; \
	pins=$$(sed -n '/^dependencies = \[/,/^\]/s/.*"\([a-z-]*\)>=\([0-9.]*\)".*/\1==\2.*/p' pyproject.toml); \
	test -x $(LOWEST)/bin/python || $(BIN)/python -m venv $(LOWEST); \
	if ! $(LOWEST)/bin/python -m pip install -q --only-binary=:all: $$pins \
		pytest pytest-xdist hypothesis pandas pyarrow narwhals==2.0.0 pydantic pooch 2>$(LOWEST)/log; then \
		cat $(LOWEST)/log >&2; \
		grep -q "No matching distribution" $(LOWEST)/log || exit 1; \
		echo "skipped: not all of" $$pins "have a wheel for $$($(BIN)/python --version)"; \
		exit 0; \
	fi; \
	PYTHONPATH=src NUMBA_CACHE_DIR=$(LOWEST)/numba OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
		$(LOWEST)/bin/python -m pytest -n $(WORKERS) --dist worksteal \
		tests/ops tests/views tests/graphs tests/prediction tests/persistence tests/mgl tests/anchor_filter tests/cli \
		tests/test_metrics.py tests/contract/test_labels.py tests/contract/test_registry.py \
		tests/contract/test_warnings.py

BARE := $(VENV)/bare
package: $(BIN)/python ## build sdist and wheel, and try the wheel in an empty environment
	$(BIN)/python -m pip install -q build
	rm -rf dist $(BARE)
	$(BIN)/python -m build --outdir dist . >$(VENV)/build.log || { cat $(VENV)/build.log >&2; exit 1; }
	$(BIN)/python -m venv $(BARE)
	$(BARE)/bin/python -m pip install -q dist/*.whl
	cd $(BARE) && bin/mvgraph --version && bin/mvgraph demo --no-report \
		&& bin/mvgraph cluster digits --n-clusters 10 -q --save model -o labels.csv \
		&& bin/mvgraph predict model digits -q -o predicted.csv \
		&& bin/mvgraph model info model
	@ls -l dist

paper: $(VENV)/.dev ## repeat published numbers (needs the benchmark files)
	$(PYTEST) -m paper

bench: $(VENV)/.dev ## speed and memory
	$(BIN)/python -m pytest benchmarks -m ""

$(VENV)/.report: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install -q -e '.[report]'
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.report ## cluster the embedded digits: clusters.html to look at, then three methods in report.html
	$(BIN)/mvgraph demo

$(VENV)/.docs: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install -q -e '.[docs]'
	@touch $@ $(VENV)/.installed

docs: $(VENV)/.docs ## build the documentation in docs/_build/html; runs all examples
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

changelog: $(VENV)/.docs ## move changes/ into CHANGELOG.md: make changelog VERSION=0.2.0
	$(BIN)/towncrier build --yes --version $(VERSION)

clean: ## remove .venv and caches
	rm -rf $(VENV) docs/_build docs/gallery docs/api .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
