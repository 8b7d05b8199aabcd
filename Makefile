# Conjoint: `make demo` shows it, `make test` checks it, `make bench` measures it against the official engine.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
MODEL  ?= models/humanoid.xml
SPREAD ?= --numprocesses=auto --maxprocesses=8 --dist=loadfile --no-loadscope-reorder

.PHONY: demo test compiled clients docs pictures fuzz mutate lint types layers plain bench warmup clean

demo: $(VENV)/.demo
	@mkdir -p out
	$(BIN)/conjoint simulate models/humanoid.xml --seconds 3 --ctrl zero --plot out/falling.png
	$(BIN)/conjoint simulate models/humanoid.xml --seconds 10 --ctrl random --seed 1 \
		--record out/driven.npz --plot out/driven.png
	$(BIN)/conjoint simulate models/humanoid.xml --seconds 2 --ctrl random --seed 1 --worlds 256
	$(BIN)/conjoint record models/humanoid.xml out/driven.gif --replay out/driven.npz --fps 15 --width 320 --height 240 \
		--camera side --rays
	$(BIN)/conjoint record models/pile.xml out/pile.png --seconds 0.001 --rays
	@echo "Plots, the recording, a film of it and a picture are in out/."

test: $(VENV)/.dev lint types layers compiled plain

# files of tests in turns on all processors, at most eight
compiled: $(VENV)/.dev
	$(BIN)/python -m pytest $(SPREAD)

# programs of others, with the official package and with this one: minutes, and some more packages
clients: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --editable ".[clients]"
	# only its models are used: without JAX and what else it asks for
	$(BIN)/python -m pip install --quiet --no-deps "playground>=0.2"
	$(BIN)/python -m pytest tests/clients

# the pages of docs/ as a site in out/site/; a link that leads nowhere, a public name without an entry, a word that
# users search and do not find, and a misspelt word are errors
docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	$(BIN)/python -m tools.check_site
	$(BIN)/codespell README.md CONTRIBUTING.md CHANGELOG.md docs src/conjoint --skip "*.svg,*.png,*.gif,*.js,*.ipynb,*.npz"

# the pictures of docs/: of models, by rays, of the window (needs Xvfb and xdotool) and of the page (Chromium)
pictures: $(VENV)/.dev
	$(BIN)/python -m tools.make_gallery
	$(BIN)/python -m tools.make_ray_pictures
	$(BIN)/python -m tools.make_window_pictures
	$(BIN)/python -m tools.make_page_picture

# the same tests on uncompiled kernels: slow steps, but a debugger and coverage see every line
plain: $(VENV)/.dev
	CONJOINT_JIT=0 $(BIN)/python -m pytest -m plain $(SPREAD)

# ten minutes of mutated models and damaged files, beside the official compiler: docs/testing.md
fuzz: $(VENV)/.dev
	cd tests && ../$(BIN)/python -m fuzz --seconds 60 --files
	cd tests && ../$(BIN)/python -m fuzz --seconds 540 --out ../out/fuzz

# whether the tests notice a change of one token of a random kernel: docs/testing.md
mutate: $(VENV)/.dev
	$(BIN)/python -m tools.mutate --count 60

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

layers: $(VENV)/.dev
	$(BIN)/lint-imports

bench: $(VENV)/.dev
	@mkdir -p out
	$(BIN)/python -m benchmarks.step --model $(MODEL) --json out/step.jsonl
	$(BIN)/python -m benchmarks.batch --model $(MODEL) --json out/batch.jsonl
	$(BIN)/python -m benchmarks.start --model $(MODEL) --json out/start.jsonl
	$(BIN)/python -m benchmarks.memory --model $(MODEL) --json out/memory.jsonl

warmup: $(VENV)/.demo
	$(BIN)/conjoint warmup $(MODEL)

clean:
	rm -rf out build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# stamps: pip runs again only when the list of dependencies changes
$(VENV)/.demo: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[plot]"
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	@touch $@ $(VENV)/.demo
