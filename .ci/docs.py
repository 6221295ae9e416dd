"""Builds one site of all modules: articles, tutorial and reference, linked to each other.

    python3 .ci/docs.py BUILT SITE    BUILT is what `swift build --show-bin-path` prints, with all traits

Nothing is compiled: `swift symbolgraph-extract` reads the built modules, and `docc` turns each with its catalogue into an
archive. A module links to the ones that were converted before it, so the order below goes from the ground up, and
`TVETokens`, whose page is the front door, comes last. Every warning is an error.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from snippets import ROOT, module_options

# A module links to those above it.
MODULES = [
    "EntitlementValues", "EntitlementKeys", "MediaTokens", "TokenRedemption", "TokenLifetimes", "MetadataDecryption",
    "RequestorSigning", "MediaRSS", "EntitlementDates", "SealedRecords", "ServiceResponses", "BrokerMessages",
    "DeviceRecords", "PlaybackSessions", "SQLiteStores", "RedisStores", "TVETesting", "BrokerClient", "BrokerSimulation",
    "EntitlementFlows", "TVEService", "TVETokens",
]
FRONT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>swift-tve-tokens</title>
<meta http-equiv="refresh" content="0; url=documentation/tvetokens/"></head>
<body><a href="documentation/tvetokens/">Documentation</a></body></html>
"""


def run(*command: str) -> None:
    """Runs a command; prints what it said and stops if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command[:3])} …\n{done.stdout}{done.stderr}")


def symbol_graph(module: str, built: Path, folder: Path) -> None:
    """Writes what the module declares in public."""
    folder.mkdir(parents=True)
    run("swift", "symbolgraph-extract", "-module-name", module, "-minimum-access-level", "public",
        "-skip-synthesized-members", "-emit-extension-block-symbols", "-output-dir", str(folder), "-target", target(), *module_options(built)[:2],
        *[option for option in module_options(built) if option.startswith("-fmodule-map-file=")
          for option in ("-Xcc", option)])


def target() -> str:
    """The triple of this machine."""
    words = subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True, check=True).stdout
    return next(line.split('"')[3] for line in words.split("\n") if '"triple"' in line)


def convert(module: str, graphs: Path, archives: Path, before: list[str]) -> Path:
    """Turns a module into an archive that later ones can link to."""
    archive = archives / f"{module}.doccarchive"
    dependencies = [part for name in before for part in ("--dependency", str(archives / f"{name}.doccarchive"))]
    [catalogue] = ROOT.glob(f"Sources/*/{module}/{module}.docc")
    run("docc", "convert", str(catalogue), "--additional-symbol-graph-dir", str(graphs),
        "--fallback-display-name", module, "--fallback-bundle-identifier", module, "--output-path", str(archive),
        "--enable-experimental-external-link-support", "--warnings-as-errors", *dependencies)
    return archive


def dead_links(site: Path) -> list[str]:
    """Addresses of pages that other pages refer to and that are not there.

    Chapters of tutorials have none, and `docc` leaves out an extended type of another module if all of its members are in
    a list, although it is above them in their paths.
    """
    dead = set()
    for page in (site / "data").rglob("*.json"):
        own = "/" + str(page.relative_to(site / "data"))
        for address in re.findall(r'"url":"(\\?/(?:documentation|tutorials)\\?/[^"#]*)', page.read_text()):
            path = address.replace("\\/", "/")
            is_page = not path.startswith("/tutorials/tutorials/") and not own.startswith(path + "/")
            if is_page and not (site / f"data{path}.json").exists():
                dead.add(path)
    return sorted(dead)


def main() -> None:
    built, site = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        archives = []
        for index, module in enumerate(MODULES):
            symbol_graph(module, built, work / "graphs" / module)
            archives.append(convert(module, work / "graphs" / module, work, MODULES[:index]))
        shutil.rmtree(site, ignore_errors=True)
        site.parent.mkdir(parents=True, exist_ok=True)
        run("docc", "merge", *map(str, archives), "--output-path", str(site),
            "--synthesized-landing-page-name", "swift-tve-tokens")
    (site / "index.html").write_text(FRONT)
    dead = dead_links(site)
    if dead:
        sys.exit("links that lead nowhere:\n" + "\n".join(dead))
    pages = sum(1 for _ in (site / "data").rglob("*.json"))
    print(f"{len(MODULES)} modules, {pages} pages: {site}")


if __name__ == "__main__":
    main()
