"""Type-checks Sources for macOS 15 on a machine without macOS, and prints every use of what only later versions have.

The standard library's interface in a Swift toolchain for Linux says since which version of macOS each declaration
exists, such as 26.0 for `Array.span`. A compilation for Linux ignores that. This script copies the interface under a
macOS target and lets the compiler check the modules against it, with the C headers of this machine.

What it cannot do: it sees the branches for Linux where the code asks for the system (`#if canImport(Darwin)`), and it
neither generates code nor links. Packages from elsewhere are replaced by empty modules, so in the targets that import
them an expression that uses them is not checked; in all other targets, an expression that is not checked is an error.

    python3 .ci/macos15_check.py
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "Sources"
WORK = ROOT / ".build/macos15"
PROCESSOR = {"aarch64": "arm64"}.get(platform.machine(), platform.machine())
TARGET = f"{PROCESSOR}-apple-macosx15.0"
FEATURES = re.findall(r'enableUpcomingFeature\("(\w+)"\)', (ROOT / "Package.swift").read_text())
# What the modules that every program imports, and the C library, need.
STANDARD = ["Swift", "SwiftOnoneSupport", "_Concurrency", "_StringProcessing", "Synchronization", "Glibc"]
IMPORT = re.compile(r"^\s*(?:@\w+\s+)?(?:(?:public|package|internal|private|fileprivate)\s+)?import\s+"
                    r"(?:(?:class|struct|enum|func|protocol|var|let|typealias)\s+)?(\w+)", re.M)
TOO_NEW = re.compile(r"is only available in macOS")


def toolchain() -> Path:
    """Finds the toolchain's folder `lib/swift`."""
    text = subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True, check=True).stdout
    return Path(json.loads(text)["paths"]["runtimeResourcePath"])


def write(path: Path, text: str) -> None:
    """Writes a file; an unchanged one keeps its date, and with it what the compiler has made of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def copy_interfaces(library: Path) -> None:
    """Writes the interfaces of the standard library as those of macOS."""
    for module in STANDARD:
        [source] = [path for path in (library / f"linux/{module}.swiftmodule").glob("*.swiftinterface")
                    if ".private." not in path.name]
        lines = []
        for line in source.read_text().splitlines():
            line = re.sub(r"-target \S+-linux-gnu", f"-target {TARGET}", line)
            # Else the module would have to suit versions before macOS 15, too.
            line = line.replace("-library-level api ", "").replace("-target-min-inlining-version min ", "")
            # A function of Linux, in a lock of which only the interface matters.
            line = line.replace("_swift_stdlib_gettid()", "Swift.UInt32(0)")
            # The interface for Linux leaves out the bodies that these two need.
            if line.strip().startswith("@backDeployed("):
                continue
            if "func _diagnoseUnavailableCodeReached() -> Swift.Never" in line and "{" not in line:
                line += " { Builtin.unreachable() }"
            lines.append(line)
        name = f"lib/macosx/{module}.swiftmodule/{PROCESSOR}-apple-macos.swiftinterface"
        write(WORK / name, "\n".join(lines) + "\n")
    # tgmath.h needs a long double of another size than that of macOS.
    text = (library / f"linux/{platform.machine()}/SwiftGlibc.h").read_text().replace("#include <tgmath.h>", "")
    write(WORK / "glibc/SwiftGlibc.h", text)
    write(WORK / "glibc/module.modulemap", 'module SwiftGlibc [system] { header "SwiftGlibc.h" export * }\n')
    for name in ["clang", "shims"]:
        link = WORK / f"lib/{name}"
        if not link.exists():
            link.symlink_to(library / name)


def link_headers(source: Path, target: Path) -> None:
    """Fills a folder with links to the headers of another, and of the folders in it."""
    target.mkdir(parents=True, exist_ok=True)
    for path in source.iterdir():
        link = target / path.name
        if not path.is_dir():
            if not os.path.lexists(link):
                link.symlink_to(path)
        elif path.name != "c++":
            link_headers(path, link)


def files(module: str) -> list[Path]:
    # The files of a tutorial are programs of their own.
    return sorted(path for path in SOURCES.glob(f"*/{module}/**/*.swift") if ".docc" not in str(path))


def imports(module: str) -> set[str]:
    return {name for path in files(module) for name in IMPORT.findall(path.read_text())} - {module}


def compile_module(name: str, sources: list[Path]) -> str:
    """Checks one module and writes it for those that import it, and returns what the compiler said."""
    arguments = [
        "swiftc", "-frontend", "-emit-module", "-o", str(WORK / f"modules/{name}.swiftmodule"), "-module-name", name,
        "-parse-as-library", "-disable-objc-interop", "-target", TARGET, "-swift-version", "6", "-package-name", "tve",
        "-sdk", str(WORK / "sdk"), "-resource-dir", str(WORK / "lib"), "-module-cache-path", str(WORK / "cache"),
        "-I", str(WORK / "modules"), "-experimental-allow-module-with-compiler-errors", "-suppress-warnings",
        "-diagnostic-style", "llvm", "-D", "CLI", "-D", "Redis", "-D", "Service",
        "-I", str(WORK / "glibc"),
    ]
    for folder in SOURCES.glob("*/*"):
        if (folder / "module.modulemap").exists():
            arguments += ["-I", str(folder)]
    for feature in FEATURES:
        arguments += ["-enable-upcoming-feature", feature]
    return subprocess.run(arguments + [str(path) for path in sources], capture_output=True, text=True).stderr


def main() -> None:
    library = toolchain()
    copy_interfaces(library)
    shutil.rmtree(WORK / "modules", ignore_errors=True)
    (WORK / "modules").mkdir()
    for folder in [Path("/usr/include"), *Path("/usr/include").glob("*-linux-gnu")]:
        link_headers(folder, WORK / "sdk/usr/include")
    # Clang defines this macro for macOS in a way that the C library's headers do not expect.
    macros = WORK / "sdk/usr/include/sys/cdefs.h"
    if macros.is_symlink():
        text = macros.read_text()
        macros.unlink()
        macros.write_text("#ifndef _SYS_CDEFS_H\n#undef __nonnull\n#endif\n" + text)
    folders = [folder for folder in SOURCES.glob("*/*") if folder.is_dir()]
    modules = {folder.name: imports(folder.name) for folder in folders if files(folder.name)}
    c_modules = {folder.name for folder in folders if not files(folder.name)}
    if "MediaTokens" not in modules:
        sys.exit(f"no modules in {SOURCES}")
    known = set(modules) | c_modules | set(STANDARD) | {"Darwin", "Musl"}
    empty = WORK / "empty.swift"
    empty.write_text("")
    strangers = set().union(*modules.values()) - known
    for name in strangers:
        compile_module(name, [empty])

    faults: list[str] = []
    done: set[str] = set()
    while len(done) < len(modules):
        ready = [name for name in modules if name not in done and modules[name] & set(modules) <= done]
        if not ready:
            sys.exit("modules import each other: " + ", ".join(sorted(set(modules) - done)))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            said = pool.map(lambda name: compile_module(name, files(name)), ready)
        for name, text in zip(ready, said):
            lines = sorted(set(line for line in text.splitlines() if " error: " in line or line.startswith("error: ")))
            if modules[name] & strangers:
                lines = [line for line in lines if TOO_NEW.search(line)]
            if not (WORK / f"modules/{name}.swiftmodule").exists():
                lines.append(f"{name}: the compiler wrote no module")
            faults += lines
        done |= set(ready)
    for line in faults:
        print(line.replace(f"{ROOT}/", ""))
    print(f"{len(modules)} modules checked for macOS 15, {len(faults)} faults")
    sys.exit(1 if faults else 0)


main()
