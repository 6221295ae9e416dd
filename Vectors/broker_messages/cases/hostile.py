"""Bad bodies of every kind."""

from . import builder as b

# Every kind, with its main members and a body that is good.
FULL = {
    "configuration": ("requestor", {"requestor": {"id": "W", "mvpds": []}}),
    "session": ("actionName", {"actionName": "a", "actionType": "b", "sessionId": "s", "serviceProvider": "W"}),
    "session-status": ("existingParameters", {"existingParameters": {"serviceProvider": "W"}}),
    "logout": ("logouts", {"logouts": {}}),
    "credentials": ("client_id", {"client_id": "c", "client_secret": "s"}),
    "access-token": ("access_token", {"access_token": "a.b.c", "created_at": b.START, "expires_in": 60}),
    "registration-error": ("error", {"error": "invalid_client"}),
    "error": ("code", {"code": "x", "status": 400}),
    "profiles": ("profiles", {"profiles": {}}),
    "decisions": ("decisions", {"decisions": []}),
}


def add(suite):
    for kind, (main, body) in FULL.items():
        add_syntax(suite, kind, b.compact(body))
        add_shapes(suite, kind, main)
        add_sizes(suite, kind, b.compact(body))


def add_syntax(suite, kind, good):
    def broken(comment, body):
        suite.refuse_syntax(kind, comment, "NotJson", body)

    broken("empty", "§")
    broken("white space", " \r\n\t§")
    broken("a page", "§<!DOCTYPE html><html><body><h1>429 Too Many Requests</h1></body></html>")
    broken("cut short", good[:-1] + "§")
    broken("letters after it", good + "§x")
    broken("a comma too many", good[:-1] + ",§}")
    broken("a single quotation mark", good[:1] + "§'a':1," + good[1:])
    broken("a string without its end", good[:-1] + ',§"x')
    broken("a line end in a string", good[:-1] + ',"x":"a§\nb"}')
    broken("a broken escape", good[:-1] + ',"x":"a§\\x"}')
    broken("half a surrogate pair", good[:-1] + ',"x":§"\\ud83d"}')
    broken("NaN", good[:-1] + ',"x":§NaN}')
    broken("a number with a leading zero", good[:-1] + ',"x":0§1}')
    broken("non-ASCII before the mistake", good[:-1] + ',"é許":"é許"§;}')
    for comment, data in {
        "NUL": good.encode()[:-1] + b',"x":"\x00"}',
        "NUL after it": good.encode() + b"\x00",
        "not UTF-8": good.encode()[:-1] + b',"x":"\xff"}',
        "UTF-16": good.encode("utf-16"),
        "compressed": b"\x1f\x8b\x08\x00\x00\x00",
    }.items():
        suite.refuse(kind, comment, "NotJson", data, "not_json")


def add_shapes(suite, kind, main):
    for comment, text in {"an array": "[]", "null": "null", "true": "true", "a number": "17", "a text": '"x"'}.items():
        suite.refuse(kind, f"at the top: {comment}", "WrongType", text, "wrong_type")
    suite.refuse(kind, "an empty object", "MissingMember", "{}", "missing_member", f"/{main}")
    suite.refuse(kind, "a member twice", "DuplicateMember", f'{{"{main}":{{}},"{main}":{{}}}}', "duplicate_member")
    suite.refuse(kind, "a member twice, once escaped", "DuplicateMember", '{"ab":1,"a\\u0062":1}', "duplicate_member")
    suite.refuse(kind, "an unknown member twice inside another", "DuplicateMember", '{"x":[{"y":{"z":1,"z":1}}]}',
                 "duplicate_member", "/x/0/y")


def add_sizes(suite, kind, good):
    def deep(levels):
        return good[:-1] + ',"x":' + "[" * levels + "]" * levels + "}"

    suite.refuse(kind, "65 levels", "Depth", deep(64), "too_deep")
    suite.refuse(kind, "2000 levels", "Depth", "[" * 2000, "too_deep")
    if kind == "configuration":
        suite.refuse(kind, "50,001 values", "Size", '{"x":[%s]}' % ",".join(["0"] * 50_000), "too_many")
