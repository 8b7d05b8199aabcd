# Conjoint: `make demo` shows it, `make check` checks it in minutes, `make test` checks all of it, `make bench` measures
# it against the official engine, `make wheels` builds what is released.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
MODEL  ?= models/humanoid.xml
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# a process for each processor, at most eight, takes a file of tests whenever it has none, the longest first; one that
# crashes ends the run, since pytest-xdist, which hands out what it had finished once more, would wait for ever
SPREAD ?= --numprocesses=auto --maxprocesses=8 --dist=loadfile --no-loadscope-reorder --max-worker-restart=0

.PHONY: demo film test check quick compiled gpu clients docs pictures fuzz mutate lint types layers plain bench warmup clean
.PHONY: types-elsewhere announce wheels release reproduce foreign arm64

# a film of ten seconds: 90 s of processor time with all that is compiled for it, smaller pictures without OpenGL
demo: $(VENV)/.demo
	$(BIN)/python -u examples/make_film.py --short out/demo.mp4 out/demo.webp
	@echo "Look at out/demo.mp4, or open out/demo.webp in a browser. The whole film: make film"
	@echo "To play with a robot in a browser: $(BIN)/conjoint view models/quadruped.xml --web"

# the film of the README: two minutes of processor time with OpenGL in software
film: $(VENV)/.demo
	$(BIN)/python -u examples/make_film.py out/film.mp4 out/film.webp

# all parts at the same time, so that no processor waits for the end of one; BESIDE names other targets to make meanwhile
test: announce $(VENV)/.dev
	@mkdir -p out
	$(TOGETHER) PLAIN_OUTPUT=">out/plain.txt 2>&1" compiled plain types lint layers $(BESIDE); \
	status=$$?; cat out/plain.txt; exit $$status

TOGETHER := $(MAKE) --no-print-directory --keep-going --jobs

announce:
	@echo "make test: 12 minutes on 2 cores; make check: the part that finds most, in 3 minutes."
	@test -e $(VENV)/.dev || echo "It downloads 370 MB of packages first, into $(VENV) (1.2 GB), the official engine among them."
	@echo "Each test is a dot; what takes longest comes first."

# every test of a change, on compiled kernels
compiled: $(VENV)/.dev
	$(BIN)/python -m pytest $(SPREAD) -m "not nightly"

# what takes long and finds little, and `make check` on optimized kernels: docs/testing.md
nightly: export CONJOINT_OPTIMIZE := first
nightly: $(VENV)/.dev
	CONJOINT_THREAD_TRIALS=20 $(BIN)/python -m pytest $(SPREAD) -m nightly
	$(BIN)/python -m pytest $(SPREAD) -m "not slow and not nightly" $(QUICK)
	$(BIN)/python -m pytest $(SPREAD) -m hypothesis --hypothesis-profile=nightly `grep -lr "from hypothesis" tests --include="test_*.py"`

# how long each file of tests takes, by which they are sorted: tests/durations.json
durations: $(VENV)/.dev
	$(BIN)/python -m pytest $(SPREAD) -m "not nightly" --record-durations

# what a change should pass before it is shown to others: 3 minutes on 2 cores
check: $(VENV)/.dev
	$(TOGETHER) quick types lint layers

QUICK := $(addprefix tests/,api/test_api_math.py api/test_api_objects.py spec/test_attach.py batch/test_batch.py \
	compiler/test_compiler_formulas.py compiler/test_compiler_macros.py physics/constraint/test_constraint.py \
	physics/collision/test_convex.py physics/dynamics/test_engine_smooth.py lang/test_frontend_control.py \
	lang/test_frontend_errors.py lang/test_frontend_expressions.py lang/test_lang_cache.py lang/test_lang_entry.py \
	lang/test_lang_functions.py lang/test_lang_values.py mjcf/test_mjcf_errors.py whole/test_models_oracle.py \
	physics/collision/test_physics_contact.py physics/dynamics/test_physics_identities.py project/test_project.py \
	schema/test_schema.py schema/test_schema_roles.py physics/sensor/test_sensors.py solver/test_solver.py \
	lang/test_system.py)

quick: $(VENV)/.dev
	$(BIN)/python -m pytest $(SPREAD) -m "not slow and not nightly" $(QUICK)

# worlds on a device, beside lanes and the official engine: tests, then a table of speeds; DEVICE is "cuda", "opencl" or,
# by default, the first GPU, else OpenCL on the processor (`pip install intel-opencl-rt intel-cmplr-lib-rt`, 700 MB)
DEVICE ?= auto
gpu: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --no-compile --editable ".[opencl]"
	! command -v nvidia-smi > /dev/null || $(BIN)/python -m pip install --quiet --no-compile --editable ".[cuda]"
	CONJOINT_DEVICE=$(DEVICE) $(BIN)/python -m pytest tests/device
	$(BIN)/python -m benchmarks.devices --device $(DEVICE) --json out/devices.jsonl

# programs of others, with the official package and with this one: minutes, and some more packages
clients: $(VENV)/.dev
	# PyTorch for the processor alone, where its index can be reached: stable-baselines3 needs no more
	-$(BIN)/python -m pip install --quiet --index-url https://download.pytorch.org/whl/cpu torch
	$(BIN)/python -m pip install --quiet --editable ".[clients]"
	# only its models are used: without JAX and what else it asks for
	$(BIN)/python -m pip install --quiet --no-deps "playground>=0.2"
	# programs that ask for official versions which exclude each other: an environment each, in out/clients/
	PYTHONPATH=tests $(BIN)/python -m clients.environments
	$(BIN)/python -m pytest tests/clients

# the pages of docs/ as a site in out/site/; a link that leads nowhere, a public name without an entry, a word that
# users search and do not find, a misspelt word, and prose that tools/check_prose.py objects to are errors
docs: stubs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	$(BIN)/python -m tools.check_site
	$(BIN)/python -m tools.check_prose
	$(BIN)/codespell README.md CONTRIBUTING.md CHANGELOG.md docs src/conjoint --skip "*.svg,*.png,*.gif,*.js,*.ipynb,*.npz"
	@echo "The site: open out/site/index.html, or serve it: $(BIN)/python -m http.server --directory out/site"

# the pictures of the documentation's gallery, in out/gallery/, where there is OpenGL
gallery: $(VENV)/.dev
	! ldconfig -p | grep libEGL.so.1 > /dev/null || $(BIN)/python -m tools.pictures gallery --folder out/gallery

# the pictures of docs/: of models, by rays, of the window (needs Xvfb and xdotool) and of the page (Chromium)
pictures: $(VENV)/.dev
	$(BIN)/python -m tools.pictures

# the same tests on uncompiled kernels: slow steps, but a debugger and coverage see every line; to collect what other
# files have takes longer than to look which have such tests
plain: $(VENV)/.dev
	CONJOINT_JIT=0 $(BIN)/python -m pytest -m "plain and not compiled_only and not nightly" $(SPREAD) \
		`grep -lr "mark\.plain" tests --include="test_*.py"` $(PLAIN_OUTPUT)

# ten minutes of mutated models and damaged files, beside the official compiler: docs/testing.md
fuzz: $(VENV)/.dev
	cd tests && ../$(BIN)/python -m fuzz --seconds 60 --files
	cd tests && ../$(BIN)/python -m fuzz --seconds 540 --out ../out/fuzz

# whether the tests notice a small mistake in a random kernel or function: docs/testing.md
mutate: $(VENV)/.dev
	$(BIN)/python -m tools.mutate --count 60
	$(BIN)/python -m tools.mutate --count 40 --rooms host

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m tools.check_prose

# type stubs, which are made from the schema: an installation has them; here they follow what changes
stubs: $(VENV)/.dev
	@$(BIN)/python -m hatch_stubs

types: stubs
	$(BIN)/mypy

# the same as on the other systems, which have other names in their modules
types-elsewhere: stubs
	$(BIN)/mypy --platform win32
	$(BIN)/mypy --platform darwin

layers: $(VENV)/.dev
	$(BIN)/lint-imports

# a wheel for each system, and the source, in dist/: half an hour of two cores
wheels: $(VENV)/.dev
	$(BIN)/python -m tools.make_wheels

# whether what is in dist/ can be released, and its page would show; what is left for a person: docs/releasing.md
release: $(VENV)/.dev
	$(BIN)/python -m tools.check_wheels
	$(BIN)/twine check --strict dist/*

# the same bits again: builds all a second time
reproduce: $(VENV)/.dev
	$(BIN)/python -m tools.make_wheels --again

# the kernels of the wheel for Windows, on this machine: docs/releasing.md
foreign: $(VENV)/.dev
	$(BIN)/python -m tools.foreign_objects dist/*-win_amd64.whl

# the wheel for AArch64 in a fresh Debian under emulation; needs root, qemu-user-static and debootstrap
arm64: $(VENV)/.dev
	tools/run_arm64.sh dist/*aarch64.whl out/arm64

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

# stamps: pip runs again only when the list of dependencies changes; an editable package is built with what is here, not
# in an environment of its own; modules are compiled when they are imported
BUILD    := "hatchling>=1.28" "editables>=0.5" "numpy>=1.26"
EDITABLE := --quiet --no-compile --no-build-isolation --editable

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --no-compile $(BUILD)
	$(BIN)/python -m pip install $(EDITABLE) ".[envs,video,web]"
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --no-compile $(BUILD)
	$(BIN)/python -m pip install $(EDITABLE) ".[dev]"
	@touch $@ $(VENV)/.demo

# nightly tests, and the clients in their newest versions, with results in out/clients.md: once a week, and before a release
weekly:
	.ci/weekly

# type checkers on the programs of docs/ and examples/; pyright is a program for Node.js, 60 MB, which comes as a wheel
docs-types: stubs
	$(BIN)/python -m pip install --quiet "pyright[nodejs]>=1.1.400"
	$(BIN)/python tools/check_docs_types.py

.PHONY: weekly docs-types stubs quick gallery nightly durations
