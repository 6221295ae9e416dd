"""Makes recordings of an application that does everything right, and of others that do one thing wrong each.

    python3 make_vectors.py            writes the files of this folder
    python3 make_vectors.py --check    writes nothing, exit 1 if a file differs

A client and a broker of a few lines talk to each other, and a recorder writes down what it would have seen. All values are
invented, and the clock is the script's. What is expected stands beside each story, written by hand. Each story
is written in the dialect of one recorder; `right` is written in all of them.
"""

import base64
import datetime
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import vector_files  # noqa: E402

BROKER = "https://sp.auth.adobe.com"
REDIRECT = "https://app.example.com/done"
START = datetime.datetime(2026, 9, 1, 8, 0, 0, tzinfo=datetime.timezone.utc)
SCOPE = "api:client:v2"


def encoded(value):
    return base64.b64encode(json.dumps(value).encode()).decode()


def jwt(claims):
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in ({"alg": "RS256"}, claims)]
    return ".".join(parts + ["c2lnbmF0dXJl"])


class Application:
    """An application on a device, with a clock, and all that it exchanged with the broker."""

    def __init__(self, agent="TVApp/3.1", identifier="device-1", brand="REF30"):
        self.now = 0.0
        self.entries = []
        self.agent = agent
        self.identifier = identifier
        self.brand = brand
        self.token = ""
        self.tokens = 0
        self.code = ""
        self.extra = {}
        self.left_out = set()
        self.redirect = REDIRECT

    # What goes over the wire

    def wait(self, seconds):
        self.now += seconds

    def exchange(self, method, url, fields, body, kind, status, answer, answer_fields=(), took=0.08):
        entry = {
            "at": self.now, "took": took, "method": method, "url": url, "fields": dict(fields), "body": body, "kind": kind,
            "status": status, "answer": answer, "answer_fields": dict(answer_fields),
        }
        self.entries.append(entry)
        self.now += took + 0.01
        return answer

    def call(self, method, path, *, form=None, body=None, status=200, answer=None, answer_fields=(), query=""):
        fields = {
            "Authorization": f"Bearer {self.token}", "AP-Device-Identifier": "fingerprint " + base64.b64encode(self.identifier.encode()).decode(),
            "X-Device-Info": encoded({"model": "TV", "osName": "tvOS", "osVersion": "18"}), "User-Agent": self.agent, "Accept": "application/json",
        } | self.extra
        for name in self.left_out:
            fields.pop(name, None)
        text, kind = None, None
        if form is not None:
            from urllib.parse import urlencode
            text, kind = urlencode(form), "application/x-www-form-urlencoded"
        elif body is not None:
            text, kind = json.dumps(body), "application/json"
        if kind:
            fields["Content-Type"] = kind
        answered = {"Content-Type": "application/json;charset=UTF-8"} | dict(answer_fields)
        return self.exchange(method, BROKER + path + query, fields, text, kind, status, answer, answered)

    def register(self, status=201, scopes=SCOPE):
        answer = {"client_id": f"client-{self.identifier}-{self.tokens}", "client_secret": "invented-secret", "client_id_issued_at": 1788249600, "scopes": scopes}
        fields = {"X-Device-Info": encoded({"model": "TV"}), "User-Agent": self.agent, "Content-Type": "application/json"}
        body = json.dumps({"software_statement": jwt({"sub": "statement"})})
        self.exchange("POST", BROKER + "/o/client/register", fields, body, "application/json", status, answer)
        self.client = answer["client_id"]

    def renew(self, lifetime=21600, status=201, scopes=SCOPE, error=None):
        self.tokens += 1
        token = jwt({"sub": "client", "jti": f"{self.identifier}-{self.tokens}", "scopes": scopes})
        answer = error or {
            "id": f"token-{self.tokens}", "access_token": token, "created_at": 1788249600000, "expires_in": lifetime, "token_type": "bearer",
        }
        fields = {"X-Device-Info": encoded({"model": "TV"}), "User-Agent": self.agent, "Content-Type": "application/x-www-form-urlencoded"}
        body = f"client_id={self.client}&client_secret=invented-secret&grant_type=client_credentials"
        self.exchange("POST", BROKER + "/o/client/token", fields, body, "application/x-www-form-urlencoded", status, answer)
        if error is None:
            self.token = token

    # The calls of version 2

    def configuration(self, **options):
        mvpds = [{"id": "Cable", "displayName": "Cable", "logoUrl": "https://example.com/cable.png"}]
        return self.call("GET", f"/api/v2/{self.brand}/configuration", answer={"requestor": {"id": self.brand, "name": self.brand, "mvpds": mvpds}}, **options)

    def times(self, seconds):
        start = int((START.timestamp() + self.now) * 1000)
        return start, start + seconds * 1000

    def start_session(self, mvpd="Cable", action="authenticate"):
        self.code = f"CODE{len(self.entries):03}"
        start, end = self.times(1800)
        answer = {
            "actionName": action, "actionType": "interactive", "reasonType": "none", "sessionId": f"session-{self.code}", "serviceProvider": self.brand,
            "code": self.code, "notBefore": str(start), "notAfter": str(end),
        }
        form = {"domainName": "example.com", "redirectUrl": self.redirect}
        if mvpd:
            form["mvpd"] = mvpd
            answer |= {"url": f"/api/v2/authenticate/{self.brand}/{self.code}", "mvpd": mvpd}
        else:
            answer |= {"missingParameters": ["mvpd"], "actionType": "direct"}
        return self.call("POST", f"/api/v2/{self.brand}/sessions", form=form, answer=answer)

    def look_at_session(self):
        start, end = self.times(1500)
        answer = {
            "existingParameters": {"serviceProvider": self.brand}, "missingParameters": ["mvpd"], "notBefore": str(start), "notAfter": str(end),
        }
        return self.call("GET", f"/api/v2/{self.brand}/sessions/{self.code}", answer=answer)

    def browse(self, seconds=20):
        """The browser goes to the provider, and comes back."""
        fields = {"User-Agent": "Mozilla/5.0 (AppleTV) WebKit", "X-Requested-With": "com.example.tv"}
        page = {"Content-Type": "text/html"}
        self.exchange("GET", f"{BROKER}/api/v2/authenticate/{self.brand}/{self.code}", fields, None, None, 302, None, page | {"Location": "https://login.cable.example/saml"})
        self.exchange("GET", "https://login.cable.example/saml", fields, None, None, 200, None, page)
        self.wait(seconds)
        self.exchange("POST", f"{BROKER}/sp/saml/SAMLAssertionConsumer", fields, "SAMLResponse=x", "application/x-www-form-urlencoded", 302, None, page | {"Location": self.redirect})
        if self.redirect.startswith("https:"):
            self.exchange("GET", self.redirect + "?state=1", fields, None, None, 200, None, page)

    def profile_map(self, kind="regular", hours=24, *mvpds):
        start, end = self.times(hours * 3600)
        return {"profiles": {mvpd: {"notBefore": start, "notAfter": end, "issuer": mvpd, "type": kind, "attributes": {}} for mvpd in mvpds or ("Cable",)}}

    def poll(self, found=False, code=None, **options):
        answer = options.pop("answer", self.profile_map() if found else {"profiles": {}})
        return self.call("GET", f"/api/v2/{self.brand}/profiles/code/{code or self.code}", answer=answer, **options)

    def profiles(self, *mvpds, **options):
        return self.call("GET", f"/api/v2/{self.brand}/profiles", answer=self.profile_map("regular", 24, *mvpds) if mvpds else {"profiles": {}}, **options)

    def profile(self, kind="regular", hours=24):
        return self.call("GET", f"/api/v2/{self.brand}/profiles/Cable", answer=self.profile_map(kind, hours, "Cable"))

    def decide(self, what, permitted=(), denied=(), code="authorization_denied_by_mvpd", action="none", **options):
        if what == "preauthorize" and code == "authorization_denied_by_mvpd":
            code = "preauthorization_denied_by_mvpd"
        decisions = [{"resource": name, "serviceProvider": self.brand, "mvpd": "Cable", "source": "mvpd", "authorized": True} for name in permitted]
        decisions += [
            {
                "resource": name, "serviceProvider": self.brand, "mvpd": "Cable", "source": "mvpd", "authorized": False,
                "error": {"status": 403, "code": code, "action": action, "message": "invented"},
            }
            for name in denied
        ]
        resources = [*permitted, *denied, *options.pop("others", ())]
        return self.call("POST", f"/api/v2/{self.brand}/decisions/{what}/Cable", body={"resources": resources}, answer=options.pop("answer", {"decisions": decisions}), **options)

    def log_out(self, opens=True):
        url = "https://login.cable.example/logout?RelayState=1"
        answer = {"logouts": {"Cable": {"actionName": "logout", "actionType": "interactive", "mvpd": "Cable", "url": url}}}
        self.call("GET", f"/api/v2/{self.brand}/logout/Cable", query="?redirectUrl=https%3A%2F%2Fapp.example.com%2Fdone", answer=answer)
        if opens:
            self.exchange("GET", url, {"User-Agent": "Mozilla/5.0"}, None, None, 302, None, {"Location": REDIRECT})

    def refuse(self, make, status, code, action="none", **fields):
        """A call that is refused."""
        return make(status=status, answer={"status": status, "code": code, "action": action, "message": "invented"}, **fields)

    # Whole flows

    def begin(self):
        self.register()
        self.renew()
        self.profiles()

    def sign_in(self):
        """The first screen."""
        self.configuration()
        self.wait(6)
        self.start_session()
        self.wait(0.5)
        self.browse()
        self.poll()
        self.wait(5)
        self.poll(found=True)
        self.wait(1)

    def watch(self):
        self.decide("preauthorize", ["news", "sports"], ["films"])
        self.wait(20)
        self.decide("authorize", ["news"])
        self.wait(60)
        self.decide("authorize", [], ["films"])
        self.wait(30)


def right(app):
    """Everything that the checklist asks for, and nothing else."""
    app.begin()
    app.sign_in()
    app.watch()
    app.wait(600)
    app.profiles("Cable")
    app.log_out()
    app.wait(60)
    # The second screen: a television shows a code, and a telephone completes the session.
    app.configuration()
    app.start_session(mvpd=None, action="resume")
    for _ in range(3):
        app.wait(5)
        app.poll()
    app.look_at_session()
    app.wait(2)
    app.browse(seconds=2)
    app.wait(3)
    app.poll(found=True)
    app.watch()
    # An hour before the end the application is opened again, with the token that it has kept.
    app.wait(5 * 3600)
    app.profiles("Cable")
    app.wait(45 * 60)
    app.renew()
    app.decide("authorize", ["sports"])
    app.log_out()


STORIES = []


def story(expected, verdict="fail", dialect="chrome", **application):
    def add(run):
        STORIES.append((run.__name__, dialect, {item: verdict for item in expected.split()}, application, run))
        return run

    return add


STORIES += [
    (f"right_{dialect}", dialect, {
        "R1": "pass", "R2": "pass", "R3": "pass", "R4": "pass", "C1": "pass", "C2": "pass", "C3": "cannot be seen", "A1": "pass", "A2": "pass",
        "A3": "pass", "A4": "pass", "A5": "not seen", "P1": "pass", "P2": "pass", "P3": "pass", "Z1": "cannot be seen", "Z2": "pass",
        "L1": "pass", "L2": "pass", "H1": "pass", "H2": "pass", "H3": "pass", "E1": "not seen", "E2": "not seen", "T1": "pass",
        "T2": "cannot be seen",
    }, {}, right)
    for dialect in ("chrome", "firefox", "mitmproxy", "charles", "proxyman")
]


@story("R1")
def no_scope(app):
    app.register(scopes="api:client:v1")
    app.renew()


@story("R1", dialect="mitmproxy")
def scope_refused(app):
    app.begin()
    app.profiles(status=403, answer_fields={"WWW-Authenticate": 'Bearer error="insufficient_scope"'})


@story("R1", verdict="pass")
def other_refusal_is_no_lack_of_scope(app):
    app.begin()
    app.refuse(lambda **options: app.call("GET", "/api/v2/REF30/profiles/Cable", **options), 401, "invalid_access_token_client_application", "application-registration")
    app.renew()


@story("R1", verdict="pass")
def a_tool_for_resets_has_another_scope(app):
    app.begin()
    tool = Application(identifier="tool")
    tool.entries, tool.now = app.entries, app.now
    tool.register(scopes="temporary:passes:owner")
    tool.renew(scopes="temporary:passes:owner")
    tool.call("DELETE", "/reset-tempass/v3/reset", query="?requestor_id=REF30&mvpd_id=TempPass&device_id=x", status=204)


@story("R2")
def registers_at_each_start(app):
    app.begin()
    app.wait(3600)
    app.register()
    app.renew()
    app.profiles()


@story("R2")
def registers_because_of_an_action(app):
    app.begin()
    app.refuse(lambda **options: app.call("GET", "/api/v2/REF30/profiles/Cable", **options), 401, "invalid_access_token_client_application", "application-registration")
    app.register()
    app.renew()
    app.profiles()


@story("R2", verdict="pass")
def registers_after_invalid_client(app):
    app.begin()
    app.renew(status=400, error={"error": "invalid_client"})
    app.register()
    app.renew()
    app.profiles()


@story("R3")
def token_for_each_call(app):
    app.begin()
    app.wait(10)
    app.renew()
    app.profile()


@story("R3", verdict="pass")
def token_after_a_refusal(app):
    app.begin()
    app.call("GET", "/api/v2/REF30/profiles/Cable", status=401)
    app.renew()
    app.profile()


@story("R4")
def same_token_after_its_refusal(app):
    app.begin()
    app.call("GET", "/api/v2/REF30/profiles/Cable", status=401)
    app.profile()


@story("R4")
def token_that_has_ended(app):
    app.begin()
    app.wait(7 * 3600)
    app.profiles()


@story("C1")
def configuration_while_signed_in(app):
    app.begin()
    app.sign_in()
    app.wait(300)
    app.configuration()


@story("C1", verdict="pass")
def configuration_after_the_profile(app):
    app.begin()
    app.profile(hours=1)
    app.wait(3700)
    app.configuration()


@story("C1", verdict="pass")
def configuration_after_the_action_authentication(app):
    app.begin()
    app.profile()
    app.decide("authorize", [], ["news"], code="authenticated_profile_expired", action="authentication")
    app.configuration()


@story("C1")
def configuration_thrice(app):
    app.begin()
    for _ in range(3):
        app.configuration()
        app.wait(300)


@story("C1", verdict="pass")
def leaving_the_picker(app):
    app.begin()
    app.configuration()
    app.wait(300)
    app.configuration()


@story("C1")
def configuration_with_temporary_access(app):
    app.begin()
    app.profile("temporary")
    app.configuration()
    app.decide("authorize", ["news"])


@story("C1", verdict="pass")
def sign_in_with_temporary_access(app):
    app.begin()
    app.profile("temporary")
    app.sign_in()


@story("C2")
def configuration_twice(app):
    app.begin()
    app.configuration()
    app.wait(60)
    app.configuration()


@story("A1", verdict="pass")
def back_by_an_own_scheme(app):
    app.begin()
    app.redirect = "com.example.tv:/done"
    app.start_session()
    app.browse()
    app.poll(found=True)


@story("A1")
def polls_while_the_browser_is_away(app):
    app.begin()
    app.start_session()
    app.wait(1)
    first = len(app.entries)
    app.browse(seconds=20)
    start = app.entries[first]["at"]
    now, app.now = app.now, start + 5
    app.poll()
    app.now = now
    app.poll(found=True)


@story("A1", verdict="cannot be seen", dialect="charles")
def no_browser_recorded(app):
    app.begin()
    app.start_session()
    app.wait(20)
    app.poll(found=True)


@story("A1", dialect="firefox")
def polls_after_the_profile(app):
    app.begin()
    app.start_session()
    app.browse()
    app.poll(found=True)
    app.wait(5)
    app.poll(found=True)


@story("A1")
def polls_an_old_code(app):
    app.begin()
    app.start_session(mvpd=None, action="resume")
    old = app.code
    app.wait(5)
    app.poll()
    app.wait(5)
    app.start_session(mvpd=None, action="resume")
    app.wait(5)
    app.poll(code=old)


@story("A1")
def polls_after_the_end_of_the_code(app):
    app.begin()
    app.start_session(mvpd=None, action="resume")
    app.wait(1900)
    app.poll()


@story("A1", verdict="pass")
def polls_at_once_on_a_second_screen(app):
    app.begin()
    app.start_session(mvpd=None, action="resume")
    for _ in range(4):
        app.poll()
        app.wait(5)


@story("A2", dialect="mitmproxy")
def polls_each_second(app):
    app.begin()
    app.start_session(mvpd=None, action="resume")
    for _ in range(5):
        app.poll()
        app.wait(1)


@story("A2", verdict="pass")
def polls_seldom(app):
    app.begin()
    app.start_session(mvpd=None, action="resume")
    for _ in range(3):
        app.poll()
        app.wait(15)


@story("A2", verdict="pass")
def polls_at_the_least_pace(app):
    app.begin()
    app.start_session(mvpd=None, action="resume")
    for pause in (2.9, 2.5, 2.9, 2.9):
        start = app.now
        app.poll()
        app.now = start + pause
    app.poll()


@story("A2")
def polls_just_too_fast(app):
    app.begin()
    app.start_session(mvpd=None, action="resume")
    for pause in (2.899, 2.899, 5):
        start = app.now
        app.poll()
        app.now = start + pause
    app.poll()


@story("A2")
def one_poll_too_early(app):
    app.begin()
    app.start_session(mvpd=None, action="resume")
    for pause in (5, 5, 2.499, 5):
        start = app.now
        app.poll()
        app.now = start + pause
    app.poll()


@story("A2")
def polls_fast_through_failures(app):
    app.begin()
    app.start_session(mvpd=None, action="resume")
    for _ in range(5):
        app.poll(status=503, answer=None)
        app.wait(1)


@story("A2", verdict="pass")
def poll_repeated_with_a_new_token(app):
    app.begin()
    app.start_session(mvpd=None, action="resume")
    app.poll()
    app.wait(5)
    app.poll(status=401)
    app.renew()
    app.poll()


@story("A1 A2 C1", verdict="pass")
def the_other_screen_asks_what_came_of_the_code(app):
    app.begin()
    app.start_session(mvpd=None, action="resume")
    phone = Application(identifier="device-2", agent="Phone/1.0")
    phone.entries, phone.code, phone.now = app.entries, app.code, app.now + 2
    phone.begin()
    phone.configuration()
    phone.look_at_session()
    phone.browse(seconds=2)
    # Both ask each 5 seconds, one a second after the other, and the television first sees the profile.
    for found in (False, False, True):
        phone.now += 5
        app.now = phone.now - 1
        app.poll(found=found)
        start = phone.now
        phone.poll(found=found)
        phone.now = start
    phone.wait(300)
    phone.configuration()


@story("A3")
def profiles_again(app):
    app.begin()
    app.wait(30)
    app.profiles()


@story("A3", verdict="pass")
def profiles_at_the_return_to_the_foreground(app):
    app.begin()
    app.wait(301)
    app.profiles()


@story("A4")
def code_not_validated(app):
    app.begin()
    app.start_session(mvpd=None, action="resume")
    app.wait(20)
    app.browse()


@story("A5", verdict="pass")
def several_profiles(app):
    app.begin()
    app.wait(400)
    app.profiles("Cable", "Satellite")
    app.decide("authorize", ["news"])


@story("P2", dialect="proxyman")
def preauthorization_repeated(app):
    app.begin()
    app.decide("preauthorize", ["news"], ["films"])
    app.wait(10)
    app.decide("preauthorize", ["news"], ["films"])


@story("P2", verdict="pass")
def preauthorization_retried(app):
    app.begin()
    for _ in range(4):
        app.decide("preauthorize", [], ["films"], code="network_received_error", action="retry")
        app.wait(2)


@story("P2")
def preauthorization_retried_too_often(app):
    app.begin()
    for _ in range(5):
        app.decide("preauthorize", [], ["films"], code="network_received_error", action="retry")
        app.wait(2)


@story("P2", verdict="not seen")
def a_failure_is_no_denial(app):
    app.begin()
    app.decide("preauthorize", [], [], others=["films"], status=503, answer=None)
    app.wait(2)
    app.decide("preauthorize", ["films"])


@story("P3")
def permits_asked_for_again(app):
    app.begin()
    app.decide("preauthorize", ["news"])
    app.wait(60)
    app.decide("preauthorize", ["news", "sports"])


@story("Z2")
def authorization_repeated(app):
    app.begin()
    app.decide("authorize", [], ["films"])
    app.wait(3)
    app.decide("authorize", [], ["films"])


@story("Z2", verdict="pass")
def play_pressed_again(app):
    app.begin()
    app.decide("authorize", [], ["films"])
    app.wait(30)
    app.decide("authorize", [], ["films"])


@story("L1")
def logout_not_opened(app):
    app.begin()
    app.profile()
    app.log_out(opens=False)
    app.wait(10)
    app.configuration()


@story("L1", verdict="cannot be seen")
def logout_at_the_end(app):
    app.begin()
    app.profile()
    app.log_out(opens=False)


@story("L2")
def logout_after_a_denial(app):
    app.begin()
    app.profile()
    app.decide("authorize", [], ["films"])
    app.wait(1)
    app.log_out()


@story("H1", dialect="firefox")
def no_device_info(app):
    app.begin()
    app.left_out = {"X-Device-Info"}
    app.profile()


@story("H1", verdict="pass", agent="Mozilla/5.0 (X11; Linux x86_64) Chrome/140")
def browsers_leave_device_info_out(app):
    app.begin()
    app.left_out = {"X-Device-Info"}
    app.profile()


@story("H1", verdict="cannot be seen")
def exported_without_authorization(app):
    app.left_out = {"Authorization"}
    app.begin()
    app.profile()


@story("H2")
def identifier_changes(app):
    app.begin()
    app.identifier = "device-2"
    app.profile()


@story("H3")
def unknown_field(app):
    app.begin()
    app.extra = {"X-App-Version": "3.1"}
    app.profile()


@story("H3")
def unknown_parameter(app):
    app.begin()
    app.call("GET", "/api/v2/REF30/profiles/Cable", query="?debug=true", answer={"profiles": {}})


@story("E1")
def the_same_error_for_ever(app):
    app.begin()
    for _ in range(4):
        app.refuse(lambda **options: app.call("GET", "/api/v2/REF30/profiles/Nobody", **options), 400, "invalid_parameter_mvpd")
        app.wait(2)


@story("E1", verdict="pass")
def mistyped_codes(app):
    app.begin()
    for code in ("AAAAAAA", "BBBBBBB", "CCCCCCC", "DDDDDDD", "EEEEEEE"):
        app.code = code
        app.refuse(lambda **options: app.call("GET", f"/api/v2/REF30/sessions/{code}", **options), 400, "invalid_parameter_code")
        app.wait(5)


@story("E2")
def too_many_and_no_pause(app):
    app.begin()
    app.wait(400)
    app.profiles(status=429)
    app.wait(0.2)
    app.decide("authorize", ["news"])


@story("E2")
def retry_after_not_obeyed(app):
    app.begin()
    app.wait(400)
    app.profiles(status=429, answer_fields={"Retry-After": "5"})
    app.wait(3)
    app.decide("authorize", ["news"])


@story("E2", verdict="pass")
def retry_after_obeyed(app):
    app.begin()
    app.wait(400)
    app.profiles(status=429, answer_fields={"Retry-After": "5"})
    app.wait(5.2)
    app.decide("authorize", ["news"])


# The dialects of recorders

CREATORS = {
    "chrome": {"name": "WebInspector", "version": "537.36"}, "firefox": {"name": "Firefox", "version": "142.0"},
    "mitmproxy": {"name": "mitmproxy", "version": "12.1.1", "comment": ""}, "charles": {"name": "Charles Proxy", "version": "5.0"},
    "proxyman": {"name": "Proxyman", "version": "5.20.0"},
}


def moment(seconds, dialect):
    instant = START + datetime.timedelta(seconds=seconds)
    if dialect == "mitmproxy":
        return instant.strftime("%Y-%m-%dT%H:%M:%S.%f") + "+00:00"
    if dialect in ("firefox", "charles"):
        instant = instant.astimezone(datetime.timezone(datetime.timedelta(hours=-7)))
        return instant.strftime("%Y-%m-%dT%H:%M:%S.") + f"{instant.microsecond // 1000:03}-07:00"
    return instant.strftime("%Y-%m-%dT%H:%M:%S.") + f"{instant.microsecond // 1000:03}Z"


def recorded(entry, dialect):
    """An entry as a recorder writes it."""
    host = entry["url"].split("/")[2]
    lower = dialect in ("chrome", "mitmproxy")
    def listed(fields):
        return [{"name": name.lower() if lower else name, "value": value} for name, value in fields.items()]

    fields = listed(entry["fields"])
    if dialect == "chrome":
        path = entry["url"].split(host, 1)[1]
        pseudo = {":authority": host, ":method": entry["method"], ":path": path, ":scheme": "https"}
        fields = [{"name": name, "value": value} for name, value in pseudo.items()] + fields
    else:
        fields.insert(0, {"name": "Host", "value": host})
    request = {
        "method": entry["method"], "url": entry["url"], "httpVersion": "http/2.0" if lower else "HTTP/1.1", "headers": fields, "queryString": [],
        "cookies": [], "headersSize": -1, "bodySize": len(entry["body"] or ""),
    }
    if entry["body"] is not None:
        post = {"mimeType": entry["kind"], "text": entry["body"]}
        if dialect in ("firefox", "charles") and "form" in entry["kind"]:
            from urllib.parse import parse_qsl
            post["params"] = [{"name": name, "value": value} for name, value in parse_qsl(entry["body"])]
            if dialect == "charles":
                del post["text"]
        request["postData"] = post
    text = "" if entry["answer"] is None else json.dumps(entry["answer"])
    content = {"size": len(text), "mimeType": entry["answer_fields"].get("Content-Type", ""), "text": text}
    if dialect in ("charles", "mitmproxy") and text:
        content |= {"text": base64.b64encode(text.encode()).decode(), "encoding": "base64"}
    response = {
        "status": entry["status"], "statusText": "", "httpVersion": request["httpVersion"], "headers": listed(entry["answer_fields"]), "cookies": [],
        "content": content, "redirectURL": entry["answer_fields"].get("Location", ""), "headersSize": -1, "bodySize": len(text),
    }
    time = int(entry["took"] * 1000) if dialect in ("firefox", "charles") else entry["took"] * 1000
    return {
        "startedDateTime": moment(entry["at"], dialect), "time": time, "request": request, "response": response, "cache": {},
        "timings": {"send": 0, "wait": time, "receive": 0},
    }


def archive(entries, dialect):
    log = {"version": "1.2", "creator": CREATORS[dialect], "pages": [], "entries": [recorded(entry, dialect) for entry in entries]}
    return {"log": log}


def build():
    """The files of this folder: a recording for each story, all in one file, and one to try by hand."""
    stories = []
    for name, dialect, expected, application, run in STORIES:
        app = Application(**application)
        run(app)
        stories.append({"name": name, "dialect": dialect, "expected": expected, "archive": archive(app.entries, dialect)})
    assert len({each["name"] for each in stories}) == len(stories)
    failing = {item for each in stories for item, verdict in each["expected"].items() if verdict == "fail"}
    never = {"C3", "A5", "P1", "Z1", "T1", "T2"}
    assert failing | never == set(stories[0]["expected"]), failing
    text = "[\n" + ",\n".join(json.dumps(each, separators=(",", ":")) for each in stories) + "\n]\n"
    files = [vector_files.VectorFile("stories.json", text, len(stories))]
    for each in stories:
        if each["name"] in ("right_mitmproxy", "logout_not_opened"):
            files.append(vector_files.VectorFile(f"{each['name']}.har", json.dumps(each["archive"], indent=1) + "\n", 1))
    return files


if __name__ == "__main__":
    vector_files.main(__file__, __doc__, build)
