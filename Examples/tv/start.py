#!/usr/bin/env python3
"""Starts the example: the simulated broker, the gateway, nginx with the web app. `make tv` runs it.

    python3 Examples/tv/start.py --tve PATH-OF-TVE [--folder .build/tv] [--port 8700]

Keys and state are made once, and kept in the folder. A port that is taken is replaced by a free one. Ctrl-C stops
everything. The address to open is the only line on standard output.

Exit codes: 0 stopped by a signal; 69 something is missing, or stopped by itself; 78 the gateway refuses its settings.
"""

import argparse
import json
import os
import pathlib
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import make_clip

HERE = pathlib.Path(__file__).resolve().parent
CHANNELS = ["SampleNews", "SampleSports", "SampleKids", "SampleMovies", "SampleNight"]
ENDING = (signal.SIGINT, signal.SIGTERM)


class Problem(Exception):
    """Why the example cannot go on, and with which exit code it ends."""

    def __init__(self, text, code=69):
        super().__init__(text)
        self.code = code


def find_nginx():
    """The path of nginx. Debian installs it in a folder that only root has in its PATH."""
    places = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin"])
    nginx = shutil.which("nginx", path=places)
    if not nginx:
        raise Problem("nginx is missing; on Debian or Ubuntu: apt-get install nginx; on macOS: brew install nginx")
    return nginx


def find_tool(path):
    """The absolute path of the tool."""
    found = shutil.which(str(path))
    if not found:
        raise Problem(f"there is no {path}; build it with: make tv")
    if subprocess.run([found, "serve", "--check"], capture_output=True).returncode == 64:
        raise Problem(f"{path} was built without the trait Service; build it with: make tv")
    return os.path.abspath(found)


def free_port(wanted, others=()):
    """The wanted port, or a free one if it is taken."""
    for port in (wanted, 0):
        with socket.socket() as found:
            # A port whose last connections are only fading away is free.
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                found.bind(("127.0.0.1", port))
            except OSError:
                continue
            if found.getsockname()[1] not in others:
                return found.getsockname()[1]
    return free_port(0, others)


def write_secret(path, content):
    """Writes a file that only its owner can read, unless it is there."""
    if not path.exists():
        with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(content)


def prepare(folder):
    """Makes keys, clips and folders; what is there stays."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    (folder / "temporary").mkdir(exist_ok=True)
    write_secret(folder / "session.key", secrets.token_bytes(32))
    ring = f"tve-sealing-keys 1\nindex {secrets.token_hex(32)}\nseal first {secrets.token_hex(32)}\n"
    write_secret(folder / "devices.key", ring.encode())
    unmade = [(number, name) for number, name in enumerate(CHANNELS, 1)
              if not (folder / "media" / name / "index.m3u8").exists()]
    if unmade:
        print("Making a clip for each channel …", file=sys.stderr)
    for number, name in unmade:
        make_clip.make(folder / "media" / name, number)
    for name, source in (("site", HERE / "app"), ("web-sdk", HERE.parent / "web-sdk")):
        site = folder / name
        if site.is_symlink():
            site.unlink()
        site.symlink_to(source, target_is_directory=True)


class Program:
    """A program that runs until the end, with a log of its own."""

    def __init__(self, name, folder, *arguments, **more):
        self.name, self.log = name, folder / f"{name}.log"
        # Ctrl-C goes to this script alone, which then stops the others in order.
        self.process = subprocess.Popen(
            list(map(str, arguments)), cwd=folder, stderr=open(self.log, "w"), start_new_session=True,
            **({"stdout": subprocess.DEVNULL} | more))

    def check(self):
        """Complains if the program has ended."""
        if self.process.poll() is not None:
            last = "\n".join(self.log.read_text(errors="replace").splitlines()[-15:])
            raise Problem(f"{self.name} stopped with exit code {self.process.returncode}; {self.log} says:\n{last}")

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def wait_for(program, url):
    """Waits until an address answers at all."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        program.check()
        try:
            urllib.request.urlopen(url, timeout=2).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.05)
    raise Problem(f"{program.name} does not answer at {url}; see {program.log}")


class Example:
    """Everything that runs, in the order of its start."""

    def __init__(self, tve, nginx, folder, port):
        self.tve, self.nginx, self.folder, self.programs = tve, nginx, folder, []
        taken = []
        for wanted in range(port, port + 4):
            taken.append(free_port(wanted if port else 0, taken))
        self.port, self.broker, self.gateway, self.internal = taken
        self.address = f"http://127.0.0.1:{self.port}/"

    def run(self, *arguments, **more):
        self.programs.append(Program(*arguments, **more))
        return self.programs[-1]

    def start(self):
        self.start_broker()
        self.start_gateway()
        self.start_nginx()

    def start_broker(self):
        # Another host name than the app's: like the real one, it is another site to the browser.
        program = self.run(
            "simulator", self.folder, self.tve, "simulate", "--host", "localhost", "--port", self.broker, "--world",
            HERE / "world.json", "--state", self.folder / "simulator", "--output", "json", stdout=subprocess.PIPE, text=True)
        line = program.process.stdout.readline()
        if not line:
            program.process.wait(10)
            program.check()
        self.banner = json.loads(line)
        (self.folder / "statement.jwt").write_text(self.banner["softwareStatement"] + "\n")

    def start_gateway(self):
        settings = json.loads((HERE / "serve.json").read_text())
        settings["public"]["port"], settings["internal"]["port"] = self.gateway, self.internal
        settings["keys"]["paths"] = [self.banner["mediaKey"]]
        broker = settings["broker"]
        broker["origin"], broker["publicURL"] = self.banner["url"].rstrip("/"), self.address.rstrip("/")
        # The same pages under the loopback interface's other name are those of another origin.
        other = f"http://localhost:{self.port}"
        broker["corsOrigins"] = [other]
        broker["apps"]["web"]["returnTo"] = [self.address, f"{self.address}web-sdk/", f"{other}/web-sdk/"]
        file = self.folder / "serve.json"
        file.write_text(json.dumps(settings, indent=2) + "\n")
        checked = subprocess.run(
            [self.tve, "serve", "--config", file, "--check"], cwd=self.folder, capture_output=True, text=True)
        if checked.returncode:
            raise Problem(f"the gateway refuses {file}:\n{checked.stdout}{checked.stderr}".rstrip(), 78)
        program = self.run("gateway", self.folder, self.tve, "serve", "--config", file)
        wait_for(program, f"http://127.0.0.1:{self.internal}/healthz")

    def start_nginx(self):
        (self.folder / "listen.conf").write_text(f"listen 127.0.0.1:{self.port};\n")
        (self.folder / "gateway.conf").write_text(f"server 127.0.0.1:{self.gateway};\n")
        shutil.copy(HERE / "nginx.conf", self.folder / "nginx.conf")
        # Started by root, nginx would become another user, who cannot read the folder.
        user = " user root;" if os.geteuid() == 0 else ""
        program = self.run(
            "nginx", self.folder, self.nginx, "-p", self.folder, "-c", self.folder / "nginx.conf", "-e",
            self.folder / "nginx-errors.log", "-g", f"daemon off;{user}")
        wait_for(program, self.address)

    def watch(self):
        """Returns only by an exception: of a signal, or of a program that stopped."""
        while True:
            for program in self.programs:
                program.check()
            time.sleep(0.2)

    def stop(self):
        for program in reversed(self.programs):
            program.stop()


def end(*_):
    """Stops everything, as Ctrl-C does."""
    raise KeyboardInterrupt


def main():
    options = argparse.ArgumentParser(description="Starts the example of Examples/tv; Ctrl-C stops it.")
    build = HERE.parent.parent / ".build"
    options.add_argument("--tve", default=build / "tool" / "release" / "tve", type=pathlib.Path, help="the tool, with the service")
    options.add_argument("--folder", default=build / "tv", type=pathlib.Path, help="where keys and state are kept")
    options.add_argument("--port", default=8700, type=int, 
                         help="the port of the web app, and the first of four; 0 takes free ones")
    options.add_argument("--look", action="store_true", help="only say what is missing beside the tool")
    chosen = options.parse_args()
    # A shell starts what it puts into the background with SIGINT ignored, and Python then has no handler of its own for it.
    for number in ENDING:
        signal.signal(number, end)
    example = None
    try:
        nginx = find_nginx()
        if chosen.look:
            return 0
        tve = find_tool(chosen.tve)
        folder = chosen.folder.resolve()
        prepare(folder)
        example = Example(tve, nginx, folder, chosen.port)
        example.start()
        print(example.address, flush=True)
        print(f"Open this address. Logs are in {folder}; Ctrl-C stops everything.", file=sys.stderr)
        example.watch()
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 0
    except Problem as problem:
        print(problem, file=sys.stderr)
        return problem.code
    finally:
        # A second signal must not leave programs running.
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)
        if example:
            example.stop()


if __name__ == "__main__":
    sys.exit(main())
