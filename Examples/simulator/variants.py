"""The flows that replace the provider's login: temporary access, degradation, the device's platform, service tokens."""

import hashlib
import json
import pathlib
import subprocess
import tempfile

from simulation import BRAND, DOMAIN, PROVIDER, REDIRECT, denial, encoded, error

PLATFORM_PROVIDER, MAPPING = "SampleSatellite", "sample-satellite"


def temporary_access(simulation):
    """Ten minutes from the first play, and no longer until the operator resets it."""
    tv = simulation.device()
    session = tv.start_session("TempPass")
    assert (session["actionName"], session["reasonType"]) == ("authorize", "temporary") and "code" not in session
    # Only a play starts the clock.
    simulation.control("POST", "clock", {"freeze": True, "advance": 3_600_000})
    first = tv.decide(BRAND, "TempPass")
    assert first["authorized"] is True and first["source"] == "temppass" and first["token"], first
    profile = tv.profiles("profiles/TempPass")["TempPass"]
    assert (profile["type"], profile["notAfter"] - profile["notBefore"]) == ("temporary", 600_000), profile
    assert profile["attributes"]["userID"]["value"].startswith("temppass_"), profile
    assert tv.profiles() == {}, "temporary access is not among the sign-ins"
    simulation.control("POST", "clock", {"advance": 599_999})
    assert tv.decide(BRAND, "TempPass")["authorized"] is True
    simulation.control("POST", "clock", {"advance": 1})
    assert denial(tv.decide(BRAND, "TempPass")) == "temporary_access_duration_limit_exceeded"
    assert error(tv.call("GET", "profiles/TempPass"))[:2] == (403, "temporary_access_duration_limit_exceeded")
    assert tv.decide(BRAND, "TempPass", "preauthorize")["authorized"] is True, "preauthorize permits all"
    tablet = simulation.device("tablet")
    assert tablet.decide(BRAND, "TempPass")["authorized"] is True, "another device has ten minutes of its own"
    reset(tv, "reset", "device_id=another")
    assert tv.call("GET", "profiles/TempPass").status == 403
    reset(tv, "reset", f"device_id={tv.name}")
    assert tv.decide(BRAND, "TempPass")["authorized"] is True


def promotional_access(simulation):
    """Three programmes for a person, on whatever devices."""
    tv, tablet = simulation.device(), simulation.device("tablet")
    refused = tv.call("POST", "decisions/authorize/PromoPass", {"resources": ["a"]})
    assert error(refused)[:2] == (400, "invalid_header_identity_for_temporary_access")
    person = {"AP_TempPass_Identity": encoded({"email": "viewer@example.org"})}
    for device, resource in ((tv, "a"), (tv, "b"), (tv, "a"), (tablet, "c")):
        assert device.decide(resource, "PromoPass", **person)["authorized"] is True, resource
    assert denial(tablet.decide("d", "PromoPass", **person)) == "temporary_access_resources_limit_exceeded"
    assert tablet.decide("a", "PromoPass", **person)["authorized"] is True, "what was watched may be watched again"
    spent = tv.call("GET", "profiles/PromoPass", **person)
    assert error(spent)[:2] == (403, "temporary_access_resources_limit_exceeded")
    key = hashlib.sha256(b"viewer@example.org").hexdigest()
    reset(tv, "reset/generic", f"key={key}", "PromoPass")
    profile = tv.profiles("profiles/PromoPass", **person)["PromoPass"]
    assert profile["attributes"]["remaining_resources"]["value"] > 0, profile


def reset(device, path, query, mvpd="TempPass"):
    """The operator gives temporary access anew, with a statement for resets."""
    simulation = device.simulation
    path = f"/reset-tempass/v3/{path}?requestor_id={BRAND}&mvpd_id={mvpd}&{query}"
    assert simulation.send("DELETE", path).status == 401, "a reset needs an access token"
    assert simulation.send("DELETE", path, headers=device.headers).status == 403, "that of an application does not do"
    statement = simulation.send("GET", f"/sim/software-statement?requestor={BRAND}&scope=temporary:passes:owner")
    owner = simulation.device("owner", statement.body.decode().strip())
    assert simulation.send("DELETE", path, headers=owner.headers).status == 204


def degradation_admits_all(simulation):
    """AuthNAll: the provider's login is down, so all viewers are let in without."""
    simulation.set_rule("admit-all")
    tv = simulation.device()
    session = tv.start_session()
    assert (session["actionName"], session["reasonType"]) == ("authorize", "degraded"), session
    profile = tv.profiles(f"profiles/{PROVIDER}")[PROVIDER]
    assert (profile["type"], profile["issuer"]) == ("degraded", "Adobe"), profile
    assert profile["attributes"]["userID"]["value"].startswith("95cf93bcd183214a"), profile
    assert tv.profiles() == {}, "a degraded profile is not among the sign-ins"
    for call, has_token in (("authorize", True), ("preauthorize", False)):
        decision = tv.decide(BRAND, call=call)
        assert (decision["authorized"], decision["source"], "token" in decision) == (True, "degradation", has_token)
    assert tv.log_out()["actionName"] == "complete"
    assert tv.start_session("SampleFiber")["actionName"] == "authenticate", "other providers work as ever"


def degradation_permits_all(simulation):
    """AuthZAll: the provider's decisions are down, so everything is permitted after a login."""
    simulation.set_rule("permit-all")
    tv = simulation.device()
    assert denial(tv.decide(BRAND)) == "authenticated_profile_missing"
    tv.sign_in()
    assert tv.profiles()[PROVIDER]["type"] == "regular"
    for call in ("authorize", "preauthorize"):
        decision = tv.decide(BRAND, call=call)
        assert (decision["authorized"], decision["source"]) == (True, "degradation"), decision


def degradation_permits_none(simulation):
    """AuthZNone: nothing is permitted."""
    simulation.set_rule("permit-none")
    tv = simulation.device()
    tv.sign_in()
    for call in ("authorize", "preauthorize"):
        decision = tv.decide(BRAND, call=call)
        assert denial(decision) == "authorization_denied_by_degradation_rule", decision
        assert decision["source"] == "degradation", decision


def partner_sign_on(simulation):
    """The device's platform knows the viewer: the broker asks it, and its answer makes the profile."""
    tv, status = simulation.device(), platform(simulation)
    session = start_with_platform(tv, status)
    assert (session["actionName"], session["reasonType"]) == ("partner_profile", "none"), session
    request = session["authenticationRequest"]["request"]
    answer = {"mappingId": MAPPING, "verificationToken": request}
    saml = simulation.control("POST", "partner", answer)["samlResponse"]
    made = tv.call("POST", "profiles/sso/Apple", {"SAMLResponse": saml}, **status)
    assert made.status == 201 and made.json["profiles"][PLATFORM_PROVIDER]["type"] == "appleSSO", made.body
    again = tv.call("POST", "profiles/sso/Apple", {"SAMLResponse": saml}, **status)
    assert error(again)[:2] == (400, "invalid_parameter_saml_response"), "an answer counts once"
    assert tv.profiles(**status)[PLATFORM_PROVIDER]["issuer"] == "Apple"
    assert tv.profiles() == {}, "without a current status the profile is not shown"
    assert tv.decide(BRAND, PLATFORM_PROVIDER, **status)["authorized"] is True
    step = tv.log_out(PLATFORM_PROVIDER)
    assert step == {"actionName": "partner_logout", "actionType": "partner_interactive", "mvpd": PLATFORM_PROVIDER}


def partner_fallbacks(simulation):
    """What the platform cannot do falls back to the provider's login, and says why."""
    # Of each choice of the viewer: the answer to a session, and the error of a profile.
    refusals = {
        None: "invalid_header_pfs_permission_access_not_present",
        "denied": "invalid_header_pfs_permission_access_not_granted",
        "undetermined": "invalid_header_pfs_permission_access_not_determined",
        "other": "invalid_header_pfs_provider_id_not_determined",
        "cancel": "invalid_header_pfs_provider_id_not_determined",
        "unsupported": "invalid_header_pfs_provider_id_not_determined",
        "expired": "invalid_header_pfs_provider_info_expired",
    }
    tv = simulation.device()
    for choice, code in refusals.items():
        status = platform(simulation, permission=choice) if choice else {}
        session = start_with_platform(tv, status)
        assert session["reasonType"] == "pfs_fallback" and session["actionName"] in ("authenticate", "resume"), session
        assert session["code"] and "authenticationRequest" not in session, session
        refused = tv.call("POST", "profiles/sso/Apple", {"SAMLResponse": encoded("none")}, **status)
        assert error(refused)[:2] == (400, code), (choice, refused.body)
    # A provider that is only shown in the platform's picker, and one that the broker does not know.
    for mapping, provider in (("sample-wireless", "SampleWireless"), ("unknown", None)):
        session = start_with_platform(tv, platform(simulation, mappingId=mapping))
        assert (session["reasonType"], session.get("mvpd")) == ("configuration_fallback", provider), session
    session = start_with_platform(tv, platform(simulation), {"domainName": DOMAIN})
    assert session["reasonType"] == "missing_parameters_fallback", session
    assert (session["actionName"], session["missingParameters"]) == ("resume", ["redirectUrl"]), session


def platform(simulation, **question):
    """The header field that an application makes of what its platform says."""
    said = simulation.control("POST", "partner", {"mappingId": MAPPING} | question)
    return {"AP_Partner_Framework_Status": said["status"]}


def start_with_platform(tv, status, form=None):
    answer = tv.call("POST", "sessions/sso/Apple", form or {"domainName": DOMAIN, "redirectUrl": REDIRECT}, **status)
    assert answer.status == 200, answer.body
    return answer.json


def service_token(simulation):
    """The brand's own account carries the sign-in from one device to another, and the logout back."""
    with tempfile.TemporaryDirectory() as folder:
        keys = [pathlib.Path(folder, name) for name in ("brand.key", "stranger.key")]
        tve = simulation.process.args[0]
        for key in keys:
            subprocess.run([tve, "keys", "generate", "--out", key, "--unencrypted"], check=True, capture_output=True)
        public = subprocess.check_output([tve, "keys", "convert", keys[0]], text=True)
        world = simulation.control("GET", "state")
        world["requestors"][0]["serviceTokenKeys"] = [public]
        simulation.control("PUT", "state", world)
        household = {"AD_Service_Token": signed(tve, keys[0], "household-1")}
        neighbour = {"AD_Service_Token": signed(tve, keys[0], "household-2")}
        forged = {"AD_Service_Token": signed(tve, keys[1], "household-1")}
    tv, tablet = simulation.device(), simulation.device("tablet")
    tv.sign_in(**household)
    assert tv.profiles(**household)[PROVIDER]["type"] == "regular"
    assert tablet.profiles(**household)[PROVIDER]["type"] == "serviceTokenSSO"
    session = tablet.start_session(**household)
    assert (session["actionName"], session["reasonType"]) == ("authorize", "authenticatedSSO"), session
    assert tablet.decide(BRAND, **household)["authorized"] is True
    for stranger in ({}, neighbour, forged):
        assert tablet.profiles(**stranger) == {}, stranger
        assert denial(tablet.decide(BRAND, **stranger)) == "authenticated_profile_missing"
    journal = json.dumps(simulation.control("GET", "requests"))
    assert "AD-Service-Token is not taken" in journal and forged["AD_Service_Token"] not in journal
    assert tablet.log_out(**household)["actionName"] == "logout"
    assert tv.profiles(**household) == {} and tablet.profiles(**household) == {}


def signed(tve, key, subject):
    return subprocess.check_output(
        [tve, "sign", "service-token", "--key", key, "--key-id", "one", "--issuer", "accounts.example", "--subject",
         subject, "--audience", "adobe", "--lifetime", "300"], text=True).strip()


FLOWS = [temporary_access, promotional_access, degradation_admits_all, degradation_permits_all,
         degradation_permits_none, partner_sign_on, partner_fallbacks, service_token]
