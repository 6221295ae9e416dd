#!/usr/bin/env python3
"""Tests the example of `make tv` from end to end, with a browser.

    python3 .ci/tv_check.py PATH-OF-TVE PATH-OF-TOUR

PATH-OF-TOUR is the program that Examples/app-sdk builds. Needs nginx and chromium, and axe-core-python, pillow and zxing-cpp
beside this Python. Everything listens on loopback. TVE_ONLY=web,tv,sdk,start chooses; TVE_KEEP_PICTURES=FOLDER keeps the
pictures of the pages.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import axe_core_python
import zxingcpp
from PIL import Image

from browser import Browser

ROOT = pathlib.Path(__file__).resolve().parent.parent
START = ROOT / "Examples" / "tv" / "start.py"
AXE = (pathlib.Path(axe_core_python.__file__).parent / "axe.min.js").read_text()
# The playlist, the beginning, and segments of two seconds each.
FILES = 8
# The narrowest phone, and the width to which WCAG 2.1 (1.4.10) wants pages to reflow.
NARROW, WIDE = 320, 1200


class Example:
    """start.py with a folder of its own, if wanted as `make tv` runs it."""

    def __init__(self, tve, folder, port=0, by_make=False):
        self.folder = folder
        self.errors = open(folder.parent / f"{folder.name}.log", "w+")
        options = ["--folder", str(folder), "--port", str(port)]
        command = [sys.executable, START, "--tve", tve, *options]
        if by_make:
            command = ["make", "--no-print-directory", "tv", f"TVE={tve}", f"TV_FLAGS={' '.join(options)}"]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=self.errors, text=True, start_new_session=True,
            # A job in the background ignores the signal, and so would all that it starts.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        # make ends as Ctrl-C makes it end.
        self.wanted = (0, 130, -signal.SIGINT) if by_make else (0,)
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise AssertionError(f"it does not start, exit code {self.process.wait(60)}: {self.said()}")
        self.settings = json.loads((folder / "serve.json").read_text())

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            status = self.end()
            assert kind or status in self.wanted and "Stopped." in self.said(), f"it ended with {status}: {self.said()}"
        finally:
            if kind:
                for log in sorted(self.folder.glob("*.log")):
                    print(f"== {log.name}", *log.read_text(errors="replace").splitlines()[-20:], sep="\n", file=sys.stderr)

    def end(self):
        """What Ctrl-C does at a terminal."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(60)

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def status(self, path):
        """The status that a client without a cookie gets."""
        return answered(self.address + path.lstrip("/"))

    def asked(self):
        """How often /v1/authz has let a file pass, by the gateway's own count."""
        port = self.settings["internal"]["port"]
        text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20).read().decode()
        found = re.search(r'tve_requests_total\{endpoint="authz",status="200"\} (\d+)', text)
        return int(found.group(1)) if found else 0

    def accepted(self, *shown, but=()):
        """No mandatory item of the operator's checklist but those of `but` fails in the calls to the simulated broker.

        The items that are named pass.
        """
        text = urllib.request.urlopen(self.settings["broker"]["origin"] + "/sim/report", timeout=20).read()
        items = json.loads(text)["items"]
        failed = [item for item in items if item["mandatory"] and item["verdict"] == "fail" and item["id"] not in but]
        assert not failed, f"the operator's checklist: {failed}"
        verdicts = {item["id"]: item["verdict"] for item in items}
        missed = {name: verdicts[name] for name in shown if verdicts[name] != "pass"}
        assert not missed, f"the operator's checklist, not passed: {missed}"


def answered(address):
    try:
        return urllib.request.urlopen(address, timeout=20).status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


class Album:
    """Looks at each state of a page: in light and dark, narrow and wide, and for what axe-core finds."""

    def __init__(self, folder):
        self.folder, self.seen = folder, []

    def look(self, page, name):
        for dark in (False, True):
            for width in (NARROW, WIDE):
                page.look(width, 1000, dark)
                needed = page.run("document.documentElement.scrollWidth")
                assert needed <= width, f"{name} needs {needed} of {width} pixels"
                picture = self.folder / f"{name}-{'dark' if dark else 'light'}-{width}.png"
                page.picture(picture)
                assert picture.stat().st_size > 5_000, f"{picture.name} has {picture.stat().st_size} bytes"
            found = page.run(AXE + ";axe.run(document).then(r => r.violations.map(v => v.id + ': ' + v.help + ' at '"
                                   " + v.nodes.map(n => n.html.slice(0, 120)).join(' | ')))")
            assert not found, f"{name}, {'dark' if dark else 'light'}: {found}"
        page.look(WIDE, 1000)
        self.seen.append(name)


@contextlib.contextmanager
def keep_pictures(folder):
    """Copies the pictures to where TVE_KEEP_PICTURES wants them, also if a check failed."""
    try:
        yield
    finally:
        if os.environ.get("TVE_KEEP_PICTURES"):
            for picture in folder.glob("*.png"):
                shutil.copy(picture, os.environ["TVE_KEEP_PICTURES"])


def plays(page, start):
    """Starts a play, and waits until a second of it was shown and the whole clip is loaded; each file answers 200."""
    page.statuses.clear()
    start()
    page.until("document.getElementById('video').currentTime > 1 && document.getElementById('video').videoWidth === 256", 40)
    end = time.monotonic() + 60
    while len(media(page)) < FILES and time.monotonic() < end:
        time.sleep(0.1)
    found = media(page)
    assert len(found) == FILES and {status for _, status in found} == {200}, found


def media(page):
    return [(url, status) for url, status in list(page.statuses) if "/media/" in url]


def stays_here(page, *origins):
    """No page may load anything from elsewhere, and none may have complained."""
    for url in page.requests:
        assert url.startswith((*origins, "data:", "blob:", "about:")), f"asked elsewhere: {url}"
    # The browser notes each refusal of the gateway, too, and those are wanted.
    complaints = [text for text in page.complaints if not re.search("responded with a status of (40|503)", text)]
    assert not complaints, complaints


def check_web(tve, folder, browser, album):
    with Example(tve, folder / "web", by_make=True) as example:
        broker = example.settings["broker"]["origin"]
        page = browser.context()
        page.open(example.address)
        page.sees("Choose your TV provider")
        album.look(page, "web-providers")
        sign_in_by_keyboard(page, broker)
        assert page.run("document.querySelectorAll('#channel-list .permitted').length") == 3
        album.look(page, "web-channels")
        check_plays(example, page, album)
        check_denials(page, album)
        check_trouble(example, page, album)
        page.click("Log out")
        page.sees("Choose your TV provider")
        page.open(example.address)
        page.sees("Choose your TV provider")
        check_others(page)
        assert not page.run("document.cookie"), "a script can read a cookie"
        assert "deviceToken" not in page.run("JSON.stringify({...localStorage})"), "a script can read the device token"
        stays_here(page, example.address, broker)
        keeps_secrets(example, page)
        # After a cancel the next sign-in has a registration of its own, which is the gateway's: *Being accepted*.
        example.accepted("R1", "R3", "C1", "A1", "A3", "P2", "P3", "Z2", "L1", "H1", "H2", "H3", but={"R2"})
    print(f"web app: signed in, {FILES} files asked for one by one, denied, logged out, tried, signed in elsewhere")


def sign_in_by_keyboard(page, broker):
    """The first Tab leads past the head of the page, the next ones to the providers; at first the viewer cancels."""
    page.key("Tab")
    assert "Skip" in page.focused(), page.focused()
    page.tab_to("Sample Cable")
    page.key("Enter")
    page.sees("Sign in as ana")
    assert page.url.startswith(broker), page.url
    page.tab_to("Cancel")
    page.key("Enter")
    page.sees("Choose your TV provider")
    page.tab_to("Sample Cable")
    page.key("Enter")
    page.sees("Sign in as ana")
    page.tab_to("Sign in as ana")
    page.key("Enter")
    page.sees("Signed in with Sample Cable")
    page.sees("household-of-ana")


def check_others(page):
    """Temporary access needs no sign-in; another provider permits what the first one refused."""
    page.click("Free preview")
    page.sees("Free until")
    page.click("Play Sample News")
    page.sees("This is a free preview")
    page.click("Stop, and back")
    page.click("Forget this device")
    page.sees("forgotten this device")
    page.click("Sample Fiber")
    page.sees("Sign in as ben")
    page.click("Sign in as ben")
    page.sees("Signed in with Sample Fiber")
    plays(page, lambda: page.click("Play Sample Movies"))


def check_plays(example, page, album):
    """A play: the gateway is asked for each file, and no other client gets one."""
    assert example.status("/media/SampleNews/0.m4s") == 401, "a segment without a session"
    before = example.asked()
    plays(page, lambda: page.click("Play Sample News"))
    assert example.asked() - before == FILES, f"/v1/authz let {example.asked() - before} files pass"
    assert page.run("fetch('/media/SampleSports/0.m4s').then(a => a.status)") == 401, "another channel's segment"
    album.look(page, "web-player")
    page.click("Stop, and back")
    page.sees("Stopped.")
    # The session has ended, also for who kept it.
    page.until("fetch('/media/SampleNews/0.m4s').then(a => a.status === 401)")


def check_denials(page, album):
    for name, text in (("Sample Movies", "is not in your package"), ("Sample Night", "parental controls block")):
        page.click(f"Ask for {name} all the same")
        page.until(f"document.getElementById('alert').innerText.includes('{text}')")
    album.look(page, "web-denied")


def check_trouble(example, page, album):
    """The broker cannot decide for a while: the page offers to try again, and that plays."""
    address = example.settings["broker"]["origin"] + "/sim/scenarios/trouble"
    headers = {"Content-Type": "application/json"}
    scenario = json.dumps({"scenario": "status:503", "endpoints": ["authorize"]}).encode()
    urllib.request.urlopen(urllib.request.Request(address, scenario, headers, method="PUT"), timeout=20).close()
    page.click("Play Sample Sports")
    page.sees("Try again", 40)
    album.look(page, "web-retry")
    urllib.request.urlopen(urllib.request.Request(address, headers=headers, method="DELETE"), timeout=20).close()
    plays(page, lambda: page.click("Try again"))
    page.click("Stop, and back")


def keeps_secrets(example, page):
    """No log holds a token or a session."""
    cookies = [one["value"] for one in page.call("Network.getCookies")["cookies"]]
    assert cookies, "the browser has no cookie"
    logs = {log.name: log.read_text(errors="replace") for log in example.folder.glob("*.log")}
    assert "/media/SampleNews/0.m4s" in logs["nginx.log"], logs["nginx.log"][-2000:]
    for name, text in logs.items():
        for secret in cookies:
            assert secret[:40] not in text, f"{name} holds a cookie"
        assert "session=" not in text, f"{name} holds a session"


def check_tv(tve, folder, browser, album):
    with Example(tve, folder / "tv") as example:
        broker = example.settings["broker"]["origin"]
        tv, phone = browser.context(), browser.context(width=390, height=800)
        tv.open(example.address + "tv.html")
        tv.sees("Activate this TV")
        code = tv.run("document.getElementById('activation-code').innerText")
        album.look(tv, "tv-code")
        refuse_unknown_code(example, phone, album)
        # The phone's camera reads the picture of the TV.
        [found] = zxingcpp.read_barcodes(Image.open(folder / f"tv-code-light-{WIDE}.png"))
        assert found.text.startswith(f"{example.address}activate") and code in found.text, found.text
        waited = activate(phone, tv, found.text, album)
        album.look(tv, "tv-channels")
        watch_by_remote(example, tv, album)
        tv.until("document.querySelector('#channels:not([hidden])') !== null")
        tv.click("Log out")
        tv.sees("Activate this TV")
        assert tv.run("document.getElementById('activation-code').innerText") != code
        assert not tv.call("Network.getCookies")["cookies"], "the TV has a cookie"
        stays_here(tv, example.address)
        stays_here(phone, example.address, broker)
        # A TV has no browser to open the provider's logout page with.
        example.accepted("R1", "R2", "R3", "C1", "A1", "P2", "P3", "Z2", "H1", "H2", "H3", but={"L1"})
        token = json.loads(tv.run("localStorage.getItem('device tv')"))["deviceToken"]
        for log in example.folder.glob("*.log"):
            assert token[:40] not in log.read_text(errors="replace"), f"{log.name} holds the TV's token"
    print(f"tv: code read from its picture, activated on a phone, went on within {waited:.1f} s, played by its remote control")


def refuse_unknown_code(example, phone, album):
    phone.open(example.address + "activate")
    phone.run("document.querySelector('input:not([type=hidden])').focus()")
    phone.type("NONE9999")
    phone.key("Enter")
    phone.sees("No device shows this code")
    album.look(phone, "activate-refused")
    phone.look(390, 800)


def activate(phone, tv, address, album):
    """Opens what the TV shows, and signs in; returns the seconds from the login to the TV's next page."""
    phone.open(address)
    phone.sees("Sample Set 55")
    album.look(phone, "activate-device")
    phone.look(390, 800)
    log_in(phone)
    began = time.monotonic()
    tv.sees("This TV is activated", 15)
    waited = time.monotonic() - began
    phone.until("document.readyState === 'complete' && document.querySelector('h1') !== null"
                f" && location.href.startsWith({json.dumps(address.split('/activate')[0])})")
    album.look(phone, "activate-done")
    return waited


def log_in(phone, has_provider=False):
    """Confirms the device, chooses the provider unless the device has, and signs in there."""
    if not has_provider:
        phone.click("Sample Cable", "label")
    phone.click("Yes, sign in on this device", "button")
    phone.sees("Sign in as ana")
    phone.click("Sign in as ana", "button")


def watch_by_remote(example, tv, album):
    """Arrows, Enter and Escape, and nothing else."""
    assert "Sample News" in tv.focused(), tv.focused()
    tv.key("ArrowRight")
    assert "Sample Sports" in tv.focused(), tv.focused()
    before = example.asked()
    plays(tv, lambda: tv.key("Enter"))
    assert example.asked() - before == FILES, f"/v1/authz let {example.asked() - before} files pass"
    album.look(tv, "tv-player")
    tv.key("Escape")
    tv.key("ArrowDown", 3)
    assert "Sample Movies" in tv.focused(), tv.focused()
    tv.key("Enter")
    tv.until("document.getElementById('alert').innerText.includes('is not in your package')")


def check_sdk(tve, folder, browser, album):
    """One walk by the package for apps: it plays the part of a TV, and a phone in the browser activates it."""
    with Example(tve, folder / "sdk") as example:
        broker = example.settings["broker"]["origin"]
        walk = subprocess.Popen(
            [sys.argv[2], example.address], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            lines = []
            for line in walk.stdout:
                lines.append(line.rstrip("\n"))
                # The address with the code in it, which a TV shows as a picture.
                found = re.search(r"activationURLComplete=(\S+) errorId=REGCODE", line)
                if found:
                    phone = browser.context(width=390, height=800)
                    phone.open(found.group(1))
                    phone.sees("Sample Set 55")
                    log_in(phone, has_provider=True)
                    phone.sees("You are signed in")
                    stays_here(phone, example.address, broker)
            assert walk.wait(60) == 0, (lines, walk.stderr.read())
        finally:
            walk.kill()
        played = [line for line in lines if line.startswith("played ")]
        assert len(played) == 1 and f"SampleNews: {FILES} files" in played[0], lines
        assert example.asked() == FILES, f"/v1/authz let {example.asked()} files pass"
        tracked = [line for line in lines if line.startswith("sendTrackingData 1 true SampleCable")]
        assert len(tracked) == 1 and any(line.startswith("status errorId=Z100") for line in lines), lines
        example.accepted("R1", "R2", "R3", "C1", "A1", "A3", "P2", "P3", "Z2", "H1", "H2", "H3")
        for log in example.folder.glob("*.log"):
            assert "session=" not in log.read_text(errors="replace"), f"{log.name} holds a session"
    print(f"sdk: {len(lines)} callbacks, signed in by a phone, {FILES} files played, denied, logged out")


def check_start(tve, folder, browser, album):
    """What start.py says when it cannot go on, and that nothing is left running."""
    missing = subprocess.run([sys.executable, START, "--tve", folder / "none", "--folder", folder / "none"],
                             capture_output=True, text=True)
    assert missing.returncode == 69 and "make tv" in missing.stderr and not missing.stdout, missing
    first = Example(tve, folder / "first", 8700)
    with Example(tve, folder / "second", int(first.address.rstrip("/").rsplit(":")[-1])) as second:
        assert first.address != second.address, "two examples share a port"
        assert answered(second.address) == 200
    assert answered(second.address) is None, "nginx still runs"
    keys = [(first.folder / name).read_bytes() for name in ("session.key", "devices.key")]
    for name in ("session.key", "devices.key"):
        assert (first.folder / name).stat().st_mode & 0o077 == 0, f"others can read {name}"
    # A program that stops takes the others along.
    os.kill(child(first.process.pid, "serve"), signal.SIGKILL)
    assert first.process.wait(60) == 69 and "gateway stopped" in first.said(), first.said()
    assert answered(first.address) is None and answered(first.settings["broker"]["origin"]) is None, "something still runs"
    for number in (signal.SIGINT, signal.SIGTERM):
        stopped_in_the_background(tve, folder / number.name, number)
    with Example(tve, first.folder, 8700) as again:
        assert keys == [(first.folder / name).read_bytes() for name in ("session.key", "devices.key")], "new keys"
        assert answered(again.address) == 200
    print("start: says what is missing, finds free ports, keeps its keys, leaves nothing running")


def stopped_in_the_background(tve, folder, number):
    """A script starts the example with `&`, where the shell ignores SIGINT, and ends it by a signal."""
    shell = subprocess.Popen(
        ["sh", "-c", '"$@" & echo $!; wait $!', "sh", sys.executable, str(START), "--tve", tve, "--folder", str(folder),
         "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process, address = int(shell.stdout.readline()), shell.stdout.readline().strip()
    assert answered(address) == 200, shell.communicate()
    os.kill(process, number)
    _, said = shell.communicate(timeout=120)
    assert shell.returncode == 0 and said.endswith("Stopped.\n"), f"{number.name}: {shell.returncode}, {said}"
    assert answered(address) is None, f"nginx still runs after {number.name}"


def child(parent, word):
    """The process that a process of ours has started with a word among its arguments."""
    for number in pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
        if word in pathlib.Path(f"/proc/{number}/cmdline").read_text().split("\0"):
            return int(number)
    raise AssertionError(f"no child of {parent} has {word} among its arguments")


def main():
    tve = str(pathlib.Path(sys.argv[1]).resolve())
    only = os.environ.get("TVE_ONLY", "").split(",")
    with tempfile.TemporaryDirectory(prefix="tve-tv-") as name:
        folder = pathlib.Path(name)
        album = Album(folder)
        with keep_pictures(folder), Browser(folder) as browser:
            for name, check in {
                    "web": check_web, "tv": check_tv, "sdk": check_sdk, "start": check_start}.items():
                if only == [""] or name in only:
                    check(tve, folder, browser, album)
        print(f"pages: {len(album.seen)} states, each in light and dark, {NARROW} and {WIDE} pixels wide, nothing found by axe-core")


if __name__ == "__main__":
    main()
