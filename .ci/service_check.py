#!/usr/bin/env python3
"""Tests `tve serve` with real proxies in front of it, with real stores and real load.

    python3 .ci/service_check.py PATH-OF-TVE PATH-OF-BareRoute [SECONDS-OF-LOAD]

Needs nginx, caddy, redis-server, wrk and chromium, and schemathesis beside this Python. Everything listens on loopback.
"""

import base64
import collections
import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEYS = ROOT / "Vectors" / "keys"
ISSUER = KEYS / "test-only-issuer-2048.pkcs8.pem"
EXAMPLES = ROOT / "Examples" / "service"
# Only a quiet machine can show whether the figures are reached; on others, these limits catch large losses.
RATIO, TAIL = (0.6, 3) if os.environ.get("TVE_QUIET_MACHINE") else (0.3, 9)
# The load: number of rounds, tokens in each round, and the longest time of a round in seconds.
ROUNDS, ROUND_TOKENS, ROUND_SECONDS = 5, 20_000, 5


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def ask(port, path, headers=None, method="GET", body=None, connection=None):
    """Status, headers and body of one answer."""
    client = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    client.request(method, path, body=body, headers=headers or {})
    answer = client.getresponse()
    content = answer.read()
    if not connection:
        client.close()
    return answer.status, answer.headers, content


def until(what, condition, seconds=20):
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

    def __init__(self, name, *arguments, folder):
        self.log = folder / f"{name}.log"
        self.process = subprocess.Popen(
            [str(argument) for argument in arguments], stdout=subprocess.DEVNULL, stderr=open(self.log, "a"))
        Program.running.append(self)

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        status = self.process.wait(60)
        if self in Program.running:
            Program.running.remove(self)
        return status


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

    def many(self, count):
        # An hour, so that the tokens last for a whole load.
        plain = base64.b64decode(self.issue("--ttl", "3600")).decode()
        marker = plain[: plain.index(">") + 1]
        body = plain[plain.index(marker, 1) + len(marker):]
        guid = re.search(r"<sessionGUID>([^<]*)</sessionGUID>", body).group(1)
        first, self.number = self.number, self.number + count
        lots = [range(start, min(start + 1000, self.number)) for start in range(first, self.number, 1000)]
        with concurrent.futures.ProcessPoolExecutor() as pool:
            signed = pool.map(sign_again, *zip(*((marker, body, guid, numbers) for numbers in lots)))
            return [token for lot in signed for token in lot]


def sign_again(marker, body, guid, numbers):
    """A token for each number, which becomes its session GUID."""
    key = serialization.load_pem_private_key(ISSUER.read_bytes(), None)
    tokens = []
    for number in numbers:
        text = body.replace(guid, f"{number:032x}")
        signature = key.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256())
        whole = f"{marker}{base64.b64encode(signature).decode()}{marker}{text}"
        tokens.append(base64.b64encode(whole.encode()).decode())
    return tokens


class Service:
    """One `tve serve`."""

    def __init__(self, tve, folder, name, store, **more):
        self.tve, self.folder, self.name = tve, folder, name
        self.port, self.internal = free_port(), free_port()
        settings = json.loads((EXAMPLES / "serve.json").read_text())
        settings["public"]["port"], settings["internal"]["port"] = self.port, self.internal
        settings["keys"]["paths"] = [str(KEYS / "test-only-issuer-2048.spki.pem")]
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
        self.program = Program(self.name, self.tve, "serve", "--config", self.file, folder=self.folder)
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
    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        self.start()

    def start(self):
        # What was redeemed is on disk before it is answered, so that a restart forgets nothing.
        self.program = Program(
            "redis", "redis-server", "--port", self.port, "--bind", "127.0.0.1", "--dir", self.folder, "--save", "",
            "--appendonly", "yes", "--appendfsync", "always", folder=self.folder)
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


def check_nginx(tve, folder, tokens):
    redis = Redis(folder)
    first, second = Service(tve, folder, "first", redis.address), Service(tve, folder, "second", redis.address)
    media, port = segments(folder), free_port()
    text = (EXAMPLES / "nginx.conf").read_text()
    for old, new in (
        ("server 127.0.0.1:8080 max_fails=0;",
         "".join(f"server 127.0.0.1:{service.port} max_fails=0;" for service in (first, second))),
        ("listen 127.0.0.1:8000", f"listen 127.0.0.1:{port}"), ("/srv/media", str(media)),
        ("worker_processes 1;", f"worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;"
         + ("user root;" if os.geteuid() == 0 else "")),
        ("http {", f"http {{ access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; "
         f"fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;"),
    ):
        assert old in text, old
        text = text.replace(old, new, 1)
    (folder / "nginx.conf").write_text(text)
    nginx = Program("nginx", "nginx", "-c", folder / "nginx.conf", "-p", folder, folder=folder)
    until("nginx listens", lambda: ask(port, "/")[0] in (401, 403))

    def play(token, path="/live/demo/1.ts", **headers):
        return ask(port, path, {"X-Media-Token": token} | headers)

    token = tokens.issue()
    status, headers, content = play(token)
    expect("first play", (status, content, headers["X-MVPD"]), (200, b"segment\n", "TestMVPD"))
    expect("replay", play(token)[0], 403)
    expect("expired", play(tokens.issue("--issued-at", "2026-01-01T00:00:00Z"))[0], 401)
    expect("other resource", play(tokens.issue(), "/vod/Other/1.ts")[0], 403)
    expect("no token", ask(port, "/live/demo/1.ts")[0], 401)
    escaped = tokens.issue().replace("+", "%2B")
    expect("token in the address", ask(port, f"/live/demo/1.ts?media_token={escaped}")[0], 200)

    # Sessions: a token gives a cookie, and the cookie passes for 500 segments.
    question = {"token": tokens.issue(), "requestor": "REF30", "resource": None}
    status, headers, content = ask(port, "/play", method="POST", body=json.dumps(question))
    expect("session", status, 200)
    cookie = {"Cookie": headers["Set-Cookie"].split(";")[0]}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    statuses = [ask(port, f"/live/demo/{segment}.ts", cookie, connection=connection)[0] for segment in range(500)]
    expect("500 segments", collections.Counter(statuses), {200: 500})
    expect("segment of another resource", ask(port, "/vod/Other/1.ts", cookie)[0], 403)
    expect("altered session", ask(port, "/live/demo/1.ts", {"Cookie": cookie["Cookie"] + "A"})[0], 401)

    # The store is stopped and started again; nothing else is restarted.
    spare = tokens.issue()
    redis.program.stop(signal.SIGKILL)
    began = time.monotonic()
    expect("store killed", first.authorize(tokens.issue()), 503)
    assert time.monotonic() - began < 2, "the answer without a store came late"
    expect("store killed, through nginx", play(tokens.issue())[0], 503)
    expect("ready during a stall of the store", ask(first.internal, "/readyz")[0], 200)
    expect("the store now", ask(first.internal, "/readyz?store=now")[0], 503)
    expect("sessions need no store", ask(port, "/live/demo/1.ts", cookie)[0], 200)
    redis.start()
    until("ready again", lambda: all(ask(s.internal, "/readyz?store=now")[0] == 200 for s in (first, second)))
    expect("play after the store is back", play(spare)[0], 200)
    expect("replay after the store is back", play(token)[0], 403)

    # The replicas are restarted one after the other while clients go on.
    stop, found = threading.Event(), collections.Counter()

    def hammer():
        connection, mine = http.client.HTTPConnection("127.0.0.1", port, timeout=20), collections.Counter()
        while not stop.is_set():
            mine[ask(port, "/live/demo/1.ts", cookie, connection=connection)[0]] += 1
        found.update(mine)

    threads = [threading.Thread(target=hammer) for _ in range(8)]
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
    print(f"nginx: verdicts, 500 segments, store killed and back, 3 restarts under {found[200]} requests without a failure")
    nginx.stop()
    first.stop()
    second.stop()
    redis.program.stop()


def check_caddy(tve, folder, tokens):
    service = Service(tve, folder, "caddied", "memory:", authz={"uri": "x-forwarded-uri"})
    media, port = segments(folder), free_port()
    text = (EXAMPLES / "Caddyfile").read_text()
    for old, new in (("127.0.0.1:8080", f"127.0.0.1:{service.port}"), ("127.0.0.1:8000", f"127.0.0.1:{port}"),
                     ("/srv/media", str(media))):
        text = text.replace(old, new)
    (folder / "Caddyfile").write_text(text)
    os.environ.setdefault("HOME", str(folder))
    caddy = Program("caddy", "caddy", "run", "--adapter", "caddyfile", "--config", folder / "Caddyfile", folder=folder)
    until("caddy listens", lambda: ask(port, "/")[0] in (401, 403))
    token = tokens.issue()
    expect("first play", ask(port, "/live/demo/1.ts", {"X-Media-Token": token})[::2], (200, b"segment\n"))
    expect("replay", ask(port, "/live/demo/1.ts", {"X-Media-Token": token})[0], 403)
    expect("address chosen by the client", ask(
        port, "/vod/Other/1.ts", {"X-Media-Token": tokens.issue(), "X-Forwarded-Uri": "/live/demo/1.ts"})[0], 403)
    question = {"token": tokens.issue(), "requestor": "REF30", "resource": None}
    status, headers, _ = ask(port, "/play", method="POST", body=json.dumps(question))
    expect("session", status, 200)
    expect("segment", ask(port, "/live/demo/1.ts", {"Cookie": headers["Set-Cookie"].split(";")[0]})[0], 200)
    caddy.stop()
    service.stop()
    print("caddy: verdicts and sessions")


def check_replicas(tve, folder, tokens, count=10_000):
    redis_folder = folder / "replicas"
    redis_folder.mkdir()
    redis = Redis(redis_folder)
    services = [Service(tve, folder, f"replica{number}", redis.address) for number in range(3)]
    lot = tokens.many(count)
    began = time.monotonic()

    def present(service, offset):
        connection, found = http.client.HTTPConnection("127.0.0.1", service.port, timeout=20), collections.Counter()
        for token in lot[offset::4]:
            headers = {"X-Original-URI": "/live/demo/1.ts", "X-Media-Token": token}
            found[ask(service.port, "/v1/authz", headers, connection=connection)[0]] += 1
        return found

    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        # All three replicas get each token at about the same time.
        jobs = [pool.submit(present, service, offset) for offset in range(4) for service in services]
        found = sum((job.result() for job in jobs), collections.Counter())
    expect(f"{count} tokens, three times each", found, {200: count, 403: 2 * count})
    for service in services:
        service.stop()
    redis.program.stop()
    print(f"replicas: {count} tokens presented 3 times, {found[200]} passed; {time.monotonic() - began:.0f} s")


def check_contract(tve, folder):
    service = Service(
        tve, folder, "contract", "memory:",
        decryption={"paths": [str(KEYS / "test-only-other-2048.pkcs8.pem")]})
    schemathesis = pathlib.Path(sys.executable).parent / "schemathesis"
    # A batch takes rows of any text.
    (folder / "hooks.py").write_text(
        "import schemathesis\n\n@schemathesis.serializer('application/x-ndjson')\ndef lines(context, value):\n"
        "    return value if isinstance(value, bytes) else str(value).encode(errors='surrogatepass')\n")
    groups = (
        # /v1/authz answers every method in the same way, also methods that the document cannot name.
        (service.port, r"^/v1/authz", ["--exclude-checks", "unsupported_method"]),
        (service.port, r"^/v1/(media-tokens|decisions|playback-sessions)", []),
        (service.internal, r"^/(healthz|readyz|metrics|version|openapi.yaml)?$", []),
        # A schema cannot say which texts are encrypted values.
        (service.internal, r"^/v1/user-metadata", ["--exclude-checks", "positive_data_acceptance"]),
    )
    for port, paths, options in groups:
        run = subprocess.run(
            [schemathesis, "run", ROOT / "Sources" / "TVEService" / "openapi.yaml", "--url", f"http://127.0.0.1:{port}",
             "--include-path-regex", paths, "--max-examples", "50", "--seed", "1", "--workers", "2",
             "--suppress-health-check", "all", "--no-color", *options],
            capture_output=True, text=True, cwd=folder, env=os.environ | {"SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": folder})
        assert run.returncode == 0, run.stdout[-20000:] + run.stderr[-2000:]
        print("schemathesis:", " ".join(run.stdout.strip().splitlines()[-1].split("=")).strip())
    document = (ROOT / "Sources" / "TVEService" / "openapi.yaml").read_bytes()
    expect("the document served is that of the sources", ask(service.internal, "/openapi.yaml")[2] == document, True)
    service.stop()


def check_page(tve, folder, tokens):
    service = Service(tve, folder, "page", "memory:")
    bad = tokens.issue("--fault", "body-byte-changed")
    for token in (tokens.issue(), bad, "nonsense"):
        service.authorize(token)
    until("a sample", lambda: b"<rect x=" in ask(service.internal, "/")[2], 30)

    def browse(*arguments):
        return subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/chromium",
             "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--window-size=1200,1400", "--hide-scrollbars",
             *arguments, f"http://127.0.0.1:{service.internal}/"],
            check=True, capture_output=True, text=True, timeout=120).stdout

    document = browse("--dump-dom")
    for wanted in ('id="readiness" class="ok">ready', "test-only-issuer-2048.spki.pem", "2048 bits", "bad_signature",
                   "malformed", "VALID_TOKEN: 1", "redemptions"):
        assert wanted in document, f"the page lacks {wanted}"
    assert bad[:24] not in document, "the page shows a token"
    picture = folder / "page.png"
    browse(f"--screenshot={picture}")
    assert picture.stat().st_size > 20_000, f"the picture of the page has {picture.stat().st_size} bytes"
    if os.environ.get("TVE_KEEP_PICTURE"):
        pathlib.Path(os.environ["TVE_KEEP_PICTURE"]).write_bytes(picture.read_bytes())
    service.stop()
    print(f"page: rendered by {subprocess.run(['chromium', '--version'], capture_output=True, text=True).stdout.strip()}")


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
             f"http://127.0.0.1:{port}"], check=True, capture_output=True, text=True)
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
    assert ratio >= RATIO, f"{ratio:.2f} of the bare route's requests, at least {RATIO} wanted"
    assert tail <= TAIL, f"p99 is {tail:.2f} times the bare route's, at most {TAIL} wanted"
    assert after < before * 1.1 + 4096, f"{before} KiB resident before the replays, {after} after"
    bare.stop()
    service.stop()


def main():
    tve, bare_route = sys.argv[1], sys.argv[2]
    seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 30
    tokens = Tokens(tve)
    with tempfile.TemporaryDirectory(prefix="tve-service-") as name:
        folder = pathlib.Path(name)
        (folder / "session.key").write_bytes(os.urandom(32))
        only = os.environ.get("TVE_ONLY", "").split(",")
        checks = {
            "nginx": lambda: check_nginx(tve, folder, tokens), "caddy": lambda: check_caddy(tve, folder, tokens),
            "replicas": lambda: check_replicas(tve, folder, tokens), "contract": lambda: check_contract(tve, folder),
            "page": lambda: check_page(tve, folder, tokens),
            "load": lambda: check_load(tve, bare_route, folder, tokens, seconds),
        }
        try:
            for name, check in checks.items():
                if only == [""] or name in only:
                    check()
        except BaseException:
            for log in folder.glob("*.log"):
                print(f"== {log.name}", *log.read_text().splitlines()[-20:], sep="\n", file=sys.stderr)
            raise
        finally:
            for program in list(Program.running):
                program.stop()


if __name__ == "__main__":
    main()
