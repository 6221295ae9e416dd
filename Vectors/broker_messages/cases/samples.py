"""The 14 kinds of mistakes in the samples of the broker's reference, in bodies of our own; `§` marks the place.

Of its 85 bodies 14 are not JSON: commas are missing between members and between items, a brace after the attributes,
quotes are not escaped, a comma is left over, and lines break inside a string.
"""

SESSION = """{
    "actionName": "%s",
    "actionType": "%s",
    "reasonType": "none"%s,
    "url": "/api/v2/WAVE/sessions/Q7OI0XZ"%s
    %s"code": "Q7OI0XZ",
    "sessionId": "5f0c2a9e-3f51-4c1c-9c43-0e7a4f3d9b11",
    "serviceProvider": "WAVE"
}
"""
STATUS = """{
    "existingParameters": {
        "mvpd": "NorthCable",
        "domain": "example.com"
        §"redirectUrl": "https://example.com",
        "serviceProvider": "WAVE"
    },
    "notAfter": "1780001800000"
}
"""
PROFILES = """{
    "profiles": {
        "%s": {
            "notBefore": 1780000000000,
            "notAfter": 1780086400000,
            "issuer": "Broker",
            "type": "degraded",
            "attributes": {
                "userID": { "value": "degraded-17", "state": "plain" }
            }
        %s
    }
}%s"""
DECISION = """        {
            "resource": "%s",
            "serviceProvider": "WAVE",
            "mvpd": "NorthCable",
            "source": "degradation",
            "authorized": true%s
        }"""
DENIAL = """{
    "decisions": [
        {
            "resource": "W1",
            "serviceProvider": "WAVE",
            "mvpd": "NorthCable",
            "source": "mvpd",
            "authorized": false,
            "error": {
                "status": 403,
                "code": "authorization_denied_by_mvpd",
                "details": "Your plan lacks "§Wave Plus" today."
            }
        }
    ]
}
"""
LOGOUT = """{
    "logouts": {
        "NorthCable": { "actionName": "complete", "actionType": "none", "mvpd": "NorthCable" },
    §}
}
"""
REQUEST = """{
    "software_statement": "eyJhbGciOiJSUzI1NiJ9.§
        eyJzdWIiOiJ3YXZlIn0.
        AAAA"
}
"""


def decisions(resource, more):
    """Two decisions without the comma between them."""
    return '{\n    "decisions": [\n%s\n§%s\n    ]\n}\n' % (DECISION % (resource, more), DECISION.lstrip() % ("W2", ""))


def add(suite):
    def broken(kind, comment, body):
        suite.refuse_syntax(kind, comment, "BrokenSample NotJson", body)

    broken("session", "resumed: no comma before the code", SESSION % ("authenticate", "interactive", "", "", "§"))
    missing = '\n    §"missingParameters": ["mvpd"]'
    text = SESSION % ("retry", "direct", missing, ",", "")
    broken("session", "resumed, still incomplete: no comma before the list", text)
    broken("session-status", "no comma before the address", STATUS)
    broken("profiles", "degraded, by provider: no brace after the attributes", PROFILES % ("NorthCable", "", "§"))
    text = PROFILES % ("CoastTV", "", "\n\n§")
    broken("profiles", "degraded, by code: no brace after the attributes, and more lines", text)
    broken("decisions", "denied: quotes that are not escaped", DENIAL)
    for number, more in enumerate(["", ',\n            "notBefore": 1780000000000', ',\n            "token": {}'], 1):
        broken("decisions", f"degraded, authorized {number}: no comma between the items", decisions("W1", more))
    for number, more in enumerate(["", ',\n            "error": null', ',\n            "notAfter": 1780000000000'], 1):
        broken("decisions", f"degraded, preauthorized {number}: no comma between the items", decisions("Wave-1", more))
    broken("logout", "degraded: a comma after the last step", LOGOUT)
    broken("registration-request", "lines that break inside the statement", REQUEST)
