# Everything is made from a fresh clone: `make demo` and `make test` call `setup` themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
KERNEL := holdfast/kernel/holdfast-kernel.jar
SEED ?= 1
KILLS ?= 300
RECORDS ?= 1000000
REQUESTS ?= 100000
PYTEST := $(BIN)/python -m pytest
UV := VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/uv

# Directories of tests in the order they run, each in a process of its own; one that does not exist is passed over.
# Those that mostly wait, for a broker or another process, run beside the others, and after them the faults.
UNIT := units settings types dsl topology topics workers plan docs
WAITING := stores sharing runtime server client cli ops mistakes wheel
FAULTS := faults
STAGES := jvm driver kernel oracle spark live security fuzz examples browser

.PHONY: help setup demo test oracle faults fuzz lint format bench docs docs-test lock clean check-python check-java
.DEFAULT_GOAL := help

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

setup: check-python check-java $(STAMPS)/jars $(KERNEL) $(STAMPS)/archive $(STAMPS)/browser  ## Virtual environment, jars and kernel, once

check-python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "holdfast needs Python 3.11 or newer as '$(PYTHON)': install it, or run make PYTHON=/path/to/python3.11" >&2; exit 1; }

check-java:
	@sh tools/check-java

$(STAMPS)/uv: requirements-uv.lock | check-python
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-uv.lock
	@mkdir -p $(STAMPS) && touch $@

# The lock names everything, so nothing is resolved; a cache would keep Spark's sources and its wheel, two gigabytes.
$(STAMPS)/deps: requirements-dev.lock $(STAMPS)/uv
	@sh tools/check-disk
	$(UV) pip install --quiet --no-cache --no-deps --require-hashes -r requirements-dev.lock
	@touch $@

$(STAMPS)/holdfast: pyproject.toml $(STAMPS)/deps
	$(UV) pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

$(STAMPS)/jars: holdfast/spark/jars.lock $(STAMPS)/holdfast
	$(BIN)/python -m holdfast.spark.jars
	@touch $@

$(KERNEL): $(shell find kernel/src -type f 2>/dev/null) kernel/build.py $(STAMPS)/jars | check-java
	$(BIN)/python kernel/build.py

# The class archive only makes the JVM start faster; without it everything works.
$(STAMPS)/archive: $(STAMPS)/jars | $(KERNEL)
	-$(BIN)/python -m holdfast.ops.warmup
	@touch $@

# The tests of the dashboard run in it; without one everything else works.
$(STAMPS)/browser: tools/find_browser.py $(STAMPS)/holdfast
	$(BIN)/python tools/find_browser.py
	@touch $@

demo: setup  ## The leaderboard with a broker, test data and a server
	@$(BIN)/holdfast demo

test: lint  ## Lint and types, then every test
	@sh tools/run-tests "$(BIN)/python" $(UNIT) -- $(WAITING) -- $(FAULTS) -- $(STAGES)

lint: setup  ## Style, types, the direction of imports, known faults of dependencies
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/check_packages.py
	$(BIN)/python tools/check_any.py
	@sh tools/audit $(BIN)/uv

format: setup  ## Rewrite the code in the project's format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup  ## Measure, as docs/ and bench/ describe
	@test -d bench || { echo "no bench/ directory here" >&2; exit 1; }
	$(BIN)/python -m bench
	$(BIN)/python -m bench.timed
	$(BIN)/python -m bench.functions

oracle: setup  ## 10,000 generated programs on Kafka Streams and on Holdfast; SEED=n chooses others
	HOLDFAST_ORACLE_CASES=10000 HOLDFAST_ORACLE_SEED=$(SEED) $(PYTEST) -q tests/oracle

faults: setup  ## Faults strike two apps, whose output is then audited; SEED=n, KILLS=n choose others
	$(BIN)/python -m tests.faults.matrix --seed $(SEED) --kills $(KILLS)
	$(BIN)/python -m tests.faults.matrix --seed $(SEED) --kills $$(($(KILLS) / 3)) --cluster

fuzz: setup  ## Hostile records and requests, a million and 100,000 of them; SEED=n, RECORDS=n, REQUESTS=n choose others
	HOLDFAST_FUZZ_RECORDS=$(RECORDS) HOLDFAST_FUZZ_SEED=$(SEED) $(PYTEST) -q -s tests/fuzz/test_records.py
	HOLDFAST_FUZZ_REQUESTS=$(REQUESTS) HOLDFAST_FUZZ_SEED=$(SEED) FUZZ_REQUESTS=$(shell expr $(REQUESTS) / 100) \
	  $(PYTEST) -q -s tests/fuzz/test_raw.py tests/fuzz/test_http.py

docs: setup  ## Build the site of the docs into site/; a dead link or anchor is an error
	@$(BIN)/python tools/build_site.py
	@echo "see it: $(BIN)/python -m http.server --directory site --bind 127.0.0.1 8000"

docs-test: setup  ## Run every snippet of the docs, and look whether the pages are complete and up to date
	$(PYTEST) tests/docs

lock: $(STAMPS)/uv  ## Pin the dependencies and the jars anew
	echo uv | $(UV) pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  - -o requirements-uv.lock
	$(UV) pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  pyproject.toml -o requirements.lock
	$(UV) pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  pyproject.toml --group dev -c requirements.lock -o requirements-dev.lock
	$(BIN)/python tools/lock_jars.py

clean:  ## Remove what was built (the jar cache stays)
	rm -rf $(VENV) dist build site .cache kernel/target $(KERNEL) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
