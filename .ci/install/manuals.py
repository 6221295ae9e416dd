#!/usr/bin/env python3
"""Writes one man page for each command of `tve`, from the help that the tool itself prints.

    python3 .ci/install/manuals.py PATH-OF-TVE FOLDER

The pages are man(7), in ASCII, and the same for the same tool: their date is that of the version in CHANGELOG.md.
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Characters that groff and mandoc would set as others, or read as commands.
SPECIAL = {"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti", '"': r"\(dq"}


def escaped(text):
    """Text as it is written in a page."""
    return "".join(SPECIAL.get(c, c if c.isascii() else f"\\[u{ord(c):04X}]") for c in text)


def bold(text):
    return rf"\fB{escaped(text)}\fR"


def italic(text):
    return rf"\fI{escaped(text)}\fR"


def line(text):
    """A line of input: a dot at its start would make it a command."""
    return rf"\&{text}" if text.startswith((".", "'")) else text


def literal(lines):
    return [".PP", ".nf", ".RS 4", *(line(escaped(text)) for text in lines), ".RE", ".fi"]


def commands(command, above=()):
    """Every command with the words before its name, but not `help`, which the parser adds."""
    yield above, command
    for below in command.get("subcommands", []):
        if below["commandName"] != "help":
            yield from commands(below, (*above, command["commandName"]))


def blocks(discussion):
    """The parts of a discussion: ("head" or "text", its text), or ("lines", its lines)."""
    for block in filter(None, discussion.split("\n\n")):
        lines = block.split("\n")
        if len(lines) == 1 and lines[0].split(":")[0].isupper():
            yield "head", lines[0]
            continue
        if not any("  " in text for text in lines):
            yield "text", " ".join(lines)
            continue
        if "  " not in lines[0] and lines[0].endswith(":"):
            yield "text", lines.pop(0)
        indent = min(len(text) - len(text.lstrip()) for text in lines)
        yield "lines", [text[indent:] for text in lines]


def sections(discussion):
    """What the discussion says, by the section of the page that it belongs to."""
    found = {"DESCRIPTION": [], "EXIT STATUS": [], "EXAMPLES": []}
    section = "DESCRIPTION"
    for kind, content in blocks(discussion):
        if kind == "text" and content in ("Example:", "Examples:"):
            section = "EXAMPLES"
        elif kind == "text" and content.startswith("Exit codes: "):
            found["EXIT STATUS"] += exit_codes(content.removeprefix("Exit codes: ").removesuffix("."))
        elif kind == "head":
            found["DESCRIPTION"] += [f".SS {escaped(content)}"]
        elif kind == "lines":
            found[section] += literal(content)
            section = "DESCRIPTION"
        else:
            found["DESCRIPTION"] += [".PP", line(escaped(content))]
    return found


def exit_codes(text):
    page = []
    for item in re.split(r"; (?=\d)", text):
        code, meaning = re.fullmatch(r"(\d+(?: (?:to|or|and) \d+)*),? (.*)", item).groups()
        page += [".TP", bold(code), line(escaped(meaning))]
    return page


def spelled(argument):
    """An option with its value, or the name of an argument."""
    value = italic(argument["valueName"]) if argument["kind"] != "flag" else ""
    if argument["kind"] == "positional":
        return value
    names = [("-" if name["kind"] == "short" else "--") + name["name"] for name in argument["names"]]
    return ", ".join(map(bold, names)) + (f" {value}" if value else "")


def synopsis(words, arguments, subcommands):
    parts = [bold(" ".join(words))]
    if subcommands:
        return " ".join([*parts, italic("subcommand")])
    options = [a for a in arguments if a["kind"] != "positional"]
    for argument in [a for a in options if not a["isOptional"]]:
        parts += [spelled(argument) + (r" \&..." if argument["isRepeating"] else "")]
    parts += [rf"[{italic('options')}]"]
    for argument in [a for a in arguments if a["kind"] == "positional"]:
        text = spelled(argument) + (r" \&..." if argument["isRepeating"] else "")
        parts += [f"[{text}]" if argument["isOptional"] else text]
    return " ".join(parts)


def described(argument):
    text = argument.get("abstract", "")
    if argument.get("allValues") and len(argument["allValues"]) > 1 and not all(v in text for v in argument["allValues"]):
        text += f" Values: {', '.join(argument['allValues'])}."
    if argument.get("defaultValue") and "default" not in text:
        text += f" Default: {argument['defaultValue']}."
    return [".TP", spelled(argument), line(escaped(text))]


def options(arguments):
    """All options and arguments, under the headings of the help."""
    page, heading = [], None
    for argument in sorted(arguments, key=lambda a: (a["kind"] != "positional", a.get("sectionTitle") is not None)):
        title = argument.get("sectionTitle")
        if title != heading:
            page, heading = [*page, f".SS {escaped(title)}"], title
        page += described(argument)
    return page


def page(above, command, version, date):
    words = (*above, command["commandName"])
    name, arguments = "-".join(words), command.get("arguments", [])
    subcommands = [below for below in command.get("subcommands", []) if below["commandName"] != "help"]
    abstract = command["abstract"].removesuffix(".")
    found = sections(command.get("discussion", ""))
    text = [
        f".TH {escaped(name.upper())} 1 {date} \"tve {version}\" \"User commands\"",
        ".SH NAME", rf"{escaped(name)} \- {escaped(abstract[:1].lower() + abstract[1:])}",
        ".SH SYNOPSIS", synopsis(words, arguments, subcommands),
        ".SH DESCRIPTION", line(escaped(command["abstract"])), *found["DESCRIPTION"],
    ]
    if subcommands:
        text += [".SH SUBCOMMANDS"]
        for below in subcommands:
            text += [".TP", rf"{bold('-'.join((*words, below['commandName'])))}(1)", line(escaped(below["abstract"]))]
    text += [".SH OPTIONS", *options(arguments)]
    for section in ("EXIT STATUS", "EXAMPLES"):
        if found[section]:
            text += [f".SH {section}", *found[section]]
    others = ["-".join(above)] if above else ["-".join((*words, below["commandName"])) for below in subcommands]
    text += [".SH SEE ALSO", *(rf"{bold(other)}(1)," for other in others[:-1]), rf"{bold(others[-1])}(1)"]
    # A heading begins a paragraph by itself.
    text = [now for before, now in zip(["", *text], text) if now != ".PP" or not before.startswith((".SH", ".SS"))]
    return name, "\n".join(part.rstrip() for part in text) + "\n"


def main():
    tool, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    ask = lambda option: subprocess.run([tool, option], check=True, capture_output=True, text=True).stdout
    version = ask("--version").split()[0]
    date = re.search(rf"^## \[{re.escape(version)}\] - (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    tree = json.loads(ask("--experimental-dump-help"))
    assert tree["serializationVersion"] == 0, "another form of --experimental-dump-help: look at this script"
    folder.mkdir(parents=True, exist_ok=True)
    for above, command in commands(tree["command"]):
        name, text = page(above, command, version, date[1])
        (folder / f"{name}.1").write_text(text)


main()
