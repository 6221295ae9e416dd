#!/usr/bin/env python3
"""Every flow of an entitlement, over HTTP against `tve simulate`. Each states what the broker promises, or stops.

    python3 Examples/simulator/flows.py PATH-OF-TVE [NAME…]

It needs nothing but Python. Names choose flows; without one all are run, each against a simulator of its own.
"""

import subprocess
import sys
import tempfile
import time
import urllib.parse

import variants
from simulation import BRAND, DOMAIN, PROVIDER, REDIRECT, Simulation, denial, error, log_in


def first_screen(simulation):
    """The application has the browser: everything is known at the start."""
    tv = simulation.device()
    assert tv.profiles() == {}
    providers = tv.call("GET", "configuration").json["requestor"]["mvpds"]
    assert PROVIDER in [provider["id"] for provider in providers]
    session = tv.start_session()
    assert (session["actionName"], session["actionType"]) == ("authenticate", "interactive"), session
    assert int(session["notAfter"]) - int(session["notBefore"]) == 30 * 60 * 1000, "a code lasts half an hour"
    by_code = f"profiles/code/{session['code']}"
    assert tv.profiles(by_code) == {}, "a profile before the login"
    log_in(simulation, session["url"])
    profile = tv.profiles(by_code)[PROVIDER]
    assert (profile["type"], profile["issuer"]) == ("regular", PROVIDER), profile
    assert profile["attributes"]["userID"]["state"] == "plain", profile
    assert tv.profiles() == {PROVIDER: profile}
    again = tv.start_session()
    assert (again["actionName"], again["reasonType"]) == ("authorize", "authenticated"), again
    assert simulation.send("GET", session["url"]).status == 400, "a code is good for one login"


def second_screen(simulation):
    """The television shows a code; the telephone picks the provider and signs in."""
    tv, telephone = simulation.device(), simulation.device("telephone")
    answer = tv.call("POST", "sessions", {"domainName": DOMAIN}).json
    assert (answer["actionName"], answer["actionType"]) == ("resume", "direct"), answer
    assert sorted(answer["missingParameters"]) == ["mvpd", "redirectUrl"], answer
    path = f"sessions/{answer['code']}"
    found = telephone.call("GET", path).json
    assert found["device"]["model"] == "TV" and sorted(found["missingParameters"]) == ["mvpd", "redirectUrl"], found
    half = telephone.call("POST", path, {"mvpd": PROVIDER}).json
    assert (half["actionName"], half["missingParameters"]) == ("retry", ["redirectUrl"]), half
    whole = telephone.call("POST", path, {"redirectUrl": REDIRECT}).json
    assert (whole["actionName"], whole["code"]) == ("authenticate", answer["code"]), whole
    assert error(telephone.call("GET", "sessions/AAAAAAA")) == (400, "invalid_authentication_session", "none")
    log_in(simulation, whole["url"])
    assert tv.profiles(f"profiles/code/{answer['code']}")[PROVIDER]["type"] == "regular"
    assert list(tv.profiles()) == [PROVIDER], "the television gets the profile"
    assert telephone.profiles() == {}, "the telephone does not"


def authorize(simulation):
    """A permit has a media token of seven minutes; a denial says why."""
    tv = simulation.device()
    assert denial(tv.decide(BRAND)) == "authenticated_profile_missing"
    tv.sign_in()
    decision = tv.decide(BRAND)
    assert decision["authorized"] is True and decision["source"] == "mvpd", decision
    token = decision["token"]
    assert token["notAfter"] - token["notBefore"] == 7 * 60 * 1000, token
    assert decision["notAfter"] - decision["notBefore"] == 24 * 3600 * 1000, decision
    verify(simulation, token["serializedToken"], BRAND, 0)
    verify(simulation, token["serializedToken"], "another", 14)
    reasons = {
        "sim:deny": "authorization_denied_by_mvpd", "sim:deny-parental": "authorization_denied_by_parental_controls",
        "sim:deny-hba": "authorization_denied_by_hba_policies", "sim:timeout": "network_connection_timeout",
        "sim:too-many": "too_many_resources", "sim:degraded-none": "authorization_denied_by_degradation_rule",
    }
    for resource, reason in reasons.items():
        assert denial(tv.decide(resource)) == reason, resource
    two = tv.call("POST", f"decisions/authorize/{PROVIDER}", {"resources": ["a", "b"]}).json["decisions"]
    assert [denial(one) for one in two] == ["too_many_resources"] * 2, two
    none = tv.call("POST", f"decisions/authorize/{PROVIDER}", {"resources": []})
    assert error(none) == (400, "invalid_parameter_resources", "none")


def verify(simulation, token, resource, exit_code):
    """Lets `tve verify` decide with the simulator's key, as a back end would."""
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as key:
        key.write(simulation.banner["mediaKey"])
        key.flush()
        command = [simulation.process.args[0], "verify", "-", "--keys", key.name, "--requestor", BRAND,
                   "--resource", resource]
        said = subprocess.run(command, input=token, capture_output=True, text=True)
    assert said.returncode == exit_code, f"tve verify: {said.returncode} {said.stdout} {said.stderr}"


def preauthorize(simulation):
    """What could be watched, for information: no tokens, and at most five resources."""
    tv = simulation.device()
    tv.sign_in()
    answer = tv.call("POST", f"decisions/preauthorize/{PROVIDER}", {"resources": ["news", "sim:deny", "sport"]})
    news, denied, sport = answer.json["decisions"]
    for decision in (news, sport):
        assert decision["authorized"] is True and "token" not in decision and "notAfter" not in decision, decision
    assert denial(denied) == "preauthorization_denied_by_mvpd"
    six = tv.call("POST", f"decisions/preauthorize/{PROVIDER}", {"resources": list("abcdef")}).json["decisions"]
    assert [denial(one) for one in six] == ["too_many_resources"] * 6, six


def logout(simulation):
    """The profile is gone with the call; what is left to do depends on the provider."""
    tv = simulation.device()
    tv.sign_in()
    step = tv.log_out()
    assert (step["actionName"], step["actionType"], step["mvpd"]) == ("logout", "interactive", PROVIDER), step
    assert tv.profiles() == {} and denial(tv.decide(BRAND)) == "authenticated_profile_missing"
    back = simulation.send("GET", step["url"])
    assert (back.status, back.headers["Location"]) == (302, REDIRECT), back.body
    assert tv.log_out() == {"actionName": "invalid", "actionType": "none", "mvpd": PROVIDER}
    tv.sign_in("SampleFiber")
    without_page = tv.log_out("SampleFiber")
    assert (without_page["actionName"], "url" in without_page) == ("complete", False), without_page
    elsewhere = urllib.parse.quote("https://example.net/")
    assert error(tv.call("GET", f"logout/{PROVIDER}?redirectUrl={elsewhere}"))[1] == "invalid_parameter_redirect_url"


def revoked_statement(simulation):
    """The operator revokes the application's statement, and with it the credentials of all instances."""
    tv = simulation.device()
    tv.sign_in()
    statement = simulation.control("GET", "state")["requestors"][0]["statements"][0]["id"]
    simulation.control("POST", "revoke", {"statement": statement})
    wanted = (401, "invalid_access_token_client_application", "application-registration")
    assert error(tv.call("GET", "profiles")) == wanted
    token, registration = tv.new_token(), tv.register()
    assert (token.status, token.json["error"]) == (400, "invalid_client"), token.body
    assert (registration.status, registration.json["error"]) == (400, "unapproved_software_statement")
    # With the statement back, the credentials count again, but the sign-ins are lost.
    world = simulation.control("GET", "state")
    world["requestors"][0]["statements"][0]["isRevoked"] = False
    simulation.control("PUT", "state", world)
    assert tv.profiles() == {}


def throttling(simulation):
    """The documented example: one request a second for each address, and ten more that never come back."""
    seconds = [0, .3, .6, .9, *(round(1.2 + tenth / 10, 1) for tenth in range(7)), 2.1, 2.2, 2.4, 2.6, 2.8, 3.1]
    tv = simulation.device()
    simulation.control("PUT", "throttle", {"mode": "documented"})
    for attempt in range(8):
        answers = paced(tv, seconds, f"192.0.2.{attempt}")
        if answers:
            break
    else:
        raise AssertionError("this machine is too busy to send requests in time")
    assert [answer.status for answer in answers] == [200] * 13 + [429] * 3 + [200], [a.status for a in answers]
    refused = answers[13]
    assert refused.headers["Content-Type"].startswith("text/html") and refused.headers["Retry-After"] is None
    assert refused.body.startswith(b"<!DOCTYPE html>"), refused.body
    assert tv.call("GET", "configuration", X_Forwarded_For="198.51.100.1").status == 200, "other addresses are free"


def paced(tv, seconds, address):
    """Sends requests at these seconds after the first; `None` if one was so late that another second may count."""
    answers, start, first_answer = [], time.monotonic(), None
    for second in seconds:
        time.sleep(max(0, start + second - time.monotonic()))
        sent = time.monotonic()
        answers.append(tv.call("GET", "configuration", X_Forwarded_For=address))
        came = time.monotonic()
        first_answer = first_answer or came
        # The simulator counts from the first request, between its sending and its answer.
        if {int(max(0, sent - first_answer)), int(came - start)} != {int(second)}:
            return None
    return answers


FLOWS = [first_screen, second_screen, authorize, preauthorize, logout, *variants.FLOWS, revoked_statement, throttling]


def main():
    tve, names = sys.argv[1], sys.argv[2:]
    unknown = set(names) - {flow.__name__ for flow in FLOWS}
    if unknown:
        sys.exit(f"there is no flow {', '.join(sorted(unknown))}; there are {', '.join(f.__name__ for f in FLOWS)}")
    for flow in FLOWS:
        if not names or flow.__name__ in names:
            with Simulation(tve) as simulation:
                flow(simulation)
            print(f"{flow.__name__}: {flow.__doc__.splitlines()[0]}")


if __name__ == "__main__":
    main()
