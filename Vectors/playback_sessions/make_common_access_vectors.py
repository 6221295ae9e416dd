#!/usr/bin/env python3
"""Writes the test vectors for Common Access Tokens. See README.md.

    python3 make_common_access_vectors.py            write the file
    python3 make_common_access_vectors.py --check    write nothing; exit 1 if the file is not what the script makes

Tokens are made by pycose, from claims that cbor2 encodes; what cbor2 does not write is written by hand. pycose and cwt
must find each signature good, unless the case says that it is not. No clock, no randomness: ES256 is signed as RFC 6979
says it.
"""

import hmac
import json
import pathlib
import sys

try:
    import cbor2
    from pycose.algorithms import HMAC256, HMAC25664, Es256
    from pycose.headers import KID, Algorithm, ContentType
    import common_access
except ImportError:
    # `make test` checks all vectors, and does without these packages; `make deep` installs them.
    print("skipped, because pycose, cwt and cbor2 are not there (requirements.txt)")
    sys.exit()
from cryptography.hazmat.primitives import serialization

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import vector_files

KEYS = pathlib.Path(__file__).resolve().parents[1] / "keys"
NOW = 1_768_498_200
END = NOW + 300
ADDRESS, V6 = "192.0.2.7", "2001:db8::77"
ADDRESS_BYTES, V6_BYTES = bytes([192, 0, 2, 7]), bytes.fromhex("20010db8000000000000000000000077")
FOLDER, FILE = "/live/a/", "/live/a/1.ts"
HOST, ISSUER, AUDIENCE = "edge.example.org", "play.example.org", "edge"
SESSION = bytes(range(16))
FIELD = "CTA-Common-Access-Token"

SECRET = bytes(range(1, 33))
PAIR_FILE, OTHER_PAIR_FILE = "p256/test-only-session.pkcs8.pem", "p256/test-only-other.pkcs8.pem"
HS256, ES256 = common_access.Key(secret=SECRET), common_access.Key.of_file(KEYS / PAIR_FILE)
# Keys that are not in the rings of the cases.
OTHERS = {
    HS256: common_access.Key(secret=bytes(range(33, 65))),
    ES256: common_access.Key.of_file(KEYS / OTHER_PAIR_FILE),
}
NAMES = {HS256: SECRET.hex(), ES256: PAIR_FILE}


# CBOR that cbor2 does not write


def head(kind, number, size=None):
    """A head (RFC 8949 §3) in the shortest form, or with so many bytes after the first."""
    if size is None:
        size = 0 if number < 24 else 1 if number < 1 << 8 else 2 if number < 1 << 16 else 4 if number < 1 << 32 else 8
    if size == 0:
        return bytes([kind << 5 | number])
    return bytes([kind << 5 | {1: 24, 2: 25, 4: 26, 8: 27}[size]]) + number.to_bytes(size, "big")


def cbor(value):
    return cbor2.dumps(value, canonical=True)


def members(*pairs):
    """A map with these members in this order; bytes stand for themselves in CBOR."""
    return head(5, len(pairs)) + b"".join(
        part if isinstance(part, bytes) else cbor(part) for pair in pairs for part in pair)


def indefinite(kind, *parts):
    return bytes([kind << 5 | 31]) + b"".join(parts) + b"\xff"


def text(value):
    return cbor(value)


def claims(path=FOLDER, host=None, **more):
    """The claims of a grant by their numbers, of which some have no name here; None takes one out."""
    uri = {3: {1 if path.endswith("/") else 0: path}}
    if host:
        uri[1] = {0: host}
    numbers = {"iss": 1, "sub": 2, "aud": 3, "exp": 4, "nbf": 5, "iat": 6, "cti": 7, "catreplay": 308, "catv": 310,
               "catnip": 311, "catu": 312, "catm": 313, "catr": 323}
    stated = {"exp": END, "catv": 1, "catu": uri, "catm": ["GET", "HEAD"]} | more
    return {numbers.get(name) or int(name): value for name, value in stated.items() if value is not None}


BASE = claims()


def changed(**more):
    """The usual claims in CBOR with some of them changed, whose values are CBOR already if they are bytes."""
    return members(*sorted(claims(**more).items(), key=lambda member: cbor(member[0])))


def tagged(token):
    return head(6, common_access.WEB_TOKEN_TAG) + token


def network(value, tag=52):
    return cbor2.CBORTag(tag, value)


# The cases


def token(key, payload, **more):
    """A token of pycose whose signature both implementations find good."""
    payload = payload if isinstance(payload, bytes) else cbor(payload)
    made = key.sign(payload, **more)
    if common_access.payload_of(made, key) != payload:
        raise SystemExit("pycose and cwt do not find a signature good")
    return made


def asked(token, path=FILE):
    return f"{path}?CAT={token if isinstance(token, str) else common_access.base64url(token)}"


def issued(key):
    for comment, path, client, session, settings in (
        ("a folder", FOLDER, None, None, {}), ("a file", FILE, None, None, {}),
        ("a folder, bound, of a session", FOLDER, ADDRESS, SESSION, {}),
        ("a file, bound to IPv6", FILE, V6, None, {}),
        ("with all claims", FOLDER, ADDRESS, SESSION, {"host": HOST, "issuer": ISSUER, "audience": AUDIENCE}),
        ("without the tag of a CBOR Web Token", FOLDER, None, SESSION, {"tagged": False}),
    ):
        stated = claims(
            path, settings.get("host"), iss=settings.get("issuer"), aud=settings.get("audience"), cti=session,
            catnip=[network(V6_BYTES, 54) if client == V6 else network(ADDRESS_BYTES)] if client else None)
        made = token(key, stated)
        made = made if settings.get("tagged") is False else tagged(made)
        yield {
            "comment": comment, "path": path, "expires": END * 1000, "client": client,
            "session": session and common_access.base64url(session), "host": None, "issuer": None, "audience": None,
            "tagged": True, **settings, "token": common_access.base64url(made),
        }


def verified(key):
    good = token(key, BASE)
    text_of_good = common_access.base64url(good)
    yield "a folder", asked(good), "valid", {}
    yield "with the tag of a CBOR Web Token", asked(tagged(good)), "valid", {}
    yield "another file of the folder", asked(good, "/live/a/sub/2.ts"), "valid", {}
    yield "a file", asked(token(key, claims(FILE))), "valid", {}
    yield "in a cookie", FILE, "valid", {"cookies": f"a=b; {FIELD}={text_of_good}"}
    yield "in the header field", FILE, "valid", {"header": text_of_good}
    yield "the same in all three places", asked(good), "valid", \
        {"cookies": f"{FIELD}={text_of_good}", "header": text_of_good}
    yield "of a session", asked(token(key, claims(cti=SESSION))), "valid", {}
    yield "the key in the protected header", \
        asked(token(key, BASE, header={Algorithm: key.algorithm, KID: key.kid.encode()}, unprotected={})), "valid", {}
    other = OTHERS[key]
    another = ES256 if key is HS256 else HS256
    yield "a key of the other algorithm in the ring, too", asked(good), "valid", {"keys": [NAMES[another], NAMES[key]]}

    # Time.
    yield "one second before its end", asked(good), "valid", {"at": END - 1}
    yield "at its end", asked(good), "session_expired", {"at": END}
    yield "long after its end", asked(good), "session_expired", {"at": END + 10**9}
    yield "a clock that was set back by 8 days", asked(good), "session_not_yet_valid", {"at": NOW - 8 * 86_400}
    for name in ("nbf", "iat"):
        made = asked(token(key, claims(**{name: NOW})))
        yield f"{name} now", made, "valid", {}
        yield f"{name} 60 seconds ahead", made, "valid", {"at": NOW - 60}
        yield f"{name} 61 seconds ahead", made, "session_not_yet_valid", {"at": NOW - 61}
    yield "nbf before iat", asked(token(key, claims(nbf=NOW - 900, iat=NOW))), "session_not_yet_valid", {"at": NOW - 61}
    yield "iat before nbf", asked(token(key, claims(iat=NOW - 900, nbf=NOW))), "session_not_yet_valid", {"at": NOW - 61}

    # Path and host.
    for comment, path in {
        "a folder whose name goes on": "/live/ab/1.ts", "another folder": "/live/b/1.ts",
        "the folder without its slash": "/live/a", "another case": "/live/A/1.ts", "dots": "/live/a/../b/1.ts",
        "dots as escapes": "/live/a/%2e%2e/b/1.ts", "a slash as an escape": "/live/a/..%2Fb", "two slashes": "/live/a//1",
    }.items():
        yield comment, asked(good, path), "session_path_mismatch", {}
    yield "another file", asked(token(key, claims(FILE)), "/live/a/2.ts"), "session_path_mismatch", {}
    yield "a file whose name goes on", asked(token(key, claims(FILE)), FILE + "x"), "session_path_mismatch", {}
    hosted = asked(token(key, claims(host=HOST)))
    yield "of a host", hosted, "valid", {"host": HOST}
    yield "of another host", hosted, "session_path_mismatch", {"host": "other.example.org"}
    yield "of a host whose name goes on", hosted, "session_path_mismatch", {"host": HOST + ".example"}
    yield "of a host, and none is expected", hosted, "session_path_mismatch", {}
    yield "of no host, and one is expected", asked(good), "session_path_mismatch", {"host": HOST}

    # Issuer and audience.
    named = asked(token(key, claims(iss=ISSUER, aud=AUDIENCE)))
    names = {"issuer": ISSUER, "audience": AUDIENCE}
    yield "of an issuer for an audience", named, "valid", names
    yield "for several audiences", asked(token(key, claims(iss=ISSUER, aud=["x", AUDIENCE]))), "valid", names
    yield "of another issuer", named, "session_issuer_mismatch", names | {"issuer": ISSUER.upper()}
    yield "of an issuer, and none is expected", named, "session_issuer_mismatch", names | {"issuer": None}
    yield "of no issuer, and one is expected", asked(good), "session_issuer_mismatch", {"issuer": ISSUER}
    yield "for another audience", named, "requestor_mismatch", names | {"audience": AUDIENCE + "s"}
    yield "for an audience, and none is expected", named, "requestor_mismatch", names | {"audience": None}
    yield "for no audience, and one is expected", asked(good), "requestor_mismatch", {"audience": AUDIENCE}
    for comment, audiences in {"no audience in a list": [], "other audiences": ["x", "y"]}.items():
        made = asked(token(key, claims(iss=ISSUER, aud=audiences)))
        yield comment, made, "requestor_mismatch", names
        yield f"{comment}, and none is expected", made, "requestor_mismatch", names | {"audience": None}

    # Client.
    bound = asked(token(key, claims(catnip=[network(ADDRESS_BYTES)])))
    sixth = asked(token(key, claims(catnip=[network(V6_BYTES, 54)])))
    yield "bound", bound, "valid", {"client": ADDRESS}
    yield "bound, an address inside IPv6, with a port", bound, "valid", {"client": f"[::ffff:{ADDRESS}]:51008"}
    yield "bound to IPv6", sixth, "valid", {"client": V6}
    yield "bound to IPv6, with zeros", sixth, "valid", {"client": "2001:0DB8:0:0000::0077"}
    yield "bound to another address", bound, "session_client_mismatch", {"client": ADDRESS + "0"}
    yield "bound to another address of IPv6", sixth, "session_client_mismatch", {"client": "2001:db8::78"}
    yield "bound, and no address", bound, "session_client_mismatch", {}
    yield "not bound, and an address", asked(good), "session_client_mismatch", {"client": ADDRESS}

    # Claims that are read without being written.
    for comment, more in {
        "a subject": {"sub": "x"}, "a replay is permitted": {"catreplay": 0}, "no version": {"catv": None},
        "no methods": {"catm": None}, "another method besides": {"catm": ["POST", "HEAD", "GET"]},
    }.items():
        yield comment, asked(token(key, claims(**more))), "valid", {}
    for comment, more in {
        "an unknown claim": {"309": 1}, "an unknown claim, of text": {"60": "x"}, "a negative claim": {"-65537": 1},
        "renewal": {"catr": {0: 0, 1: 120}}, "a header that must match": {"315": {}}, "critical claims": {"45": [312]},
        "a replay is prohibited": {"catreplay": 1}, "a replay is detected": {"catreplay": 2},
        "a replay, false": {"catreplay": False}, "a later version": {"catv": 2}, "version 0": {"catv": 0},
        "a version in text": {"catv": "1"}, "no end": {"exp": None}, "no address": {"catu": None},
        "an end in text": {"exp": str(END)}, "an end with a fraction": {"exp": END + 0.5},
        "an end of whole seconds as a float": {"exp": float(END)}, "an end as a short float": {"exp": 1024.0},
        "a negative end": {"exp": -END}, "an end of 0": {"exp": 0}, "a huge end": {"exp": 10**10},
        "the hugest end": {"exp": 2**64 - 1}, "the lowest end": {"exp": -(2**64)}, "a big number": {"exp": 2**64},
        "an end with a tag": {"exp": cbor2.CBORTag(1, END)}, "no end, but null": {"exp": b"\xf6"},
        "a start in text": {"nbf": str(NOW)}, "a start as a float": {"nbf": float(NOW)}, "a start of 0": {"iat": 0},
        "a huge start": {"nbf": 2**63 - 1}, "a session in text": {"cti": "x" * 16}, "a short session": {"cti": b"\x41x"},
        "a long session": {"cti": cbor(bytes(17))}, "an issuer in bytes": {"iss": b"\x41x"},
        "a subject in bytes": {"sub": b"\x41x"}, "an audience in bytes": {"aud": b"\x41x"},
        "an audience of numbers": {"aud": [1]}, "a method without a list": {"catm": "GET"},
        "other methods": {"catm": ["POST"]}, "no methods in the list": {"catm": []}, "GET alone": {"catm": ["GET"]},
        "HEAD alone": {"catm": ["HEAD"]}, "methods in lower case": {"catm": ["get", "head"]},
        "a method that is a number": {"catm": ["GET", "HEAD", 1]},
    }.items():
        yield comment, asked(token(key, changed(**more))), "bad_session", {}
    for comment, value in {
        "nothing": [], "two addresses": [network(ADDRESS_BYTES), network(V6_BYTES, 54)],
        "a network": [network([24, bytes([192, 0, 2])])], "an address with a prefix": [network([32, ADDRESS_BYTES])],
        "an address and its network": [network([ADDRESS_BYTES, 24])], "an autonomous system": [64496],
        "a text": [ADDRESS], "bytes without a tag": [ADDRESS_BYTES], "a tag without a list": network(ADDRESS_BYTES),
        "the tag of IPv6": [network(ADDRESS_BYTES, 54)], "the tag of IPv4": [network(V6_BYTES)],
        "another tag": [network(ADDRESS_BYTES, 260)], "too short": [network(ADDRESS_BYTES[:3])], "none": [network(b"")],
        "IPv4 inside IPv6": [network(bytes(10) + b"\xff\xff" + ADDRESS_BYTES, 54)],
    }.items():
        yield f"catnip, {comment}", asked(token(key, changed(catnip=cbor(value)))), "bad_session", {"client": ADDRESS}
    for comment, value in {
        "nothing": {}, "no path": {1: {0: HOST}}, "a text": FOLDER, "a path without a way": {3: FOLDER},
        "no way": {3: {}}, "two ways": {3: {0: FILE, 1: FOLDER}}, "a suffix": {3: {2: ".ts"}},
        "within": {3: {3: "/a/"}}, "a regular expression": {3: {4: ["/live/.*"]}}, "SHA-256": {3: {-1: bytes(32)}},
        "SHA-512/256": {3: {-2: bytes(32)}}, "an unknown way": {3: {5: FOLDER}}, "a way in text": {3: {"1": FOLDER}},
        "a scheme": {0: {0: "https"}, 3: {1: FOLDER}}, "a port": {2: {0: "443"}, 3: {1: FOLDER}},
        "a query": {3: {1: FOLDER}, 4: {0: ""}}, "a parent path": {3: {1: FOLDER}, 5: {0: "/live/a"}},
        "a parent path alone": {5: {0: "/live/a"}}, "a file name": {3: {1: FOLDER}, 6: {0: "1.ts"}},
        "a stem": {3: {1: FOLDER}, 7: {0: "1"}}, "an extension": {3: {1: FOLDER}, 8: {0: ".ts"}},
        "an unknown part": {3: {1: FOLDER}, 9: {0: "x"}}, "a negative part": {3: {1: FOLDER}, -1: {0: "x"}},
        "a prefix of a host": {1: {1: "edge"}, 3: {1: FOLDER}}, "everything": {3: {1: "/"}}, "nothing at all": {3: {1: ""}},
        "a prefix that is not a folder": {3: {1: "/live/a"}}, "a folder alone": {3: {0: FOLDER}},
        "a path in bytes": {3: {1: FOLDER.encode()}}, "a path with dots": {3: {1: "/live/a/../b/"}},
        "a path with an escape": {3: {1: "/live/%61/"}}, "a path with a space": {3: {1: "/live/a b/"}},
        "a path without a slash": {3: {1: "live/a/"}}, "a path of another alphabet": {3: {1: "/live/ä/"}},
    }.items():
        yield f"catu, {comment}", asked(token(key, changed(catu=cbor(value)))), "bad_session", {}

    # CBOR that is not deterministic (RFC 8949 §4.2.1), under a good signature.
    address = cbor(BASE[312])
    deep, many = BASE[312], {number: 0 for number in range(100)}
    for _ in range(8):
        deep = {3: deep}
    for comment, payload in {
        "members in another order": members((310, 1), (4, END), (312, address), (313, ["GET", "HEAD"])),
        "an end twice": members((4, END), (4, END), (310, 1), (312, address), (313, ["GET", "HEAD"])),
        "two ends": members((4, END), (4, END + 9), (310, 1), (312, address), (313, ["GET", "HEAD"])),
        "a key that is not in its shortest form": members((head(0, 4, 1), END), (312, address)),
        "two keys in two forms": members((4, END), (head(0, 4, 1), END), (312, address)),
        "an end in eight bytes": members((4, head(0, END, 8)), (312, address)),
        "a version in two bytes": members((4, END), (310, head(0, 1, 1)), (312, address)),
        "a length in two bytes": members((4, END), (312, head(5, 1) + b"\x03" + head(5, 1) + b"\x01"
                                                        + head(3, len(FOLDER), 1) + FOLDER.encode())),
        "a map without a length": indefinite(5, b"\x04", cbor(END), cbor(312), address),
        "a list without a length": members((4, END), (312, address), (313, indefinite(4, text("GET"), text("HEAD")))),
        "a text without a length": members((4, END), (312, head(5, 1) + b"\x03" + head(5, 1) + b"\x01"
                                                      + indefinite(3, text(FOLDER)))),
        "bytes without a length": members((4, END), (7, indefinite(2, cbor(SESSION))), (312, address)),
        "a length that means nothing": members((4, END), (310, b"\x1c"), (312, address)),
        "a break without a start": members((4, END), (310, b"\xff"), (312, address)),
        "a text that is not UTF-8": members((1, b"\x61\xff"), (4, END), (312, address)),
        "a text with half a pair": members((1, b"\x63\xed\xa0\x80"), (4, END), (312, address)),
        "a claim by its name": members((4, END), (312, address), ("exp", END)),
        "a claim whose number is in bytes": members((4, END), (312, address), (b"\x41\x04", END)),
        "a claim whose number is a map": members((4, END), (312, address), (b"\xa0", END)),
        "a tag around the claims": head(6, 55799) + cbor(BASE),
        "bytes after the claims": cbor(BASE) + b"\x00", "the claims twice": cbor(BASE) * 2, "a list": cbor([4, END]),
        "no claims": cbor({}), "no bytes": b"", "a map that is too short": head(5, 5) + cbor(BASE)[1:],
        "a map that is too long": head(5, 3) + cbor(BASE)[1:], "the longest map": head(5, 2**64 - 1) + cbor(BASE)[1:],
        "the longest list": members((4, END), (312, address), (313, head(4, 2**64 - 1))),
        "the longest text": members((1, head(3, 2**64 - 1)), (4, END), (312, address)),
        "the longest text of 63 bits": members((1, head(3, 2**63 - 1)), (4, END), (312, address)),
        "deep": cbor({4: END, 312: deep}), "very deep": head(5, 1) + b"\x04" + b"\x81" * 300 + b"\x00",
        "very deep tags": head(5, 1) + b"\x04" + b"\xc1" * 300 + b"\x00", "many members": cbor(BASE | many),
        "many methods": cbor(BASE | {313: ["GET", "HEAD"] + [""] * 100}),
    }.items():
        yield comment, asked(token(key, payload)), "bad_session", {}

    # Signatures and keys.
    header, unprotected, payload, signature = cbor2.loads(good).value
    tag = cbor2.loads(good).tag

    def structure(*parts, tag=tag):
        return head(6, tag) + head(4, len(parts)) + b"".join(part if isinstance(part, bytes) else cbor(part) for part in parts)

    p, u, m, s = (cbor(part) for part in (header, unprotected, payload, signature))
    if structure(p, u, m, s) != good:
        raise SystemExit("the script does not put together what pycose writes")
    for comment, parts in {
        "a changed end": (p, u, cbor(cbor(claims(exp=END + 1))), s),
        "a changed folder": (p, u, cbor(cbor(claims("/live/b/"))), s),
        "a claim taken out": (p, u, cbor(cbor(claims(catm=None))), s),
        "the signature of another": (p, u, m, cbor(cbor2.loads(token(key, claims("/live/b/"))).value[3])),
        "another key under this name": (p, u, m, cbor(cbor2.loads(other.sign(payload)).value[3])),
        "a shorter signature": (p, u, m, cbor(signature[:-1])), "half a signature": (p, u, m, cbor(signature[:16])),
        "a longer signature": (p, u, m, cbor(signature + b"\0")), "no signature": (p, u, m, cbor(b"")),
        "a signature of zeros": (p, u, m, cbor(bytes(len(signature)))),
        "the name of the key signed, and then not": (p, u, m, cbor(cbor2.loads(token(
            key, BASE, header={Algorithm: key.algorithm, KID: key.kid.encode()}, unprotected={})).value[3])),
    }.items():
        forged = structure(*parts)
        if common_access.payload_of(forged, key) is not None:
            raise SystemExit(f"{comment}: pycose and cwt find the signature good")
        yield comment, asked(forged), "bad_session_signature", {}
    yield "a key that is not known, or not any more", asked(other.sign(payload)), "retired_session_key", {}
    yield "an empty name of the key", asked(structure(p, {4: b""}, m, s)), "retired_session_key", {}
    yield "a name of the key that goes on", asked(structure(p, {4: key.kid.encode() + b"0"}, m, s)), \
        "retired_session_key", {}
    yield "signed by the key of the other algorithm", \
        asked(another.sign(payload, unprotected={KID: key.kid.encode()})), "bad_session", \
        {"keys": [NAMES[key], NAMES[another]]}
    # Who has only the public key must not make a token with it as a secret.
    if key is ES256:
        public = key.pair.public_key()
        encodings, forms = serialization.Encoding, serialization.PublicFormat
        for comment, form, encoding in (
            ("in PEM", forms.SubjectPublicKeyInfo, encodings.PEM), ("in DER", forms.SubjectPublicKeyInfo, encodings.DER),
            ("as a point", forms.UncompressedPoint, encodings.X962),
        ):
            # pycose takes no such secret.
            forged = cbor({1: 5})
            code = hmac.digest(public.public_bytes(encoding, form), cbor(["MAC0", forged, b"", payload]), "sha256")
            yield f"HS256 with the public key as the secret, {comment}", \
                asked(structure(cbor(forged), u, m, cbor(code), tag=17)), "bad_session", {}
    wrong = {HMAC256: 18, Es256: 17}[key.algorithm]
    for comment, parts, number in (
        ("the other structure", (p, u, m, s), wrong), ("the structure of several signers", (p, u, m, s), 98),
        ("the structure of several recipients", (p, u, m, s), 97), ("encrypted", (p, u, m, s), 16),
        ("the other algorithm", (cbor(cbor({1: {17: -7, 18: 5}[tag]})), u, m, s), tag),
        ("the other algorithm and structure", (cbor(cbor({1: {17: -7, 18: 5}[tag]})), u, m, s), wrong),
        ("no algorithm", (cbor(b""), u, m, s), tag), ("an empty header", (cbor(cbor({})), u, m, s), tag),
        ("the algorithm unprotected", (cbor(b""), {1: key.algorithm.identifier, 4: key.kid.encode()}, m, s), tag),
        ("the algorithm in both headers", (p, {1: key.algorithm.identifier, 4: key.kid.encode()}, m, s), tag),
        ("the algorithm in text", (cbor(cbor({1: key.algorithm.fullname})), u, m, s), tag),
        ("the algorithm in a longer form", (cbor(b"\xa1\x01" + head(0 if tag == 17 else 1, 5 if tag == 17 else 6, 1)),
                                            u, m, s), tag),
        ("a member more in the header", (cbor(cbor({1: key.algorithm.identifier, 16: "CAT"})), u, m, s), tag),
        ("a member more that is not protected", (p, {3: 0, 4: key.kid.encode()}, m, s), tag),
        ("no name of the key", (p, {}, m, s), tag), ("a name of the key in text", (p, {4: key.kid}, m, s), tag),
        ("the name of the key in both headers",
         (cbor(cbor({1: key.algorithm.identifier, 4: key.kid.encode()})), u, m, s), tag),
        ("a header that is not in bytes", ({1: key.algorithm.identifier}, u, m, s), tag),
        ("a header that is a list", (cbor(cbor([1])), u, m, s), tag),
        ("three parts", (p, u, m), tag), ("five parts", (p, u, m, s, s), tag),
        ("claims that are not in bytes", (p, u, BASE, s), tag), ("no claims in it", (p, u, b"\xf6", s), tag),
        ("a signature in text", (p, u, m, cbor("x" * 32)), tag), ("the parts in another order", (u, p, m, s), tag),
    ):
        yield comment, asked(structure(*parts, tag=number)), "bad_session", {}
    yield "a type of content", asked(key.sign(payload, header={Algorithm: key.algorithm, ContentType: 0})), "bad_session", {}
    if key is HS256:
        yield "a shorter HMAC", asked(key.sign(payload, header={Algorithm: HMAC25664})), "bad_session", {}
    for comment, made in {
        "no tag": good[1:], "the tag of a CBOR Web Token alone": tagged(good[1:]), "its tag twice": tagged(tagged(good)),
        "the tags in the other order": head(6, tag) + tagged(good[1:]), "a tag in a longer form": head(6, tag, 1) + good[1:],
        "the tag of CBOR around it": head(6, 55799) + good, "bytes after it": good + b"\0", "twice": good + good,
        "a list without a length": good[:1] + indefinite(4, p, u, m, s), "in bytes": cbor(good), "nothing": b"",
        "the header in a longer form": structure(head(2, len(header), 1) + header, u, m, s), "a number": b"\x00",
        "very deep": b"\xd1" * 700, "very deep lists": b"\x81" * 700, "a map": cbor(BASE),
    }.items():
        yield comment, asked(made), "bad_session", {}

    # The text.
    standard = text_of_good.translate(str.maketrans("-_", "+/"))
    for comment, value in {
        "padded": text_of_good + "=", "an escape": "%3" + text_of_good, "a dot": text_of_good + ".",
        "in hexadecimal digits": good.hex() + "0", "a character less": text_of_good[:-1], "a space": "+" + text_of_good,
        "too long": "A" * 1025, "empty": "",
    }.items():
        yield comment, asked(value), "bad_session", {}
    if standard != text_of_good:
        yield "the standard alphabet", asked(standard), "bad_session", {}
    # The longest path leaves room; a subject fills it.
    fits = next(n for n in range(800, 0, -1) if len(common_access.base64url(token(key, claims(sub="x" * n)))) <= 1024)
    yield "the longest one", asked(token(key, claims(sub="x" * fits))), "valid", {}
    yield "one that is too long", asked(token(key, claims(sub="x" * (fits + 2)))), "bad_session", {}
    yield "two parameters", asked(good) + f"&CAT={text_of_good}", "bad_session", {}
    yield "two cookies", FILE, "bad_session", {"cookies": f"{FIELD}={text_of_good}; {FIELD}={text_of_good}"}
    second = common_access.base64url(token(key, claims(exp=END - 1)))
    yield "another in a cookie", asked(good), "bad_session", {"cookies": f"{FIELD}={second}"}
    yield "another in the header field", asked(good), "bad_session", {"header": second}
    yield "another in the header field than in a cookie", FILE, "bad_session", \
        {"cookies": f"{FIELD}={second}", "header": text_of_good}
    yield "an empty cookie beside it", asked(good), "bad_session", {"cookies": f"{FIELD}="}
    yield "a parameter of another case", f"{FILE}?cat={text_of_good}", "bad_session", {}
    yield "no token", FILE, "bad_session", {}


def build():
    number = iter(range(1, 10_000))
    groups = []
    for form, key in (("HS256", HS256), ("ES256", ES256)):
        verify = []
        for comment, target, code, changes in verified(key):
            question = {
                "at": NOW, "cookies": "", "header": None, "client": None, "keys": [NAMES[key]], "host": None,
                "issuer": None, "audience": None,
            } | changes
            question["at"] *= 1000
            verify.append({
                "tcId": next(number), "comment": comment, "result": "valid" if code == "valid" else "invalid",
                "target": target, **question, "expectedCode": code,
            })
        issue = [{"tcId": next(number), **test} for test in issued(key)]
        groups.append({"form": form, "key": NAMES[key], "issue": issue, "verify": verify})
    content = {
        "algorithm": "CommonAccessToken",
        "numberOfTests": sum(len(group["issue"]) + len(group["verify"]) for group in groups),
        "header": [
            "Every value is invented and every key is test-only.",
            "Made by make_common_access_vectors.py with pycose and cbor2, and read by pycose and cwt.",
        ],
        "source": vector_files.SOURCE,
        "testGroups": groups,
    }
    text = json.dumps(content, indent=1) + "\n"
    return [vector_files.VectorFile("common_access_test.json", text, content["numberOfTests"])]


if __name__ == "__main__":
    vector_files.main(__file__, __doc__, build)
