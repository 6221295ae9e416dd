"""Proof that the counting notices what it is there for: services that are set up wrong on purpose."""

import time

from service_check import KEYS, expect

from .case import fault


def noticed(stage, plays, words):
    """The check of these plays fails for a reason; they do not count with the others."""
    stage.plays.remove(plays)
    try:
        plays.check()
    except AssertionError as reason:
        assert words in str(reason), f"noticed for another reason: {reason}"
        stage.note(f"noticed: {reason}")
        return
    raise AssertionError(f"it was not noticed that {words}")


@fault
def control_stores_apart(stage):
    """Two replicas that do not share their store: the script notices that tokens pass twice."""
    replicas = stage.replicas(2, "memory:")
    with stage.play(replicas) as plays:
        stage.wait(1)
    noticed(stage, plays, "tokens passed twice")


@fault
def control_foreign_key(stage):
    """A service that trusts a key too many: the script notices that bad tokens pass."""
    paths = [str(KEYS / f"test-only-{name}-2048.spki.pem") for name in ("issuer", "other")]
    [replica] = stage.replicas(1, "memory:", keys={"paths": paths})
    with stage.play([replica]) as plays:
        stage.wait(1.5)
    noticed(stage, plays, "bad tokens passed")


@fault
def control_no_recovery(stage):
    """A Redis that does not come back: the script notices that it is not well again."""
    redis = stage.redis()
    replicas = stage.replicas(1, redis.address)
    with stage.play(replicas, sessions=False) as plays:
        stage.wait(1)
        redis.pause()
        try:
            plays.until_well(time.monotonic(), within=1, patience=0.5)
        except AssertionError as reason:
            stage.note(f"noticed: {str(reason)[:60]}")
        else:
            raise AssertionError("it was not noticed that Redis stayed away")
        redis.go_on()
    expect("answers before", 200 in plays.statuses(), True)
