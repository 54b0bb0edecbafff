# `make` alone lists the targets.
PREFIX  = /usr/local
DESTDIR =
SWIFT   = swift

# The same flags as in Scripts/test: what `make lint` compiled, the tests need not compile again.
STRICT  = --build-tests -Xswiftc -warnings-as-errors
SOURCES = Package.swift Sources Tests Examples $(wildcard Benchmarks)
BINARY  = .build/release/livequery

.PHONY: help run demo test soak soak-postgres interruptions faults writers simulate hostile tsan asan lint format \
  docs bench sample pictures dist install uninstall

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

run: ## open the sample database with its dashboard
	@Scripts/run

demo: ## the same, while another process commits to it
	@Scripts/demo

test: ## build and run all tests
	@Scripts/test

soak: ## random work against the noticing of tables; SECONDS=600 SEED=7, else a minute and a new seed; COMMITS=… or COMPARISONS=…
	@Scripts/soak $(if $(COMMITS),--commits $(COMMITS),$(if $(COMPARISONS),--comparisons $(COMPARISONS),$(or $(SECONDS),60))) $(SEED)

soak-postgres: ## writers on a PostgreSQL server against --stream; ROUNDS=200 SEED=7
	LIVEQUERY_POSTGRES_ROUNDS=$(or $(ROUNDS),100) $(if $(SEED),LIVEQUERY_SEED=$(SEED)) \
	  Scripts/test --filter ServerOracleTests

interruptions: ## cancel and interrupt reads and writes at random moments; COUNT=100000 SEED=7
	LIVEQUERY_INTERRUPTIONS=$(or $(COUNT),10000) $(if $(SEED),LIVEQUERY_SEED=$(SEED)) \
	  Scripts/test --filter InterruptionSoakTests

faults: ## let SQLite fail at every call, and check what is left; EVERY=16 leaves out most of the later ones
	@Scripts/faults $(or $(EVERY),1) $(ONLY)

writers: ## foreign writers of all kinds against --stream; SECONDS=600 SEED=7 ONLY=… WITHOUT=…
	@Scripts/writers --seconds $(or $(SECONDS),60) --seed $(or $(SEED),1) $(if $(ONLY),--only $(ONLY)) \
	  $(if $(WITHOUT),--without $(WITHOUT)) $(if $(PROGRAM),--program $(PROGRAM)) $(WRITERS)

simulate: ## random histories of commits and looks in a model; SECONDS=600 SEED=7
	@LIVEQUERY_SIMULATE_SECONDS=$(or $(SECONDS),60) LIVEQUERY_SIMULATE_SEED=$(or $(SEED),1) \
	  LIVEQUERY_SIMULATE_GAPS=$(GAPS) Scripts/test --filter SimulationTests

tsan: ## run the tests of the libraries under the thread sanitizer
	@Scripts/sanitize thread

asan: ## run tests of what reads foreign bytes under the address sanitizer
	@Scripts/sanitize address

hostile: ## damaged and crafted files against what reads them; SECONDS=900 SEED=7, else a minute and a new seed
	@Scripts/hostile $(or $(SECONDS),60) $(SEED)

lint: ## check format, layers, plain words, examples and warnings, and change nothing
	@Scripts/prerequisites build
	$(SWIFT) format lint --strict -r $(SOURCES)
	Scripts/check-layers
	Scripts/check-english
	@Scripts/house >/dev/null
	Scripts/check-examples
	@for decision in Docs/decisions/0*.md; do grep -q "($$(basename $$decision))" Docs/decisions/README.md \
	  || { echo "Docs/decisions/README.md does not name $$decision"; exit 1; }; done
	$(SWIFT) build $(STRICT)
	Scripts/check-linked

format: ## format all Swift files in place
	$(SWIFT) format -i -r $(SOURCES)

docs: ## build the documentation of the library into .build/docs
	@Scripts/docs

# Without a fresh plan SwiftPM does not see files that were added to the package it depends on.
bench: ## measure, print a table and write .build/bench.json; ONLY=observers,own for some rows, and of tpch SCALE=0.1 QUERIES=q1,q6 SECONDS=240
	$(SWIFT) run -c release --disable-build-manifest-caching --package-path Benchmarks Benchmarks \
	  $(if $(ONLY),--only $(ONLY)) $(if $(SCALE),--scale $(SCALE)) \
	  $(if $(QUERIES),--queries $(QUERIES)) $(if $(SECONDS),--seconds $(SECONDS))

sample: ## build sample.db anew from Scripts/sample.sql
	@Scripts/make-sample

pictures: ## make the pictures of the README from scripted screens; PICTURES="northwind=FILE" adds those of a database
	@Scripts/pictures $(PICTURES)

dist: ## make an archive for any Debian 12 or later, and a Debian package, in .build/dist
	@Scripts/dist

# Built when missing or older than a source: `make install`, then or at once with sudo.
$(BINARY): Package.swift $(shell find Sources -type f)
	@Scripts/prerequisites build
	@Scripts/build-release livequery
	@touch $(BINARY)

install: $(BINARY) ## install the program, its manual, themes and dashboards below PREFIX (/usr/local), honouring DESTDIR
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1"
	install -m 755 $(BINARY) "$(DESTDIR)$(PREFIX)/bin/livequery"
	install -m 644 Docs/livequery.1 "$(DESTDIR)$(PREFIX)/share/man/man1/livequery.1"
	install -d "$(DESTDIR)$(PREFIX)/share/livequery/themes"
	install -m 644 share/livequery/themes/*.theme "$(DESTDIR)$(PREFIX)/share/livequery/themes"
	install -d "$(DESTDIR)$(PREFIX)/share/livequery/dashboards"
	install -m 644 share/livequery/dashboards/*.sql "$(DESTDIR)$(PREFIX)/share/livequery/dashboards"

uninstall: ## remove what install put there
	rm -f "$(DESTDIR)$(PREFIX)/bin/livequery"
	rm -f "$(DESTDIR)$(PREFIX)/share/man/man1/livequery.1"
	rm -rf "$(DESTDIR)$(PREFIX)/share/livequery"
