"""Compares what repeats the version, links between pages, the notices, and the workflows of GitHub with the sources.

    python3 .ci/release_check.py [DEPENDENCIES]

`Sources/Core/HostSystem/Release.swift` has the version. The newest entry of the changelog, both descriptions of HTTP
interfaces, the README and SECURITY.md repeat it. The list of packages in `NOTICES.md` must have the same names as
DEPENDENCIES, a file that `swift package show-dependencies --format json` has written with all traits. The workflows are read
with PyYAML; without it, they are skipped, and the script says so, as it does if the Containerfile's base image and toolchain
are not pinned.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

try:
    import yaml
except ImportError:
    yaml = None

ROOT = Path(__file__).resolve().parent.parent


def found(pattern: str, path: str) -> list[str]:
    """All matches of a pattern's first group in a file."""
    return re.findall(pattern, (ROOT / path).read_text(), re.M)


def version_faults() -> list[str]:
    """Files that do not have the version of the sources."""
    [version] = found(r'^package let releaseVersion = "(\d+\.\d+\.\d+)"$', "Sources/Core/HostSystem/Release.swift")
    minor = version.rpartition(".")[0]
    newest = found(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$", "CHANGELOG.md")[:1]
    faults = [] if newest == [version] else [f"CHANGELOG.md: its newest version is {newest}, not {version}"]
    for path in ("Sources/Service/TVEService/openapi.yaml", "Sources/Broker/BrokerSimulation/openapi.yaml"):
        if found(r"^  version: (\S+)$", path) != [version]:
            faults.append(f"{path}: its version is not {version}")
    if found(r"^Version (\d+\.\d+):", "README.md") != [minor]:
        faults.append(f"README.md: its section Versions does not begin with 'Version {minor}:'")
    if found(r"^\| (\d+\.\d+)\.x \| yes \|$", "SECURITY.md") != [minor]:
        faults.append(f"SECURITY.md: the supported version is not {minor}.x")
    return faults


def identities(package: dict) -> set[str]:
    """The packages that a package depends on."""
    return {name for one in package["dependencies"] for name in {one["identity"]} | identities(one)}


def notice_faults(dependencies: Path) -> list[str]:
    """Packages that the notices lack, or list without need."""
    needed = identities(json.loads(dependencies.read_text()))
    listed = set(found(r"^\| \[([\w-]+)\]\(https://", "NOTICES.md"))
    return [f"NOTICES.md: {name} is {'missing' if name in needed else 'listed, but not needed'}"
            for name in sorted(needed ^ listed)]


def image_faults() -> list[str]:
    """Pins of the Containerfile that are not of their form; says which are missing."""
    faults = []
    for name, value, form in (("DEBIAN", "[^@\\n]*@?", r"sha256:[0-9a-f]{64}"), ("SWIFT_SHA256", "", r"[0-9a-f]{64}")):
        [pin] = found(rf"^ARG {name}={value}(.*)$", "Examples/service/Containerfile")
        if not pin:
            print(f"not pinned: {name} of the Containerfile (make pins)")
        elif not re.fullmatch(form, pin):
            faults.append(f"Examples/service/Containerfile: {name} is pinned to {pin}")
    return faults


def link_faults() -> list[str]:
    """Links of pages outside the site to files that are not there. `.ci/docs.py` looks at the links of the site."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("Examples/**/*.md"), *ROOT.glob("Vectors/**/*.md")]
    return [f"{page.relative_to(ROOT)}: there is no {target}"
            for page in sorted(pages) for target in re.findall(r"\]\(([^):#]+)\)", page.read_text())
            if not (page.parent / target).exists()]


def command_faults(command: list[str]) -> list[str]:
    """Scripts and targets of a command that are not there, and scripts that cannot be run."""
    while command and re.match(r"\w+=", command[0]):
        del command[0]
    if not command:
        return []
    faults = []
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()} - {".build", ".git"}
    for word in command:
        path = word.strip("'\"()").removeprefix("./")
        if path.partition("/")[0] in folders and "/" in path and not (ROOT / path).exists():
            faults.append(f"there is no {path}")
    if (ROOT / command[0]).is_file() and not (ROOT / command[0]).stat().st_mode & 0o100:
        faults.append(f"{command[0]} cannot be run")
    if command[0] == "make":
        targets = set(found(r"^([a-z-]+(?: [a-z-]+)*):", "Makefile"))
        known = {name for line in targets for name in line.split()}
        faults += [f"make has no {word}" for word in command[1:] if re.fullmatch(r"[a-z-]+", word) and word not in known]
    return faults


def script_faults(script: str) -> list[str]:
    """What a `run:` names that is not there; also what bash cannot read."""
    checked = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, check=False)
    faults = [checked.stderr.strip()] if checked.returncode else []
    lines = re.sub(r"\\\n", " ", script).split("\n")
    for line in (line for line in lines if not line.lstrip().startswith("#")):
        for command in re.split(r"&&|\|\|?|;|\b(?:if|then|else|do|!)\b", line):
            faults += command_faults(command.split())
    return faults


def workflow_faults(path: Path) -> list[str]:
    """What is wrong with a workflow: its form, its steps, and what these name."""
    try:
        jobs = yaml.safe_load(path.read_text())["jobs"]
        steps = [step for job in jobs.values() for step in job["steps"]]
    except (yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
        return [f"{path.name}: it is not a workflow with jobs and steps: {error}"]
    faults = [f"there is no job {name}" for job in jobs.values()
              for name in [job.get("needs", [])] for name in ([name] if isinstance(name, str) else name)
              if name not in jobs]
    if not any(".ci/run" in step.get("run", "") for step in steps):
        faults.append("no step runs .ci/run")
    for step in steps:
        if ("run" in step) == ("uses" in step):
            faults.append(f"a step needs either run or uses: {step}")
        if "uses" in step and not re.fullmatch(r"[\w-]+/[\w/-]+@\S+", step["uses"]):
            faults.append(f"{step['uses']} names no version")
        faults += script_faults(step.get("run", ""))
    return [f"{path.name}: {fault}" for fault in faults]


def main() -> None:
    faults = version_faults() + image_faults() + link_faults()
    workflows = sorted((ROOT / ".github/workflows").glob("*.y*ml"))
    if yaml:
        faults += [fault for path in workflows for fault in workflow_faults(path)]
    else:
        print("skipped: the workflows (PyYAML is missing)")
    for path in sys.argv[1:]:
        faults += notice_faults(Path(path))
    print("\n".join(faults) if faults else "versions, links, notices and workflows are right")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
