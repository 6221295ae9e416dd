#!/usr/bin/env python3
"""Writes seed corpora for the fuzz targets, made from the vectors.

    python3 Fuzz/make_seeds.py FOLDER

makes FOLDER/FuzzTokenText, FOLDER/FuzzSignedText and so on, one for each target. Needs only Python's standard library.
"""

import base64
import binascii
import hashlib
import json
import pathlib
import re
import sys

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "Vectors" / "media_tokens"
KEYS = VECTORS.parent / "keys"
MARKER = b"<signatureInfo>"
# Longer inputs make every run slower and show nothing new; -max_len in run.sh is the same.
LONGEST = 4096

# Small texts of each form that the scanner knows: for a tree without vectors, and for what the vectors do not vary.
SIGNED_TEXTS = [
    b"<authToken/>",
    b"<authToken><a>1</a><b/><c ></c ></authToken>\r\n",
    b"<authToken><a>&lt;&#38;&#x26;&#13;</a>\r\n<b>x\r\ny\rz</b></authToken>",
    b"<authToken><a>x<![CDATA[<&\r\n]]]]><![CDATA[>]]>y]]</a></authToken>",
    "<authToken><a>é€\U0001f600\ufeff\u0085</a></authToken>".encode(),
]
DATES = [
    "2017-03-16 07:39:48 -0700", "2017-03-16T07:39:48Z", "2017/03/16 07:39:48.123456789 +05:30", "1489675188000",
    "2017-03-16 07:39:48 GMT -0700", "2017-03-16 07:39:48_GMT -0700", "2016-02-29 23:59:59.9+1400",
    "0001-01-01 00:00:00 +1400", "9999-12-31 23:59:59 -1400",
]
# Requests and headers of the broker, besides the bodies of the vectors.
BROKER_MESSAGES = [
    "mvpd=M&domainName=example.com&redirectUrl=https%3A%2F%2Fexample.com%2F%3Fa%3D1", "domain=example.com",
    "client_id=c&client_secret=s&grant_type=client_credentials", "SAMLResponse=PD94bWwvPg%3D%3D",
    '{"resources":["W1","<rss/>"]}',
    '{"software_statement":"eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIiwic2NvcGVzIjoiYSJ9.AAAA","redirect_uri":"a:b"}',
    "fingerprint YTE3", "Bearer aaa.bbb.ccc", "192.0.2.7", "2001:db8::1", "::ffff:192.0.2.1", "12345678901234567890",
    "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIiwic2NvcGVzIjoiYSJ9.AAAA",
]
# What some headers hold in Base64, which the fuzz target puts around it.
BROKER_OBJECTS = [
    {"primaryHardwareType": "SetTopBox", "model": "M1", "version": "1", "osName": "tvOS", "osVersion": "11.0",
     "connectionType": "WiFi", "displayWidth": 1920, "connectionSecure": True},
    {"frameworkPermissionInfo": {"accessStatus": "granted", "error": {"code": "1", "message": "m"}},
     "frameworkProviderInfo": {"id": "M", "expirationDate": "1780000000000"}},
    {"email": "user@example.org"},
]
# The fuzz target puts the checksum right.
SNAPSHOTS = [
    '{"version":1,"latest":1768498200000,"device":"D","selections":[{"requestor":"R","mvpd":"M"}],'
    '"issuers":[{"requestor":"R","allowed":["M","Apple"]}],"entries":[{"requestor":"R","mvpd":"M","issuer":"M",'
    '"recorded":1768498200000,"expired":true},{"requestor":"R","mvpd":"M","resource":"X\\n","notBefore":1768498200000,'
    '"notAfter":1768501800000,"issuer":"Apple","recorded":1768498200000}]',
    '{"version":1,"selections":[],"issuers":[],"entries":[]',
]


def token_of(test):
    if "tokenHex" in test:
        return bytes.fromhex(test["tokenHex"])
    if "tokenParts" in test:
        return "".join(part["text"] * part["repeat"] for part in test["tokenParts"]).encode()
    return test["token"].encode()


def plain_of(token):
    """The plain text of a token, or None if it is not plain or Base64 of plain text."""
    for _ in range(3):
        if token.startswith(MARKER):
            return token
        try:
            token = base64.b64decode(re.sub(rb"\s", b"", token), altchars=b"-_" if b"-" in token else None, validate=True)
        except binascii.Error:
            return None
    return None


def claims_in(token):
    """The bytes of what may be claims in a Common Access Token: a string of bytes with a length that begins like a map."""
    for match in re.finditer(rb"[\x40-\x57]|\x58.|\x59..", token, re.DOTALL):
        head = match.group()
        length = head[0] & 31 if len(head) == 1 else int.from_bytes(head[1:], "big")
        claims = token[match.end():match.end() + length]
        if len(claims) == length and claims[:1] >= b"\xa0" and claims[:1] <= b"\xbf":
            yield claims


def seeds():
    for file in sorted(VECTORS.glob("*.json")):
        for group in json.loads(file.read_text()).get("testGroups", []):
            for test in group["tests"]:
                token = token_of(test)
                yield "FuzzTokenText", token
                plain = plain_of(token)
                parts = re.split(rb"</?signatureInfo>", plain, maxsplit=2) if plain else []
                if len(parts) == 3:
                    yield "FuzzDates", parts[1]
                    yield "FuzzSignedText", parts[2]
                    for text in re.findall(rb"<issueTime>([^<]*)<", parts[2]):
                        yield "FuzzDates", text
    for text in SIGNED_TEXTS:
        yield "FuzzSignedText", text
        yield "FuzzTokenText", MARKER + b"AAAA" + MARKER + text
    for text in DATES:
        yield "FuzzDates", text.encode()
    # A key and a number, or a key and changes of three bytes each to a signature or its digest.
    for key in range(5):
        for length in (0, 1, 64, 127, 128, 255, 256):
            yield "FuzzSignature", bytes([key]) + bytes(range(1, 256))[:length].ljust(length, b"\x7f")
        for changes in (b"", b"\x00\x00\x01", b"\x80\x00\x01", b"\x00\x7f\x80\x80\x1f\xff"):
            yield "FuzzSignature", bytes([130 + key]) + changes
    for file in sorted((VECTORS.parent / "metadata_decryption").glob("*_test.json")):
        for group in json.loads(file.read_text())["testGroups"]:
            for test in group["tests"]:
                # What is longer than two blocks of 2048 bits shows nothing more.
                if len(test["value"]) <= 700:
                    yield "FuzzMetadata", test["value"].encode(errors="surrogatepass")
    for file in sorted((VECTORS.parent / "service_responses").glob("*_test.json")):
        for group in json.loads(file.read_text())["testGroups"]:
            for test in group["tests"]:
                yield "FuzzResponses", bytes.fromhex(test["bodyHex"]) if "bodyHex" in test else test["body"].encode()
    for file in sorted((VECTORS.parent / "broker_messages").glob("*_test.json")):
        for group in json.loads(file.read_text())["testGroups"]:
            for test in group["tests"]:
                body = bytes.fromhex(test["bodyHex"]) if "bodyHex" in test else test["body"].encode()
                yield "FuzzBrokerMessages", body
    for text in BROKER_MESSAGES:
        yield "FuzzBrokerMessages", text.encode()
    for value in BROKER_OBJECTS:
        yield "FuzzBrokerMessages", json.dumps(value).encode()
    sessions = json.loads((VECTORS.parent / "playback_sessions" / "playback_session_test.json").read_text())
    for group in sessions["testGroups"]:
        for text in [test["expectedText"] for test in group["issue"]] + [test["text"] for test in group["verify"]]:
            yield "FuzzPlaybackSession", text.encode()
            claims = (text.split(".") + [""])[1]
            yield "FuzzPlaybackSession", base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4))
    grants = json.loads((VECTORS.parent / "playback_sessions" / "edge_grant_test.json").read_text())
    for group in grants["testGroups"]:
        for test in group["verify"]:
            yield "FuzzEdgeGrant", b"\x00" + test["target"].encode()
            yield "FuzzEdgeGrant", b"\x01" + test["cookies"].encode()
        for test in group["issue"]:
            yield "FuzzEdgeGrant", b"\x02" + test["cookies"].partition("=")[2].partition("~hmac")[0].encode()
            yield "FuzzEdgeGrant", b"\x03" + test["path"].encode()
    access = json.loads((VECTORS.parent / "playback_sessions" / "common_access_test.json").read_text())
    for group in access["testGroups"]:
        texts = [test["token"] for test in group["issue"]]
        for text in texts + [test["target"].partition("CAT=")[2] for test in group["verify"]]:
            yield "FuzzCommonAccess", b"\x02" + text.encode()
            if len(text) % 4 == 1 or not re.fullmatch(r"[-\w]*", text):
                continue
            token = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
            yield "FuzzCommonAccess", b"\x00" + token
            yield "FuzzCommonAccess", b"\x01" + token
            for claims in claims_in(token):
                yield "FuzzCommonAccess", b"\x00" + claims
                yield "FuzzCommonAccess", b"\x03" + claims
    lifetimes = VECTORS.parent / "token_lifetimes"
    for group in json.loads((lifetimes / "signed_tokens.json").read_text())["testGroups"]:
        for test in group["tests"]:
            parts = re.split(rb"</?signatureInfo>", plain_of(token_of(test)) or b"", maxsplit=2)
            if len(parts) == 3:
                yield "FuzzLifetimes", parts[2]
    for group in json.loads((lifetimes / "dates.json").read_text())["testGroups"]:
        for test in group["tests"]:
            yield "FuzzLifetimes", test["text"].encode(errors="surrogatepass")
    for text in SNAPSHOTS:
        yield "FuzzLifetimes", text.encode()
    # Small keys are enough: the size changes no path, and every run does arithmetic with them.
    for file in sorted(KEYS.rglob("test-only-*")):
        if file.is_file() and not any(size in file.name for size in ["3072", "4096", "8192", "16384"]):
            yield "FuzzKeys", file.read_bytes()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    counts = {}
    for target, data in seeds():
        if len(data) > LONGEST:
            continue
        folder = pathlib.Path(sys.argv[1]) / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
        counts[target] = counts.get(target, 0) + 1
    print("seeds:", ", ".join(f"{target} {count}" for target, count in sorted(counts.items())))


if __name__ == "__main__":
    main()
