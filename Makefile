PYTHON ?= python3
TORCH ?= torch==2.13.0
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
SOURCES := devlint rules tests

.PHONY: demo test check others table FORCE

demo: .venv/demo
	$(BIN)/devlint check --isolated --exit-zero testdata/projects/demo

test: check others

check: .venv/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check $(SOURCES) testdata/projects
	$(BIN)/mypy
	$(BIN)/python -m pytest
	$(BIN)/devlint check --isolated $(SOURCES)

others: .venv/test
	$(BIN)/python tests/other_pythons.py

table: .venv/demo
	$(BIN)/python -m devlint.testing.rule_table README.md rules/README.md

.venv/demo: pyproject.toml
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 10) or sys.exit("devlint needs Python 3.10 or newer")'
	$(PYTHON) -m venv .venv
	$(PIP) install -q -e .
	@touch $@

.venv/test: .venv/demo .venv/torch
	$(PIP) install -q -e '.[test]' $(TORCH)
	@touch $@

# What TORCH was at the last installation: another one installs anew.
.venv/torch: .venv/demo FORCE
	@echo '$(TORCH)' | cmp -s - $@ || echo '$(TORCH)' > $@
