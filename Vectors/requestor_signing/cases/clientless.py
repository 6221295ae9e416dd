"""The HMAC-SHA1 header of clientless requests: made byte by byte, and verified."""

from . import signing
from .service_tokens import ISSUED
from .suite import Suite

SECRET = "5a1f0c7e-test-only-secret"
NOW = ISSUED * 1000 + 123
NONCE = "2f1e0c52-9a0b-4c3d-8e4f-5a6b7c8d9e0f"
URI = "/api/v1/mediatoken"


def signed_part(method="GET", requestor="REF30", nonce=NONCE, time=NOW, uri=URI, algorithm="HMAC-SHA1"):
    return (
        f"{method} requestor_id={requestor}, nonce={nonce}, signature_method={algorithm}, "
        f"request_time={time}, request_uri={uri}"
    )


def header(signed=None, public_key="abc", secret=SECRET, signature=None, **changes):
    signed = signed_part(**changes) if signed is None else signed
    signature = signing.base64_line(signing.hmac_sha1(secret, signed)) if signature is None else signature
    return f"{signed}, public_key={public_key}, signature={signature}"


def suite():
    suite = Suite("ClientlessRequest")
    suite.group("ClientlessSign")
    made(suite)
    refused_to_sign(suite)
    suite.group("ClientlessVerify", secret=SECRET, publicKey="abc")
    verified(suite)
    forms(suite)
    return suite


def made(suite):
    for comment, changes in {
        "a usual request": {}, "POST": {"method": "POST"}, "DELETE": {"method": "DELETE"},
        "a path's tail": {"uri": "/mediatoken"},
        "a whole URL with a query": {"uri": "https://api.example/api/v1/mediatoken?requestor=REF30&resource=a%20b"},
        "commas in a query": {"uri": "/api/v1/checkauthz?resource=a,b,c"},
        "hexadecimal nonce": {"nonce": "9f86d081884c7d659a2feaa0c55ad015"},
        "a requestor with an inner space": {"requestor": "Test Brand"},
        "a requestor with an equals sign": {"requestor": "a=b"},
        "the time 0": {"time": 0}, "the end of the year 9999": {"time": 253_402_300_799_999},
        "another public key": {"public_key": "A-Za-z0-9+/="},
        "a secret in Base64 is not decoded": {"secret": "c2VjcmV0"},
        "a secret with an inner space": {"secret": "two words"},
        "a secret that is not ASCII": {"secret": "gehe\u00efm \u653e"},
        "a secret of one octet": {"secret": "x"},
        "a secret of 64 octets, a block of SHA-1": {"secret": "k" * 64},
        "a secret of 65 octets": {"secret": "k" * 65},
        "a secret of 200 octets": {"secret": "0123456789" * 20},
    }.items():
        sign(suite, comment, "Valid", "valid", **changes)


def refused_to_sign(suite):
    for comment, changes in {
        "an empty method": {"method": ""}, "a method in small letters": {"method": "get"},
        "a method with a space": {"method": "GET x"}, "a method with a line feed": {"method": "GET\n"},
        "an empty requestor": {"requestor": ""}, "a requestor with an outer space": {"requestor": "REF30 "},
        "a requestor that is not ASCII": {"requestor": "caf\u00e9"},
        "an empty nonce": {"nonce": ""}, "a nonce with a space": {"nonce": "a b"},
        "an empty URI": {"uri": ""}, "a URI with a space": {"uri": "/a b"}, "a URI with NUL": {"uri": "/a\0"},
        "an empty public key": {"public_key": ""}, "a public key with a space": {"public_key": "a b"},
        "an empty secret": {"secret": ""}, "a secret with a line feed": {"secret": "x\n"},
        "a secret with an outer space": {"secret": " x"}, "a secret with NUL": {"secret": "a\0b"},
    }.items():
        sign(suite, comment, "UnsuitableText", "unsuitable_text", **changes)
    for comment, changes in {
        "a requestor that reads like the next field": {"requestor": "REF30, nonce=1"},
        "a requestor with a comma": {"requestor": "A,B"},
        "a nonce that reads like the next field": {"nonce": "1, signature_method=HMAC-SHA1"},
        "a URI that reads like the next field": {"uri": "/a, public_key=x"},
        "a header of its own": {"requestor": "REF30\r\nX-Other: 1"},
    }.items():
        sign(suite, comment, "Injection", "unsuitable_text", **changes)
    sign(suite, "an instant before 1970", "Time", "unsuitable_setting", time=-1)
    sign(suite, "the year 10000", "Time", "unsuitable_setting", time=253_402_300_800_000)


def sign(suite, comment, flags, code, method="GET", requestor="REF30", nonce=NONCE, time=NOW, uri=URI,
         public_key="abc", secret=SECRET):
    members = {
        "method": method, "requestor": requestor, "nonce": nonce, "at": time, "uri": uri, "publicKey": public_key,
        "secret": secret, "result": "valid" if code == "valid" else "invalid", "expectedCode": code,
    }
    if code == "valid":
        signed = signed_part(method, requestor, nonce, time, uri)
        members["expectedHeader"] = header(signed, public_key, secret)
    suite.add(comment, flags, **members)


def verified(suite):
    accept(suite, "a usual request", "Valid", header())
    accept(suite, "nothing is checked but signature and time", "Valid", header(method="PUT", requestor="x", uri="/y"),
           expect=(None, None, None))
    accept(suite, "commas in a query", "Valid", header(uri="/a?b=1,2"), expect=(["GET"], ["/a?b=1,2"], ["REF30"]))
    accept(suite, "one of several", "Valid", header(), expect=(["POST", "GET"], ["/x", URI], ["A", "REF30"]))
    for comment, time, code in [
        ("5 minutes ago", NOW - 300_000, "valid"), ("a millisecond earlier", NOW - 300_001, "outside_window"),
        ("in 5 minutes", NOW + 300_000, "valid"), ("a millisecond later", NOW + 300_001, "outside_window"),
        ("seconds instead of milliseconds", ISSUED, "outside_window"), ("the time 0", 0, "outside_window"),
        ("15 digits", 999_999_999_999_999, "outside_window"),
    ]:
        add(suite, comment, "Time", header(time=time), code)
    code = signing.hmac_sha1(SECRET, signed_part())
    for comment, text in {
        "a bit flipped": header(signature=signing.base64_line(bytes([code[0] ^ 1]) + code[1:])),
        "the last bit flipped": header(signature=signing.base64_line(code[:-1] + bytes([code[-1] ^ 1]))),
        "19 octets": header(signature=signing.base64_line(code[:19])),
        "nothing that was signed with this secret": header(secret="other"),
        "the secret and a line feed": header(secret=SECRET + "\n"),
        "another requestor put in": header().replace("REF30", "REF31"),
        "another time put in": header().replace(str(NOW), str(NOW + 1)),
        "another nonce put in": header().replace(NONCE, "x"),
        "the public key is signed too": header(
            signature=signing.base64_line(signing.hmac_sha1(SECRET, signed_part() + ", public_key=abc"))),
        "all zeros": header(signature=signing.base64_line(bytes(20))),
    }.items():
        add(suite, comment, "BadSignature", text, "bad_signature")
    for comment, expect in {
        "another method": (["POST"], [URI], ["REF30"]), "another URI": (["GET"], ["/x"], ["REF30"]),
        "another requestor": (["GET"], [URI], ["ref30"]),
    }.items():
        add(suite, comment, "Expectation", header(), "mismatch", expect=expect)
    for comment, expect in {
        "an empty method is expected": ([""], [URI], ["REF30"]), "no URI is accepted": (["GET"], [], ["REF30"]),
    }.items():
        add(suite, comment, "Expectation", header(), "empty_expectation", expect=expect)
    add(suite, "another public key", "Expectation", header(public_key="abd"), "unknown_public_key")
    add(suite, "another algorithm", "AlgorithmConfusion", header(algorithm="HMAC-SHA256"), "unsupported_algorithm")
    add(suite, "the algorithm in small letters", "AlgorithmConfusion", header(algorithm="hmac-sha1"),
        "unsupported_algorithm")
    add(suite, "forged and too old", "BadSignature", header(secret="other", time=1), "bad_signature")
    add(suite, "too old and another URI", "Expectation", header(time=1, uri="/x"), "mismatch")


def forms(suite):
    good = header()
    signature = good.split("signature=")[1]
    reordered = signed_part().replace(f"requestor_id=REF30, nonce={NONCE}", f"nonce={NONCE}, requestor_id=REF30")
    for comment, text in {
        "nothing": "", "a method alone": "GET", "a method and a space": "GET ", "a word": "Bearer abc",
        "no method": good[4:], "a method in small letters": header(method="get"),
        "two spaces": good.replace("GET ", "GET  "),
        "the signature missing": good.split(", signature=")[0],
        "the nonce missing": good.replace(f"nonce={NONCE}, ", ""), "fields in another order": header(reordered),
        "no space behind a comma": header(signed_part().replace(", ", ",")),
        "a semicolon for a comma": header(signed_part().replace(", ", "; ")),
        "a field that nobody knows": good.replace(", nonce", ", x=1, nonce"),
        "a field twice": good.replace(", nonce", f", nonce={NONCE}, nonce"),
        "a field behind the signature": good + ", x=1", "a space behind": good + " ", "a line feed behind": good + "\n",
        "a name in another case": good.replace("requestor_id", "Requestor_id"),
        "an empty requestor": header(requestor=""), "an empty nonce": header(nonce=""), "an empty URI": header(uri=""),
        "a requestor with a comma": header(requestor="A,B"),
        "a requestor that is not ASCII": header(requestor="\u00e9"),
        "a space in the URI": header(uri="/a b"), "a tab in the nonce": header(nonce="a\tb"),
        "a time with a sign": header(time=f"+{NOW}"), "a time with a leading zero": header(time=f"0{NOW}"),
        "a time with decimals": header(time=f"{NOW}.5"), "a time of 16 digits": header(time="1" * 16),
        "no time": header(time=""), "a time in full-width digits": header(time="\uff11" * 13),
        "a signature in the URL-safe alphabet": header(signature="-" * 26 + "A="),
        "a signature without padding": header(signature=signature.rstrip("=")),
        "a signature with a trailing bit": header(signature="A" * 26 + "B="),
        "an empty signature": header(signature=""), "NUL": good.replace("REF30", "REF\x0030"),
    }.items():
        add(suite, comment, "MalformedToken", text, "malformed")
    add(suite, "8193 octets", "Limits", header(nonce="x" * (8193 - len(header(nonce="")))), "too_large")
    accept(suite, "8192 octets", "Limits", header(nonce="x" * (8192 - len(header(nonce="")))))


def accept(suite, comment, flags, text, **options):
    add(suite, comment, flags, text, "valid", **options)


def add(suite, comment, flags, text, code, expect=(("GET",), (URI,), ("REF30",))):
    if code in {"valid", "bad_signature", "mismatch", "outside_window"}:
        signed, _, rest = text.partition(", public_key=")
        made = signing.base64_line(signing.hmac_sha1(SECRET, signed)) == rest.split("signature=")[1]
        assert made == (code != "bad_signature"), comment
    method, uri, requestor = [None if value is None else list(value) for value in expect]
    suite.add(
        comment, flags, header=text, at=NOW, method=method, uri=uri, requestor=requestor,
        result="valid" if code == "valid" else "invalid", expectedCode=code,
    )
