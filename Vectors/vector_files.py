"""What the scripts that make vectors share: the command line, the comparison with `--check`, and the envelope.

A script puts this folder on its path, builds its files in memory and hands them to `main`.
"""

import argparse
import json
import pathlib
import sys

SOURCE = {"name": "swift-tve-tokens", "version": "1"}


class VectorFile:
    """One file to write: its name, its text, how many cases it holds, and how many of them there are of each kind."""

    def __init__(self, name, text, cases, counts=()):
        self.name = name
        self.content = text.encode()
        self.cases = cases
        self.counts = counts


def main(script, description, build):
    """Ends the process: 0 if the files were written or are unchanged, 1 if `--check` finds a difference.

    `script` is the path of the calling script, whose folder holds the files; `build` returns a list of `VectorFile`.
    """
    folder = pathlib.Path(script).resolve().parent
    check_only = parse_check(description)
    files = build()
    if check_only:
        different = differing(folder, {file.name: file.content for file in files})
        print(f"{', '.join(different)}: not what this script makes" if different else "unchanged")
        sys.exit(1 if different else 0)
    for file in files:
        (folder / file.name).write_bytes(file.content)
        print(f"{file.name}: {file.cases} cases, {len(file.content)} bytes")
        for kind, count in file.counts:
            print(f"{count:5} {kind}")
    sys.exit(0)


def parse_check(description):
    """Whether the command line has `--check`."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 if a file differs")
    return parser.parse_args().check


def differing(folder, contents):
    """The names of the files that are missing or have other bytes than `contents` says."""
    return [
        name
        for name, content in contents.items()
        if not (folder / name).exists() or (folder / name).read_bytes() != content
    ]


def envelope(algorithm, *, tests, header, notes, groups, schema=None):
    """The whole text of a file in the envelope of Wycheproof, version 1."""
    document = {"algorithm": algorithm}
    if schema:
        document["schema"] = schema
    document |= {"numberOfTests": tests, "header": header, "notes": notes, "testGroups": groups}
    return json.dumps(document, indent=1) + "\n"


def notes_of(flags, notes):
    """The notes of the flags that are used, by name, each with the members that Wycheproof gives it."""
    return {
        flag: notes[flag] if isinstance(notes[flag], dict) else dict(zip(("bugType", "description"), notes[flag]))
        for flag in sorted(set(flags))
    }
