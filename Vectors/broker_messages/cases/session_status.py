"""What an authentication session has and lacks, and the device that started it."""

from . import builder as b

KIND = "session-status"

EXISTING = {"mvpd": "NorthCable", "domain": "example.com", "redirectUrl": "https://example.com/back?x=1",
            "serviceProvider": "WAVE"}
VERSION = {"major": 10, "minor": 15, "patch": 7, "profile": ""}
# As brokers send it: full of nulls, and the port a string.
DEVICE = {
    "type": "Desktop", "model": None, "version": {"major": 0, "minor": 0, "patch": 0, "profile": ""},
    "hardware": {"name": None, "vendor": "Acme", "version": VERSION, "manufacturer": "Acme Works"},
    "operatingSystem": {"name": "acmeOS", "family": "acme", "vendor": "Acme", "version": VERSION},
    "browser": {"name": "Surf", "vendor": "Acme", "version": VERSION, "userAgent": "Surf/1.0"},
    "display": {"width": 1920, "height": 1080, "name": "DISPLAY", "vendor": None, "version": None, "ppi": 0.5},
    "applicationId": None,
    "connection": {"ipAddress": "192.0.2.7", "port": "55161", "secure": False, "type": None},
}
DEVICE_READ = {
    "type": "Desktop", "version": DEVICE["version"],
    "hardware": {"vendor": "Acme", "version": VERSION, "manufacturer": "Acme Works"},
    "operatingSystem": DEVICE["operatingSystem"],
    "browser": b.without(DEVICE["browser"], "userAgent") | b.other(userAgent="Surf/1.0"),
    "display": {"name": "DISPLAY"} | b.other(width=1920, height=1080, ppi=0.5),
    "connection": {"ipAddress": "192.0.2.7", "port": 55161, "secure": False},
}
WIRE = {"existingParameters": EXISTING, "device": DEVICE, "notBefore": str(b.START), "notAfter": str(b.END)}
READ = {"existingParameters": EXISTING, "missingParameters": [], "device": DEVICE_READ, "notBefore": b.START,
        "notAfter": b.END}


def add(suite):
    def accept(comment, given, expected, flags="SessionStatus", faults=()):
        suite.accept(KIND, comment, flags, given, expected, faults)

    def refuse(comment, given, code, path, flags="SessionStatus WrongType"):
        suite.refuse(KIND, comment, flags, given, code, path)

    def existing(**changes):
        return {"existingParameters": b.changed(EXISTING, changes)}

    accept("nothing is missing", WIRE, READ)
    accept("parameters are missing", WIRE | existing(mvpd=..., redirectUrl=...) | {"missingParameters": ["mvpd"]},
           READ | existing(mvpd=..., redirectUrl=...) | {"missingParameters": ["mvpd"]})
    accept("nothing but the service provider", {"existingParameters": {"serviceProvider": "WAVE"}},
           {"existingParameters": {"serviceProvider": "WAVE"}, "missingParameters": []})
    accept("unknown members", WIRE | {"code": b.CODE} | existing(hint=1),
           READ | {"existingParameters": EXISTING | b.other(hint=1)} | b.other(code=b.CODE),
           "SessionStatus UnknownMember")
    add_spellings(accept)
    add_devices(accept)
    for name in EXISTING:
        refuse(f"{name}: a number", WIRE | existing(**{name: 17}), "wrong_type", f"/existingParameters/{name}")
    for name in ("mvpd", "serviceProvider"):
        refuse(f"{name}: empty", WIRE | existing(**{name: ""}), "wrong_type", f"/existingParameters/{name}")
    refuse("without the service provider", WIRE | existing(serviceProvider=...), "missing_member",
           "/existingParameters/serviceProvider", "SessionStatus MissingMember")
    refuse("without the parameters", b.without(WIRE, "existingParameters"), "missing_member", "/existingParameters",
           "SessionStatus MissingMember")
    refuse("the parameters: an array", WIRE | {"existingParameters": [EXISTING]}, "wrong_type", "/existingParameters")
    refuse("`existing`: a text", {"existing": "WAVE"}, "wrong_type", "/existing")
    refuse("the end: words", WIRE | {"notAfter": "later"}, "bad_timestamp", "/notAfter", "SessionStatus Timestamp")


def add_spellings(accept):
    def spelling(comment, given, expected=READ):
        accept(comment, given, expected, "SessionStatus Spelling")

    renamed = {"existing": EXISTING, "missing": ["a"]}
    spelling("`existing` and `missing`", b.without(WIRE, "existingParameters") | renamed,
             READ | {"missingParameters": ["a"]})
    spelling("`existingParameters`: null, `existing`", WIRE | {"existingParameters": None, "existing": EXISTING})
    spelling("both spellings of the parameters", WIRE | {"existing": {"serviceProvider": "B"}},
             READ | b.other(existing={"serviceProvider": "B"}))
    renamed = b.without(EXISTING, "domain") | {"domainName": "example.com"}
    spelling("the domain as `domainName`", WIRE | {"existingParameters": renamed})
    spelling("both spellings of the domain", WIRE | {"existingParameters": EXISTING | {"domainName": "example.org"}},
             READ | {"existingParameters": EXISTING | b.other(domainName="example.org")})
    spelling("times as numbers", WIRE | {"notBefore": b.START, "notAfter": b.END})


def add_devices(accept):
    def device(comment, changes, expected, flags="SessionStatus"):
        accept(comment, WIRE | {"device": b.changed(DEVICE, changes)},
               READ | {"device": b.changed(DEVICE_READ, expected)}, flags)

    accept("without a device", b.without(WIRE, "device"), b.without(READ, "device"))
    accept("an empty device", WIRE | {"device": {}}, READ | {"device": {}})
    names = {"model": "M1", "applicationId": "app-1"}
    device("every member", names | {"connection": DEVICE["connection"] | {"type": "wifi"}},
           names | {"connection": DEVICE_READ["connection"] | {"type": "wifi"}})
    device("the port as a number", {"connection": {"port": 443, "secure": True}},
           {"connection": {"port": 443, "secure": True}}, "SessionStatus Spelling")
    device("numbers of the version as texts", {"version": {"major": "7", "minor": 1}},
           {"version": {"major": 7, "minor": 1}}, "SessionStatus Spelling")
    device("unknown members", {"skin": "x", "version": VERSION | {"beta": True}, "connection": {"carrier": "C"}},
           {"version": VERSION | b.other(beta=True), "connection": b.other(carrier="C")} | b.other(skin="x"),
           "SessionStatus UnknownMember")
    broken = {
        "a text": ("Desktop", "wrong_type", ""),
        "a model that is a number": (DEVICE | {"model": 7}, "wrong_type", "/model"),
        "a version that is a text": (DEVICE | {"version": "10.15"}, "wrong_type", "/version"),
        "a patch with a fraction": (DEVICE | {"version": {"patch": 0.5}}, "wrong_type", "/version/patch"),
        "hardware that is an array": (DEVICE | {"hardware": []}, "wrong_type", "/hardware"),
        "a vendor that is true": (DEVICE | {"browser": {"vendor": True}}, "wrong_type", "/browser/vendor"),
        "a port that is a word": (DEVICE | {"connection": {"port": "https"}}, "wrong_type", "/connection/port"),
        "an address that is a number": (
            DEVICE | {"connection": {"ipAddress": 7}}, "wrong_type", "/connection/ipAddress"),
        "secure as a text": (DEVICE | {"connection": {"secure": "false"}}, "wrong_type", "/connection/secure"),
    }
    for comment, (given, code, path) in broken.items():
        accept(f"a broken device: {comment}", WIRE | {"device": given}, b.without(READ, "device"),
               "SessionStatus Neighbours", [(code, f"/device{path}")])
