#!/usr/bin/env python3
"""Measures what an instance of `tve serve` needs: memory by connections and bodies, processor time by kind of request.

    python3 .ci/sizing_figures.py PATH-OF-TVE

Prints the figures of the article "Sizing and limits". Needs wrk, and what service_check.py needs; about three minutes.
TVE_ONLY=memory, processor or floods measures one part.
"""

import base64
import json
import os
import pathlib
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time

from cryptography.hazmat.primitives.asymmetric import padding
from service_check import (
    KEYS, Program, Redis, Service, Tokens, ask, check_small_requests_of_much_work, expect, private_key, processor_time, until)

URI = "/live/demo/1.ts"
KIB, MIB = 1024, 1024 * 1024
CONNECTIONS = 2000
# Those of the settings' defaults: the examples allow less.
LIMITS = {"connections": 4096, "headerBytes": 128 * KIB, "bodyBytes": MIB, "decisionsBytes": 128 * KIB,
          "requestSeconds": 120, "idleSeconds": 300}
# Plays are measured with tokens of their own; the others for so many seconds.
PLAYS, SECONDS = 4000, 3


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
    print(f"memory: many requests in one piece, whose answers nobody reads: at most {(most - before) / count / KIB:.0f} KiB "
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
    command = ["wrk", "--threads", "1", "--connections", "16", "--duration", f"{SECONDS}s"]
    for name, value in (headers or {}).items():
        command += ["--header", f"{name}: {value}"]
    if bodies:
        (folder / "bodies").write_text("".join(f"{body}\n" for body in bodies))
        (folder / "bodies.lua").write_text(
            SCRIPT.replace("BODIES", str(folder / "bodies")).replace("AGAIN", "true" if again else "false"))
        command += ["--script", str(folder / "bodies.lua")]

    def answered():
        found = re.findall(r"tve_requests_total{[^}]*} (\d+)", ask(service.internal, "/metrics")[2].decode())
        return sum(map(int, found))

    requests, time = answered(), processor_time(service.program)
    subprocess.run(command + [f"http://127.0.0.1:{port or service.port}{path}"], check=True, capture_output=True, timeout=60)
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
    """Sessions that are signed with RSA, so that edges can check them without the secret."""
    key = folder / "rs256.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", key],
                   check=True, capture_output=True)
    service = Service(tve, folder, "busy", "memory:", log={"level": "error"}, sessions={"keyFiles": [str(key)]})
    plays = [body(token) for token in tokens.many(PLAYS)]
    processor(service, folder, "a play with a session of RS256", path="/v1/playback-sessions", bodies=plays, again=False)
    cookie = start_session(service, tokens.issue("--ttl", "3600"))
    processor(service, folder, "a segment with a session of RS256", {"X-Original-URI": URI, "Cookie": cookie})
    session = json.dumps({"session": cookie.split("=", 1)[1]})
    processor(service, folder, "a renewal of a session of RS256", path="/v1/playback-sessions/renew", bodies=[session])
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


def main():
    tve = str(pathlib.Path(sys.argv[1]).resolve())
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with tempfile.TemporaryDirectory(prefix="tve-sizing-") as name:
        folder = pathlib.Path(name)
        (folder / "session.key").write_bytes(bytes(range(32)))
        try:
            for part in os.environ.get("TVE_ONLY", "memory,processor,floods").split(","):
                {"memory": memory, "processor": processor_times, "floods": floods}[part](tve, folder)
        finally:
            for program in list(Program.running):
                program.stop()


if __name__ == "__main__":
    main()
