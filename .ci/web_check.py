#!/usr/bin/env python3
"""Tests the page of Examples/web-sdk, whose code calls AccessEnabler, in a browser: at the gateway's origin and at another one.

    python3 .ci/web_check.py PATH-OF-TVE

Needs what .ci/tv_check.py needs. Everything listens on loopback. TVE_KEEP_PICTURES=FOLDER keeps the pictures of the pages.
"""

import json
import pathlib
import sys
import tempfile

from browser import Browser
from tv_check import Album, Example, answered, keep_pictures, stays_here

MOST_LINES = 200
LIBRARY = pathlib.Path(__file__).resolve().parent.parent / "Examples/web-sdk/access-enabler.js"
# Puts aside what the page hands to the callbacks, for a page that is left has no list any more.
RECORDER = """
    addEventListener("DOMContentLoaded", () => {
      const seen = JSON.parse(sessionStorage.getItem("seen") ?? "[]");
      for (const name of ["setAuthenticationStatus", "displayProviderDialog", "selectedProvider", "setToken",
        "tokenRequestFailed", "preauthorizedResources", "setMetadataStatus", "sendTrackingData", "errorEvent"]) {
        const before = globalThis[name];
        globalThis[name] = (...values) => {
          seen.push([name, ...values]);
          sessionStorage.setItem("seen", JSON.stringify(seen));
          before(...values);
        };
      }
    });
"""


class Visitor:
    """A page of the example, and what its callbacks were called with since the last look."""

    def __init__(self, browser, address):
        self.address, self.page = address, browser.context()
        self.page.call("Page.addScriptToEvaluateOnNewDocument", source=RECORDER)
        self.page.open(address)

    def seen(self):
        """All that the callbacks were called with, also before the browser went to the provider."""
        return json.loads(self.page.run("sessionStorage.getItem('seen')"))

    def calls(self, script):
        """What a call of the library calls back, until nothing has come for half a second; nothing must be under way."""
        return self.page.run(f"""(async () => {{
            const seen = () => JSON.parse(sessionStorage.getItem("seen") ?? "[]");
            async function quiet(least) {{
              for (let [count, rounds] = [-1, 0]; rounds < 10;) {{
                count = seen().length;
                await new Promise((done) => setTimeout(done, 50));
                rounds = seen().length === count && count > least ? rounds + 1 : 0;
              }}
            }}
            await quiet(-1);
            const before = seen().length;
            accessEnabler.{script};
            await quiet(before);
            return seen().slice(before);
        }})()""")

    def status(self, wanted):
        self.page.until("document.readyState === 'complete' && document.getElementById('status')"
                        f" && document.getElementById('status').innerText.includes({json.dumps(wanted)})", 30)


def names(calls):
    return [call[0] for call in calls]


def check(tve, folder, browser, album):
    with Example(tve, folder / "web-sdk") as example:
        broker = example.settings["broker"]["origin"]
        here = f"{example.address}web-sdk/"
        for kind, address in (("same", here), ("other", here.replace("127.0.0.1", "localhost"))):
            visitor = Visitor(browser, address)
            walk(visitor, broker, album, kind)
            page = visitor.page
            # What a script of the page can read: no cookie, and the device's token only where there is no cookie for it.
            kept = page.run("JSON.stringify({...localStorage})")
            assert not page.run("document.cookie") and ("deviceToken" in kept) == (kind == "other"), kept
            cookies = [one for one in page.call("Network.getCookies", urls=[example.address])["cookies"]
                       if one["name"] == "__Host-tve_device"]
            assert bool(cookies) == (kind == "same"), cookies
            stays_here(page, example.address, address, broker)
            logs_nothing(example, kept, cookies)
        # R2 as in the web app's check.
        example.accepted("R1", "R3", "C1", "A1", "A3", "P2", "P3", "Z2", "L1", "H1", "H2", "H3", but={"R2"})
        # With credentials, no page of another origin sees an answer.
        other = Visitor(browser, here.replace("127.0.0.1", "localhost")).page
        for credentials, wanted in (("omit", "answered"), ("include", "refused")):
            found = other.run(f"""fetch('{example.address}v1/devices', {{method: 'POST', body: '{{}}',
                credentials: '{credentials}'}}).then(() => 'answered', () => 'refused')""")
            assert found == wanted, f"credentials {credentials}: {found}"
    print("web-sdk: cancelled, signed in for a play, denied, cut off, signed out, previewed; at the gateway's origin by cookie, "
          "at another one by its token")


def walk(visitor, broker, album, kind):
    page = visitor.page
    visitor.status("You are not signed in.")
    album.look(page, f"web-sdk-{kind}-start")
    given_up(visitor)
    cancelled(visitor)
    signed_in_for_a_play(visitor, broker)
    album.look(page, f"web-sdk-{kind}-signed-in")
    asks(visitor)
    cut_off(visitor)
    page.click("Sign out")
    visitor.status("You are not signed in.")
    assert visitor.calls("getSelectedProvider()") == [
        ["selectedProvider", {"MVPD": "SampleCable", "AE_State": "User Not Authenticated"}]]
    previews(visitor)


def given_up(visitor):
    """The picker is shown, and closed."""
    first = visitor.calls("getAuthentication()")
    assert names(first) == ["displayProviderDialog", "errorEvent"], first
    assert [one["ID"] for one in first[0][1]] == ["SampleCable", "SampleFiber", "TempPass"], first
    assert first[0][1][2]["tempPass"] and first[1][1]["errorId"] == "N000", first
    closed = visitor.calls("setSelectedProvider(null)")
    assert closed[0] == ["setAuthenticationStatus", 0, "Provider not Selected Error"], closed


def cancelled(visitor):
    """A viewer who cancels at the provider, for a play: the page comes back, and the play fails."""
    page = visitor.page
    page.click("SampleNews")
    page.sees("Choose your TV provider")
    page.click("Sample Cable")
    page.sees("Sign in as ana")
    page.click("Cancel")
    page.until("document.getElementById('channels') !== null && JSON.parse(sessionStorage.getItem('seen'))"
               ".some(call => call[0] === 'tokenRequestFailed')", 30)
    found = visitor.seen()
    assert ["tokenRequestFailed", "SampleNews", "User Not Authenticated Error", ""] in found, found


def signed_in_for_a_play(visitor, broker):
    """`getAuthorization` of a viewer who is not signed in goes on by itself when the browser comes back."""
    page = visitor.page
    page.click("SampleNews")
    page.sees("Choose your TV provider")
    page.click("Sample Cable")
    page.sees("Sign in as ana")
    assert page.url.startswith(broker), page.url
    page.click("Sign in as ana")
    visitor.status("Playing SampleNews.")
    assert page.url == visitor.address, page.url
    found = visitor.seen()
    # The page says nothing of the device, and nothing is made up.
    assert ["sendTrackingData", "mvpdSelection", ["SampleCable", "unknown", "unknown", "unknown"]] in found, found
    [token] = [call[2] for call in found if call[0] == "setToken"]
    assert answered(f"{visitor.address.split('web-sdk')[0]}media/SampleNews/index.m3u8?session={token}") == 200


def asks(visitor):
    """Each call of a viewer who is signed in, and what it calls back."""
    assert visitor.calls("checkAuthentication()")[0] == ["setAuthenticationStatus", 1, ""]
    assert visitor.calls("getAuthentication()")[0] == ["setAuthenticationStatus", 1, ""]
    permitted = visitor.calls("checkAuthorization('SampleSports')")
    assert [call for call in permitted if call[0] in ("setAuthenticationStatus", "setToken")][0][1] == 1, permitted
    assert any(call[:2] == ["setToken", "SampleSports"] for call in permitted), permitted
    denied = visitor.calls("getAuthorization('SampleMovies')")
    assert names(denied) == ["tokenRequestFailed", "errorEvent", "sendTrackingData"], denied
    assert denied[0][1:3] == ["SampleMovies", "User not Authorized Error"] and "not in your package" in denied[0][3], denied
    assert denied[1][1]["errorId"] == "Z100" and denied[1][1]["level"] == "error", denied
    assert denied[2][1] == "authorizationDetection" and len(denied[2][2]) == 9, denied
    assert visitor.calls("checkPreauthorizedResources(['SampleMovies', 'SampleNews'])") == [
        ["preauthorizedResources", ["SampleNews"]]]
    # Of others, since no application may ask again for a permit that it has (P3 of the operator's checklist).
    assert visitor.calls("checkPreauthorizedResources(['SampleNight', 'SampleExtra'], false)")[-1][1] == ["SampleExtra"]
    assert visitor.calls("getMetadata('maxRating')") == [
        ["setMetadataStatus", "maxRating", False, {"MPAA": "PG-13", "VCHIP": "TV-14"}]]
    assert visitor.calls("getMetadata('zip')") == [["setMetadataStatus", "zip", False, None]], "not let through"
    assert visitor.calls("getMetadata('TTL_AUTHN')")[0][3].endswith(" GMT +0000")
    assert visitor.calls("getMetadata('DEVICEID')") == [["setMetadataStatus", "DEVICEID", False, None]]
    assert visitor.calls("getSelectedProvider()") == [
        ["selectedProvider", {"MVPD": "SampleCable", "AE_State": "User Authenticated"}]]
    assert visitor.page.run("""(() => {
        try { accessEnabler.setRequestor("web", ["https://sp.example.com"]); } catch (error) { return error.name; }
    })()""") == "TypeError"


def cut_off(visitor):
    """Without a connection nothing is lost but the answer."""
    network = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    visitor.page.call("Network.emulateNetworkConditions", offline=True, **network)
    found = visitor.calls("checkAuthorization('SampleNews')")
    assert ["tokenRequestFailed", "SampleNews", "Generic Authorization Error", ""] in found, found
    assert "setAuthenticationStatus" not in names(found), "nobody has said whether the viewer is signed in"
    assert ["errorEvent", {"errorId": "CFG404", "level": "error"}] in found, found
    visitor.page.call("Network.emulateNetworkConditions", offline=False, **network)
    # The browser's complaints about it are wanted.
    visitor.page.complaints[:] = [text for text in visitor.page.complaints if "ERR_INTERNET_DISCONNECTED" not in text]
    assert visitor.calls("checkAuthentication()")[0] == ["setAuthenticationStatus", 1, ""]


def previews(visitor):
    """Temporary access needs no browser: the play that waited for it goes on at once."""
    visitor.page.click("SampleNews")
    visitor.page.sees("Choose your TV provider")
    visitor.page.click("Free preview")
    visitor.status("Playing SampleNews.")


def logs_nothing(example, kept, cookies):
    tokens = [one["value"] for one in cookies]
    tokens += [json.loads(one).get("deviceToken") for one in json.loads(kept).values()]
    for log in example.folder.glob("*.log"):
        text = log.read_text(errors="replace")
        assert not any(token[:40] in text for token in tokens if token), f"{log.name} holds a device's token"
        assert "returned=" not in text, f"{log.name} holds a one-time code"


def main():
    tve = str(pathlib.Path(sys.argv[1]).resolve())
    lines = len(LIBRARY.read_text().splitlines())
    assert lines <= MOST_LINES, f"{LIBRARY.name} has {lines} lines, and may have {MOST_LINES}"
    with tempfile.TemporaryDirectory(prefix="tve-web-") as name:
        folder = pathlib.Path(name)
        album = Album(folder)
        with keep_pictures(folder), Browser(folder) as browser:
            check(tve, folder, browser, album)


if __name__ == "__main__":
    main()
