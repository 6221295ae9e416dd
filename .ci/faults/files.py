"""Keys and settings that are half written, taken away, or written again and again while they are read."""

import json
import os
import shutil
import subprocess
import time

from service_check import KEYS, expect

from .case import fault
from .servers import BACK
from .supply import OTHER_KEY, REFUSALS

OTHER_PUBLIC = KEYS / "test-only-other-2048.spki.pem"


def with_key_folder(stage, **more):
    """A replica that finds its keys in a folder, which is looked at on SIGHUP only."""
    folder = stage.folder / "keys"
    folder.mkdir()
    shutil.copy(KEYS / "test-only-issuer-2048.spki.pem", folder / "issuer.pem")
    settings = {"keys": {"paths": [str(folder)]}, "reload": {"intervalSeconds": 0}} | more
    return folder, stage.replica(stage.redis().address, "keys", **settings)


def reload(stage, replica, result):
    """Lets it read its files again, and waits until it has; whether they were good or bad is known."""
    name = f'tve_reloads_total{{result="{result}"}}'
    before = replica.metric(name)
    replica.reload()
    stage.until(f"a reload that is {result}", lambda: replica.metric(name) > before, 5)


@fault
def key_half_written(stage):
    """A second key is half written when it is read: the old one goes on, the log names the file, and later both pass."""
    folder, replica = with_key_folder(stage)
    whole = OTHER_PUBLIC.read_text()
    kinds = ("altered", "ended", "other resource")
    with stage.play([replica]) as plays:
        stage.wait(0.5)
        for size in (0, 30, len(whole) // 2, len(whole) - 30):
            (folder / "new.pem").write_text(whole[:size])
            reload(stage, replica, "bad")
        assert replica.says("new.pem", levels=("error",)), f"the log does not name the file: {replica.log()}"
        stage.wait(0.5)
    plays.expect_only("plays meanwhile", (200, 403))
    (folder / "new.pem").write_text(whole)
    reload(stage, replica, "good")
    with stage.play([replica], kinds=kinds) as old, stage.play([replica], kinds=kinds, key=OTHER_KEY) as new:
        stage.wait(1)
    old.expect_only("plays with the old key", (200, 403))
    new.expect_only("plays with the new key", (200, 403))
    for one in (plays, old, new):
        one.again()


@fault
def key_taken_away(stage):
    """A compromised key's file is deleted while another file is torn: its tokens do not pass after the reload."""
    folder, replica = with_key_folder(stage)
    shutil.copy(OTHER_PUBLIC, folder / "compromised.pem")
    reload(stage, replica, "good")
    kinds = ("altered", "ended", "other resource")
    with stage.play([replica], kinds=kinds) as plays, stage.play([replica], kinds=kinds, key=OTHER_KEY) as thief:
        stage.wait(1)
        os.remove(folder / "compromised.pem")
        (folder / "torn.pem").write_text("-----BEGIN PUBLIC KEY-----\nMIIB")
        reload(stage, replica, "bad")
        time.sleep(0.3)
        away = time.monotonic()
        stage.wait(1)
    thief.expect_only("plays with the key that was taken away", (401,), since=away)
    plays.expect_only("plays with the other key", (200, 403))
    os.remove(folder / "torn.pem")
    reload(stage, replica, "good")
    thief.again()
    plays.again()


@fault
def key_changed_in_place(stage):
    """A key is changed for one of the same size, with the old time: found without a signal, and only it counts."""
    folder, replica = with_key_folder(stage, reload={"intervalSeconds": 1})
    file = folder / "issuer.pem"
    with stage.play([replica], kinds=("altered", "ended")) as old, stage.play(
            [replica], sessions=False, kinds=("altered", "ended"), key=OTHER_KEY) as new:
        stage.wait(1)
        new.expect_only("plays with the coming key", (401,))
        state = file.stat()
        file.write_bytes(OTHER_PUBLIC.read_bytes())
        os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
        expect("its size", file.stat().st_size, state.st_size)
        changed = time.monotonic()
        stage.until("the new key is in use", lambda: 200 in new.statuses(since=changed), 5)
        stage.wait(1)
    old.expect_only("plays with the former key", (401,), since=time.monotonic() - 0.8)
    for one in (old, new):
        one.again()


@fault
def configuration_torn(stage):
    """The configuration is cut short and read: the old one goes on, the log says so, and a start with it ends with 78."""
    redis = stage.redis()
    [replica] = stage.replicas(1, redis.address, reload={"intervalSeconds": 1})
    whole = replica.file.read_text()
    with stage.play([replica]) as plays:
        for size in (0, 1, len(whole) // 3, len(whole) - 2):
            replica.file.write_text(whole[:size])
            reload(stage, replica, "bad")
        run = subprocess.run([stage.tve, "serve", "--config", replica.file], capture_output=True, text=True, timeout=20)
        expect("exit code of a start", run.returncode, 78)
        assert replica.file.name in run.stderr, f"the reason does not name the file: {run.stderr}"
        # Found without a signal, too.
        replica.file.write_text(whole + " ")
        stage.until("the whole one is in use", lambda: replica.metric('tve_reloads_total{result="good"}') > 0, 5)
        stage.wait(0.3)
    plays.expect_only("plays meanwhile", (200, 403))
    assert replica.says("not reloaded", levels=("error",)), f"the log does not say so: {replica.log()}"
    plays.again()


def decided_again(stage, plays, since, good="good", bad=REFUSALS):
    """Waits until good ones pass and each kind of bad ones is refused; `check` lets nothing else be said of these."""
    stage.until("good ones pass and bad ones are refused", lambda: 200 in plays.statuses(good, since=since) and all(
        status in plays.statuses(kind, since=since) for kind, status in bad.items()))


def expect_keyless(stage, plays, replica):
    """Whatever was not decided was so for want of a key, as the replica counts it."""
    answers = [one for one in plays.answers if one.status == 503]
    expect("verdicts without a key", replica.metric('tve_verdicts_total{code="no_keys"'), len(answers))
    stage.note(f"{len(answers)} × 503 without a key")


@fault
def session_key_torn(stage):
    """The session key's file is cut short, then taken away: each session is 503 until it is whole, tokens go on as ever."""
    redis = stage.redis()
    [replica] = stage.replicas(1, redis.address, reload={"intervalSeconds": 0})
    file = stage.folder / "session.key"
    whole, kinds = file.read_bytes(), {"altered session": 401}
    with stage.play([replica]) as plays:
        decided_again(stage, plays, since=0, good="session", bad=kinds)
        with plays.lacks_keys("session", *kinds):
            file.write_bytes(b"")
            reload(stage, replica, "bad")
            # The reload counts before the key is gone.
            stage.until("no session without its key", lambda: 503 in plays.statuses("session"))
            gone = time.monotonic()
            for tear in (lambda: file.write_bytes(whole[:5]), file.unlink):
                tear()
                reload(stage, replica, "bad")
                torn = time.monotonic()
                for kind in ("session", *kinds):
                    stage.until(f"a {kind} once more", lambda: plays.statuses(kind, since=torn))
            for kind in ("session", *kinds):
                expect(f"a {kind} without its key", set(plays.statuses(kind, since=gone)), {503})
            file.write_bytes(whole)
            os.chmod(file, 0o600)
            reload(stage, replica, "good")
        decided_again(stage, plays, since=time.monotonic(), good="session", bad=kinds)
    plays.expect_only("sessions with the whole file", (200,), kind="session")
    plays.again()
    plays.expect_only("plays meanwhile", (200, 403))
    expect_keyless(stage, plays, replica)


@fault
def reload_storm(stage):
    """Keys and settings are written again and again, not atomically, with a SIGHUP each: 503 at worst, none passes wrongly."""
    folder, replica = with_key_folder(stage)
    issuer, settings = (folder / "issuer.pem").read_text(), replica.file.read_text()
    with stage.play([replica], players=8) as plays:
        decided_again(stage, plays, since=0)
        with plays.lacks_keys("good", *REFUSALS):
            (folder / "issuer.pem").write_text(issuer[: len(issuer) // 2])
            replica.reload()
            stage.until("no play with half a key", lambda: 503 in plays.statuses())
            end = time.monotonic() + (2 if stage.is_short else 15)
            while time.monotonic() < end:
                for path, text in ((folder / "issuer.pem", issuer), (replica.file, settings)):
                    path.write_text(text[: plays.chance.randrange(len(text))])
                    replica.reload()
                    time.sleep(0.005)
                    path.write_text(text)
                    replica.reload()
                    time.sleep(0.005)
            reloads = replica.metric("tve_reloads_total")
            reload(stage, replica, "good")
        whole = time.monotonic()
        stage.recovered(plays.until_well(whole, within=BACK))
        decided_again(stage, plays, since=whole)
    expect("lost requests", len(plays.lost), 0)
    plays.again()
    plays.expect_only("plays with the whole files", (200, 403))
    plays.expect_only("sessions meanwhile", (200,), kind="session")
    expect_keyless(stage, plays, replica)
    faults = json.dumps(replica.log())
    assert "BEGIN PUBLIC KEY" not in faults, "the log holds a part of a key file"
    stage.note(f"{reloads:.0f} reloads")
