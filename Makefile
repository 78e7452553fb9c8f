# One verb a target; `make help` lists them. ARGS reaches the command behind serve, test, bench
# and lock: make test ARGS="-k list".

PORT ?= 8080
ARGS ?=
PG_CONFIG ?= pg_config
POSTGRESQL_15 ?= /usr/lib/postgresql/15/bin

# Programs that tests run and pip does not install, by the names of programs and their packages.
CHROMIUM = chromium-headless-shell/chromium/google-chrome
TOOLS = $(CHROMIUM) firefox-esr/firefox nginx caddy haproxy pgbouncer curl openssl \
	systemd-analyze:systemd systemd-socket-activate:systemd git age age-keygen:age
export PATH := $(CURDIR)/.tools/bin:$(PATH):/usr/local/sbin:/usr/sbin:/sbin

.PHONY: help serve test test-oldest test-citus quick without check format docs picture bench lock release clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1	\2/p' Makefile

serve: ## run the service on PORT (8080); Ctrl-C stops it
	@scripts/setup
	@.venv/bin/python -m building
	@exec .venv/bin/plantstore serve --welcome --port $(PORT) $(ARGS)

test: ## run all tests
	@scripts/setup dev
	@scripts/need $(TOOLS) || echo "Tests of missing programs fail; all others run." >&2
	@scripts/setup-javascript tests/clients
	@sync # or the tests' commits would wait until the installed files are on disk
	.venv/bin/pytest --numprocesses 3 $(ARGS) || { scripts/need $(TOOLS); exit 1; }

test-oldest: ## run the tests of PostgreSQL on the oldest supported version
	@scripts/setup dev
	@scripts/need pgbouncer
	POSTGRESQL_PROGRAMS=$(POSTGRESQL_15) .venv/bin/pytest --numprocesses 3 \
		-k postgres tests/contract tests/features/transfer/copying tests/plans tests/postgres $(ARGS)

test-citus: ## run the tests of databases on a cluster of Citus: PG_CONFIG=path of a pg_config with Citus
	@scripts/setup dev
	TEST_ON_CITUS=1 POSTGRESQL_PROGRAMS="$$($(PG_CONFIG) --bindir)" .venv/bin/pytest \
		--numprocesses 2 -k "postgres or citus" \
		tests/contract tests/faults tests/http \
		$(addprefix tests/features/,access changes citus events tags transfer webhooks) $(ARGS)

quick: ## run the tests that most changes need: HTTP, the port and SQLite, without PostgreSQL
	@scripts/setup dev
	.venv/bin/pytest --numprocesses 3 -k "not postgres and not schemathesis" \
		tests/http tests/contract tests/sqlite tests/test_*.py \
		tests/features/access tests/features/changes tests/features/events tests/features/logs tests/features/tags \
		tests/features/*/test_plant_fields.py $(ARGS)

without: ## run the remaining tests in a copy without FEATURE=NAME (all: without any feature)
	@scripts/setup dev
	@scripts/setup-javascript
	@scripts/need $(TOOLS) || echo "Tests of missing programs fail; all others run." >&2
	@scripts/without $(FEATURE) $(ARGS)

check: ## check style, types, the layers of imports, and the CI workflow
	@scripts/setup dev
	@scripts/setup-javascript .
	@scripts/check

format: ## format the code, and fix what ruff can fix safely
	@scripts/setup dev
	@scripts/setup-javascript .
	.venv/bin/ruff check --fix-only
	.venv/bin/ruff format
	node_modules/.bin/biome format --write src

docs: ## write docs/reference.md, and the table in ARCHITECTURE.md, from the code
	@scripts/setup dev
	.venv/bin/python -m tests.docs.reference > docs/reference.md
	.venv/bin/python -m tests.docs.sizes

picture: ## make the docs' pictures of the page, and a screenshot of each state of the page
	@scripts/setup dev
	@scripts/setup-javascript
	@scripts/need $(CHROMIUM)
	.venv/bin/python -m building
	.venv/bin/python -m tests.features.page.picture docs
	PLANTSTORE_PICTURES=1 .venv/bin/pytest tests/features/page/test_states.py --numprocesses 2

bench: ## measure the service beside nginx and pgbench
	@scripts/setup dev
	@scripts/need wrk nginx
	.venv/bin/python -m bench $(ARGS)

lock: ## pin the requirements' versions; ARGS=--upgrade for the newest
	@scripts/setup tools
	scripts/lock $(ARGS)

release: ## commit, tag and build a release: wheel, sdist and SBOM (CycloneDX) in dist/
	@scripts/setup dev
	@scripts/setup tools
	@scripts/release

clean: ## remove everything that these targets create
	rm -rf .venv* .tools node_modules tests/clients/node_modules .*_cache .hypothesis .screenshots build dist src/plantstore/built
	find src building tests bench -name __pycache__ -exec rm -rf {} +
