"""Asks a service, a gateway and a simulator with the clients that openapi-python-client makes of their contracts."""

import base64
import importlib
import io
import json

from service_check import expect

BRAND, CABLE, CHANNEL = "REF30", "SampleCable", "TestChannel"
ADDRESS = {"X-Client-Address": "192.0.2.8"}


def encoded(text):
    return base64.b64encode(text.encode()).decode()


class Client:
    """A generated package at an address, and the requests that it made."""

    made = set()

    def __init__(self, name, address, token=None):
        self.name, self.models, self.package = name, importlib.import_module(f"{name}_client.models"), importlib.import_module(
            f"{name}_client")
        more = {"base_url": address, "headers": ADDRESS, "httpx_args": {
            "trust_env": False, "event_hooks": {"request": [self.note]}}}
        self.client = self.package.AuthenticatedClient(token=token, **more) if token else self.package.Client(**more)

    def note(self, request):
        Client.made.add(f"{self.name} {request.method} {request.url.raw_path.decode().partition('?')[0]}")

    def __getattr__(self, group):
        return lambda operation, *arguments, **more: self.call(group, operation, *arguments, **more)

    def call(self, group, operation, *arguments, wanted=200, whole=False, **more):
        """What an operation answers, as the class that the contract names for it; with `whole`, the answer itself."""
        module = importlib.import_module(f"{self.name}_client.api.{group}.{operation}")
        answer = module.sync_detailed(*arguments, client=self.client, **more)
        assert answer.status_code == wanted, f"{operation}: {answer.status_code} {answer.content[:500]}"
        return answer if whole else answer.parsed


def verify(address, tokens):
    service = Client("service", address)
    models = service.models
    asked = models.VerifyRequest(next(tokens), BRAND, "DemoChannel")
    expect("a token", service.public("verify_media_token", body=asked).status, models.Status.VALID_TOKEN)
    asked.redeem = True
    verdict = service.public("verify_media_token", body=asked)
    expect("a token that is redeemed", (verdict.valid, verdict.claims.expires - verdict.claims.issued), (True, verdict.claims.ttl))
    expect("the token again", service.public("verify_media_token", body=asked).status, models.Status.TOKEN_REPLAYED)
    unchecked = models.VerifyRequest("nonsense", None, None)
    expect("no token", service.public("verify_media_token", body=unchecked).status, models.Status.INVALID_TOKEN_FORMAT)
    refused = service.public("verify_media_token", body=models.VerifyRequest("x", "", None), wanted=400)
    expect("no JSON of the contract", refused.error.code, "bad_request")

    row = json.dumps(models.VerifyRequest(next(tokens), BRAND, None).to_dict())
    rows = importlib.import_module("service_client.types").File(io.BytesIO(f"{row}\n{row}\nno row\n".encode()))
    verdicts = service.public("verify_media_tokens", body=rows, redeem=True).payload
    expect("a batch", [json.loads(line)["code"] for line in verdicts], ["valid", "replayed", "bad_row"])
    found = service.public("verify_decisions", body=models.DecisionsRequest([{"resource": "x"}]), requestor=BRAND)
    assert found.fault_count > 0, found


def play(address, tokens):
    service = Client("service", address)
    models = service.models
    asked = models.SessionRequest(next(tokens), BRAND, "DemoChannel", cookie=False)
    started = service.public("start_playback_session", body=asked)
    expect("a session", started.status, models.Status.VALID_TOKEN)
    assert started.session_expires > 0, started
    used = service.public("start_playback_session", body=asked, wanted=403)
    expect("a session of a used token", used.code, "replayed")
    segment = f"/live/demo/1.ts?playback_session={started.session}"
    checked = service.public("authorize", x_original_uri=segment, whole=True)
    expect("a segment", checked.headers["X-TVE-Status"], "VALID_TOKEN")
    presented = models.PresentedSession(session=started.session)
    expect("a renewal", service.public("renew_playback_session", body=presented).session_id, started.session_id)
    expect("the end", service.public("end_playback_session", body=presented).revoked, True)
    service.public("renew_playback_session", body=presented, wanted=401)


def operate(internal, decryption, secret, value):
    listener = Client("service", decryption, secret)
    models = listener.models
    expect("user metadata", listener.internal("decrypt_user_metadata", body=models.DecryptionRequest(value)).text, "77754")
    listener.internal("decrypt_user_metadata", body=models.DecryptionRequest("AAAA"), wanted=422)
    service = Client("service", internal)
    expect("health", service.internal("get_health").healthy, True)
    expect("readiness", service.internal("get_readiness", store=models.GetReadinessStore("now")).ready, True)
    assert service.internal("get_version").openssl.startswith("OpenSSL")
    assert "tve_verdicts_total" in service.internal("get_metrics")
    assert "paths" in service.internal("get_description_as_json").to_dict()
    assert service.internal("get_description").payload.read().startswith(b"openapi: 3.")
    revoked = service.internal("revoke_playback_sessions", body=models.RevocationRequest(subscriber="none"))
    assert revoked.until > 1_700_000_000_000, revoked


def watch(address, browse):
    """The gateway's flow from the device to the play."""
    gateway = Client("service", address)
    models = gateway.models
    info = models.DeviceInfo(model="Phone", os_name="Android", display_width=3840)
    device = gateway.apps("register_device", body=models.DeviceRequest("tv", device_info=info), wanted=201, events=1)
    gateway = Client("service", address, device.device_token)
    expect("the choice", gateway.apps("begin_authentication", body=models.SignInRequest()).code, "choose")
    expect("providers", gateway.apps("get_providers").providers[0].id, CABLE)
    step = gateway.apps("begin_authentication", body=models.SignInRequest(CABLE, return_to="https://app.example.com/done"))
    expect("the browser's part", step.code, "open")
    proof = models.ReturnProof(browse(step.url).partition("returned=")[2])
    expect("the return", gateway.apps("prove_return", body=proof).code, "authenticated")
    expect("the sign-in", gateway.apps("get_authentication", wait=1).code, "authenticated")
    expect("the profile", gateway.apps("get_profile", refresh=1).attributes.to_dict(), {"zip": ["77754"]})
    asked = models.PreauthorizationRequest([CHANNEL])
    expect("what may be watched", gateway.apps("preauthorize", body=asked).permitted, [CHANNEL])
    started = gateway.apps("start_play", body=models.PlayRequest(CHANNEL, cookie=False))
    expect("a play", (started.code, started.mvpd), ("playing", CABLE))
    segment = f"/live/{CHANNEL}/1.ts?playback_session={started.session}"
    checked = Client("service", address).public("authorize", x_original_uri=segment, whole=True)
    expect("a segment of the play", checked.headers["X-TVE-Status"], "VALID_TOKEN")
    expect("the sign-out", gateway.apps("log_out", body=models.SignOutRequest()).code, "open")
    expect("the device", gateway.apps("forget_device").code, "forgotten")


class Simulator:
    """Everything that the simulator's contract has."""

    def __init__(self, address, statement, browse):
        self.address, self.browse = address, browse
        self.device = {"x_device_info": encoded(json.dumps({"model": "TV"})), "ap_device_identifier": "fingerprint " + encoded("python")}
        self.client = Client("broker", address)
        self.models = self.client.models
        self.client = self.registered(statement)

    def registered(self, statement):
        """A client with the access token of credentials that a statement brings."""
        info = {"x_device_info": self.device["x_device_info"]}
        made = self.client.registration("register", body=self.models.Registration(statement), wanted=201, **info)
        asked = self.models.TokenRequest(self.models.TokenRequestGrantType("client_credentials"), made.client_id, made.client_secret)
        token = self.client.registration("token", body=asked, wanted=201, **info)
        expect("how long an access token lasts", token.expires_in, 21_600)
        return Client("broker", self.address, token.access_token)

    def broker(self, operation, *arguments, **more):
        return self.client.broker(operation, *arguments, **more)

    def control(self, operation, *arguments, **more):
        return self.client.control(operation, *arguments, **more)

    def look(self):
        expect("health", self.control("health").simulated, True)
        assert "paths" in self.control("openapi_as_json").to_dict()
        assert self.control("openapi").payload.read().startswith(b"openapi: 3.")
        for name in ("media_key", "weak_key", "access_key"):
            assert self.control(name).payload.read().startswith(b"-----BEGIN "), name
        expect("keys", self.control("key_set").keys[0].kty, "RSA")
        expect("a statement", len(self.control("software_statement", requestor=BRAND).split(".")), 3)
        expect("providers", len(self.broker("configuration", BRAND, **self.device).requestor.mvpds), 6)

    def sign_in(self):
        form = self.models.SessionForm(domain_name="127.0.0.1", redirect_url=self.address + "/sim/activate?done=1")
        begun = self.broker("start_session", BRAND, body=form, **self.device)
        expect("what a session without provider lacks", begun.missing_parameters, ["mvpd"])
        expect("the device", self.broker("session", BRAND, begun.code).device["model"], "TV")
        resumed = self.broker("resume_session", BRAND, begun.code, body=self.models.SessionForm(mvpd=CABLE))
        expect("the next action", resumed.action_name, "authenticate")
        self.broker("user_agent", BRAND, begun.code, wanted=302)
        self.browse(self.address + resumed.url)
        profile = self.broker("profile_by_code", BRAND, resumed.code).profiles[CABLE]
        expect("the ZIP codes", profile.attributes["zip"].value, ["77754"])
        expect("profiles", list(self.broker("profiles", BRAND, **self.device).profiles.to_dict()), [CABLE])
        assert self.broker("profile", BRAND, CABLE, **self.device).profiles[CABLE].not_after > profile.not_before

    def decide(self):
        one, several = self.models.Resources([BRAND]), self.models.Resources([BRAND, "sim:deny"])
        token = self.broker("authorize", BRAND, CABLE, body=one, **self.device).decisions[0].token
        expect("how long a media token lasts", token.not_after - token.not_before, 420_000)
        found = self.broker("preauthorize", BRAND, CABLE, body=several, **self.device).decisions
        expect("a denial", found[1].error.code, "preauthorization_denied_by_mvpd")
        self.broker("reset_temporary_access", requestor_id=BRAND, mvpd_id="TempPass", wanted=403)
        owner = self.registered(self.control("software_statement", requestor=BRAND, scope="temporary:passes:owner").strip())
        owner.broker("reset_temporary_access", requestor_id=BRAND, mvpd_id="TempPass", wanted=204)
        owner.broker("reset_promotional_access", requestor_id=BRAND, mvpd_id="PromoPass", key="all", wanted=204)
        back = self.address + "/sim/activate?done=1"
        left = self.broker("logout", BRAND, CABLE, redirect_url=back, **self.device).logouts[CABLE]
        expect("what is left to do", left.action_name, "logout")

    def sign_in_by_partner(self):
        question = self.models.PartnerQuestion("sample-satellite")
        status = {"ap_partner_framework_status": self.control("ask_partner", body=question).status}
        form = self.models.SessionForm(domain_name="example.com", redirect_url="https://example.com/")
        session = self.broker("start_partner_session", BRAND, "Apple", body=form, **self.device, **status)
        question.verification_token = session.authentication_request.request
        answer = self.models.PartnerAnswer(self.control("ask_partner", body=question).saml_response)
        made = self.broker("create_partner_profile", BRAND, "Apple", body=answer, wanted=201, **self.device, **status)
        expect("a partner's profile", made.profiles["SampleSatellite"].type_, "appleSSO")

    def steer(self):
        models = self.models
        world = self.control("world")
        expect("the world, put back", self.control("replace_world", body=world).to_dict(), world.to_dict())
        self.control("change_clock", body=models.ClockChange(set_="2030-01-02T03:04:05Z", freeze=True))
        expect("the clock", self.control("clock").time, 1_893_553_445_000)
        self.control("change_clock", body=models.ClockChange(set_=1_893_553_446_000))
        self.control("activate", "one", body=models.NewScenario("throttled", ["logout"]))
        expect("scenarios", self.control("scenarios").scenarios[0].id, "one")
        self.control("deactivate", "one", wanted=204)
        self.control("change_throttle", body=models.Throttle("documented", 7))
        expect("the throttle", self.control("throttle").retry_after, 7)
        expect("the journal", self.control("requests").requests[0].endpoint, "register")
        self.control("clear_requests", wanted=204)
        self.control("grant_profile", body=models.NewProfile(CABLE, "none", "none"), wanted=404)
        order = models.MediaTokenOrder(BRAND, CHANNEL, CABLE)
        assert self.control("mint_media_token", body=order, wanted=201).serialized_token.startswith("PHNp")
        self.control("expire", body=models.Expiry(models.ExpiryWhat("profiles")), wanted=204)
        self.control("revoke", body=models.Revocation(client="none"), wanted=404)
        self.control("reset", body=models.Beginning(world), wanted=204)


def make(addresses, tokens, value, secret, statement, browse):
    tokens = iter(tokens)
    verify(addresses["public"], tokens)
    play(addresses["public"], tokens)
    operate(addresses["internal"], addresses["decryption"], secret, value)
    watch(addresses["gateway"], lambda url: browse(url, addresses["gateway"]))
    simulator = Simulator(addresses["broker"], statement, browse)
    for step in (simulator.look, simulator.sign_in, simulator.decide, simulator.sign_in_by_partner, simulator.steer):
        step()
    return Client.made
