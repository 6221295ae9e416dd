"""The providers of a service provider."""

from . import builder as b

KIND = "configuration"

BARE = {"id": "NorthCable", "displayName": "North Cable", "logoUrl": "https://img.example.com/north.png"}
FULL = BARE | {
    "id": "CoastTV", "displayName": "Coast TV – Küste", "isTempPass": False, "isProxy": True,
    "boardingStatus": "SUPPORTED", "platformMappingId": "coast-tv", "enablePlatformServices": True,
    "displayInPlatformPicker": True, "enforcePlatformPermissions": False, "authPerAggregator": False,
    "passiveAuthnEnabled": True, "authPerBrowserSession": False,
}
TRIAL = BARE | {"id": "Trial", "displayName": "Ten minutes", "isTempPass": True}
DOMAINS = [{"name": "example.com", "mvpdInitiated": False}, {"name": "example.org"}]
FLAGS = [name for name, value in FULL.items() if isinstance(value, bool)]


def requestor(*mvpds, **changes):
    return b.changed({"id": "WAVE", "name": "Wave Network", "domains": DOMAINS, "mvpds": list(mvpds)}, changes)


def body(*mvpds, **changes):
    return {"requestor": requestor(*mvpds, **changes)}


def add(suite):
    def accept(comment, given, expected=None, flags="Configuration", faults=()):
        suite.accept(KIND, comment, flags, given, given if expected is None else expected, faults)

    def refuse(comment, given, code, path, flags="Configuration WrongType"):
        suite.refuse(KIND, comment, flags, given, code, path)

    accept("a provider with three members", body(BARE))
    accept("a provider with every member", body(FULL))
    accept("three providers, in their order", body(TRIAL, FULL, BARE))
    accept("no provider", body())
    accept("a provider with nothing but its id", body({"id": "M"}))
    accept("without name and domains", body(BARE, name=..., domains=...), body(BARE, name=..., domains=[]))
    accept("nulls", body(BARE | dict.fromkeys(FLAGS) | {"boardingStatus": None}, name=None, domains=None),
           body(BARE, name=..., domains=[]), "Configuration MissingMember")
    for flag in FLAGS:
        for value in (True, False):
            accept(f"{flag}: {value}, no other flag", body(BARE | {flag: value}))
    for status in ("PICKER", "SUPPORTED", "picker", "SELECTOR"):
        accept(f"boarding status {status}", body(BARE | {"boardingStatus": status}))
    accept("the same provider twice", body(BARE, BARE))
    accept("identifiers that only look alike", body(BARE | {"id": "Café"}, BARE | {"id": "Cafe\u0301"}))
    add_places(accept, refuse)
    add_unknown(accept)
    add_faults(accept)
    add_refusals(suite, refuse)


def add_places(accept, refuse):
    beside = {"requestor": requestor(mvpds=...), "mvpds": [BARE, FULL]}
    accept("providers beside the requestor", beside, body(BARE, FULL), "Configuration Spelling")
    beside = {"requestor": requestor(mvpds=None), "mvpds": [BARE]}
    accept("providers beside the requestor, null inside", beside, body(BARE), "Configuration Spelling")
    both = {"requestor": requestor(FULL), "mvpds": [BARE]}
    accept("providers in both places: those inside count", both, body(FULL) | b.other(mvpds=[BARE]),
           "Configuration Spelling UnknownMember")
    refuse("providers in neither place", body(mvpds=...), "missing_member", "/requestor/mvpds",
           "Configuration MissingMember")
    refuse("providers beside the requestor, not an array", {"requestor": requestor(mvpds=...), "mvpds": {}},
           "wrong_type", "/mvpds")


def add_unknown(accept):
    def unknown(comment, given, expected):
        accept(comment, given, expected, "Configuration UnknownMember")

    first = {"device": {"type": "SetTopBox"}, "clientType": "html5", "os": "tvOS"}
    unknown("what the samples have beside the requestor", first | body(BARE), body(BARE) | b.other(**first))
    second = {"platform": "roku", "platformCategory": "OTT", "os": "Roku", "sdkType": "clientless", "time": 1.50}
    unknown("what the definition has beside the requestor", second | body(BARE), body(BARE) | b.other(**second))
    unknown("channels", body(BARE, channels=[{"id": "W1"}]),
            {"requestor": requestor(BARE) | b.other(channels=[{"id": "W1"}])})
    unknown("members of a provider", body(BARE | {"rank": 17, "tags": ["a"], "note": None}),
            body(BARE | b.other(rank=17, tags=["a"], note=None)))
    unknown("members of a domain", body(BARE, domains=[{"name": "example.com", "since": "2019"}]),
            body(BARE, domains=[{"name": "example.com"} | b.other(since="2019")]))
    unknown("flags in another case are unknown", body(BARE | {"istemppass": True}),
            body(BARE | b.other(istemppass=True)))


def add_faults(accept):
    def fault(comment, given, expected, *faults):
        accept(comment, given, expected, "Configuration Neighbours", faults)

    mvpds = "/requestor/mvpds"
    broken = {
        "a text": ("M", "wrong_type", ""), "null": (None, "wrong_type", ""), "an array": ([BARE], "wrong_type", ""),
        "without id": (b.without(BARE, "id"), "missing_member", "/id"),
        "with an empty id": (BARE | {"id": ""}, "wrong_type", "/id"),
        "with a number as id": (BARE | {"id": 17}, "wrong_type", "/id"),
        "with a number as name": (BARE | {"displayName": 17}, "wrong_type", "/displayName"),
        "with an object as logo": (BARE | {"logoUrl": {}}, "wrong_type", "/logoUrl"),
        "with a number as status": (BARE | {"boardingStatus": 1}, "wrong_type", "/boardingStatus"),
        "with a number as mapping": (BARE | {"platformMappingId": 1}, "wrong_type", "/platformMappingId"),
    }
    for comment, (given, code, path) in broken.items():
        fault(f"a provider that is broken: {comment}", body(FULL, given, TRIAL), body(FULL, TRIAL),
              (code, f"{mvpds}/1{path}"))
    for flag in FLAGS:
        fault(f"a provider with {flag} as a text", body(BARE | {flag: "true"}, TRIAL), body(TRIAL),
              ("wrong_type", f"{mvpds}/0/{flag}"))
    fault("a domain that is broken", body(BARE, domains=["example.com", *DOMAINS, {"name": ""}]), body(BARE),
          ("wrong_type", "/requestor/domains/0"), ("wrong_type", "/requestor/domains/3/name"))
    fault("nothing but broken providers", body(1, [], True), body(),
          *(("wrong_type", f"{mvpds}/{index}") for index in range(3)))


def add_refusals(suite, refuse):
    refuse("no requestor", {"device": "x"}, "missing_member", "/requestor", "Configuration MissingMember")
    refuse("requestor: null", {"requestor": None}, "missing_member", "/requestor", "Configuration MissingMember")
    refuse("requestor: a text", {"requestor": "WAVE"}, "wrong_type", "/requestor")
    refuse("requestor: an array", {"requestor": [requestor(BARE)]}, "wrong_type", "/requestor")
    refuse("without id", body(BARE, id=...), "missing_member", "/requestor/id", "Configuration MissingMember")
    refuse("an empty id", body(BARE, id=""), "wrong_type", "/requestor/id")
    refuse("a name that is a number", body(BARE, name=17), "wrong_type", "/requestor/name")
    refuse("domains: a text", body(BARE, domains="example.com"), "wrong_type", "/requestor/domains")
    refuse("mvpds: an object", body(BARE, mvpds={"M": BARE}), "wrong_type", "/requestor/mvpds")
    many = '{"requestor":{"id":"W","mvpds":[%s]}}'
    refuse("3001 providers", many % ",".join(["1"] * 3001), "too_many", "/requestor/mvpds", "Configuration Size")
    domains = '{"requestor":{"id":"W","mvpds":[],"domains":[%s]}}'
    refuse("1001 domains", domains % ",".join(["1"] * 1001), "too_many", "/requestor/domains", "Configuration Size")
    suite.refuse(KIND, "a provider with a member twice", "DuplicateMember",
                 '{"requestor":{"id":"W","mvpds":[{"id":"M"},{"id":"A","id":"B"}]}}', "duplicate_member",
                 "/requestor/mvpds/1")
