# Everything here sets up .venv by itself; only python3 (3.11 or newer, with venv) and make are needed.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready

.PHONY: demo test test-slow check format lock bench tables clean
.DEFAULT_GOAL := demo

demo: $(READY)
	$(BIN)/tacit demo

test: $(READY)
	$(BIN)/python -m pytest

test-slow: $(READY)
	$(BIN)/python -m pytest -m slow -n 0 -s

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 0 -q tests/unit/test_layers.py tests/unit/test_proofs.py tests/test_docs.py

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/python benchmarks/speed.py

tables: $(READY)
	$(BIN)/python tools/tables.py

# Every version and hash, and no address: the same files whatever index they come from.
lock: $(READY)
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
	  --no-header --no-emit-index-url --no-emit-find-links --group dev pyproject.toml -o requirements.lock

clean:
	rm -rf .venv

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Tacit needs Python 3.11 or newer, this is " + sys.version.split()[0] + ": give PYTHON=…" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@
