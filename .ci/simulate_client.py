"""Walks the flows of a simulated broker with a client that openapi-python-client makes from its openapi.yaml.

The client is made in a folder of the run and never kept: it shows that the document is enough to talk to the broker.
"""

import base64
import importlib
import json
import pathlib
import subprocess
import sys

from browser import Browser

BRAND, PROVIDER = "REF30", "SampleCable"
# Media types that the generator does not know; all are files.
SETTINGS = """
content_type_overrides:
  application/yaml: application/octet-stream
  application/x-pem-file: application/octet-stream
  application/x-ndjson: application/octet-stream
post_hooks: []
"""


def generate(document, folder, package="broker_client"):
    """Makes a package in the folder. A part of the document that the generator skips is an error."""
    (folder / "generator.yaml").write_text(SETTINGS)
    generator = pathlib.Path(sys.executable).parent / "openapi-python-client"
    made = subprocess.run(
        [generator, "generate", "--path", document, "--output-path", folder / package, "--meta", "none",
         "--config", folder / "generator.yaml", "--fail-on-warning"], capture_output=True, text=True)
    assert made.returncode == 0 and "WARNING" not in made.stdout + made.stderr, made.stdout + made.stderr
    sys.path.insert(0, str(folder))


def encoded(value):
    return base64.b64encode(value.encode()).decode()


class Walk:
    """A television with the generated client, and a browser for the login."""

    def __init__(self, banner, browser):
        self.package = importlib.import_module("broker_client")
        self.models = importlib.import_module("broker_client.models")
        self.banner, self.browser, self.url = banner, browser, banner["url"]
        self.open = self.package.Client(base_url=self.url, httpx_args={"trust_env": False})
        info = {"model": "TV", "version": "1", "osName": "tvOS", "osVersion": "18.2", "connectionType": "wired"}
        self.info = {"x_device_info": encoded(json.dumps(info))}
        self.device = self.info | {"ap_device_identifier": "fingerprint " + encoded("generated")}
        self.signed_in = None

    def call(self, group, name, *arguments, wanted=200, client=None, **parameters):
        """The answer of an operation, as the class that the document names for it."""
        module = importlib.import_module(f"broker_client.api.{group}.{name}")
        answer = module.sync_detailed(*arguments, client=client or self.signed_in or self.open, **parameters)
        assert answer.status_code == wanted, f"{name}: {answer.status_code} {answer.content[:500]}"
        assert answer.headers["X-Simulated"] == "true", f"{name}: X-Simulated is missing"
        return answer.parsed

    def broker(self, name, *arguments, **parameters):
        return self.call("broker", name, BRAND, *arguments, **parameters)

    def register(self):
        self.signed_in, grant, credentials = self.registered(self.banner["softwareStatement"])
        wrong = self.models.TokenRequest(grant, credentials.client_id, "wrong")
        refused = self.call("registration", "token", body=wrong, wanted=400, **self.info)
        assert refused.error == "invalid_client", refused

    def registered(self, statement):
        """A client with an access token, the kind of grant, and the credentials that a statement brings."""
        statement = self.models.Registration(software_statement=statement)
        credentials = self.call("registration", "register", body=statement, wanted=201, **self.info)
        grant = self.models.TokenRequestGrantType.CLIENT_CREDENTIALS
        request = self.models.TokenRequest(grant, credentials.client_id, credentials.client_secret)
        token = self.call("registration", "token", body=request, wanted=201, **self.info)
        assert token.expires_in == 21600, token
        client = self.package.AuthenticatedClient(
            base_url=self.url, token=token.access_token, httpx_args={"trust_env": False})
        return client, grant, credentials

    def look_at_configuration(self):
        requestor = self.broker("configuration", **self.device).requestor
        providers = {provider.id: provider for provider in requestor.mvpds}
        assert len(providers) == 6 and providers["TempPass"].is_temp_pass is True, providers
        assert providers["SampleSatellite"].boarding_status == "SUPPORTED", providers["SampleSatellite"]
        assert "example.com" in [domain.name for domain in requestor.domains], requestor

    def log_in(self):
        """First an incomplete session, which a second call completes; then a person signs in at the page."""
        form = self.models.SessionForm(domain_name="127.0.0.1", redirect_url=self.url + "/sim/activate?done=1")
        begun = self.broker("start_session", body=form, **self.device)
        assert (begun.action_name, begun.missing_parameters) == ("resume", ["mvpd"]), begun
        found = self.broker("session", begun.code)
        assert found.missing_parameters == ["mvpd"] and found.device["model"] == "TV", found
        session = self.broker("resume_session", begun.code, body=self.models.SessionForm(mvpd=PROVIDER))
        assert (session.action_name, session.action_type) == ("authenticate", "interactive"), session
        assert not self.broker("profile_by_code", session.code).profiles.to_dict(), "a profile before the login"
        self.call("broker", "user_agent", BRAND, session.code, wanted=302, client=self.open)
        page = self.browser.context()
        page.open(self.url + session.url)
        page.sees("Sign in to Sample Cable")
        page.click("Sign in as ok")
        page.sees("You are done")
        profile = self.broker("profile_by_code", session.code).profiles[PROVIDER]
        assert profile.type_ == "regular" and profile.not_before < profile.not_after, profile
        assert profile.attributes["userID"].state == "plain" and profile.attributes["zip"].value == ["77754"], profile

    def look_at_profiles(self):
        assert list(self.broker("profiles", **self.device).profiles.to_dict()) == [PROVIDER]
        assert self.broker("profile", PROVIDER, **self.device).profiles[PROVIDER].issuer == PROVIDER
        assert not self.broker("profile", "SampleFiber", **self.device).profiles.to_dict()

    def decide(self):
        one = self.models.Resources([BRAND])
        decision = self.broker("authorize", PROVIDER, body=one, **self.device).decisions[0]
        assert decision.authorized and decision.token.serialized_token.startswith("PHNp"), decision
        assert decision.token.not_after - decision.token.not_before == 420_000, decision.token
        several = self.models.Resources([BRAND, "sim:deny"])
        first, second = self.broker("preauthorize", PROVIDER, body=several, **self.device).decisions
        assert first.authorized and not first.token, first
        assert not second.authorized and second.error.code == "preauthorization_denied_by_mvpd", second

    def fail(self):
        """Errors are objects of their class, and the page of a proxy is a text."""
        error = self.broker("profile", "Unknown", wanted=400, **self.device)
        assert (error.code, error.status) == ("invalid_parameter_mvpd", 400), error
        scenario = self.models.NewScenario(scenario="throttled", remaining=1)
        self.call("control", "activate", "one", body=scenario)
        assert "429 Too Many Requests" in self.broker("profiles", wanted=429, **self.device)
        entries = self.call("control", "requests").requests
        assert entries[-1].scenario == "throttled" and entries[-1].endpoint == "profiles", entries[-1]

    def log_out(self):
        back = self.url + "/sim/activate?done=1"
        step = self.broker("logout", PROVIDER, redirect_url=back, **self.device).logouts[PROVIDER]
        assert (step.action_name, step.action_type) == ("logout", "interactive"), step
        page = self.browser.context()
        page.open(self.url + step.url)
        page.sees("You are done")
        assert not self.broker("profiles", **self.device).profiles.to_dict(), "a profile after the logout"
        again = self.broker("logout", PROVIDER, redirect_url=back, **self.device).logouts[PROVIDER]
        assert (again.action_name, again.action_type) == ("invalid", "none"), again

    def have_temporary_access(self):
        """Temporary access from the first play to its end, and anew after a reset."""
        one = self.models.Resources([BRAND])
        decision = self.broker("authorize", "TempPass", body=one, **self.device).decisions[0]
        assert decision.authorized and decision.source == "temppass", decision
        self.call("control", "change_clock", body=self.models.ClockChange(advance=601_000))
        over = self.broker("profile", "TempPass", wanted=403, **self.device)
        assert over.code == "temporary_access_duration_limit_exceeded", over
        statement = self.call("control", "software_statement", requestor=BRAND, scope="temporary:passes:owner").strip()
        owner, *_ = self.registered(statement)
        self.call("broker", "reset_temporary_access", requestor_id=BRAND, mvpd_id="TempPass", wanted=204, client=owner)
        assert self.broker("profile", "TempPass", **self.device).profiles["TempPass"].type_ == "temporary"

    def have_the_platform_sign_in(self):
        """The device's platform signs its user on."""
        question = self.models.PartnerQuestion(mapping_id="sample-satellite")
        status = {"ap_partner_framework_status": self.call("control", "ask_partner", body=question).status}
        form = self.models.SessionForm(domain_name="example.com", redirect_url="https://example.com/")
        session = self.broker("start_partner_session", "Apple", body=form, **self.device, **status)
        assert session.action_name == "partner_profile", session
        question.verification_token = session.authentication_request.request
        answer = self.models.PartnerAnswer(self.call("control", "ask_partner", body=question).saml_response)
        made = self.broker("create_partner_profile", "Apple", body=answer, wanted=201, **self.device, **status)
        assert made.profiles["SampleSatellite"].type_ == "appleSSO", made


def walk(document, banner, folder):
    """Makes the client and does everything with it. The banner is the simulator's, with `--output json`."""
    generate(document, folder)
    with Browser(folder) as browser:
        television = Walk(banner, browser)
        steps = [television.register, television.look_at_configuration, television.log_in, television.look_at_profiles,
                 television.decide, television.fail, television.log_out, television.have_temporary_access,
                 television.have_the_platform_sign_in]
        for step in steps:
            step()
    print(f"generated client: {len(steps)} steps, from register to the platform's sign-on")
