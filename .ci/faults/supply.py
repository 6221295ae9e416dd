"""Tokens: good ones, each of its own, and bad ones that must never pass."""

import base64
import itertools
import threading

from service_check import ISSUER, KEYS, Template, Tokens

OTHER_KEY = KEYS / "test-only-other-2048.pkcs8.pem"
# The bad ones, and the status with which each has to be refused, whatever else goes wrong.
REFUSALS = {"wrong key": 401, "altered": 401, "ended": 401, "other resource": 403}


class Supply:
    """Makes tokens by signing one of `tve issue` again; may be asked by several threads."""

    def __init__(self, tve, ttl=3600):
        self.tokens, self.numbers, self.lock = Tokens(tve), itertools.count(1), threading.Lock()
        self.ttl = ("--ttl", str(ttl))
        self.templates = {
            "ended": self.tokens.template("--fault", "expired"),
            "other resource": self.tokens.template(*self.ttl, resource="AnotherChannel"),
        }
        self.renew()

    def renew(self):
        """Tokens are issued now from here on."""
        template = self.tokens.template(*self.ttl)
        for kind in ("good", "altered", "wrong key"):
            self.templates[kind] = template

    def token(self, kind="good", key=None):
        """A number and a new token."""
        with self.lock:
            number = next(self.numbers)
        text = self.templates[kind].token(number, OTHER_KEY if kind == "wrong key" else key or ISSUER)
        return number, altered(text) if kind == "altered" else text


def altered(text):
    """The token with another session GUID under the same signature."""
    plain = base64.b64decode(text).decode()
    guid = Template(text).guid
    return base64.b64encode(plain.replace(guid, f"{guid[:-1]}{'0' if guid[-1] != '0' else '1'}").encode()).decode()
