# The same verbs on a desk and in CI. Needs Python 3.11 or later, make and a package index.
PYTHON ?= python3
# Empty is unset: without bytecode every command that a test starts would compile the package again.
export PYTHONDONTWRITEBYTECODE =
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test check suite format bench bench-judge clean

# Two marks, so that `make demo` does not wait for what only the tests need.
$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[embedded]'
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[embedded,stats,parquet,postgres,ray,web,litellm]' -r requirements/dev.txt
	touch $@

demo: $(VENV)/.installed  ## fetch the embedded judge once, judge the shipped examples with it, print the report
	@$(BIN)/adjudge models pull
	@$(BIN)/python examples/demo.py

test: $(VENV)/.installed-dev  ## everything that has to hold: types are checked while tests wait for one thing or another
	$(MAKE) --no-print-directory --jobs=2 check suite

suite: $(VENV)/.installed-dev  ## the tests alone; some wait for a browser or a server, so there is one more process than there are cores
	$(BIN)/python -m pytest -n $$(( $$(nproc) + 1 )) --dist worksteal

check: $(VENV)/.installed-dev  ## style and types
	$(BIN)/ruff format --check src tests examples benchmarks training
	$(BIN)/ruff check src tests examples benchmarks training
	$(BIN)/mypy

format: $(VENV)/.installed-dev  ## rewrite to the style
	$(BIN)/ruff format src tests examples benchmarks training
	$(BIN)/ruff check --fix src tests examples benchmarks training

bench: $(VENV)/.installed-dev  ## the figures, each beside its floor; SCALE=0.1 for a quick look
	$(BIN)/python benchmarks/run.py --scale $(or $(SCALE),1)

bench-judge: $(VENV)/.installed-dev  ## the embedded judge's card, from the labelled files in DATA
	$(BIN)/python benchmarks/judge.py $(DATA)

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
