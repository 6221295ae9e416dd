#!/usr/bin/env python3
"""Checks what `make install` and `make uninstall` do: files, man pages, completions of three shells.

    python3 .ci/install/check.py PATH-OF-TVE

Needs man-db, mandoc, bash, zsh and fish. Everything happens in a folder of its own.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARTICLE = ROOT / "Sources/Core/TVETokens/TVETokens.docc/CommandLineTool.md"
TOOL = pathlib.Path(sys.argv[1]).resolve()


def run(*command, **settings):
    """What a command prints; it must succeed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **settings)
    assert done.returncode == 0, (command, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout + done.stderr


def make(target, destination):
    # The variables of a `make` that runs this would win over those given here.
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
    said = run("make", "--no-print-directory", target, f"DESTDIR={destination}", "PREFIX=/usr", f"TVE={TOOL}", cwd=ROOT,
               env=environment)
    assert said == "", said


def files(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def commands(command, above=()):
    words = (*above, command["commandName"])
    yield words, command
    for below in command.get("subcommands", []):
        if below["commandName"] != "help":
            yield from commands(below, words)


def check_pages(folder, tree):
    """Every page is sound, is found by its name, and says what the help says."""
    pages = sorted(folder.glob("*.1"))
    plain = {**os.environ, "MANWIDTH": "1000", "MANPAGER": "cat", "LC_ALL": "C.UTF-8"}
    said = run("mandoc", "-T", "lint", "-W", "warning", *pages)
    assert said == "", said
    for words, command in tree:
        page = folder / f"{'-'.join(words)}.1"
        formatted = subprocess.run(
            ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], capture_output=True, text=True, env=plain)
        assert (formatted.returncode, formatted.stderr) == (0, ""), (page.name, formatted.stderr)
        assert f'"{"-".join(words)} - ' in run("lexgrog", page), page.name
        text = run("man", "-M", folder.parent, "-E", "UTF-8", "-P", "cat", "-".join(words), env=plain)
        text = re.sub(r"\s+", " ", re.sub(".\b|\x1b\\[[0-9;]*m", "", text))
        for argument in command.get("arguments", []):
            for name in argument.get("names", []):
                assert ("-" if name["kind"] == "short" else "--") + name["name"] in text, (page.name, name)
            assert argument.get("abstract", "") in text, (page.name, argument["abstract"])
    assert len(pages) == len(tree), (len(pages), len(tree))
    return len(pages)


def check_zsh(*set_up, path="/nowhere"):
    """After these lines, zsh completes commands and an option."""
    # A completion runs on a terminal only, which zpty makes. Ctrl-A and the colon make a line that does nothing.
    lines = "\n".join(f'zpty -w shell "{line}"' for line in set_up)
    script = f"""
        zmodload zsh/zpty
        zpty shell zsh -f -i
        {lines}
        zpty -w shell 'print -r -- is=$_comps[tve]'
        for typed in 'tve verif' 'tve keys insp' 'tve verify --any-req'; do
            zpty -w -n shell "$typed"$'\\t\\C-a'": "$'\\n'
        done
        zpty -w shell 'print -r -- the e""nd'
        zpty -r shell output '*the end*'
        print -r -- "$output"
    """
    environment = {**os.environ, "TERM": "dumb", "COLUMNS": "200", "PATH": f"{path}:{os.environ['PATH']}"}
    said = run("zsh", "-f", "-c", script, timeout=60, env=environment)
    for whole in ["is=_tve", "tve verify ", "tve keys inspect ", "--any-requestor  -- Accept"]:
        assert whole in said, (set_up, whole, said)


def check_completions(share):
    """Each shell finds the script in its folder, and completes a command and an option."""
    bash = share / "bash-completion/completions/tve"
    script = f"""
        set -eu; source '{bash}'; complete -p tve > /dev/null
        function=$(complete -p tve | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        try() {{
            COMP_WORDS=(tve "$@"); COMP_CWORD=$#; COMP_LINE="${{COMP_WORDS[*]}}"; COMP_POINT=${{#COMP_LINE}}; COMPREPLY=()
            set +eu; "$function" tve "${{COMP_WORDS[$COMP_CWORD]}}" "${{COMP_WORDS[$COMP_CWORD-1]}}"; set -eu
            echo "${{COMPREPLY[*]}}"
        }}
        try ver; try keys ins; try verify --req
    """
    answers = run("bash", "--noprofile", "--norc", "-c", script).split("\n")
    assert "verify" in answers[0] and "inspect" in answers[1] and "--requestor" in answers[2], answers

    check_zsh(f"fpath=('{share}/zsh/site-functions' \\$fpath); autoload -Uz compinit; compinit -D -u")
    # The line of the article for start-up files: the tool is in PATH, and its script is nowhere.
    [line] = re.findall(r"^\| zsh, after `compinit` \| `(.+)` \|$", ARTICLE.read_text(), re.M)
    check_zsh("autoload -Uz compinit; compinit -D -u", line, path=share.parent / "bin")

    with tempfile.TemporaryDirectory() as home:
        # Completions of a program that is not in PATH are not looked for.
        path = f"{share.parent / 'bin'}:{os.environ['PATH']}"
        fish = {**os.environ, "HOME": home, "XDG_DATA_DIRS": str(share), "XDG_CONFIG_HOME": home, "PATH": path}
        for typed, whole in [("tve ver", "verify"), ("tve keys ins", "inspect"), ("tve verify --req", "--requestor")]:
            said = run("fish", "-c", f"complete -C '{typed}'", env=fish)
            assert any(line.split("\t")[0] == whole for line in said.split("\n")), (typed, said)


def main():
    with tempfile.TemporaryDirectory() as folder:
        # Names with a space are taken whole.
        destination = pathlib.Path(folder) / "a root"
        usr = destination / "usr"
        built = TOOL.read_bytes()
        make("install", destination)
        installed = files(usr)
        # A copy without symbols: what was built keeps them.
        assert ".symtab" not in run("readelf", "-SW", usr / "bin/tve") and TOOL.read_bytes() == built
        stale = usr / "share/man/man1/tve-gone.1"
        stale.write_text("of an older version")
        make("install", destination)
        assert files(usr) == installed, files(usr) ^ installed
        assert run(usr / "bin/tve", "--version") == run(TOOL, "--version")
        assert all((usr / name).stat().st_mode & 0o777 == (0o755 if name == "bin/tve" else 0o644) for name in installed)
        tree = list(commands(json.loads(run(TOOL, "--experimental-dump-help"))["command"]))
        count = check_pages(usr / "share/man/man1", tree)
        check_completions(usr / "share")
        other = usr / "share/man/man1/other.1"
        other.write_text("not ours")
        make("uninstall", destination)
        assert files(usr) == {"share/man/man1/other.1"}, files(usr)
        print(f"{count} man pages, completions of 3 shells, {len(installed)} files installed and removed")


main()
