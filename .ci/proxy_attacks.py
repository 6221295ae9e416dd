"""Attacks on `tve serve` through real proxies with the example configurations: what they and origins read differently.

The origin is the worst of all kinds together: it decodes paths twice, drops what follows a semicolon, cuts at a number
sign, drops what shows nothing, takes a backslash for a slash and characters of full width for those of ASCII, and resolves
dots last.
"""

import contextlib
import http.server
import json
import os
import re
import resource
import shutil
import socket
import threading
import unicodedata
import urllib.parse

import service_check as base
from service_check import Service, ask, expect

SECRET = b"the secret film"
HALF_HEADS = 1100
RESULTS = ("X-TVE-Status", "X-TVE-MVPD", "X-TVE-Session", "X-TVE-Resource", "X-TVE-Expires")

# Each leads to /vod/SECRET/1.ts at a server of some make; a viewer of /live/demo asks for it.
PATHS = [
    "/live/demo/../../vod/SECRET/1.ts", "/live/demo/%2e%2e/%2e%2e/vod/SECRET/1.ts",
    "/live/demo/..;/..;/vod/SECRET/1.ts", "/live/demo/..;a=b/..;/vod/SECRET/1.ts",
    "/live/demo/..%3B/..%3B/vod/SECRET/1.ts", "/live/demo/..%20/..%20/vod/SECRET/1.ts",
    "/live/demo/%20../%20../vod/SECRET/1.ts", "/live/demo/..%2F..%2Fvod/SECRET/1.ts",
    "/live/demo/..%5C..%5Cvod/SECRET/1.ts", "/live/demo/..\\..\\vod/SECRET/1.ts",
    "/live/demo/%252e%252e/%252e%252e/vod/SECRET/1.ts", "/live/demo/..%252f..%252fvod/SECRET/1.ts",
    "/live/demo/..%255c..%255cvod/SECRET/1.ts", "/live/demo/x#/../../../vod/SECRET/1.ts",
    "/live/demo/x%23/../../../vod/SECRET/1.ts", "/live/demo/;/../../vod/SECRET/1.ts", "/live/demo//../../vod/SECRET/1.ts",
    "/live/demo/..;/..;/vod/SECRET/1.ts?/live/demo/1.ts", "http://x/live/demo/..;/..;/vod/SECRET/1.ts",
    "/vod/SECRET/1.ts?/../../live/demo/1.ts", "/vod/SECRET/1.ts#/../../../live/demo/1.ts", "//vod/SECRET/1.ts",
    "/live/../vod/SECRET/1.ts", "/vod/SECRET/1.ts", "/live/demo/..%c2%a0/..%c2%a0/vod/SECRET/1.ts",
    "/live/demo/..%e2%80%8b/%ef%bb%bf../vod/SECRET/1.ts", "/live/demo/..+/..+/vod/SECRET/1.ts",
    "/live/demo/%e2%80%a5/%ef%bc%8e%ef%bc%8e/vod/SECRET/1.ts", "/live/demo/..%ef%bc%8f..%ef%bc%8fvod/SECRET/1.ts",
    "/live/demo/..%25c2%25a0/..%25c2%25a0/vod/SECRET/1.ts", "/live/demo/..%3fx/..%3fx/vod/SECRET/1.ts",
]

# Each is a path of apps at nginx, and begins with one that only nginx itself may ask.
DETOURS = [
    "/v1/authz/../devices", "/v1/authz/%2e%2e/devices", "/v1/authz/.%2E/devices", "/v1/authz/..%2fdevices",
    "/v1/authz/x/../../devices", "/v1/authz//../devices/renew", "/v1/authz/./../plays?x", "/v1/authz/../profile#x",
    "http://media.example/v1/authz/../devices",
]


class Origin:
    """Serves what every reading of a path leads to, and keeps all targets and the header fields of the last request."""

    def __init__(self, status=200, port=0):
        origin = self
        self.fields, self.targets = [], []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                origin.fields = self.headers.items()
                origin.targets.append(self.path)
                body = SECRET if any(path.startswith("/vod/SECRET") for path in readings(self.path)) else b"segment"
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def readings(target):
    """The paths that servers make of a request target."""
    for times in range(3):
        for cut in ("?", "?#"):
            path = re.split(f"[{cut}]", target, maxsplit=1)[0]
            for _ in range(times):
                path = urllib.parse.unquote(path)
            path = unicodedata.normalize("NFKC", path.replace("+", " ")).replace("\\", "/")
            path = "".join(letter for letter in path if unicodedata.category(letter) != "Cf")
            for has_parameters in (False, True):
                parts = []
                for part in path.split("/"):
                    part = (re.split("[;?#]", part)[0] if has_parameters else part).strip()
                    if part == "..":
                        parts = parts[:-1]
                    elif part not in ("", "."):
                        parts.append(part)
                yield "/" + "/".join(parts)


def send(port, text, source="127.0.0.1", silence=20):
    """All that comes back for some bytes, until the other end closes or is silent for so many seconds."""
    with socket.create_connection(("127.0.0.1", port), 10, source_address=(source, 0)) as connection:
        connection.settimeout(silence)
        connection.sendall(text.encode("latin-1"))
        found = b""
        try:
            while piece := connection.recv(65536):
                found += piece
        except OSError:
            pass
        return found


def get(port, target, *fields, source="127.0.0.1"):
    lines = [f"GET {target} HTTP/1.1", "Host: media.example", "Connection: close", *fields]
    return send(port, "\r\n".join(lines) + "\r\n\r\n", source)


def status(answer):
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/") else None


def start(port, tokens, *fields, **options):
    """A session's cookie, as the proxy hands it out."""
    body = json.dumps({"token": tokens.issue(**options), "requestor": "REF30", "resource": None})
    code, headers, content = ask(
        port, "/play", dict(field.split(": ", 1) for field in fields), method="POST", body=body)
    expect("session", (code, content if code != 200 else b""), (200, b""))
    return "Cookie: " + headers["Set-Cookie"].split(";")[0]


def attack(name, port, origin, service, tokens):
    """What must not work, at a proxy that has an origin."""
    cookie = start(port, tokens)
    good = get(port, "/live/demo/1.ts", cookie)
    expect(f"{name}: a segment", (status(good), good.endswith(b"segment")), (200, True))

    passed = {path: answer for path in PATHS if SECRET in (answer := get(port, path, cookie))}
    assert not passed, f"{name}: {passed}"

    # What the origin hears comes from the service alone, also if the client names each field in all spellings.
    lies = [f"{spelling}: liar" for field in RESULTS
            for spelling in (field, field.lower(), field.replace("-", "_"), field.replace("E-", "E_"))]
    answer = get(port, "/live/demo/1.ts", cookie, *lies)
    expect(f"{name}: a segment with lies", status(answer), 200)
    heard = [(field, value) for field, value in origin.fields if re.match("x[-_]tve", field, re.I)]
    expect(f"{name}: fields at the origin", sorted(field.lower() for field, _ in heard), sorted(map(str.lower, RESULTS)))
    assert "liar" not in str(heard), f"{name}: {heard}"

    # Nor another name of the request, of the viewer or of its path.
    lies = ["X-Request-ID: liar", "traceparent: 00-liar", "X-Client-Port: liar", "X-Forwarded-For: 192.0.2.1"]
    answer = get(port, "/live/demo/1.ts", cookie, *lies, "X-Original-URI: /liar")
    expect(f"{name}: a segment with other names", status(answer), 200)
    heard = [(field, value) for field, value in origin.fields if "liar" in value or "192.0.2.1" in value]
    expect(f"{name}: lies at the origin", heard, [])

    # Nor does it hear less, if the client names these fields as those of its connection.
    for listed in (RESULTS, RESULTS[:1], tuple(map(str.lower, RESULTS)) + ("close", "keep-alive")):
        for fields in ([f"Connection: {', '.join(listed)}"], [f"connection: {field}" for field in listed]):
            answer = get(port, "/live/demo/1.ts", cookie, *fields)
            expect(f"{name}: a segment with {fields}", status(answer), 200)
            heard = [field.lower() for field, _ in origin.fields if re.match("x[-_]tve", field, re.I)]
            expect(f"{name}: fields at the origin with {fields}", sorted(heard), sorted(map(str.lower, RESULTS)))

    # Another path than that of the request cannot be named.
    for field in ("X-Original-URI", "X-Forwarded-Uri", "X-Original-Url", "X-Rewrite-Url", "x_original_uri"):
        answer = get(port, "/vod/SECRET/1.ts", cookie, f"{field}: /live/demo/1.ts")
        assert SECRET not in answer, f"{name}: {field} names another path"

    # The session belongs to the address of the connection, whatever a client says of itself.
    for source, field, wanted in (
        ("127.0.0.1", "X-Nothing: 1", 200), ("127.0.0.1", "X-Forwarded-For: 127.0.0.2", 200),
        ("127.0.0.2", "X-Nothing: 1", 401), ("127.0.0.2", "X-Forwarded-For: 127.0.0.1", 401),
        ("127.0.0.2", "x-forwarded-for: 127.0.0.1\r\nX-Forwarded-For: 127.0.0.1", 401),
        ("127.0.0.2", "X-Real-IP: 127.0.0.1", 401), ("127.0.0.2", "Forwarded: for=127.0.0.1", 401),
    ):
        expect(f"{name}: {source} with {field}", status(get(port, "/live/demo/1.ts", cookie, field, source=source)), wanted)

    # What names a request in the log is the proxy's, or the service's own.
    names = ["bad1" * 8, "bad2" * 8, "bad3" * 4]
    lies = [f"X-Request-ID: {names[0]}", f"traceparent: 00-{names[1]}-{names[2]}-01", "X-Client-Port: 1"]
    told = len(service.program.log.read_text())
    expect(f"{name}: a path of another resource", status(get(port, "/vod/SECRET/1.ts", cookie, *lies)), 401)
    base.until(f"{name}: the refusal is logged", lambda: '"endpoint":"authz"' in service.program.log.read_text()[told:])
    found = [word for word in names if word in service.program.log.read_text()[told:]]
    expect(f"{name}: names in the log that a client chose", found, [])

    # Cookies that another site of the domain has planted.
    own = cookie.removeprefix("Cookie: ")
    planted = "; ".join([f"{own.split('=')[0]}=x"] * 40 + [f"tve_session={own.split('=', 1)[1]}A"] * 4)
    expect(f"{name}: planted cookies", status(get(port, "/live/demo/1.ts", f"Cookie: {planted}; {own}")), 200)

    # Requests whose end can be read in two ways. If the service ends one earlier than the proxy, it answers the one inside.
    inside = f"GET /v1/authz HTTP/1.1\r\nHost: x\r\nX-Original-URI: /live/demo/1.ts\r\n{cookie}\r\n\r\n"
    inside = inside.replace("X-Original-URI", "X-Forwarded-Uri") if name == "caddy" else inside
    before = base.statuses(service)[200]
    chunked = "Transfer-Encoding: chunked"
    for fields in (
        f"Content-Length: 5\r\n{chunked}", f"{chunked}\r\nContent-Length: 5", "Transfer-Encoding: gzip, chunked",
        f"{chunked}\r\n{chunked}", "Transfer-Encoding: identity", "Transfer-Encoding : chunked", "Content-Length: +5",
        "Content-Length: 5, 5", "Content-Length: 5\r\nContent-Length: 6", "Transfer-Encoding: xchunked",
        "Transfer-Encoding:\r\n chunked", "Content-Length: 0", "Expect: 100-continue", "Connection: content-length",
    ):
        send(port, f"POST /play HTTP/1.1\r\nHost: media.example\r\n{cookie}\r\n{fields}\r\n\r\n0\r\n\r\n{inside}",
             silence=2)
    expect(f"{name}: requests within requests that passed", base.statuses(service)[200] - before, 0)
    expect(f"{name}: after all that", status(get(port, "/live/demo/1.ts", cookie)), 200)
    expect(f"{name}: the service", ask(service.internal, "/healthz")[0], 200)


def take_detours(name, start_nginx):
    """What a service hears of requests that nginx takes for those of apps."""
    service = Origin(status=401)
    nginx, port = start_nginx(service)
    plain = ["/v1/devices", "/v1/activations/AB%20CD?x=/../"]
    for target in DETOURS + plain:
        get(port, target)
    nginx.stop()
    service.server.shutdown()
    expect(f"{name}: what the service hears of apps", [one for one in service.targets if one != "/v1/authz"], plain)


def start_nginx_of_tv(folder, gateway):
    """nginx as `Examples/tv` starts it, and its port."""
    port = base.free_port()
    for path in ("site", "media", "temporary"):
        (folder / path).mkdir(parents=True)
    shutil.copy(base.ROOT / "Examples" / "tv" / "nginx.conf", folder)
    (folder / "listen.conf").write_text(f"listen 127.0.0.1:{port};\n")
    (folder / "gateway.conf").write_text(f"server 127.0.0.1:{gateway.port};\n")
    user = " user root;" if os.geteuid() == 0 else ""
    nginx = base.Program(
        "nginx", "nginx", "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "nginx-errors.log", "-g",
        f"daemon off;{user}", folder=folder)
    base.until("nginx listens", lambda: ask(port, "/media/x")[0] == 401)
    return nginx, port


def hold_connections(name, port, service, limit, tokens):
    """Sends requests that do not end, more than the service takes connections: viewers go on beside them."""
    cookie = start(port, tokens)
    head = "POST /play HTTP/1.1\r\nHost: media.example\r\n"
    with contextlib.ExitStack() as opened:
        for text in (f"{head}Content-Length: 100\r\n\r\n{{",
                     f"{head}Transfer-Encoding: chunked\r\n\r\n10000\r\n{' ' * 65536}\r\n"):
            for _ in range(limit):
                connection = opened.enter_context(socket.create_connection(("127.0.0.1", port), 10))
                connection.sendall(text.encode())
        for _ in range(HALF_HEADS):
            connection = opened.enter_context(socket.create_connection(("127.0.0.1", port), 10))
            connection.sendall(b"GET /live/demo/1.ts HT")
        held = re.search(r'tve_connections{listener="public"} (\d+)', ask(service.internal, "/metrics")[2].decode())
        assert int(held[1]) < limit, f"{name}: {held[1]} connections of the service are held"
        # Another one that starts: for segments the proxy may still have a connection of before.
        start(port, tokens)
        expect(f"{name}: a segment beside heads that do not end", status(get(port, "/live/demo/1.ts", cookie)), 200)


def check(tve, folder, tokens):
    # This process opens many connections, too.
    resource.setrlimit(resource.RLIMIT_NOFILE, (base.OPEN_FILES, base.OPEN_FILES))
    base.segments(folder)
    take_detours("nginx", lambda service: base.start_nginx(folder, [service]))
    take_detours("nginx of the example tv", lambda service: start_nginx_of_tv(folder / "tv", service))
    origin = Origin()
    bound = {"sessions": {"clientAddressHeader": "X-Forwarded-For"}, "log": {"level": "info"}}

    service = Service(tve, folder, "attacked", "memory:", **bound)
    nginx, port = base.start_nginx(
        folder, [service], (f"root {folder}/media;", f"proxy_pass http://127.0.0.1:{origin.port};"))
    attack("nginx", port, origin, service, tokens)
    expect("nginx keeps the token to itself", [field for field, _ in origin.fields if "token" in field.lower()], [])
    nginx.stop()
    service.stop()

    to_origin = (f"root * {folder}/media\n\t\t\tfile_server", f"reverse_proxy 127.0.0.1:{origin.port}")
    service = Service(tve, folder, "attacked", "memory:", examples=base.EXAMPLES / "serve-caddy.json", **bound)
    caddy, port = base.start_caddy(folder, service, to_origin)
    attack("caddy", port, origin, service, tokens)
    caddy.stop()
    service.stop()

    limit = 20
    for name in ("nginx", "caddy"):
        file = base.EXAMPLES / ("serve.json" if name == "nginx" else "serve-caddy.json")
        service = Service(
            tve, folder, "held", "memory:", examples=file, limits={"connections": limit, "requestSeconds": 600})
        proxy, port = base.start_nginx(folder, [service]) if name == "nginx" else base.start_caddy(folder, service)
        hold_connections(name, port, service, limit, tokens)
        proxy.stop()
        service.stop()

    # The settings for nginx after Caddy: nothing passes, and no client can name a path.
    service = Service(tve, folder, "mixed", "memory:")
    caddy, port = base.start_caddy(folder, service, to_origin)
    cookie = start(port, tokens)
    for path in ("/live/demo/1.ts", "/vod/SECRET/1.ts"):
        for field in ("X-Original-URI: /live/demo/1.ts", "x-original-uri: /live/demo/1.ts", "X-Nothing: 1"):
            expect(f"caddy with the settings for nginx, {path}, {field}", status(get(port, path, cookie, field)), 403)
    caddy.stop()
    service.stop()
    origin.server.shutdown()

    # Envoy is not run: what it would ask, with its settings. It appends the path of the request.
    service = Service(tve, folder, "envoyed", "memory:", examples=base.EXAMPLES / "serve-envoy.json")
    token = tokens.issue()
    for path in PATHS:
        if path.startswith("/") and " " not in path:
            answer = get(service.port, "/v1/authz" + path, f"X-Media-Token: {token}", "X-Original-URI: /live/demo/1.ts")
            expect(f"with the settings for Envoy, {path}", status(answer), 403)
    answer = get(service.port, "/v1/authz/live/demo/1.ts", f"X-Media-Token: {token}")
    expect("with the settings for Envoy", status(answer), 200)
    service.stop()
    print(f"attacks: {len(PATHS)} paths, lies about results, paths and addresses, planted cookies, requests within requests, "
          "and requests that do not end, at nginx and Caddy")
