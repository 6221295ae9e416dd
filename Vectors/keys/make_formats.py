#!/usr/bin/env python3
"""Writes the TEST-ONLY key files of `formats/`: every format, four sizes, made by other tools. See README.md.

    python3 make_formats.py

Needs the `openssl` command (3.0 or later, with the legacy provider), Java's `keytool` (17 or later) and Python's
`cryptography`. Salts are random, so every run writes other bytes; what must be read from them stays the same. All
passwords are "test-only".
"""

import json
import pathlib
import shutil
import subprocess
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.serialization import pkcs7, pkcs12

import der

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "formats"
PASSWORD = "test-only"
SIZES = [1024, 2048, 3072, 4096]
LEGACY = ["-provider", "legacy", "-provider", "default"]
OUT = ["-passout", f"pass:{PASSWORD}"]

entries = []


def run(*command, data=None):
    return subprocess.run([str(word) for word in command], input=data, check=True, capture_output=True).stdout


def openssl(*arguments, data=None):
    return run("openssl", *arguments, data=data)


def keytool(*arguments):
    return run("keytool", *arguments)


def add(name, made_by, contains, password, **facts):
    """`contains`: the entries, as letters: certificate, key (private), public."""
    entry = {"file": f"formats/{name}", "madeBy": made_by, "contains": contains, "encrypted": password, **facts}
    assert (HERE / entry["file"]).stat().st_size > 0, name
    entries.append(entry)


def spki_fingerprint(private):
    digest = hashes.Hash(hashes.SHA256())
    digest.update(
        private.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )
    return digest.finalize().hex()


def make_size(bits):
    key = HERE / f"test-only-issuer-{bits}.pkcs8.pem"
    private = serialization.load_pem_private_key(key.read_bytes(), None)
    facts = {"bits": bits, "spkiSHA256": spki_fingerprint(private)}
    prefix = f"test-only-{bits}"

    def path(ending):
        return FOLDER / f"{prefix}.{ending}"

    def made(ending, made_by, contains, password, **more):
        add(f"{prefix}.{ending}", made_by, contains, password, **facts, **more)

    # Certificate and plain forms.
    certificate = path("cert.pem")
    openssl("req", "-x509", "-new", "-key", key, "-sha256", "-days", "9000", "-subj", f"/O=Test only/CN=Issuer {bits}",
            "-out", certificate)
    made("cert.pem", "openssl", ["certificate"], False)
    openssl("x509", "-in", certificate, "-outform", "DER", "-out", path("cert.der"))
    made("cert.der", "openssl", ["certificate"], False)
    openssl("x509", "-in", certificate, "-trustout", "-addtrust", "serverAuth", "-out", path("trusted-cert.pem"))
    made("trusted-cert.pem", "openssl", ["certificate"], False)
    for form in ["pem", "der"]:
        openssl("pkcs8", "-topk8", "-nocrypt", "-in", key, "-outform", form, "-out", path(f"pkcs8.{form}"))
        made(f"pkcs8.{form}", "openssl", ["key"], False)
        openssl("rsa", "-traditional", "-in", key, "-outform", form, "-out", path(f"pkcs1.{form}"))
        made(f"pkcs1.{form}", "openssl", ["key"], False)
        openssl("rsa", "-pubout", "-in", key, "-outform", form, "-out", path(f"spki.{form}"))
        made(f"spki.{form}", "openssl", ["public"], False)
        openssl("rsa", "-RSAPublicKey_out", "-in", key, "-outform", form, "-out", path(f"pkcs1-public.{form}"))
        made(f"pkcs1-public.{form}", "openssl", ["public"], False)

    # Encrypted PKCS#8.
    for name, form, legacy, arguments in [
        ("pbes2-aes256", "pem", False, ["-v2", "aes-256-cbc"]),
        ("pbes2-aes256", "der", False, ["-v2", "aes-256-cbc"]),
        ("pbes2-aes128-sha1", "pem", False, ["-v2", "aes-128-cbc", "-v2prf", "hmacWithSHA1"]),
        ("pbes2-des3", "pem", False, ["-v2", "des3"]),
        ("pbes2-des", "pem", True, ["-v2", "des"]),
        ("pbes2-scrypt", "der", False, ["-scrypt"]),
        ("pbe-sha1-3des", "pem", False, ["-v1", "PBE-SHA1-3DES"]),
        ("pbe-sha1-rc2-40", "pem", True, ["-v1", "PBE-SHA1-RC2-40"]),
        ("pbe-sha1-rc2-128", "der", True, ["-v1", "PBE-SHA1-RC2-128"]),
        ("pbe-sha1-rc4-128", "pem", True, ["-v1", "PBE-SHA1-RC4-128"]),
        ("pbe-md5-des", "der", True, ["-v1", "PBE-MD5-DES"]),
        ("pbe-sha1-des", "pem", True, ["-v1", "PBE-SHA1-DES"]),
    ]:
        openssl("pkcs8", "-topk8", "-in", key, "-outform", form, *arguments, *LEGACY, *OUT,
                "-out", path(f"{name}.{form}"))
        made(f"{name}.{form}", "openssl", ["key"], True, legacy=legacy)

    # Traditional PEM.
    for cipher, legacy in [("des3", False), ("aes128", False), ("aes256", False), ("des", True), ("seed", True)]:
        openssl("rsa", "-traditional", "-in", key, f"-{cipher}", *LEGACY, *OUT, "-out", path(f"traditional-{cipher}.pem"))
        made(f"traditional-{cipher}.pem", "openssl", ["key"], True, legacy=legacy)

    # PKCS#12.
    for name, legacy, contains, arguments in [
        ("modern", False, ["certificate", "key"], []),
        ("legacy", True, ["certificate", "key"], ["-legacy"]),
        ("3des", False, ["certificate", "key"],
         ["-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-3DES", "-macalg", "sha1"]),
        ("rc2-40-key", True, ["certificate", "key"],
         ["-keypbe", "PBE-SHA1-RC2-40", "-certpbe", "PBE-SHA1-RC2-40", "-macalg", "sha1", *LEGACY]),
        ("plain-bags", False, ["certificate", "key"], ["-keypbe", "NONE", "-certpbe", "NONE"]),
        ("certificate-only", False, ["certificate"], ["-nokeys"]),
        ("key-only", False, ["key"], ["-nocerts"]),
    ]:
        openssl("pkcs12", "-export", "-inkey", key, "-in", certificate, "-name", f"issuer {bits}", *arguments, *OUT,
                "-out", path(f"{name}.p12"))
        made(f"{name}.p12", "openssl", contains, True, legacy=legacy)

    # PKCS#7.
    for form in ["pem", "der"]:
        openssl("crl2pkcs7", "-nocrl", "-certfile", certificate, "-outform", form, "-out", path(f"{form}.p7b"))
        made(f"{form}.p7b", "openssl", ["certificate"], False)

    # Java: trust stores of both types, and a key store made from PKCS#12.
    for ending, kind in [("jks", "JKS"), ("java-trust.p12", "PKCS12")]:
        keytool("-importcert", "-noprompt", "-alias", f"issuer-{bits}", "-file", certificate, "-keystore", path(ending),
                "-storetype", kind, "-storepass", PASSWORD)
        made(ending, "keytool", ["certificate"], True)
    keytool("-importkeystore", "-noprompt", "-srckeystore", path("modern.p12"), "-srcstoretype", "PKCS12",
            "-srcstorepass", PASSWORD, "-destkeystore", path("java.p12"), "-deststoretype", "PKCS12",
            "-deststorepass", PASSWORD)
    made("java.p12", "keytool", ["certificate", "key"], True)

    # Python's cryptography.
    chain = [x509.load_pem_x509_certificate(certificate.read_bytes())]
    best = serialization.BestAvailableEncryption(PASSWORD.encode())
    old = (
        serialization.PrivateFormat.PKCS12.encryption_builder().kdf_rounds(2000)
        .key_cert_algorithm(pkcs12.PBES.PBESv1SHA1And3KeyTripleDESCBC).hmac_hash(hashes.SHA1())
        .build(PASSWORD.encode())
    )
    for ending, contains, encrypted, data in [
        ("python.pkcs8.pem", ["key"], True, private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, best)),
        ("python.traditional.pem", ["key"], True, private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, best)),
        ("python.p12", ["certificate", "key"], True, pkcs12.serialize_key_and_certificates(
            b"issuer", private, chain[0], None, best)),
        ("python-3des.p12", ["certificate", "key"], True, pkcs12.serialize_key_and_certificates(
            b"issuer", private, chain[0], None, old)),
        ("python.p7b", ["certificate"], False, pkcs7.serialize_certificates(chain, serialization.Encoding.DER)),
    ]:
        path(ending).write_bytes(data)
        made(ending, "cryptography", contains, encrypted)


# --- Other passwords: for tests of their own, so not in the list ------------------------------------------


def make_passwords():
    key = HERE / "test-only-issuer-2048.pkcs8.pem"
    certificate = FOLDER / "test-only-2048.cert.pem"
    openssl("pkcs12", "-export", "-inkey", key, "-in", certificate, "-passout", "pass:",
            "-out", FOLDER / "test-only-empty-password.p12")
    private = serialization.load_pem_private_key(key.read_bytes(), None)
    umlauts = serialization.BestAvailableEncryption("prüfung-€".encode())
    chain = x509.load_pem_x509_certificate(certificate.read_bytes())
    (FOLDER / "test-only-umlauts.p12").write_bytes(
        pkcs12.serialize_key_and_certificates(b"issuer", private, chain, None, umlauts))


# --- Bad files --------------------------------------------------------------------------------------------


def bad(name, data, code, role, password=True):
    """`role`: the kind of key that is read from the file, `private` or `public`."""
    path = FOLDER / "bad" / f"test-only-{name}"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    entries.append({"file": f"formats/bad/{path.name}", "madeBy": "openssl or keytool, then changed", "encrypted": password,
                    "private": role == "private", "expectedError": code})


def changed(data, old, new):
    assert len(old) == len(new) and data.count(old) >= 1, (data.count(old), old.hex())
    return data.replace(old, new)


def make_bad():
    key = HERE / "test-only-issuer-2048.pkcs8.pem"
    certificate = FOLDER / "test-only-2048.cert.pem"
    p12 = ["pkcs12", "-export", "-inkey", key, "-in", certificate, *OUT]

    # Iteration counts: 65535 becomes 8388607, which is too much work to allow.
    rounds = bytes.fromhex("020300ffff"), bytes.fromhex("02037fffff")
    bad("p12-iterations.p12", changed(openssl(*p12, "-iter", "65535"), *rounds), "unreadable_key", "private")
    many = openssl("pkcs8", "-topk8", "-in", key, "-iter", "65535", "-outform", "DER", *OUT)
    bad("pkcs8-iterations.der", changed(many, *rounds), "unreadable_key", "private")
    # scrypt: the block size 8 becomes 127, of 255 MiB.
    scrypt = openssl("pkcs8", "-topk8", "-in", key, "-scrypt", "-outform", "DER", *OUT)
    bad("pkcs8-scrypt.der", changed(scrypt, bytes.fromhex("02024000020108"), bytes.fromhex("0202400002017f")),
        "unreadable_key", "private")
    # An unknown algorithm: PBKDF2's identifier with another last number.
    bad("pkcs8-unknown-kdf.der", changed(many, bytes.fromhex("2a864886f70d01050c"), bytes.fromhex("2a864886f70d01057f")),
        "unsupported_key", "private")

    bad("no-mac.p12", openssl(*p12, "-nomac"), "unsupported_key", "private")
    modern = openssl(*p12)
    bad("truncated.p12", modern[:-40], "unreadable_key", "private")
    bad("trailing.p12", modern + b"more", "unreadable_key", "private")
    bad("changed.p12", modern[:600] + bytes([modern[600] ^ 1]) + modern[601:], "bad_password", "private")
    der_p7b = (FOLDER / "test-only-2048.der.p7b").read_bytes()
    bad("truncated.p7b", der_p7b[:-9], "unreadable_key", "public", password=False)

    # A certificate without its key, when the key is needed; a key without its certificate, when that is needed.
    bad("certificate-only.p12", (FOLDER / "test-only-2048.certificate-only.p12").read_bytes(), "unsupported_key", "private")
    bad("key-only.p12", (FOLDER / "test-only-2048.key-only.p12").read_bytes(), "unsupported_key", "public")

    # Java stores.
    jks = (FOLDER / "test-only-2048.jks").read_bytes()
    bad("digest.jks", jks[:-1] + bytes([jks[-1] ^ 1]), "bad_password", "public")
    bad("octet.jks", jks[:100] + bytes([jks[100] ^ 1]) + jks[101:], "bad_password", "public")
    bad("truncated.jks", jks[:25], "unreadable_key", "public")
    # The certificate beside a private key in a JKS is read.
    for name, kind, role in [("private-key.jks", "JKS", "private"), ("store.jceks", "JCEKS", "public")]:
        path = FOLDER / "bad" / f"test-only-{name}"
        path.unlink(missing_ok=True)
        keytool("-genkeypair", "-alias", "one", "-keyalg", "RSA", "-keysize", "2048", "-dname", "CN=Test only",
                "-keystore", path, "-storetype", kind, "-storepass", PASSWORD, "-keypass", PASSWORD)
        bad(name, path.read_bytes(), "unsupported_key", role)
    # Only its start, because Bouncy Castle is not installed, and a reader stops at the salt's length.
    bad("store.bks", bytes.fromhex("0000000200000014") + bytes(range(40)), "unsupported_key", "public")

    # Other algorithms inside good containers.
    other = HERE / "bad" / "test-only-ec-p256.pkcs8.pem"
    traditional = openssl("ec", "-in", other)
    bad("ec-traditional.pem", traditional, "unsupported_key", "private", password=False)
    bad("ec.p12", openssl("pkcs12", "-export", "-inkey", other, "-in", HERE / "bad/test-only-ec-p256.cert.pem", *OUT),
        "unsupported_key", "private")
    bad("ed25519-encrypted.pem",
        openssl("pkcs8", "-topk8", "-in", HERE / "bad/test-only-ed25519.pkcs8.pem", *OUT), "unsupported_key", "private")

    # RSA keys whose numbers do not belong together.
    numbers = serialization.load_pem_private_key(key.read_bytes(), None).private_numbers()
    n, e = numbers.public_numbers.n, numbers.public_numbers.e
    good = [0, n, e, numbers.d, numbers.p, numbers.q, numbers.dmp1, numbers.dmq1, numbers.iqmp]
    for place, name in [(3, "d"), (4, "p"), (6, "dp"), (7, "dq"), (8, "qinv")]:
        values = [value + 2 if index == place else value for index, value in enumerate(good)]
        bad(f"wrong-{name}.pem", der.pem("RSA PRIVATE KEY", der.sequence(*map(der.integer, values))), "unreadable_key",
            "private", password=False)
    for factor in [3, 1009]:
        tiny = n - n % (2 * factor) + factor
        bad(f"factor-{factor}.spki.pem", der.pem("PUBLIC KEY", der.rsa_spki(tiny, e)), "unsupported_key", "public",
            password=False)


def check():
    """Compares the list with the files. Their bytes cannot be made again, because salts are random."""
    listed = {entry["file"] for entry in json.loads((HERE / "formats.json").read_text())["files"]}
    # These have other passwords than the rest; the tests name them.
    listed |= {"formats/test-only-empty-password.p12", "formats/test-only-umlauts.p12"}
    found = {str(path.relative_to(HERE)) for path in FOLDER.rglob("*") if path.is_file()}
    for name in sorted(listed ^ found):
        print("not in the list:" if name in found else "missing:", name)
    print(len(listed), "files, as listed")
    return 1 if listed != found else 0


def main():
    if sys.argv[1:] == ["--check"]:
        sys.exit(check())
    shutil.rmtree(FOLDER, ignore_errors=True)
    (FOLDER / "bad").mkdir(parents=True)
    for bits in SIZES:
        make_size(bits)
    make_passwords()
    make_bad()
    lines = ",\n".join(" " + json.dumps(entry) for entry in entries)
    comment = "TEST-ONLY keys, password test-only. Made by make_formats.py; see README.md."
    (HERE / "formats.json").write_text(f'{{"comment": "{comment}", "files": [\n{lines}\n]}}\n')
    print(len(entries), "files")


if __name__ == "__main__":
    main()
