"""Encoded messages that deviate from PKCS#1 v1.5, made with the private key, and forgeries without it."""

import hashlib

from . import builder as b
from . import encoded_messages as em
from .signatures import BODY, DIGEST, LENGTH, SIGNATURE, refuse

INFO = em.digest_info(DIGEST)


def add(suite):
    add_padding(suite)
    add_digest_infos(suite)
    add_other_sizes(suite)
    add_low_exponent(suite)


def add_padding(suite):
    def head(count):
        return b"\xff" * (count - 1)

    short = b"\x00\x01" + b"\xff" * 8 + b"\x00" + INFO
    wrong = {
        "block type 0, padding of zeros: DigestInfo alone": em.padded(INFO, LENGTH, block=b"\x00", fill=bytes),
        "block type 0": em.padded(INFO, LENGTH, block=b"\x00"),
        "block type 2, padding of FF": em.padded(INFO, LENGTH, block=b"\x02"),
        "block type 2, random padding": em.padded(INFO, LENGTH, block=b"\x02", fill=em.nonzero_bytes),
        "block type 3": em.padded(INFO, LENGTH, block=b"\x03"),
        "block type FF": em.padded(INFO, LENGTH, block=b"\xff"),
        "random padding under block type 1": em.padded(INFO, LENGTH, fill=em.nonzero_bytes),
        "first octet 01 instead of 00": em.padded(INFO, LENGTH, lead=b"\x01"),
        "no leading 00": em.padded(INFO, LENGTH, lead=b""),
        "two leading 00": em.padded(INFO, LENGTH, lead=b"\x00\x00"),
        "FE as the first octet of padding": em.padded(INFO, LENGTH, fill=lambda n: b"\xfe" + head(n)),
        "FE as the last octet of padding": em.padded(INFO, LENGTH, fill=lambda n: head(n) + b"\xfe"),
        "00 inside the padding": em.padded(INFO, LENGTH, fill=lambda n: b"\xff" * 20 + b"\x00" + b"\xff" * (n - 21)),
        "no 00 behind the padding": em.padded(INFO, LENGTH, separator=b""),
        "01 behind the padding": em.padded(INFO, LENGTH, separator=b"\x01"),
        "two 00 behind the padding": em.padded(INFO, LENGTH, separator=b"\x00\x00"),
        "no padding at all, garbage behind": b"\x00\x01\x00" + INFO + em.nonzero_bytes(LENGTH - 3 - len(INFO)),
        "8 octets of padding, zeros behind": short + bytes(LENGTH - len(short)),
        "8 octets of padding, garbage behind": short + em.nonzero_bytes(LENGTH - len(short)),
        "one zero octet behind DigestInfo": em.padded(INFO, LENGTH, behind=b"\x00"),
        "eight octets behind DigestInfo": em.padded(INFO, LENGTH, behind=b"garbage!"),
        "short padding, zeros in front": bytes(100) + em.padded(INFO, LENGTH - 100),
        "7 octets of padding, zeros in front": (b"\x00\x01" + b"\xff" * 7 + b"\x00" + INFO).rjust(LENGTH, b"\x00"),
        "hash alone": DIGEST.rjust(LENGTH, b"\x00"),
        "hash alone, at the left": b"\x00" + DIGEST + bytes(LENGTH - 33),
        "X9.31 style": b"\x6b" + b"\xbb" * (LENGTH - 36) + b"\xba" + DIGEST + b"\x34\xcc",
        "the message itself, cut to the length": BODY.encode()[: LENGTH - 1].rjust(LENGTH, b"\x00"),
    }
    n = b.rsa_numbers("issuer-2048")[0]
    for comment, encoded in wrong.items():
        assert int.from_bytes(encoded, "big") < n, comment
        refuse(suite, f"padding: {comment}", "InvalidPkcs1Padding", b.sign_encoded(encoded))
    # The same road with nothing wrong gives the ordinary signature: the cases above fail for their own reason.
    assert b.sign_encoded(em.padded(INFO, LENGTH)) == SIGNATURE


def add_digest_infos(suite):
    info = em.digest_info
    identifier_long = em.tlv(0x30, b"\x06\x81\x09" + em.SHA256_OID[2:], em.NULL)
    string = em.tlv(0x04, DIGEST)
    cases = [
        ("MissingNull", "no NULL", info(DIGEST, parameters=b"")),
        ("BerEncodedDigestInfo", "outer length in long form", info(DIGEST, outer=1)),
        ("BerEncodedDigestInfo", "outer length in two octets", info(DIGEST, outer=2)),
        ("BerEncodedDigestInfo", "inner length in long form", info(DIGEST, inner=1)),
        ("BerEncodedDigestInfo", "inner length in four octets", info(DIGEST, inner=4)),
        ("BerEncodedDigestInfo", "length of the hash in long form", info(DIGEST, string=1)),
        ("BerEncodedDigestInfo", "length of the identifier in long form", em.tlv(0x30, identifier_long, string)),
        ("BerEncodedDigestInfo", "length of NULL in long form", info(DIGEST, parameters=b"\x05\x81\x00")),
        ("BerEncodedDigestInfo", "indefinite length", b"\x30\x80" + INFO[2:] + b"\x00\x00"),
        ("BerEncodedDigestInfo", "hash in a constructed octet string", em.tlv(0x30, INFO[2:17], em.tlv(0x24, string))),
        ("InvalidPkcs1Padding", "BOOLEAN in place of NULL", info(DIGEST, parameters=b"\x01\x01\xff")),
        ("InvalidPkcs1Padding", "INTEGER in place of NULL", info(DIGEST, parameters=b"\x02\x01\x00")),
        ("InvalidPkcs1Padding", "two NULL", info(DIGEST, parameters=em.NULL * 2)),
        ("InvalidPkcs1Padding", "NULL with content", info(DIGEST, parameters=b"\x05\x01\x00")),
        ("InvalidPkcs1Padding", "NULL behind the hash", info(DIGEST, behind=em.NULL)),
        ("InvalidPkcs1Padding", "garbage in the parameters", info(DIGEST, parameters=em.tlv(0x04, bytes(40)))),
        ("InvalidPkcs1Padding", "SET in place of SEQUENCE", info(DIGEST, tag=0x31)),
        ("InvalidPkcs1Padding", "hash under the tag of a bit string", em.tlv(0x30, INFO[2:17], em.tlv(0x03, DIGEST))),
        ("InvalidPkcs1Padding", "hash cut to 31 octets", info(DIGEST[:-1])),
        ("InvalidPkcs1Padding", "hash with a zero octet behind", info(DIGEST + b"\x00")),
        ("InvalidPkcs1Padding", "empty hash", info(b"")),
        ("InvalidPkcs1Padding", "hash of zeros", info(bytes(32))),
        ("InvalidPkcs1Padding", "hash reversed", info(DIGEST[::-1])),
        ("InvalidPkcs1Padding", "hash in hexadecimal", info(DIGEST.hex().encode())),
        ("InvalidPkcs1Padding", "hash of the hash", info(hashlib.sha256(DIGEST).digest())),
        ("InvalidPkcs1Padding", "one bit of the hash flipped", info(DIGEST[:-1] + bytes([DIGEST[-1] ^ 1]))),
        ("WrongHash", "SHA-256 hash under the identifier of SHA-1", info(DIGEST, oid=em.SHA1_OID)),
        ("WrongHash", "SHA-256 hash under the identifier of SHA-384", info(DIGEST, oid=em.SHA384_OID)),
        ("WrongHash", "SHA-256 hash under the identifier of sha256WithRSA", info(DIGEST, oid=em.SHA256_WITH_RSA_OID)),
        ("WrongHash", "SHA-1 hash under the identifier of SHA-256", info(hashlib.sha1(BODY.encode()).digest())),
    ]
    for flag, comment, encoded in cases:
        signature = b.sign_encoded(em.padded(encoded, LENGTH))
        refuse(suite, f"DigestInfo: {comment}", flag, signature)
    info_sha1 = info(DIGEST, oid=em.SHA1_OID)
    comment = "DigestInfo: SHA-256 hash under the identifier of SHA-1, SHA-1 allowed"
    refuse(suite, comment, "WrongHash", b.sign_encoded(em.padded(info_sha1, LENGTH)), allow_sha1=True)
    bare = em.digest_info(hashlib.sha1(BODY.encode()).digest(), oid=em.SHA1_OID, parameters=b"")
    comment = "DigestInfo: SHA-1 without NULL, SHA-1 allowed"
    refuse(suite, comment, "MissingNull", b.sign_encoded(em.padded(bare, LENGTH)), allow_sha1=True)


def add_other_sizes(suite):
    """The most telling deviations once more, at the sizes that are in use elsewhere."""
    for key in ["issuer-1024", "issuer-4096"]:
        length = b.rsa_numbers(key)[3]
        short = b"\x00\x01" + b"\xff" * 8 + b"\x00" + INFO
        wrong = [
            ("MissingNull", "no NULL", em.padded(em.digest_info(DIGEST, parameters=b""), length)),
            ("InvalidPkcs1Padding", "garbage behind", short + em.nonzero_bytes(length - len(short))),
            ("InvalidPkcs1Padding", "block type 2", em.padded(INFO, length, block=b"\x02", fill=em.nonzero_bytes)),
            ("InvalidPkcs1Padding", "hash alone", DIGEST.rjust(length, b"\x00")),
        ]
        for flag, comment, encoded in wrong:
            signature = b.sign_encoded(encoded, key)
            refuse(suite, f"{key}: {comment}", flag, signature, keys=(f"{key}.spki.pem",))
        right = b.sign(BODY, key)
        values = {"zero octet in front": b"\x00" + right, "last octet missing": right[:-1], "all zero": bytes(length)}
        for comment, value in values.items():
            refuse(suite, f"{key}: {comment}", "SignatureValue", value, keys=(f"{key}.spki.pem",))


def add_low_exponent(suite):
    """Forged without the private key: verifiers that read the padding leniently accept these when e is 3."""
    flags, keys = "LowExponentForgery", ("issuer-2048-e3.spki.pem",)
    text = em.body_with_odd_digest()
    digest = hashlib.sha256(text.encode()).digest()
    info = em.digest_info(digest)
    start = b"\x00\x01" + b"\xff" * 8 + b"\x00"
    # The lengths include the bytes between, so that a lenient reader of BER finds the hash at the end.
    gap = LENGTH - len(start) - 8 - len(em.SHA256_OID) - 4 - 34
    parameters = b"\x04\x82" + gap.to_bytes(2, "big")
    inner = em.SHA256_OID + parameters
    head = b"\x30\x82" + (4 + len(inner) + gap + 34).to_bytes(2, "big")
    head += b"\x30\x82" + (len(inner) + gap).to_bytes(2, "big") + inner
    forgeries = {
        "garbage behind the hash": em.forged_prefix(start + info, LENGTH),
        "garbage behind the hash, no padding": em.forged_prefix(b"\x00\x01\x00" + info, LENGTH),
        "garbage in place of the padding": em.forged_both(b"\x00\x01\xff\xff", b"\x00" + info, LENGTH),
        "garbage in the parameters of the algorithm": em.forged_both(start + head, em.tlv(0x04, digest), LENGTH),
        "garbage all the way, only the hash at the end": em.forged_both(b"\x00\x01", digest, LENGTH),
        "cube root of the encoded message, rounded": em.cube_root(
            int.from_bytes(em.padded(info, LENGTH), "big")
        ).to_bytes(LENGTH, "big"),
    }
    for comment, signature in forgeries.items():
        refuse(suite, f"e = 3: {comment}", flags, signature, text, keys=keys)
