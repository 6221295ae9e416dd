"""Clocks of replicas and of Redis that leap ahead, and back again."""

import time

from .case import fault, long_fault
from .clock import Clock
from .servers import BACK
from .supply import Supply

HOUR = 3600
# The longest that a token may live.
DAY = 24 * HOUR


def leap(stage, store, with_other=True):
    """The clock of one replica leaps two hours ahead and back, and the other way round, while probes ask for the store.

    Tokens of a day live on meanwhile and are redeemed, so that the store has seen the wrong time.
    """
    clock = Clock(stage.folder)
    leaping = stage.replica(store, "leaping", wrapper=clock.wrapper)
    replicas = [leaping, stage.replica(store, "right")] if with_other else [leaping]
    # What has ended is good again while the clock is late, and what is for another resource has ended while it is ahead.
    with stage.play(replicas, kinds=("wrong key", "altered")) as plays:
        for step in (2 * HOUR, -2 * HOUR) if stage.is_short else (2 * HOUR, -2 * HOUR, 24 * HOUR, -600, 600):
            stage.wait(0.7)
            clock.step(step)
            time.sleep(0.1)
            away = time.monotonic()
            for _ in range(3):
                for replica in replicas:
                    replica.ready(now=True)
                if 0 < step < DAY:
                    token = stage.supply.tokens.issue("--ttl", str(DAY))
                    assert leaping.authorize(token) == 200, "a token of a day does not pass during a leap"
                    assert replicas[-1].authorize(token) == 403, "a token of a day passes twice during a leap"
                time.sleep(0.25)
            if abs(step) > HOUR:
                plays.expect_only(f"plays with a clock {step / HOUR:+.0f} h off", (401,), since=away, replica=0)
            clock.step(0)
            time.sleep(0.1)
            back = time.monotonic()
            stage.recovered(plays.until_well(back, within=BACK))
            stage.until("a token passes", lambda: 200 in plays.statuses(since=back, replica=0), BACK)
            for replica in replicas:
                stage.until(f"{replica.name} is ready", lambda: replica.ready(now=True)[0] == 200, BACK)
            found = plays.statuses(since=back)
            # Of tokens from before the leap, too.
            assert 503 not in found, f"plays after the clock was right again: {dict(found)}"
    again = set(plays.again(numbers=list(plays.used)).values())
    assert again == {403}, f"used tokens after the leaps: {again}"


@fault
def clock_leaps_with_redis(stage):
    """A replica's clock leaps two hours ahead and back, with Redis and probes: no second pass, and well again at once."""
    leap(stage, stage.redis().address)


@fault
def clock_leaps_with_sqlite(stage):
    """A replica's clock leaps two hours ahead and back, with SQLite and probes: no second pass, and well again at once."""
    leap(stage, f"sqlite:{stage.folder}/used.sqlite")


@fault
def clock_leaps_with_memory(stage):
    """A replica's clock leaps two hours ahead and back, with memory: and probes: no second pass, and well again at once."""
    leap(stage, "memory:", with_other=False)


@fault
def clock_of_redis_leaps(stage):
    """Redis' clock leaps ten minutes ahead: it forgets nothing, since it remembers for 15 minutes more."""
    redis_leaps(stage, 600, forgets=False)


@long_fault
def clock_of_redis_leaps_far(stage):
    """Redis' clock leaps two hours ahead: the used tokens pass once more, as documented, and no third time."""
    redis_leaps(stage, 2 * HOUR, forgets=True)


def redis_leaps(stage, step, forgets):
    clock = Clock(stage.folder)
    redis = stage.redis(wrapper=clock.wrapper)
    replicas = stage.replicas(2, redis.address)
    # By Redis' clock they have ended after either leap.
    stage.supply = Supply(stage.tve, ttl=300)
    with stage.play(replicas) as plays:
        stage.wait(1)
        used = set(plays.used)
        clock.step(step)
        stage.wait(1)
    plays.expect_forgotten(used) if forgets else plays.again()
