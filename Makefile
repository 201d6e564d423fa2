PYTHON ?= python3
TORCH ?= torch==2.13.0
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
SOURCES := devlint rules tests

.PHONY: demo fuzz test test-html check others test-editors test-fixit test-audit test-scan test-opinfo test-jupyter test-vscode test-programs test-scripts evidence table pictures site FORCE

demo: .venv/demo
	$(BIN)/devlint check --isolated --exit-zero testdata/projects/demo

test: check others

check: .venv/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check $(SOURCES) testdata/projects
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto
	$(BIN)/devlint check --isolated $(SOURCES)

# A minute for each target; FUZZ chooses others: make fuzz FUZZ='--seconds 1200 lowering'.
fuzz: .venv/test
	$(PIP) install -q -e '.[fuzz]'
	$(BIN)/python -m tests.fuzzing $(FUZZ)

# Needs Chromium: `apt-get install chromium`.
test-html: .venv/test
	$(PIP) install -q -e '.[browser]'
	$(BIN)/python -m pytest tests/browser/page.py tests/browser/site.py

others: .venv/test
	$(BIN)/python tests/other_pythons.py

# On emulated CUDA, all samples that PyTorch tests its own functions with.
test-opinfo: .venv/test
	$(BIN)/python -m tests.confirm.opinfo

# Needs a GPU.
evidence: .venv/test
	$(BIN)/devlint evidence --device cuda --programs testdata/confirm --record testdata/evidence

# Needs Neovim or Emacs; those that are here are tried.
test-editors: .venv/test
	$(BIN)/python -m tests.editors.run

test-scan: .venv/test
	$(PIP) install -q -e '.[scan]'
	$(BIN)/python -m pytest tests/scan

# Fixit wants an older click than other tools.
test-fixit: .venv/test
	$(PYTHON) -m venv .venv-fixit
	.venv-fixit/bin/python -m pip --disable-pip-version-check install -q fixit
	$(BIN)/python -m pytest tests/fixit_comments.py

test-audit: .venv/test
	$(PIP) install -q torch-audit
	$(BIN)/python -m pytest tests/confirm/test_comparison_page.py

# Needs Chromium.
test-jupyter: .venv/test
	$(PIP) install -q -e '.[browser,lsp]' jupyterlab jupyterlab-lsp
	$(BIN)/python -m tests.editors.jupyterlab

# Needs Chromium, the extension as built, and code-server: CODE_SERVER is where npm has put it.
test-vscode: .venv/test
	$(PIP) install -q -e '.[browser,lsp]'
	$(BIN)/python -m tests.editors.vscode $(CODE_SERVER) $(if $(NODE),--node $(NODE))

# Needs a folder with the repositories, and what the scripts import: tests/scripts/README.md.
test-scripts: .venv/test
	$(BIN)/python -m tests.scripts $(SCRIPTS)

# Needs what the programs import: tests/programs/README.md.
test-programs: .venv/test
	$(BIN)/python -m tests.programs

# Downloads about ten gigabytes.
test-wheels:
	$(PYTHON) tests/default_wheels.py

table: .venv/demo
	$(BIN)/python -m devlint.testing.rule_table README.md rules/README.md
	$(BIN)/python -m devlint.testing.option_table docs/configuration.md
	$(BIN)/python -m devlint.testing.signal_table docs/signals.md
	$(BIN)/python -m devlint.testing.presumption_table docs/confidence.md
	$(BIN)/devlint schema > devlint.schema.json

pictures: .venv/demo
	$(BIN)/python -m tests.pictures

# To be opened at build/site/index.html; FILES=URL makes links of files that are no pages.
site: .venv/demo
	$(PIP) install -q -e '.[docs]'
	$(BIN)/python -m sphinx -q -W --keep-going -D devlint_files=$(FILES) -d build/site-doctrees docs build/site

.venv/demo: pyproject.toml
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 10) or sys.exit("devlint needs Python 3.10 or newer")'
	$(PYTHON) -m venv .venv
	$(PIP) install -q -e .
	@touch $@

.venv/test: .venv/demo .venv/torch
	$(PIP) install -q -e '.[test]' $(TORCH) numpy
	@touch $@

# What TORCH was at the last installation: another one installs anew.
.venv/torch: .venv/demo FORCE
	@echo '$(TORCH)' | cmp -s - $@ || echo '$(TORCH)' > $@
