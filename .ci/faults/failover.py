"""Another Redis takes over: by hand, by Sentinels, and one that has not seen everything."""

import socket
import subprocess
import time

from service_check import expect, free_port, until

from .case import fault
from .proxy import Proxy
from .servers import BACK
from .stage import Server, tell


def pair(stage, *options, through=None):
    """A primary and its replica, which has everything."""
    primary = stage.redis(*Server.DURABLE, "--repl-diskless-sync-delay", "0", *options, name="primary")
    port = through(primary.port) if through else primary.port
    follower = stage.redis(*Server.DURABLE, "--replicaof", f"127.0.0.1 {port}", name="follower")
    until("the replica has everything", lambda: follower.state().get("master_link_status") == "up")
    return primary, follower


@fault
def failover_by_hand(stage):
    """The primary dies, a replica that has everything is promoted, and the address moves: nothing passes twice."""
    primary, follower = pair(stage)
    address = Proxy(primary.port)
    replicas = stage.replicas(2, address.address)
    with stage.play(replicas) as plays:
        stage.wait(1)
        plays.left |= {0, 1}
        # What was answered has reached the replica by then.
        time.sleep(0.5)
        primary.kill()
        plays.left.clear()
        stage.wait(0.5)
        follower.tell("REPLICAOF", "NO", "ONE")
        address.target = follower.port
        stage.recovered(plays.until_well(time.monotonic(), within=BACK))
        stage.wait(0.5)
    plays.again()
    for replica in replicas:
        assert replica.says("restarted or replaced"), f"the log does not say that Redis was replaced: {replica.log()}"


@fault
def failover_to_one_that_lags(stage):
    """A replica takes over that has not seen the last redemptions: exactly their tokens pass once more, as documented."""
    links = []

    def through(port):
        links.append(Proxy(port))
        return links[0].port

    primary, follower = pair(stage, through=through)
    address = Proxy(primary.port)
    replicas = stage.replicas(2, address.address)
    with stage.play(replicas) as seen:
        stage.wait(1)
    time.sleep(0.5)
    links[0].is_silent = True
    with stage.play(replicas) as unseen:
        stage.wait(1, 5)
    primary.kill()
    follower.tell("REPLICAOF", "NO", "ONE")
    address.target = follower.port
    stage.until("the store is back", lambda: all(one.ready(now=True)[0] == 200 for one in replicas))
    used = set(unseen.used)
    seen.again()
    unseen.expect_forgotten(used)
    stage.note(f"{len(used)} that the replica had not seen passed once more, as documented; {len(seen.used)} others did not")


@fault
def primary_cut_off(stage):
    """A primary with min-replicas-to-write 1 that loses its replica refuses within four seconds, and goes on with it."""
    primary, follower = pair(
        stage, "--min-replicas-to-write", "1", "--min-replicas-max-lag", "2", "--repl-ping-replica-period", "1")
    replicas = stage.replicas(2, primary.address)
    stage.until("the store is there", lambda: replicas[0].ready(now=True)[0] == 200)
    with stage.play(replicas) as plays:
        stage.wait(0.7)
        follower.pause()
        began = time.monotonic()
        stage.until("it refuses", lambda: set(plays.statuses(since=time.monotonic() - 0.4)) == {503}, 6)
        took = time.monotonic() - began
        stage.wait(0.5)
        follower.go_on()
        stage.recovered(plays.until_well(time.monotonic(), within=BACK + 2))
    assert took <= 5, f"it refused only after {took:.1f} s"
    plays.again()
    stage.note(f"refused {took:.1f} s after its replica was gone")


@fault
def address_of_a_replica(stage):
    """The address leads to a Redis that is a replica, writable or not: it is never used, and every token gets 503."""
    primary, follower = pair(stage)
    follower.tell("CONFIG", "SET", "replica-read-only", "no")
    replica, other = stage.replica(follower.address, "wrong"), stage.replica(primary.address, "right")
    with stage.play([replica, other], sessions=False) as plays:
        stage.wait(1)
    plays.expect_only("plays at the one with the wrong address", (503,), replica=0)
    expect("asked for the store", replica.ready(now=True), (503, ["store_unavailable"]))
    plays.again([1])


@fault
def primary_becomes_a_replica(stage):
    """The primary is made a replica of another one while it is in use: 503 until it is a primary again, nothing twice."""
    primary, follower = pair(stage)
    replicas = stage.replicas(2, primary.address)
    with stage.play(replicas) as plays:
        stage.wait(0.7)
        plays.left |= {0, 1}
        time.sleep(0.3)
        follower.tell("REPLICAOF", "NO", "ONE")
        primary.tell("REPLICAOF", "127.0.0.1", follower.port)
        plays.left.clear()
        began = time.monotonic()
        stage.wait(1)
        plays.expect_only("plays at a replica", (503,), since=began)
        primary.tell("REPLICAOF", "NO", "ONE")
        stage.recovered(plays.until_well(time.monotonic(), within=BACK))
    plays.again()


def certificate(folder):
    """Settings of Redis for TLS, with a certificate of its own for 127.0.0.1."""
    key, pem = folder / "redis.key", folder / "redis.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out",
         pem, "-subj", "/CN=redis", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "3"], check=True, capture_output=True)
    return {"tls-cert-file": pem, "tls-key-file": key, "tls-ca-cert-file": pem, "tls-auth-clients": "no",
            "tls-replication": "yes"}


def fail_over(stage, tls):
    """The primary dies and Sentinels promote its replica."""
    def listening(port):
        return (tls | {"tls-port": port} if tls else {}).items()

    def options(port):
        return [word for name, value in listening(port) for word in (f"--{name}", value)]

    ports = [free_port() for _ in range(5)]
    primary = stage.redis(*Server.DURABLE, "--repl-diskless-sync-delay", "0", *options(ports[0]), name="primary")
    first = ports[0] if tls else primary.port
    follower = stage.redis(*Server.DURABLE, "--replicaof", f"127.0.0.1 {first}", *options(ports[1]), name="follower")
    until("the replica has everything", lambda: follower.state().get("master_link_status") == "up")
    # Sentinels are asked by the store at these ports, and by the check in clear.
    plain = []
    for number, port in enumerate(ports[2:]):
        folder = stage.folder / f"sentinel{number}"
        folder.mkdir()
        plain.append(free_port() if tls else port)
        lines = [f"port {plain[-1]}", "bind 127.0.0.1", f"dir {folder}", *(f"{name} {value}" for name, value in listening(port)),
                 f"sentinel monitor tokens 127.0.0.1 {first} 2", "sentinel down-after-milliseconds tokens 1000",
                 "sentinel failover-timeout tokens 4000"]
        (folder / "sentinel.conf").write_text("\n".join(lines) + "\n")
        stage.program(f"sentinel{number}", "redis-server", folder / "sentinel.conf", "--sentinel")
        until("a Sentinel listens", lambda: socket.create_connection(("127.0.0.1", port), 1).close() is None)

    def knows_all():
        lines = tell(plain[0], "SENTINEL", "MASTER", "tokens").splitlines()
        facts = dict(zip(lines[::2], lines[1::2]))
        return facts.get("num-other-sentinels") == "2" and facts.get("num-slaves") == "1"

    until("the Sentinels know each other", knows_all, 30)
    names = ",".join(f"127.0.0.1:{port}" for port in ports[2:])
    store = {"caFile": str(tls["tls-ca-cert-file"])} if tls else {}
    replicas = stage.replicas(2, f"redis{'s' if tls else ''}+sentinel://{names}/tokens", store=store)
    with stage.play(replicas) as plays:
        stage.wait(1)
        killed = time.monotonic()
        primary.kill()
        # A second until it counts as down, the vote, and the pause before the next attempt to connect.
        stage.recovered(plays.until_well(killed, within=20))
        stage.wait(0.5)
        primary.start()
        until("the old primary follows", lambda: primary.state()["role"] == "slave", 30)
        stage.wait(0.5)
    plays.documented = {number for number, moment in plays.used.items() if killed - 1 <= moment <= killed + 0.5}
    plays.again()
    stage.note(f"{len(plays.twice)} of the last second's {len(plays.documented)} tokens passed once more")


@fault
def failover_by_sentinels(stage):
    """The primary dies and Sentinels promote its replica: well without a restart; only the last moments' tokens pass twice."""
    fail_over(stage, tls=None)


@fault
def failover_by_encrypted_sentinels(stage):
    """The same with TLS to Sentinels and servers, and between them."""
    fail_over(stage, tls=certificate(stage.folder))
