# The few commands a person types. cargo and pip fetch everything they need beyond Rust and Python.

.PHONY: demo test oracles python python-tests bench fmt docs

# A private mean of the world's hundred largest cities.
demo:
	@echo "Building karcher, which takes a few minutes the first time."
	cargo run --quiet --release -p karcher-cli --no-default-features -- mean examples/cities.csv \
		--columns latitude,longitude --layout latlon \
		--manifold sphere:2 --center 25,80 --radius 0.9 --epsilon 1

# Format, lints, documentation and every test.
test:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet
	cargo test --workspace --quiet
	@$(MAKE) --no-print-directory oracles
	@$(MAKE) --no-print-directory python

# Other libraries' numbers, where Python can install them.
oracles:
	@if python3 -m venv .venv && .venv/bin/pip install --quiet --disable-pip-version-check dp-accounting numpy scipy; then \
		.venv/bin/python oracles/dp_accounting_agrees.py target/debug/karcher && \
		.venv/bin/python oracles/descriptors_agree.py target/debug/karcher; \
	else \
		echo "DP-ACCOUNTING AND SCIPY CANNOT BE INSTALLED: THE COMPARISONS DID NOT RUN."; \
	fi

# The Python package, built into .venv: type stubs, tests, doctests, examples.
python:
	@if python3 -m venv .venv && .venv/bin/pip install --quiet --disable-pip-version-check "maturin>=1.9,<2"; then \
		$(MAKE) --no-print-directory python-tests; \
	else \
		echo "PYTHON PACKAGES CANNOT BE INSTALLED: THE PYTHON PACKAGE WAS NOT TESTED."; \
	fi

# Optimised like `cargo test`, with which it shares compiled crates; a release would take minutes to build.
python-tests: export VIRTUAL_ENV = $(CURDIR)/.venv
python-tests: export CARGO_PROFILE_DEV_OPT_LEVEL = 2
python-tests: export PIP_QUIET = 1
python-tests: export PIP_DISABLE_PIP_VERSION_CHECK = 1
python-tests: export MPLBACKEND = Agg
python-tests:
	.venv/bin/maturin develop --quiet --extras test
	.venv/bin/python -m mypy crates/karcher-python/python/karcher
	.venv/bin/python -m mypy.stubtest karcher._karcher --mypy-config-file pyproject.toml
	.venv/bin/python oracles/composition_agrees.py
	.venv/bin/python -m pytest --quiet --doctest-modules crates/karcher-python/python crates/karcher-python/tests

bench:
	cargo bench --workspace

fmt:
	cargo fmt --all

docs:
	cargo doc --workspace --no-deps --open
