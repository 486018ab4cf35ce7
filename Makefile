# The few commands a person types. cargo fetches everything they need beyond Rust; `oracles` uses python3 where there is one.

.PHONY: demo test oracles bench fmt docs

# A private mean of the world's hundred largest cities.
demo:
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

# Other libraries' numbers, where Python can install them.
oracles:
	@if python3 -m venv .venv && .venv/bin/pip install --quiet --disable-pip-version-check dp-accounting numpy scipy; then \
		.venv/bin/python oracles/dp_accounting_agrees.py target/debug/karcher && \
		.venv/bin/python oracles/descriptors_agree.py target/debug/karcher; \
	else \
		echo "DP-ACCOUNTING AND SCIPY CANNOT BE INSTALLED: THE COMPARISONS DID NOT RUN."; \
	fi

bench:
	cargo bench --workspace

fmt:
	cargo fmt --all

docs:
	cargo doc --workspace --no-deps --open
