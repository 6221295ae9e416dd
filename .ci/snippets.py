"""Type-checks every Swift snippet and runs every block of shell and Python of README, articles, tutorials and doc comments.

    python3 .ci/snippets.py FOLDER [swift | sh]    FOLDER is what `swift build --show-bin-path` prints, with all traits

Swift blocks are compiled as a package that imports the built modules would compile them: public declarations only. The
blocks of a page share its imports, and a page of a module imports that module. Doc comments count as part of the page
of their module. Shell blocks of a page run one after the other in one shell and one empty folder, with the built tool,
and without a network if this user may switch it off. A command that fails is an error. Blocks of Python run among them, each
for itself, with the Python of this script and with Examples/python/tve.py. One that imports a package which is not installed is
only compiled, and that is printed.

HTML comments before a block say what the reader sees from the context. DocC and Markdown do not show them.

    <!-- given: let text = "" -->           declarations for the Swift blocks of the page; may have many lines
    <!-- given for File.swift: … -->        the same for the doc comments of one file; in the page of the module
    <!-- stub Name: public … -->            a module that this package does not fetch, with as much of it as the page uses
    <!-- given sh: touch issuer.pem -->     commands that run before the shell blocks of the page; $REPOSITORY is this one
    <!-- snippet: continues -->             the next block sees the declarations of the one before
    <!-- snippet: exits 12 16 -->           exit codes of the commands that are meant to fail, in their order
    <!-- snippet: prints $DIGEST -->        what the next block has to print; variables are those of the page's shell
    <!-- snippet: file -->                 the next block is a file of its own, with extensions or tests
    <!-- snippet: manifest -->              the next block is part of a Package.swift
    <!-- snippet: skip, it needs … -->      the next block is not checked, and why

Blocks of Java, with what `given java:` has, are run by Examples/java/check.py.
"""

import ast
import fcntl
import importlib.util
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMENT = re.compile(r"^<!--\s*(given(?: sh| for [\w+]+\.swift)?|stub \w+|snippet):\s*(.*?)\s*-->$", re.M | re.S)
MARKS = re.compile(r"^(continues|file|manifest|exits( \d+)+|prints .+|skip, .+)$", re.S)
# A snippet shows a value without using it.
HARMLESS = re.compile(r"never used|never read|never mutated|will never be executed|is unused")


@dataclass
class Block:
    """One fenced block, with the line of the page on which its first line stands; or the file of a tutorial's step."""

    language: str
    line: int
    text: str
    mark: str = ""
    file: str = ""


@dataclass
class Page:
    """A page or a Swift file: its blocks, and what its comments give them."""

    path: Path
    module: str | None
    blocks: list[Block] = field(default_factory=list)
    given: dict[str, list[str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT))


class SnippetError(Exception):
    """A page that cannot be taken apart."""


def blocks(page: Page, text: str, first_line: int = 1) -> None:
    """Adds the fenced blocks and the comments of a Markdown text to the page."""
    lines = text.split("\n")
    marks = {}
    for match in COMMENT.finditer(text):
        kind, content = match[1], match[2]
        if kind != "snippet":
            page.given.setdefault(kind, []).append(content)
            continue
        if not MARKS.match(content):
            raise SnippetError(f"{page.name}: unknown mark: {content}")
        marks[text.count("\n", 0, match.end()) + 1] = " ".join(content.split())
    at = 0
    while at < len(lines):
        fence = re.match(r"( *)```(\w*)\s*$", lines[at])
        at += 1
        if not fence:
            continue
        start = at
        while at < len(lines) and lines[at].strip() != "```":
            at += 1
        if at == len(lines):
            raise SnippetError(f"{page.name}:{first_line + start - 1}: the block does not end")
        indent = len(fence[1])
        body = "\n".join(line[indent:] for line in lines[start:at])
        # A mark is on the line before the fence.
        page.blocks.append(Block(fence[2], first_line + start, body, marks.pop(start - 1, "")))
        at += 1
    if marks:
        raise SnippetError(f"{page.name}:{min(marks)}: a mark without a block right after it")


def pages() -> list[Page]:
    """All pages of the repository that show code."""
    found = []
    texts = [*ROOT.glob("*.md"), *ROOT.glob("Sources/**/*.md"), *ROOT.glob("Examples/**/*.md"),
             *ROOT.glob("Vectors/**/*.md"), *ROOT.glob("Benchmarks/*.md")]
    for path in sorted(texts):
        catalog = next((part for part in path.parts if part.endswith(".docc")), None)
        page = Page(path, catalog and catalog.removesuffix(".docc"))
        blocks(page, path.read_text())
        found.append(page)
    return found + [tutorial(path) for path in sorted(ROOT.glob("Sources/*/*/*.docc/**/*.tutorial"))]


def tutorial(path: Path) -> Page:
    """A tutorial and the files of its steps. A step's file has all that the one of the same name before it had."""
    page = Page(path, None)
    last = {}
    for name, file in re.findall(r'@Code\(name: "([^"]+)", file: "([^"]+)"\)', path.read_text()):
        [source] = path.parent.rglob(file)
        if name in last and source.suffix == ".sh":
            page.blocks.remove(last[name])
        last[name] = Block(source.suffix[1:], 1, source.read_text(), file=str(source.relative_to(ROOT)))
        page.blocks.append(last[name])
    return page


def doc_comments(all_pages: list[Page]) -> list[Page]:
    """The doc comments of the sources, with what the page of their module gives."""
    modules = {page.module: page for page in all_pages if page.module and page.path.stem == page.module}
    found = []
    for path in sorted(ROOT.glob("Sources/*/*/**/*.swift")):
        if ".docc" in str(path):
            continue
        page = Page(path, path.relative_to(ROOT / "Sources").parts[1])
        lines = path.read_text().split("\n")
        comment: list[str] = []
        for number, line in enumerate([*lines, ""], start=1):
            match = re.match(r"\s*///( ?)(.*)$", line)
            if match:
                comment.append(match[2])
            elif comment:
                blocks(page, "\n".join(comment), number - len(comment))
                comment = []
        if any(block.language == "swift" for block in page.blocks):
            home = modules.get(page.module)
            if home:
                page.given["given"] = imports(home)
            for kind in ("given", f"given for {path.name}"):
                if home and kind in home.given:
                    page.given.setdefault("given", []).extend(home.given[kind])
            found.append(page)
    return found


def checked(page: Page, *languages: str) -> list[Block]:
    """The blocks of these languages that are not skipped."""
    return [block for block in page.blocks if block.language in languages and not block.mark.startswith("skip")]


# MARK: Swift


def located(page: Page, block: Block) -> str:
    """The block's text, so that the compiler reports the lines of the page. Imports stand elsewhere."""
    lines = ["" if re.match(r"import \w", line) else line for line in block.text.split("\n")]
    return f'#sourceLocation(file: "{block.file or page.name}", line: {block.line})\n' + "\n".join(lines) + "\n#sourceLocation()\n"


def imports(page: Page) -> list[str]:
    """What the blocks of the page import, and its module. A file has its own imports."""
    shown = [block.text for block in checked(page, "swift") if block.mark not in ("file", "manifest")]
    texts = shown + page.given.get("given", [])
    named = {name for text in texts for name in re.findall(r"^(import \w+)", text, re.M)}
    if page.module:
        named.add(f"import {page.module}")
    return sorted(named)


def swift_file(page: Page, number: int) -> str | None:
    """The page as one Swift file: what is given, and a function for each block."""
    shown = [block for block in checked(page, "swift") if block.mark not in ("file", "manifest")]
    if not shown:
        return None
    text = "\n".join(imports(page)) + f"\n\nfunc page{number}() async throws {{\n"
    for given in page.given.get("given", []):
        text += "\n".join(line for line in given.split("\n") if not line.startswith("import ")) + "\n"
    is_open = False
    for index, block in enumerate(shown):
        if not (is_open and block.mark == "continues"):
            text += ("}\n" if is_open else "") + f"func snippet{index}() async throws {{\n"
            is_open = True
        text += located(page, block)
    return text + "}\n}\n"


def manifest_file(all_pages: list[Page]) -> str:
    """All parts of manifests as one file."""
    text = "import PackageDescription\n\n"
    for page in all_pages:
        for block in page.blocks:
            if block.mark != "manifest":
                continue
            if "import PackageDescription" in block.text:
                text += f"func part{text.count('func ')}() {{\n{located(page, block)}}}\n"
                continue
            for offset, line in enumerate(block.text.split("\n")):
                kind = {".pac": "Package.Dependency", ".pro": "Target.Dependency"}.get(line[:4])
                if kind:
                    text += f'#sourceLocation(file: "{page.name}", line: {block.line + offset})\n'
                    text += f"func part{text.count('func ')}() {{ let _: {kind} =\n{line.split('//')[0] if '://' not in line else line}\n}}\n#sourceLocation()\n"
    return text


def typecheck(files: list[Path], options: list[str]) -> bool:
    """Compiles without output, and prints what is wrong."""
    command = ["swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-wmo", *options, *map(str, files)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    wrong = [line for line in found.stderr.split("\n")
             if re.search(r": (error|warning): ", line) and not HARMLESS.search(line)]
    for line in dict.fromkeys(wrong):
        print(line)
    if found.returncode and not wrong:
        print(found.stderr)
    return found.returncode == 0 and not wrong


def module_options(built: Path) -> list[str]:
    """Where the compiler finds the built modules, and the C modules beneath them."""
    checkouts = built.parent.parent / "checkouts"
    maps = [*ROOT.glob("Sources/*/*/module.modulemap"), *checkouts.glob("*/Sources/*/include/module.modulemap"),
            *checkouts.glob("*/Sources/*/module.modulemap"), *built.glob("*.build/module.modulemap")]
    options = ["-I", str(built / "Modules"), "-enable-upcoming-feature", "MemberImportVisibility"]
    for path in maps:
        options += ["-Xcc", f"-fmodule-map-file={path}"]
        if path.parent.name == "include":
            options += ["-Xcc", "-I", "-Xcc", str(path.parent)]
    return options


def make_stubs(all_pages: list[Page], options: list[str], folder: Path) -> None:
    """Compiles the stand-ins for modules of packages that are not there. Only the page sees whether they are true."""
    for page in all_pages:
        for kind, texts in page.given.items():
            if not kind.startswith("stub "):
                continue
            name = kind.removeprefix("stub ")
            source = folder / f"{name}.swift"
            source.write_text("\n".join(texts))
            made = subprocess.run(
                ["swiftc", "-emit-module", "-swift-version", "6", "-parse-as-library", "-module-name", name, *options,
                 "-o", str(folder / f"{name}.swiftmodule"), str(source)], capture_output=True, text=True, check=False)
            if made.returncode:
                raise SnippetError(f"{page.name}: the stub of {name}:\n{made.stderr}")


def check_swift(all_pages: list[Page], built: Path, work: Path) -> bool:
    """Type-checks the Swift blocks of all pages in one go."""
    pages_of_swift = all_pages + doc_comments(all_pages)
    files = [work / "given.swift"]
    files[0].write_text("/// What a snippet takes from the program around it.\nfunc given<T>() -> T { fatalError() }\n")
    count = 0
    for number, page in enumerate(pages_of_swift):
        texts = [swift_file(page, number)]
        for block in checked(page, "swift"):
            if block.mark == "file":
                names = "\n".join(re.findall(r"^import \w+", block.text, re.M))
                texts.append(f"{names}\n{located(page, block)}")
        for text in filter(None, texts):
            files.append(work / f"file{len(files)}.swift")
            files[-1].write_text(text)
        count += len(checked(page, "swift"))
    options = module_options(built)
    stubs = work / "stubs"
    stubs.mkdir()
    make_stubs(all_pages, options, stubs)
    good = typecheck(files, [*options, "-I", str(stubs)])
    manifest = work / "manifest.swift"
    manifest.write_text(manifest_file(all_pages))
    target = subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True, check=True).stdout
    library = Path(json.loads(target)["paths"]["runtimeResourcePath"])
    good &= typecheck([manifest], ["-I", str(library / "pm/ManifestAPI"), "-package-description-version", "6.3.0"])
    print(f"{count} Swift blocks in {len(files) - 1} files")
    return good


# MARK: Shell and Python


STAND_IN = """#!{python}
# Stands in for a build that CI does elsewhere: refuses targets and traits that there are not.
import re, sys
from pathlib import Path
root, name, given = Path({root!r}), Path(sys.argv[0]).name, sys.argv[1:]
if name == "make":
    known = set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(), re.M))
    named = [word for word in given if "=" not in word]
else:
    known = set(re.findall(r'\\.trait\\(\\s*name: "(\\w+)"', (root / "Package.swift").read_text()))
    named = given[given.index("--traits") + 1].split(",") if "--traits" in given else []
unknown = [word for word in named if word not in known]
if unknown: sys.exit(f"{{name}}: there is no {{unknown}}")
"""

PYTHON_MODULES = ROOT / "Examples/python"

PRELUDE = """
set -E
trap 'code=$?; echo "$code $BASH_COMMAND" >> "$ERRORS"' ERR
"""


def furnish(folder: Path, tool: Path) -> dict[str, str]:
    """Puts the built tool where the pages say it is, and stand-ins for builds; returns the environment."""
    for place in (".build/tool/release", ".build/release", ".build/debug"):
        (folder / place).mkdir(parents=True)
        (folder / place / "tve").symlink_to(tool)
    stand_ins = folder / ".stand-ins"
    stand_ins.mkdir()
    for name in ("make", "swift"):
        (stand_ins / name).write_text(STAND_IN.format(python=sys.executable, root=str(ROOT)))
        (stand_ins / name).chmod(0o755)
    (stand_ins / "tve").symlink_to(tool)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("TVE_")}
    return environment | {"HOME": str(folder), "PATH": f"{stand_ins}:{environment['PATH']}", "LC_ALL": "C.UTF-8",
                          "PYTHON": sys.executable, "PYTHONPATH": str(PYTHON_MODULES), "PYTHONDONTWRITEBYTECODE": "1"}


def run(script: str, folder: Path, environment: dict[str, str], errors: Path) -> str:
    """Runs the script, ends everything that it left, and returns what it printed."""
    output = errors.with_name("output.txt")
    with output.open("wb") as file:
        shell = subprocess.Popen(
            ["bash", "-c", PRELUDE + script], cwd=folder,
            env=environment | {"ERRORS": str(errors), "REPOSITORY": str(ROOT)},
            stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            shell.wait(timeout=120)
        except subprocess.TimeoutExpired:
            errors.open("a").write("124 (it took longer than 120 s)\n")
        finally:
            # Servers that the page starts go on until here.
            try:
                os.killpg(shell.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            shell.wait()
    return output.read_text(errors="replace")


def can_run(page: Page, block: Block) -> bool:
    """Whether the packages that a block of Python imports are installed."""
    if block.language != "python":
        return True
    try:
        tree = ast.parse(block.text)
    except SyntaxError as error:
        raise SnippetError(f"{page.name}:{block.line + (error.lineno or 1) - 1}: {error.msg}") from error
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module.split(".")[0])
    missing = sorted(name for name in names
                     if importlib.util.find_spec(name) is None and not (PYTHON_MODULES / f"{name}.py").exists())
    if missing:
        print(f"not run: {page.name}:{block.line}: {', '.join(missing)} is not installed")
    return not missing


def commands(block: Block) -> str:
    """The commands of a block; if it has to print something, also the command that fails if it does not."""
    text = block.text
    if block.language == "python":
        text = f"\"$PYTHON\" - << 'END OF BLOCK'\n{text}\nEND OF BLOCK"
    if not block.mark.startswith("prints "):
        return text
    wanted = block.mark.removeprefix("prints ")
    return f'{{\n{text}\n}} > .printed\n[ -n "{wanted}" ]\n[ "$(cat .printed)" = "{wanted}" ]'


def check_page(page: Page, tool: Path, work: Path) -> int | None:
    """Runs the shell and Python blocks of a page; returns their number, or nothing if one failed."""
    shown = [block for block in checked(page, "sh", "python") if can_run(page, block)]
    if not shown:
        return 0
    folder, errors = work / "page", work / "errors.txt"
    folder.mkdir()
    errors.write_text("")
    script = "\n".join(page.given.get("given sh", []) + [commands(block) for block in shown])
    output = run(script, folder, furnish(folder, tool), errors)
    failed = [line for line in errors.read_text().split("\n") if line]
    meant = [code for block in shown if block.mark.startswith("exits") for code in block.mark.split()[1:]]
    shutil.rmtree(folder)
    if [line.split()[0] for line in failed] == meant:
        return len(shown)
    print(f"{page.name}: these commands failed; meant to fail: {' '.join(meant) or 'none'}")
    print("\n".join(f"    {line}" for line in failed))
    print("\n".join(f"    | {line}" for line in output.split("\n")[-40:]))
    return None


def isolate() -> None:
    """Starts this script again with nothing but a loopback interface, if this user may."""
    if "--alone" in sys.argv:
        with socket.socket() as any_socket:
            request = struct.pack("16sH14s", b"lo", 0x1 | 0x40, b"")  # IFF_UP, IFF_RUNNING
            fcntl.ioctl(any_socket, 0x8914, request)  # SIOCSIFFLAGS
        return
    if shutil.which("unshare") and subprocess.run(["unshare", "-n", "true"], capture_output=True).returncode == 0:
        os.execvp("unshare", ["unshare", "-n", sys.executable, *sys.argv, "--alone"])


def check_shell(all_pages: list[Page], built: Path, work: Path) -> bool:
    """Runs the shell and Python blocks of all pages."""
    counts = [check_page(page, built / "tve", work) for page in all_pages]
    print(f"{sum(filter(None, counts))} blocks of shell and Python in {sum(1 for count in counts if count)} pages")
    return None not in counts


def main() -> None:
    built = Path(sys.argv[1]).resolve()
    wanted = [word for word in sys.argv[2:] if not word.startswith("--")] or ["swift", "sh"]
    all_pages = pages()
    good = True
    with tempfile.TemporaryDirectory() as work:
        if "swift" in wanted and "--alone" not in sys.argv:
            good &= check_swift(all_pages, built, Path(work))
            for page in all_pages:
                for block in page.blocks:
                    if block.mark.startswith("skip"):
                        print(f"skipped: {page.name}:{block.line}: {block.mark.removeprefix('skip, ')}")
            if not good:
                sys.exit(1)
    if "sh" in wanted:
        isolate()
        with tempfile.TemporaryDirectory() as work:
            good &= check_shell(all_pages, built, Path(work))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
