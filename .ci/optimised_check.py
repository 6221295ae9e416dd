#!/usr/bin/env python3
"""Optimises the modules of client and service as a release does, up to the compiler's own intermediate code.

A release of the service takes longer to build than the whole gate may. What only such a build tells is that the compiler
itself fails, on code that is right: it crashes on some patterns after `catch`. Needs what the stage `build` has built; the other
modules are in the tool that the stage `release` makes.
"""

import json
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLAN = ROOT / ".build" / "debug.yaml"
FLOORS = "Broker", "Service", "Tool"
# What belongs to a build for tests, or names what it writes; these have a value after them.
WITH_VALUE = {"-emit-module-path", "-emit-objc-header-path", "-index-store-path", "-output-file-map"}
OTHERS = {"-Onone", "-c", "-emit-dependencies", "-emit-module", "-emit-objc-header", "-enable-batch-mode", "-enable-testing",
          "-incremental", "-parseable-output", "-serialize-diagnostics", "-DDEBUG"}


def commands():
    """How SwiftPM compiles each module of these floors, by its name."""
    found = {}
    for name, line in re.findall(r'^  "C\.(\w+)-[^"]*\.module":\n(?:    .*\n)*?    args: (\[.*\])$', PLAN.read_text(), re.M):
        if any((ROOT / "Sources" / floor / name).exists() for floor in FLOORS):
            found[name] = json.loads(line)
    return found


def optimising(command):
    arguments = iter(command)
    kept = []
    for argument in arguments:
        if argument in WITH_VALUE:
            next(arguments)
        elif argument not in OTHERS:
            kept.append(argument)
    return [*kept, "-O", "-wmo", "-emit-sil", "-o", "/dev/null"]


def main():
    modules = commands()
    assert {"TVEService", "tve"} <= modules.keys(), f"{PLAN} has no build of everything"
    failed = []
    for name in sorted(modules):
        start = time.monotonic()
        done = subprocess.run(optimising(modules[name]), cwd=ROOT, capture_output=True, text=True)
        print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)
        if done.returncode:
            said = done.stderr.splitlines()
            print(*said[:10], *(line for line in said[10:] if line.startswith(("3.", "4.", " for "))), sep="\n")
            failed.append(name)
    if failed:
        sys.exit(f"not optimised: {', '.join(failed)}; a release of the service cannot be built")


main()
