"""Descriptors, connections and memory that run out; clients that are slow on purpose."""

import http.client
import json
import socket
import time

from service_check import KEYS, ask, expect, processor_time

from .case import fault
from .servers import BACK


def connect(port, count):
    """So many connections that say nothing; those that were refused are left out."""
    found = []
    for _ in range(count):
        try:
            found.append(socket.create_connection(("127.0.0.1", port), 2))
        except OSError:
            pass
    return found


def close(connections):
    for connection in connections:
        connection.close()


def ended(connections, seconds):
    """How many of them the other side has ended after so many seconds."""
    end, open_ones = time.monotonic() + seconds, list(connections)
    while open_ones and time.monotonic() < end:
        for connection in list(open_ones):
            connection.settimeout(0.001)
            try:
                if not connection.recv(4096):
                    open_ones.remove(connection)
            except TimeoutError:
                pass
            except OSError:
                open_ones.remove(connection)
        time.sleep(0.05)
    return len(connections) - len(open_ones)


@fault
def descriptors_used_up(stage):
    """Connections use up the descriptors: it lives on without spinning, the log says so, and it is well afterwards."""
    redis = stage.redis()
    replica = stage.replica(redis.address, "small", wrapper=("prlimit", "--nofile=256"))
    other = stage.replica(redis.address, "other")
    # Many players, because libdispatch ends a process that has no descriptor left while it is busy.
    with stage.play([replica, other], players=10, pause=0.01) as plays:
        stage.wait(0.7)
        told, flood = len(replica.log()), connect(replica.port, 400)
        stage.wait(6, 20)
        code = replica.program.process.poll()
        assert code is None, f"it ended with {code} (of a signal, if negative) when its descriptors were used up"
        files = replica.files()
        # Without requests nothing is to be done.
        plays.left |= {0, 1}
        time.sleep(0.5)
        before = processor_time(replica.program)
        time.sleep(1.5)
        spent = (processor_time(replica.program) - before) / 1.5
        plays.left.clear()
        close(flood)
        stage.recovered(plays.until_well(time.monotonic(), within=BACK))
    assert spent < 0.2, f"it used {spent:.0%} of a core for nothing while it was flooded"
    expect("ready afterwards", replica.ready(now=True)[0], 200)
    plays.again()
    said = [line for line in replica.log()[told:] if "connection" in line["message"]]
    assert said, f"the log does not say that connections were held back: {replica.log()}"
    stage.note(f"{len(flood)} connections with 256 descriptors, of which {files} were open; {spent:.0%} of a core")


@fault
def descriptors_too_few(stage):
    """Fewer descriptors than limits.connections needs: told at the start."""
    replica = stage.replica("memory:", "small", wrapper=("prlimit", "--nofile=256"))
    stage.until("the log says so", lambda: replica.says("descriptor") or replica.says("nofile"), 3)
    stage.note(f"“{replica.log()[0]['message'][:80]}”")


@fault
def connections_used_up(stage):
    """More connections than limits.connections: open ones are served, the log says so once, and it is well afterwards."""
    redis = stage.redis()
    replicas = [stage.replica(redis.address, "small", limits={"connections": 40, "idleSeconds": 60}),
                stage.replica(redis.address, "other")]
    with stage.play(replicas, players=4) as plays:
        stage.wait(1)
        began, before = time.monotonic(), len(replicas[0].log())
        flood = connect(replicas[0].port, 120)
        stage.wait(1.5, 5)
        over = time.monotonic()
        close(flood)
        stage.recovered(plays.until_well(over, within=BACK))
    plays.expect_only("players that were connected before", (200, 403), since=began, until=over, replica=0)
    plays.again()
    said = [line for line in replicas[0].log()[before:] if "connection" in json.dumps(line).lower()]
    assert said, f"the log does not say that the limit was reached: {replicas[0].log()}"
    assert len(said) <= 2, f"{len(said)} lines about one flood: {said[:5]}"


@fault
def slow_heads(stage):
    """Clients send the head of a request byte by byte: their connections are ended in time, and others are served."""
    redis = stage.redis()
    replica = stage.replica(
        redis.address, "slow", limits={"requestSeconds": 2, "idleSeconds": 2})
    with stage.play([replica]) as plays:
        began, drips = time.monotonic(), connect(replica.port, 50)
        head = b"GET /v1/authz HTTP/1.1\r\nHost: a\r\nX-Long: " + b"a" * 200
        gone = set()
        for byte in head[: 60 if stage.is_short else 200]:
            for drip in drips:
                try:
                    drip.send(bytes([byte]))
                except OSError:
                    gone.add(drip)
            if len(gone) == len(drips):
                break
            time.sleep(0.15)
        took = time.monotonic() - began
    close(drips)
    assert len(gone) == len(drips), f"{len(drips) - len(gone)} of {len(drips)} connections still drip after {took:.0f} s"
    plays.expect_only("plays meanwhile", (200, 403))
    plays.again()
    stage.note(f"ended within {took:.1f} s, with limits of 2 s")


@fault
def slow_bodies(stage):
    """Clients send the body of a request byte by byte: their connections are ended in limits.requestSeconds."""
    redis = stage.redis()
    replica = stage.replica(redis.address, "slow", limits={"requestSeconds": 2, "idleSeconds": 60})
    with stage.play([replica]) as plays:
        drips = connect(replica.port, 50)
        for drip in drips:
            drip.sendall(b"POST /v1/media-tokens/verify HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                         b"Content-Length: 5000\r\n\r\n{")
        found = ended(drips, 5)
    close(drips)
    expect("connections that were ended", found, len(drips))
    plays.expect_only("plays meanwhile", (200, 403))
    plays.again()


@fault
def slow_readers(stage):
    """Clients send requests and read no answer: their connections are ended, and memory stays bounded."""
    redis = stage.redis()
    # Many keys make a long answer, so that few requests make more answers than the kernel keeps for a client.
    keys = [str(KEYS / f"test-only-{name}.spki.pem") for name in ("issuer-2048", "other-2048", "issuer-3072", "issuer-4096")]
    replica = stage.replica(
        redis.address, "slow", limits={"requestSeconds": 2}, sessions={"keyFiles": [str(stage.folder / "session.key"), *keys]})
    answer = len(ask(replica.port, "/.well-known/jwks.json")[2])
    questions = b"GET /.well-known/jwks.json HTTP/1.1\r\nHost: a\r\n\r\n" * (8_000_000 // answer)
    with stage.play([replica]) as plays:
        stage.wait(0.5)
        memory, files = replica.resident, replica.files()
        readers = connect(replica.port, 4)
        # Before they send: on a slow machine the first is ended before the last has sent all.
        stage.until("they are connected", lambda: replica.files() >= files + len(readers), 10)
        most = replica.files()
        for reader in readers:
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            reader.settimeout(0.3)
            try:
                reader.sendall(questions)
            except OSError:
                pass
        stage.until("their connections are ended", lambda: replica.files() <= most - len(readers), 20)
        grown = (replica.resident - memory) / 1024
    close(readers)
    assert grown < 64, f"{grown:.0f} MiB more for {len(readers)} clients that read nothing"
    plays.expect_only("plays meanwhile", (200, 403))
    plays.again()
    stage.note(f"{grown:+.0f} MiB")


@fault
def memory_attacked(stage):
    """Bodies made to cost memory come from many clients at once, with 256 MiB for all: it lives, and plays go on."""
    redis = stage.redis()
    # With as much for its data as a small container has.
    # The example allows less, so that its memory suffices; these are the defaults of limits that are not set.
    limits = {"connections": 4096, "headerBytes": 1 << 17, "bodyBytes": 1 << 20, "decisionsBytes": 1 << 17}
    replica = stage.replica(redis.address, "attacked", wrapper=("prlimit", f"--data={256 << 20}"), limits=limits)
    bodies = [
        ("/v1/decisions/verify?requestor=REF30", b'{"decisions":[' + b",".join([b"{}"] * 349_000) + b"]}"),
        ("/v1/decisions/verify?requestor=REF30", b'{"decisions":[' + b",".join([b"{}"] * 1_000) + b"]}"),
        ("/v1/media-tokens/verify", b'{"token":"' + b"A" * 1_000_000 + b'"}'),
        ("/v1/media-tokens/verify", b"[" * 1_000_000),
        ("/v1/media-tokens/verify-batch", b'{"token":"x","requestor":null,"resource":null}\n' * 20_000),
        ("/v1/playback-sessions", b'{"token":{"a":' * 60_000),
    ]
    with stage.play([replica]) as plays:
        stage.wait(0.5)
        before, most = replica.resident, 0
        for _ in range(2 if stage.is_short else 10):
            clients = []
            for path, body in bodies:
                for _ in range(3):
                    client = http.client.HTTPConnection("127.0.0.1", replica.port, timeout=20)
                    try:
                        client.request("POST", path, body, {"Content-Type": "application/json"})
                    except OSError:
                        # Refused before it was sent as a whole.
                        continue
                    clients.append(client)
            most = max(most, replica.resident)
            for client in clients:
                try:
                    client.getresponse().read()
                except (OSError, http.client.HTTPException):
                    pass
                client.close()
            most = max(most, replica.resident)
        stage.recovered(plays.until_well(time.monotonic(), within=BACK))
    assert replica.program.process.poll() is None, "it died for want of memory"
    plays.expect_only("plays meanwhile", (200, 403))
    plays.again()
    stage.note(f"{before / 1024:.0f} MiB resident before, at most {most / 1024:.0f} meanwhile")


@fault
def memory_store_full(stage):
    """A memory: store is full: new tokens get 503, and no used one is forgotten to make room."""
    replica = stage.replica("memory:60", "full")
    with stage.play([replica], sessions=False) as plays:
        stage.until("it is full", lambda: plays.statuses(since=time.monotonic() - 0.3)[503] > 3, 15)
        stage.wait(0.5, 5)
    used = plays.used
    assert 50 <= len(used) <= 60, f"{len(used)} tokens passed with room for 60"
    expect("used tokens", set(plays.again(numbers=list(used)).values()), {403})
    unused = [number for number in plays.offered if number not in used][:20]
    expect("new tokens", set(plays.again(numbers=unused).values()), {503})
    expect("asked for the store", replica.ready(now=True)[0], 503)
