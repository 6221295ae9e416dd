"""Prints a Containerfile as commands of a shell, one for each instruction: `run 'apt-get …'`, `copy . .`, `user 10001:10001`.

    containerfile.py steps CONTAINERFILE     who runs them defines what each does
    containerfile.py context DOCKERIGNORE    the files that a build may copy, relative to the present folder, each ended by NUL
"""

import json
import os
import re
import shlex
import sys


def instructions(text):
    """Each with its name and the rest; lines that go on are joined, and comments are left out, also between them."""
    joined = ""
    for line in text.splitlines():
        if line.lstrip().startswith("#") or not line.strip():
            continue
        joined += line
        if joined.endswith("\\"):
            joined = joined[:-1] + " "
            continue
        name, _, rest = joined.strip().partition(" ")
        yield name.upper(), rest.strip()
        joined = ""


def words(name, rest):
    if name == "HEALTHCHECK":
        options, _, command = rest.partition("CMD ")
        assert all(option.startswith("--") for option in options.split()), rest
        return json.loads(command)
    if name in ("ENTRYPOINT", "CMD"):
        return json.loads(rest)
    return [rest] if name == "RUN" else rest.split()


def steps(path):
    for name, rest in instructions(open(path).read()):
        print(name.lower(), *(shlex.quote(word) for word in words(name, rest)))


def pattern(text):
    """A rule of .dockerignore: `**` stands for any folders, `*` for any characters but the slash."""
    parts = re.split(r"(\*\*/|\*|\?)", text.strip("/"))
    kinds = {"**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}
    # What is in a folder belongs to it.
    return re.compile("".join(kinds.get(part) or re.escape(part) for part in parts) + "(?:/.*)?")


def context(path):
    lines = [line.strip() for line in open(path).read().splitlines()]
    rules = [(pattern(line.removeprefix("!")), line.startswith("!")) for line in lines if line and not line.startswith("#")]
    for folder, folders, files in os.walk("."):
        # Neither is let through, and both are large.
        folders[:] = [name for name in folders if os.path.join(folder, name) not in ("./.git", "./.build")]
        for file in (os.path.relpath(os.path.join(folder, name)) for name in files):
            # The last rule that speaks of a file decides.
            if ([True] + [lets for rule, lets in rules if rule.fullmatch(file)])[-1]:
                sys.stdout.write(file + "\0")


{"steps": steps, "context": context}[sys.argv[1]](sys.argv[2])
