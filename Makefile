# `make demo` and `make test` are all a new user needs; `make help` lists the rest.

PYTHON ?= python3
UV := uv==0.13.9
VENV := .venv
BIN := $(VENV)/bin
BENCH := .bench/venv
PEERS := .peers
LOCKER := build/lock

INSTALL := -m pip --disable-pip-version-check install --quiet
PACKAGE := $(INSTALL) --no-deps --no-build-isolation
# A lock is complete; pip before 23.3 would look up `coverage[toml]` anew and refuse the release it finds, which has no hash.
LOCKED := $(INSTALL) --no-deps --require-hashes --requirement
COMPILE := $(LOCKER)/bin/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 \
	--fork-strategy fewest --generate-hashes --custom-compile-command "make lock" $(ARGS)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: demo test lint bench conformance lock clean help

demo: $(VENV)/.run ## evaluate and explain real runs that ship with the package
	@$(BIN)/ndcg demo

test: lint ## lint, types and tests
	$(BIN)/pytest --numprocesses 2 --cov

lint: $(VENV)/.dev ## style and types alone
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(BENCH)/.ready ## time ndcg against its peers, into bench/RESULTS.md (ARGS=--help)
	@$(BENCH)/bin/python $(PACKAGE) --force-reinstall .
	@$(BENCH)/bin/python -m bench.run $(ARGS)

conformance: $(VENV)/.dev $(PEERS)/.ready ## run other programs on hard inputs, and write docs/conformance.md
	@$(PEERS)/bin/python -m conformance.peers
	@$(BIN)/python -m conformance.page

lock: $(LOCKER)/bin/uv ## rewrite requirements/*.txt from pyproject.toml (ARGS=--upgrade for newer versions)
	$(COMPILE) --group build --output-file requirements/run.txt
	$(COMPILE) --group dev --constraints requirements/run.txt --output-file requirements/dev.txt
	$(COMPILE) --group bench --constraints requirements/run.txt --output-file requirements/bench.txt
	$(COMPILE) --group peers --constraints requirements/run.txt --output-file requirements/peers.txt

clean: ## remove the environments, the benchmark's data and every cache
	rm -rf $(VENV) .bench .peers build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage
	find src tests bench conformance -name __pycache__ -type d -prune -exec rm -rf {} +

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The package is installed in place, so one environment serves demo and tests and an edited source needs no reinstall.
$(VENV)/.run: requirements/run.txt pyproject.toml | $(BIN)/pip
	@echo "installing the packages of requirements/run.txt into $(VENV)" >&2
	@$(BIN)/python $(LOCKED) requirements/run.txt
	@$(BIN)/python $(PACKAGE) --editable .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.run
	@echo "installing the packages of requirements/dev.txt into $(VENV)" >&2
	@$(BIN)/python $(LOCKED) requirements/dev.txt
	@touch $@

$(BENCH)/.ready: requirements/bench.txt | $(BENCH)/bin/pip
	@echo "installing the packages of requirements/bench.txt into $(BENCH)" >&2
	@$(BENCH)/bin/python $(LOCKED) requirements/bench.txt
	@touch $@

$(PEERS)/.ready: requirements/peers.txt | $(PEERS)/bin/pip
	@echo "installing the packages of requirements/peers.txt into $(PEERS)" >&2
	@$(PEERS)/bin/python $(LOCKED) requirements/peers.txt
	@touch $@

$(LOCKER)/bin/uv: | $(LOCKER)/bin/pip
	$(LOCKER)/bin/python $(INSTALL) $(UV)

# pip is what `venv` writes last: without it the environment is unfinished, and is made anew.
%/bin/pip:
	@command -v $(PYTHON) >/dev/null || { echo "ndcg needs Python 3.11 or newer, and there is no '$(PYTHON)' here" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "ndcg needs Python 3.11 or newer, and '$(PYTHON)' is $$($(PYTHON) -V 2>&1); name another: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv --clear $* || { echo "'$(PYTHON)' could not make an environment; Debian and Ubuntu need: apt install python3-venv" >&2; exit 1; }
