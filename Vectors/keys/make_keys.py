#!/usr/bin/env python3
"""Makes the TEST-ONLY keys and certificates of this folder. See README.md.

Two kinds of files:

* Private keys are random. Each is made once, by the `openssl` command listed in PRIVATE_KEYS, and is never
  overwritten: to get a new one, delete the old one by hand first (every vector then changes).
* Everything else (public forms, certificates, bundles, damaged files, keys.json) follows from the private
  keys by fixed rules and comes out the same in every run.

    python3 make_keys.py            make missing private keys, then write all derived files
    python3 make_keys.py --check    write nothing; exit 1 if a derived file differs from the rules
"""

import base64
import hashlib
import json
import pathlib
import subprocess
import sys

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import der
import vector_files

HERE = pathlib.Path(__file__).resolve().parent

RSA = ["-algorithm", "RSA", "-pkeyopt"]

# File name (without "test-only-" and ".pkcs8.pem") -> arguments of `openssl genpkey`.
PRIVATE_KEYS = {
    "issuer-1024": [*RSA, "rsa_keygen_bits:1024"],
    "issuer-1025": [*RSA, "rsa_keygen_bits:1025"],  # not a multiple of 8 bits: signatures of 129 bytes
    "issuer-2048": [*RSA, "rsa_keygen_bits:2048"],
    "other-2048": [*RSA, "rsa_keygen_bits:2048"],
    "issuer-3072": [*RSA, "rsa_keygen_bits:3072"],
    "issuer-4096": [*RSA, "rsa_keygen_bits:4096"],
    "issuer-8192": [*RSA, "rsa_keygen_bits:8192"],
    "issuer-2048-e3": [*RSA, "rsa_keygen_bits:2048", "-pkeyopt", "rsa_keygen_pubexp:3"],
    # 2^32 - 5: odd, and the exponent still has 32 bits, the largest length that is allowed.
    "issuer-2048-e32bits": [*RSA, "rsa_keygen_bits:2048", "-pkeyopt", "rsa_keygen_pubexp:4294967291"],
    # A modulus whose first byte is F9 or more (see make_key): its signatures can begin with `+` in Base64.
    "issuer-2048-high": [*RSA, "rsa_keygen_bits:2048"],
    # For encrypted metadata: blocks of 192 bytes, of 256 again, and of 257.
    "metadata-1536": [*RSA, "rsa_keygen_bits:1536"],
    "metadata-2047": [*RSA, "rsa_keygen_bits:2047"],
    "metadata-2056": [*RSA, "rsa_keygen_bits:2056"],
    "ca-2048": [*RSA, "rsa_keygen_bits:2048"],
    "bad/rsa-512": [*RSA, "rsa_keygen_bits:512"],
    "bad/rsa-1016": [*RSA, "rsa_keygen_bits:1016"],
    "bad/rsa-pss-2048": ["-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"],
    "bad/ec-p256": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
    "bad/ed25519": ["-algorithm", "ED25519"],
    "p256/session": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
    "p256/other": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
    # A DSA key needs its parameters first; see make_dsa_key.
    "bad/dsa-2048": None,
}

VALID = ("20150101000000", "20450101000000")
EXPIRED = ("20100101000000", "20120101000000")
NOT_YET_VALID = ("20900101000000", "20990101000000")

FULL_SETS = ["issuer-1024", "issuer-2048", "issuer-4096"]
GOOD_RSA = [name for name in PRIVATE_KEYS if "/" not in name]

# Encrypted forms of `p256/session` with the password `test-only`, which have random salts, and so are made once as well.
SALTED = {
    "pbes2-aes256.pem": ["pkcs8", "-topk8", "-passout", "pass:test-only"],
    "pbes2-aes256.der": ["pkcs8", "-topk8", "-passout", "pass:test-only", "-outform", "DER"],
    "aes256.pem": ["ec", "-aes256", "-passout", "pass:test-only"],
    "p12": ["pkcs12", "-export", "-nocerts", "-passout", "pass:test-only"],
}


def file_name(name, ending):
    """`bad/rsa-512`, `spki.der` -> `bad/test-only-rsa-512.spki.der`"""
    folder, _, base = name.rpartition("/")
    return f"{folder}/test-only-{base}.{ending}".lstrip("/")


# --- Private keys -----------------------------------------------------------------------------------------


def make_missing_private_keys():
    for name, arguments in PRIVATE_KEYS.items():
        path = HERE / file_name(name, "pkcs8.pem")
        if path.exists():
            continue
        path.parent.mkdir(exist_ok=True)
        key = make_key(name, arguments)
        # "x" fails instead of overwriting a file that appeared meanwhile.
        with open(path, "xb") as file:
            file.write(key)
        print(f"new private key: {path.name}")
    for ending, arguments in SALTED.items():
        path = HERE / file_name("p256/session", ending)
        if not path.exists():
            path.write_bytes(openssl(*arguments, input=private_pem("p256/session")))


def make_key(name, arguments):
    if arguments is None:
        return make_dsa_key()
    while True:
        key = openssl("genpkey", *arguments)
        if name != "issuer-2048-high" or is_high(key):
            return key


def is_high(key):
    modulus = serialization.load_pem_private_key(key, password=None).public_key().public_numbers().n
    return modulus >> 2040 >= 0xF9


def make_dsa_key():
    parameters = openssl("genpkey", "-genparam", "-algorithm", "DSA", "-pkeyopt", "dsa_paramgen_bits:2048")
    return openssl("genpkey", "-paramfile", "/dev/stdin", input=parameters)


def openssl(*arguments, input=None):
    return subprocess.run(["openssl", *arguments], input=input, check=True, capture_output=True).stdout


def private_pem(name):
    return (HERE / file_name(name, "pkcs8.pem")).read_bytes()


def private_key(name):
    return serialization.load_pem_private_key(private_pem(name), password=None)


def numbers(name):
    return private_key(name).public_key().public_numbers()


# --- Public forms -----------------------------------------------------------------------------------------


def spki(name):
    """SubjectPublicKeyInfo, by OpenSSL, because it keeps the RSA-PSS identifier and the RSA sizes below 1024."""
    return openssl("pkey", "-pubout", "-outform", "DER", input=private_pem(name))


def pkcs1_private(name):
    return private_key(name).private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )


def pkcs1_public(name):
    return der.rsa_public_key(numbers(name).n, numbers(name).e)


def serial_number(subject, validity):
    return int.from_bytes(hashlib.sha256(f"{subject} {validity}".encode()).digest()[:8], "big") >> 1 | 1


def certificate(spki_bytes, subject, signer, issuer=None, validity=VALID, version=3, ca=False, sha1=False):
    """An X.509 certificate. RSA PKCS#1 v1.5 signatures are deterministic, so the same key gives the same bytes."""
    signature_algorithm = der.algorithm(der.SHA1_WITH_RSA if sha1 else der.SHA256_WITH_RSA)
    fields = [
        der.integer(serial_number(subject, validity)),
        signature_algorithm,
        der.common_name(issuer or subject),
        der.sequence(*(der.time(moment) for moment in validity)),
        der.common_name(subject),
        spki_bytes,
    ]
    if version == 3:  # Version 1 is the default and so has no version field, and no extensions.
        fields = [der.tlv(0xA0, der.integer(2)), *fields, der.basic_constraints(ca)]
    body = der.sequence(*fields)
    digest = hashes.SHA1() if sha1 else hashes.SHA256()
    signature = private_key(signer).sign(body, padding.PKCS1v15(), digest)
    return der.sequence(body, signature_algorithm, der.bit_string(signature))


def own_certificate(name, **options):
    return certificate(spki(name), f"TEST ONLY {name}", signer=name, **options)


def ca_certificate():
    return certificate(spki("ca-2048"), "TEST ONLY CA", signer="ca-2048", ca=True)


def leaf_certificate(spki_bytes, subject):
    return certificate(spki_bytes, subject, signer="ca-2048", issuer="TEST ONLY CA")


# --- The catalogue: what keys.json says, and the derived files ----------------------------------------------


class Catalogue:
    """Collects the derived files and the expected result of reading each."""

    def __init__(self):
        self.files = {}
        self.entries = []

    def good(self, file, format, encoding, keys, data=None, private=False, comment=None, **facts):
        self.add(file, data)
        entry = {"file": file, "format": format, "encoding": encoding, "private": private}
        entry["keys"] = [key_facts(name) for name in keys]
        self.entries.append(entry | facts | ({"comment": comment} if comment else {}))

    def bad(self, name, ending, error, data, comment, private=False):
        file = file_name(f"bad/{name}", ending)
        # Private keys of the wrong kind are primary files: they exist already and are not derived.
        self.add(file, None if file in PRIMARY_FILES else data)
        self.entries.append({"file": file, "private": private, "expectedError": error, "comment": comment})

    def add(self, file, data):
        if data is not None:
            self.files[file] = data.encode() if isinstance(data, str) else data


PRIMARY_FILES = {file_name(name, "pkcs8.pem") for name in PRIVATE_KEYS}


def key_facts(name):
    public = numbers(name)
    digest = hashlib.sha256(spki(name)).hexdigest()
    return {"name": name, "bits": public.n.bit_length(), "exponent": public.e, "spkiSHA256": digest}


def build():
    catalogue = Catalogue()
    add_private_forms(catalogue)
    for name in GOOD_RSA:
        add_spki(catalogue, name)
    for name in FULL_SETS:
        add_full_set(catalogue, name)
    add_special_certificates(catalogue)
    add_bundles(catalogue)
    add_bad_numbers(catalogue)
    add_bad_kinds(catalogue)
    add_damaged(catalogue)
    listing = {
        "comment": "TEST-ONLY keys. Made by make_keys.py; see README.md.", "files": catalogue.entries,
        "p256": list(p256_entries(catalogue)),
    }
    catalogue.add("keys.json", json.dumps(listing, indent=1) + "\n")
    return catalogue.files


def add_private_forms(catalogue):
    for name in GOOD_RSA:
        catalogue.good(file_name(name, "pkcs8.pem"), "pkcs8", "pem", [name], private=True)
    data = pkcs1_private("issuer-2048")
    file = file_name("issuer-2048", "pkcs1.pem")
    catalogue.good(file, "pkcs1", "pem", ["issuer-2048"], der.pem("RSA PRIVATE KEY", data), private=True)
    catalogue.good(file_name("issuer-2048", "pkcs1.der"), "pkcs1", "der", ["issuer-2048"], data, private=True)
    data = openssl("pkcs8", "-topk8", "-nocrypt", "-outform", "DER", input=private_pem("issuer-2048"))
    catalogue.good(file_name("issuer-2048", "pkcs8.der"), "pkcs8", "der", ["issuer-2048"], data, private=True)


def add_both(catalogue, name, ending, format, label, data, **facts):
    """The same bytes as PEM and as DER."""
    catalogue.good(file_name(name, f"{ending}.pem"), format, "pem", [name], der.pem(label, data), **facts)
    catalogue.good(file_name(name, f"{ending}.der"), format, "der", [name], data, **facts)


def add_spki(catalogue, name):
    if name in FULL_SETS:
        add_both(catalogue, name, "spki", "spki", "PUBLIC KEY", spki(name))
    else:
        catalogue.good(file_name(name, "spki.pem"), "spki", "pem", [name], der.pem("PUBLIC KEY", spki(name)))


def add_full_set(catalogue, name):
    add_both(catalogue, name, "pkcs1-public", "pkcs1-public", "RSA PUBLIC KEY", pkcs1_public(name))
    dates = validity_facts(VALID)
    add_both(catalogue, name, "cert-v3", "x509-v3", "CERTIFICATE", own_certificate(name), **dates)
    add_both(catalogue, name, "cert-v1", "x509-v1", "CERTIFICATE", own_certificate(name, version=1), **dates)


def validity_facts(validity):
    def written(text):
        return f"{text[:4]}-{text[4:6]}-{text[6:8]}T{text[8:10]}:{text[10:12]}:{text[12:]}Z"

    return {"notBefore": written(validity[0]), "notAfter": written(validity[1])}


def add_special_certificates(catalogue):
    """Dates, certificate signatures and CA flags are not part of the decision: the key inside is pinned."""
    name = "issuer-2048"
    special = [
        ("cert-expired", {"validity": EXPIRED}, "dates are exposed, not enforced"),
        ("cert-not-yet-valid", {"validity": NOT_YET_VALID}, "dates are exposed, not enforced; GeneralizedTime"),
        ("cert-sha1", {"sha1": True}, "self-signed with SHA-1, as old certificates are; that signature is not used"),
        ("cert-self-signed-ca", {"ca": True}, "alone in its file, so it is the issuer although its CA flag is set"),
    ]
    for ending, options, comment in special:
        data = der.pem("CERTIFICATE", own_certificate(name, **options))
        facts = validity_facts(options.get("validity", VALID))
        catalogue.good(file_name(name, f"{ending}.pem"), "x509-v3", "pem", [name], data, comment=comment, **facts)


def add_bundles(catalogue):
    names = ["other-2048", "issuer-1024", "issuer-2048"]
    blocks = [der.pem("CERTIFICATE", own_certificate(name)) for name in names]
    catalogue.good("test-only-bundle-certs.pem", "bundle", "pem", names, "".join(blocks))

    noise = "Bag Attributes\n    friendlyName: {0}\nsubject=CN = {0}\n\n"
    text = "".join(noise.format(name) + block for name, block in zip(names, blocks)) + "# end of file\n"
    comment = "text between the blocks, CR LF line ends"
    file = "test-only-bundle-noise-crlf.pem"
    catalogue.good(file, "bundle", "pem", names, text.replace("\n", "\r\n"), comment=comment)

    text = der.pem("CERTIFICATE", own_certificate("issuer-4096", version=1))
    text += der.pem("PUBLIC KEY", spki("other-2048"))
    text += der.pem("RSA PUBLIC KEY", pkcs1_public("issuer-1024"))
    names = ["issuer-4096", "other-2048", "issuer-1024"]
    catalogue.good("test-only-bundle-mixed.pem", "bundle", "pem", names, text, comment="three kinds of block")

    names = ["other-2048", "issuer-1024", "issuer-3072", "issuer-4096", "issuer-2048"]
    text = "".join(der.pem("PUBLIC KEY", spki(name)) for name in names)
    catalogue.good("test-only-bundle-five.pem", "bundle", "pem", names, text, comment="the 2048-bit issuer is last")

    leaf = leaf_certificate(spki("issuer-2048"), "TEST ONLY leaf issuer-2048")
    comment = "the CA certificate is not an issuer of tokens: only the leaf's key counts"
    for file, order in [("ca-and-leaf", (ca_certificate(), leaf)), ("leaf-and-ca", (leaf, ca_certificate()))]:
        text = "".join(der.pem("CERTIFICATE", data) for data in order)
        catalogue.good(f"test-only-{file}.pem", "bundle", "pem", ["issuer-2048"], text, comment=comment)


def add_bad_numbers(catalogue):
    """RSA keys whose size, modulus or exponent must be refused when the key is loaded."""
    for name, bits in [("rsa-512", 512), ("rsa-1016", 1016)]:
        comment = f"{bits} bits; the smallest size is 1024"
        data = spki(f"bad/{name}")
        catalogue.bad(name, "pkcs8.pem", "key_too_small", None, comment, private=True)
        catalogue.bad(name, "spki.pem", "key_too_small", der.pem("PUBLIC KEY", data), comment)
        catalogue.bad(name, "spki.der", "key_too_small", data, comment)
        cert = der.pem("CERTIFICATE", leaf_certificate(data, f"TEST ONLY {name}"))
        catalogue.bad(name, "cert.pem", "key_too_small", cert, comment)

    modulus = numbers("issuer-2048").n
    cases = [
        ("rsa-1023", "key_too_small", pseudo_modulus(1023), 65537, "1023 bits in 128 octets: one bit short"),
        ("rsa-8193", "key_too_large", pseudo_modulus(8193), 65537, "one bit above the largest size, 8192"),
        ("rsa-16384", "key_too_large", pseudo_modulus(16384), 65537, "a modulus that only costs time"),
        ("rsa-e1", "weak_exponent", modulus, 1, "e = 1: the padded digest is its own signature"),
        ("rsa-even-e", "weak_exponent", modulus, 65536, "an even exponent"),
        ("rsa-e-33-bits", "weak_exponent", modulus, 2**32 + 1, "33 bits; at most 32 are allowed"),
        ("rsa-e-2000-bits", "weak_exponent", modulus, pseudo_modulus(2000), "an exponent that only costs time"),
        ("rsa-e-33-bits-4096", "weak_exponent", numbers("issuer-4096").n, 2**32 + 1, "the same at 4096 bits"),
        ("rsa-even-modulus", "unsupported_key", modulus - 1, 65537, "an even modulus is no RSA key"),
    ]
    for name, error, modulus, exponent, comment in cases:
        data = der.rsa_spki(modulus, exponent)
        catalogue.bad(name, "spki.der", error, data, comment)
        catalogue.bad(name, "spki.pem", error, der.pem("PUBLIC KEY", data), comment)
        text = der.pem("RSA PUBLIC KEY", der.rsa_public_key(modulus, exponent))
        catalogue.bad(name, "pkcs1-public.pem", error, text, comment)
    data = leaf_certificate(der.rsa_spki(numbers("issuer-2048").n, 1), "TEST ONLY e=1")
    comment = "e = 1 inside a certificate"
    catalogue.bad("rsa-e1", "cert.pem", "weak_exponent", der.pem("CERTIFICATE", data), comment)


def pseudo_modulus(bits):
    """An odd number of exactly this many bits that looks like a modulus, with unknown factors."""
    stream = hashlib.shake_256(f"swift-tve-tokens {bits}".encode()).digest((bits + 7) // 8)
    return int.from_bytes(stream, "big") % 2 ** (bits - 1) | 2 ** (bits - 1) | 1


def add_bad_kinds(catalogue):
    kinds = [
        ("ec-p256", "an elliptic curve key"),
        ("ed25519", "an Ed25519 key"),
        ("dsa-2048", "a DSA key"),
        ("rsa-pss-2048", "RSA with the RSASSA-PSS identifier: such a key must not make PKCS#1 v1.5 signatures"),
    ]
    for name, comment in kinds:
        data = spki(f"bad/{name}")
        catalogue.bad(name, "pkcs8.pem", "unsupported_key", None, comment, private=True)
        catalogue.bad(name, "spki.pem", "unsupported_key", der.pem("PUBLIC KEY", data), comment)
        catalogue.bad(name, "spki.der", "unsupported_key", data, comment)
        cert = der.pem("CERTIFICATE", leaf_certificate(data, f"TEST ONLY {name}"))
        catalogue.bad(name, "cert.pem", "unsupported_key", cert, f"{comment}, in a certificate")


def add_damaged(catalogue):
    data = spki("issuer-2048")
    text = der.pem("PUBLIC KEY", data)
    cert = own_certificate("issuer-2048")
    noise = hashlib.shake_256(b"noise").digest(512)
    garbage = "".join(line if "-" in line else "!" * len(line) + "\n" for line in text.splitlines(keepends=True))
    weak = der.pem("PUBLIC KEY", spki("bad/rsa-512"))
    # The content does not matter, only that it is a whole PEM block of a kind without a key.
    no_key = der.pem("X509 CRL", der.sequence(der.integer(1)))
    unreadable = [
        ("truncated", "spki.pem", text[: len(text) // 2], "cut in the middle, no END line"),
        ("truncated-whole-lines", "spki.pem", "".join(text.splitlines(keepends=True)[:-2]) + text.splitlines()[-1],
         "the last Base64 line is missing, the END line is there"),
        ("truncated", "spki.der", data[:150], "cut in the middle"),
        ("truncated", "cert.der", cert[: len(cert) // 2], "cut in the middle"),
        ("truncated-pkcs8", "pem", private_pem("issuer-2048")[:700], "a private key, cut in the middle"),
        ("noise", "bin", b"\x8f" + noise, "binary noise"),
        ("noise-that-starts-like-der", "bin", b"\x30\x82\x01\xfd" + noise[:509], "a SEQUENCE of noise"),
        ("garbage-base64", "spki.pem", garbage, "PEM lines around text that is not Base64"),
        ("garbage-inside", "spki.pem", der.pem("PUBLIC KEY", noise), "PEM around noise"),
        ("trailing-garbage", "spki.der", data + b"\x00garbage", "octets after the key"),
        ("trailing-garbage", "spki.pem", der.pem("PUBLIC KEY", data + b"\x00garbage"), "octets after the key"),
        ("trailing-garbage", "cert.der", cert + b"\x00garbage", "octets after the certificate"),
        ("wrong-label", "pem", der.pem("CERTIFICATE", data), "a public key under the label of a certificate"),
        ("end-label-differs", "pem", text.replace("END PUBLIC KEY", "END CERTIFICATE"), "BEGIN and END disagree"),
        ("text", "txt", "This file holds no key at all.\n", "no key format"),
    ]
    for name, ending, content, comment in unreadable:
        private = name == "truncated-pkcs8"
        catalogue.bad(name, ending, "unreadable_key", content, comment, private=private)
    catalogue.bad("empty", "pem", "no_key", b"", "an empty file")
    catalogue.bad("white-space", "pem", "no_key", " \r\n\n", "only white space")
    catalogue.bad("crl", "pem", "no_key", no_key, "a PEM block of another kind, and no key")
    comment = "a bundle with one good key and one of 512 bits: refused as a whole"
    catalogue.bad("bundle-good-and-small", "pem", "key_too_small", text + weak, comment)


# --- P-256: keys that sign and verify with ECDSA, and that no reader of RSA keys takes ------------------------


def p256_entries(catalogue):
    """Writes the files of `p256/`, and tells what reading each as a P-256 key gives."""
    for ending, data in p256_private_forms():
        catalogue.add(file_name("p256/session", ending), data)
        yield p256_good("p256/session", ending, private=True)
    for ending in SALTED:
        yield p256_good("p256/session", ending, private=True, encrypted=True)
    for ending, data in p256_public_forms():
        catalogue.add(file_name("p256/session", ending), data)
        yield p256_good("p256/session", ending, private=False)
    catalogue.add(file_name("p256/other", "spki.pem"), der.pem("PUBLIC KEY", spki("p256/other")))
    for name in ("p256/other", "bad/ec-p256"):
        yield p256_good(name, "pkcs8.pem", private=True)
        yield p256_good(name, "spki.pem", private=False)
    for name, error, data in p256_bad():
        file = f"p256/bad/test-only-{name}.der"
        catalogue.add(file, data)
        yield {"file": file, "private": "spki" not in name, "expectedError": error}


def p256_good(name, ending, **facts):
    public = numbers(name)
    numbers_ = {"x": b64(public.x.to_bytes(32, "big")), "y": b64(public.y.to_bytes(32, "big"))}
    # RFC 7638: the members in the order of the alphabet.
    jwk = json.dumps({"crv": "P-256", "kty": "EC", **numbers_}, separators=(",", ":")).encode()
    return {
        "file": file_name(name, ending), **facts, "spkiSHA256": hashlib.sha256(spki(name)).hexdigest(), **numbers_,
        "thumbprint": b64(hashlib.sha256(jwk).digest()),
    }


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def p256_private_forms():
    pem = private_pem("p256/session")
    yield "pkcs8.pem", None
    yield "pkcs8.der", openssl("pkcs8", "-topk8", "-nocrypt", "-outform", "DER", input=pem)
    traditional = openssl("ec", "-outform", "DER", input=pem)
    yield "sec1.der", traditional
    parameters = der.pem("EC PARAMETERS", der.object_identifier(der.P256))
    yield "sec1.pem", parameters + der.pem("EC PRIVATE KEY", traditional)
    yield "pkcs8-no-public.der", ec_pkcs8(ec_private(scalar("p256/session")))
    yield "sec1-no-public.der", ec_private(scalar("p256/session"), der.P256)


def p256_public_forms():
    data = spki("p256/session")
    yield "spki.der", data
    yield "spki.pem", der.pem("PUBLIC KEY", data)
    point = data[-65:]
    parity = point[-1] & 1
    yield "spki-compressed.der", ec_spki(bytes([2 | parity]) + point[1:33])
    yield "spki-hybrid.der", ec_spki(bytes([6 | parity]) + point[1:])
    certificate_ = leaf_certificate(data, "TEST ONLY P-256")
    yield "cert.der", certificate_
    # The authority above it has an RSA key, which is not taken.
    yield "cert.pem", der.pem("CERTIFICATE", certificate_) + der.pem("CERTIFICATE", ca_certificate())


def p256_bad():
    session, point, other = scalar("p256/session"), spki("p256/session")[-65:], spki("p256/other")[-65:]
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    yield "other-half-pkcs8", "unreadable_key", ec_pkcs8(ec_private(session, public=other))
    yield "other-half-sec1", "unreadable_key", ec_private(session, der.P256, other)
    yield "zero-pkcs8", "unreadable_key", ec_pkcs8(ec_private(0, public=point))
    yield "order-pkcs8", "unreadable_key", ec_pkcs8(ec_private(order, public=point))
    yield "above-the-order-pkcs8", "unreadable_key", ec_pkcs8(ec_private(order + 1, public=point))
    yield "infinity-spki", "unreadable_key", ec_spki(b"\0")
    yield "off-the-curve-spki", "unreadable_key", ec_spki(point[:-1] + bytes([point[-1] ^ 1]))
    yield "x-without-a-point-spki", "unreadable_key", ec_spki(b"\2" + bytes(31) + b"\7")
    yield "point-cut-off-spki", "unreadable_key", ec_spki(point[:-1])
    pem = private_pem("p256/session")
    yield "explicit-spki", "unsupported_key", openssl(
        "ec", "-pubout", "-outform", "DER", "-param_enc", "explicit", input=pem)
    yield "explicit-sec1", "unsupported_key", openssl("ec", "-outform", "DER", "-param_enc", "explicit", input=pem)
    for curve in (ec.SECP384R1(), ec.SECP256K1()):
        key = ec.derive_private_key(7, curve)
        yield f"{curve.name}-pkcs8", "unsupported_key", key.private_bytes(
            serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        yield f"{curve.name}-spki", "unsupported_key", key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def scalar(name):
    return private_key(name).private_numbers().private_value


def ec_private(value, curve=None, public=None):
    """ECPrivateKey (RFC 5915)."""
    fields = [der.integer(1), der.octet_string(value.to_bytes(32, "big"))]
    if curve:
        fields.append(der.tlv(0xA0, der.object_identifier(curve)))
    if public:
        fields.append(der.tlv(0xA1, der.bit_string(public)))
    return der.sequence(*fields)


def ec_algorithm():
    return der.sequence(der.object_identifier(der.EC_PUBLIC_KEY), der.object_identifier(der.P256))


def ec_pkcs8(data):
    return der.sequence(der.integer(0), ec_algorithm(), der.octet_string(data))


def ec_spki(point):
    return der.sequence(ec_algorithm(), der.bit_string(point))


# --- Command line -------------------------------------------------------------------------------------------


def write(files):
    (HERE / "p256/bad").mkdir(exist_ok=True)
    for file, data in files.items():
        (HERE / file).write_bytes(data)
    print(f"{len(files)} derived files written")


def check(files):
    different = vector_files.differing(HERE, files)
    for file in different:
        print(f"differs: {file}", file=sys.stderr)
    return 1 if different else 0


def main():
    if vector_files.parse_check(__doc__):
        return check(build())
    make_missing_private_keys()
    write(build())
    return 0


if __name__ == "__main__":
    sys.exit(main())
