"""An app on a device, and the browser of its user, as they talk to the gateway."""

import asyncio
import json
import re
import time
import urllib.parse

from .wire import Connection, Lost

RETURN_TO = "exampletv://done"
PHONE = {"model": "Sample Phone", "version": "1", "osName": "iOS", "osVersion": "18.2", "connectionType": "WiFi"}
TELEVISION = {"model": "Sample Set 55", "version": "1", "osName": "tvOS", "osVersion": "18.2", "connectionType": "wired"}


class Refused(Exception):
    """The gateway has refused something, and asking again in the same way would not help."""

    def __init__(self, status, answer):
        super().__init__(f"{status} {answer.get('code')} {answer.get('action')}: {answer.get('detail')}")
        self.status, self.code, self.action = status, answer.get("code"), answer.get("action")


class Browser:
    """A browser: follows what it is sent to, keeps cookies for each host, and repeats what got no answer, as a user would."""

    def __init__(self, authority, source):
        self.authority, self.source = authority, source
        self.connections, self.cookies, self.repeated = {}, {}, 0

    async def open(self, address, form=None):
        """Opens an address, follows redirects, and returns the answer and where it is from."""
        while True:
            parts = urllib.parse.urlsplit(address)
            if parts.scheme not in ("http", "https"):
                return None, address
            answer = await self._ask(parts, form)
            self.cookies.setdefault(parts.netloc, {}).update(answer.cookies)
            if answer.status not in (302, 303):
                return answer, address
            address, form = urllib.parse.urljoin(address, answer.field("location")), None

    async def _ask(self, parts, form):
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self.connections:
            self.connections[origin] = Connection(origin, self.authority, self.source)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.get(parts.netloc, {}).items())}
        body = None
        if form is not None:
            body = urllib.parse.urlencode(form).encode()
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "Origin": origin}
        for attempt in range(100):
            try:
                answer = await self.connections[origin].ask("GET" if form is None else "POST", path, headers, body)
                if answer.status not in (429, 500, 502, 503, 504):
                    return answer
            except Lost:
                pass
            self.repeated += 1
            await asyncio.sleep(0.2)
        raise AssertionError(f"{parts.path} does not answer")

    async def log_in(self, address, user):
        """Logs in on the provider's page, and returns where the provider's login has led to."""
        page, at = await self.open(address)
        code = re.search(r'name="code" value="([^"]+)"', page.body.decode())
        assert code, f"no login page, but {page.status} at {at.split('?')[0]}"
        return await self.open(urllib.parse.urljoin(at, "/sim/login"), {"code": code.group(1), "user": user})

    async def activate(self, address, provider, user):
        """Confirms a device on the page of the second screen, and logs in for it."""
        page, at = await self.open(address)
        token = re.search(r'name="token" value="([^"]+)"', page.body.decode())
        code = re.search(r'name="code" value="([^"]+)"', page.body.decode())
        assert token and code, f"no page for the code, but {page.status}"
        form = {"token": token.group(1), "code": code.group(1), "confirmed": "yes", "mvpd": provider}
        page, at = await self.open(at, form)
        code = re.search(r'name="code" value="([^"]+)"', page.body.decode())
        assert code and "/sim/login" in at, f"no login page, but {page.status} at {at.split('?')[0]}"
        page, _ = await self.open(urllib.parse.urljoin(at, "/sim/login"), {"code": code.group(1), "user": user})
        return page.status == 200 and b"signed in" in page.body


class App:
    """An app on one device. What the gateway asks it to repeat, and what got no answer, it repeats."""

    def __init__(self, origin, number, authority=None, source=None, headers=None, name="phone"):
        self.wire = Connection(origin, authority, source)
        self.browser = Browser(authority, source)
        self.number, self.name, self.headers, self.token = number, name, headers or {}, None
        # What happened: logins on the provider's page, requests that got no answer, requests that were to be repeated.
        self.logins = self.lost = self.retried = 0
        # How long after the login on the other screen this device knew of it.
        self.after_login = None
        self.sessions = []

    async def send(self, method, path, body=None):
        """Sends one request, once; returns the status and the JSON, `None` if it is an answer of the proxy."""
        headers = dict(self.headers)
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body).encode()
        answer = await self.wire.ask(method, path, headers, body)
        self.last = answer
        is_json = (answer.field("content-type") or "").startswith("application/json")
        return answer.status, json.loads(answer.body) if is_json else None

    async def ask(self, method, path, body=None):
        """Sends a request, and does what the answer's `action` says if that is to ask again."""
        for _ in range(100):
            try:
                status, answer = await self.send(method, path, body)
            except Lost:
                status, answer = None, None
            if answer is None:
                self.lost += 1
                await asyncio.sleep(0.2)
            elif status < 400:
                return answer
            elif answer["action"] == "retry":
                self.retried += 1
                await asyncio.sleep(float(self.last.field("retry-after") or 1))
            else:
                raise Refused(status, answer)
        raise AssertionError(f"{method} {path} was repeated a hundred times")

    async def register(self, info=PHONE):
        self.token = (await self.ask("POST", "/v1/devices", {"app": self.name, "deviceInfo": info}))["deviceToken"]

    async def sign_in(self, provider, user):
        """Signs in with the browser of the device itself."""
        step = await self.ask("POST", "/v1/authentication", {"mvpd": provider, "returnTo": RETURN_TO})
        while step["code"] == "open":
            self.logins += 1
            page, address = await self.browser.log_in(step["url"], user)
            returned = urllib.parse.parse_qs(urllib.parse.urlsplit(address).query).get("returned")
            if returned and page is None:
                try:
                    await self.ask("PUT", "/v1/authentication", {"returned": returned[0]})
                    if await self.wait():
                        return
                except Refused as refusal:
                    assert refusal.action == "sign_in", refusal
            step = await self.ask("POST", "/v1/authentication", {"mvpd": provider, "returnTo": RETURN_TO})
        assert step["code"] == "authenticated", step

    async def show_code(self, provider=None):
        """Shows a code; the address to open on the other screen, or `None` if the user is signed in already."""
        body = {"secondScreen": True} | ({"mvpd": provider} if provider else {})
        step = await self.ask("POST", "/v1/authentication", body)
        assert step["code"] in ("code", "authenticated"), step
        return step.get("activationURLComplete")

    async def sign_in_elsewhere(self, provider, user):
        """Signs in with a code, which the user confirms in a browser on another screen."""
        address = await self.show_code()
        while address:
            self.logins += 1
            waiting = asyncio.ensure_future(self.wait())
            is_activated = await self.browser.activate(address, provider, user)
            logged_in = time.monotonic()
            if is_activated and await waiting:
                self.after_login = time.monotonic() - logged_in
                return
            waiting.cancel()
            # The page may have been lost, and the device signed in all the same.
            address = await self.show_code()

    async def wait(self):
        """Waits until the sign-in has ended; whether the user is signed in."""
        while True:
            answer = await self.ask("GET", "/v1/authentication?wait=25")
            if answer["code"] != "pending":
                return answer["code"] == "authenticated"

    async def play(self, resource):
        """Starts a play; the cookie for its segments."""
        answer = await self.ask("POST", "/v1/plays", {"resource": resource})
        assert answer["code"] == "playing", answer
        self.sessions.append(answer["sessionId"])
        return "; ".join(f"{name}={value}" for name, value in self.last.cookies.items())

    async def segment(self, resource, number, cookie):
        """Asks for a segment; its status."""
        return (await self.wire.ask("GET", f"/live/{resource}/{number}.ts", {"Cookie": cookie})).status

    def close(self):
        self.wire.close()
        for connection in self.browser.connections.values():
            connection.close()
