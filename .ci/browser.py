"""Drives a headless Chromium with nothing but Python: pages, keys, pictures, and what the browser asked for.

The browser talks JSON over two pipes (--remote-debugging-pipe), each message ended by a zero byte.
"""

import base64
import json
import os
import subprocess
import threading
import time

# Names other than the loopback interface's are not found, so no page can load anything from elsewhere.
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars", "--remote-debugging-pipe",
           "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"]


class BrowserError(Exception):
    """What the browser refused, or a page threw."""


class Browser:
    """One Chromium; `context()` is a visitor of its own, with cookies and storage of its own."""

    def __init__(self, folder):
        reading, browser_writes = os.pipe()
        browser_reads, self.writing = os.pipe()
        # The browser expects the pipes as its files 3 and 4.
        command = f'exec "$@" 3<&{browser_reads} 4>&{browser_writes}'
        self.process = subprocess.Popen(
            ["bash", "-c", command, "bash", "chromium", *OPTIONS, f"--user-data-dir={folder}/chromium"],
            pass_fds=(browser_reads, browser_writes), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(browser_reads)
        os.close(browser_writes)
        self.number, self.answers, self.listeners = 0, {}, {}
        self.changed = threading.Condition()
        threading.Thread(target=self._read, args=(reading,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)
        os.close(self.writing)

    def _read(self, reading):
        waiting = b""
        while part := os.read(reading, 1 << 16):
            *messages, waiting = (waiting + part).split(b"\0")
            for message in map(json.loads, messages):
                with self.changed:
                    if "id" in message:
                        self.answers[message["id"]] = message
                    else:
                        for listener in self.listeners.get(message.get("sessionId"), []):
                            listener(message["method"], message["params"])
                    self.changed.notify_all()

    def call(self, method, session=None, timeout=60, **parameters):
        with self.changed:
            self.number += 1
            number = self.number
        message = {"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        with self.changed:
            if not self.changed.wait_for(lambda: number in self.answers, timeout):
                raise BrowserError(f"{method}: no answer within {timeout} s")
            answer = self.answers.pop(number)
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def context(self, width=1200, height=900, dark=False):
        """A page of a new visitor."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        return Page(self, context, width, height, dark)


class Page:
    """One page: all requests and all complaints of it are kept."""

    def __init__(self, browser, context, width, height, dark):
        self.browser, self.context = browser, context
        target = browser.call("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        # Of each request its address, and of each answer its status; and what the console shows.
        self.requests, self.statuses, self.complaints = [], [], []
        browser.listeners[self.session] = [self._note]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.look(width, height, dark)

    def _note(self, method, parameters):
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Network.responseReceived":
            answer = parameters["response"]
            self.statuses.append((answer["url"], answer["status"]))
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(parameters["exceptionDetails"]["exception"].get("description", "exception"))
        elif method == "Log.entryAdded":
            entry = parameters["entry"]
            self.complaints.append(f"{entry['source']}: {entry['text']} {entry.get('url', '')}")
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.complaints.append(f"console: {parameters['args']}")

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def look(self, width, height=900, dark=False):
        """The size of the window, as of a phone below 500 pixels, and light or dark."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 500)
        scheme = "dark" if dark else "light"
        # Pictures show the end of each movement.
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}])

    def open(self, url):
        self.call("Page.navigate", url=url)
        # Until the next page is there, its predecessor would answer.
        self.until(f"location.href.split('#')[0] === {json.dumps(url.split('#')[0])} || location.href !== 'about:blank'")
        self.until("document.readyState === 'complete'")

    def run(self, script):
        """The value of an expression; a promise is awaited."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            detail = answer["exceptionDetails"]
            raise BrowserError(detail.get("exception", {}).get("description", detail["text"]))
        return answer["result"].get("value")

    def until(self, script, seconds=20):
        """Waits for an expression to be true, also over the change to another page."""
        end, last = time.monotonic() + seconds, None
        while time.monotonic() < end:
            try:
                if self.run(script):
                    return
            except BrowserError as error:
                last = error
            time.sleep(0.05)
        text = self.run("document.title + ': ' + (document.body ? document.body.innerText : '')")
        raise AssertionError(f"not within {seconds} s: {script} ({last}); the page at {self.url} says: {text[:3000]}"
                             f"; complaints: {self.complaints[-5:]}")

    def sees(self, text, seconds=20):
        """Waits for a text that is visible."""
        self.until(f"document.body.innerText.includes({json.dumps(text)})", seconds)

    @property
    def url(self):
        return self.run("location.href")

    def key(self, name, times=1):
        """Presses a key: Tab, Enter, Escape, ArrowDown … or one character."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "Space": 32, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
                 "ArrowDown": 40, "Backspace": 8}
        text = {"Enter": "\r", "Space": " "}.get(name, name if len(name) == 1 else "")
        more = {"text": text} if text else {}
        for _ in range(times):
            key = " " if name == "Space" else name
            self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=name,
                      windowsVirtualKeyCode=codes.get(name, 0), **more)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=name,
                      windowsVirtualKeyCode=codes.get(name, 0))

    def type(self, text):
        self.call("Input.insertText", text=text)

    def focused(self):
        """What has the focus: its accessible name as far as the page writes it, and its kind."""
        return self.run("(e => e.getAttribute('aria-label') || e.innerText || e.id || e.tagName)(document.activeElement)")

    def tab_to(self, text, most=40):
        """Moves the focus with Tab until it is at something whose name contains the text."""
        for _ in range(most):
            self.key("Tab")
            if text in self.focused():
                return
        raise AssertionError(f"no Tab leads to “{text}”; the focus is at “{self.focused()}”")

    def click(self, text, kind="button, a, summary"):
        """Clicks, with the mouse, on the first visible thing whose text or label contains the text."""
        # Until its style is there, things move, and the mouse would miss them.
        self.until("document.readyState === 'complete'")
        place = self.run(f"""(() => {{
            const one = [...document.querySelectorAll({json.dumps(kind)})].find(e => e.getClientRects().length
                && (e.innerText + (e.getAttribute('aria-label') || '')).includes({json.dumps(text)}));
            if (!one) return null;
            one.scrollIntoView({{block: 'center', behavior: 'instant'}});
            const box = one.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        assert place, f"nothing to click says “{text}”: {self.run('document.body.innerText')[:2000]}"
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def picture(self, path, whole=True):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))
