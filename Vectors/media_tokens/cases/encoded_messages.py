"""Encoded messages for PKCS#1 v1.5 signatures, right and wrong, and forgeries for e = 3."""

import hashlib

from . import builder as b

NULL = b"\x05\x00"
SHA256_OID = bytes.fromhex("0609608648016503040201")
SHA384_OID = bytes.fromhex("0609608648016503040202")
SHA1_OID = bytes.fromhex("06052b0e03021a")
SHA256_WITH_RSA_OID = bytes.fromhex("06092a864886f70d01010b")


def tlv(tag, *contents, long_form=0):
    """Writes the length in `long_form` bytes although one is enough, for BER that is not DER."""
    body = b"".join(contents)
    length = bytes([0x80 | long_form]) + len(body).to_bytes(long_form, "big") if long_form else bytes([len(body)])
    return bytes([tag]) + length + body


def digest_info(digest, oid=SHA256_OID, parameters=NULL, behind=b"", tag=0x30, outer=0, inner=0, string=0):
    """DigestInfo, with a knob for each thing that can be wrong in it."""
    identifier = tlv(0x30, oid, parameters, long_form=inner)
    return tlv(tag, identifier, tlv(0x04, digest, long_form=string), behind, long_form=outer)


def padded(info, length, *, lead=b"\x00", block=b"\x01", fill=None, separator=b"\x00", behind=b""):
    """An encoded message. The padding takes what is left of the length."""
    count = length - len(lead + block + separator + info + behind)
    padding = b"\xff" * count if fill is None else fill(count)
    message = lead + block + padding + separator + info + behind
    assert len(message) == length
    return message


def nonzero_bytes(count):
    stream = hashlib.shake_256(b"padding").digest(4 * count)
    return bytes(byte for byte in stream if byte)[:count]


# --- Forgeries for e = 3 ------------------------------------------------------------------------------------


def cube_root(number):
    """The largest root whose cube is not above the number."""
    low, high = 0, 1 << (number.bit_length() // 3 + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**3 <= number else (low, middle - 1)
    return low


def cube_root_of_suffix(suffix, bits):
    """The root modulo 2^bits of an odd number, found bit by bit."""
    root = 1
    for bit in range(bits):
        if (root**3 - suffix) >> bit & 1:
            root |= 1 << bit
    assert root**3 % (1 << bits) == suffix
    return root


def forged_prefix(prefix, length):
    """A number whose cube starts with the prefix; what follows is garbage."""
    free_bits = 8 * (length - len(prefix))
    largest = (int.from_bytes(prefix, "big") + 1 << free_bits) - 1
    root = cube_root(largest)
    assert (root**3).to_bytes(length, "big").startswith(prefix)
    return root.to_bytes(length, "big")


def forged_both(prefix, suffix, length):
    """A number whose cube starts with the prefix and ends in the suffix, with garbage between them."""
    bits = 8 * len(suffix)
    low = cube_root_of_suffix(int.from_bytes(suffix, "big"), bits)
    largest = (int.from_bytes(prefix, "big") + 1 << 8 * (length - len(prefix))) - 1
    # Replacing the low bits makes the root a little smaller, so the cube stays below the next prefix.
    root = (cube_root(largest) - (1 << bits) >> bits << bits) + low
    cube = (root**3).to_bytes(length, "big")
    assert cube.startswith(prefix) and cube.endswith(suffix)
    return root.to_bytes(length, "big")


def body_with_odd_digest():
    """Only an odd number has a root modulo a power of two."""
    return b.search(b.numbered_body, lambda text: hashlib.sha256(text.encode()).digest()[-1] & 1)
