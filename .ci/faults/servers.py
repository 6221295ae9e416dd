"""A Redis that stalls, comes late, is full, has no place for clients, or gets another password."""

import os
import socket
import time

from service_check import ask, expect

from .case import fault, long_fault
from .stage import Server

# Redis is asked again at once, and then after pauses of up to a second.
BACK = 3


@fault
def redis_stalls(stage):
    """Redis hangs: 503 within the time limit, sessions pass, ready as set; well again without a restart, and in the log."""
    redis = stage.redis()
    graces = (10, 1, -1)
    replicas = [stage.replica(redis.address, f"grace{grace}", readiness={"storeGraceSeconds": grace}) for grace in graces]
    with stage.play(replicas) as plays:
        stage.wait(1)
        redis.pause()
        began = time.monotonic()
        for replica in replicas:
            stage.until("the store is not there now", lambda: replica.ready(now=True) == (503, ["store_unavailable"]), 3)
        stage.until("not ready after the grace time", lambda: replicas[1].ready() == (503, ["store_unavailable"]), 5)
        for replica in (replicas[0], replicas[2]):
            expect(f"{replica.name} during the stall", replica.ready(), (200, []))
        stage.wait(0.5, 5)
        ended = time.monotonic()
        redis.go_on()
        stage.recovered(plays.until_well(ended, within=BACK))
        for replica in replicas:
            stage.until("ready again", lambda: replica.ready(now=True)[0] == 200, BACK)
            # It has to have answered for some seconds.
            stage.until(f"the log of {replica.name} tells of the outage and its end", lambda: tells_outage(replica), 8)
    # What was on its way when Redis stopped may have been decided.
    stalled = plays.expect_only("plays without Redis", (503,), since=began + 0.1, until=ended)
    slowest = max(one.ended - one.begun for one in plays.some(since=began + 0.1, until=ended))
    assert slowest <= 2, f"a play without Redis was answered after {slowest:.2f} s; store.timeoutMilliseconds is 250"
    plays.expect_only("sessions without Redis", (200,), kind="session", since=began, until=ended)
    plays.again()
    stage.note(f"{stalled[503]} × 503, the slowest after {slowest * 1000:.0f} ms; sessions passed")


def tells_outage(replica):
    """The outage is in the log once, as an error with its cause, and then its end with its length."""
    errors = replica.says("store", "redis://", levels=("error",))
    assert len(errors) <= 1, f"{len(errors)} errors about one outage: {errors[:3]}"
    return errors and replica.says("store", "again", "seconds", levels=("notice",))


@fault
def redis_without_memory(stage):
    """Redis is full under noeviction: 503, nothing is forgotten, and well again when there is room."""
    redis = stage.redis()
    replicas = stage.replicas(2, redis.address)
    with stage.play(replicas) as plays:
        stage.wait(1)
        redis.tell("CONFIG", "SET", "maxmemory", "1")
        began = time.monotonic()
        stage.wait(1)
        plays.expect_only("plays with a full Redis", (503,), since=began + 0.1)
        redis.tell("CONFIG", "SET", "maxmemory", "0")
        stage.recovered(plays.until_well(time.monotonic(), within=BACK))
    plays.again()


@fault
def redis_that_evicts(stage):
    """Redis with another memory policy than noeviction: the log warns of it with the first connection."""
    redis = stage.redis(*Server.DURABLE, "--maxmemory-policy", "allkeys-lru")
    [replica] = stage.replicas(1, redis.address)
    stage.until("the log warns", lambda: replica.ready(now=True) and replica.says("maxmemory-policy"), 5)


@fault
def redis_comes_late(stage):
    """A replica starts before Redis: it says so, refuses with 503, and is well as soon as Redis is there."""
    redis = stage.redis()
    redis.kill()
    replicas = stage.replicas(2, redis.address)
    with stage.play(replicas) as plays:
        stage.wait(1)
        plays.expect_only("plays without Redis", (503,))
        expect("asked for the store", replicas[0].ready(now=True), (503, ["store_unavailable"]))
        redis.start()
        stage.recovered(plays.until_well(time.monotonic(), within=BACK))
        stage.wait(0.5)
    plays.again()


@fault
def redis_without_places(stage):
    """Redis takes no more clients and ends those that it has: 503 for that reason, and well again when it takes some."""
    redis, file = stage.redis(), stage.folder / "redis.password"
    file.write_text("places\n")
    os.chmod(file, 0o600)
    redis.tell("CONFIG", "SET", "requirepass", "places")
    redis.password = "places"
    replicas = stage.replicas(2, redis.address, store={"passwordFile": str(file)})
    with stage.play(replicas) as plays:
        stage.wait(0.7)
        # This connection has the only place.
        with socket.create_connection(("127.0.0.1", redis.port)) as keeper:
            keeper.sendall(b"AUTH places\r\nCONFIG SET maxclients 1\r\nCLIENT KILL TYPE normal SKIPME yes\r\n")
            began = time.monotonic()
            stage.wait(1)
            for replica in replicas:
                stage.until("it says why", lambda: b"(maxclients)" in ask(replica.internal, "/readyz?store=now")[2], 10)
            plays.expect_only("plays without a place in Redis", (503,), since=began + 0.3)
            keeper.sendall(b"CONFIG SET maxclients 1000\r\n")
        stage.recovered(plays.until_well(time.monotonic(), within=BACK))
    plays.again()


@fault
def store_of_sessions_away(stage):
    """The Redis of sessions.store dies: sessions get 503, or 200 with storeFailure pass; plays need it not; well again."""
    redis, records = stage.redis(), stage.redis(name="records")
    replicas = [stage.replica(redis.address, failure, sessions={"store": records.address, "storeFailure": failure})
                for failure in ("refuse", "pass")]
    with stage.play(replicas) as plays:
        stage.wait(0.7)
        records.kill()
        began = time.monotonic()
        stage.wait(1)
        ended = time.monotonic()
        records.start()
        stage.wait(2)
        away = {"kind": "session", "since": began + 0.1, "until": ended}
        plays.expect_only("sessions that must be looked up", (503,), replica=0, **away)
        plays.expect_only("sessions that pass without it", (200,), replica=1, **away)
        plays.expect_only("sessions when it is back", (200,), kind="session", since=time.monotonic() - 0.7)
    plays.expect_only("plays", (200, 403))
    plays.again()


@fault
def redis_password_rotated(stage):
    """The password changes, at the server first or in the file first: no play fails, and nothing is restarted."""
    redis, file = stage.redis(), stage.folder / "redis.password"
    redis.tell("CONFIG", "SET", "requirepass", "first")
    redis.password = "first"
    file.write_text("first\n")
    os.chmod(file, 0o600)
    replicas = stage.replicas(
        2, redis.address, store={"passwordFile": str(file)}, reload={"intervalSeconds": 1}, log={"level": "notice"})

    def at_server(new):
        redis.tell("CONFIG", "SET", "requirepass", new)
        redis.password = new

    with stage.play(replicas) as plays:
        stage.wait(0.7)
        for new, steps in (("second", (at_server, lambda new: file.write_text(new + "\n"))),
                           ("third", (lambda new: file.write_text(new + "\n"), at_server))):
            for step in steps:
                step(new)
                for replica in replicas:
                    replica.reload()
                stage.wait(0.7, 2)
            # Only new connections prove the password.
            redis.tell("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            stage.wait(0.7)
    found = plays.statuses()
    refused = found[503]
    # The connections that were killed may have had redemptions on them.
    assert refused <= 4 * plays.players, f"{refused} plays were refused: {dict(found)}"
    assert not plays.lost, f"{len(plays.lost)} requests were lost"
    plays.again()
    stage.note(f"two changes, {refused} × 503 from {len(replicas)} rounds of killed connections")


@long_fault
def redis_flapping(stage):
    """Redis stops and goes on every few hundred milliseconds: never a second pass, and well at the end."""
    redis = stage.redis()
    replicas = stage.replicas(3, redis.address)
    with stage.play(replicas, players=10) as plays:
        for _ in range(40):
            redis.pause()
            time.sleep(plays.chance.uniform(0.05, 0.6))
            redis.go_on()
            time.sleep(plays.chance.uniform(0.05, 0.6))
        stage.recovered(plays.until_well(time.monotonic(), within=BACK))
    plays.again()
