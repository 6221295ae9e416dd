"""Checks Packaging/pins: with SwiftPM and git, a project of its own, and three packages that a server on this machine has.

    python3 .ci/pins_check.py

A release has the versions of the table, also from a copy in which a version is another commit; what is not as in the table is
told. No settings of git or SwiftPM on this machine are used, and none are changed.
"""

import functools
import http.server
import json
import os
import pathlib
import runpy
import shutil
import subprocess
import sys
import tempfile
import threading

PINS = pathlib.Path(__file__).resolve().parent.parent / "Packaging/pins"
# A name for commits, none of the machine's settings of git, and no proxy on the way to the server.
ENVIRONMENT = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1"} | {
    f"GIT_{who}_{what}": "check@example.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
TRAITS = "CLI,Redis,Service"
OLD = {"one": "1.0.0", "two": "1.0.0", "three": "1.0.0"}
NEW = dict.fromkeys(OLD, "1.1.0")
MANIFEST = """// swift-tools-version: 6.3
import PackageDescription
let package = Package(
    name: "{name}", products: [.library(name: "{name}", targets: ["{name}"])],{traits}
    dependencies: [{packages}], targets: [.target(name: "{name}", dependencies: [{products}])])
"""
RENEW = "import runpy, sys; print(*runpy.run_path('Packaging/pins')['renew_packages'](sys.argv[1:]), sep='\\n')"


def require(what, holds, said=""):
    if not holds:
        sys.exit(f"{said}\n.ci/pins_check.py: {what}")


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Bench:
    """Packages `one`, which needs `two`, and `three`, each as 1.0.0 and 1.1.0, and a copy of them with other commits; a project
    that needs `one`, and `three` with the trait Redis."""

    def __init__(self, folder):
        self.folder, self.project = folder, folder / "project"
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_CONFIG")} | ENVIRONMENT
        handler = functools.partial(QuietHandler, directory=folder / "served")
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        for name, others in (("two", []), ("one", ["two"]), ("three", [])):
            self.write_package(name, others)
            self.git(name, "init", "--quiet", "--initial-branch=main")
            for version, kind in (("1.0.0", []), ("1.1.0", ["--annotate", "--message", "new"])):
                self.git(name, "add", ".")
                self.git(name, "commit", "--quiet", "--allow-empty", "--message", version)
                self.git(name, "tag", *kind, version)
            self.git(".", "clone", "--quiet", "--bare", name, f"served/{name}.git")
            self.git(f"served/{name}.git", "update-server-info")
        shutil.copytree(folder / "served", folder / "copies")
        self.tag_another("copies/one.git", "1.0.0")
        self.redirect = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": f"url.{folder}/copies/.insteadOf",
                         "GIT_CONFIG_VALUE_0": f"{self.address}/"}
        self.write_project()
        self.write_table(OLD)
        (self.project / "Packaging").mkdir()
        shutil.copy(PINS, self.project / "Packaging/pins")

    def write_package(self, name, others, requirement='from: "1.0.0"', traits="", condition=""):
        folder = self.folder / name
        (folder / "Sources" / name).mkdir(parents=True, exist_ok=True)
        (folder / "Sources" / name / "empty.swift").touch()
        (folder / "Package.swift").write_text(MANIFEST.format(
            name=name, traits=traits,
            packages=", ".join(f'.package(url: "{self.address}/{other}.git", {requirement})' for other in others),
            products=", ".join(f'.product(name: "{other}", package: "{other}"{condition if other == "three" else ""})'
                               for other in others)))

    def write_project(self, requirement='from: "1.0.0"'):
        self.write_package("project", ["one", "three"], requirement, ' traits: ["CLI", "Redis", "Service"],',
                           ', condition: .when(traits: ["Redis"])')

    def write_table(self, versions):
        rows = [f"| [{name}]({self.address}/{name}) | {version} | MIT | {'`Redis`' if name == 'three' else '`CLI`, `Service`'} |"
                for name, version in versions.items()]
        (self.project / "NOTICES.md").write_text("\n".join(["| Package | Version | Licence | Fetched with |", "|---|---|---|---|", *rows, ""]))

    def git(self, folder, *words):
        return subprocess.run(["git", *words], cwd=self.folder / folder, env=self.environment, check=True, stdout=subprocess.PIPE,
                              text=True).stdout.strip()

    def commit(self, repository, version):
        return self.git(repository, "rev-parse", f"{version}^{{commit}}")

    def tag_another(self, repository, version):
        """Makes a version another commit with the same files."""
        self.git(repository, "tag", "--force", version, self.git(repository, "commit-tree", f"{version}^{{tree}}", "-m", "copied"))

    def run(self, command, machine, scratch, more):
        """What a command says with the options of SwiftPM, and whether it was content. Each machine has files of its own."""
        places = [word for place in ("cache", "security", "config")
                  for word in (f"--{place}-path", str(self.folder / f"{machine}-{place}"))]
        process = subprocess.run([*command, "--scratch-path", str(self.folder / scratch), *places], cwd=self.project, text=True,
                                 env=self.environment | more, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return process.stdout, process.returncode == 0

    def pins(self, command, machine="public", scratch="tool", traits=TRAITS, **more):
        return self.run([sys.executable, "Packaging/pins", command, "--traits", traits], machine, scratch, more)

    def renew(self):
        """As `renew` does it before it comes to the container, while git takes all packages from the copies."""
        return self.run([sys.executable, "-c", RENEW], "renewing", "renewing", self.redirect)

    def other_build(self, scratch, command):
        said, good = self.run(["swift", "package", command, "--traits", TRAITS], "public", scratch, {})
        require("another build resolves its own packages", good, said)

    def resolved(self, of="version"):
        pins = json.loads((self.project / "Package.resolved").read_text())["pins"]
        return {pin["identity"]: pin["state"][of] for pin in pins}

    def noted(self):
        """The versions and commits of the table."""
        pins = runpy.run_path(str(self.project / "Packaging/pins"))["table"](TRAITS)
        return {name: (pin.version, pin.commit) for name, pin in pins.items()}

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def check_versions(bench):
    said, good = bench.pins("use")
    require("the versions of the table are resolved, not the newest", good and bench.resolved() == OLD, said)
    public, copied = bench.commit("served/one.git", "1.0.0"), bench.commit("copies/one.git", "1.0.0")
    require("the commit is that of the address", bench.resolved("revision")["one"] == public != copied)
    said, good = bench.pins("use", scratch="few", traits="CLI")
    require("what the traits do not need is not asked for", good and bench.resolved() == {"one": "1.0.0", "two": "1.0.0"}, said)

    said, good = bench.pins("use", "elsewhere", "copied", **bench.redirect)
    require("a copy with other commits is as good", good and bench.resolved() == OLD, said)
    require("it was the copy", bench.resolved("revision")["one"] == copied)
    said, good = bench.pins("use", "public", "copied-late", **bench.redirect)
    require("that SwiftPM knows another commit is told", not good and "previously recorded value" in said and "Find out" in said, said)

    bench.write_table(OLD | {"one": f"1.0.0 `{public}`"})
    said, good = bench.pins("use")
    require("a package may have the commit that is noted", good, said)
    said, good = bench.pins("use", "elsewhere", "copied", **bench.redirect)
    require("a package may have no other commit",
            not good and f"one 1.0.0 is commit {copied}, but was {public} at {bench.address}/one.git" in said, said)
    bench.write_table(OLD)


def check_faults(bench):
    shutil.copytree(bench.folder / "served/three.git", bench.folder / "served/four.git")
    for fault, versions, message in (
        ("a row without version", OLD | {"two": ""}, "this row of the table of packages has no version"),
        ("a version that is not there", OLD | {"two": "1.0.7"},
         f"two is 1.1.0, not 1.0.7: there is no 1.0.7 at {bench.address}/two.git"),
        ("a package that is not listed", {"one": "1.0.0", "three": "1.0.0"}, "two 1.1.0 is needed, but the table does not list it"),
        ("a package that is not needed", OLD | {"four": "1.0.0"}, "four is listed for these traits, but not needed"),
    ):
        bench.write_table(versions)
        said, good = bench.pins("use")
        require(f"{fault} is told", not good and message in said, said)
    bench.write_table(OLD)
    bench.write_project('from: "1.1.0"')
    said, good = bench.pins("use")
    require("a version that the manifest does not take is told",
            not good and "one is 1.1.0, not 1.0.0: Package.swift, or another package, demands it. Renew" in said, said)
    bench.write_project()
    said, good = bench.pins("use")
    require("after a fault, all is well again", good and bench.resolved() == OLD, said)


def check_other_builds(bench):
    bench.other_build("beside", "update")
    require("the other build has what is newest", bench.resolved() == NEW)
    said, good = bench.pins("check")
    require("the release has what it resolved", good, said)
    # As its `swift build` does if the other one comes first.
    bench.other_build("tool", "resolve")
    said, good = bench.pins("check")
    require("a release with the packages of another build is refused", not good and
            "Built with others than the table in NOTICES.md has: one 1.1.0, two 1.1.0, three 1.1.0. Another build" in said, said)
    said, good = bench.pins("use")
    require("built again, it has those of the table", good and bench.pins("check")[1], said)


def check_renewal(bench):
    # The table gets what the address itself says, not what the copy has.
    bench.tag_another("copies/three.git", "1.1.0")
    bench.write_table({"one": "1.0.0", "three": "1.0.0"})
    said, _ = bench.renew()
    commits = {name: bench.commit(f"served/{name}.git", "1.1.0") for name in ("one", "three")}
    require("the newest versions are noted, with the commits of the addresses",
            bench.noted() == {name: ("1.1.0", commit) for name, commit in commits.items()}, said)
    require("what is to be done by hand is told", "two 1.1.0 is needed" in said and "three 1.1.0 is commit" in said, said)

    bench.git("copies/three.git", "tag", "1.2.0", "1.1.0^{commit}")
    said, good = bench.renew()
    require("a version that only the copy has is told", not good and "three.git has no 1.2.0: git takes it from a copy" in said, said)
    require("a version that only the copy has is not noted", bench.noted()["three"] == ("1.1.0", commits["three"]))

    # A machine with copies often cannot reach the addresses.
    bench.stop()
    bench.write_table(OLD)
    said, good = bench.renew()
    require("the commit of an address that does not answer is not noted", good and "does not answer" in said and
            bench.noted() == {"one": ("1.1.0", None), "two": ("1.1.0", None), "three": ("1.2.0", None)}, said)
    bench.write_table(OLD | {"three": f"1.2.0 `{commits['three']}`"})
    said, _ = bench.renew()
    require("a commit that is noted is not replaced",
            f"was {commits['three']} at" in said and bench.noted()["three"] == ("1.2.0", commits["three"]), said)


def main():
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(pathlib.Path(folder).resolve())
        check_versions(bench)
        check_faults(bench)
        check_other_builds(bench)
        check_renewal(bench)
        bench.write_table(OLD)
        said, good = bench.pins("use")
        require("what is fetched needs no network", good and bench.resolved() == OLD, said)
    print("a release has the packages of the table, by version, and is refused with others")


if __name__ == "__main__":
    main()
