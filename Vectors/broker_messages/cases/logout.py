"""What is left to do to log a user out."""

from . import builder as b

KIND = "logout"
LOGOUT = {"actionName": "logout", "actionType": "interactive", "mvpd": "NorthCable",
          "url": "/api/v2/logout/WAVE/NorthCable?redirectUrl=https%3A%2F%2Fexample.com"}
STEPS = {
    "a browser, a relative address": LOGOUT,
    "a browser, an absolute address": LOGOUT | {"url": "https://idp.example.net/slo?SAMLRequest=PD94&x=1"},
    "the settings of the device": {
        "actionName": "partner_logout", "actionType": "partner_interactive", "mvpd": "CoastTV",
    },
    "nothing": {"actionName": "complete", "actionType": "none", "mvpd": "Trial"},
    "the user was not signed in": {"actionName": "invalid", "actionType": "none", "mvpd": "NorthCable"},
    "an action and a type of other names": LOGOUT | {"actionName": "ask", "actionType": "voice"},
    "names in another case": LOGOUT | {"actionName": "Logout", "actionType": "INTERACTIVE"},
    "without the provider inside": b.without(LOGOUT, "mvpd"),
    "another provider inside": LOGOUT | {"mvpd": "CoastTV"},
    "without an address": b.without(LOGOUT, "url"),
}


def add(suite):
    def accept(comment, given, expected, flags="Logout", faults=()):
        suite.accept(KIND, comment, flags, {"logouts": given}, {"logouts": expected}, faults)

    def refuse(comment, given, code, path, flags="Logout WrongType"):
        suite.refuse(KIND, comment, flags, given, code, path)

    for comment, step in STEPS.items():
        accept(comment, {"NorthCable": step}, [{"key": "NorthCable"} | step])
    accept("nothing at all", {}, [])
    accept("several providers, in their order", {"Z": LOGOUT, "A": STEPS["nothing"]},
           [{"key": "Z"} | LOGOUT, {"key": "A"} | STEPS["nothing"]])
    accept("nulls", {"N": LOGOUT | {"mvpd": None, "url": None}}, [{"key": "N"} | b.without(LOGOUT, "mvpd", "url")],
           "Logout MissingMember")
    accept("unknown members of a step", {"N": LOGOUT | {"method": "GET", "n": 1.0}},
           [{"key": "N"} | LOGOUT | b.other(method="GET", n=1.0)], "Logout UnknownMember")
    accept("a key that is empty, and one in Japanese", {"": LOGOUT, "許可": LOGOUT},
           [{"key": ""} | LOGOUT, {"key": "許可"} | LOGOUT])
    suite.accept(KIND, "unknown members of the body", "Logout UnknownMember", {"logouts": {}, "when": 17},
                 {"logouts": []} | b.other(when=17))
    add_faults(accept)
    refuse("without `logouts`", {"logout": {}}, "missing_member", "/logouts", "Logout MissingMember")
    refuse("`logouts`: null", {"logouts": None}, "missing_member", "/logouts", "Logout MissingMember")
    refuse("`logouts`: an array", {"logouts": [LOGOUT]}, "wrong_type", "/logouts")
    refuse("`logouts`: a text", {"logouts": "none"}, "wrong_type", "/logouts")
    steps = b.compact({"logouts": {str(number): 0 for number in range(1001)}})
    refuse("1001 providers", steps, "too_many", "/logouts", "Logout Size")
    refuse("a provider twice", '{"logouts":{"A":{},"A":{}}}', "duplicate_member", "/logouts", "DuplicateMember")


def add_faults(accept):
    broken = {
        "a text": ("done", "wrong_type", ""), "null": (None, "wrong_type", ""),
        "an array": ([LOGOUT], "wrong_type", ""),
        "without an action": (b.without(LOGOUT, "actionName"), "missing_member", "/actionName"),
        "without a type": (b.without(LOGOUT, "actionType"), "missing_member", "/actionType"),
        "an empty action": (LOGOUT | {"actionName": ""}, "wrong_type", "/actionName"),
        "a number as type": (LOGOUT | {"actionType": 1}, "wrong_type", "/actionType"),
        "a number as provider": (LOGOUT | {"mvpd": 1}, "wrong_type", "/mvpd"),
        "an object as address": (LOGOUT | {"url": {}}, "wrong_type", "/url"),
    }
    for comment, (given, code, path) in broken.items():
        accept(f"a broken step: {comment}", {"A": LOGOUT, "B/~C": given, "D": LOGOUT},
               [{"key": "A"} | LOGOUT, {"key": "D"} | LOGOUT], "Logout Neighbours", [(code, f"/logouts/B~1~0C{path}")])
