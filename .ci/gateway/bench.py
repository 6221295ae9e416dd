"""What stands around the gateway: the simulated broker, Redis, nginx with TLS, and a receiver of events."""

import collections
import http.server
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import threading

from service_check import EXAMPLES, Program, Redis, Service, allow_files, ask, free_port, until

CHANNELS = [f"Channel{number}" for number in range(40)]
USERS = [f"user{number}" for number in range(50)]
SEGMENTS = 3
PROVIDER = "SampleCable"
# The databases of Redis: used media tokens, devices and counts, playback sessions.
TOKENS, DEVICES, SESSIONS = 0, 1, 2


class Simulator:
    """`tve simulate`, and a count of all requests that were sent to its broker."""

    def __init__(self, tve, folder, *options, state="-"):
        self.tve, self.folder = tve, folder
        self.options = ["--port", free_port(), "--output", "json", "--state", state, *options]
        self.counts, self.seen, self.lock = collections.Counter(), 0, threading.Lock()
        self.start()
        world = self.control("GET", "/sim/state")
        # The tokens of one user for one channel and second are the same text, so there are many of both.
        world["users"] += [{"name": name, "guid": f"b2f0c0de-{name}"} for name in USERS]
        # Longer than the check, so that Redis forgets no used token meanwhile.
        world["lifetimes"]["mediaToken"] = 3_600_000
        self.control("PUT", "/sim/state", world)

    def start(self):
        self.program = Program("simulator", self.tve, "simulate", *self.options, folder=self.folder, output=subprocess.PIPE)
        self.banner = json.loads(self.program.process.stdout.readline())
        self.url, self.port = self.banner["url"].rstrip("/"), self.options[1]
        self.seen = 0

    def control(self, method, path, body=None):
        status, _, content = ask(
            self.port, path, {"Content-Type": "application/json"}, method, None if body is None else json.dumps(body))
        assert status < 300, f"{method} {path}: {status} {content[:300]}"
        return json.loads(content) if content else None

    def calls(self):
        """How often each endpoint was asked since the start, with the status of the answer.

        The journal keeps 1,000 requests, so this has to be called before as many more have come.
        """
        with self.lock:
            entries = [one for one in self.control("GET", "/sim/requests")["requests"] if one["number"] > self.seen]
            assert not entries or entries[0]["number"] == self.seen + 1, "the journal has lost requests"
            self.seen += len(entries)
            self.counts.update((one.get("endpoint"), one["status"]) for one in entries)
            return collections.Counter(self.counts)

    def scenario(self, name, endpoints=None, remaining=None):
        """Lets requests go wrong until `clear`."""
        body = {"scenario": name} | ({"endpoints": endpoints} if endpoints else {}) | ({"remaining": remaining} if remaining else {})
        self.control("PUT", "/sim/scenarios/check", body)

    def clear(self):
        self.control("DELETE", "/sim/scenarios/check")


class Authority:
    """A test authority, and a certificate of it for the loopback address."""

    def __init__(self, folder):
        self.key, self.certificate = folder / "tls.key", folder / "tls.crt"
        root, root_key, request, names = (folder / name for name in ("root.crt", "root.key", "tls.csr", "names"))
        names.write_text("subjectAltName=IP:127.0.0.1\n")
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        for arguments in (
            ["req", "-x509", *curve, "-days", "2", "-subj", "/CN=test authority", "-keyout", root_key, "-out", root],
            ["req", *curve, "-subj", "/CN=gateway", "-keyout", self.key, "-out", request],
            ["x509", "-req", "-in", request, "-CA", root, "-CAkey", root_key, "-CAcreateserial", "-days", "2",
             "-extfile", names, "-out", self.certificate],
        ):
            subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
        self.context = ssl.create_default_context(cafile=root)


class Nginx:
    """The nginx of `Examples/service`, with TLS, and a folder of media."""

    def __init__(self, folder, authority, services, port):
        self.port, self.folder = port, folder
        media = folder / "media"
        for channel in CHANNELS:
            (media / "live" / channel).mkdir(parents=True, exist_ok=True)
            for segment in range(SEGMENTS):
                (media / "live" / channel / f"{segment}.ts").write_text("segment\n")
        text = allow_files((EXAMPLES / "nginx.conf").read_text())
        temporary = "".join(f"{name}_temp_path {folder}/{name}; " for name in ("proxy", "fastcgi", "uwsgi", "scgi"))
        for old, new in (
            ("server 127.0.0.1:8080 max_fails=0;",
             "".join(f"server 127.0.0.1:{service.port} max_fails=0;" for service in services)),
            ("listen 127.0.0.1:8000;", f"listen 127.0.0.1:{port} ssl backlog=4096; ssl_certificate {authority.certificate};"
             f" ssl_certificate_key {authority.key};"),
            ("/srv/media", str(media)),
            ("worker_processes 1;", f"worker_processes 1; daemon off; pid {folder}/nginx.pid;"
             + (" user root;" if os.geteuid() == 0 else "")),
            ("/var/log/nginx/error.log", f"{folder}/nginx.log"),
            ("/var/log/nginx/access.log", f"{folder}/access.log"), ("$body_bytes_sent'", "$body_bytes_sent $upstream_addr'"),
            ("http {", f"http {{ client_body_temp_path {folder}/body; {temporary}"),
        ):
            assert old in text, old
            text = text.replace(old, new, 1)
        (folder / "nginx.conf").write_text(text)
        self.program = Program("nginx", "nginx", "-c", folder / "nginx.conf", "-p", folder, folder=folder)
        until("nginx listens", lambda: socket.create_connection(("127.0.0.1", port), 1).close() is None)

    def repeated(self, request):
        """How many requests nginx asked a second replica, because the first was gone: it names both in a line."""
        lines = (self.folder / "access.log").read_text().splitlines()
        return sum(f" {request} " in line and ", " in line for line in lines)


class Receiver:
    """Takes events as a programmer's own service would, and counts those that come twice."""

    def __init__(self):
        self.events, self.repeated, self.failing, self.refused = {}, 0, False, 0
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                lines = self.rfile.read(int(self.headers["Content-Length"])).decode().splitlines()
                if receiver.failing:
                    receiver.refused += 1
                else:
                    receiver.take(lines)
                self.send_response(503 if receiver.failing else 204)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *request):
                # Replicas that are killed leave connections behind.
                if not isinstance(sys.exc_info()[1], ConnectionError):
                    super().handle_error(*request)

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/events"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, lines):
        for line in lines:
            event = json.loads(line)
            self.repeated += event["id"] in self.events
            self.events[event["id"]] = event

    def counts(self, *more):
        """How many events of each name there are, with those of further lines."""
        events = list(self.events.values()) + [json.loads(line) for line in more]
        return collections.Counter(event["event"] for event in events)


class Gate:
    """Passes the bytes between a replica and Redis, until it is closed."""

    def __init__(self, port):
        self.open, self.target = threading.Event(), port
        self.open.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, one, other):
        try:
            while data := one.recv(65536):
                self.open.wait()
                other.sendall(data)
        except OSError:
            pass
        for end in (one, other):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def start_replica(tve, folder, name, bench, **more):
    """One `tve serve` that shares everything with the others."""
    if not (folder / "session.key").exists():
        (folder / "session.key").write_bytes(os.urandom(32))
        subprocess.run([tve, "devices", "keys", folder / "devices.keys"], check=True)
    if not (folder / "phone.statement").exists():
        (folder / "phone.statement").write_text(bench.simulator.banner["softwareStatement"])
    # A simulator that keeps nothing prints the key itself.
    key = bench.simulator.banner["mediaKey"]
    if "BEGIN" in key:
        (folder / "media.pem").write_text(key)
        key = str(folder / "media.pem")
    settings = {
        "keys": {"paths": [key]},
        "store": {} if bench.in_memory else {"timeoutMilliseconds": 1000},
        "authz": {"requestors": ["REF30"], "resources": ["/live/{resource}/* {resource}"], "uri": "x-original-uri"},
        "sessions": {"store": bench.database(SESSIONS), "streams": 100} if bench.counts_streams else {},
        "limits": {"connections": 4096},
        "broker": {
            "origin": bench.simulator.url, "publicURL": bench.url, "store": bench.database(DEVICES),
            "keyFile": str(folder / "devices.keys"), "clientAddressHeader": "X-Forwarded-For",
            "clientPortHeader": "X-Client-Port", "devicesPerMinute": 600, "codesPerMinute": 600,
            "apps": {"phone": {
                "requestor": "REF30", "statementFile": str(folder / "phone.statement"), "domain": "example.com",
                "returnTo": ["exampletv://done"], "attributes": ["householdID"]}}},
    }
    for section, values in more.items():
        settings.setdefault(section, {}).update(values)
    return Service(tve, folder, name, bench.database(TOKENS), **settings)


class Bench:
    """Simulator, Redis, three replicas that share it, and nginx in front."""

    def __init__(self, tve, folder, state="-", replicas=3, simulator=(), nginx=True, in_memory=False):
        # In memory, as a single replica may do it: then nothing is counted for sessions either.
        self.in_memory, self.counts_streams = in_memory, not in_memory
        self.tve, self.folder = tve, folder
        self.simulator, self.redis = Simulator(tve, folder, *simulator, state=state), Redis(folder)
        self.gate, self.receiver = Gate(self.redis.port), Receiver()
        self.port, self.file = free_port(), folder / "events.ndjson"
        self.url = f"https://127.0.0.1:{self.port}"
        self.authority = Authority(folder)
        # The last one writes its events to a file, and reaches the store of sessions through the gate.
        self.replicas = [
            start_replica(tve, folder, f"replica{number}", self, broker={"events": {"to": self.receiver.url}})
            for number in range(replicas - 1)]
        self.replicas.append(start_replica(
            tve, folder, f"replica{replicas - 1}", self, broker={"events": {"to": str(self.file)}},
            sessions={} if in_memory else {"store": f"redis://127.0.0.1:{self.gate.port}/{SESSIONS}"}))
        self.nginx = Nginx(folder, self.authority, self.replicas, self.port) if nginx else None

    def database(self, number):
        return "memory:" if self.in_memory else f"redis://127.0.0.1:{self.redis.port}/{number}"

    def redis_command(self, *words):
        """The answer to one command, if it is a number or a line."""
        with socket.create_connection(("127.0.0.1", self.redis.port), 5) as connection:
            for part in words:
                connection.sendall(" ".join(map(str, part)).encode() + b"\r\n")
            file = connection.makefile("rb")
            for _ in words[:-1]:
                file.readline()
            return file.readline().decode().strip().lstrip(":+")

    def used_tokens(self):
        """How many media tokens Redis knows as used; those that `/readyz` tries the store with end within seconds."""
        script = ('"local found = 0 for _, key in ipairs(redis.call(\'KEYS\', \'*\')) do'
                  ' if redis.call(\'PTTL\', key) > 60000 then found = found + 1 end end return found"')
        return int(self.redis_command(("SELECT", TOKENS), ("EVAL", script, 0)))

    def file_events(self):
        return self.file.read_text().splitlines() if self.file.exists() else []

    def events(self):
        """How many events of each name there are, in the file and at the receiver."""
        return self.receiver.counts(*self.file_events())

    def metric(self, name, labels="", services=None):
        """The sum of all series of a name whose labels contain a text, over all replicas."""
        total = 0
        for service in services or self.replicas:
            text = ask(service.internal, "/metrics")[2].decode()
            total += sum(
                float(value) for found, value in re.findall(rf"^{name}(?:{{(.*)}})? (\S+)$", text, re.M) if labels in found)
        return total


def open_files(service):
    return len(os.listdir(f"/proc/{service.program.process.pid}/fd"))
