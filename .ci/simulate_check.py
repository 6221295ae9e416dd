#!/usr/bin/env python3
"""Tests `tve simulate`: its pages in a browser, its openapi.yaml, whole flows, and how fast it starts; and what memory
`tve broker review` takes.

    python3 .ci/simulate_check.py PATH-OF-TVE

Needs chromium, curl and jq, and schemathesis and openapi-python-client beside this Python. Everything listens on
loopback. TVE_ONLY=pages,origin,contract,client,flows,recipes,review,start chooses; TVE_KEEP_PICTURES=FOLDER keeps the
pictures of the pages.
"""

import base64
import http.client
import http.server
import itertools
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import simulate_client
from browser import Browser
from service_check import HOOKS_OF_FILES, free_port

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Vectors" / "acceptance"))
import make_vectors  # noqa: E402

DOCUMENT = ROOT / "Sources" / "Broker" / "BrokerSimulation" / "openapi.yaml"
# Milliseconds from the start to the first answer that a quiet machine has to reach; they decide nothing here.
AGAIN, FIRST = 300, 2000
STARTS = 20
# Bytes of a recording, and those of memory in which it has to be reviewed.
RECORDING, REVIEW_MEMORY = 200 << 20, 256 << 20
INFO = base64.b64encode(json.dumps(
    {"model": "TV", "version": "1", "osName": "tvOS", "osVersion": "18.2", "connectionType": "wired"}).encode()).decode()


class Simulation:
    """`tve simulate` on a free port."""

    def __init__(self, tve, *arguments):
        self.process = subprocess.Popen(
            [tve, "simulate", "--port", "0", "--output", "json", *arguments], stdout=subprocess.PIPE)
        self.banner = json.loads(self.process.stdout.readline())
        self.url = self.banner["url"]
        self.port = urllib.parse.urlsplit(self.url).port

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        assert self.process.wait(20) == 0

    def ask(self, method, path, body=None, headers=None):
        """Status, headers and body of one answer; a dictionary is sent as JSON."""
        headers = dict(headers or {})
        if isinstance(body, dict):
            body = json.dumps(body)
            headers["Content-Type"] = "application/json"
        elif body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        client.request(method, path, body=body, headers=headers)
        answer = client.getresponse()
        return answer.status, answer.headers, answer.read()

    def device(self, name="tv"):
        """The header fields of an application that has registered."""
        info = {"X-Device-Info": INFO}
        statement = {"software_statement": self.banner["softwareStatement"]}
        client = json.loads(self.ask("POST", "/o/client/register", statement, info)[2])
        form = urllib.parse.urlencode({
            "grant_type": "client_credentials", "client_id": client["client_id"],
            "client_secret": client["client_secret"]})
        token = json.loads(self.ask("POST", "/o/client/token", form, info)[2])["access_token"]
        device = "fingerprint " + base64.b64encode(name.encode()).decode()
        return info | {"Authorization": f"Bearer {token}", "AP-Device-Identifier": device}

    def code(self, device, form="mvpd=SampleCable&domainName=example.com&redirectUrl=https://example.com/"):
        return json.loads(self.ask("POST", "/api/v2/REF30/sessions", form, device)[2])["code"]


def check_pages(tve, folder):
    with Simulation(tve, "--state", "-") as run:
        device = run.device()
        code, open_code = run.code(device), run.code(device, "domainName=example.com")
        run.ask("PUT", "/sim/scenarios/example", {"scenario": "status:503", "endpoints": ["logout"], "remaining": 2})
        pages = {
            "login": f"/sim/login?code={code}", "activate": "/sim/activate", "overview": "/",
            "provider": f"/sim/activate?code={open_code}", "refused": "/sim/login?code=NONE",
            "done": "/sim/activate?done=1", "ended": "/api/v2/authenticate/REF30/AAAAAAA",
            "lost": "/sim/logout/REF30?redirectUrl=https%3A%2F%2Fexample.net%2F",
        }
        wanted = {
            "login": "Sign in as encrypted", "activate": "The code on your TV", "overview": "start_session",
            "provider": "Sample Satellite", "refused": "start again on your device", "done": "Go back to your device",
            "ended": "This sign-in has ended", "lost": "The request names no place to go back to",
        }
        for name, path in pages.items():
            document = browse(folder, run, path, "--dump-dom")
            assert wanted[name] in document, f"{name} lacks {wanted[name]}"
            assert "<script" not in document, f"{name} has a script"
            assert "Simulated broker: no real provider" in document, f"{name} does not say what it is"
            for look, arguments in (("light", []), ("dark", ["--blink-settings=preferredColorScheme=0"])):
                for width in (320, 1200):
                    picture = folder / f"{name}-{look}-{width}.png"
                    photograph(folder, run, path, picture, width, arguments)
        wide = overflowing(folder, run, pages.values())
        assert not wide, f"pages that are wider than 320 pixels: {wide}"
        if os.environ.get("TVE_KEEP_PICTURES"):
            for picture in folder.glob("*.png"):
                shutil.copy(picture, os.environ["TVE_KEEP_PICTURES"])
        print(f"pages: {len(pages)} in light and dark, at 320 and 1200 pixels")
        check_keyboard(folder, run)


def check_keyboard(folder, run):
    """A second screen of 320 pixels in the dark, and the overview, without a mouse."""
    device = run.device("keyboard")
    code = run.code(device, "domainName=example.com")
    with Browser(folder) as browser:
        page = browser.context(320, 800, dark=True)
        page.open(run.url + "/sim/activate")
        page.tab_to("code")
        page.type(code.lower())
        page.key("Enter")
        page.sees("Activate Reference Brand")
        for name, next_text in (("Sample Cable", "Sign in to Sample Cable"), ("wrong password", "The password is wrong"),
                                ("Sign in as ok", "Go back to your device")):
            page.tab_to(name)
            page.key("Enter")
            page.sees(next_text)
        profiles = json.loads(run.ask("GET", "/api/v2/REF30/profiles", headers=device)[2])["profiles"]
        assert list(profiles) == ["SampleCable"], profiles
        run.ask("PUT", "/sim/scenarios/form", {"scenario": "form", "endpoints": ["user_agent"], "remaining": 1})
        page.open(f"{run.url}/api/v2/authenticate/REF30/{run.code(run.device('form'))}")
        page.sees("Sign in to Sample Cable")
        page.open(run.url + "/")
        page.tab_to("Advance")
        page.key("Enter")
        page.sees("Done.")
        assert json.loads(run.ask("GET", "/sim/clock")[2])["offset"] == 30 * 60_000
        assert not page.complaints, page.complaints
    print("pages: a sign-in and the overview with the keyboard alone")


# A page of an app that speaks to the broker itself, as live ones do: with credentials, and without X-Device-Info.
WEB_APP = """<!DOCTYPE html><title>App</title><link rel="icon" href="data:,"><script>
async function broker(method, path, body) {
  const headers = {"AP-Device-Identifier": "fingerprint " + btoa("web app")};
  if (path.startsWith("/o/")) delete headers["AP-Device-Identifier"];
  if (localStorage.token) headers.Authorization = "Bearer " + localStorage.token;
  if (body) headers["Content-Type"] = body.startsWith("{") ? "application/json" : "application/x-www-form-urlencoded";
  const answer = await fetch(localStorage.broker + path, {method, headers, body, credentials: "include"});
  const text = await answer.text();
  return {status: answer.status, body: text.startsWith("{") ? JSON.parse(text) : text};
}
</script>"""


class WebApp:
    """A page of another origin than the broker, in a browser of its own."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(WEB_APP.encode())

        def log_message(self, *_):
            pass

    def __init__(self, browser):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.origin = f"http://localhost:{self.server.server_port}"
        self.page = browser.context()
        self.page.open(self.origin + "/")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def keep(self, name, value):
        self.page.run(f"localStorage[{json.dumps(name)}] = {json.dumps(value)}")

    def ask(self, method, path, body=None, wanted=200):
        """The body of an answer of the broker that a script of the page has read; a dictionary is sent as JSON."""
        body = json.dumps(body) if isinstance(body, dict) else body
        arguments = ", ".join(json.dumps(argument) for argument in (method, path, body))
        answer = self.page.run(f"broker({arguments})")
        assert answer["status"] == wanted, (method, path, answer)
        return answer["body"]

    def visit(self, url, back, *clicks):
        """The browser leaves the page, and comes back to it."""
        self.page.open(url)
        for click in clicks:
            self.page.click(click)
        self.page.until(f"location.href === {json.dumps(back)} && document.readyState === 'complete'")


def check_origin(tve, folder):
    """A page of another origin walks first screen, decision and logout; control calls stay closed to it."""
    with Simulation(tve, "--state", "-") as run, Browser(folder) as browser, WebApp(browser) as app:
        app.keep("broker", run.url)
        client = app.ask("POST", "/o/client/register", {"software_statement": run.banner["softwareStatement"]}, 201)
        form = {name: client[name] for name in ("client_id", "client_secret")} | {"grant_type": "client_credentials"}
        token = app.ask("POST", "/o/client/token", urllib.parse.urlencode(form), 201)
        app.keep("token", token["access_token"])
        assert len(app.ask("GET", "/api/v2/REF30/configuration")["requestor"]["mvpds"]) == 6
        back = app.origin + "/done"
        form = {"mvpd": "SampleCable", "domainName": "localhost", "redirectUrl": back}
        session = app.ask("POST", "/api/v2/REF30/sessions", urllib.parse.urlencode(form))
        assert session["actionName"] == "authenticate", session
        app.visit(run.url + session["url"], back, "Sign in as ok")
        found = app.ask("GET", f"/api/v2/REF30/profiles/code/{session['code']}")["profiles"]
        assert list(found) == ["SampleCable"], found
        decided = app.ask("POST", "/api/v2/REF30/decisions/authorize/SampleCable", {"resources": ["REF30"]})
        assert decided["decisions"][0]["token"]["serializedToken"].startswith("PHNp"), decided
        query = urllib.parse.urlencode({"redirectUrl": back})
        step = app.ask("GET", f"/api/v2/REF30/logout/SampleCable?{query}")["logouts"]["SampleCable"]
        app.visit(run.url + step["url"], back)
        assert not app.ask("GET", "/api/v2/REF30/profiles")["profiles"], "a profile after the logout"
        assert not app.page.complaints, app.page.complaints
        run.ask("PUT", "/sim/scenarios/one", {"scenario": "throttled", "endpoints": ["profiles"], "remaining": 1})
        assert "429 Too Many Requests" in app.ask("GET", "/api/v2/REF30/profiles", wanted=429)
        for method, path in (("GET", "/sim/state"), ("POST", "/sim/reset"), ("GET", "/sim/requests")):
            closed = app.page.run(f"broker('{method}', '{path}').then(() => 'open', error => error.name)")
            assert closed == "TypeError", f"{method} {path}: {closed}"
        requests = json.loads(run.ask("GET", "/sim/requests")[2])["requests"]
        asked = [(entry["method"], entry["status"]) for entry in requests if entry["method"] == "OPTIONS"]
        assert asked and set(asked) == {("OPTIONS", 204)}, asked
        assert not any("X-Device-Info" in entry["fields"] for entry in requests), "the page has sent X-Device-Info"
        assert requests[-1]["status"] == 429, "a control call of the page was carried out"
    print(f"origin: first screen, decision and logout by a page of another origin, {len(asked)} times asked for before")


def browse(folder, run, path, *arguments):
    url = path if ":" in path else run.url + path
    return subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/chromium",
         "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--hide-scrollbars", "--virtual-time-budget=5000",
         *arguments, url], check=True, capture_output=True, text=True, timeout=120).stdout


def photograph(folder, run, path, picture, width, arguments):
    """A picture of a page; a window cannot be as narrow as a telephone, so the page stands in a frame then."""
    url = path if width >= 500 else f"file://{framed(folder, run, path, width, 1400)}"
    browse(folder, run, url, f"--screenshot={picture}", f"--window-size={max(width, 500)},1400", *arguments)
    assert picture.stat().st_size > 5_000, f"{picture.name} has {picture.stat().st_size} bytes"


def framed(folder, run, path, width, height):
    """A page of ours that shows a copy of the page in a frame, and the width that it needs as its title."""
    style = run.ask("GET", "/sim/style.css")[2].decode()
    document = run.ask("GET", path)[2].decode()
    document = document.replace('<link rel="stylesheet" href="/sim/style.css">', f"<style>{style}</style>")
    frame = folder / "frame.html"
    frame.write_text(
        f'<iframe id="f" style="width:{width}px;height:{height}px;border:0" srcdoc="{escape(document)}"></iframe><script>'
        "onload = () => { document.title = "
        "'width ' + document.getElementById('f').contentDocument.documentElement.scrollWidth }</script>")
    return frame


def overflowing(folder, run, paths):
    """The pages that need more than 320 pixels."""
    wide = []
    for path in paths:
        frame = framed(folder, run, path, 320, 900)
        title = browse(folder, run, f"file://{frame}", "--dump-dom").split("<title>")[1].split("</title>")[0]
        if title != "width 320":
            wide.append((path, title))
    return wide


def escape(text):
    return text.replace("&", "&amp;").replace('"', "&quot;")


def check_contract(tve, folder):
    schemathesis = pathlib.Path(sys.executable).parent / "schemathesis"
    (folder / "hooks.py").write_text(HOOKS_OF_FILES)
    with Simulation(tve, "--state", "-", "--login", "auto") as run:
        assert run.ask("GET", "/sim/openapi.yaml")[2] == DOCUMENT.read_bytes(), "the document served is another one"
        assert run.ask("GET", "/sim/openapi.json")[2] == DOCUMENT.with_suffix(".json").read_bytes(), "the JSON served is another one"
        fields = [f"--header={name}:{value}" for name, value in run.device().items()]
        groups = (
            # Which texts are statements, codes and devices, no schema can say.
            (r"^/(api|o|reset-tempass)/", [*fields, "--exclude-checks", "positive_data_acceptance,ignored_auth"]),
            (r"^/sim/", ["--exclude-checks", "positive_data_acceptance"]),
        )
        for paths, options in groups:
            found = subprocess.run(
                [schemathesis, "run", DOCUMENT, "--url", run.url, "--include-path-regex", paths, "--max-examples", "20",
                 "--seed", "1", "--workers", "1", "--suppress-health-check", "all", "--no-color", *options],
                capture_output=True, text=True, cwd=folder, timeout=600,
                env=os.environ | {"SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(folder)})
            assert found.returncode == 0, found.stdout[-20000:] + found.stderr[-2000:]
            print("schemathesis:", " ".join(found.stdout.strip().splitlines()[-1].split("=")).strip())


def check_client(tve, folder):
    """A client that another language's generator makes of the document walks the flows."""
    with Simulation(tve, "--state", "-") as run:
        simulate_client.walk(DOCUMENT, run.banner, folder)


def check_flows(tve, folder):
    """The flows of the example in Python."""
    flows = ROOT / "Examples" / "simulator" / "flows.py"
    found = subprocess.run([sys.executable, flows, tve], capture_output=True, text=True, timeout=300)
    assert found.returncode == 0, found.stdout + found.stderr
    names = [line.split(":")[0] for line in found.stdout.splitlines()]
    assert len(names) == 15, names
    print("flows in Python:", ", ".join(names))


def check_recipes(tve, folder):
    """The shell blocks of the articles, as a reader pastes them, but that the first one that fails ends it."""
    programs = folder / "bin"
    programs.mkdir()
    (programs / "tve").symlink_to(pathlib.Path(tve).resolve())
    environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "XDG_STATE_HOME": str(folder / "state")}
    articles = ROOT / "Sources" / "Broker" / "BrokerSimulation" / "BrokerSimulation.docc"
    for name, section, wanted in (
        ("EveryFlowWithCurl.md", "# Every flow with curl", 16), ("TestingWithoutTheBroker.md", "## In CI", 1),
        ("TestingWithoutTheBroker.md", "## A container and a phone", 1),
    ):
        # The network of the article is not that of this machine, and its port may be taken.
        text = (articles / name).read_text().replace("192.168.1.5", "127.0.0.1").replace("8443", str(free_port()))
        text = text.split(section + "\n")[1]
        text = text if section.startswith("# ") else text.split("\n## ")[0]
        blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        assert len(blocks) == wanted, f"{name}: {len(blocks)} blocks"
        work = pathlib.Path(tempfile.mkdtemp(dir=folder))
        found = subprocess.run(["bash", "-euo", "pipefail", "-c", "\n".join(blocks)], cwd=work, env=environment,
                               capture_output=True, text=True, timeout=300)
        assert found.returncode == 0, f"{name}: {found.returncode}\n{found.stdout[-3000:]}\n{found.stderr[-3000:]}"
        print(f"{name}, {section}: run in a shell, blocks: {wanted}")


def check_start(tve, folder):
    def milliseconds(state):
        began = time.monotonic()
        with Simulation(tve, "--state", state) as run:
            assert run.ask("GET", "/sim/health")[0] == 200
            return (time.monotonic() - began) * 1000

    first = sorted(milliseconds(folder / f"first-{number}") for number in range(STARTS))
    again = sorted(milliseconds(folder / "first-0") for _ in range(STARTS))
    for name, found, limit in (("the very first", first, FIRST), ("with keys of an earlier start", again, AGAIN)):
        print(f"start to first answer, {name}: median {found[STARTS // 2]:.0f} ms, p99 of {STARTS} {found[-1]:.0f} ms; "
              f"at most {limit} wanted on a quiet machine")


def check_review(tve, folder):
    """Recordings as long as a browser's of a few hours are reviewed in little memory, with the verdicts of a short one."""
    for names in (["right"], ["logout_not_opened", "the_same_error_for_ever", "polls_each_second", "permits_asked_for_again"]):
        short, long = told(names, 1), told(names, 3600 // len(told(names, 1)))
        expected, _ = reviewed(tve, recording(folder / "short.har", short, 0))
        found, peak = reviewed(tve, recording(folder / "long.har", long, RECORDING))
        wanted = expected | {"calls": expected["calls"] * (len(long) // len(short))}
        assert found == wanted, f"a long recording: {found}; a short one: {expected}"
        assert peak <= REVIEW_MEMORY, f"a review of {RECORDING >> 20} MiB took {peak >> 20} MiB of memory"
        print(f"review: {found['calls']} calls in {RECORDING >> 20} MiB, failing {', '.join(found['failed']) or 'nothing'}; "
              f"{peak >> 20} MiB of memory, at most {REVIEW_MEMORY >> 20} allowed")


def told(names, copies):
    """What devices exchange with the broker, one after the other: each does what a story of Vectors/acceptance says."""
    entries, now = [], 0
    for number in range(copies):
        for name in names:
            device = make_vectors.Application(identifier=f"{name}-{number}")
            device.entries, device.now = entries, now
            getattr(make_vectors, name)(device)
            now = device.now + 60
    return entries


def recording(path, entries, length):
    """Writes a HAR file as Chrome does: the entries, and among them so many of other hosts that it has the length."""
    others, written = itertools.cycle(other_entries()), 0
    with open(path, "wb") as file:
        file.write(b'{\n  "log": {\n    "version": "1.2",\n    "pages": [],\n    "entries": [')
        for number, entry in enumerate(entries):
            began = make_vectors.moment(entry["at"], "chrome").encode()
            parts = [json.dumps(make_vectors.recorded(entry, "chrome"), indent=2).encode()]
            while written < length * number // len(entries):
                parts.append(next(others).replace(b"@TIME@", began))
                written += len(parts[-1])
            file.write((b",\n" if number else b"\n") + b",\n".join(parts))
        file.write(b"\n    ]\n  }\n}\n")
    return path


def other_entries():
    """What a page loads beside the calls: beacons, pictures, scripts, segments of video, messages of a socket."""
    frame = {"functionName": "send", "scriptId": "7", "url": "https://www.example.com/app.js", "lineNumber": 1}
    stack = {"callFrames": [frame] * 8}
    for _ in range(4):
        stack = {"callFrames": [frame] * 8, "parent": stack}
    script = 'function f(a){return {"startedDateTime":a,"entries":[a,"\\u007d]}"]}}\n'

    def entry(url, text="", encoding=None, **more):
        content = {"size": len(text), "mimeType": "", "text": text} | ({"encoding": encoding} if encoding else {})
        entry = make_vectors.recorded(
            {"at": 0, "took": 0.02, "method": "GET", "url": url, "fields": {"Accept": "*/*"}, "body": None, "kind": None,
             "status": 200, "answer": None, "answer_fields": {"Content-Type": "text/plain"}}, "chrome")
        entry["response"]["content"] = content
        entry = {"_initiator": {"type": "script", "stack": stack}, "_priority": "Low", "_resourceType": "fetch"} | entry | more
        return json.dumps(entry | {"startedDateTime": "@TIME@"}, indent=2).encode()

    def binary(count):
        return base64.b64encode(os.urandom(count)).decode()

    beacon = entry("https://metrics.example.com/collect?e=heartbeat")
    picture = entry("https://images.example.com/poster.jpg", binary(40_000), "base64")
    socket_of_page = entry("wss://push.example.com/", _webSocketMessages=[
        {"type": "receive", "time": 1.5, "opcode": 1, "data": json.dumps({"log": {"entries": [{}]}})}] * 500)
    usual = [beacon, picture, beacon, entry("https://www.example.com/app.js", script * 4000), beacon, socket_of_page, picture,
             entry("https://cdn.example.com/1.m4s", binary(500_000), "base64")]
    return 20 * usual + [entry("https://cdn.example.com/all.js", script * 130_000)] + 20 * usual + [
        entry("https://cdn.example.com/film.mp4", binary(14_000_000), "base64")]


# Runs a program, and prints the most memory that it had, in KiB. The kernel counts from what a process has when it starts
# another one, so this script, which holds a recording, cannot ask.
MEASURED = """import resource, subprocess, sys
status = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(status)"""


def reviewed(tve, path):
    """What `tve broker review` says of a recording, and the most memory that it had."""
    run = subprocess.run([sys.executable, "-c", MEASURED, tve, "broker", "review", "--output", "json", path],
                         capture_output=True, text=True, timeout=600)
    assert run.returncode in (0, 1) and run.stdout, f"{path.name}: exit code {run.returncode}: {run.stderr[-2000:]}"
    report = json.loads(run.stdout)
    verdicts = {item["id"]: item["verdict"] for item in report["items"]}
    failed = [item["id"] for item in report["items"] if item["mandatory"] and item["verdict"] == "fail"]
    assert run.returncode == (1 if failed else 0), f"{path.name}: exit code {run.returncode}, and {failed} fail"
    found = {"verdicts": verdicts, "failed": failed} | {name: report[name] for name in ("calls", "leftOut", "cutOff")}
    return found, int(run.stderr.split()[-1]) << 10


def main():
    tve = sys.argv[1]
    checks = {"pages": check_pages, "origin": check_origin, "contract": check_contract, "client": check_client,
              "flows": check_flows, "recipes": check_recipes, "review": check_review, "start": check_start}
    only = os.environ.get("TVE_ONLY", "").split(",")
    with tempfile.TemporaryDirectory(prefix="tve-simulate-") as name:
        folder = pathlib.Path(name)
        for name, check in checks.items():
            if only == [""] or name in only:
                check(tve, folder)


if __name__ == "__main__":
    main()
