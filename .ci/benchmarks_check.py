"""Type-checks the benchmarks that need nothing but what the release build has, and compiles their C code.

    python3 .ci/benchmarks_check.py BUILT    BUILT is what `swift build --show-bin-path` prints, with all traits

They see the modules as another package would: only what is public. Building them would take some minutes, since their package
builds all dependencies once more.
"""

import sys
import tempfile
from pathlib import Path

from docs import run
from snippets import ROOT, module_options

PROGRAMS = ("ClientCalls", "RecordChanges", "RedisRedemptions", "SimulatedDecisions", "StoreRedemptions")
BENCHMARKS = ROOT / "Benchmarks"


def main() -> None:
    """Checks all of them."""
    built = Path(sys.argv[1]).resolve()
    headers = BENCHMARKS / "Sources/BareRecords/include"
    floor = BENCHMARKS / "Sources/Floor/include/floor.h"
    with tempfile.TemporaryDirectory() as folder:
        # SwiftPM writes such files for targets in C.
        module = Path(folder, "module.modulemap")
        module.write_text(f'module BareRecords {{ umbrella header "{headers}/bare_records.h" export * }}\n'
                          f'module Floor {{ umbrella header "{floor}" export * }}\n')
        # The package of the benchmarks has no upcoming feature.
        options = [*module_options(built), "-disable-upcoming-feature", "MemberImportVisibility",
                   "-Xcc", f"-fmodule-map-file={module}"]
        for program in PROGRAMS:
            sources = sorted(map(str, (BENCHMARKS / "Benchmarks" / program).glob("*.swift")))
            run("swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-warnings-as-errors", "-wmo",
                "-module-name", program, *options, *sources)
    run("clang", "-fsyntax-only", "-Wall", "-Werror", "-I", str(headers),
        *map(str, (BENCHMARKS / "Sources/BareRecords").glob("*.c")))
    print(f"{len(PROGRAMS)} programs")


if __name__ == "__main__":
    main()
