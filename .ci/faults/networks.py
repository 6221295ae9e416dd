"""Redis is far away, the way to it jitters, breaks, or swallows everything."""

import time

from .case import fault, long_fault
from .proxy import Proxy
from .servers import BACK


def far(stage, trip, limit, jitter=0):
    """Plays at a Redis so far away; none may be refused once the connections are open."""
    redis = stage.redis()
    proxy = Proxy(redis.port, trip / 1000, jitter / 1000)
    replicas = stage.replicas(2, proxy.address, store={"timeoutMilliseconds": limit})
    for replica in replicas:
        stage.until("connected", lambda: replica.ready(now=True)[0] == 200, 10)
    with stage.play(replicas) as plays:
        began = time.monotonic()
        stage.wait(2, 10)
    # The second connection is opened when there is more to do, while the first one answers.
    plays.expect_only(f"plays {trip} ms away", (200, 403), since=began)
    plays.again(numbers=list(plays.offered)[:20])
    delays = sorted(one.ended - one.begun for one in plays.some())
    stage.note(f"median {delays[len(delays) // 2] * 1000:.0f} ms, the slowest {delays[-1] * 1000:.0f} ms")


@fault
def redis_60_ms_away(stage):
    """60 ms of round trip with the default limit of 250 ms: no play is refused."""
    far(stage, 60, 250)


@fault
def redis_80_ms_away(stage):
    """80 ms of round trip with four times that as limit: no play is refused."""
    far(stage, 80, 320)


@fault
def redis_250_ms_away(stage):
    """250 ms of round trip with four times that as limit: no play is refused."""
    far(stage, 250, 1000)


@fault
def redis_with_jitter(stage):
    """20 to 170 ms of round trip, changing with each piece: no play is refused with a limit of a second."""
    far(stage, 20, 1000, jitter=150)


@fault
def redis_too_far_away(stage):
    """A round trip longer than the limit: 503 in time, for ever, and no token passes."""
    redis = stage.redis()
    proxy = Proxy(redis.port, 0.4)
    [near] = [stage.replica(redis.address, "near")]
    [distant] = [stage.replica(proxy.address, "distant")]
    with stage.play([near, distant]) as plays:
        stage.wait(2, 6)
    plays.expect_only("plays farther away than the limit", (503,), replica=1)
    slowest = max(one.ended - one.begun for one in plays.some(replica=1))
    assert slowest <= 2, f"answered after {slowest:.2f} s"
    plays.again([0])
    stage.note(f"the slowest 503 after {slowest * 1000:.0f} ms")


@fault
def connections_cut(stage):
    """All connections to Redis are reset again and again: nothing passes twice, and well again at once."""
    redis = stage.redis()
    proxy = Proxy(redis.port, 0.02)
    replicas = stage.replicas(2, proxy.address)
    with stage.play(replicas) as plays:
        for _ in range(8 if stage.is_short else 60):
            time.sleep(0.2)
            proxy.cut()
        stage.recovered(plays.until_well(time.monotonic(), within=BACK))
    plays.again()
    found = plays.statuses()
    assert not plays.lost and found[200] > 20, f"{dict(found)}"
    stage.note(f"{found[200]} passed, {found[503]} × 503")


@fault
def half_open_connections(stage):
    """The network swallows everything for a while, and old connections stay dead: 503 in time, then new connections."""
    redis = stage.redis()
    proxy = Proxy(redis.port, 0.01)
    replicas = stage.replicas(2, proxy.address)
    with stage.play(replicas) as plays:
        stage.wait(1)
        proxy.is_silent = True
        began = time.monotonic()
        stage.wait(2, 8)
        ended = time.monotonic()
        proxy.is_silent = False
        stage.recovered(plays.until_well(ended, within=BACK))
    plays.expect_only("plays without a network", (503,), since=began + 0.1, until=ended)
    plays.expect_only("sessions without a network", (200,), kind="session", since=began, until=ended)
    plays.again()


@long_fault
def everything_at_once(stage):
    """For a minute, replicas are killed, Redis stops and dies, and the way to it breaks: nothing twice, well at the end."""
    redis = stage.redis()
    proxy = Proxy(redis.port, 0.01, 0.02)
    replicas = stage.replicas(3, proxy.address)
    with stage.play(replicas, players=10) as plays:
        def kill_replica():
            victim = plays.chance.choice(replicas)
            victim.kill()
            victim.start()

        def stop_redis():
            redis.pause()
            time.sleep(plays.chance.uniform(0.1, 1.5))
            redis.go_on()

        def kill_redis():
            redis.kill()
            redis.start()

        def be_silent():
            proxy.is_silent = True
            time.sleep(plays.chance.uniform(0.1, 1))
            proxy.is_silent = False

        end = time.monotonic() + 60
        while time.monotonic() < end:
            plays.chance.choice((kill_replica, stop_redis, kill_redis, be_silent, proxy.cut))()
            time.sleep(plays.chance.uniform(0.1, 1.5))
        stage.recovered(plays.until_well(time.monotonic(), within=BACK))
    plays.again()
