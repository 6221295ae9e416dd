"""A running `tve simulate`, and devices that talk to it over HTTP: what the flows of flows.py are written with."""

import base64
import http.client
import json
import subprocess
import urllib.parse

BRAND, PROVIDER, DOMAIN = "REF30", "SampleCable", "example.com"
REDIRECT = "https://example.com/back"


def encoded(value):
    """Base64 of a text, or of a dictionary as JSON."""
    text = value if isinstance(value, str) else json.dumps(value)
    return base64.b64encode(text.encode()).decode()


INFO = {"X-Device-Info": encoded({"model": "TV", "version": "1", "osName": "tvOS", "osVersion": "18.2",
                                  "connectionType": "wired"})}


class Answer:
    """Status, header fields and body of an answer."""

    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def json(self):
        return json.loads(self.body)


class Simulation:
    """`tve simulate` on a free port of this machine; it forgets everything at the end."""

    def __init__(self, tve, *arguments):
        command = [tve, "simulate", "--port", "0", "--state", "-", "--output", "json", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)
        # The first line says where it is, and has everything to copy.
        self.banner = json.loads(self.process.stdout.readline())
        self.address = urllib.parse.urlsplit(self.banner["url"])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)

    def send(self, method, path, body=None, headers=None):
        """One request: a dictionary is sent as JSON, a text as a form."""
        headers = dict(headers or {})
        if isinstance(body, dict):
            body, headers["Content-Type"] = json.dumps(body), "application/json"
        elif body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=30)
        try:
            connection.request(method, path, body=body, headers=headers)
            answer = Answer(connection.getresponse())
        finally:
            connection.close()
        assert answer.headers["X-Simulated"] == "true", f"{method} {path}: not an answer of a simulator"
        return answer

    def control(self, method, path, body=None):
        """A control call; it must succeed."""
        answer = self.send(method, f"/sim/{path}", body)
        assert answer.status in (200, 201, 204), f"{method} /sim/{path}: {answer.status} {answer.body}"
        return answer.json if answer.body else None

    def set_rule(self, effect):
        """What the operator does to all viewers of the provider."""
        world = self.control("GET", "state")
        world["rules"] = [{"id": "example", "mvpd": PROVIDER, "effect": effect}]
        self.control("PUT", "state", world)

    def device(self, name="tv", statement=None):
        """A device of the application, or one that registers with another statement."""
        return Device(self, name, statement or self.banner["softwareStatement"])


class Device:
    """A television: an instance of the application with credentials of its own, and an access token."""

    def __init__(self, simulation, name, statement):
        self.simulation, self.name, self.statement = simulation, name, statement
        self.credentials = self.register().json
        token = self.new_token()
        assert token.status == 201, token.body
        self.headers = INFO | {
            "Authorization": f"Bearer {token.json['access_token']}",
            "AP-Device-Identifier": "fingerprint " + encoded(name),
        }

    def register(self):
        return self.simulation.send("POST", "/o/client/register", {"software_statement": self.statement}, INFO)

    def new_token(self):
        form = {"grant_type": "client_credentials"} | {
            name: self.credentials[name] for name in ("client_id", "client_secret")}
        return self.simulation.send("POST", "/o/client/token", urllib.parse.urlencode(form), INFO)

    def call(self, method, path, body=None, **more):
        """A call of REST API version 2. Further header fields are given as `X_Forwarded_For="192.0.2.1"`."""
        if isinstance(body, dict) and "resources" not in body:
            body = urllib.parse.urlencode(body)
        headers = self.headers | {name.replace("_", "-"): value for name, value in more.items()}
        return self.simulation.send(method, f"/api/v2/{BRAND}/{path}", body, headers)

    def start_session(self, mvpd=PROVIDER, **more):
        """What comes next: `authenticate` with a page to open, or `authorize` if no login is needed."""
        answer = self.call("POST", "sessions", {"mvpd": mvpd, "domainName": DOMAIN, "redirectUrl": REDIRECT}, **more)
        assert answer.status == 200, answer.body
        return answer.json

    def sign_in(self, mvpd=PROVIDER, **more):
        """Signs the user `ok` in, as a browser would. Returns the code."""
        session = self.start_session(mvpd, **more)
        log_in(self.simulation, session["url"])
        return session["code"]

    def profiles(self, path="profiles", **more):
        answer = self.call("GET", path, **more)
        assert answer.status == 200, answer.body
        return answer.json["profiles"]

    def decide(self, resource, mvpd=PROVIDER, call="authorize", **more):
        """The decision about one resource."""
        answer = self.call("POST", f"decisions/{call}/{mvpd}", {"resources": [resource]}, **more)
        assert answer.status == 200, answer.body
        decision, = answer.json["decisions"]
        assert decision["resource"] == resource, decision
        return decision

    def log_out(self, mvpd=PROVIDER, **more):
        query = urllib.parse.urlencode({"redirectUrl": REDIRECT})
        answer = self.call("GET", f"logout/{mvpd}?{query}", **more)
        assert answer.status == 200, answer.body
        return answer.json["logouts"][mvpd]


def log_in(simulation, url, user="ok"):
    """What a browser does with the address of a session: opens the provider's page, and signs the user in."""
    to_page = simulation.send("GET", url)
    assert to_page.status == 302, to_page.body
    code = to_page.headers["Location"].removeprefix("/sim/login?code=")
    page = simulation.send("GET", to_page.headers["Location"])
    assert page.status == 200 and f'value="{user}"' in page.body.decode(), page.body
    back = simulation.send("POST", "/sim/login", urllib.parse.urlencode({"code": code, "user": user}))
    assert (back.status, back.headers["Location"]) == (302, REDIRECT), (back.status, back.body)


def error(answer):
    """Status, code and action of an error that is the whole body."""
    return answer.status, answer.json.get("code"), answer.json.get("action")


def denial(decision):
    """The code of a decision that denies; it has no media token."""
    assert decision["authorized"] is False and "token" not in decision, decision
    return decision["error"]["code"]
