#!/usr/bin/env python3
"""Checks the files of Examples/service that nothing else runs: Kubernetes manifests and their settings, and what the unit, the
container file and the article on limits promise.

    python3 .ci/examples_check.py PATH-OF-TVE

Needs kubernetes-validate beside this Python, unless TVE_ALLOW_SKIPS=1 is set, and redis-server. Everything listens on loopback.
"""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

import yaml
from service_check import Program, Redis, ask, expect, free_port, until

ROOT = pathlib.Path(__file__).resolve().parent.parent
SERVICE = ROOT / "Examples" / "service"
SOURCES = ROOT / "Sources" / "Service" / "TVEService"
ARTICLE = SOURCES / "TVEService.docc" / "SizingAndLimits.md"
OVERVIEW = SOURCES / "TVEService.docc" / "TVEService.md"
KIB, MIB = 1024, 1024 * 1024
SECRETS = "/run/secrets/tve"


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=120, **more)
    assert done.returncode == 0, f"{command[0]}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def check_manifests():
    validate = pathlib.Path(sys.executable).parent / "kubernetes-validate"
    if not validate.exists() and os.environ.get("TVE_ALLOW_SKIPS") == "1":
        print("skipped: the manifests (there is no kubernetes-validate)")
        return
    manifests = sorted((SERVICE / "kubernetes").glob("*.yaml"))
    found = run(validate, "--strict", *manifests)
    passed = found.count(" passed for resource ")
    assert passed >= len(manifests), found
    print(f"kubernetes-validate: {passed} resources")


def check_deployment(tve):
    """What the manifests promise each other, the image and the service."""
    folder = SERVICE / "kubernetes"
    one = lambda name: yaml.safe_load((folder / f"{name}.yaml").read_text())
    deployment, scaler, settings = one("deployment")["spec"], one("horizontalpodautoscaler")["spec"], settings_of_configmap()
    pod = deployment["template"]["spec"]
    [container] = pod["containers"]
    # What happens from SIGTERM to the end has to fit in.
    drain = {"waitSeconds": 5, "limitSeconds": 30} | settings.get("drain", {})
    expect("room for the end", pod["terminationGracePeriodSeconds"] > sum(drain.values()) + 5, True)
    user = re.search(r"^USER (\d+):(\d+)$", (SERVICE / "Containerfile").read_text(), re.M)
    expect("the image's user", [int(user[1]), int(user[2])],
           [pod["securityContext"][name] for name in ("runAsUser", "runAsGroup")])
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    expect("ports", ports, {name: settings[name]["port"] for name in ("public", "internal")})
    probes = {name: container[name + "Probe"]["httpGet"] for name in ("liveness", "readiness", "startup")}
    expect("probes", probes, {"liveness": {"path": "/healthz", "port": "internal"},
                              "readiness": {"path": "/readyz", "port": "internal"},
                              "startup": {"path": "/healthz", "port": "internal"}})
    # The readiness probe has to notice before the listeners close.
    noticed = container["readinessProbe"]["periodSeconds"] * container["readinessProbe"]["failureThreshold"]
    expect("time to notice", noticed < drain["waitSeconds"], True)
    expect("one place says how many replicas", "replicas" in deployment, False)
    expect("replicas that may go", scaler["minReplicas"] - one("poddisruptionbudget")["spec"]["minAvailable"], 1)
    expect("what is scaled by has a request", "cpu" in container["resources"]["requests"], True)
    # Kubernetes describes each Service in variables; those of tve-internal look like settings.
    expect("enableServiceLinks", pod["enableServiceLinks"], False)
    linked = subprocess.run([tve, "serve", "--check"], capture_output=True, text=True, timeout=60,
                            env=os.environ | {"TVE_INTERNAL_PORT": "tcp://10.0.0.7:8081"})
    expect(f"a variable of a Service link: {linked.stderr}", (linked.returncode, "internal.port" in linked.stderr), (78, True))
    print("deployment.yaml: grace time, user, ports, probes and autoscaling fit the settings and the image")


def check_container():
    text = (SERVICE / "Containerfile").read_text()
    # The last stage is the image; what was set in another one is not in it.
    image = text.rpartition("\nFROM ")[2]
    variables = dict(re.findall(r"(\w+)=(\S+)", " ".join(re.findall(r"^ENV (.*)$", image, re.M))))
    expect("a crash in a container prints no memory", variables.get("SWIFT_BACKTRACE"), "enable=no")
    print("Containerfile: a crash prints no memory")


def defaults():
    """The defaults of settings that are numbers, as the sources have them; those that are calculated are left out."""
    sources = "".join(path.read_text() for path in sorted(SOURCES.rglob("*.swift")))
    found = re.findall(r'number\(\s*"([\w.]+)",\s*in: [^,]+,\s*default: (\d[\d_]*)( << \d+)?\)', sources)
    return {name: int(number) << int(shift[4:] or 0) for name, number, shift in found}


def check_settings_tables():
    """Each setting is in one row of one of the two tables in the overview, and nothing else is."""
    known = re.findall(r'SettingName\(name: "([\w.]+)"', (SOURCES / "Settings" / "SettingName.swift").read_text())
    app = (SOURCES / "Gateway" / "Settings" / "ServiceSettings+GatewayApp.swift").read_text()
    known += [f"broker.apps.ID.{name}" for name in re.findall(r'\("(\w+)", \.(?:text|list|bool|number)\)', app)]
    tables = OVERVIEW.read_text().split("| Setting | Holds | Default |\n|---|---|---|\n")[1:]
    expect("tables of settings in TVEService.md", len(tables), 2)
    rows = [row for table in tables for row in table.split("\n\n", 1)[0].splitlines()]
    named = [name for row in rows for name in re.findall(r"`([^`]+)`", row.split(" | ")[0])]
    expect("settings in TVEService.md", sorted(set(named)), sorted(known))
    expect("settings that are there twice", sorted({name for name in named if named.count(name) > 1}), [])
    print(f"TVEService.md: {len(named)} settings in {len(rows)} rows")


def check_rows():
    """Each setting that limits something has a row in the article, with its default."""
    names = re.findall(r'SettingName\(name: "((?:limits|store|drain|reload|readiness)\.\w+)", kind: \.number\)',
                       (SOURCES / "Settings" / "SettingName.swift").read_text())
    assert len([name for name in names if name.startswith("limits.")]) >= 10, names
    table = ARTICLE.read_text().split("### What each limit protects\n", 1)[1]
    rows = dict(re.findall(r"^\| `([\w.]+)` \| ([^|]*) \| [^|]+ \| [^|]+ \|$", table, re.M))
    expect("settings without a row in SizingAndLimits.md", sorted(set(names) - set(rows)), [])
    known = defaults()
    shown = {name: int(value) for name, value in rows.items() if re.fullmatch(r"\d+", value)}
    expect("defaults in SizingAndLimits.md", shown, {name: known.get(name) for name in shown})
    expect("defaults that are numbers and not shown", sorted(set(names) & set(known) - set(shown)), [])
    print(f"SizingAndLimits.md: {len(names)} settings have a row, {len(shown)} with the default of the sources")


def worst_case(settings):
    """The most bytes that clients can make the service hold with these settings, by the formula of the article."""
    [found] = re.findall(r"^    (\d+) MiB \+ listeners × limits.connections × \((\d+) KiB \+ ([\d.]+) × limits.headerBytes"
                         r" \+ ([\d.]+) × limits.bodyBytes\)$", ARTICLE.read_text(), re.M)
    start, connection, head, body = map(float, found)
    limits = {name.removeprefix("limits."): value for name, value in defaults().items() if name.startswith("limits.")}
    limits |= settings.get("limits", {})
    listeners = 2 + bool({"port", "socket"} & set(settings.get("decryption", {})))
    each = connection * KIB + head * limits["headerBytes"] + body * max(limits["bodyBytes"], limits["decisionsBytes"])
    return start * MIB + listeners * limits["connections"] * each


def check_memory():
    """What clients can make the service hold fits the memory that the unit and the Deployment give it."""
    unit = re.search(r"^MemoryMax=(\d+)G$", (SERVICE / "tve.service").read_text(), re.M)
    deployment = yaml.safe_load((SERVICE / "kubernetes" / "deployment.yaml").read_text())
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    pod = re.fullmatch(r"(\d+)Gi", container["resources"]["limits"]["memory"])
    files = [*sorted(SERVICE.glob("serve*.json")), ROOT / "Packaging" / "debian" / "serve.json"]
    given = [(str(file.relative_to(ROOT)), json.loads(file.read_text()), int(unit[1])) for file in files]
    given.append(("configmap.yaml", settings_of_configmap(), int(pod[1])))
    # 1,000,000 tokens of 60 bytes each, if an operator takes memory: for the store; and room for what is not counted.
    more = 60_000_000 + 128 * MIB
    needed = {name: worst_case(settings) + more for name, settings, _ in given}
    for name, _, gibibytes in given:
        assert needed[name] < gibibytes * KIB * MIB, f"{name} may need {needed[name] / MIB:.0f} MiB, and gets {gibibytes} GiB"
    assert worst_case({}) + more > int(unit[1]) * KIB * MIB, "the defaults fit: the examples need no limits any more"
    print(f"memory: {len(given)} examples of settings fit the unit and the Deployment, and need "
          f"{max(needed.values()) / MIB:.0f} MiB at most")


def check_authz():
    """Every example says where its proxy puts the URI: what is not said, a client may say."""
    files = [path for folder in (ROOT / "Examples", ROOT / "Packaging") for path in folder.rglob("serve*.json")
             if ".build" not in path.parts]
    assert len(files) >= 5, files
    given = {str(file.relative_to(ROOT)): json.loads(file.read_text()) for file in sorted(files)}
    given["configmap.yaml"] = settings_of_configmap()
    expect("settings without authz.uri", [name for name, settings in given.items() if "uri" not in settings["authz"]], [])


def settings_of_configmap():
    """The settings in the manifest, which are a block of text there."""
    text = (SERVICE / "kubernetes" / "configmap.yaml").read_text()
    block = text.split("  serve.json: |\n", 1)[1]
    return json.loads("".join(line + "\n" for line in block.splitlines() if line.startswith("    ")))


def check_settings(tve, folder):
    """`tve serve --check` with the settings of the manifest, and the secrets that its README says how to make.

    Only what is not on this machine is replaced: the broker, Redis, and where the secrets are.
    """
    simulator = Program(
        "broker", tve, "simulate", "--port", 0, "--state", folder / "broker", "--output", "json", folder=folder,
        output=subprocess.PIPE)
    banner = json.loads(simulator.process.stdout.readline())
    redis = Redis(folder)
    readme = (SERVICE / "kubernetes" / "README.md").read_text()
    for command in ("openssl rand -out session.key 32", "tve devices keys sealing.keys"):
        assert f"\n{command}\n" in readme, f"the README does not say: {command}"
        expect(f"umask 077 comes before {command}", 0 < readme.find("\numask 077\n") < readme.find(command), True)
        tool, *rest = command.split()
        run(tve if tool == "tve" else tool, *rest, cwd=folder)
    shutil.copy(banner["mediaKey"], folder / "media.pem")
    (folder / "tv.statement").write_text(banner["softwareStatement"] + "\n")
    (folder / "redis-password").write_text("a-password-of-the-test\n")
    with socket.create_connection(("127.0.0.1", redis.port), 10) as connection:
        connection.sendall(b"CONFIG SET requirepass a-password-of-the-test\r\n")
        expect("Redis wants a password", connection.recv(100), b"+OK\r\n")
    named = re.search(r"kubectl create secret generic tve ((?:.|\\\n)*?)\n", readme).group(1) + readme
    settings = settings_of_configmap()
    files = set(re.findall(SECRETS + r"/([\w.-]+)", json.dumps(settings)))
    for name in files:
        assert f"--from-file={name}" in named, f"the README makes no secret {name}"
        assert (folder / name).exists(), name
    text = json.dumps(settings).replace(SECRETS, str(folder))
    text = text.replace("rediss://redis.example.com:6379/0", redis.address)
    settings = json.loads(text.replace("https://sp.auth.adobe.com", banner["url"].rstrip("/")))
    file = folder / "serve.json"
    file.write_text(json.dumps(settings))
    checked = subprocess.run([tve, "serve", "--config", file, "--check"], capture_output=True, text=True, timeout=60)
    expect(f"--check of configmap.yaml: {checked.stdout}{checked.stderr}", checked.returncode, 0)
    # A pod's listeners are open to all but for networkpolicy.yaml, which the README says.
    warned = re.findall(r"^tve: (\S+): .*\[(.*)\]$", checked.stderr, re.M)
    expect(f"what it warns of: {checked.stderr}", warned,
           [("sessions.clientAddressHeader", "client_decides"), ("internal.host", "open_internal")])
    for _, code in warned:
        expect(f"the README names {code}", f"`{code}`" in readme, True)
    # The listeners of a pod are open to all.
    for section in ("public", "internal"):
        settings[section] = {"host": "127.0.0.1", "port": free_port()}
    file.write_text(json.dumps(settings))
    service = Program("service", tve, "serve", "--config", file, folder=folder)
    port, internal = settings["public"]["port"], settings["internal"]["port"]
    until("ready", lambda: ask(internal, "/readyz?store=now")[0] == 200)
    sender = {"Content-Type": "application/json", "X-Forwarded-For": "192.0.2.1"}
    status, _, content = ask(port, "/v1/devices", sender, "POST", json.dumps({"app": "tv"}))
    expect("a device is registered", status, 201)
    sender["Authorization"] = "Bearer " + json.loads(content)["deviceToken"]
    # This makes the device's record, in the store of devices.
    expect("the choice of a provider", ask(port, "/v1/authentication", sender, "POST", "{}")[0], 200)
    service.stop()
    # A fault in the settings would be found.
    file.write_text(json.dumps(settings | {"broker": settings["broker"] | {"keyFile": str(folder / "missing")}}))
    checked = subprocess.run([tve, "serve", "--config", file, "--check"], capture_output=True, text=True, timeout=60)
    expect("--check with a key that is missing", checked.returncode, 78)
    redis.program.stop()
    simulator.stop()
    print(f"configmap.yaml: taken by tve serve --check, and served, with {len(files)} files of the secret")


def main():
    tve = str(pathlib.Path(sys.argv[1]).resolve())
    check_manifests()
    check_deployment(tve)
    check_container()
    check_settings_tables()
    check_rows()
    check_memory()
    check_authz()
    # As the README of the manifests says, so that the service warns of no file.
    os.umask(0o077)
    with tempfile.TemporaryDirectory(prefix="tve-examples-") as name:
        try:
            check_settings(tve, pathlib.Path(name))
        finally:
            for program in list(Program.running):
                program.stop()


if __name__ == "__main__":
    main()
