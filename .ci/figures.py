#!/usr/bin/env python3
"""Measures what `tve serve` costs: the figures of the articles, of which none decides.

    python3 .ci/figures.py PATH-OF-TVE sizing|session|gateway [PART …] [--bare PATH-OF-BareRoute] [--other TVE SERVE.JSON]
        [--connections N]

sizing    memory by connections and bodies, processor time by kind of request, waits in a flood, for "Sizing and limits"; about
          three minutes. Its parts: memory, processor, floods.
session   what a segment with a playback session costs, beside a request without anything and a bare route (`--bare`):
          microseconds of processor time, medians of interleaved rounds. Another version can be measured in the same run, with its
          example of settings (`--other`). The requests come over 32 connections, or as many as `--connections` says.
gateway   what requests of apps cost, with a real Redis and a simulated broker, for "Serving apps"; with `--bare` also a bare
          route. Its parts: costs, plays, latency, polls, day, household. TVE_COUNT says how many requests are measured. Clients,
          broker, Redis and gateway share the machine, so times by the clock depend on all of them; processor time is the
          gateway's alone, in its own code and in the kernel. Load averages stand beside the figures.

Needs what service_check.py needs; sizing and session wrk, gateway redis-server and openssl.
"""

import argparse
import asyncio
import base64
import json
import os
import pathlib
import re
import resource
import socket
import statistics
import subprocess
import time
import urllib.parse

from cryptography.hazmat.primitives.asymmetric import padding
from gateway.app import RETURN_TO, App
from gateway.bench import CHANNELS, PROVIDER, USERS, Bench
from gateway.wire import Connection
from gateway_check import address, all_of
from service_check import (
    KEYS, Program, Redis, Service, Tokens, ask, check_folder, check_small_requests_of_much_work, expect, free_port, private_key,
    processor_time, until)

URI = "/live/demo/1.ts"
KIB, MIB = 1024, 1024 * 1024
# For so many seconds wrk asks.
SECONDS = 3


def wrk(port, path, connections, headers, script=None):
    """What wrk says after it has asked for some seconds."""
    fields = [part for name, value in headers.items() for part in ("--header", f"{name}: {value}")]
    fields += ["--script", str(script)] if script else []
    return subprocess.run(
        ["wrk", "--threads", "1", "--connections", str(connections), "--duration", f"{SECONDS}s", *fields,
         f"http://127.0.0.1:{port}{path}"], check=True, capture_output=True, text=True, timeout=SECONDS + 60).stdout


def start_bare(bare_route, folder, *how):
    """A server that answers every request at once, and its port."""
    port = free_port()
    program = Program("bare", bare_route, port, *how, folder=folder)
    until("the bare route listens", lambda: ask(port, "/v1/authz")[0] == 200)
    return program, port


# MARK: Sizing

CONNECTIONS = 2000
# Those of the settings' defaults: the examples allow less.
LIMITS = {"connections": 4096, "headerBytes": 128 * KIB, "bodyBytes": MIB, "decisionsBytes": 128 * KIB,
          "requestSeconds": 120, "idleSeconds": 300}
# Each of these plays has a token of its own.
PLAYS = 4000


def settled(service):
    """Resident memory in bytes once it has stopped to change."""
    last = 0
    for _ in range(40):
        found = service.resident * KIB
        if abs(found - last) < 256 * KIB:
            return found
        last = found
        subprocess.run(["sleep", "0.25"], check=True)
    return last


def open_files(service):
    return len(os.listdir(f"/proc/{service.program.process.pid}/fd"))


def memory_of(tve, folder, what, count, sent):
    """Memory for each of so many connections that have sent something and wait."""
    service = Service(tve, folder, "held", "memory:", log={"level": "error"}, limits=LIMITS)
    service.authorize("nonsense")
    before, files = settled(service), open_files(service)
    clients = []
    for _ in range(count):
        client = socket.create_connection(("127.0.0.1", service.port), 60)
        client.sendall(sent)
        clients.append(client)
    until("all connections are open", lambda: open_files(service) >= files + count, 60)
    after = settled(service)
    for client in clients:
        client.close()
    until("all connections are closed", lambda: open_files(service) <= files, 60)
    ended = settled(service)
    print(f"memory: {what}: {(after - before) / count / KIB:.1f} KiB each ({count} of them: {before / MIB:.0f} MiB before, "
          f"{after / MIB:.0f} with them, {ended / MIB:.0f} after)", flush=True)
    service.stop()


def memory_of_unread(tve, folder, count):
    """Memory for each of so many connections that send small requests in one piece, and read no answer."""
    service = Service(tve, folder, "unread", "memory:", log={"level": "error"}, limits=LIMITS)
    service.authorize("nonsense")
    before = settled(service)
    sent, clients = b"GET /a HTTP/1.1\r\nHost:a\r\n\r\n" * 2000, []
    for _ in range(count):
        client = socket.socket()
        # So that few answers are on their way.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", service.port))
        client.setblocking(False)
        clients.append(client)
    most, taken, last = before, 1, 0
    # Until the service takes nothing more: it closes connections with more requests than may wait.
    while taken > last:
        last, end = taken, time.monotonic() + 5
        while time.monotonic() < end:
            for client in clients:
                try:
                    taken += client.send(sent)
                except (BlockingIOError, ConnectionError):
                    pass
            most = max(most, service.resident * KIB)
            time.sleep(0.02)
    for client in clients:
        client.close()
    print(f"memory: many requests in one piece, whose answers are not read: at most {(most - before) / count / KIB:.0f} KiB "
          f"each ({count} of them, {taken // count // KIB} KiB sent by each)", flush=True)
    service.stop()


def head(fields="", length=0, path="/v1/media-tokens/verify"):
    return (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{fields}"
            f"Content-Length: {length}\r\n\r\n").encode()


def memory(tve, folder):
    service = Service(tve, folder, "idle", "memory:")
    print(f"memory: just started: {settled(service) / MIB:.1f} MiB", flush=True)
    service.stop()
    memory_of(tve, folder, "a connection without a request", CONNECTIONS, b"")
    answered = b"GET /v1/authz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    memory_of(tve, folder, "a connection after a request", CONNECTIONS, answered)
    fields = "".join(f"X-{number}: {'h' * 3900}\r\n" for number in range(30))
    memory_of(tve, folder, f"a head of {len(fields) // KIB} KiB that is not complete", 200, head(fields)[:-2])
    memory_of(tve, folder, "a body of 1 MiB that lacks its last byte", 100, head(length=MIB) + b" " * (MIB - 1))
    memory_of_unread(tve, folder, 50)
    memory_of(tve, folder, "a batch that waits for its next row", 1,
              head(length=MIB, path="/v1/media-tokens/verify-batch") + b"x\n")


SCRIPT = """
local bodies, index = {}, 0
for line in io.lines("BODIES") do bodies[#bodies + 1] = line end
function request()
    index = index + 1
    if index > #bodies then
        if not AGAIN then wrk.thread:stop() return "" end
        index = 1
    end
    return wrk.format("POST", nil, {["Content-Type"] = "application/json"}, bodies[index])
end
"""


def processor(service, folder, what, headers=None, path="/v1/authz", bodies=None, again=True, port=None):
    """Prints the processor time for each request, those of the public listener unless a port is given."""
    script = folder / "bodies.lua" if bodies else None
    if bodies:
        (folder / "bodies").write_text("".join(f"{body}\n" for body in bodies))
        script.write_text(
            SCRIPT.replace("BODIES", str(folder / "bodies")).replace("AGAIN", "true" if again else "false"))

    def answered():
        found = re.findall(r"tve_requests_total{[^}]*} (\d+)", ask(service.internal, "/metrics")[2].decode())
        return sum(map(int, found))

    requests, time = answered(), processor_time(service.program)
    wrk(port or service.port, path, 16, headers or {}, script)
    time, requests = processor_time(service.program) - time, answered() - requests
    print(f"processor: {what}: {time / requests * 1e6:.0f} µs ({requests} requests)", flush=True)


def body(token, **more):
    return json.dumps({"token": token, "requestor": "REF30", "resource": None} | more)


def start_session(service, token):
    """The cookie of a session, as the header field has it."""
    status, fields, content = ask(service.port, "/v1/playback-sessions", method="POST", body=body(token))
    expect(f"a session: {content}", status, 200)
    return fields["Set-Cookie"].split(";")[0]


def processor_of_signed_sessions(tve, folder, tokens):
    """Sessions that are signed with a private key, so that edges can check them without a secret."""
    for algorithm, kind, option in (("RS256", "RSA", "rsa_keygen_bits:2048"), ("ES256", "EC", "ec_paramgen_curve:P-256")):
        key = folder / f"{algorithm}.pem"
        subprocess.run(["openssl", "genpkey", "-algorithm", kind, "-pkeyopt", option, "-out", key], check=True,
                       capture_output=True)
        service = Service(tve, folder, "busy", "memory:", log={"level": "error"}, sessions={"keyFiles": [str(key)]})
        plays = [body(token) for token in tokens.many(PLAYS)]
        processor(service, folder, f"a play with a session of {algorithm}", path="/v1/playback-sessions", bodies=plays,
                  again=False)
        cookie = start_session(service, tokens.issue("--ttl", "3600"))
        processor(service, folder, f"a segment with a session of {algorithm}", {"X-Original-URI": URI, "Cookie": cookie})
        session = json.dumps({"session": cookie.split("=", 1)[1]})
        processor(service, folder, f"a renewal of a session of {algorithm}", path="/v1/playback-sessions/renew",
                  bodies=[session])
        service.stop()


def decisions(token, count):
    """The broker's answer with so many decisions, each with a token."""
    first = {"resource": "DemoChannel", "serviceProvider": "REF30", "mvpd": "TestMVPD", "authorized": True}
    now = int(time.time() * 1000)
    last = {"notBefore": now, "notAfter": now + 3_600_000, "serializedToken": token}
    return json.dumps({"decisions": [first | {"token": last}] * count})


def processor_of_decisions(tve, folder, tokens):
    service = Service(tve, folder, "busy", "memory:", log={"level": "error"})
    path, fields = "/v1/decisions/verify?requestor=REF30", {"Content-Type": "application/json"}
    for count in (1, 10):
        text = decisions(tokens.issue("--ttl", "3600"), count)
        status, _, content = ask(service.port, path, fields, "POST", text)
        found = [decision["code"] for decision in json.loads(content)["decisions"]]
        expect("decisions", (status, found), (200, ["valid"] * count))
        processor(service, folder, f"a verification of decisions, {count} in a body", path=path, bodies=[text])
    service.stop()


def processor_of_decryption(tve, folder):
    key = KEYS / "test-only-other-2048.pkcs8.pem"
    service = Service(tve, folder, "busy", "memory:", log={"level": "error"}, decryption={"paths": [str(key)]})
    value = private_key(key).public_key().encrypt(b'["12345"]', padding.PKCS1v15())
    text, path = json.dumps({"value": base64.b64encode(value).decode()}), "/v1/user-metadata/decrypt"
    status, _, content = ask(service.internal, path, {"Content-Type": "application/json"}, "POST", text)
    expect(f"a decryption: {content}", status, 200)
    processor(service, folder, "a decryption of one value", path=path, bodies=[text], port=service.internal)
    service.stop()


def processor_times(tve, folder):
    tokens = Tokens(tve)
    redis = Redis(folder)
    for name, store in (("memory", "memory:"), ("SQLite", f"sqlite:{folder / 'used.sqlite'}"), ("Redis", redis.address)):
        service = Service(tve, folder, "busy", store, log={"level": "error"})
        plays = [body(token) for token in tokens.many(PLAYS)]
        processor(service, folder, f"a play, used tokens in {name}", path="/v1/playback-sessions", bodies=plays, again=False)
        service.stop()
    service = Service(tve, folder, "busy", "memory:", log={"level": "error"})
    token = tokens.issue("--ttl", "3600")
    cookie = start_session(service, token)
    segment = {"X-Original-URI": URI, "Cookie": cookie}
    expect("a segment", ask(service.port, "/v1/authz", segment)[0], 200)
    processor(service, folder, "a segment with a session", segment)
    processor(service, folder, "a segment without anything (401)", {"X-Original-URI": URI})
    processor(service, folder, "a token that was used (403)", {"X-Original-URI": URI, "X-Media-Token": token})
    forged = tokens.issue("--fault", "body-byte-changed")
    processor(service, folder, "a token with a bad signature (401)", {"X-Original-URI": URI, "X-Media-Token": forged})
    processor(service, folder, "a verification without redemption", path="/v1/media-tokens/verify", bodies=[body(token)])
    session = json.dumps({"session": cookie.split("=", 1)[1]})
    processor(service, folder, "a renewal", path="/v1/playback-sessions/renew", bodies=[session])
    # Ten batches, because this client reads no answer before it has sent all rows, and the service waits for it only so long.
    rows = "".join(body(token, id=number) + "\n" for number in range(2000))
    before = processor_time(service.program)
    for _ in range(10):
        answer = ask(service.port, "/v1/media-tokens/verify-batch", method="POST", body=rows)
        assert answer[0] == 200 and answer[2].count(b"\n") == 2000, answer[0]
    print(f"processor: a row of a batch: {(processor_time(service.program) - before) / 20_000 * 1e6:.0f} µs")
    service.stop()
    service = Service(tve, folder, "busy", "memory:", log={"level": "info"})
    plays = [body(token) for token in tokens.many(PLAYS)]
    processor(service, folder, "a play that is logged", path="/v1/playback-sessions", bodies=plays, again=False)
    processor(service, folder, "a refusal, of which 100 a second are logged", {"X-Original-URI": URI})
    service.stop()
    redis.program.stop()
    processor_of_signed_sessions(tve, folder, tokens)
    processor_of_decisions(tve, folder, tokens)
    processor_of_decryption(tve, folder)


def floods(tve, folder):
    """How long plays take beside clients that send as much as they can."""
    check_small_requests_of_much_work(tve, folder, Tokens(tve))


def measure_sizing(tve, folder, parts):
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    (folder / "session.key").write_bytes(bytes(range(32)))
    for part in parts:
        {"memory": memory, "processor": processor_times, "floods": floods}[part](tve, folder)


# MARK: Session

# An odd number, for medians.
SESSION_ROUNDS = 7


def cost_of_a_request(connections, program, port, headers, path="/v1/authz", script=None):
    """Microseconds of processor time of a server for each request of so many connections."""
    before = processor_time(program)
    said = wrk(port, path, connections, headers, script)
    spent = processor_time(program) - before
    count = int(next(line for line in said.splitlines() if "requests in" in line).split()[0])
    return spent / count * 1e6


def kinds_of(name, tve, folder, tokens, examples):
    """The servers and header fields to measure."""
    service = Service(tve, folder, name, "memory:", examples=examples, log={"level": "error"})
    session = {"X-Original-URI": URI, "Cookie": start_session(service, tokens.issue("--ttl", "3600"))}
    expect(f"a segment with a session, {name}", ask(service.port, "/v1/authz", session)[0], 200)
    expect(f"a segment without, {name}", ask(service.port, "/v1/authz", {"X-Original-URI": URI})[0], 401)
    kinds = {f"{name}: with a session": (service.program, service.port, session),
             f"{name}: without token and session": (service.program, service.port, {"X-Original-URI": URI})}
    if examples is None:
        text = json.dumps({"session": session["Cookie"].split("=", 1)[1]})
        path = "/v1/playback-sessions/renew"
        expect("a renewal", ask(service.port, path, method="POST", body=text)[0], 200)
        script = folder / "renew.lua"
        script.write_text(f"wrk.method = \"POST\"\nwrk.body = '{text}'\n")
        kinds[f"{name}: a renewal"] = (service.program, service.port, {}, path, script)
    return kinds


def measure_session(tve, folder, bare_route, other, connections):
    (folder / "session.key").write_bytes(bytes(range(32)))
    kinds = kinds_of("this version", tve, folder, Tokens(tve), None)
    if other:
        kinds |= kinds_of("the other version", other[0], folder, Tokens(tve), pathlib.Path(other[1]))
    kinds["a bare Hummingbird route"] = (*start_bare(bare_route, folder), {"X-Original-URI": URI})
    kinds["a bare NIO handler"] = (*start_bare(bare_route, folder, "nio"), {"X-Original-URI": URI})
    found = {name: [] for name in kinds}
    for _ in range(SESSION_ROUNDS + 1):
        for name, kind in kinds.items():
            found[name].append(cost_of_a_request(connections, *kind))
    # The first round warms up.
    found = {name: statistics.median(values[1:]) for name, values in found.items()}
    print(f"medians of {SESSION_ROUNDS} rounds, {connections} {'connection' if connections == 1 else 'connections'}; {loads()}")
    for name, value in found.items():
        print(f"{name}: {value:.1f} µs")
    versions, segments = ["this version"] + ["the other version"] * bool(other), ["with a session", "without token and session"]
    for version in versions:
        with_session, without = (found[f"{version}: {kind}"] for kind in segments)
        print(f"{version}: with a session ÷ without: {with_session / without:.2f}")
    if other:
        for kind in segments:
            this, that = (found[f"{version}: {kind}"] for version in versions)
            print(f"{kind}, this version ÷ the other one: {this / that:.2f}")


# MARK: Gateway

COUNT = int(os.environ.get("TVE_COUNT", "1000"))
PLAY_ROUNDS = 5
LOGINS_PER_SECOND = 100
# A release day: subscribers in each second, for so many seconds; and a wave that comes at once.
DAY_RATE, DAY_SECONDS, WAVE = int(os.environ.get("TVE_DAY_RATE", "25")), 60, 500
HOUSEHOLD = 8


def loads():
    return "load average " + "/".join(f"{load:.1f}" for load in os.getloadavg())


def in_an_hour(seconds):
    """How often two cores do in an hour what takes so many seconds of processor time, in thousands."""
    return f"{2 * 3600 / seconds // 1000 * 1000:,.0f}"


def spread(values):
    """Median, p99 and maximum."""
    values = sorted(values)
    return values[len(values) // 2], values[int(len(values) * 0.99)], values[-1]


class Direct(App):
    """An app that asks a replica directly, and says in the trusted header where it is."""

    def __init__(self, bench, number, shared=None):
        super().__init__(f"http://127.0.0.1:{bench.replicas[0].port}", number,
                         headers={"X-Forwarded-For": shared or address(number), "X-Client-Port": "4711"})
        # One for each, so that no two tokens are the same.
        self.bench, self.channel = bench, f"Channel{number}"

    async def begin(self):
        step = await self.ask("POST", "/v1/authentication", {"mvpd": PROVIDER, "returnTo": RETURN_TO})
        assert step["code"] == "open", step
        self.login = step["url"]

    async def log_in(self):
        """Logs in at the provider; keeps the path of the gateway that the browser comes back to."""
        self.logins += 1
        broker = Connection(self.bench.simulator.url)
        form = urllib.parse.urlencode({"code": self.login.rsplit("/", 1)[1], "user": USERS[self.number % len(USERS)]})
        answer = await broker.ask(
            "POST", "/sim/login", {"Content-Type": "application/x-www-form-urlencoded"}, form.encode())
        assert answer.status in (302, 303), answer.status
        self.back = urllib.parse.urlsplit(answer.field("location")).path
        # Otherwise the broker has a connection open for each device.
        broker.close()

    async def come_back(self):
        """The browser comes back, and the app proves it."""
        answer = await self.wire.ask("GET", self.back, self.headers)
        assert answer.status == 303, answer.status
        code = answer.field("location").split("returned=")[1]
        return await self.ask("PUT", "/v1/authentication", {"returned": code})

    async def arrive(self):
        """Everything that a new subscriber does up to the first play."""
        await self.register()
        await self.begin()
        await self.log_in()
        await self.come_back()
        assert await self.wait(), "not signed in"
        await self.play(self.channel)


async def spent(program, apps, body, at_once=8):
    """Microseconds of processor time of a program for each request."""
    before = processor_time(program)
    await all_of(apps, body, at_once)
    return (processor_time(program) - before) / len(apps) * 1e6


async def cost(bench, name, apps, body):
    """Microseconds of processor time of the gateway for each request, which are printed."""
    await body(apps[0])
    found = await spent(bench.replicas[0].program, apps[1:], body)
    print(f"  {name}: {found:.0f} µs")
    return found


async def check_costs(bench, bare_route):
    print(f"processor time of the gateway for each request, {COUNT} requests, 8 at the same time; {loads()}")
    apps = [Direct(bench, number) for number in range(COUNT)]

    def request(method, path, body=None):
        async def one(app):
            await app.ask(method, path, body)
        return one

    async def segment(app):
        headers = {"Cookie": app.cookie, "X-Original-URI": f"/live/{app.channel}/0.ts"}
        status = (await app.wire.ask("GET", "/v1/authz", headers)).status
        assert status == 200, status

    async def play(app):
        app.cookie = await app.play(app.channel)

    if bare_route:
        bare, port = start_bare(bare_route, bench.folder)
        # Each of 8 connections asks for its part.
        connections = [Connection(f"http://127.0.0.1:{port}") for _ in range(8)]

        async def ask_bare(connection):
            for _ in range(COUNT):
                await connection.ask("GET", "/v1/authz", {"X-Original-URI": "/live/Channel0/0.ts"})

        await all_of(connections, ask_bare)
        before = processor_time(bare)
        await all_of(connections, ask_bare)
        print(f"  a bare Hummingbird route: {(processor_time(bare) - before) / (COUNT * 8) * 1e6:.0f} µs")
        bare.stop()
    total = await cost(bench, "POST /v1/devices", apps, App.register)
    total += await cost(bench, "POST /v1/authentication, a new device (3 calls of the broker)", apps, Direct.begin)
    await all_of(apps, Direct.log_in, 8)
    total += await cost(
        bench, "GET /v1/return and PUT /v1/authentication, to the end of the sign-in (1 call)", apps, Direct.come_back)
    await cost(bench, "GET /v1/authentication", apps, request("GET", "/v1/authentication"))
    await cost(bench, "GET /v1/profile", apps, request("GET", "/v1/profile"))
    await cost(bench, "GET /v1/profile?refresh=1 (1 call)", apps, request("GET", "/v1/profile?refresh=1"))
    await cost(bench, "POST /v1/preauthorizations, 5 resources (1 call)", apps,
               request("POST", "/v1/preauthorizations", {"resources": CHANNELS[:5]}))
    total += await cost(bench, "POST /v1/plays (1 call)", apps, play)
    await cost(bench, "GET /v1/authz with the session", apps, segment)
    await cost(bench, "POST /v1/devices/renew", apps, request("POST", "/v1/devices/renew", {}))
    await cost(bench, "POST /v1/logout (1 call)", apps, request("POST", "/v1/logout", {}))
    print(f"  a sign-in with its first play: {total / 1000:.2f} ms, so two cores bear {in_an_hour(total / 1e6)} in an hour"
          f" by processor time; {loads()}")
    for app in apps:
        app.close()


async def check_plays(bench, bare_route):
    """What a play costs beside the broker's call and the verification, with stores in memory: medians of rounds."""
    folder = bench.folder / "memory"
    folder.mkdir()
    bench = Bench(bench.tve, folder, replicas=1, nginx=False, in_memory=True)
    apps = [Direct(bench, number) for number in range(COUNT)]
    for step in (App.register, Direct.begin, Direct.log_in, Direct.come_back):
        await all_of(apps, step, 8)
    kinds = {"POST /v1/plays": (bench.replicas[0].program, lambda app: app.play(app.channel))}
    if bare_route:
        kinds |= bare_kinds(bench, bare_route, apps)
    found = {name: [] for name in kinds}
    for _ in range(PLAY_ROUNDS + 1):
        for name, (program, body) in kinds.items():
            found[name].append(await spent(program, apps, body))
    # The first round opens the connections.
    found = {name: statistics.median(values[1:]) for name, values in found.items()}
    print(f"with stores in memory, sessions that are not counted, medians of {PLAY_ROUNDS} rounds; {loads()}")
    for name, value in found.items():
        print(f"  {name}: {value:.0f} µs")
    if bare_route:
        play, least, bare = found.values()
        print(f"  (a play − authorize − verify) ÷ a bare route: {(play - least + bare) / bare:.2f}")


def bare_kinds(bench, bare_route, apps):
    """Servers that a play is compared with; each app keeps a connection to each."""
    key = bench.folder / "media.pem"
    key.write_text(ask(bench.simulator.port, "/sim/keys/media.pem")[2].decode())
    least_port = free_port()
    least = Program("plays", bare_route, least_port, "plays", bench.simulator.url, key, folder=bench.folder,
                    input=subprocess.PIPE, output=subprocess.PIPE)
    least.process.stdin.write(bench.simulator.banner["softwareStatement"].encode() + b"\n")
    least.process.stdin.flush()
    code = least.process.stdout.readline().decode().strip()
    form = urllib.parse.urlencode({"code": code, "user": USERS[0]})
    status = ask(bench.simulator.port, "/sim/login", {"Content-Type": "application/x-www-form-urlencoded"}, "POST", form)[0]
    assert status in (302, 303), status
    bare, bare_port = start_bare(bare_route, bench.folder)

    def kind(program, port, method, path):
        connections = {app: Connection(f"http://127.0.0.1:{port}") for app in apps}

        async def one(app):
            answer = await connections[app].ask(method, path, app.headers, None if method == "GET" else app.channel.encode())
            assert answer.status == 200, answer.status
        return program, one

    return {"the broker's decision and a verified token": kind(least, least_port, "POST", "/v1/plays"),
            "a bare Hummingbird route": kind(bare, bare_port, "GET", "/v1/authz")}


async def check_latency(bench, _):
    """From the browser's return to the end of the app's long poll, at a fixed rate."""
    apps = [Direct(bench, 100_000 + number) for number in range(COUNT)]
    await all_of(apps, App.register, 8)
    await all_of(apps, Direct.begin, 8)
    await all_of(apps, Direct.log_in, 8)
    waits = []

    async def one(app, start):
        poll = Direct(bench, app.number)
        poll.token = app.token
        polling = asyncio.ensure_future(poll.wait())
        await asyncio.sleep(max(0, start - time.monotonic()))
        began = time.monotonic()
        await app.come_back()
        assert await polling, "not signed in"
        waits.append(time.monotonic() - began)
        app.close()
        poll.close()

    program, before = bench.replicas[0].program, processor_time(bench.replicas[0].program)
    start = time.monotonic() + 1
    await asyncio.gather(*(one(app, start + number / LOGINS_PER_SECOND) for number, app in enumerate(apps)))
    seconds = time.monotonic() - start
    median, high, longest = (1000 * value for value in spread(waits))
    print(f"latency: {COUNT} logins at {LOGINS_PER_SECOND} a second (it took {seconds:.1f} s): from /v1/return to the end of the long"
          f" poll median {median:.0f} ms, p99 {high:.0f} ms, longest {longest:.0f} ms;"
          f" {(processor_time(program) - before) / seconds:.2f} cores for the gateway; {loads()}")


async def check_polls(bench, _):
    """What requests cost that wait."""
    count = min(COUNT, 1000)
    apps = [Direct(bench, 200_000 + number) for number in range(count)]
    await all_of(apps, App.register, 8)
    await all_of(apps, Direct.begin, 8)
    replica = bench.replicas[0]
    # A new process, whose memory is not left over from other requests.
    await asyncio.to_thread(replica.stop)
    await asyncio.to_thread(replica.start)
    # All devices have a connection, and have asked once.
    await all_of(apps, lambda app: app.ask("GET", "/v1/authentication"), 8)
    await asyncio.sleep(2)
    before = replica.resident
    polls = [asyncio.ensure_future(app.send("GET", "/v1/authentication?wait=25")) for app in apps]
    await asyncio.sleep(4)
    spent, memory = processor_time(replica.program), replica.resident
    await asyncio.sleep(10)
    spent = (processor_time(replica.program) - spent) / 10
    codes = {answer["code"] for _, answer in await asyncio.gather(*polls)}
    assert codes == {"pending"}, codes
    print(f"polls: {(memory - before) / count:.1f} KiB for each of {count} that wait, and {spent / count * 1e6:.0f} µs of processor"
          f" time each second; {loads()}")
    for app in apps:
        app.close()


async def check_day(bench, _):
    """A slice of a release day: so many sign in anew each second, with everything that belongs to it; and a wave.

    No time is scaled: a minute is run at the rate of the hour. The broker's limit counts real seconds of each address.
    """
    bench.simulator.control("PUT", "/sim/throttle", {"mode": "documented"})
    await arrivals(bench, 300_000, DAY_RATE * DAY_SECONDS, DAY_RATE,
                   f"release day, {DAY_RATE} subscribers a second for {DAY_SECONDS} s, as {DAY_RATE * 3600:,} in an hour")
    await arrivals(bench, 350_000, WAVE, None, f"release day, {WAVE} subscribers at once")
    bench.simulator.control("PUT", "/sim/throttle", {"mode": "off"})


async def arrivals(bench, first, count, rate, name):
    program, before, waits, start = bench.replicas[0].program, None, [], time.monotonic() + 1
    before = processor_time(program)

    async def one(number):
        app = Direct(bench, first + number)
        due = start + (number / rate if rate else 0)
        await asyncio.sleep(max(0, due - time.monotonic()))
        await app.arrive()
        # From when the subscriber was due, so that a late client counts as waiting, too.
        waits.append((time.monotonic() - due, app.retried))
        app.close()

    throttled = bench.metric("tve_broker_throttled_total")
    await asyncio.gather(*(one(number) for number in range(count)))
    seconds, spent = time.monotonic() - start, processor_time(program) - before
    throttled = bench.metric("tve_broker_throttled_total") - throttled
    median, high, longest = spread([wait for wait, _ in waits])
    retried = sum(times for _, times in waits)
    print(f"{name}: signed in and playing after median {median * 1000:.0f} ms, p99 {high * 1000:.0f} ms, the last one"
          f" {longest * 1000:.0f} ms (it took {seconds:.1f} s); {throttled:.0f} answers 429 of the broker, {retried} requests"
          f" repeated by apps; {spent / count * 1000:.2f} ms of processor time for each, so two cores bear"
          f" {in_an_hour(spent / count)} in an hour; {loads()}")


async def check_household(bench, _):
    """Devices that share an address, and so the broker's limit for it."""
    bench.simulator.control("PUT", "/sim/throttle", {"mode": "documented"})
    began, waits, throttled = time.monotonic(), [], bench.metric("tve_broker_throttled_total")

    async def one(number):
        app = Direct(bench, 400_000 + number, shared="192.0.2.77")
        await app.arrive()
        waits.append((time.monotonic() - began, app.retried))

    await asyncio.gather(*(one(number) for number in range(HOUSEHOLD)))
    bench.simulator.control("PUT", "/sim/throttle", {"mode": "off"})
    waits.sort()
    throttled = bench.metric("tve_broker_throttled_total") - throttled
    print(f"household: {HOUSEHOLD} devices of one address sign in and play at the same time: the first one after {waits[0][0]:.1f} s,"
          f" the last one after {waits[-1][0]:.1f} s, {sum(times for _, times in waits)} requests repeated by apps;"
          f" {throttled:.0f} answers 429 of the broker")


async def measure_gateway(tve, folder, bare_route, parts):
    bench = Bench(tve, folder, replicas=1, nginx=False)
    checks = {"costs": check_costs, "plays": check_plays, "latency": check_latency, "polls": check_polls, "day": check_day,
              "household": check_household}
    for part in parts:
        await checks[part](bench, bare_route)


PARTS = {
    "sizing": ["memory", "processor", "floods"],
    "session": [],
    "gateway": ["costs", "plays", "latency", "polls", "day", "household"],
}


def main():
    parser = argparse.ArgumentParser(usage=" ".join(line.strip() for line in __doc__.splitlines()[2:4]))
    parser.add_argument("tve")
    parser.add_argument("group", choices=PARTS)
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--bare")
    parser.add_argument("--other", nargs=2)
    parser.add_argument("--connections", type=int, default=32)
    given = parser.parse_args()
    unknown = set(given.parts) - set(PARTS[given.group])
    if unknown:
        parser.error(f"{given.group} has no {', '.join(sorted(unknown))}")
    if given.group == "session" and not given.bare:
        parser.error("session needs --bare")
    tve, parts = str(pathlib.Path(given.tve).resolve()), given.parts or PARTS[given.group]
    with check_folder("figures") as folder:
        if given.group == "sizing":
            measure_sizing(tve, folder, parts)
        elif given.group == "session":
            measure_session(tve, folder, given.bare, given.other, given.connections)
        else:
            asyncio.run(measure_gateway(tve, folder, given.bare, parts))


if __name__ == "__main__":
    main()
