# Two commands: `make demo` runs the main job on the embedded benchmark, `make test` runs all tests.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Modules are compiled when they are first imported: of all that comes with torch and others few ever are.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e
USABLE := $(VENV)/.usable
READY := $(VENV)/.ready

# Without what Python compiles and keeps, each command would compile all that it imports again: a second each time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test lint types script-types bench bench-quick endure setup browser clean

setup: $(READY)

# What a user installs ...
$(USABLE): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) .
	touch $@

# ... and what tests, benchmarks and every extra need beside it.
$(READY): $(USABLE)
	$(INSTALL) '.[dev]'
	touch $@

demo: $(USABLE)
	NUMBA_CACHE_DIR=build/compiled LINKASSAY_HOME=build/demo/home $(BIN)/linkassay demo -o build/demo/report.html

test: $(READY) browser
	$(BIN)/pytest -n 2 --dist worksteal --durations 25

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

# The script of the pages is plain JavaScript with types in its comments, which TypeScript checks.
script-types:
	@if command -v npm >/dev/null; then \
	  test -x build/tsc/node_modules/.bin/tsc || npm install --silent --no-save --no-package-lock --prefix build/tsc typescript@5.9.3 >/dev/null; \
	  build/tsc/node_modules/.bin/tsc -p . && echo "types of the script: no error"; \
	else echo "note: npm is not installed: the types of the script are not checked"; fi

bench: $(READY) build/gilda/.usable
	$(BIN)/python -m bench

# A peer whose own needs do not go with constraints.txt.
build/gilda/.usable:
	$(PYTHON) -m venv build/gilda
	build/gilda/bin/python -m pip install --quiet --disable-pip-version-check gilda==1.6.1 pyarrow==26.0.1
	touch $@

# Small versions of the main rows: fails if one is slower than before, by more than 30 %.
bench-quick: $(READY)
	$(BIN)/python -m bench.quick

# Kills, noise, hostile servers, full disks, damaged homes: within an hour on two cores.
endure: $(READY)
	$(BIN)/python -m endure --write docs/reliability.md

# The report is tested in a real browser; where it cannot be installed those tests skip and say so.
browser:
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || { \
	  if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium chromium-driver >/dev/null; \
	  else echo "note: chromium and chromium-driver are not installed: the browser tests will be skipped"; fi; }

clean:
	rm -rf build
