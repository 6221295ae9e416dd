#!/usr/bin/env python3
"""Compiles Tve.java for Java 11, runs TveTest.java against `tve serve` and the program, and runs what the documents show.

    python3 Examples/java/check.py PATH-OF-TVE

The program needs the trait Service; javac and java, openssl and a shell are needed beside it. Everything listens on loopback.
"""

import contextlib
import json
import os
import pathlib
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
README = HERE / "README.md"
ARTICLE = ROOT / "Sources" / "Core" / "TVETokens" / "TVETokens.docc" / "ComingFromTheJavaVerifier.md"
PATIENCE = 600  # seconds; what takes longer has stopped
COMPILE = ["javac", "-Xlint:all", "-Werror", "--release", "11"]


def run(*command, seconds=PATIENCE, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=seconds, **more)
    assert done.returncode == 0, f"{command[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


def free_ports(count):
    """Ports that nobody listens on; all are open at once, so that they differ."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def make_keys(folder):
    run("openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", folder / "test-key.pem")
    run("openssl", "pkey", "-in", folder / "test-key.pem", "-pubout", "-out", folder / "test-issuer.pem")


@contextlib.contextmanager
def served(tve, folder, name, store):
    """A running `tve serve`: the addresses of its listeners, and the secret of the one that decrypts."""
    public, internal, decryption = free_ports(3)
    secret = secrets.token_hex(32)
    (folder / f"{name}.secret").touch(0o600)
    (folder / f"{name}.secret").write_text(secret + "\n")
    settings = {
        "public": {"port": public}, "internal": {"port": internal},
        "keys": {"paths": [str(folder / "test-issuer.pem")]}, "store": {"address": store},
        "decryption": {
            "paths": [str(folder / "test-key.pem")], "port": decryption, "secretFile": str(folder / f"{name}.secret")},
        "authz": {"requestors": ["REF30"], "resources": ["/live/* REF30"], "uri": "x-original-uri"}}
    file = folder / f"{name}.json"
    file.write_text(json.dumps(settings))
    with open(folder / f"{name}.log", "w") as log:
        service = subprocess.Popen([tve, "serve", "--config", file], stdout=log, stderr=log)
    try:
        wait_for(service, f"http://127.0.0.1:{internal}/healthz", folder / f"{name}.log")
        yield {"public": f"http://127.0.0.1:{public}", "decryption": f"http://127.0.0.1:{decryption}", "secret": secret}
    finally:
        service.terminate()
        service.wait(PATIENCE)


def wait_for(service, address, log):
    for _ in range(PATIENCE * 10):
        assert service.poll() is None, log.read_text()
        with contextlib.suppress(urllib.error.URLError, ConnectionError):
            if urllib.request.urlopen(address, timeout=10).status == 200:
                return
        time.sleep(0.1)
    raise AssertionError(f"{address} does not answer:\n{log.read_text()}")


def test(tve, folder, classes):
    with served(tve, folder, "service", "memory:") as service, \
            served(tve, folder, "storeless", f"redis://127.0.0.1:{free_ports(1)[0]}/0") as other:
        setting = service | {
            "program": tve, "folder": str(folder), "issuer": str(folder / "test-issuer.pem"),
            "key": str(folder / "test-key.pem"), "storeless": other["public"]}
        (folder / "setting.json").write_text(json.dumps(setting))
        # Less memory than the rows of the longest test have.
        print(run("java", "-Xmx64m", "-cp", classes, "TveTest", folder / "setting.json", seconds=1200).strip())
        logs = "".join((folder / f"{name}.log").read_text() for name in ("service", "storeless"))
        assert service["secret"] not in logs


def blocks(page, language):
    """The fenced blocks of a page, each with the comment before it."""
    return re.findall(rf"^(?:<!-- (snippet: [^>]*) -->\n)?```{language}\n(.*?)^```$", page.read_text(), re.S | re.M)


def printed(texts):
    """What the lines with a println of these blocks say that they print."""
    return [line for text in texts for line in re.findall(r"println\(.*\);\s+// (.*)$", text, re.M)]


def patient(text):
    """The same calls with a limit that a busy machine does not reach."""
    return re.sub(r'new Tve\("[^"]*"\)', f"\\g<0>.withTimeout(java.time.Duration.ofSeconds({PATIENCE}))", text)


def check_article(tve, folder, classes):
    """Compiles the Java blocks of the article as one method, after what `given java:` has, and runs it with its service."""
    text = ARTICLE.read_text()
    given = "\n".join(re.findall(r"^<!-- given java:\n(.*?)^-->$", text, re.S | re.M))
    shown = [block for _, block in blocks(ARTICLE, "java")]
    assert len(shown) >= 4, "the article shows the calls in Java"
    # Methods stand beside the statements.
    methods = [block for block in shown if re.match(r"(static|public|private) ", block)]
    statements = [block for block in shown if block not in methods]
    imports = "".join(f"import {name}.*;\n" for name in ("java.nio.file", "java.time", "java.util"))
    source = folder / "Article.java"
    with served(tve, folder, "article", "memory:") as service:
        body = patient(given + "".join(statements))
        body = body.replace("http://127.0.0.1:8080", service["public"]).replace("http://127.0.0.1:8082", service["decryption"])
        source.write_text(f"{imports}final class Article {{\n{''.join(methods)}"
                          f"public static void main(String[] arguments) throws Exception {{\n{body}\n}}\n}}\n")
        run(*COMPILE, "-cp", classes, "-d", classes, source)
        (folder / "token.txt").write_text(run(
            tve, "issue", "media-token", "--key", folder / "test-key.pem", "--requestor", "REF30", "--resource", "REF30"))
        value = run("bash", "-c", "printf 02134 | openssl pkeyutl -encrypt -pubin -inkey test-issuer.pem | base64 -w 0", cwd=folder)
        (folder / "value.txt").write_text(value)
        shutil.copy(folder / "article.secret", folder / "decryption.secret")
        shutil.copy(folder / "test-issuer.pem", folder / "issuer.pem")
        environment = os.environ | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
        found = run("java", "-cp", classes, "Article", cwd=folder, env=environment).splitlines()
    wanted = printed(shown)
    assert wanted and found == wanted, f"the article says {wanted}, and its program {found}"
    print(f"{ARTICLE.name}: {len(shown)} blocks of Java compiled and run")


def check_readme(folder, classes):
    """Compiles the Java blocks of README.md, and runs the commands after the build, as far as they print with ports of their own."""
    shown = [block for _, block in blocks(README, "java")]
    for number, block in enumerate(shown):
        name = f"Shown{number}"
        lines = textwrap.indent(block, "        ")
        (folder / f"{name}.java").write_text(
            "import java.util.*;\n"
            f"final class {name} {{\n    static void store(Map<String, Object> row) {{}}\n"
            "    static void shown(String token, String secret, String value, List<Map<String, Object>> input) throws Exception {\n"
            f"{lines}    }}\n}}\n")
        run(*COMPILE, "-cp", classes, "-d", classes, folder / f"{name}.java")
    commands = [block for mark, block in blocks(README, "sh") if "check.py runs it" in mark]
    place = folder / "readme"
    place.mkdir()
    public, internal = free_ports(2)
    script = patient("".join(commands)).replace("8080", str(public)).replace("8081", str(internal))
    script = script.replace("../swift-tve-tokens/", f"{ROOT}/")
    environment = os.environ | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    # The waiting in the text is enough for a release build on a machine that does nothing else.
    until = f"until curl -fs -o /dev/null http://127.0.0.1:{internal}/healthz; do command sleep 0.2; done"
    head = f"set -euo pipefail\ntrap 'kill $(jobs -p)' EXIT\nsleep() {{ {until}; }}\n"
    # timeout(1) ends what the commands have started, too.
    found = run("timeout", PATIENCE - 60, "bash", "-c", head + script, cwd=place, env=environment).splitlines()
    [wanted] = [block.splitlines() for _, block in blocks(README, "text")]
    assert found[-len(wanted):] == wanted, f"README.md says {wanted}, and its commands {found}"
    print(f"README.md: {len(shown)} blocks of Java compiled, {len(commands)} of commands run")


def main():
    os.umask(0o077)
    tve = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(prefix="tve-java-") as name:
        folder = pathlib.Path(name)
        classes = folder / "classes"
        (folder / "bin").mkdir()
        (folder / "bin" / "tve").symlink_to(tve)
        run(*COMPILE, "-d", classes, HERE / "Tve.java", HERE / "TveTest.java")
        make_keys(folder)
        test(tve, folder, classes)
        check_article(tve, folder, classes)
        check_readme(folder, classes)


if __name__ == "__main__":
    main()
