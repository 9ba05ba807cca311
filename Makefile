# Two commands: `make demo` and `make test`. Both set up everything they need in .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
export RECALLREACH_CACHE ?= $(CURDIR)/cache
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: demo test check wheel browsergym setup browser clean

demo: setup ## run the main job on the embedded default and write a report
	@$(BIN)/recallreach demo

test: setup browser ## run the whole test suite, real browser included
	@$(BIN)/python -m pytest

check: setup ## lint, format, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

wheel: setup ## build the wheel and import every room from it, outside the repository
	@$(BIN)/python tools/check_wheel.py

browsergym: setup browser ## test the BrowserGym tasks in a virtual environment of their own
	@test -x integrations/browsergym/.venv/bin/python || $(PYTHON) -m venv integrations/browsergym/.venv
	@integrations/browsergym/.venv/bin/python -m pip install --quiet --editable "integrations/browsergym[test]"
	@RECALLREACH_PYTHON=$(CURDIR)/$(BIN)/python integrations/browsergym/.venv/bin/python -m pytest integrations/browsergym

browser: setup ## find a Chromium, or install one
	@$(BIN)/recallreach browser --install

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(v < (3, 11) and f"recallreach needs Python 3.11 or newer; {sys.executable} is {v.major}.{v.minor}. Name another one: make PYTHON=python3.12 ...")'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "This Python has no venv module; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@echo "Setting up $(VENV) (once; PyTorch makes it a few hundred megabytes or more) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade "pip>=24"
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev]"
	@touch $(READY)

clean: ## remove what setup and runs left behind
	rm -rf $(VENV) build dist cache .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis src/*.egg-info
