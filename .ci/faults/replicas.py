"""Replicas that are killed, stopped, and restarted."""

import concurrent.futures
import http.client
import json
import signal
import threading
import time

from gateway.bench import Authority, Nginx
from service_check import expect, free_port

from .case import fault


@fault
def replica_killed(stage):
    """One of three replicas is killed with SIGKILL, again and again: only requests that it was answering are lost."""
    redis = stage.redis()
    replicas = stage.replicas(3, redis.address)
    with stage.play(replicas) as plays:
        for _ in range(2 if stage.is_short else 8):
            stage.wait(0.5, 1)
            replicas[0].kill()
            time.sleep(0.3)
            replicas[0].start()
            stage.recovered(plays.until_well(time.monotonic(), within=3))
    elsewhere = [one for one in plays.lost if one.replica != 0]
    assert not elsewhere, f"{len(elsewhere)} requests were lost at replicas that were not killed"
    plays.again()
    stage.note("nothing was lost at the other two")


@fault
def replica_stopped(stage):
    """On SIGTERM a replica is not ready at once, goes on answering, and ends with 0: nothing is lost."""
    redis = stage.redis()
    replicas = stage.replicas(2, redis.address, drain={"waitSeconds": 2})
    with stage.play(replicas) as plays:
        stage.wait(0.5, 2)
        began, process = time.monotonic(), replicas[0].program.process
        process.send_signal(signal.SIGTERM)
        stage.until("not ready on SIGTERM", lambda: replicas[0].ready() == (503, ["draining"]), 1)
        stage.until("answers while it drains", lambda: plays.some(since=began, replica=0), 2)
        # A balancer has noticed by now.
        plays.left.add(0)
        expect("exit code", process.wait(10), 0)
        took = time.monotonic() - began
        assert 2 <= took <= 5, f"it ended {took:.1f} s after SIGTERM, with drain.waitSeconds 2"
    expect("lost requests", len(plays.lost), 0)
    plays.again([1])
    stage.note(f"ended after {took:.1f} s, exit code 0")


@fault
def rolling_restart_after_nginx(stage):
    """Replicas after the nginx of the example are restarted one after the other: each POST /play is answered with 200."""
    redis, port = stage.redis(), free_port()
    replicas = stage.replicas(2, redis.address)
    authority = Authority(stage.folder)
    nginx = Nginx(stage.folder, authority, replicas, port)
    stage.programs.append(nginx.program)
    ending, found = threading.Event(), []

    def post():
        client = http.client.HTTPSConnection("127.0.0.1", port, timeout=10, context=authority.context)
        while not ending.is_set():
            question = {"token": stage.supply.token()[1], "requestor": "REF30", "resource": None}
            client.request("POST", "/play", json.dumps(question))
            answer = client.getresponse()
            answer.read()
            found.append(answer.status)
            time.sleep(0.02)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(post) for _ in range(4)]
        try:
            for replica in replicas if stage.is_short else replicas * 3:
                time.sleep(0.5)
                replica.stop()
                replica.start()
            time.sleep(0.5)
        finally:
            ending.set()
        for job in jobs:
            job.result()
    others = [status for status in found if status != 200]
    assert not others, f"{len(others)} of {len(found)} plays failed: {sorted(set(others))}"
    stage.note(f"{len(found)} plays through nginx, all with 200")


@fault
def killed_with_sqlite(stage):
    """Two processes share a SQLite file, and are killed in turn: no redemption that was answered is forgotten."""
    replicas = stage.replicas(2, f"sqlite:{stage.folder}/used.sqlite")
    with stage.play(replicas) as plays:
        for victim in (replicas if stage.is_short else replicas * 5):
            stage.wait(0.5, 1)
            victim.kill()
            victim.start()
            stage.recovered(plays.until_well(time.monotonic(), within=3))
    kills = len(replicas) * (1 if stage.is_short else 5)
    assert len(plays.lost) <= kills * 2 * plays.players, f"{len(plays.lost)} requests were lost in {kills} kills"
    plays.again()


@fault
def killed_with_memory(stage):
    """With memory: a killed process forgets, so that each token used before passes once more, and no third time."""
    [replica] = stage.replicas(1, "memory:")
    with stage.play([replica]) as plays:
        stage.wait(1.5, 4)
    used = set(plays.used)
    replica.kill()
    replica.start()
    plays.expect_forgotten(used)
    stage.note(f"all {len(used)} used tokens passed once more, as documented")


@fault
def replica_frozen(stage):
    """A replica is frozen and goes on: the others do not notice, nothing passes twice, nor a token that ended meanwhile."""
    redis = stage.redis()
    replicas = stage.replicas(2, redis.address)
    with stage.play(replicas, players=8) as plays:
        stage.wait(0.5)
        replicas[0].program.process.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        # Each player waits for the frozen one sooner or later, and a balancer would see that, too.
        plays.left.add(0)
        waiting = http.client.HTTPConnection("127.0.0.1", replicas[0].port, timeout=20)
        token = stage.supply.tokens.issue("--ttl", "1")
        waiting.request("GET", "/v1/authz", headers={"X-Original-URI": "/live/demo/1.ts", "X-Media-Token": token})
        stage.wait(2.5, 6)
        replicas[0].program.process.send_signal(signal.SIGCONT)
        plays.left.discard(0)
        thawed = time.monotonic()
        stage.recovered(plays.until_well(thawed, within=3))
        expect("a token that ended while it waited", waiting.getresponse().status, 401)
        waiting.close()
    plays.expect_only("at the other replica", (200, 403), since=began, until=thawed, replica=1)
    plays.again()


@fault
def log_disk_full(stage):
    """The disk of the log is full, or its reader has gone: plays go on."""
    redis = stage.redis()
    replicas = [
        stage.replica(redis.address, name, wrapper=("bash", "-c", f'exec "$0" "$@" 2> {log}'), log={"level": "debug"})
        for name, log in (("full", "/dev/full"), ("gone", ">(exit 0)"))]
    with stage.play(replicas) as plays:
        stage.wait(1.5)
    plays.expect_only("plays without a log", (200, 403))
    plays.again()
