"""The few DER shapes that the test keys need, written by hand.

By hand, because several of the files are wrong on purpose (an even modulus, an exponent of 1, a 16384-bit
modulus) or of a kind that libraries no longer write (X.509 version 1), and because the same input must give
the same bytes on every machine.
"""

import base64
import textwrap

RSA_ENCRYPTION = "1.2.840.113549.1.1.1"
SHA256_WITH_RSA = "1.2.840.113549.1.1.11"
SHA1_WITH_RSA = "1.2.840.113549.1.1.5"
EC_PUBLIC_KEY = "1.2.840.10045.2.1"
P256 = "1.2.840.10045.3.1.7"
COMMON_NAME = "2.5.4.3"
BASIC_CONSTRAINTS = "2.5.29.19"


def tlv(tag, *contents):
    """Tag, shortest length, contents."""
    body = b"".join(contents)
    if len(body) < 128:
        return bytes([tag, len(body)]) + body
    size = len(body).to_bytes((len(body).bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(size)]) + size + body


def sequence(*contents):
    return tlv(0x30, *contents)


def integer(value):
    return tlv(0x02, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def boolean(value):
    return tlv(0x01, b"\xff" if value else b"\x00")


def null():
    return tlv(0x05)


def octet_string(data):
    return tlv(0x04, data)


def bit_string(data):
    return tlv(0x03, b"\x00", data)


def object_identifier(dotted):
    first, second, *rest = (int(part) for part in dotted.split("."))
    return tlv(0x06, b"".join(base128(arc) for arc in [first * 40 + second, *rest]))


def base128(value):
    data = [value & 0x7F]
    while value := value >> 7:
        data.append(0x80 | value & 0x7F)
    return bytes(reversed(data))


def algorithm(dotted):
    """AlgorithmIdentifier with NULL parameters, as RSA has them."""
    return sequence(object_identifier(dotted), null())


def time(text):
    """`text` is YYYYMMDDHHMMSS in UTC. RFC 5280: UTCTime up to 2049, GeneralizedTime from 2050."""
    if text < "2050":
        return tlv(0x17, text[2:].encode() + b"Z")
    return tlv(0x18, text.encode() + b"Z")


def common_name(text):
    attribute = sequence(object_identifier(COMMON_NAME), tlv(0x0C, text.encode()))
    return sequence(tlv(0x31, attribute))


def rsa_public_key(modulus, exponent):
    """PKCS#1 RSAPublicKey."""
    return sequence(integer(modulus), integer(exponent))


def rsa_spki(modulus, exponent):
    return sequence(algorithm(RSA_ENCRYPTION), bit_string(rsa_public_key(modulus, exponent)))


def basic_constraints(is_ca):
    """The extensions field of a version 3 certificate, with this one extension."""
    value = sequence(boolean(True)) if is_ca else sequence()
    extension = sequence(object_identifier(BASIC_CONSTRAINTS), boolean(True), octet_string(value))
    return tlv(0xA3, sequence(extension))


def pem(label, data, newline="\n"):
    lines = textwrap.wrap(base64.b64encode(data).decode(), 64)
    return newline.join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""])
