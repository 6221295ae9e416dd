#!/usr/bin/env python3
"""Writes the test vectors for grants that edges check. See README.md.

    python3 make_edge_vectors.py            write the file
    python3 make_edge_vectors.py --check    write nothing; exit 1 if the file is not what the script makes

Links are hashed by the command openssl as nginx's documentation does it, tokens are made by the operator's package
akamai-edgeauth, and policies by botocore's CloudFrontSigner, whose signatures the command openssl must find good. No
clock, no randomness: the same keys give the same bytes, with ECDSA by RFC 6979.
"""

import base64
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    from akamai.edgeauth import EdgeAuth
    from botocore.signers import CloudFrontSigner
except ImportError:
    # `make test` checks all vectors, and does without these two packages; `make deep` installs them.
    print("skipped, because akamai-edgeauth and botocore are not there (requirements.txt)")
    sys.exit()
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, utils

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import vector_files

KEYS = pathlib.Path(__file__).resolve().parents[1] / "keys"
NOW = 1_768_498_200
END = NOW + 300
SECRET, OTHER_SECRET = bytes(range(1, 33)).hex(), bytes(range(33, 65)).hex()
SALT = "pinch of salt"
ADDRESS, V6 = "192.0.2.7", "2001:db8::77"
FOLDER, FILE = "/live/a/", "/live/a/1.ts"
# What proxies write for the two addresses, which edges are told in one spelling.
SPELLINGS = {
    "with a port": f"{ADDRESS}:51008", "inside IPv6": f"::ffff:{ADDRESS}", "inside IPv6, in digits": "::FFFF:c000:207",
    "inside IPv6, in brackets, with a port": f"[::ffff:{ADDRESS}]:51008",
}
V6_SPELLINGS = {
    "in upper case": "2001:DB8::77", "with zeros": "2001:0db8:0:0000::0077",
    "in brackets, with a port": f"[{V6}]:51008",
}
SESSION = base64.urlsafe_b64encode(bytes(range(16))).rstrip(b"=").decode()
# SEC 2, section 2.4.2: the order of the curve secp256r1.
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
ORIGIN = "https://d111111abcdef8.cloudfront.net"
OTHER_EC_FILE = "p256/test-only-other"
PAIR, OTHER_PAIR = "K2JCJMDEHXQW5F", "K3OTHER"
RSA_FILE, OTHER_RSA_FILE, EC_FILE = "test-only-issuer-2048", "test-only-other-2048", "p256/test-only-session"


def openssl(*arguments, data=b""):
    return subprocess.run(["openssl", *arguments], input=data, capture_output=True, check=True).stdout


def replaced(text, old, new):
    """The text with a change that is really one."""
    if old not in text:
        raise SystemExit(f"{old} is not in {text}")
    return text.replace(old, new, 1)


# nginx secure_link


def secret_id(secret):
    code = openssl("dgst", "-sha256", "-mac", "HMAC", "-macopt", f"hexkey:{secret}", "-binary", data=b"tve edge secret")
    return code[:4].hex()


def md5(path, end, address, secret=SECRET):
    """nginx.org: echo -n '…' | openssl md5 -binary | openssl base64 | tr +/ -_ | tr -d ="""
    digest = openssl("md5", "-binary", data=f"{end} {path} {address or '-'} {secret}".encode())
    return base64.b64encode(digest).decode().translate(str.maketrans("+/", "-_", "="))


def link(path=FOLDER, end=END, address=None, secret=SECRET):
    return [secret_id(secret), md5(path, end, address, secret), str(end)]


def in_path(parts, path=FILE):
    return "/".join(["/s", *parts]) + path


def in_query(parts, path=FILE):
    return path + "?key={}&md5={}&expires={}".format(*parts)


def links_issued():
    for comment, path, address in (
        ("a folder", FOLDER, None), ("a file", FILE, None), ("a folder, bound", FOLDER, ADDRESS),
        ("a folder, bound to IPv6", FOLDER, V6),
    ):
        parts = link(path, address=address)
        yield comment, path, address, None, {
            "pathPrefix": "/".join(["/s", *parts]), "query": in_query(parts, "")[1:], "cookies": "",
        }


def links_verified():
    good = link()
    yield "in the path", in_path(good), "valid", {}
    yield "in the query", in_query(good), "valid", {}
    yield "another file of the folder", in_path(good, "/live/a/sub/2.ts"), "valid", {}
    yield "an escape that is needed", in_path(good, "/live/a/a%20b.ts"), "valid", {}
    yield "one second before its end", in_path(good), "valid", {"at": END - 1}
    yield "at its end", in_path(good), "session_expired", {"at": END}
    yield "long after its end", in_path(good), "session_expired", {"at": END + 10**9}
    yield "a clock that was set back by a day", in_path(good), "valid", {"at": NOW - 86_400}
    yield "a clock that was set back by 8 days", in_path(good), "session_not_yet_valid", {"at": NOW - 8 * 86_400}
    yield "a folder whose name goes on", in_path(good, "/live/ab/1.ts"), "session_path_mismatch", {}
    yield "the folder without its slash", in_path(good, "/live/a"), "session_path_mismatch", {}
    yield "another case", in_path(good, "/live/A/1.ts"), "session_path_mismatch", {}
    for comment, path in unclear_paths():
        yield comment, in_path(good, path), "session_path_mismatch", {}
        yield f"{comment}, in the query", in_query(good, path), "session_path_mismatch", {}
    yield "a link for another folder", in_path(link("/live/ab/")), "bad_session_signature", {}
    yield "for another folder, asked for that", in_path(link("/live/ab/"), "/live/ab/1.ts"), "bad_session_signature", {}
    yield "a file's link for the folder", in_path(link(FILE)), "bad_session_signature", {}
    yield "another end", in_path([good[0], good[1], str(END + 1)]), "bad_session_signature", {}
    yield "another secret under this name", in_path([good[0], md5(FOLDER, END, None, OTHER_SECRET), str(END)]), \
        "bad_session_signature", {}
    yield "a secret that is not known, or not any more", in_path(link(secret=OTHER_SECRET)), "retired_session_key", {}
    nameless = ["", md5(FOLDER, END, None, ""), str(END)]
    yield "an empty secret", in_query(nameless), "retired_session_key", {}
    yield "an empty secret, in the path", in_path(nameless), "session_path_mismatch", {}
    bound = link(address=ADDRESS)
    yield "bound", in_path(bound), "valid", {"client": ADDRESS}
    for comment, client in SPELLINGS.items():
        yield f"bound, an address {comment}", in_path(bound), "valid", {"client": client}
    for comment, client in V6_SPELLINGS.items():
        yield f"bound to IPv6, an address {comment}", in_path(link(address=V6)), "valid", {"client": client}
    yield "bound to an address with a port", in_path(link(address=f"{ADDRESS}:51008")), "bad_session_signature", \
        {"client": f"{ADDRESS}:51008"}
    yield "bound to another address", in_path(bound), "bad_session_signature", {"client": ADDRESS + "0"}
    yield "bound, and no address", in_path(bound), "bad_session_signature", {}
    yield "not bound, and an address", in_path(good), "bad_session_signature", {"client": ADDRESS}
    yield "an address that is not one", in_path(bound), "session_client_mismatch", {"client": f"x {ADDRESS}"}
    # The end of a path must not become the start of an address.
    moved = link("/live/a/1", address="22.0.0.1")
    yield "a digit from the address to the path", in_path(moved, "/live/a/12"), "bad_session_signature", \
        {"client": "2.0.0.1", "path": "/live/a/12"}
    last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    trailing = good[1][:-1] + last[last.index(good[1][-1]) | 1]
    for comment, parts in {
        "padded": [good[0], good[1] + "==", good[2]], "trailing bits": [good[0], trailing, good[2]],
        "the hash in upper case": [good[0], good[1].upper(), good[2]],
    }.items():
        yield comment, in_path(parts), "bad_session_signature", {}
    yield "no hash", in_query([good[0], "", good[2]]), "bad_session_signature", {}
    yield "no hash, in the path", in_path([good[0], "", good[2]]), "session_path_mismatch", {}
    for comment, end in {"a zero before the end": f"0{END}", "a sign": f"+{END}", "no end": "", "an escape": "%31"}.items():
        yield comment, in_query([good[0], md5(FOLDER, end, None), end]), "bad_session", {}
    yield "the key in upper case", in_query([good[0].upper() + "A", *good[1:]]), "retired_session_key", {}
    yield "two hashes", in_query(good) + f"&md5={good[1]}", "bad_session", {}
    yield "two sessions, in path and query", in_path(good) + in_query(link("/live/b/"), ""), "bad_session", {}
    yield "nothing", FILE, "bad_session", {}
    yield "the names only", f"{FILE}?key&md5&expires", "bad_session", {}


def unclear_paths():
    yield "a letter as an escape", "/live/%61/1.ts"
    yield "dots as escapes", "/live/a/%2e%2e/b/1.ts"
    yield "dots", "/live/a/../b/1.ts"
    yield "a dot", "/live/a/./1.ts"
    yield "a slash as an escape", "/live/a%2f1.ts"
    yield "a slash as an upper-case escape", "/live/a/..%2Fb"
    yield "a percent sign as an escape", "/live/a/%252e%252e/b"
    yield "a backslash", "/live/a/..\\b"
    yield "a backslash as an escape", "/live/a/%5c"
    yield "a NUL as an escape", "/live/a/1.ts%00"
    yield "two slashes", "/live/a//1.ts"
    yield "half an escape", "/live/a/%4"
    yield "a fragment", "/live/a/1#.ts"


# The operator's token


def token(acl=None, url=None, address=None, secret=SECRET, salt=SALT, end=END, session=None, **options):
    maker = EdgeAuth(key=secret, salt=salt, ip=address, session_id=session, end_time=end, escape_early=True, **options)
    return maker.generate_acl_token(acl) if acl else maker.generate_url_token(url)


def tokens_issued():
    for comment, path, address, session in (
        ("a folder", FOLDER, None, None), ("a file", FILE, None, None), ("a folder, bound", FOLDER, ADDRESS, None),
        ("a folder, bound to IPv6", FOLDER, V6, SESSION), ("a file, bound, of a session", FILE, ADDRESS, SESSION),
        ("a folder of a session", FOLDER, None, SESSION),
    ):
        which = {"acl": path + "*"} if path.endswith("/") else {"url": path}
        text = token(address=address, session=session, **which)
        yield comment, path, address, session, {
            "pathPrefix": None, "query": f"__token__={text}", "cookies": f"__token__={text}",
        }


def tokens_verified():
    good = token(FOLDER + "*")

    def asked(text, path=FILE):
        return f"{path}?__token__={text}"

    yield "a folder", asked(good), "valid", {}
    yield "in a cookie", FILE, "valid", {"cookies": f"a=b; __token__={good}"}
    yield "beside other parameters", f"{FILE}?a=b&__token__={good}&c", "valid", {}
    yield "a file", asked(token(url=FILE)), "valid", {}
    yield "of a session", asked(token(FOLDER + "*", session=SESSION)), "valid", {}
    yield "the second secret", asked(token(FOLDER + "*", secret=OTHER_SECRET)), "valid", {"secrets": [SECRET, OTHER_SECRET]}
    yield "a secret that is not known, or not any more", asked(token(FOLDER + "*", secret=OTHER_SECRET)), \
        "bad_session_signature", {}
    yield "no salt", asked(token(FOLDER + "*", salt=None)), "bad_session_signature", {}
    yield "another salt", asked(token(FOLDER + "*", salt="sugar")), "bad_session_signature", {}
    yield "one second before its end", asked(good), "valid", {"at": END - 1}
    yield "at its end", asked(good), "session_expired", {"at": END}
    yield "a clock that was set back by a day", asked(good), "valid", {"at": NOW - 86_400}
    yield "a clock that was set back by 8 days", asked(good), "session_not_yet_valid", {"at": NOW - 8 * 86_400}
    yield "a folder whose name goes on", asked(good, "/live/ab/1.ts"), "session_path_mismatch", {}
    yield "another case", asked(good, "/live/A/1.ts"), "session_path_mismatch", {}
    yield "another file", asked(token(url=FILE), "/live/a/2.ts"), "bad_session_signature", {}
    yield "a file whose name goes on", asked(token(url=FILE), FILE + "x"), "bad_session_signature", {}
    for comment, path in unclear_paths():
        yield comment, asked(good, path), "session_path_mismatch", {}
    bound = token(FOLDER + "*", address=ADDRESS)
    yield "bound", asked(bound), "valid", {"client": ADDRESS}
    yield "bound to IPv6", asked(token(FOLDER + "*", address=V6)), "valid", {"client": V6}
    for comment, client in SPELLINGS.items():
        yield f"bound, an address {comment}", asked(bound), "valid", {"client": client}
    sixth = token(FOLDER + "*", address=V6)
    for comment, client in V6_SPELLINGS.items():
        yield f"bound to IPv6, an address {comment}", asked(sixth), "valid", {"client": client}
        yield f"bound to IPv6 {comment}", asked(token(FOLDER + "*", address=client)), "bad_session", {"client": V6}
    yield "bound to another address", asked(bound), "session_client_mismatch", {"client": ADDRESS + "0"}
    yield "bound, and no address", asked(bound), "session_client_mismatch", {}
    yield "not bound, and an address", asked(good), "session_client_mismatch", {"client": ADDRESS}
    for comment, text in {
        "a changed end": replaced(good, f"exp={END}", f"exp={END + 1}"),
        "a changed folder": replaced(good, FOLDER, "/live/b/"),
        "a field taken out": replaced(bound, f"ip={ADDRESS}~", ""),
        "the HMAC in upper case": good[:-64] + good[-64:].upper(),
        "a shorter HMAC": good[:-2],
        "no HMAC": good[:-64],
        "SHA-1": token(FOLDER + "*", algorithm="sha1"),
        "MD5": token(FOLDER + "*", algorithm="md5"),
    }.items():
        yield comment, asked(text), "bad_session_signature", {}
    for comment, text in {
        "another folder that everything is in": token("/*"),
        "a list of folders": token(["/live/a/*", "/live/b/*"]),
        "a folder without its slash": token("/live/a*"),
        "a star within": token("/*/a/*"),
        "a question mark": token("/live/?/*"),
        "a zero before the end": token(FOLDER + "*", end=f"0{END}"),
        "an ID that is not a session's": token(FOLDER + "*", session="42"),
        "a start": token(FOLDER + "*", start_time=NOW),
        "a payload": token(FOLDER + "*", payload="x"),
        "a field more": good + "~x=1",
        "fields in another order": "~".join([good.split("~")[1], good.split("~")[0], good.split("~")[2]]),
        "two ends": f"exp={END}~{good}",
        "nothing": "",
    }.items():
        yield comment, asked(text), "bad_session", {}
    yield "too long", asked("x" * 1025), "bad_session", {}
    yield "two tokens", asked(good) + f"&__token__={good}", "bad_session", {}
    yield "two cookies", FILE, "bad_session", {"cookies": f"__token__={good}; __token__={good}"}
    yield "no token", FILE, "bad_session", {}
    yield "the parameter counts, not the cookie", asked("exp=1"), "bad_session", {"cookies": f"__token__={good}"}


# CloudFront


def other_s(signature):
    """ECDSA has two signatures for each that is made."""
    r, s = utils.decode_dss_signature(signature)
    return utils.encode_dss_signature(r, P256_ORDER - s)


def signer(name, digest):
    path = KEYS / f"{name}.pkcs8.pem"
    key = serialization.load_pem_private_key(path.read_bytes(), None)

    def sign(message):
        if isinstance(key, ec.EllipticCurvePrivateKey):
            signature = key.sign(message, ec.ECDSA(digest, deterministic_signing=True))
        else:
            signature = key.sign(message, padding.PKCS1v15(), digest)
            if signature != openssl("dgst", f"-{digest.name}", "-sign", path, data=message):
                raise SystemExit("openssl signs otherwise")
        with tempfile.NamedTemporaryFile() as file:
            file.write(signature)
            file.flush()
            openssl("dgst", f"-{digest.name}", "-prverify", path, "-signature", file.name, data=message)
        return signature

    return sign


class Cloud(CloudFrontSigner):
    """botocore's signer, which leaves the hash to its caller, with the field that names SHA-256."""

    NAMED = "Hash-Algorithm=SHA256"

    def __init__(self, name=RSA_FILE, digest=hashes.SHA256(), pair=PAIR, names_hash=None):
        super().__init__(pair, signer(name, digest))
        self.file, self.digest = name, digest
        self.names_hash = digest.name == "sha256" if names_hash is None else names_hash

    def _build_url(self, base_url, extra_params):
        return super()._build_url(base_url, extra_params + [self.NAMED] * self.names_hash)


CLOUDS = [Cloud(digest=hashes.SHA1()), Cloud(), Cloud(EC_FILE)]


def moment(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)


def custom(by, resource=ORIGIN + FOLDER + "*", end=END, address=None, text=None, **options):
    """The query of a custom policy; the text of the policy may be another one than botocore's."""
    policy = text or by.build_policy(resource, moment(end), ip_address=address, **options)
    return by.generate_presigned_url("", policy=policy)[1:]


def canned(by, path=FILE, end=END, origin=ORIGIN):
    return by.generate_presigned_url(origin + path, date_less_than=moment(end)).split("?")[1]


def as_cookies(query):
    return "; ".join("CloudFront-" + field for field in query.split("&"))


def policies_issued(by):
    for comment, path, address, query in (
        ("a file", FILE, None, canned(by)), ("a folder", FOLDER, None, custom(by)),
        ("a folder, bound", FOLDER, ADDRESS, custom(by, address=ADDRESS)),
        ("a file, bound", FILE, ADDRESS, custom(by, ORIGIN + FILE, address=ADDRESS)),
    ):
        yield comment, path, address, None, {"pathPrefix": None, "query": query, "cookies": as_cookies(query)}


def with_signature(query, change):
    """The query with another signature, which `change` makes of its bytes."""
    encoded = query.split("Signature=")[1].split("&")[0]
    changed = change(base64.b64decode(encoded.translate(str.maketrans("-_~", "+=/"))))
    return replaced(query, encoded, base64.b64encode(changed).decode().translate(str.maketrans("+=/", "-_~")))


def hashes_verified(by, name, good):
    """What a policy may say of its hash: nothing if it is SHA-1, else one word."""
    own = f"&{by.NAMED}"
    bare = good.removesuffix(own)
    changed = ["SHA1", "SHA256", "sha256", "SHA-256", "SHA512", "", "SHA256%20"]
    for comment, query in {
        **{f"the hash {word or 'of an empty name'}": f"{bare}&Hash-Algorithm={word}" for word in changed},
        "a hash without a value": f"{bare}&Hash-Algorithm", "no hash": bare, "two hashes": bare + own + own,
        "two hashes, of which one is SHA1": f"{bare}{own}&Hash-Algorithm=SHA1",
    }.items():
        if query == good:
            continue
        yield f"{name}, {comment}", f"{FILE}?{query}", "bad_session", {}
        yield f"{name}, {comment}, in cookies", FILE, "bad_session", {"cookies": as_cookies(query)}
    yield f"{name}, the hash in a cookie", f"{FILE}?{bare}", "bad_session" if by.names_hash else "valid", \
        {"cookies": f"CloudFront-{by.NAMED}"}
    yield f"{name}, the hash in the query, the policy in cookies", f"{FILE}?{by.NAMED}", \
        "bad_session" if by.names_hash else "valid", {"cookies": as_cookies(bare)}


def signatures_verified(by, name, good):
    """Signatures that are none of this policy, key and hash."""
    wrong = {
        "a byte after the signature": lambda signature: signature + b"\0",
        "a byte before the signature": lambda signature: b"\0" + signature,
        "a signature of 1,025 bytes": lambda signature: bytes(1025),
        "a signature and more, of 1,025 bytes": lambda signature: signature.ljust(1025, b"\0"),
        "a signature of zeros": lambda signature: bytes(len(signature)),
    }
    if by.file == EC_FILE:
        def numbers(signature):
            return [number.to_bytes(32, "big") for number in utils.decode_dss_signature(signature)]

        wrong |= {
            "r and s alone": lambda signature: b"".join(numbers(signature)),
            "a length of two bytes": lambda signature: signature[:1] + b"\x81" + signature[1:],
            "a third number": lambda signature: bytes([0x30, signature[1] + 3]) + signature[2:] + b"\x02\x01\0",
            "r and s of zero": lambda signature: utils.encode_dss_signature(0, 0),
            "no numbers": lambda signature: b"\x30\0",
            "a zero more before r": lambda signature:
                bytes([0x30, signature[1] + 1, 2, signature[3] + 1, 0]) + signature[4:],
        }
        yield f"{name}, the other s", f"{FILE}?{with_signature(good, other_s)}", "valid", {}
    for comment, change in wrong.items():
        yield f"{name}, {comment}", f"{FILE}?{with_signature(good, change)}", "bad_session_signature", {}


def policies_verified(by):
    other_hash = Cloud(by.file, hashes.SHA1() if by.names_hash else hashes.SHA256(), names_hash=by.names_hash)
    other_key = Cloud(OTHER_EC_FILE if by.file == EC_FILE else OTHER_RSA_FILE, by.digest)
    folder, file = custom(by), canned(by)
    for name, good, forged, stolen in (
        ("custom", folder, custom(other_hash), custom(other_key)),
        ("canned", file, canned(other_hash), canned(other_key)),
    ):
        yield from hashes_verified(by, name, good)
        yield from signatures_verified(by, name, good)
        yield f"{name}, another key's signature", f"{FILE}?{stolen}", "bad_session_signature", {}
        yield f"{name}, a signature with the other hash", f"{FILE}?{forged}", "bad_session_signature", {}
        yield f"{name}, a signature with the other hash, in cookies", FILE, "bad_session_signature", \
            {"cookies": as_cookies(forged)}
        yield name, f"{FILE}?{good}", "valid", {}
        yield f"{name}, cookies", FILE, "valid", {"cookies": as_cookies(good)}
        yield f"{name}, one second before its end", f"{FILE}?{good}", "valid", {"at": END - 1}
        yield f"{name}, at its end", f"{FILE}?{good}", "session_expired", {"at": END}
        yield f"{name}, a clock set back by a day", f"{FILE}?{good}", "valid", {"at": NOW - 86_400}
        yield f"{name}, a clock set back by 8 days", f"{FILE}?{good}", "session_not_yet_valid", {"at": NOW - 8 * 86_400}
        yield f"{name}, not bound, and an address", f"{FILE}?{good}", "session_client_mismatch", {"client": ADDRESS}
        yield f"{name}, another key under this name", f"{FILE}?{replaced(good, PAIR, OTHER_PAIR)}", \
            "bad_session_signature", {"pairs": [[PAIR, by.file], [OTHER_PAIR, OTHER_RSA_FILE]]}
        yield f"{name}, a key that is not known, or not any more", f"{FILE}?{good}", "retired_session_key", \
            {"pairs": [[OTHER_PAIR, OTHER_RSA_FILE]]}
        yield f"{name}, the second key", f"{FILE}?{good}", "valid", \
            {"pairs": [[OTHER_PAIR, OTHER_RSA_FILE], [PAIR, by.file]]}
        yield f"{name}, the key in lower case", f"{FILE}?{replaced(good, PAIR, PAIR.lower())}", "retired_session_key", {}
        for comment, path in unclear_paths():
            yield f"{name}, {comment}", f"{path}?{good}", "session_path_mismatch", {}
        signature = good.split("Signature=")[1].split("&")[0]
        for comment, changed, code in (
            ("no signature", "", "bad_session_signature"), ("shorter", signature[:-4], "bad_session_signature"),
            ("without padding", signature.rstrip("_"), "bad_session"),
            ("the standard alphabet", signature.replace("_", "="), "bad_session"),
            ("an escape", f"%{ord(signature[0]):02X}{signature[1:]}", "bad_session"),
        ):
            if changed == signature:
                continue  # A signature by ECDSA may need no padding.
            yield f"{name}, {comment}", f"{FILE}?{replaced(good, signature, changed)}", code, {}
        yield f"{name}, two signatures", f"{FILE}?{good}&Signature=x", "bad_session", {}
        yield f"{name}, no key", f"{FILE}?{good.split('&Key')[0]}", "bad_session", {}
        yield f"{name}, two cookies", FILE, "bad_session", {"cookies": as_cookies(good) + "; " + as_cookies(good)}
    yield "both policies", f"{FILE}?{folder}&Expires={END}", "bad_session", {}
    yield "nothing", FILE, "bad_session", {}
    yield "the query counts, not the cookies", f"{FILE}?Signature=x", "bad_session", {"cookies": as_cookies(folder)}
    yield "canned, a changed end", f"{FILE}?{replaced(file, f'={END}', f'={END + 1}')}", "bad_session_signature", {}
    yield "canned, another file", f"/live/a/2.ts?{file}", "bad_session_signature", {}
    yield "canned, a file whose name goes on", f"{FILE}x?{file}", "bad_session_signature", {}
    yield "canned, another case", f"/live/A/1.ts?{file}", "bad_session_signature", {}
    yield "canned, of another host", f"{FILE}?{canned(by, origin='https://other.example')}", "bad_session_signature", {}
    yield "canned, a zero before the end", f"{FILE}?{replaced(file, f'={END}', f'=0{END}')}", "bad_session", {}
    yield "canned for a folder", f"{FOLDER}?{canned(by, FOLDER)}", "session_path_mismatch", {}
    yield "another folder", f"/live/b/1.ts?{folder}", "session_path_mismatch", {}
    yield "a folder whose name goes on", f"/live/ab/1.ts?{folder}", "session_path_mismatch", {}
    yield "another case", f"/live/A/1.ts?{folder}", "session_path_mismatch", {}
    yield "of another host", f"{FILE}?{custom(by, 'https://other.example/live/a/*')}", "session_path_mismatch", {}
    yield "of a host whose name goes on", f"{FILE}?{custom(by, ORIGIN + '.example/live/a/*')}", "session_path_mismatch", {}
    yield "of every host", f"{FILE}?{custom(by, '*')}", "session_path_mismatch", {}
    bound = custom(by, address=ADDRESS)
    yield "bound", f"{FILE}?{bound}", "valid", {"client": ADDRESS}
    for comment, client in SPELLINGS.items():
        yield f"bound, an address {comment}", f"{FILE}?{bound}", "valid", {"client": client}
    yield "bound to another address", f"{FILE}?{bound}", "session_client_mismatch", {"client": ADDRESS + "0"}
    yield "bound, and no address", f"{FILE}?{bound}", "session_client_mismatch", {}
    policy = by.build_policy(ORIGIN + FOLDER + "*", moment(END))
    other = by.build_policy(ORIGIN + "/live/b/*", moment(END))
    encoded = by._url_b64encode(policy.encode()).decode()
    yield "the policy of another", \
        f"{FILE}?{replaced(folder, encoded, by._url_b64encode(other.encode()).decode())}", "bad_session_signature", {}
    for comment, query in {
        "a network": custom(by, address="192.0.2.0/24"), "a start": custom(by, date_greater_than=moment(NOW)),
        "everything": custom(by, ORIGIN + "/*"), "a folder without its slash": custom(by, ORIGIN + "/live/a*"),
        "a star within": custom(by, ORIGIN + "/*/a/*"), "a question mark": custom(by, ORIGIN + "/live/?/*"),
        "a file in a custom policy, not bound": custom(by, ORIGIN + FILE),
        "spaces": custom(by, text=json.dumps(json.loads(policy))), "a line end": custom(by, text=policy + "\n"),
        "an escape": custom(by, text=replaced(policy, "live", "\\u006cive")),
        "a member more": custom(by, text=replaced(policy, '"Condition"', '"x":1,"Condition"')),
        "the end as a text": custom(by, text=replaced(policy, str(END), f'"{END}"')),
        "the end with decimals": custom(by, text=replaced(policy, str(END), f"{END}.0")),
        "two statements": custom(by, text=replaced(policy, "]", ',{"Resource":"*"}]')),
        "not an object": custom(by, text="[]"), "not JSON": custom(by, text="{"),
    }.items():
        yield comment, f"{FILE}?{query}", "bad_session", {}


def issue_tests(cases, number):
    for comment, path, address, session, expected in cases:
        yield {
            "tcId": next(number), "comment": comment, "path": path, "expires": END * 1000, "client": address,
            "session": session, **expected,
        }


def verify_tests(cases, number, **more):
    for comment, target, code, changes in cases:
        question = {"at": NOW, "cookies": "", "client": None, **more} | changes
        question["at"] *= 1000
        yield {
            "tcId": next(number), "comment": comment, "result": "valid" if code == "valid" else "invalid",
            "target": target, **question, "expectedCode": code,
        }


def build():
    number = iter(range(1, 10_000))
    groups = [
        {
            "form": form, **settings, "issue": list(issue_tests(issued, number)),
            "verify": list(verify_tests(verified, number, **more)),
        }
        for form, settings, issued, verified, more in (
            ("link", {}, links_issued(), links_verified(), {"secrets": [SECRET], "path": FOLDER}),
            ("token", {"salt": SALT}, tokens_issued(), tokens_verified(), {"secrets": [SECRET]}),
        )
    ] + [
        {
            "form": "policy" if by.names_hash else "legacy-policy", "origin": ORIGIN, "pairs": [[PAIR, by.file]],
            "issue": list(issue_tests(policies_issued(by), number)),
            "verify": list(verify_tests(policies_verified(by), number, pairs=[[PAIR, by.file]])),
        }
        for by in CLOUDS
    ]
    content = {
        "algorithm": "EdgeGrant",
        "numberOfTests": sum(len(group["issue"]) + len(group["verify"]) for group in groups),
        "header": [
            "Every value is invented and every key is test-only.",
            "Made by make_edge_vectors.py with openssl, akamai-edgeauth and botocore.",
        ],
        "source": vector_files.SOURCE,
        "testGroups": groups,
    }
    text = json.dumps(content, indent=1) + "\n"
    return [vector_files.VectorFile("edge_grant_test.json", text, content["numberOfTests"])]


if __name__ == "__main__":
    vector_files.main(__file__, __doc__, build)
