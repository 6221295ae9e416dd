#!/usr/bin/env python3
"""Tests `tve serve` with real proxies in front of it, with real stores and real load.

    python3 .ci/service_check.py PATH-OF-TVE [CHECK ...]

Without names, all checks run: nginx, caddy, replicas and upgrades need nginx, caddy, redis-server and curl; restarts, attacks
and lots need no more; java needs a JDK, contract and apps need schemathesis beside this Python, page needs chromium, load needs
wrk, and the product BareRoute beside tve. Everything listens on loopback.
"""

import base64
import collections
import concurrent.futures
import contextlib
import datetime
import functools
import http.client
import http.server
import itertools
import json
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import types

from browser import Browser
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEYS = ROOT / "Vectors" / "keys"
ISSUER = KEYS / "test-only-issuer-2048.pkcs8.pem"
EXAMPLES = ROOT / "Examples" / "service"
# The load: number of rounds, tokens in each round, and the longest time of a round in seconds.
ROUNDS, ROUND_TOKENS, ROUND_SECONDS = 3, 20_000, 5
REPLAY_SECONDS = int(os.environ.get("TVE_REPLAY_SECONDS", "30"))
# For everything that has to happen some time, also on a busy machine.
PATIENCE = 120
# A page of another origin that may play.
PLAYER = "https://player.example.com"
# For checks that are not about how soon a store is given up.
PATIENT_STORE = {"timeoutMilliseconds": 10_000, "connectTimeoutMilliseconds": 10_000}
# As many as this process may hand on to nginx.
OPEN_FILES = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
# The system takes ports from 32768 on for outgoing connections, so these are ours; each process begins at another one.
ports = itertools.count(12_000 + os.getpid() * 37 % 18_000)


def free_port():
    for port in ports:
        with socket.socket() as found, contextlib.suppress(OSError):
            found.bind(("127.0.0.1", 12_000 + port % 20_000))
            return found.getsockname()[1]


def ask(port, path, headers=None, method="GET", body=None, connection=None):
    """Status, headers and body of one answer."""
    client = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    client.request(method, path, body=body, headers=headers or {})
    answer = client.getresponse()
    content = answer.read()
    if not connection:
        client.close()
    return answer.status, answer.headers, content


def until(what, condition, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if condition():
                return
        except OSError:
            pass
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds} s: {what}")


def expect(what, found, wanted):
    assert found == wanted, f"{what}: {found}, expected {wanted}"


class Program:
    """A program of ours that runs until the end."""

    running = []

    def __init__(self, name, *arguments, folder, output=subprocess.DEVNULL, input=None):
        self.log = folder / f"{name}.log"
        self.process = subprocess.Popen(
            [str(argument) for argument in arguments], stdin=input, stdout=output, stderr=open(self.log, "a"))
        Program.running.append(self)

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        status = self.process.wait(PATIENCE)
        if self in Program.running:
            Program.running.remove(self)
        return status


@contextlib.contextmanager
def check_folder(name):
    """The folder of a check: if it fails, the ends of its logs are shown. Its programs are stopped in any case."""
    with tempfile.TemporaryDirectory(prefix=f"tve-{name}-") as path:
        folder = pathlib.Path(path)
        try:
            yield folder
        except BaseException:
            for log in folder.glob("*.log"):
                print(f"== {log.name}", *log.read_text(errors="replace").splitlines()[-20:], sep="\n", file=sys.stderr)
            raise
        finally:
            for program in list(Program.running):
                # One that is paused would not hear of its end.
                program.process.send_signal(signal.SIGCONT)
                program.stop()


class Tokens:
    """Tokens that differ, made from one of `tve issue` by signing it again."""

    def __init__(self, tve):
        self.tve = tve
        self.number = 0

    def issue(self, *options, resource="DemoChannel"):
        self.number += 1
        plain = subprocess.run(
            [self.tve, "issue", "media-token", "--key", ISSUER, "--requestor", "REF30", "--resource", resource,
             "--session-guid", f"{self.number:032x}", *options], check=True, capture_output=True, text=True).stdout.strip()
        return base64.b64encode(plain.encode()).decode()

    def template(self, *options, **more):
        return Template(self.issue(*options, **more))

    def many(self, count):
        # An hour, so that the tokens last for a whole load.
        template = self.template("--ttl", "3600")
        first, self.number = self.number, self.number + count
        lots = [range(start, min(start + 1000, self.number)) for start in range(first, self.number, 1000)]
        with concurrent.futures.ProcessPoolExecutor() as pool:
            return [token for lot in pool.map(template.tokens, lots) for token in lot]


@functools.cache
def private_key(file):
    return serialization.load_pem_private_key(file.read_bytes(), None)


class Template:
    """A token from which others are made by signing it again."""

    def __init__(self, token):
        plain = base64.b64decode(token).decode()
        self.marker = plain[: plain.index(">") + 1]
        self.body = plain[plain.index(self.marker, 1) + len(self.marker):]
        self.guid = re.search(r"<sessionGUID>([^<]*)</sessionGUID>", self.body).group(1)

    def token(self, number, key=ISSUER):
        """A token of its own for each number, which becomes its session GUID."""
        text = self.body.replace(self.guid, f"{number:032x}")
        signature = private_key(key).sign(text.encode(), padding.PKCS1v15(), hashes.SHA256())
        whole = f"{self.marker}{base64.b64encode(signature).decode()}{self.marker}{text}"
        return base64.b64encode(whole.encode()).decode()

    def tokens(self, numbers):
        return [self.token(number) for number in numbers]


class Service:
    """One `tve serve`. A wrapper is a command that ends in running another one, such as `env` or `prlimit`."""

    def __init__(self, tve, folder, name, store, /, examples=None, wrapper=(), **more):
        self.tve, self.folder, self.name, self.wrapper = tve, folder, name, wrapper
        self.port, self.internal = free_port(), free_port()
        settings = json.loads((examples or EXAMPLES / "serve.json").read_text())
        settings["public"]["port"], settings["internal"]["port"] = self.port, self.internal
        settings["keys"]["paths"] = [str(KEYS / "test-only-issuer-2048.spki.pem")]
        # Everybody can sign with the key of the vectors, which a service refuses unless it is told otherwise.
        settings["keys"]["acceptPublishedTestKeys"] = True
        settings["store"]["address"] = store
        settings["sessions"]["keyFiles"] = [str(folder / "session.key")]
        settings["drain"] = {"waitSeconds": 1}
        settings["log"] = {"level": "warning"}
        for section, values in more.items():
            settings.setdefault(section, {}).update(values)
        self.file = folder / f"{name}.json"
        self.file.write_text(json.dumps(settings))
        self.start()

    def start(self):
        self.program = Program(self.name, *self.wrapper, self.tve, "serve", "--config", self.file, folder=self.folder)
        until(f"{self.name} listens", lambda: ask(self.internal, "/healthz")[0] == 200)

    def stop(self):
        expect(f"{self.name} ends", self.program.stop(), 0)

    def authorize(self, token, uri="/live/demo/1.ts"):
        return ask(self.port, "/v1/authz", {"X-Original-URI": uri, "X-Media-Token": token})[0]

    @property
    def resident(self):
        """Resident memory in KiB."""
        status = pathlib.Path(f"/proc/{self.program.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s*(\d+)", status).group(1))


class Redis:
    # What was redeemed is on disk before it is answered, so that a restart forgets nothing.
    DURABLE = "--save", "", "--appendonly", "yes", "--appendfsync", "always"

    def __init__(self, folder, *options, wrapper=()):
        self.folder, self.port, self.options, self.wrapper = folder, free_port(), options or self.DURABLE, wrapper
        self.start()

    def start(self):
        self.program = Program(
            "redis", *self.wrapper, "redis-server", "--port", self.port, "--bind", "127.0.0.1", "--dir", self.folder,
            *self.options, folder=self.folder)
        until("redis listens", lambda: socket.create_connection(("127.0.0.1", self.port), 1).close() is None)

    @property
    def address(self):
        return f"redis://127.0.0.1:{self.port}/0"


def segments(folder):
    """A folder of media that has 500 segments of each of two resources."""
    media = folder / "media"
    for path in ("live/demo", "vod/Other"):
        (media / path).mkdir(parents=True, exist_ok=True)
        for segment in range(500):
            (media / path / f"{segment}.ts").write_text("segment\n")
    return media


def start_nginx(folder, services, *changes):
    """nginx with the example's configuration, and its port."""
    port = free_port()
    text = allow_files((EXAMPLES / "nginx.conf").read_text())
    for old, new in (
        ("server 127.0.0.1:8080 max_fails=0;",
         "".join(f"server 127.0.0.1:{service.port} max_fails=0;" for service in services)),
        ("listen 127.0.0.1:8000", f"listen 127.0.0.1:{port}"), ("/srv/media", str(folder / "media")),
        ("/var/log/nginx/access.log", f"{folder}/access.log"), ("/var/log/nginx/error.log", f"{folder}/nginx.log"),
        ("worker_processes 1;", f"worker_processes 1; daemon off; pid {folder}/nginx.pid; "
         + ("user root;" if os.geteuid() == 0 else "")),
        ("http {", f"http {{ client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; "
         f"fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;"), *changes,
    ):
        assert old in text, old
        text = text.replace(old, new, 1)
    (folder / "nginx.conf").write_text(text)
    nginx = Program("nginx", "nginx", "-c", folder / "nginx.conf", "-p", folder, folder=folder)
    until("nginx listens", lambda: ask(port, "/")[0] in (401, 403))
    return nginx, port


def allow_files(text):
    """The example's configuration of nginx with fewer open files, if the system grants no more."""
    wanted = re.search(r"worker_rlimit_nofile (\d+);", text)
    granted = int(wanted.group(1)) if OPEN_FILES == resource.RLIM_INFINITY else min(int(wanted.group(1)), OPEN_FILES)
    return text.replace(wanted.group(), f"worker_rlimit_nofile {granted};")


def start_caddy(folder, service, *changes):
    """Caddy with the example's configuration, and its port."""
    port = free_port()
    text = (EXAMPLES / "Caddyfile").read_text()
    for old, new in (
        ("127.0.0.1:8080", f"127.0.0.1:{service.port}"), ("http://:8000", f"http://:{port}"),
        ("/srv/media", str(folder / "media")), *changes,
    ):
        assert old in text, old
        text = text.replace(old, new)
    (folder / "Caddyfile").write_text(text)
    os.environ.setdefault("HOME", str(folder))
    caddy = Program("caddy", "caddy", "run", "--adapter", "caddyfile", "--config", folder / "Caddyfile", folder=folder)
    until("caddy listens", lambda: ask(port, "/")[0] in (401, 403))
    return caddy, port


@contextlib.contextmanager
def two_replicas(tve, folder, player=PLAYER):
    """Two replicas with one Redis, and nginx in front of them; its port. A page of the player's origin may play."""
    redis = Redis(folder)
    first, second = (
        Service(tve, folder, name, redis.address, store=PATIENT_STORE, sessions={"corsOrigins": [player]})
        for name in ("first", "second"))
    segments(folder)
    nginx, port = start_nginx(folder, [first, second])
    yield redis, first, second, port
    nginx.stop()
    first.stop()
    second.stop()
    redis.program.stop()


def check_other_origin(port, tokens):
    """A player's page of another origin starts, renews and ends a session: its browser asks first, without a token."""
    for path in ("/play", "/play/renew", "/play/end"):
        question = {"Origin": PLAYER, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
        status, headers, _ = ask(port, path, question, "OPTIONS")
        expect(f"preflight of {path}", (status, headers["Access-Control-Allow-Origin"]), (204, PLAYER))
        assert "POST" in headers["Access-Control-Allow-Methods"], headers["Access-Control-Allow-Methods"]
        status, headers, _ = ask(port, path, question | {"Origin": "https://other.example.com"}, "OPTIONS")
        expect(f"preflight of {path} from elsewhere", headers["Access-Control-Allow-Origin"], None)
        expect(f"DELETE {path}", ask(port, path, {"Origin": PLAYER}, "DELETE")[0] in (403, 405), True)
    body = json.dumps({"token": tokens.issue(), "requestor": "REF30", "resource": None, "cookie": False})
    status, headers, content = ask(port, "/play", {"Origin": PLAYER, "Content-Type": "application/json"}, "POST", body)
    expect("session for another origin", (status, headers["Access-Control-Allow-Origin"]), (200, PLAYER))
    session = json.dumps({"session": json.loads(content)["session"]})
    status, headers, _ = ask(port, "/play/renew", {"Origin": PLAYER, "Content-Type": "application/json"}, "POST", session)
    expect("renewal for another origin", (status, headers["Access-Control-Allow-Origin"]), (200, PLAYER))


def check_player(tve, folder, tokens):
    """The same in a browser: it asks by itself, and a page of any other origin sends no token."""
    (folder / "site").mkdir()
    (folder / "site" / "index.html").write_text("<!doctype html><title>player</title>")
    pages = functools.partial(QuietPages, directory=folder / "site")
    sites = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), pages) for _ in range(2)]
    for site in sites:
        threading.Thread(target=site.serve_forever, daemon=True).start()
    player, stranger = (f"http://127.0.0.1:{site.server_port}" for site in sites)
    with two_replicas(tve, folder, player) as (_, _, _, port), Browser(folder) as browser:
        def post(page, path, body):
            return page.run(
                f"fetch('http://127.0.0.1:{port}{path}', {{method: 'POST', headers: {{'Content-Type': 'application/json'}},"
                f" body: {json.dumps(json.dumps(body))}}}).then(async answer => [answer.status, await answer.text()],"
                " error => [0, error.name])")

        mine, other = browser.context(), browser.context()
        mine.open(f"{player}/")
        other.open(f"{stranger}/")
        question = {"token": tokens.issue(), "requestor": "REF30", "resource": None, "cookie": False}
        expect("a play from elsewhere", post(other, "/play", question), [0, "TypeError"])
        status, content = post(mine, "/play", question)
        expect("the same token from the player's page", status, 200)
        session = {"session": json.loads(content)["session"]}
        expect("a renewal from elsewhere", post(other, "/play/renew", session), [0, "TypeError"])
        status, content = post(mine, "/play/renew", session)
        expect("a renewal from the player's page", status, 200)
        expect("what was answered elsewhere", [one for one in other.statuses if "/play" in one[0] and one[1] == 200], [])
    for site in sites:
        site.shutdown()
    print("player: a page of another origin starts and renews a play in a browser; a page of a third origin cannot")


class QuietPages(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def start_session(port, tokens):
    """The header field with the cookie of a new session."""
    question = {"token": tokens.issue(), "requestor": "REF30", "resource": None}
    status, headers, _ = ask(port, "/play", method="POST", body=json.dumps(question))
    expect("session", status, 200)
    return {"Cookie": headers["Set-Cookie"].split(";")[0]}


def check_nginx(tve, folder, tokens):
    with two_replicas(tve, folder) as (redis, first, second, port):
        check_verdicts(folder, redis, first, second, port, tokens)
        check_lost_answers(folder, first, tokens)


def check_verdicts(folder, redis, first, second, port, tokens):
    def play(token, path="/live/demo/1.ts", **headers):
        return ask(port, path, {"X-Media-Token": token} | headers)

    token = tokens.issue()
    status, headers, content = play(token)
    expect("first play", (status, content, headers["X-MVPD"]), (200, b"segment\n", "TestMVPD"))
    expect("replay", play(token)[0], 403)
    expect("expired", play(tokens.issue("--issued-at", "2026-01-01T00:00:00Z"))[0], 401)
    expect("type of a segment", headers["Content-Type"], "video/mp2t")
    expect("other resource", play(tokens.issue(), "/vod/Other/1.ts")[0], 403)
    expect("no token", ask(port, "/live/demo/1.ts")[0], 401)
    escaped = tokens.issue().replace("+", "%2B")
    expect("token in the address", ask(port, f"/live/demo/1.ts?media_token={escaped}")[0], 200)

    # Sessions: a token gives a cookie, and the cookie passes for 500 segments.
    cookie = start_session(port, tokens)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    statuses = [ask(port, f"/live/demo/{segment}.ts", cookie, connection=connection)[0] for segment in range(500)]
    expect("500 segments", collections.Counter(statuses), {200: 500})
    # Its cookie is another one, so that two tabs do not end each other's play.
    expect("segment of another resource", ask(port, "/vod/Other/1.ts", cookie)[0], 401)
    expect("altered session", ask(port, "/live/demo/1.ts", {"Cookie": cookie["Cookie"] + "A"})[0], 401)
    check_other_origin(port, tokens)

    # The store is stopped and started again; nothing else is restarted.
    spare = tokens.issue()
    redis.program.stop(signal.SIGKILL)
    expect("store killed", first.authorize(tokens.issue()), 503)
    expect("store killed, through nginx", play(tokens.issue())[0], 503)
    expect("ready during a stall of the store", ask(first.internal, "/readyz")[0], 200)
    expect("the store now", ask(first.internal, "/readyz?store=now")[0], 503)
    expect("sessions need no store", ask(port, "/live/demo/1.ts", cookie)[0], 200)
    redis.start()
    until("ready again", lambda: all(ask(s.internal, "/readyz?store=now")[0] == 200 for s in (first, second)))
    expect("play after the store is back", play(spare)[0], 200)
    expect("replay after the store is back", play(token)[0], 403)
    log = (folder / "access.log").read_text()
    for secret in (token, escaped, cookie["Cookie"].split("=", 1)[1]):
        assert secret not in log and secret[:40] not in log, "nginx logs a token or a session"
    assert "GET /live/demo/1.ts 200 8" in log, log[:500]
    print("nginx: verdicts, 500 segments, store killed and back; an answer that is lost is asked for again")


def check_restarts(tve, folder, tokens):
    """The replicas are restarted one after the other while clients go on."""
    with two_replicas(tve, folder) as (_, first, second, port):
        restart_under_load(first, second, port, tokens)


def restart_under_load(first, second, port, tokens):
    cookie = start_session(port, tokens)
    stop, found = threading.Event(), collections.Counter()

    def hammer():
        connection, mine = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE), collections.Counter()
        while not stop.is_set():
            mine[ask(port, "/live/demo/1.ts", cookie, connection=connection)[0]] += 1
        found.update(mine)

    # Players that start go on, too: a token is spent once, also if the replica that has it is about to stop.
    lots, started = tokens.many(2000), collections.Counter()

    def start_sessions(lot):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        for token in lot:
            if stop.is_set():
                break
            body = json.dumps({"token": token, "requestor": "REF30", "resource": None})
            started[ask(port, "/play", method="POST", body=body, connection=connection)[0]] += 1
            time.sleep(0.02)

    threads = [threading.Thread(target=hammer) for _ in range(8)]
    threads += [threading.Thread(target=start_sessions, args=(lots[offset::4],)) for offset in range(4)]
    for thread in threads:
        thread.start()
    for service in (first, second, first):
        time.sleep(1)
        service.stop()
        service.start()
    time.sleep(1)
    stop.set()
    for thread in threads:
        thread.join()
    assert found[200] > 500 and len(found) == 1, f"during the restarts: {found}"
    assert started[200] > 50 and len(started) == 1, f"starts during the restarts: {started}"
    print(f"restarts: 3 under {found[200]} segments and {started[200]} starts without a failure")


def check_lost_answers(folder, service, tokens):
    """One of two replicas takes requests and ends without an answer, as one that is killed does: none is lost."""
    with socket.create_server(("127.0.0.1", 0)) as broken:
        taken, replica = [], types.SimpleNamespace(port=broken.getsockname()[1])

        def take():
            while True:
                try:
                    connection = broken.accept()[0]
                except OSError:
                    return
                taken.append(connection.recv(65536))
                connection.close()

        threading.Thread(target=take, daemon=True).start()
        nginx, port = start_nginx(folder, [replica, service])
        for _ in range(10):
            body = json.dumps({"token": tokens.issue(), "requestor": "REF30", "resource": None})
            expect("start", ask(port, "/play", method="POST", body=body)[0], 200)
        assert any(b"POST /v1/playback-sessions" in text for text in taken), "no start came to the broken replica"
        nginx.stop()


def check_caddy(tve, folder, tokens):
    service = Service(
        tve, folder, "caddied", "memory:", examples=EXAMPLES / "serve-caddy.json", sessions={"corsOrigins": [PLAYER]})
    segments(folder)
    caddy, port = start_caddy(folder, service)
    token = tokens.issue()
    expect("first play", ask(port, "/live/demo/1.ts", {"X-Media-Token": token})[::2], (200, b"segment\n"))
    expect("replay", ask(port, "/live/demo/1.ts", {"X-Media-Token": token})[0], 403)
    expect("address chosen by the client", ask(
        port, "/vod/Other/1.ts", {"X-Media-Token": tokens.issue(), "X-Forwarded-Uri": "/live/demo/1.ts"})[0], 403)
    question = {"token": tokens.issue(), "requestor": "REF30", "resource": None}
    status, headers, _ = ask(port, "/play", method="POST", body=json.dumps(question))
    expect("session", status, 200)
    cookie = headers["Set-Cookie"].split(";")[0]
    expect("segment", ask(port, "/live/demo/1.ts", {"Cookie": cookie})[0], 200)
    check_other_origin(port, tokens)

    # Caddy logs that the service is gone, and nothing of the requests that it could not ask about.
    service.stop()
    token, query, body = (tokens.issue() for _ in range(3))
    sent = {"Cookie": cookie, "X-Media-Token": token, "Authorization": f"MediaToken {token}", "X-Other": "needle-1"}
    expect("segment without the service", ask(port, f"/live/demo/1.ts?media_token={query}", sent)[0], 502)
    question = {"token": body, "requestor": "REF30", "resource": None}
    expect("start without the service", ask(port, f"/play?x={query}", sent, "POST", json.dumps(question))[0], 502)
    until("Caddy logs both", lambda: caddy.log.read_text().count("connection refused") >= 2)
    log = caddy.log.read_text()
    secrets = {"cookie": cookie.split("=", 1)[1], "token": token, "query": query, "body": body, "field": "needle-1"}
    expect("what Caddy logs of requests", [name for name, text in secrets.items() if text[:40] in log], [])
    caddy.stop()
    print("caddy: verdicts, sessions, and a log without requests")


def check_replicas(tve, folder, tokens, count, replicas):
    """Every replica gets every token at about the same time, and each passes once."""
    redis_folder = folder / f"replicas-{replicas}"
    redis_folder.mkdir()
    redis = Redis(redis_folder)
    services = [Service(tve, folder, f"replica{number}", redis.address, store=PATIENT_STORE) for number in range(replicas)]
    lot = tokens.many(count)

    def present(service, offset):
        connection, found = http.client.HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE), collections.Counter()
        for token in lot[offset::4]:
            headers = {"X-Original-URI": "/live/demo/1.ts", "X-Media-Token": token}
            found[ask(service.port, "/v1/authz", headers, connection=connection)[0]] += 1
        return found

    with concurrent.futures.ThreadPoolExecutor(4 * replicas) as pool:
        jobs = [pool.submit(present, service, offset) for offset in range(4) for service in services]
        found = sum((job.result() for job in jobs), collections.Counter())
    expect(f"{count} tokens at {replicas} replicas", found, {200: count, 403: (replicas - 1) * count})
    for service in services:
        service.stop()
    redis.program.stop()
    print(f"replicas: {count} tokens presented to each of {replicas}, {found[200]} passed")


def run_schemathesis(folder, port, paths, *options):
    schemathesis = pathlib.Path(sys.executable).parent / "schemathesis"
    run = subprocess.run(
        [schemathesis, "run", ROOT / "Sources" / "Service" / "TVEService" / "openapi.yaml", "--url", f"http://127.0.0.1:{port}",
         "--include-path-regex", paths, "--max-examples", "50", "--seed", "1", "--workers", "2",
         "--suppress-health-check", "all", "--no-color", *options],
        capture_output=True, text=True, cwd=folder, timeout=600,
        env=os.environ | {"SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": folder})
    assert run.returncode == 0, run.stdout[-20000:] + run.stderr[-2000:]
    print("schemathesis:", " ".join(run.stdout.strip().splitlines()[-1].split("=")).strip())


def start_gateway(tve, folder, name, **more):
    """A service that serves apps, and the simulated broker that it asks."""
    simulator = Program(
        f"{name}-broker", tve, "simulate", "--port", 0, "--state", "-", "--login", "auto", "--output", "json",
        folder=folder, output=subprocess.PIPE)
    banner = json.loads(simulator.process.stdout.readline())
    (folder / "tv.statement").write_text(banner["softwareStatement"])
    # Without a folder for its state, the simulator prints the key itself.
    (folder / f"{name}.pem").write_text(banner["mediaKey"])
    subprocess.run([tve, "devices", "keys", folder / f"{name}.keys"], check=True)
    service = Service(
        tve, folder, name, "memory:", keys={"paths": [str(folder / f"{name}.pem")]},
        authz={"requestors": [banner["requestor"]], "resources": ["/live/{resource}/* {resource}"]}, **more,
        broker={
            "origin": banner["url"], "publicURL": "http://127.0.0.1", "store": "memory:",
            "keyFile": str(folder / f"{name}.keys"), "clientAddressHeader": "X-Client-Address",
            "devicesPerMinute": 60_000, "codesPerMinute": 60_000,
            "apps": {"tv": {
                "requestor": banner["requestor"], "statementFile": str(folder / "tv.statement"), "domain": "example.com",
                "returnTo": ["https://app.example.com/done"], "attributes": ["zip"]}}})
    return simulator, service


# Python 3.11 counts the depth of syntax trees for all threads together, so that two threads that make some at the same
# time fail with "AST constructor recursion depth mismatch" (CPython issue 106905). Hypothesis makes them of the source of
# rules, to name these, in each worker of Schemathesis.
HOOKS_OF_ALL = """
import builtins
import threading

compile_alone, lock = builtins.compile, threading.RLock()


def compile_in_turn(*arguments, **more):
    with lock:
        return compile_alone(*arguments, **more)


builtins.compile = compile_in_turn
"""

# The contracts call YAML a file, for generators of clients; Schemathesis would read it as an object, and takes one name of
# YAML for the others.
HOOKS_OF_FILES = """
import schemathesis
from schemathesis.core.media_types import YAML_MEDIA_TYPES


@schemathesis.deserializer(*YAML_MEDIA_TYPES)
def text(context, response):
    return response.text
"""

# Each request comes from another address: the broker's limit for an address would take minutes. A request that erases a
# device is one of a device of its own: otherwise all requests after it would be refused for their token alone.
HOOKS_OF_APPS = """
import json
import random
import urllib.request

import schemathesis


def address():
    return "10." + ".".join(str(random.randrange(256)) for _ in range(3))


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers = {**(case.headers or {}), "X-Client-Address": address()}
    if case.method == "DELETE" and case.path == "/v1/devices" and "Authorization" in case.headers:
        request = urllib.request.Request(
            case.operation.base_url + "/v1/devices", b'{"app": "tv"}',
            {"Content-Type": "application/json", "X-Client-Address": address()})
        token = json.load(urllib.request.urlopen(request, timeout=120))["deviceToken"]
        case.headers["Authorization"] = "Bearer " + token
"""


def check_contract_of_apps(tve, folder):
    simulator, service = start_gateway(tve, folder, "apps")
    checked = subprocess.run(
        [tve, "serve", "--config", service.file, "--check"], capture_output=True, text=True, timeout=60)
    expect("--check of the gateway", checked.returncode, 0)
    expect("what it warns of", re.findall(r"\[(.*)\]$", checked.stderr, re.M), ["not_durable"])
    (folder / "hooks.py").write_text(HOOKS_OF_ALL + HOOKS_OF_APPS)
    for paths in (r"^/v1/devices", r"^/(v1/(providers|authentication|partner|activations|return|profile|preauthorizations"
                  r"|plays|logout)|activate)"):
        answer = ask(
            service.port, "/v1/devices", {"X-Client-Address": "192.0.2.1"}, "POST", json.dumps({"app": "tv"}))
        expect("a device is registered", answer[0], 201)
        token = json.loads(answer[2])["deviceToken"]
        # A schema can say neither which apps, codes and providers there are, nor whether a viewer is signed in.
        run_schemathesis(
            folder, service.port, paths, "--header", f"Authorization: Bearer {token}",
            # Answers about activation codes take 300 ms each, so more of them are waited for at the same time.
            "--workers", "4", "--max-examples", "25", "--exclude-checks", "positive_data_acceptance")
    service.stop()
    simulator.stop()


def check_names_of_operations(document):
    """Generators of clients name functions by the operations' ids, and ask the servers that the document names."""
    import yaml

    content = yaml.safe_load(document)
    paths = content["paths"].items()
    names = [operation.get("operationId") for _, item in paths for operation in item.values() if isinstance(operation, dict)]
    assert None not in names and len(names) == len(set(names)) > 60, collections.Counter(names).most_common(3)
    own = {path for path, item in paths if "servers" in item}
    internal = {path for path, item in paths for operation in item.values()
                if isinstance(operation, dict) and "internal" in operation["tags"]}
    expect("paths with the internal server", own, internal)
    assert content["servers"], "the document names no server"


def check_contract(tve, folder):
    service = Service(
        tve, folder, "contract", "memory:",
        decryption={"paths": [str(KEYS / "test-only-other-2048.pkcs8.pem")]}, sessions={"store": "memory:", "streams": 100})
    # A path after /v1/authz is taken with the settings for Envoy only.
    appending = Service(tve, folder, "contract-of-paths", "memory:", examples=EXAMPLES / "serve-envoy.json")
    # A batch takes rows of any text.
    (folder / "hooks.py").write_text(
        HOOKS_OF_ALL + HOOKS_OF_FILES + "\n\n@schemathesis.serializer('application/x-ndjson')\ndef lines(context, value):\n"
        "    return value if isinstance(value, bytes) else str(value).encode(errors='surrogatepass')\n")
    groups = (
        # /v1/authz answers every method in the same way, also methods that the document cannot name.
        (service.port, r"^/v1/authz$", ["--exclude-checks", "unsupported_method"]),
        (appending.port, r"^/v1/authz/", ["--exclude-checks", "unsupported_method"]),
        (service.port, r"^/(v1/(media-tokens/verify$|decisions)|v1/playback-sessions$|\.well-known)", []),
        # Each line of any bytes has a verdict.
        (service.port, r"^/v1/media-tokens/verify-batch$", ["--exclude-checks", "negative_data_rejection"]),
        # In words that generators of clients take, a schema cannot say that one of two members has to be there.
        (service.port, r"^/v1/playback-sessions/(renew|end)$", ["--exclude-checks", "positive_data_acceptance"]),
        (service.internal, r"^/v1/playback-sessions/revoke$", []),
        (service.internal, r"^/(healthz|readyz|metrics|version|openapi.(yaml|json))?$", []),
        # A schema cannot say which texts are encrypted values.
        (service.internal, r"^/v1/user-metadata", ["--exclude-checks", "positive_data_acceptance"]),
    )
    for port, paths, options in groups:
        run_schemathesis(folder, port, paths, *options)
    import yaml

    document = (ROOT / "Sources" / "Service" / "TVEService" / "openapi.yaml").read_bytes()
    check_names_of_operations(document)
    expect("the document served is that of the sources", ask(service.internal, "/openapi.yaml")[2] == document, True)
    served = json.loads(ask(service.internal, "/openapi.json")[2])
    expect("the JSON of the document", served, yaml.safe_load(document))
    appending.stop()
    service.stop()


# What of a page is wider than its window, and which tables cannot be scrolled to their end.
OVERFLOW = """(() => {
    const wide = document.documentElement.scrollWidth - innerWidth;
    const cut = [...document.querySelectorAll("table")].filter(table => {
        const frame = table.closest(".wide");
        return table.scrollWidth > innerWidth && (!frame || frame.scrollWidth < table.scrollWidth || frame.tabIndex < 0);
    });
    return {wide, cut: cut.map(table => table.id)};
})()"""


def certificate(folder, days):
    """A certificate of a new key that ends in some days, or has ended."""
    key = rsa.generate_private_key(65537, 2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "issuer of the test")])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
            .serial_number(1).not_valid_before(now - datetime.timedelta(days=30))
            .not_valid_after(now + datetime.timedelta(days=days)).sign(key, hashes.SHA256()))
    file = folder / f"ends-in-{days}-days.crt"
    file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    return str(file)


def check_page(tve, folder, tokens):
    service = Service(tve, folder, "page", "memory:", keys={"paths": [
        str(KEYS / "test-only-issuer-2048.spki.pem"), certificate(folder, 10), certificate(folder, -3)]})
    bad = tokens.issue("--fault", "body-byte-changed")
    for token in (tokens.issue(), bad, "nonsense"):
        service.authorize(token)
    url = f"http://127.0.0.1:{service.internal}/"
    until("a sample", lambda: b"<rect x=" in ask(service.internal, "/")[2])
    pictures = pathlib.Path(os.environ.get("TVE_KEEP_PICTURES", folder))
    with Browser(folder) as browser:
        for width in (360, 1280):
            for dark in (False, True):
                page = browser.context(width, 900, dark)
                page.open(url)
                document = page.run("document.documentElement.outerHTML")
                for wanted in (
                        'id="readiness" class="ok">ready', "test-only-issuer-2048.spki.pem", "2048 bits", "bad_signature",
                        "malformed", "VALID_TOKEN: 1", "redemptions", 'class="soon">ends in 9 days', 'class="bad">ended'):
                    assert wanted in document, f"the page lacks {wanted}"
                assert bad[:24] not in document, "the page shows a token"
                # A style that the policy does not let in would leave the page black on white, and complain.
                background = page.run("getComputedStyle(document.body).backgroundColor")
                expect("the background", background, "rgb(13, 17, 23)" if dark else "rgb(255, 255, 255)")
                expect(f"what is too wide at {width} pixels", page.run(OVERFLOW), {"wide": 0, "cut": []})
                picture = pictures / f"page-{width}-{'dark' if dark else 'light'}.png"
                page.picture(picture)
                assert picture.stat().st_size > 20_000, f"{picture} has {picture.stat().st_size} bytes"
                expect("complaints of the browser", [one for one in page.complaints if "favicon" not in one], [])
        page.key("Tab")
        page.key("Enter")
        page.sees("This page is paused.")
        assert page.url == f"{url}?reload=off", page.url
        paused = page.run("document.querySelector('meta[http-equiv=refresh]')")
        assert paused is None, "a page that is paused loads itself again"
        page.click("Go on", "button")
        page.sees("This page reloads every 10 seconds.")
    service.stop()
    print(f"page: rendered by {subprocess.run(['chromium', '--version'], capture_output=True, text=True).stdout.strip()}, "
          "at 360 and 1280 pixels, light and dark; paused with the keyboard")


SCRIPT = """
requests, index, first, last = {}, 0, 0, 0
local ffi, thread = require("ffi")
ffi.cdef("typedef struct { long seconds, micros; } moment; int gettimeofday(moment *, void *);")
local moment = ffi.new("moment")
local function now()
    ffi.C.gettimeofday(moment, nil)
    return tonumber(moment.seconds) * 1e6 + tonumber(moment.micros)
end
function setup(made) thread = made end
function init(args)
    for token in io.lines("TOKENS") do
        requests[#requests + 1] = wrk.format(
            "GET", "/v1/authz", {["X-Original-URI"] = "/live/demo/1.ts", ["X-Media-Token"] = token})
    end
end
function request()
    if index == 0 then first = now() end
    if index == #requests then
        if not AGAIN then
            -- No token twice: nothing more is sent, and the time ends here.
            wrk.thread:stop()
            return ""
        end
        index = 0
    end
    index, last = index + 1, now()
    return requests[index]
end
function done(summary, latency)
    io.write(string.format("RESULT %d %d %d %d %d %d\\n", summary.requests, thread:get("last") - thread:get("first"),
        latency:percentile(50), latency:percentile(99), summary.errors.status,
        summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
"""


class Load:
    """What one run of wrk saw, and the processor time that the server took for it."""

    def __init__(self, program, port, folder, lot, seconds, again=False):
        (folder / "tokens").write_text("".join(f"{token}\n" for token in lot))
        script = folder / "load.lua"
        script.write_text(
            SCRIPT.replace("TOKENS", str(folder / "tokens")).replace("AGAIN", "true" if again else "false"))
        before = processor_time(program)
        run = subprocess.run(
            ["wrk", "--threads", "1", "--connections", "32", "--duration", f"{seconds}s", "--script", script,
             f"http://127.0.0.1:{port}"], check=True, capture_output=True, text=True, timeout=seconds + 60)
        found = map(int, re.search(r"RESULT (.*)", run.stdout).group(1).split())
        self.requests, micros, median, tail, self.refused, errors = found
        assert errors == 0, run.stdout
        self.rate, self.median, self.tail = self.requests / (micros / 1e6), median / 1000, tail / 1000
        # In microseconds for each request.
        self.cost = (processor_time(program) - before) / self.requests * 1e6


def processor_time(program):
    """Seconds of processor time that a program has used so far, in its own code and in the kernel."""
    fields = pathlib.Path(f"/proc/{program.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def statuses(service):
    """How often the service has answered each status at /v1/authz."""
    found = re.findall(r'tve_requests_total{endpoint="authz",status="(\d+)"} (\d+)', ask(service.internal, "/metrics")[2].decode())
    return collections.Counter({int(status): int(count) for status, count in found})


def check_small_requests_of_much_work(tve, folder, tokens):
    """Bodies that are small for what they ask for cost little, and no other client waits long for them."""
    mebibyte = 1 << 20
    service = Service(
        tve, folder, "amplified", "memory:", limits={"bodyBytes": mebibyte, "decisionsBytes": mebibyte}, log={"level": "error"})
    decisions, single = "/v1/decisions/verify?requestor=REF30", "/v1/media-tokens/verify"
    question = b'{"requestor":"REF30","resource":null,"token":"%s"}'
    floods = {
        "349,000 decisions": (decisions, b'{"decisions":[' + b",".join([b"{}"] * 349_000) + b"]}"),
        "arrays in arrays": (decisions, b'{"decisions":' + b"[" * (mebibyte - 20)),
        "a token without sense": (single, question % (b"x" * (mebibyte - 60))),
        "a token of escapes": (single, question % (rb"\u0041" * ((mebibyte - 60) // 6))),
    }

    def plays(count=300):
        """The p99 of some plays in milliseconds."""
        waits = []
        for token in tokens.many(count):
            began = time.monotonic()
            expect("a play", service.authorize(token), 200)
            waits.append((time.monotonic() - began) * 1000)
        return sorted(waits)[count * 99 // 100]

    print(f"plays alone: p99 {plays():.0f} ms")
    for name, (path, body) in floods.items():
        times = []
        for _ in range(20):
            began = time.monotonic()
            status, _, answer = ask(service.port, path, {"Content-Type": "application/json"}, "POST", body)
            times.append((time.monotonic() - began) * 1000)
            expect(f"the status of {name}", status // 100, 2 if path == single else 4)
            assert len(answer) < 64 << 10, f"{name}: {len(answer)} bytes"
        halt = threading.Event()

        def flood():
            while not halt.is_set():
                ask(service.port, path, {"Content-Type": "application/json"}, "POST", body)

        threads = [threading.Thread(target=flood) for _ in range(8)]
        for thread in threads:
            thread.start()
        worst = plays()
        halt.set()
        for thread in threads:
            thread.join()
        print(f"{name}: answered in {sorted(times)[10]:.1f} ms; beside eight floods of them, p99 of a play {worst:.0f} ms")
    print("the clients run on the same cores; before the service had limits, a play waited for 4 s")
    service.stop()


def check_load(tve, bare_route, folder, tokens, seconds):
    service = Service(tve, folder, "loaded", "memory:", log={"level": "error"})
    port = free_port()
    bare = Program("bare", bare_route, port, folder=folder)
    until("the bare route listens", lambda: ask(port, "/v1/authz")[0] == 200)
    began = time.monotonic()
    lots = [tokens.many(ROUND_TOKENS) for _ in range(ROUNDS + 1)]
    print(f"load: {sum(map(len, lots))} tokens issued in {time.monotonic() - began:.0f} s")

    def first_plays(lot):
        before = statuses(service)
        run = Load(service.program, service.port, folder, lot, ROUND_SECONDS)
        found = statuses(service) - before
        # Counts the requests, too, that were under way when the time was over.
        assert set(found) == {200} and run.refused == 0 and run.requests <= found[200] <= len(lot), \
            f"{run.requests} first plays, {run.refused} of them refused; the service counted {found}"
        return run

    Load(bare, port, folder, lots[0], ROUND_SECONDS)
    warmed = first_plays(lots[0])
    rounds = [(Load(bare, port, folder, lot, ROUND_SECONDS), first_plays(lot)) for lot in lots[1:]]

    def middle(values):
        return sorted(values)[ROUNDS // 2]

    for name, runs in zip(("bare Hummingbird route", "/v1/authz, first plays"), zip(*rounds)):
        rate, median, high, cost = (middle(getattr(run, what) for run in runs) for what in ("rate", "median", "tail", "cost"))
        print(f"{name}: {rate:.0f} requests/s, median {median:.2f} ms, p99 {high:.2f} ms; "
              f"{cost:.1f} µs of processor time for each")
    ratio = middle(ours.rate / floor.rate for floor, ours in rounds)
    tail = middle(ours.tail / floor.tail for floor, ours in rounds)
    print(f"ratio {ratio:.2f}, p99 {tail:.2f} times; in processor time "
          f"{middle(floor.cost / ours.cost for floor, ours in rounds):.2f}; statuses {dict(+statuses(service))}")

    # New tokens make the store grow, so the memory of a long load is measured with tokens that the store knows.
    before = service.resident
    # wrk takes the first token without sending it, and may not have sent the last ones in time.
    again = Load(service.program, service.port, folder, lots[0][1:warmed.requests // 2], seconds, again=True)
    after = service.resident
    expect("replays that were refused", again.refused, again.requests)
    print(f"replays: {again.rate:.0f} requests/s for {seconds} s, all refused; "
          f"{before / 1024:.1f} MiB resident before, {after / 1024:.1f} after")
    print("wanted on a quiet machine: at least 0.6 of the bare route's requests, p99 at most 3 times")
    assert after < before * 1.1 + 4096, f"{before} KiB resident before the replays, {after} after"
    bare.stop()
    service.stop()


def main():
    # They import this file, which must be the same module for all.
    sys.modules["service_check"] = sys.modules[__name__]
    import proxy_attacks
    import upgrades

    if len(sys.argv) < 2:
        sys.exit(__doc__)
    tve, wanted = sys.argv[1], sys.argv[2:]
    bare_route = pathlib.Path(tve).with_name("BareRoute")
    tokens = Tokens(tve)
    with check_folder("service") as folder:
        (folder / "session.key").write_bytes(os.urandom(32))
        (folder / "session.key").chmod(0o600)
        checks = {
            "nginx": lambda: check_nginx(tve, folder, tokens),
            "caddy": lambda: check_caddy(tve, folder, tokens),
            "replicas": lambda: check_replicas(tve, folder, tokens, 1000, 2),
            "upgrades": lambda: upgrades.check(tve, folder),
            "restarts": lambda: check_restarts(tve, folder, tokens),
            "attacks": lambda: proxy_attacks.check(tve, folder, tokens),
            "lots": lambda: check_replicas(tve, folder, tokens, 10_000, 3),
            "java": lambda: upgrades.check_java(tve, folder),
            "contract": lambda: check_contract(tve, folder),
            "apps": lambda: check_contract_of_apps(tve, folder),
            "player": lambda: check_player(tve, folder, tokens),
            "page": lambda: check_page(tve, folder, tokens),
            "amplified": lambda: check_small_requests_of_much_work(tve, folder, tokens),
            "load": lambda: check_load(tve, bare_route, folder, tokens, REPLAY_SECONDS),
        }
        unknown = set(wanted) - set(checks)
        if unknown:
            sys.exit(f"no such check: {', '.join(sorted(unknown))}; there are {', '.join(checks)}")
        for name in wanted or checks:
            checks[name]()


if __name__ == "__main__":
    main()
