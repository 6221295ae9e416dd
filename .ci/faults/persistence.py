"""What Redis has on its disk when it is killed: nothing, a part, or everything; and a disk that is full."""

import resource
import time

from .case import fault
from .servers import BACK
from .stage import Server


def kill_and_start(stage, redis):
    replicas = stage.replicas(2, redis.address)
    with stage.play(replicas) as plays:
        for _ in range(1 if stage.is_short else 5):
            stage.wait(1)
            redis.kill()
            began = time.monotonic()
            stage.wait(0.7)
            plays.expect_only("plays without Redis", (503,), since=began + 0.1)
            redis.start()
            stage.recovered(plays.until_well(time.monotonic(), within=BACK))
    plays.again()
    for replica in replicas:
        assert replica.says("restarted"), f"the log does not say that Redis was restarted: {replica.log()}"
        assert not replica.says("appendonly is"), f"a false warning: {replica.says('appendonly is')}"


@fault
def redis_killed_append_always(stage):
    """Redis with appendfsync always is killed with SIGKILL: it forgets nothing."""
    kill_and_start(stage, stage.redis())


@fault
def redis_killed_append_everysec(stage):
    """Redis with appendfsync everysec is killed with SIGKILL: it forgets nothing."""
    kill_and_start(stage, stage.redis(*Server.AOF_EVERY_SECOND))


@fault
def redis_killed_snapshots(stage):
    """Redis with snapshots alone is killed: exactly what was redeemed after the last one passes once more, with a warning."""
    redis = stage.redis(*Server.FORGETFUL)
    replicas = stage.replicas(2, redis.address)
    with stage.play(replicas) as kept:
        stage.wait(1.2, 4)
    redis.tell("SAVE")
    with stage.play(replicas) as forgotten:
        stage.wait(1.2, 4)
    used = set(forgotten.used)
    redis.kill()
    redis.start()
    stage.until("the store is back", lambda: all(one.ready(now=True)[0] == 200 for one in replicas))
    kept.again()
    forgotten.expect_forgotten(used)
    for replica in replicas:
        assert replica.says("restarted"), f"no warning that Redis was restarted: {replica.log()}"
        assert replica.says("appendonly"), f"no warning that appendonly is off: {replica.log()}"
    stage.note(f"{len(kept.used)} before the snapshot stayed used; {len(used)} after it passed once more, as documented")


@fault
def redis_reads_its_data(stage):
    """Redis answers LOADING after its start: 503, no false warning about its settings, and then well without a restart."""
    redis = stage.redis()
    replicas = stage.replicas(2, redis.address)
    with stage.play(replicas) as plays:
        stage.wait(1.5)
        # Redis answers while it reads a snapshot, and not while it reads a short log.
        redis.tell("BGREWRITEAOF")
        stage.until("the log is a snapshot", lambda: redis.state("persistence")["aof_rewrite_in_progress"] == "0", 10)
        redis.kill()
        redis.options = (*Server.DURABLE, "--key-load-delay", "30000", "--loading-process-events-interval-bytes", "1024")
        redis.start()
        began = time.monotonic()
        stage.until("Redis is loading", lambda: redis.state("persistence")["loading"] == "1", 3)
        stage.until("Redis has read its data", lambda: redis.state("persistence")["loading"] == "0", 60)
        read = time.monotonic()
        stage.recovered(plays.until_well(read, within=BACK))
    plays.expect_only("plays while Redis reads", (503,), since=began + 0.2, until=read - 0.5)
    plays.again()
    for replica in replicas:
        assert not replica.says("appendonly is"), f"a false warning: {replica.says('appendonly is')}"
    stage.note(f"503 for {read - began:.1f} s, no false warning")


@fault
def redis_without_disk(stage):
    """The disk of Redis' log is full: it refuses (MISCONF), so 503; nothing is forgotten, also not by a kill right then."""
    redis = stage.redis(*Server.AOF_EVERY_SECOND, wrapper=("env", "--ignore-signal=XFSZ"))
    replicas = stage.replicas(2, redis.address)
    with stage.play(replicas) as plays:
        stage.wait(1)
        # No file of Redis may become longer than its log is now.
        [size] = [path.stat().st_size for path in redis.folder.glob("**/*.incr.aof")]
        resource.prlimit(redis.program.process.pid, resource.RLIMIT_FSIZE, (size + 300, resource.RLIM_INFINITY))
        stage.until("Redis refuses", lambda: 503 in plays.statuses(since=time.monotonic() - 0.3), 10)
        began = time.monotonic()
        stage.wait(1)
        plays.expect_only("plays with a full disk", (503,), since=began + 0.3)
        resource.prlimit(redis.program.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        stage.recovered(plays.until_well(time.monotonic(), within=BACK + 2))
    redis.kill()
    redis.start()
    stage.until("the store is back", lambda: all(one.ready(now=True)[0] == 200 for one in replicas))
    plays.again()
