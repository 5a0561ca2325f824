# Everything lives in .venv; each target sets up what it needs.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-slow lint types bench docs-figures clean

demo: .venv/.core            ## watch RGP-PE hold where GP-UCB is led astray (a few seconds)
	$(BIN)/holdfast demo

test: .venv/.dev             ## the whole test suite, on all cores
	$(BIN)/python -m pytest -n auto -m "not slow"

test-slow: .venv/.dev        ## the long checks as well
	$(BIN)/python -m pytest -n auto

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.dev
	$(BIN)/mypy

bench: .venv/.dev            ## speed as ratios against plain NumPy, measured in one run
	$(BIN)/python benchmarks/speed.py

docs-figures: .venv/.dev     ## the picture of the README
	$(BIN)/holdfast demo --plot docs/demo.png

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.core: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/.dev: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@ .venv/.core

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
