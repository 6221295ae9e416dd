# Everything a newcomer needs: `make demo`, then `make test`. Both install what is missing, or say what to install.

SHELL := /bin/bash
PYTHON ?= python3
# Seconds for each fuzz target.
SECONDS_EACH ?= 600
# More words for every `swift build` and `swift test`; .ci/run makes warnings errors with it.
BUILD_FLAGS ?=
# More words for `swift test`.
TEST_FLAGS ?=
# All but the service, whose libraries take some minutes to build; .ci/run has it too.
TRAITS := --traits CLI,Redis
FUZZ_TARGETS := $(notdir $(wildcard Fuzz/Fuzz*))
SWIFT_SOURCES := Package.swift Sources Tests Fuzz Benchmarks

# Homebrew links openssl@3 nowhere; without this pkg-config does not find it.
ifeq ($(shell uname),Darwin)
export PKG_CONFIG_PATH := $(shell brew --prefix openssl@3 2>/dev/null)/lib/pkgconfig:$(PKG_CONFIG_PATH)
endif

.PHONY: help demo release test ci fuzz benchmarks vectors-check threads format lint clean prepare

help:
	@echo 'make demo           a tour of the tool on throw-away keys: no server, no network'
	@echo 'make release        the tool to keep: .build/tool/release/tve'
	@echo 'make test           all tests that need no server, and the check of the vectors'
	@echo 'make ci             everything that must hold before a change goes in (about an hour)'
	@echo 'make fuzz           each fuzz target for SECONDS_EACH=$(SECONDS_EACH) seconds'
	@echo 'make benchmarks     measure everything, and write Benchmarks/results (about 15 minutes)'
	@echo "make threads        the service's tests under ThreadSanitizer (Linux, about 10 minutes)"
	@echo 'make vectors-check  make the vectors again with another implementation and compare'
	@echo 'make format         format all Swift sources'
	@echo 'make lint           say which Swift sources are not formatted'
	@echo 'make clean          remove everything that was built'

# Demo and tests share one build folder and the same flags, so the second command is quick.
demo: prepare
	@[ -d .build/debug ] || echo 'Building; the first time this takes a few minutes.' >&2
	@swift build $(TRAITS) $(BUILD_FLAGS) --quiet --product tve >&2
	@"$$(swift build $(TRAITS) $(BUILD_FLAGS) --quiet --show-bin-path)/tve" demo

# Loading libraries takes longer than a verification, so on Linux Swift's and C++'s become part of the program: the linker
# finds no other libstdc++ before the one in .build/cxx.
RELEASE_FLAGS := -c release --product tve --scratch-path .build/tool
ifneq ($(shell uname),Darwin)
RELEASE_FLAGS += --static-swift-stdlib --disable-local-rpath -Xlinker -L$(CURDIR)/.build/cxx
endif

release: prepare
	@mkdir -p .build/cxx
	@ln -sf "$$(clang -print-file-name=libstdc++.a)" .build/cxx/libstdc++.a
	@swift build $(RELEASE_FLAGS) --quiet >&2

# The whole output is kept in .build/test.log; on the terminal, what failed and how many ran.
test: prepare
	@[ -d .build/debug ] || echo 'Building; the first time this takes a few minutes.' >&2
	@swift build $(TRAITS) $(BUILD_FLAGS) --quiet --build-tests >&2
	@set -o pipefail; swift test $(TRAITS) $(BUILD_FLAGS) $(TEST_FLAGS) --skip-build --disable-xctest 2>&1 \
		| tee .build/test.log | awk -f .ci/test-summary.awk
	@$(MAKE) --no-print-directory vectors-check

# Needs the one pinned package of requirements.txt, which not everybody has; what was skipped says so.
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

# One after the other, since they measure how long the service waits.
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
