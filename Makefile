# Start with `make demo`, then `make test`. Both install missing libraries, or print the command that installs them.

SHELL := /bin/bash
PYTHON ?= python3
# Seconds for each fuzz target.
SECONDS_EACH ?= 600
# More options for every `swift build` and `swift test`; .ci/run turns warnings into errors with it.
BUILD_FLAGS ?=
# More options for `swift test`.
TEST_FLAGS ?=
# Everything except the service, whose libraries take some minutes to build; .ci/run builds it, too.
TRAITS := --traits CLI,Redis
FUZZ_TARGETS := $(notdir $(wildcard Fuzz/Fuzz*))
SWIFT_SOURCES := Package.swift Sources Tests Fuzz Benchmarks

# Homebrew does not link openssl@3 into its own folders, so pkg-config needs its path.
ifeq ($(shell uname),Darwin)
export PKG_CONFIG_PATH := $(shell brew --prefix openssl@3 2>/dev/null)/lib/pkgconfig:$(PKG_CONFIG_PATH)
endif

.PHONY: help demo release test ci fuzz benchmarks vectors-check threads format lint clean prepare

help:
	@echo 'make demo           a tour of the tool on throw-away keys, without server or network'
	@echo 'make release        build the tool as .build/tool/release/tve'
	@echo 'make test           run all tests that need no server, and vectors-check'
	@echo 'make ci             run every check that a change must pass (about an hour)'
	@echo 'make fuzz           run each fuzz target for SECONDS_EACH=$(SECONDS_EACH) seconds'
	@echo 'make benchmarks     measure everything, and write Benchmarks/results (about 15 minutes)'
	@echo "make threads        run the service's tests under ThreadSanitizer (Linux, about 10 minutes)"
	@echo 'make vectors-check  make the vectors again from their scripts and compare'
	@echo 'make format         format all Swift sources'
	@echo 'make lint           list the Swift sources that are not formatted'
	@echo 'make clean          remove all build products'

# Demo and tests share one build folder and the same flags, so the second command is quick.
demo: prepare
	@[ -d .build/debug ] || echo 'Building; the first time this takes a few minutes.' >&2
	@swift build $(TRAITS) $(BUILD_FLAGS) --quiet --product tve >&2
	@"$$(swift build $(TRAITS) $(BUILD_FLAGS) --quiet --show-bin-path)/tve" demo

# Loading libraries takes longer than a verification, so on Linux the Swift and C++ libraries are linked statically. The
# linker finds the static libstdc++ in .build/cxx first.
RELEASE_FLAGS := -c release --product tve --scratch-path .build/tool
ifneq ($(shell uname),Darwin)
RELEASE_FLAGS += --static-swift-stdlib --disable-local-rpath -Xlinker -L$(CURDIR)/.build/cxx
endif

release: prepare
	@mkdir -p .build/cxx
	@ln -sf "$$(clang -print-file-name=libstdc++.a)" .build/cxx/libstdc++.a
	@swift build $(RELEASE_FLAGS) --quiet >&2

# Keeps the whole output in .build/test.log, and shows which tests failed and how many ran.
test: prepare
	@[ -d .build/debug ] || echo 'Building; the first time this takes a few minutes.' >&2
	@swift build $(TRAITS) $(BUILD_FLAGS) --quiet --build-tests >&2
	@set -o pipefail; swift test $(TRAITS) $(BUILD_FLAGS) $(TEST_FLAGS) --skip-build --disable-xctest 2>&1 \
		| tee .build/test.log | awk -f .ci/test-summary.awk
	@$(MAKE) --no-print-directory vectors-check

# Skips each script, and says so, if Python lacks the one package that requirements.txt pins.
vectors-check:
	@pinned=$$(sed -n 's/^cryptography==//p' Vectors/media_tokens/requirements.txt); \
	found=$$($(PYTHON) -c 'import cryptography; print(cryptography.__version__)' 2>/dev/null || true); \
	for script in Vectors/*/make_*.py; do \
		if [ "$$found" != "$$pinned" ]; then \
			echo "skipped: $$script --check (needs Python 3.11 with cryptography $$pinned, found $${found:-none})"; \
		else \
			said=$$($(PYTHON) $$script --check) || { echo "$$script --check: $$said"; exit 1; }; \
			echo "$$script --check: $${said:-ok}"; \
		fi; \
	done

ci:
	@.ci/run

# These tests run one after the other, because they measure how long the service waits.
THREADS := --traits CLI,Redis,Service --scratch-path .build/tsan --sanitize=thread
threads: prepare
	@swift build $(THREADS) $(BUILD_FLAGS) --quiet --build-tests >&2
	@clang -shared -fPIC -O1 -Wall -Werror -o .build/tsan/mutex.so .ci/tsan_mutex.c
	@set -o pipefail; LD_PRELOAD=$$PWD/.build/tsan/mutex.so SWIFT_BACKTRACE=enable=no \
		"$$(swift build $(THREADS) $(BUILD_FLAGS) --quiet --show-bin-path)"/*PackageTests.xctest \
		--testing-library swift-testing --no-parallel --filter TVEServiceTests 2>&1 \
		| tee .build/test-tsan.log | awk -f .ci/test-summary.awk \
		|| { grep -A 40 'WARNING: ThreadSanitizer' .build/test-tsan.log | head -n 120; exit 1; }

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
