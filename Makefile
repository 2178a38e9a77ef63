# Everything a person does with this checkout. `make help` lists it.
# The environment is made once in .venv by the first command that needs it, and again when pyproject.toml changes.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)
VERSION := $(if $(PYTHON),$(shell "$(PYTHON)" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])'))
VENV := .venv
READY := $(VENV)/ready-$(VERSION)
PEERS := $(VENV)/peers-$(VERSION)
RUN := $(VENV)/bin/python
WORKERS ?= 2
# Modules are compiled once, not anew in each of the hundreds of processes that tests and benchmarks start.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-fast program lint format bench stress tables programs engines docs-check golden setup clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(READY) ## fit a model to real data with generated derivatives (examples/fit.py)
	$(RUN) examples/fit.py

# A worker has a core, and BLAS no more than that.
test test-fast engines: export OPENBLAS_NUM_THREADS = 1

test: $(READY) ## run the tests: each promise, where many cases ask the same in turns; with ALL=1 every case, with SHARE=0/6 a sixth of the rest too
	$(RUN) -m pytest -n $(WORKERS) --dist worksteal $(if $(ALL),,-m "not rest") $(if $(SHARE),--share $(SHARE))

test-fast: $(READY) ## for the loop of work, in a minute: a sample of the corpus through everything, and what is quick of all else
	$(RUN) -m pytest -n $(WORKERS) --dist worksteal --fast

program: $(READY) ## run one program of the corpus through everything, compiled in every mode: make program NAME=loops.for_over_rows
	@test -n "$(NAME)" || { echo "say which: make program NAME=loops.for_over_rows" >&2; exit 1; }
	$(RUN) -m pytest -n 0 tests --compile-all -k "$(NAME)"

lint: $(READY) ## ruff and the strict type check
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

format: $(READY) ## let ruff rewrite what it can
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

bench: $(PEERS) ## time gradients and the transform, race them against other systems, compare first calls; tables, JSON and a plot in benchmarks/out
	$(RUN) -m benchmarks
	$(RUN) -m benchmarks race --threads 1 2
	$(RUN) -m benchmarks compile

stress: $(READY) ## short stacks, forks, signals and threads; killed writers and damaged files on the cache of rules, 100 times over
	$(RUN) -m benchmarks.stress

tables: $(READY) ## judge the generated tables of semantics whole, and print their totals
	$(RUN) -m tests.tables --jobs $(WORKERS)

programs: $(READY) ## judge 20,000 random programs in the manner of scientists
	$(RUN) -m tests.domain --count 20000

engines: $(READY) ## compile every program of the corpus, in every mode, and compare with Python: half an hour
	$(RUN) -m pytest -n $(WORKERS) --dist worksteal tests/test_engine.py --compile-all

docs-check: $(READY) ## run the code in README.md and docs, check links and error pages
	$(RUN) -m pytest tests/test_docs.py

golden: $(READY) ## rewrite tests/golden from what is generated now; the oracle must agree first
	$(RUN) -m pytest tests/test_golden.py tests/test_passes.py tests/test_engine_loops.py -k "golden or a_pass" --update-golden

setup: $(READY) ## make the environment and nothing else

# The stamp is written last, so an interrupted set-up starts afresh; another Python makes another stamp.
$(READY): pyproject.toml
	@test -n "$(VERSION)" || { echo "adxform needs Python 3.11 or newer: install one, or say PYTHON=/its/path make ..." >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' || { echo "this Python lacks the module venv (on Debian: apt install python3-venv)" >&2; exit 1; }
	"$(PYTHON)" -m venv --clear $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

$(PEERS): $(READY)
	$(RUN) -m pip install --quiet --disable-pip-version-check --editable '.[dev,bench]'
	@touch $@

clean: ## remove the environment and everything generated
	rm -rf $(VENV) build dist examples/out benchmarks/out .pytest_cache .mypy_cache .ruff_cache .hypothesis
