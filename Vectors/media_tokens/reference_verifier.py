#!/usr/bin/env python3
"""A second opinion on media tokens: a deliberately plain verifier, for tests only.

It shares nothing with the Swift code but the rules. It prefers being easy to check over being fast, and it is
not meant to guard anything. RSA is left to `cryptography`; everything else is spelled out here.

    python3 reference_verifier.py --keys FILE… < rows.ndjson > verdicts.ndjson

A row:      {"id": any, "token": "…" (or "tokenHex": "…"), "requestor": "…"|null, "resource": "…"|null,
             "at": ms, "leeway": ms?, "allowSHA1": bool?}
A verdict:  {"id": …, "status": "…", "code": "…", "claims": {…}?}
"""

import argparse
import base64
import json
import pathlib
import re
import sys
from dataclasses import dataclass, field
from datetime import date

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

MAXIMUM_SIZE = 65_536
MAXIMUM_TTL = 86_400_000
FUTURE_TOLERANCE = 60_000

STATUS = {
    "valid": "VALID_TOKEN",
    "malformed": "INVALID_TOKEN_FORMAT",
    "too_large": "INVALID_TOKEN_FORMAT",
    "foreign_token": "INVALID_TOKEN_FORMAT",
    "bad_signature": "INVALID_SIGNATURE",
    "expired": "TOKEN_EXPIRED",
    "not_yet_valid": "TOKEN_NOT_YET_VALID",
    "resource_mismatch": "INVALID_RESOURCE_ID",
    "requestor_mismatch": "INVALID_REQUESTOR_ID",
}

OPENING = b"<signatureInfo>"
CLOSING = b"</signatureInfo>"
BOM = b"\xef\xbb\xbf"
WHITE_SPACE = b" \t\r\n"

ROOTS = {"authToken", "shortAuthorizationToken"}
FOREIGN_ROOTS = {"simpleAuthenticationToken", "simpleAuthorizationToken"}
REQUIRED = ["sessionGUID", "requestorID", "resourceID", "ttl", "issueTime", "mvpdId"]
KNOWN = {*REQUIRED, "proxyMvpdId"}


class Refusal(Exception):
    """The first step that failed, by its code."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


@dataclass
class Request:
    token: bytes
    requestor: str | None
    resource: str | None
    at: int
    leeway: int = 0
    allow_sha1: bool = False


@dataclass
class Verdict:
    code: str
    claims: dict | None = None
    status: str = field(init=False)

    def __post_init__(self):
        self.status = STATUS[self.code]


def verify(request, keys):
    """All steps in their order. `keys` are RSA public keys of `cryptography`."""
    claims = None
    try:
        plain, raw_pluses = decode(request.token)
        signature, signed_part, offset = split(plain)
        raw_pluses = {index - offset for index in raw_pluses if index >= offset}
        body = matching_candidate(signature, signed_part, raw_pluses, keys, request.allow_sha1)
        claims = read_fields(body)
        check_expectations(claims, request)
    except Refusal as refusal:
        return Verdict(refusal.code, claims)
    return Verdict("valid", claims)


# --- Size and decoding --------------------------------------------------------------------------------------


def decode(token):
    """The plain bytes, and the positions of each `+` that was not percent-encoded in percent-encoded input."""
    if len(token) > MAXIMUM_SIZE:
        raise Refusal("too_large")
    data = without_front(token)
    if not data:
        raise Refusal("malformed")
    raw_pluses = set()
    if data.startswith(OPENING):
        plain = data
    elif re.match(rb"%3[Cc]signatureInfo%3[Ee]", data):
        plain, raw_pluses = percent_decoded(data)
    else:
        plain = without_layers(data)
    if b"\x00" in plain or not is_utf8(plain):
        raise Refusal("malformed")
    return plain, raw_pluses


def without_front(data):
    """Drops one byte order mark in front, and white space before and after it."""
    return data.lstrip(WHITE_SPACE).removeprefix(BOM).lstrip(WHITE_SPACE)


def is_utf8(data):
    try:
        data.decode("utf-8", "strict")
    except UnicodeDecodeError:
        return False
    return True


def percent_decoded(data):
    plain, raw_pluses, index = bytearray(), set(), 0
    while index < len(data):
        if data[index : index + 1] == b"%":
            digits = data[index + 1 : index + 3]
            if not re.fullmatch(rb"[0-9A-Fa-f]{2}", digits):
                raise Refusal("malformed")
            plain.append(int(digits, 16))
            index += 3
        else:
            if data[index : index + 1] == b"+":
                raw_pluses.add(len(plain))
            plain.append(data[index])
            index += 1
    return bytes(plain), raw_pluses


def without_layers(data):
    """Removes one or two layers of Base64. Names the look-alikes on the way."""
    for _ in range(2):
        if is_lookalike(data):
            raise Refusal("foreign_token")
        data = without_front(base64_decoded(data))
        if data.startswith(OPENING):
            return data
    raise Refusal("foreign_token" if is_lookalike(data) else "malformed")


def is_lookalike(data):
    return is_json_web_token(data) or is_signed_xml(data)


def is_json_web_token(data):
    """Three parts are a JWT, five a JWE. A part may be empty (no signature, no encrypted key), the first not."""
    text = data.rstrip(WHITE_SPACE)
    return re.fullmatch(rb"eyJ[\w-]*(\.[\w-]*){2}((\.[\w-]*){2})?", text, re.ASCII) is not None


def is_signed_xml(data):
    """Another service's `authToken` under XML-DSig."""
    if not re.match(rb"(<\?xml[ \t\r\n][^>]*\?>[ \t\r\n]*)?<authToken[ \t\r\n/>]", data):
        return False
    return b"<Signature" in data or b"http://www.w3.org/2000/09/xmldsig#" in data


# --- Base64 -------------------------------------------------------------------------------------------------

STANDARD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
URL_SAFE = STANDARD[:62] + b"-_"


def base64_decoded(data):
    """One outer layer: either alphabet, padded or not, line breaks anywhere, a space for a lost `+`."""
    text = re.sub(rb"[\t\r\n]", b"", data)
    symbols = text.strip(b" ").replace(b" ", b"+")
    if len(symbols) % 4 == 3 and b"=" not in symbols and text.endswith(b" "):
        symbols += b"+"
    alphabet = URL_SAFE if b"-" in symbols or b"_" in symbols else STANDARD
    if b"=" not in symbols:
        symbols += b"=" * (-len(symbols) % 4)
    return canonical_base64_decoded(symbols, alphabet)


def signature_decoded(data):
    """The signature's own Base64: standard alphabet, padded."""
    text = re.sub(rb"[\t\r\n]", b"", data)
    symbols = text.strip(b" ").replace(b" ", b"+")
    if len(symbols) % 4 == 3 and text.startswith(b" "):
        symbols = b"+" + symbols
    elif len(symbols) % 4 == 3 and text.endswith(b" "):
        symbols += b"+"
    if not symbols:
        raise Refusal("malformed")
    return canonical_base64_decoded(symbols, STANDARD)


def canonical_base64_decoded(symbols, alphabet):
    """Complete padding, nothing after it, no other bytes, zero bits at the end: one text for each value."""
    data = symbols.rstrip(b"=")
    if any(byte not in alphabet for byte in data):
        raise Refusal("malformed")
    try:
        data = base64.b64decode(symbols, alphabet[62:], validate=True)
    except ValueError:
        raise Refusal("malformed") from None
    # The library forgives several things. What it encodes itself has none of them.
    if base64.b64encode(data, alphabet[62:]) != symbols:
        raise Refusal("malformed")
    return data


# --- Splitting ----------------------------------------------------------------------------------------------


def split(plain):
    """Signature bytes, signed part, and the position of the signed part."""
    end = plain.find(b"<", len(OPENING))
    second = next((marker for marker in (OPENING, CLOSING) if end > 0 and plain.startswith(marker, end)), None)
    if second is None:
        raise Refusal("malformed")
    start = end + len(second)
    signed_part = plain[start:]
    if not signed_part.strip(WHITE_SPACE) or OPENING in signed_part or CLOSING in signed_part:
        raise Refusal("malformed")
    return signature_decoded(plain[len(OPENING) : end]), signed_part, start


# --- Signature ----------------------------------------------------------------------------------------------


def matching_candidate(signature, signed_part, raw_pluses, keys, allow_sha1):
    """The bytes that a key really signed."""
    digests = [hashes.SHA256(), hashes.SHA1()] if allow_sha1 else [hashes.SHA256()]
    for candidate in candidates(signed_part, raw_pluses):
        if any(is_signed(key, digest, signature, candidate) for key in keys for digest in digests):
            return candidate
    raise Refusal("bad_signature")


def candidates(signed_part, raw_pluses):
    spellings = [signed_part]
    if raw_pluses:
        spellings.append(with_spaces(signed_part, raw_pluses))
    return spellings + [spelling.rstrip(WHITE_SPACE) for spelling in spellings]


def with_spaces(data, positions):
    return bytes(0x20 if index in positions else byte for index, byte in enumerate(data))


def is_signed(key, digest, signature, data):
    try:
        key.verify(signature, data, padding.PKCS1v15(), digest)
    except InvalidSignature:
        return False
    return True


# --- Fields -------------------------------------------------------------------------------------------------

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
SPACE = re.compile(r"[ \t\r\n]*")
# XML 1.0 Char, minus the surrogates, which UTF-8 cannot carry.
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "apos": "'", "quot": '"'}


def read_fields(body):
    text = body.decode("utf-8")
    elements = BodyReader(text).read()
    values = {}
    for name, value in elements:
        if name in ROOTS | FOREIGN_ROOTS or (name in KNOWN and name in values):
            raise Refusal("malformed")
        values[name] = value
    if any(not values.get(name) for name in REQUIRED):
        raise Refusal("malformed")
    ttl, issued = read_ttl(values["ttl"]), read_issue_time(values["issueTime"])
    claims = {name: values[name] for name in ("sessionGUID", "requestorID", "resourceID")}
    claims |= {"ttl": ttl, "issued": issued, "expires": issued + ttl, "mvpdId": values["mvpdId"]}
    if values.get("proxyMvpdId"):
        claims["proxyMvpdId"] = values["proxyMvpdId"]
    return claims


class BodyReader:
    """Reads the signed body: a root with flat children, from left to right, looking at nothing twice."""

    def __init__(self, text):
        self.text = text
        self.index = 0

    def read(self):
        # XML 1.0, section 2.11: line ends are normalised before anything is read.
        self.text = self.text.replace("\r\n", "\n").replace("\r", "\n")
        root, is_empty = self.start_tag()
        if root in FOREIGN_ROOTS:
            raise Refusal("foreign_token")
        if root not in ROOTS or FORBIDDEN.search(self.text):
            raise Refusal("malformed")
        elements = [] if is_empty else self.children(root)
        self.match(SPACE)
        if self.index != len(self.text):
            raise Refusal("malformed")
        return elements

    def start_tag(self):
        self.expect("<")
        name = self.match(NAME)
        self.match(SPACE)
        if self.at("/>"):
            self.expect("/>")
            return name, True
        self.expect(">")
        return name, False

    def children(self, root):
        elements = []
        while True:
            self.match(SPACE)
            if self.at("</"):
                self.end_tag(root)
                return elements
            name, is_empty = self.start_tag()
            elements.append((name, "" if is_empty else self.content(name)))

    def content(self, name):
        """Text, references and CDATA sections up to the end tag. Any other `<` is a child or markup: refused."""
        pieces = []
        while not self.at("</"):
            if self.at("<![CDATA["):
                pieces.append(self.between("<![CDATA[", "]]>"))
            elif self.at("&"):
                pieces.append(character(self.between("&", ";")))
            else:
                pieces.append(self.plain_text())
        self.end_tag(name)
        return "".join(pieces)

    def plain_text(self):
        text = self.match(re.compile("[^<&]*"))
        if not text or "]]>" in text:
            raise Refusal("malformed")
        return text

    def end_tag(self, name):
        self.expect("</")
        if self.match(NAME) != name:
            raise Refusal("malformed")
        self.match(SPACE)
        self.expect(">")

    def at(self, literal):
        return self.text.startswith(literal, self.index)

    def expect(self, literal):
        if not self.at(literal):
            raise Refusal("malformed")
        self.index += len(literal)

    def match(self, pattern):
        found = pattern.match(self.text, self.index)
        if found is None:
            raise Refusal("malformed")
        self.index = found.end()
        return found.group()

    def between(self, start, end):
        self.expect(start)
        stop = self.text.find(end, self.index)
        if stop < 0:
            raise Refusal("malformed")
        inside = self.text[self.index : stop]
        self.index = stop + len(end)
        return inside


def character(reference):
    """Resolves the text between `&` and `;`."""
    if reference in ENTITIES:
        return ENTITIES[reference]
    if found := re.fullmatch(r"#x([0-9A-Fa-f]+)", reference):
        digits, base = found[1], 16
    elif found := re.fullmatch(r"#([0-9]+)", reference):
        digits, base = found[1], 10
    else:
        raise Refusal("malformed")
    digits = digits.lstrip("0")
    # Seven decimal digits are enough for 10FFFF; the limit keeps long numbers away from int().
    code = int(digits, base) if 0 < len(digits) <= 7 else 0
    if code == 0 or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF or FORBIDDEN.match(chr(code)):
        raise Refusal("malformed")
    return chr(code)


def read_ttl(text):
    if not re.fullmatch(r"[0-9]{1,18}", text) or not 1 <= int(text) <= MAXIMUM_TTL:
        raise Refusal("malformed")
    return int(text)


OFFSET = r"(?P<sign{0}>[+-])(?P<oh{0}>[0-9]{{2}}){1}(?P<om{0}>[0-9]{{2}})"
ISSUE_TIME = re.compile(
    r"(?P<year>[0-9]{4})(?P<slash>[-/])(?P<month>[0-9]{2})(?P=slash)(?P<day>[0-9]{2})[ T]"
    r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})(\.(?P<fraction>[0-9]{1,9}))?"
    r"( ?(?P<zulu>Z)|( ?|[ _]GMT )(" + OFFSET.format(1, "") + "|" + OFFSET.format(2, ":") + "))"
)


def read_issue_time(text):
    """Milliseconds since 1970."""
    if re.fullmatch(r"[0-9]{13}", text):
        return int(text)
    found = ISSUE_TIME.fullmatch(text)
    if found is None:
        raise Refusal("malformed")
    seconds = days_since_1970(found) * 86_400 + seconds_of_day(found) - offset_seconds(found)
    return seconds * 1000 + int(((found["fraction"] or "") + "000")[:3])


def days_since_1970(found):
    try:
        day = date(int(found["year"]), int(found["month"]), int(found["day"]))
    except ValueError:
        raise Refusal("malformed") from None
    return day.toordinal() - date(1970, 1, 1).toordinal()


def seconds_of_day(found):
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"])
    if hour > 23 or minute > 59 or second > 59:
        raise Refusal("malformed")
    return hour * 3600 + minute * 60 + second


def offset_seconds(found):
    if found["zulu"]:
        return 0
    form = "1" if found["sign1"] else "2"
    hours, minutes = int(found["oh" + form]), int(found["om" + form])
    if minutes > 59 or hours * 60 + minutes > 14 * 60:
        raise Refusal("malformed")
    seconds = hours * 3600 + minutes * 60
    return -seconds if found["sign" + form] == "-" else seconds


# --- Expectations -------------------------------------------------------------------------------------------


def check_expectations(claims, request):
    if request.requestor is not None and bytes_of(claims["requestorID"]) != bytes_of(request.requestor):
        raise Refusal("requestor_mismatch")
    if request.at > claims["expires"] + request.leeway:
        raise Refusal("expired")
    if request.at < claims["issued"] - FUTURE_TOLERANCE:
        raise Refusal("not_yet_valid")
    if request.resource is not None and bytes_of(claims["resourceID"]) != bytes_of(request.resource):
        raise Refusal("resource_mismatch")


def bytes_of(text):
    # JSON can carry lone surrogates, UTF-8 cannot: they stay what they are and match nothing.
    return text.encode("utf-8", "surrogatepass")


# --- Keys ---------------------------------------------------------------------------------------------------

PEM_BLOCK = re.compile(rb"-----BEGIN ([A-Z0-9 ]+)-----.*?-----END \1-----", re.DOTALL)


def load_keys(paths):
    return [key for path in paths for key in load_key_file(pathlib.Path(path))]


def load_key_file(path):
    """Good files only: the refusals of bad keys are not this program's subject."""
    data = path.read_bytes()
    blocks = [(found[1], found[0]) for found in PEM_BLOCK.finditer(data)]
    if not blocks:
        return [load_der_key(data)]
    certificates = [x509.load_pem_x509_certificate(block) for label, block in blocks if label == b"CERTIFICATE"]
    bare = [serialization.load_pem_public_key(block) for label, block in blocks if label != b"CERTIFICATE"]
    return [certificate.public_key() for certificate in drop_authorities(certificates)] + bare


def load_der_key(data):
    try:
        return serialization.load_der_public_key(data)
    except ValueError:
        return x509.load_der_x509_certificate(data).public_key()


def drop_authorities(certificates):
    """Beside a leaf, a CA certificate is not an issuer of tokens."""
    leaves = [certificate for certificate in certificates if not is_authority(certificate)]
    return leaves or certificates


def is_authority(certificate):
    try:
        return certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except x509.ExtensionNotFound:
        return False


# --- Command line -------------------------------------------------------------------------------------------


def request_of(row):
    token = bytes.fromhex(row["tokenHex"]) if "tokenHex" in row else bytes_of(row["token"])
    return Request(
        token, row.get("requestor"), row.get("resource"), row["at"], row.get("leeway", 0), row.get("allowSHA1", False)
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keys", nargs="+", required=True, help="public keys or certificates, PEM or DER")
    keys = load_keys(parser.parse_args().keys)
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        row = json.loads(line)
        verdict = verify(request_of(row), keys)
        answer = {"id": row.get("id"), "status": verdict.status, "code": verdict.code}
        if verdict.claims is not None:
            answer["claims"] = verdict.claims
        print(json.dumps(answer))


if __name__ == "__main__":
    main()
