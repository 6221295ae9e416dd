"""Holds the imports of `Sources` to its floors, and `Sources/README.md` to its modules.

    python3 .ci/floors_check.py

A module imports those of its own floor and of the floors before it. The page of the floors names each module once, under its
floor.
"""

import pathlib
import re
import sys

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "Sources"
FLOORS = ["System", "Core", "Stores", "Playback", "Broker", "Service", "Tool"]
IMPORT = re.compile(r"^\s*(?:@\w+(?:\(\w+\))? +)*(?:public |package |internal |private |fileprivate )?import (?:\w+ )?(\w+)", re.M)


def main():
    faults = [f"Sources/{path.name} is no floor" for path in SOURCES.iterdir() if path.is_dir() and path.name not in FLOORS]
    floor_of = {path.name: floor for floor in FLOORS for path in (SOURCES / floor).iterdir() if path.is_dir()}
    for path in sorted(SOURCES.glob("*/*/**/*.swift")):
        floor, module = path.relative_to(SOURCES).parts[:2]
        if ".docc" in str(path):
            continue  # Programs of tutorials.
        for name in IMPORT.findall(path.read_text(encoding="utf-8")):
            if name in floor_of and FLOORS.index(floor_of[name]) > FLOORS.index(floor):
                faults.append(f"{path.relative_to(SOURCES.parent)}: {module} imports {name}, which is on a later floor")
    page = (SOURCES / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^## (\w+)|^- `(\w+)`", page, re.M)
    floor, found = "", []
    for heading, module in named:
        floor = heading or floor
        if module:
            found.append((module, floor))
    for entry in sorted(set(floor_of.items()) ^ set(found)):
        faults.append(f"Sources/README.md: {entry[0]} of {entry[1]} is {'not there' if entry in found else 'missing'}")
    faults += [f"Sources/README.md names {module} twice" for module in floor_of if sum(module == name for name, _ in found) > 1]
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{len(floor_of)} modules on {len(FLOORS)} floors")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
