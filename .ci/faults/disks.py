"""A SQLite store whose disk is full, whose file is locked, taken away, cut short or prepared by another user."""

import os
import resource
import sqlite3
import subprocess
import time

from service_check import expect

from .case import Skipped, fault
from .servers import BACK


@fault
def sqlite_disk_full(stage):
    """The disk of the SQLite file is full: 503, nothing is forgotten, and well again when there is room."""
    disk = stage.folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], capture_output=True, text=True)
    if mounted.returncode:
        raise Skipped(f"no small disk can be mounted: {mounted.stderr.strip()}")
    try:
        full_disk(stage, disk)
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


def full_disk(stage, disk):
    replicas = stage.replicas(2, f"sqlite:{disk}/used.sqlite")
    with stage.play(replicas) as plays:
        stage.wait(0.7)
        fill(disk / "filler")
        # The log of SQLite has some room left.
        stage.until("it refuses", lambda: set(plays.statuses(since=time.monotonic() - 0.3)) == {503}, 30)
        expect("asked for the store", replicas[0].ready(now=True), (503, ["store_unavailable"]))
        plays.expect_only("sessions with a full disk", (200,), kind="session")
        os.remove(disk / "filler")
        stage.recovered(plays.until_well(time.monotonic(), within=BACK))
    plays.again()
    integrity(disk / "used.sqlite")


def fill(file):
    """Lets a file take all the room that its disk has."""
    descriptor = os.open(file, os.O_CREAT | os.O_WRONLY)
    try:
        while os.write(descriptor, b"-" * 512):
            pass
    except OSError:
        pass
    os.close(descriptor)


def integrity(file):
    with sqlite3.connect(file) as connection:
        expect("the file", connection.execute("PRAGMA integrity_check").fetchall(), [("ok",)])


@fault
def sqlite_file_limit(stage):
    """No file may grow any more (RLIMIT_FSIZE): the service lives on, 503, nothing is forgotten, and well again after it."""
    replicas = stage.replicas(2, f"sqlite:{stage.folder}/used.sqlite")
    with stage.play(replicas) as plays:
        stage.wait(0.7)
        for replica in replicas:
            resource.prlimit(replica.program.process.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
        stage.until("it refuses", lambda: set(plays.statuses(since=time.monotonic() - 0.3)) == {503}, 30)
        for replica in replicas:
            assert replica.program.process.poll() is None, f"{replica.name} died: {replica.program.process.poll()}"
            resource.prlimit(replica.program.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        stage.recovered(plays.until_well(time.monotonic(), within=BACK))
    plays.again()
    integrity(stage.folder / "used.sqlite")


@fault
def sqlite_locked(stage):
    """Another program locks the SQLite file: 503 after a second of patience, and well again when it is free."""
    file = stage.folder / "used.sqlite"
    replicas = stage.replicas(2, f"sqlite:{file}")
    with stage.play(replicas) as plays:
        stage.wait(0.7)
        connection = sqlite3.connect(file, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        stage.wait(3.5, 8)
        ended = time.monotonic()
        connection.execute("ROLLBACK")
        connection.close()
        stage.recovered(plays.until_well(ended, within=BACK))
    found = plays.expect_only("plays with a locked file", (503,), since=began + 0.01, until=ended)
    slowest = max(one.ended - one.begun for one in plays.some(since=began))
    assert slowest <= 4, f"a play with a locked file was answered after {slowest:.1f} s"
    plays.again()
    stage.note(f"{found[503]} × 503, the slowest answer after {slowest:.1f} s")


@fault
def sqlite_removed(stage):
    """The SQLite file is deleted in use: every token is refused until a restart, as documented."""
    file = stage.folder / "used.sqlite"
    replicas = stage.replicas(2, f"sqlite:{file}")
    with stage.play(replicas) as plays:
        stage.wait(1)
        os.remove(file)
        began = time.monotonic()
        stage.wait(1.5, 5)
    plays.expect_only("plays without the file", (503,), since=began + 0.1)
    found = set(plays.again().values())
    expect("used and new tokens afterwards", found, {503})
    expect("asked for the store", replicas[0].ready(now=True), (503, ["store_unavailable"]))


@fault
def sqlite_cut_short(stage):
    """The SQLite file is cut to half its size: no used token passes, and a restart either refuses or still knows them."""
    file = stage.folder / "used.sqlite"
    replicas = stage.replicas(2, f"sqlite:{file}")
    with stage.play(replicas) as plays:
        stage.wait(1.5, 5)
    # What the log holds goes into the file first.
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = file.read_bytes()
    os.truncate(file, len(whole) // 2)
    found = set(plays.again().values())
    for replica in replicas:
        replica.stop()
    ends = 0
    for size in (len(whole) // 2, len(whole) - 4096, len(whole) - 1, 4096, 100):
        for rest in stage.folder.glob("used.sqlite*"):
            rest.unlink()
        file.write_bytes(whole[:size])
        os.chmod(file, 0o600)
        restarted = stage.program(f"cut{size}", stage.tve, "serve", "--config", replicas[0].file)
        stage.until("it has started or ended", lambda: restarted.process.poll() is not None or replicas[0].ready(), 10)
        if restarted.process.poll() is None:
            found |= set(plays.again([0]).values())
            restarted.stop()
        else:
            ends += 1
            expect("exit code of a start with it", restarted.process.returncode, 78)
            assert file.name in restarted.log.read_text(), "the reason does not name the file"
    assert 200 not in found, f"used tokens at a file that was cut short: {found}"
    stage.note(f"used tokens get {sorted(found)}; {ends} of 5 starts ended with 78")


@fault
def sqlite_prepared(stage):
    """The SQLite file has a trigger of another user that deletes what was used: a start ends with 78 and names the file."""
    file = stage.folder / "used.sqlite"
    [replica] = stage.replicas(1, f"sqlite:{file}")
    replica.stop()
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TRIGGER forget AFTER INSERT ON redemption BEGIN DELETE FROM redemption; END")
    run = stage.program("prepared", stage.tve, "serve", "--config", replica.file)
    stage.until("it has started or ended", lambda: run.process.poll() is not None or replica.ready(), 10)
    expect("exit code of a start with it", run.process.poll(), 78)
    assert file.name in run.log.read_text(), "the reason does not name the file"


@fault
def sqlite_garbage(stage):
    """The SQLite file is another program's, or no database: a start ends with 78, names the file, and leaves it as it is."""
    [like] = stage.replicas(1, "memory:")
    for name, content in (("text", b"not a database\n" * 100), ("foreign", None)):
        file = stage.folder / f"{name}.sqlite"
        if content:
            file.write_bytes(content)
        else:
            with sqlite3.connect(file) as connection:
                connection.execute("CREATE TABLE accounts (name TEXT)")
        os.chmod(file, 0o600)
        before = file.read_bytes()
        run = subprocess.run(
            [stage.tve, "serve", "--config", like.file, "--set", f"store.address=sqlite:{file}"],
            capture_output=True, text=True, timeout=20)
        expect(f"exit code with {name}", run.returncode, 78)
        assert file.name in run.stderr, f"the reason does not name the file: {run.stderr}"
        expect("the file", file.read_bytes() == before, True)
