"""Clients that ask for another protocol with each request: they are answered in HTTP/1.1, all on one connection.

curl with --http2 and Java's client ask for HTTP/2 (h2c) with all that they send in clear, browsers for WebSockets, and an
nginx that passes these on as its manual says, for everything.

And clients whose request is the last one of its connection, after an nginx that does not know it: what others ask after it is
answered.
"""

import contextlib
import http.client
import json
import os
import socket
import subprocess
import threading

import service_check as base
from service_check import Program, Service, ask, expect

REQUESTS = 10
WEBSOCKET = {
    "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
# nginx takes it for a field like any other.
LAST = {"Proxy-Connection": "close"}
NGINX = """
daemon off; worker_processes 1; pid FOLDER/nginx.pid; error_log FOLDER/nginx.log; USER
events { worker_connections 64; }
http {
    access_log off;
    client_body_temp_path FOLDER/body; proxy_temp_path FOLDER/proxy;
    fastcgi_temp_path FOLDER/f; uwsgi_temp_path FOLDER/u; scgi_temp_path FOLDER/s;
    upstream ours { server 127.0.0.1:PORT; keepalive 4; }
    server {
        listen 127.0.0.1:FRONT;
        location / {
            proxy_pass http://ours;
            proxy_http_version 1.1;
            proxy_set_header Host $host;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection upgrade;
        }
    }
}
"""


class Relay:
    """Passes connections on to a port of this machine, and counts them."""

    def __init__(self, target):
        self.target, self.connections = target, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near = self.listener.accept()[0]
            self.connections += 1
            far = socket.create_connection(("127.0.0.1", self.target))
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self.move, args=(source, sink), daemon=True).start()

    @staticmethod
    def move(source, sink):
        with contextlib.suppress(OSError):
            while piece := source.recv(65536):
                sink.sendall(piece)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)


def by_curl(port, path, *options):
    """What curl says of each answer: its status, its version, and how many connections it took."""
    run = subprocess.run(
        ["curl", "--silent", "--http2", "--max-time", str(base.PATIENCE), "--write-out",
         "%{http_code} %{http_version} %{num_connects}\n", *options,
         *[word for _ in range(REQUESTS) for word in (f"http://127.0.0.1:{port}{path}", "--output", os.devnull)]],
        capture_output=True, text=True, timeout=base.PATIENCE + 60)
    return run.stdout.splitlines()


def by_websocket(port, path):
    """The statuses of the answers to a browser that wants a WebSocket, and how many connections it took."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=base.PATIENCE)
    statuses, sockets = [], []
    for number in range(REQUESTS):
        method, body = ("GET", None) if number % 2 == 0 else ("POST", "x")
        statuses.append(ask(port, path, WEBSOCKET, method, body, connection=client)[0])
        # It makes another one by itself if there is none any more.
        if client.sock not in sockets:
            sockets.append(client.sock)
    client.close()
    return statuses, len(sockets)


def start_nginx(folder, target):
    folder.mkdir()
    front = base.free_port()
    text = NGINX
    for word, value in (("FOLDER", str(folder)), ("PORT", str(target)), ("FRONT", str(front)),
                        ("USER", "user root;" if os.geteuid() == 0 else "")):
        text = text.replace(word, value)
    (folder / "nginx.conf").write_text(text)
    nginx = Program("nginx", "nginx", "-c", folder / "nginx.conf", "-p", folder, "-e", folder / "nginx.log", folder=folder)
    base.until("nginx listens", lambda: socket.create_connection(("127.0.0.1", front), 1).close() is None)
    return nginx, front


@contextlib.contextmanager
def listeners(tve, folder):
    """The name, the port and a path of each listener: both of the service, and that of the simulated broker."""
    service = Service(tve, folder, "upgraded", "memory:")
    simulator = Program(
        "upgraded-broker", tve, "simulate", "--port", 0, "--state", "-", "--output", "json",
        folder=folder, output=subprocess.PIPE)
    port = int(json.loads(simulator.process.stdout.readline())["url"].rpartition(":")[2])
    yield [("public", service.port, "/v1/authz"), ("internal", service.internal, "/healthz"), ("simulate", port, "/sim/health")]
    simulator.stop()
    service.stop()


def plain(port, path):
    """The statuses of answers to the same questions, asked without that: without a body, and with one."""
    return ask(port, path)[0], ask(port, path, method="POST", body="x")[0]


def check(tve, folder):
    with listeners(tve, folder) as found:
        for name, port, path in found:
            get, post = plain(port, path)
            for status, options in ((get, []), (post, ["--data", "x"])):
                expect(f"{name}: curl --http2 {options}", by_curl(port, path, *options),
                       [f"{status} 1.1 {connections}" for connections in [1] + [0] * (REQUESTS - 1)])
            expect(f"{name}: WebSockets", by_websocket(port, path), ([get, post] * (REQUESTS // 2), 1))

            relay = Relay(port)
            nginx, front = start_nginx(folder / f"upgrades-{name}", relay.port)
            expect(f"{name}: WebSockets at nginx", by_websocket(front, path), ([get, post] * (REQUESTS // 2), 1))
            expect(f"{name}: connections of nginx", relay.connections, 1)
            # Other clients, whose requests nginx sends on the connections that it has.
            statuses = [ask(front, path, fields)[0] for fields in [LAST, {}] * (REQUESTS // 2)]
            expect(f"{name}: requests between those with {LAST}", statuses, [get] * REQUESTS)
            nginx.stop()
    check_example(tve, folder)
    print(f"upgrades: {REQUESTS} requests each of curl --http2, for WebSockets and through nginx, on one connection; "
          f"and between {LAST}")


def check_example(tve, folder):
    """The example's nginx keeps the field to itself, so that its connection stays."""
    service = Service(tve, folder, "last", "memory:")
    relay = Relay(service.port)
    nginx, front = base.start_nginx(folder, [relay])
    path = "/v1/providers"
    wanted, connections = ask(front, path)[0], relay.connections
    statuses = [ask(front, path, fields)[0] for fields in [LAST, {}] * REQUESTS]
    expect(f"nginx of the example: requests between those with {LAST}", statuses, [wanted] * 2 * REQUESTS)
    expect(f"nginx of the example: connections with {LAST}", relay.connections, connections)
    nginx.stop()
    service.stop()


def check_java(tve, folder):
    with listeners(tve, folder) as found:
        for name, port, path in found:
            relay = Relay(port)
            run = subprocess.run(
                ["java", base.ROOT / ".ci" / "UpgradingClient.java", f"http://127.0.0.1:{relay.port}{path}", str(REQUESTS)],
                capture_output=True, text=True, timeout=2 * base.PATIENCE)
            wanted = [f"{status} HTTP_1_1" for status in plain(port, path)] * (REQUESTS // 2)
            expect(f"{name}: Java's client", (run.stdout.splitlines(), run.stderr if run.returncode else ""), (wanted, ""))
            expect(f"{name}: connections of Java's client", relay.connections, 1)
    version = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr.splitlines()[0]
    print(f"java: {REQUESTS} requests of the default client of {version}, on one connection")
