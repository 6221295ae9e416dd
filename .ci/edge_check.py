#!/usr/bin/env python3
"""Tests that real edges check the sessions and grants of `tve serve` by themselves.

    python3 .ci/edge_check.py PATH-OF-TVE

Needs nginx, caddy, haproxy and openssl, and xds-protos, PyYAML, cwt and pycose beside this Python.
TVE_ONLY=nginx,haproxy,caddy,envoy,cat,cost chooses some of the checks. Everything listens on loopback.
"""

import base64
import collections
import concurrent.futures
import http.client
import importlib
import json
import os
import re
import resource
import subprocess
import sys
import time
import urllib.parse

import service_check as base
from proxy_attacks import RESULTS, Origin, hold_connections
from service_check import (
    ISSUER, KEYS, Program, Service, Tokens, ask, check_folder, expect, free_port, processor_time, until)

EDGES = base.EXAMPLES / "edges"
SEGMENTS, REQUESTS, CONNECTIONS = 500, 10_000, 20


def hls(folder):
    """Two channels in HLS, of which the second one's name begins with the first one's: playlists and segments."""
    media = folder / "media"
    # A transport stream of null packets: 188 bytes each, ISO/IEC 13818-1 §2.4.3.
    segment = (b"\x47\x1f\xff\x10" + b"\xff" * 184) * 500
    for channel in ("live/demo", "live/demos"):
        path = media / channel / "video"
        path.mkdir(parents=True, exist_ok=True)
        (path.parent / "master.m3u8").write_text(
            "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1280000,CODECS=\"avc1.4d401f\"\nvideo/index.m3u8\n")
        lines = ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:4", "#EXT-X-PLAYLIST-TYPE:VOD"]
        for number in range(SEGMENTS):
            (path / f"{number}.ts").write_bytes(segment)
            lines += ["#EXTINF:4.0,", f"{number}.ts"]
        (path / "index.m3u8").write_text("\n".join([*lines, "#EXT-X-ENDLIST", ""]))
    return media


def addresses(port, first):
    """The addresses of all segments, found as a player finds them: from the first playlist, by relative addresses."""
    found, playlists = [], [first]
    while playlists:
        playlist = playlists.pop()
        status, _, content = ask(port, playlist)
        expect(f"playlist {playlist}", status, 200)
        for line in content.decode().splitlines():
            if line and not line.startswith("#"):
                address = urllib.parse.urljoin(f"http://edge{playlist}", line).removeprefix("http://edge")
                (playlists if line.endswith(".m3u8") else found).append(address)
    return found


class Nginx:
    """nginx in one process, whose processor time can be read."""

    def __init__(self, folder, name, text, *changes):
        self.folder, self.port = folder, free_port()
        for old, new in (
            ("listen 127.0.0.1:8000", f"listen 127.0.0.1:{self.port}"), ("/srv/media", str(folder / "media")),
            ("/var/log/nginx/access.log", f"{folder}/{name}-access.log"),
            ("/var/log/nginx/error.log", f"{folder}/{name}.log"),
            ("worker_processes 1;", f"worker_processes 1; daemon off; master_process off; pid {folder}/{name}.pid; "
             + ("user root;" if os.geteuid() == 0 else "")),
            ("http {", f"http {{ keepalive_requests 1000000; client_body_temp_path {folder}/body; "
             f"proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; "
             f"scgi_temp_path {folder}/s;"), *changes,
        ):
            assert old in text, old
            text = text.replace(old, new)
        file = folder / f"{name}.conf"
        file.write_text(text)
        self.program = Program(name, "nginx", "-c", file, "-p", folder, folder=folder)
        until(f"{name} listens", lambda: ask(self.port, "/")[0] in (200, 401, 403, 404))


class Secrets:
    """Secrets of links, and the map in which nginx finds them."""

    def __init__(self, tve, folder, names=("edge",)):
        self.files, lines = [], []
        for name in names:
            file = folder / f"{name}.hex"
            digits = os.urandom(32).hex()
            file.write_text(digits + "\n")
            self.files.append(str(file))
            lines.append((self.name_of(tve, file), digits))
        self.map = folder / "tve-secrets.map"
        self.map.write_text("".join(f"{name} {digits};\n" for name, digits in lines))

    @staticmethod
    def name_of(tve, file):
        run = subprocess.run(
            [tve, "session", "keys", "--form", "legacy-link", "--output", "json", file], check=True, capture_output=True)
        return json.loads(run.stdout)["keys"][0]["keyID"]


def secure_link(folder, name, service, secrets, *changes):
    return Nginx(
        folder, name, (EDGES / "nginx-secure-link.conf").read_text(), ("127.0.0.1:8080", f"127.0.0.1:{service.port}"),
        ("/etc/nginx/tve-secrets.map", str(secrets.map)), *changes)


def start(port, tokens, path="/play", **options):
    question = {"token": tokens.issue(), "requestor": "REF30", "resource": None} | options
    status, headers, content = ask(port, path, method="POST", body=json.dumps(question))
    expect("start", (status, content if status != 200 else b""), (200, b""))
    return json.loads(content), headers


def check_names(name, port, service):
    """What names a request in the log is the edge's, or the service's own."""
    names = ["bad1" * 8, "bad2" * 8, "bad3" * 4]
    lies = {"X-Request-ID": names[0], "traceparent": f"00-{names[1]}-{names[2]}-01"}
    told = len(service.program.log.read_text())
    expect(f"{name}: a token that is none", ask(
        port, "/play", lies, method="POST", body='{"token":"","requestor":"REF30","resource":null}')[0] // 100, 4)
    until(f"{name}: the refusal is logged", lambda: '"endpoint":' in service.program.log.read_text()[told:])
    found = [word for word in names if word in service.program.log.read_text()[told:]]
    expect(f"{name}: names in the log that a client chose", found, [])


def questions(service):
    """How many requests the service has answered on its public listener."""
    text = ask(service.internal, "/metrics")[2].decode()
    found = re.findall(r'tve_requests_total{endpoint="([^"]*)",status="\d+"} (\d+)', text)
    return sum(int(count) for endpoint, count in found if endpoint in ("authz", "sessions"))


def check_nginx(tve, folder, tokens):
    """What a real nginx says of links, good and bad, and that it passes none that this library refuses."""
    secrets = Secrets(tve, folder, ("edge", "old", "gone"))
    kept = secrets.map.read_text().splitlines()[:2]
    secrets.map.write_text("\n".join(kept) + "\n")
    media = hls(folder)
    service = Service(
        tve, folder, "linked", "memory:", sessions={"legacyLinkSecretFiles": secrets.files[:2]}, log={"level": "info"})
    nginx = secure_link(folder, "nginx-link", service, secrets)
    began = questions(service)
    answer, _ = start(nginx.port, tokens)
    link = next(edge for edge in answer["edges"] if edge["form"] == "legacy-link")
    expect("folder", link["path"], "/live/demo/")
    found = addresses(nginx.port, link["pathPrefix"] + "/live/demo/master.m3u8")
    expect("segments", len(found), SEGMENTS)
    connection = http.client.HTTPConnection("127.0.0.1", nginx.port, timeout=20)
    size = (media / "live/demo/video/0.ts").stat().st_size
    for address in found:
        status, _, content = ask(nginx.port, address, connection=connection)
        expect(address, (status, len(content)), (200, size))
    expect("questions to the service", questions(service) - began, 1)

    def issue(*options, key=secrets.files[0], path="/live/demo/"):
        run = subprocess.run(
            [tve, "session", "issue", "--form", "legacy-link", "--key", key, "--path", path, "--output", "json",
             *options], check=True, capture_output=True)
        return json.loads(run.stdout)["pathPrefix"]

    def verdict(target):
        run = subprocess.run(
            [tve, "session", "verify", "--form", "legacy-link", "--path", "/live/demo/", "--keys", *secrets.files[:2],
             "--output", "json", "--", target], capture_output=True)
        return json.loads(run.stdout)["code"]

    good, file = link["pathPrefix"], "/live/demo/video/1.ts"
    head, key, md5, end = good.rsplit("/", 3)
    other_md5 = ("B" if md5[0] == "A" else "A") + md5[1:]
    short = issue("--lifetime", "1")
    time.sleep(2.1)
    # The target, nginx's status, and our code.
    cases = {
        "good": (good + file, 200, "valid"),
        "the old secret": (issue(key=secrets.files[1]) + file, 200, "valid"),
        "a secret that was taken out": (issue(key=secrets.files[2]) + file, 403, "retired_session_key"),
        "expired": (short + file, 410, "session_expired"),
        "a later end": (f"{head}/{key}/{md5}/{int(end) + 1}{file}", 403, "bad_session_signature"),
        "another hash": (f"{head}/{key}/{other_md5}/{end}{file}", 403, "bad_session_signature"),
        "another folder": (good + "/live/demos/video/1.ts", 403, "session_path_mismatch"),
        "a link for another folder": (issue(path="/live/demos/") + file, 403, "bad_session_signature"),
        "dots": (good + "/live/demo/../demos/video/1.ts", 403, "session_path_mismatch"),
        "dots as escapes": (good + "/live/demo/%2e%2e/demos/video/1.ts", 403, "session_path_mismatch"),
        "a slash as an escape": (good + "/live/demo%2Fvideo/1.ts", 200, "session_path_mismatch"),
        "a letter as an escape": (good + "/live/%64emo/video/1.ts", 200, "session_path_mismatch"),
        "two slashes": (good + "/live//demo/video/1.ts", 200, "session_path_mismatch"),
        "another case": (good + "/live/DEMO/video/1.ts", 403, "session_path_mismatch"),
        "bound": (issue("--client", "127.0.0.1") + file, 403, "bad_session_signature"),
        "the name of no secret": (f"{head}/00000000/{md5}/{end}{file}", 403, "retired_session_key"),
        "no link": (file, 403, "bad_session"),
    }
    for name, (target, status, code) in cases.items():
        expect(f"{name}, nginx", ask(nginx.port, target)[0], status)
        expect(f"{name}, tve session verify", verdict(target), code)
        # What nginx reads in one way alone, it may pass: the path that it serves is the path that it hashed.
        assert status != 200 or code in ("valid", "session_path_mismatch"), name
    check_names("nginx", nginx.port, service)
    log = (folder / "nginx-link-access.log").read_text()
    assert file in log and md5 not in log and good not in log, "the log lacks a path, or has a link"
    nginx.program.stop()

    bound = secure_link(folder, "nginx-bound", service, secrets, ("$tve_folder - ", "$tve_folder $remote_addr "))
    expect("bound, its client", ask(bound.port, issue("--client", "127.0.0.1") + file)[0], 200)
    expect("bound, another client", ask(bound.port, issue("--client", "127.0.0.2") + file)[0], 403)
    expect("not bound", ask(bound.port, good + file)[0], 403)
    bound.program.stop()
    service.stop()
    print(f"nginx with secure_link alone: {SEGMENTS} segments from one question, {len(cases) + 3} verdicts")


def load(port, paths, cookie=None):
    """Sends each request once, over 4 connections."""

    def send(part):
        connection, fields = http.client.HTTPConnection("127.0.0.1", port, timeout=20), {"Cookie": cookie} if cookie else {}
        return collections.Counter(ask(port, path, fields, connection=connection)[0] for path in part)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = sum(pool.map(send, (paths[start::4] for start in range(4))), collections.Counter())
    expect("segments", found, {200: len(paths)})


def check_cost(tve, folder, tokens):
    """The processor time of 10,000 segments: nginx with secure_link, with auth_request, and without any check."""
    secrets = Secrets(tve, folder)
    hls(folder)
    rows = []
    service = Service(tve, folder, "costed", "memory:", sessions={"legacyLinkSecretFiles": secrets.files})
    plain = (EDGES / "nginx-secure-link.conf").read_text().replace("location / { return 403; }", "location / { root /srv/media; }")
    asking = (base.EXAMPLES / "nginx.conf").read_text()
    for name, text in (("no check", plain), ("secure_link", plain), ("auth_request", asking)):
        changes = [("127.0.0.1:8080", f"127.0.0.1:{service.port}")]
        if text is plain:
            changes.append(("/etc/nginx/tve-secrets.map", str(secrets.map)))
        nginx = Nginx(folder, f"cost-{name.replace(' ', '-')}", text, *changes)
        before = questions(service)
        prefix = cookie = None
        if name != "no check":
            answer, headers = start(nginx.port, tokens)
            prefix = answer["edges"][0]["pathPrefix"] if name == "secure_link" else ""
            cookie = headers["Set-Cookie"].split(";")[0] if name == "auth_request" else None
        paths = [f"{prefix or ''}/live/demo/video/{number % SEGMENTS}.ts" for number in range(REQUESTS)]
        load(nginx.port, paths[:SEGMENTS], cookie)
        began = processor_time(nginx.program), processor_time(service.program)
        load(nginx.port, paths, cookie)
        spent = [(processor_time(program) - then) / REQUESTS * 1e6
                 for program, then in zip((nginx.program, service.program), began)]
        asked = questions(service) - before - (SEGMENTS if cookie else 0)
        rows.append((name, *spent, asked))
        nginx.program.stop()
    service.stop()
    print(f"{REQUESTS} segments of 94,000 bytes, processor time for each in µs:")
    print("                nginx   service  together   questions to the service")
    for name, nginx, other, asked in rows:
        print(f"{name:13} {nginx:7.1f}   {other:7.1f}   {nginx + other:7.1f}   {asked}")
    expect("questions", [row[3] for row in rows], [0, 1, REQUESTS + 1])
    assert sum(rows[1][1:3]) < sum(rows[2][1:3]), "secure_link costs more than auth_request"


def haproxy(folder, name, service, origin, key, *changes):
    """HAProxy and its port, for sessions of one public key."""
    port = free_port()
    text = (EDGES / "haproxy.cfg").read_text()
    for old, new in (("127.0.0.1:8000", f"127.0.0.1:{port}"), ("127.0.0.1:8080", f"127.0.0.1:{service.port}"),
                     ("127.0.0.1:8001", f"127.0.0.1:{origin}"), ("/etc/haproxy/tve-session.pem", str(KEYS / key)), *changes):
        assert old in text, old
        text = text.replace(old, new)
    file = folder / f"{name}.cfg"
    file.write_text(text)
    program = Program(name, "haproxy", "-db", "-f", file, folder=folder)
    until(f"{name} listens", lambda: ask(port, "/")[0] in (401, 403))
    return program, port


def check_haproxy_of_es256(tve, folder, origin, tokens, issue):
    """The same recipe with the public half of a P-256 key: a P-256 session passes, and what another key signed does not."""
    own, other = KEYS / "p256/test-only-session.pkcs8.pem", KEYS / "p256/test-only-other.pkcs8.pem"
    service = Service(tve, folder, "hap-es256", "memory:", sessions={
        "keyFiles": [str(own)], "lifetimeSeconds": 300, "parameter": "session"}, log={"level": "info"})
    program, port = haproxy(
        folder, "haproxy-es256", service, origin, "p256/test-only-session.spki.pem", ("-m str RS256", "-m str ES256"))
    session = start(port, tokens)[0]["session"]
    header, payload, signature = session.split(".")
    cases = {
        "ES256": (session, 200), "ES256, another issue": (issue(key=own), 200), "ES256, another key": (issue(key=other), 401),
        "RS256 at ES256": (issue(), 401), "HS256 at ES256": (issue(key=folder / "session.key"), 401),
        "ES256, another resource": (issue(key=own, resource="Other"), 403),
        "ES256, no signature": (f"{header}.{payload}.", 401),
        "ES256, a changed signature": (f"{header}.{payload}.{signature[:-4]}AAAA", 401),
    }
    for name, (text, status) in cases.items():
        expect(name, ask(port, f"/live/demo/video/1.ts?session={text}")[0], status)
    program.stop()
    service.stop()
    return len(cases)


def check_haproxy(tve, folder, tokens):
    """What HAProxy says of sessions that it checks by itself."""
    media, origin = hls(folder), free_port()
    service = Service(tve, folder, "hap", "memory:", sessions={
        "keyFiles": [str(ISSUER)], "lifetimeSeconds": 300, "parameter": "session"},
        limits={"connections": CONNECTIONS, "requestSeconds": 600}, log={"level": "info"})
    server = Program(
        "origin", sys.executable, "-m", "http.server", origin, "--bind", "127.0.0.1", "--directory", media, folder=folder)
    program, port = haproxy(folder, "haproxy", service, origin, "test-only-issuer-2048.spki.pem")
    answer, headers = start(port, tokens)
    session, file = answer["session"], "/live/demo/video/1.ts"
    cookie = {"Cookie": headers["Set-Cookie"].split(";")[0]}
    until("the origin listens", lambda: ask(port, file, cookie)[0] == 200)
    began = questions(service)

    def issue(*options, key=ISSUER, requestor="REF30", resource="DemoChannel"):
        return subprocess.run(
            [tve, "session", "issue", "--key", key, "--requestor", requestor, "--resource", resource, "--mvpd", "M",
             "--subscriber", "S", *options], check=True, capture_output=True, text=True).stdout.strip()

    header, payload, signature = session.split(".")
    short = issue("--lifetime", "1")
    time.sleep(2.1)
    cases = {
        "parameter": (session, file, 200), "another issue": (issue(), file, 200), "expired": (short, file, 401),
        "no session": ("", file, 401), "not a session": ("a.b.c", file, 401),
        "another key": (issue(key=KEYS / "test-only-other-2048.pkcs8.pem"), file, 401),
        "a secret's": (issue(key=folder / "session.key"), file, 401),
        "another issuer": (issue("--issuer", "other"), file, 401),
        "another requestor": (issue(requestor="REF3"), file, 401),
        "another resource": (issue(resource="Other"), file, 403),
        "another folder": (session, "/live/demos/video/1.ts", 403),
        "another case": (session, "/LIVE/demo/video/1.ts", 403),
        "dots": (session, "/live/demo/../demos/video/1.ts", 400),
        "dots as escapes": (session, "/live/demo/%2e%2e/demos/video/1.ts", 400),
        "dots before a semicolon": (session, "/live/demo/..;/demos/video/1.ts", 400),
        "dots before a parameter": (session, "/live/demo/..;a=b/demos/video/1.ts", 400),
        "dots before a plus": (session, "/live/demo/..+/demos/video/1.ts", 400),
        "dots before a no-break space": (session, "/live/demo/..%C2%A0/demos/video/1.ts", 400),
        "an empty name before a semicolon": (session, "/live/demo/;/video/1.ts", 400),
        "a semicolon in a name": (session, "/live/demo/a;b/1.ts", 404),
        "no signature": (f"{header}.{payload}.", file, 401),
        "a changed signature": (f"{header}.{payload}.{signature[:-4]}AAAA", file, 401),
    }
    for name, (text, path, status) in cases.items():
        expect(name, ask(port, f"{path}?session={text}")[0], status)
    for number in range(SEGMENTS):
        expect("segment by cookie", ask(port, f"/live/demo/video/{number}.ts", cookie)[0], 200)
    expect("questions to the service", questions(service) - began, 0)
    count = len(cases) + check_haproxy_of_es256(tve, folder, origin, tokens, issue)
    server.stop()
    hearing = Origin(port=origin)
    lies = {spelling: "liar" for field in RESULTS for spelling in (field, field.lower(), field.replace("-", "_"))}
    expect("a segment with lies", ask(port, file, cookie | lies)[0], 200)
    expect("lies at the origin", [field for field, text in hearing.fields if "liar" in text], [])
    check_names("HAProxy", port, service)
    resource.setrlimit(resource.RLIMIT_NOFILE, (base.OPEN_FILES, base.OPEN_FILES))
    hold_connections("HAProxy", port, service, CONNECTIONS, tokens)
    expect("a body that is too long", ask(port, "/play", method="POST", body="x" * 40_000)[0], 413)
    program.stop()
    hearing.server.shutdown()
    service.stop()
    version = subprocess.run(["haproxy", "-v"], capture_output=True, text=True).stdout.split()[2]
    print(f"HAProxy {version} with jwt_verify alone: {SEGMENTS} segments by cookie, {count} verdicts")


def check_caddy(_tve, _folder, _tokens):
    """Caddy as it is distributed has nothing that checks a signature: it has to ask (forward_auth)."""
    modules = subprocess.run(["caddy", "list-modules"], capture_output=True, text=True, check=True).stdout.split()
    found = [name for name in modules if name.startswith("http.") and re.search("jwt|jws|hmac|secure|sign", name)]
    expect("modules of Caddy that check signatures", found, [])
    assert "http.handlers.reverse_proxy" in modules, modules
    print("caddy: no module that checks a signature, so it asks the service (.ci/service_check.py runs that)")


def check_cat(tve, folder, tokens):
    """The Common Access Token of a play is good for pycose and cwt, and what they make is good for tve session verify."""
    sys.path.insert(0, str(base.ROOT / "Vectors/playback_sessions"))
    import cbor2
    import common_access

    secret, pair, host, count = folder / "cat.key", folder / "cat.pem", "edge.example", 0
    secret.write_bytes(os.urandom(32))
    subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", pair],
                   check=True, capture_output=True)
    for file in (secret, pair):
        key, other = common_access.Key.of_file(file), common_access.Key(secret=os.urandom(32))
        listed = subprocess.run([tve, "session", "keys", "--form", "cat", "--output", "json", file], check=True, capture_output=True)
        expect("name of the key", json.loads(listed.stdout)["keys"][0]["keyID"], key.kid)
        service = Service(tve, folder, f"cat-{file.suffix[1:]}", "memory:", sessions={
            "catKeyFiles": [str(file)], "catHost": host, "catAudience": "edge"})
        answer, _ = start(service.port, tokens, "/v1/playback-sessions", cookie=False)
        service.stop()
        [grant] = [one for one in answer["edges"] if (one["form"], one["path"]) == ("cat", "/live/demo/")]
        claims = common_access.claims_of(grant["query"].removeprefix("CAT="), key)
        expect("claims", claims, {
            1: "tve", 3: "edge", 4: answer["sessionExpires"] // 1000, 7: base64.urlsafe_b64decode(answer["sessionId"] + "=="),
            310: 1, 312: {1: {0: host}, 3: {1: "/live/demo/"}}, 313: ["GET", "HEAD"]})

        def verdict(changes=None, path="/live/demo/video/1.ts", signer=key, unprotected=None):
            payload = cbor2.dumps(claims | (changes or {}), canonical=True)
            text = common_access.base64url(signer.sign(payload, unprotected=unprotected))
            run = subprocess.run(
                [tve, "session", "verify", "-", "--form", "cat", "--keys", file, "--host", host, "--audience", "edge",
                 "--path", path, "--output", "json"], input=text.encode(), capture_output=True)
            return json.loads(run.stdout)["code"]

        cases = {
            "good": (verdict(), "valid"),
            "begun": (verdict({5: int(time.time()) - 9, 6: int(time.time()) - 9}), "valid"),
            "several edges": (verdict({3: ["other", "edge"]}), "valid"),
            "expired": (verdict({4: int(time.time()) - 1}), "session_expired"),
            "another issuer": (verdict({1: "other"}), "session_issuer_mismatch"),
            "another edge": (verdict({3: "other"}), "requestor_mismatch"),
            "another host": (verdict({312: claims[312] | {1: {0: "other.example"}}}), "session_path_mismatch"),
            "another folder": (verdict(path="/live/demos/video/1.ts"), "session_path_mismatch"),
            "bound": (verdict({311: [cbor2.CBORTag(52, bytes([127, 0, 0, 1]))]}), "session_client_mismatch"),
            "a claim that is not known": (verdict({309: [0.5, 1]}), "bad_session"),
            "a renewal": (verdict({323: {0: 0, 1: 60}}), "bad_session"),
            "another key": (verdict(signer=other), "retired_session_key"),
        }
        if file is secret:
            named = {common_access.KID: key.kid.encode()}
            cases["another key with the name"] = (verdict(signer=other, unprotected=named), "bad_session_signature")
        for name, (found, wanted) in cases.items():
            expect(f"{name}, {file.name}", found, wanted)
        count += len(cases)
    print(f"Common Access Tokens with HS256 and ES256: good for pycose and cwt, and {count} verdicts on theirs")


def check_fields_of_clients(name, content):
    """A client's own fields with the names of the service, in either spelling, go no further."""
    [listener] = content["static_resources"]["listeners"]
    manager = listener["filter_chains"][0]["filters"][0]["typed_config"]
    expect(f"{name}: names with underscores",
           manager["common_http_protocol_options"]["headers_with_underscores_action"], "REJECT_REQUEST")
    [mutation] = manager["early_header_mutation_extensions"]
    removed = {one["remove"] for one in mutation["typed_config"]["mutations"]}
    results = {f"x-tve-{word}" for word in ("status", "mvpd", "session", "resource", "expires")}
    expect(f"{name}: fields that are not removed", (results | {"x-client-port", "traceparent"}) - removed, set())
    # A client's X-Request-ID is replaced only at an edge.
    expect(f"{name}: is an edge", (manager["use_remote_address"], "preserve_external_request_id" in manager), (True, False))


def check_slow_clients(name, content):
    """A request that does not end goes no further, and ends."""
    [listener] = content["static_resources"]["listeners"]
    manager = listener["filter_chains"][0]["filters"][0]["typed_config"]
    expect(f"{name}: limits", (manager["request_headers_timeout"], manager["request_timeout"]), ("10s", "10s"))
    *_, buffer, router = (one["name"].removeprefix("envoy.filters.http.") for one in manager["http_filters"])
    expect(f"{name}: the last filters", (buffer, router), ("buffer", "router"))


def check_envoy(_tve, _folder, _tokens):
    """Envoy's configurations have the schema of its API; they are not run."""
    import yaml
    from google.protobuf import json_format

    names = ["http.early_header_mutation.header_mutation.v3.header_mutation",
             "filters.network.http_connection_manager.v3.http_connection_manager", "filters.http.ext_authz.v3.ext_authz",
             "filters.http.buffer.v3.buffer", "filters.http.router.v3.router", "filters.http.jwt_authn.v3.config", "filters.http.rbac.v3.rbac"]
    for name in names:
        importlib.import_module(f"envoy.extensions.{name}_pb2")
    bootstrap = importlib.import_module("envoy.config.bootstrap.v3.bootstrap_pb2").Bootstrap
    files = [base.EXAMPLES / "envoy.yaml", EDGES / "envoy-jwt.yaml"]
    for file in files:
        content = yaml.safe_load(file.read_text())
        json_format.ParseDict(content, bootstrap())
        check_fields_of_clients(file.name, content)
        check_slow_clients(file.name, content)
        # The check finds faults: a field that does not exist, deep inside of a filter.
        filters = content["static_resources"]["listeners"][0]["filter_chains"][0]["filters"][0]["typed_config"]["http_filters"]
        filters[0]["typed_config"]["nothing"] = 1
        try:
            json_format.ParseDict(content, bootstrap())
        except json_format.ParseError:
            continue
        raise AssertionError(f"{file.name}: a field that does not exist was not found")
    print(f"Envoy: {len(files)} configurations have the schema of its API (not run)")


def main():
    tve = sys.argv[1]
    tokens = Tokens(tve)
    checks = {"nginx": check_nginx, "haproxy": check_haproxy, "caddy": check_caddy, "envoy": check_envoy, "cat": check_cat,
              "cost": check_cost}
    wanted = os.environ.get("TVE_ONLY", ",".join(checks)).split(",")
    with check_folder("edge") as folder:
        folder.chmod(0o755)
        (folder / "session.key").write_bytes(os.urandom(32))
        for name in wanted:
            checks[name](tve, folder, tokens)


if __name__ == "__main__":
    main()
