# Start with `make demo`, then `make test`. Both install missing libraries, or print the command that installs them.

SHELL := /bin/bash
PYTHON ?= python3
# Seconds for each fuzz target.
SECONDS_EACH ?= 600
# More options for every `swift build` and `swift test`; .ci/run turns warnings into errors with it.
BUILD_FLAGS ?=
# More options for `swift test`.
TEST_FLAGS ?=
# Everything except client, simulator and service, whose libraries take some minutes to build; .ci/run builds them, too.
TRAITS := CLI,Redis
# SwiftPM names traits to the compiler in an order that is random in each run, and another order builds everything anew.
# Where hashing is not random, the order stays.
SWIFT_BUILD := SWIFT_DETERMINISTIC_HASHING=1 swift build
FUZZ_TARGETS := $(notdir $(wildcard Fuzz/Fuzz*))
SWIFT_SOURCES := Package.swift Sources Tests Fuzz Benchmarks Examples/app-sdk

# Homebrew does not link openssl@3 into its own folders, so pkg-config needs its path.
ifeq ($(shell uname),Darwin)
export PKG_CONFIG_PATH := $(shell brew --prefix openssl@3 2>/dev/null)/lib/pkgconfig:$(PKG_CONFIG_PATH)
endif

.PHONY: help help-all demo tv app-sdk release pins install uninstall deb wheel deb-check debian-test image-check test docs ci \
    fuzz benchmarks vectors-check deep threads gateway gateway-figures session-figures sizing faults format lint clean prepare

help:
	@echo 'make demo           a tour of the tool on throw-away keys, without server or network'
	@echo 'make test           test library and tool (Redis, if there is a redis-server), and vectors-check;'
	@echo '                    with client, simulator and service: TRAITS=CLI,Redis,Service'
	@echo 'make tv             a web app and a TV in your browser, against a simulated broker (needs nginx)'
	@echo 'make release        build the tool as .build/tool/release/tve; with the service: TRAITS=CLI,Redis,Service'
	@echo 'make install        install it with man pages and completions in PREFIX=/usr/local (DESTDIR= for packages)'
	@echo 'make deb            make a Debian package of the tool and the service in .build/deb'
	@echo 'make wheel          make a wheel for Python of the tool and Examples/python/tve.py in .build/wheel (Linux)'
	@echo 'make docs           build articles, tutorial and reference as one site: .build/docs'
	@echo 'make format         format all Swift sources'
	@echo 'make ci             the gate: every check that a change must pass (about 15 minutes)'
	@echo 'make help-all       all targets'

help-all: help
	@echo
	@echo 'make app-sdk        test the package for apps of Examples/app-sdk; with TVE=PATH also against that tool'
	@echo 'make uninstall      remove what make install made'
	@echo 'make pins           look up what is newest of the packages that the tool is built from, and pin it'
	@echo 'make deb-check      install, start, upgrade and purge the package in a root of Debian 13 (needs root, debootstrap)'
	@echo 'make debian-test    run make test in such a root, with its OpenSSL 3.5'
	@echo 'make image-check    do what Examples/service/Containerfile says in such a root, and start the service'
	@echo 'make deep           what takes longer, before a release (hours); one of them: CHECK=times; .ci/deep.py --list names all'
	@echo 'make fuzz           run each fuzz target for SECONDS_EACH=$(SECONDS_EACH) seconds'
	@echo 'make benchmarks     measure the operations, and write Benchmarks/results (needs valgrind; about 15 minutes)'
	@echo 'make threads        run the tests of service, client and flows under ThreadSanitizer (Linux, about 15 minutes)'
	@echo 'make gateway        2,000 sign-ins at three replicas that are killed and drained (needs nginx, Redis, python3-venv; 10 minutes)'
	@echo 'make faults         break what the service stands on, and count tokens (needs nginx, Redis, python3-venv; 5 minutes)'
	@echo 'make gateway-figures measure what the gateway costs (needs Redis, python3-venv; about 4 minutes)'
	@echo 'make session-figures measure what a segment costs beside BARE_ROUTE=PATH, the product BareRoute (needs wrk, python3-venv)'
	@echo 'make sizing         measure memory by connections, processor time by request, waits in a flood (needs Redis, wrk, python3-venv)'
	@echo 'make vectors-check  make the vectors again from their scripts and compare'
	@echo 'make lint           list the Swift sources that are not formatted'
	@echo 'make clean          remove all build products'

# Demo and tests share one build folder and the same flags, so the second command is quick.
demo: prepare
	@[ -d .build/debug ] || echo 'Building; the first time this takes a few minutes.' >&2
	@$(SWIFT_BUILD) --traits $(TRAITS) $(BUILD_FLAGS) --quiet --product tve >&2
	@"$$($(SWIFT_BUILD) --traits $(TRAITS) $(BUILD_FLAGS) --quiet --show-bin-path)/tve" demo

# Runs the tool that TVE names, or else that of `make release` with the service. TV_FLAGS are options of start.py.
TVE ?=
TV_FLAGS ?=
tv: prepare
	@$(PYTHON) Examples/tv/start.py --look
	@[ -n '$(TVE)' ] || [ -x .build/tool/release/tve ] || echo 'Building; the first time this takes some minutes.' >&2
	@[ -n '$(TVE)' ] || $(MAKE) --no-print-directory release TRAITS=CLI,Redis,Service
	@tool='$(TVE)'; exec $(PYTHON) Examples/tv/start.py --tve "$${tool:-.build/tool/release/tve}" $(TV_FLAGS)

# The package for apps is one of its own. Without TVE its tests of a real gateway are skipped.
APP_SDK := --package-path Examples/app-sdk --scratch-path .build/app-sdk -Xswiftc -warnings-as-errors
app-sdk:
	@$(SWIFT_BUILD) $(APP_SDK) --build-tests --quiet >&2
	@$(if $(TVE),TVE='$(abspath $(TVE))') .ci/run_tests .build/test-app-sdk.log $(APP_SDK)

# Loading libraries takes longer than a verification, so on Linux the Swift and C++ libraries are linked statically; those
# that Debian mends (OpenSSL, SQLite, expat, hiredis) are not. The linker finds the static libstdc++ in .build/cxx first.
# No path of this machine stays in the tool. All addresses are filled in at the start (-z now), then the table that holds
# them is read-only. C code guards its stack.
PRODUCT := tve
RELEASE_FLAGS = -c release --product $(PRODUCT) --scratch-path .build/tool
ifneq ($(shell uname),Darwin)
RELEASE_FLAGS += --static-swift-stdlib --disable-local-rpath -Xlinker -L$(CURDIR)/.build/cxx \
    -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xlinker -z -Xlinker noexecstack -Xcc -fstack-protector-strong
endif

# The tool without server; `make release TRAITS=CLI,Redis,Service` builds all of it. The packages of the service have the
# versions of NOTICES.md, so that a commit gives the same tool tomorrow; what was built with others does not stay. The tool
# without server has one package, and its build leaves alone what SwiftPM has resolved for a build beside it. The linker warns of
# a function of Foundation that the tool does not call.
PINS = $(PYTHON) Packaging/pins $(1) --traits $(TRAITS) --scratch-path .build/tool --quiet
# Symbols are for those who build, and more than half of the file: what is installed or packed is a copy without them.
STRIP := strip $(if $(filter Darwin,$(shell uname)),-x)
SIZE = $$(awk "BEGIN { printf \"%.1f MB\", $$(wc -c <$(1)) / 1000000 }")
release: TRAITS := CLI
release: prepare
	@mkdir -p .build/cxx
	@ln -sf "$$(clang -print-file-name=libstdc++.a)" .build/cxx/libstdc++.a
	@$(if $(findstring Service,$(TRAITS)),$(call PINS,use))
	@set -o pipefail; $(SWIFT_BUILD) --traits $(TRAITS) $(RELEASE_FLAGS) --quiet 2>&1 \
		| { grep -v '^/.*libFoundationEssentials.*the use of .mktemp' || true; } >&2
	@$(if $(findstring Service,$(TRAITS)),$(call PINS,check) || { rm -f .build/tool/release/$(PRODUCT); exit 1; })
	@tool=.build/tool/release/$(PRODUCT); stripped=$$(mktemp) && command -v strip >/dev/null && $(STRIP) -o "$$stripped" "$$tool" \
		&& echo "$$tool: $(call SIZE,"$$tool"), $(call SIZE,"$$stripped") without symbols" >&2; rm -f "$$stripped"

pins:
	@$(PYTHON) Packaging/pins renew

# Installs the tool that TVE names, or that of `make release`, which is built first if it is not there, without its symbols.
# Pages and completions are those of this very tool.
PREFIX ?= /usr/local
DESTDIR ?=
PLACE = $(DESTDIR)$(PREFIX)
COMPLETIONS := bash:bash-completion/completions/tve zsh:zsh/site-functions/_tve fish:fish/vendor_completions.d/tve.fish
install:
	@tool='$(TVE)'; [ -n "$$tool" ] || { tool=.build/tool/release/tve; \
		[ -x "$$tool" ] || $(MAKE) --no-print-directory release || exit 1; }; \
	umask 022; set -e; \
	mkdir -p '$(PLACE)/bin' '$(PLACE)/share/man/man1'; \
	stripped=$$(mktemp); trap 'rm -f "$$stripped"' EXIT; \
	if command -v strip >/dev/null; then $(STRIP) -o "$$stripped" "$$tool"; else cp "$$tool" "$$stripped"; fi; \
	install -m 755 "$$stripped" '$(PLACE)/bin/tve'; \
	rm -f '$(PLACE)'/share/man/man1/tve-*.1; \
	$(PYTHON) .ci/install/manuals.py "$$tool" '$(PLACE)/share/man/man1'; \
	for pair in $(COMPLETIONS); do \
		file='$(PLACE)/share/'"$${pair#*:}"; \
		mkdir -p "$${file%/*}"; \
		"$$tool" --generate-completion-script "$${pair%%:*}" > "$$file"; \
	done

# The man pages of all commands begin with the name of the tool.
uninstall:
	@rm -f '$(PLACE)/bin/tve' '$(PLACE)/share/man/man1/tve.1' '$(PLACE)'/share/man/man1/tve-*.1 \
		$(foreach pair,$(COMPLETIONS),'$(PLACE)/share/$(lastword $(subst :, ,$(pair)))')

# Packs the tool that TVE names, or builds one. DEBFULLNAME and DEBEMAIL say who maintains the package.
deb:
	@tool='$(TVE)'; [ -n "$$tool" ] || { tool=.build/tool/release/tve; \
		$(MAKE) --no-print-directory release TRAITS=CLI,Redis,Service || exit 1; }; \
	Packaging/deb "$$tool" .build/deb

# Packs the tool that TVE names, or builds one: that without server, if TRAITS names no others.
wheel:
	@tool='$(TVE)'; [ -n "$$tool" ] || { tool=.build/tool/release/tve; \
		$(MAKE) --no-print-directory release || exit 1; }; \
	$(PYTHON) Packaging/wheel "$$tool" .build/wheel

# DEB names a package for Debian 13; without it, one is built there.
DEB ?=
deb-check:
	@.ci/debian/package $(DEB)

debian-test:
	@.ci/debian/test

image-check:
	@.ci/debian/image

# Keeps the whole output in .build/test.log, and shows which tests failed and how many ran.
test: prepare
	@[ -d .build/debug ] || echo 'Building; the first time this takes a few minutes.' >&2
	@$(SWIFT_BUILD) --traits $(TRAITS) $(BUILD_FLAGS) --quiet --build-tests >&2
	@.ci/run_tests .build/test.log --traits $(TRAITS) $(BUILD_FLAGS) -- $(TEST_FLAGS)
	@$(MAKE) --no-print-directory vectors-check

# Skips the scripts, and says so, if Python lacks the packages that requirements.txt pins; with ALL_VECTORS that is a failure.
vectors-check:
	@pinned=$$(sed 's/.*==//' Vectors/media_tokens/requirements.txt | tr '\n' ' '); \
	found=$$($(PYTHON) -c 'import cryptography, jwt; print(cryptography.__version__, jwt.__version__, "")' \
		2>/dev/null || true); \
	if [ "$$found" != "$$pinned" ]; then \
		wanted=$$(sed 's/==/ /; $$!s/$$/ and/' Vectors/media_tokens/requirements.txt | tr '\n' ' '); \
		echo "skipped: vectors-check, for want of $$wanted(found: $${found:-none}). With them:" \
			'python3 -m venv .build/venv && .build/venv/bin/pip install --require-hashes -r .ci/requirements/vectors.txt' \
			'&& make vectors-check PYTHON=.build/venv/bin/python'; \
		[ -z '$(ALL_VECTORS)' ]; \
	else \
		printf '%s\n' Vectors/*/make_*.py | xargs -P 4 -I '{}' sh -c \
			'said=$$($(PYTHON) {} --check) || { echo "{} --check: $$said"; exit 1; }; echo "{} --check: $${said:-ok}"'; \
	fi

# One site of all modules, so all traits are built. Any server of files shows it.
DOCS := --traits CLI,Redis,Service $(BUILD_FLAGS)
docs: prepare
	@$(SWIFT_BUILD) $(DOCS) --quiet >&2
	@$(PYTHON) .ci/docs.py "$$($(SWIFT_BUILD) $(DOCS) --quiet --show-bin-path)" .build/docs
	@echo 'Look at it: $(PYTHON) -m http.server --directory .build/docs, then http://localhost:8000/'

ci:
	@.ci/run

# What passed, and on which commit, is noted in .ci/deep.json.
CHECK ?=
deep: prepare
	@.ci/deep.py $(CHECK)

# The tests of service and client run one after the other, because some wait by the machine's clock, which ThreadSanitizer makes
# short. Those of the flows and of the devices' records run beside each other; figures of memory and processes that are killed
# say nothing here.
THREADS := --traits CLI,Redis,Service --scratch-path .build/tsan --sanitize=thread
THREADS_OF_SERVICE := --no-parallel --filter ^TVEServiceTests --filter ^BrokerClientTests --skip LeakTests --skip PacerMemoryTests
THREADS_OF_FLOWS := --filter EntitlementFlowsTests --filter ^DeviceRecordsTests --skip SessionMemoryTests --skip ReplicaTests
threads: prepare
	@$(SWIFT_BUILD) $(THREADS) $(BUILD_FLAGS) --quiet --build-tests >&2
	@clang -shared -fPIC -O1 -Wall -Werror -o .build/tsan/mutex.so .ci/tsan_mutex.c
	@failed=0; for part in 'service $(THREADS_OF_SERVICE)' 'flows $(THREADS_OF_FLOWS)'; do \
		log=.build/test-tsan-$${part%% *}.log; \
		TSAN_OPTIONS=suppressions=$$PWD/.ci/tsan.supp:print_suppressions=0 \
			TVE_TEST_PRELOAD=$$PWD/.build/tsan/mutex.so .ci/run_tests $$log $(THREADS) $(BUILD_FLAGS) -- $${part#* } \
			|| { failed=1; grep -A 40 'WARNING: ThreadSanitizer' $$log | head -n 120; }; \
	done; exit $$failed

# The tool with the service and Redis, unless TVE names one; CI has the Python packages in .build/service.
GATEWAY_BUILD := -c release --traits CLI,Redis,Service $(BUILD_FLAGS) --product tve --quiet
VIEWERS ?= 2000
# Options of .ci/faults.py, such as FAULTS='--only redis-stalls'.
FAULTS ?=
gateway gateway-figures session-figures sizing faults: prepare
	@[ -x .build/python-vectors/bin/python ] || python3 -m venv .build/python-vectors
	@.build/python-vectors/bin/python -m pip install --quiet --require-hashes -r .ci/requirements/vectors.txt
	@[ -n '$(TVE)' ] || $(SWIFT_BUILD) $(GATEWAY_BUILD) >&2
	@tool='$(TVE)'; tool="$${tool:-$$($(SWIFT_BUILD) $(GATEWAY_BUILD) --show-bin-path)/tve}"; export PATH=$$PATH:/usr/sbin; \
		if [ $@ = gateway ]; then .build/python-vectors/bin/python .ci/gateway_check.py "$$tool" $(VIEWERS); \
		elif [ $@ = faults ]; then .build/python-vectors/bin/python .ci/faults.py "$$tool" $(FAULTS); \
		else .build/python-vectors/bin/python .ci/figures.py "$$tool" $(@:-figures=) $(if $(BARE_ROUTE),--bare $(BARE_ROUTE)); fi

fuzz: prepare
	@set -e; for target in $(FUZZ_TARGETS); do Fuzz/run.sh "$$target" $(SECONDS_EACH); done

benchmarks: prepare
	@Benchmarks/run.sh

format:
	@swift format --in-place --recursive --parallel $(SWIFT_SOURCES)

lint:
	@swift format lint --strict --recursive --parallel $(SWIFT_SOURCES)

clean:
	rm -rf .build Benchmarks/.build

prepare:
	@.ci/prepare
