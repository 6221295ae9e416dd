"""What a fault is tried with: replicas, stores and players, each case in a folder of its own."""

import json
import os
import signal
import subprocess
import time

from service_check import Program, Redis, Service, ask, until

from .plays import Plays


def tell(port, *words, password=None):
    """What a Redis or Sentinel answers to a command."""
    environment = os.environ | ({"REDISCLI_AUTH": password} if password else {})
    run = subprocess.run(
        ["redis-cli", "-p", str(port), *map(str, words)], capture_output=True, text=True, env=environment, timeout=30)
    assert run.returncode == 0 and "ERR" not in run.stdout[:4], f"redis-cli {words[0]}: {run.stdout}{run.stderr}"
    return run.stdout.strip()


class Server(Redis):
    """A Redis that can be asked and told."""

    AOF_EVERY_SECOND = "--save", "", "--appendonly", "yes", "--appendfsync", "everysec"
    FORGETFUL = "--save", "", "--appendonly", "no"
    password = None

    def tell(self, *words):
        return tell(self.port, *words, password=self.password)

    def state(self, section="replication"):
        lines = (line.partition(":") for line in self.tell("INFO", section).splitlines())
        return {name: value for name, _, value in lines}

    def kill(self):
        self.program.stop(signal.SIGKILL)

    def pause(self):
        self.program.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.program.process.send_signal(signal.SIGCONT)


class Replica(Service):
    """One `tve serve`, and what it says about itself."""

    def log(self, *levels):
        """The lines of the log of some levels; of all without any."""
        lines = []
        for line in self.program.log.read_text(errors="replace").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                entry = {"level": "none", "message": line}
            if not levels or entry.get("level") in levels:
                lines.append(entry)
        return lines

    def says(self, *words, levels=()):
        """The lines of the log that contain each of some words."""
        return [line for line in self.log(*levels) if all(word in json.dumps(line).lower() for word in words)]

    def ready(self, now=False):
        """The status of `/readyz`, and the codes of its reasons."""
        status, _, body = ask(self.internal, "/readyz?store=now" if now else "/readyz")
        return status, [reason["code"] for reason in json.loads(body)["reasons"]]

    def metric(self, name):
        text = ask(self.internal, "/metrics")[2].decode()
        return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(name))

    def kill(self):
        self.program.stop(signal.SIGKILL)

    def reload(self):
        self.program.process.send_signal(signal.SIGHUP)

    def files(self):
        return len(os.listdir(f"/proc/{self.program.process.pid}/fd"))


class Stage:
    """What one case has started, and what was seen of it."""

    def __init__(self, tve, folder, supply, is_short):
        self.tve, self.folder, self.supply, self.is_short = tve, folder, supply, is_short
        self.programs, self.plays, self.notes, self.recovery = [], [], [], None
        (folder / "session.key").write_bytes(os.urandom(32))
        os.chmod(folder / "session.key", 0o600)

    # Actors.

    def redis(self, *options, name="redis", **more):
        folder = self.folder / name
        folder.mkdir()
        server = Server(folder, *options, **more)
        self.programs.append(server)
        return server

    def replica(self, store, name="replica", /, **more):
        # No word about each refusal.
        more.setdefault("log", {"level": "notice"})
        one = Replica(self.tve, self.folder, name, store, **more)
        self.programs.append(one)
        return one

    def replicas(self, count, store, /, **more):
        return [self.replica(store, f"replica{number}", **more) for number in range(count)]

    def program(self, name, *arguments, **more):
        started = Program(name, *arguments, folder=self.folder, **more)
        self.programs.append(started)
        return started

    def play(self, replicas, **more):
        """Players at replicas, with a session that a replica has started."""
        cookie = self.session(replicas[0]) if more.pop("sessions", True) else None
        found = Plays(self.supply, replicas, cookie, **more)
        self.plays.append(found)
        return found

    def session(self, replica):
        """The cookie of a new session; `None` if the store is away."""
        question = {"token": self.supply.token()[1], "requestor": "REF30", "resource": None}
        status, headers, _ = ask(replica.port, "/v1/playback-sessions", method="POST", body=json.dumps(question))
        return headers["Set-Cookie"].split(";")[0] if status == 200 else None

    # What was seen.

    def note(self, text):
        self.notes.append(text)

    def recovered(self, seconds):
        self.recovery = max(seconds, self.recovery or 0)

    def wait(self, short, long=None):
        """Lets time pass, more of it in the long form."""
        time.sleep(short if self.is_short or long is None else long)

    def until(self, *arguments, **more):
        until(*arguments, **more)

    def close(self):
        for one in self.programs:
            program = getattr(one, "program", one)
            if program.process.poll() is None:
                program.process.send_signal(signal.SIGCONT)
                # The workers of nginx go on if their master is killed.
                if program.log.name == "nginx.log":
                    program.process.terminate()
                else:
                    program.process.kill()
            program.process.wait(30)
            if program in Program.running:
                Program.running.remove(program)
