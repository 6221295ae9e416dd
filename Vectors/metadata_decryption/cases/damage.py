"""Padding of PKCS#1 v1.5 that is wrong in every way, and numbers out of range."""

from . import builder as b
from .sizes import sample


def add(suite):
    for key in ("issuer-1024", "metadata-2047", "issuer-2048", "issuer-4096"):
        add_damage(suite, key)
        add_range(suite, key)
    for key in ("issuer-1024", "issuer-2048"):
        add_mixed(suite, key)
    add_no_integrity(suite)


def damaged(key, text=b"90211", number="damage"):
    """The fault -> the encoded message."""
    good = b.pkcs1_encoded(text, key, number)
    size = len(good)
    filler = b.nonzero(size, "filler", key, number)
    cases = {
        "first octet 01": b"\x01" + good[1:],
        "first octet 02": b"\x02" + good[1:],
        "first octet 7F": b"\x7f" + good[1:],
        "block type 00": b"\x00\x00" + good[2:],
        "block type 01": b"\x00\x01" + good[2:],
        "block type 01 with FF, as a signature has": b"\x00\x01" + b"\xff" * (size - len(text) - 3) + b"\x00" + text,
        "block type 03": b"\x00\x03" + good[2:],
        "block type FF": b"\x00\xff" + good[2:],
        "first two octets swapped": b"\x02\x00" + good[2:],
        "no zero octet after the padding": b"\x00\x02" + filler[: size - 2],
        "no padding at all": b"\x00\x02\x00" + filler[: size - 3 - len(text)] + text,
        "text alone, zeros before it": bytes(size - len(text)) + text,
        "block type 02, then zeros": b"\x00\x02" + bytes(size - 2),
        "block type 02, zeros, then the text": b"\x00\x02" + bytes(size - 2 - len(text)) + text,
        "block type 02 one octet too late": b"\x00\x00\x02" + good[3:],
        "ANSI X9.31 padding": b"\x00\x6b" + b"\xbb" * (size - 4 - len(text)) + b"\xba" + text + b"\xcc",
    }
    for count in range(1, 8):
        rest = filler[: size - 3 - count - len(text)]
        cases[f"{count} octets of padding, then zero"] = b"\x00\x02" + filler[:count] + b"\x00" + rest + text
    return cases


def usable(key, make):
    """A number for which the message is below the modulus."""
    return b.search(make, lambda encoded: int.from_bytes(encoded, "big") < b.modulus(key))


def add_damage(suite, key):
    for comment, encoded in damaged(key).items():
        if int.from_bytes(encoded, "big") >= b.modulus(key):
            continue
        suite.refuse(f"{key}: {comment}", "InvalidPkcs1Padding", b.raw(encoded, key), ring=[key])
    size = b.block_size(key)
    text = sample(size - 11)
    encoded = b"\x00\x02" + b.nonzero(8, key) + b"\x00" + text.encode()
    suite.accept(
        f"{key}: eight octets of padding, the fewest", "InvalidPkcs1Padding", b.raw(encoded, key), text, ring=[key]
    )
    encoded = b"\x00\x02" + b"\xff" * (size - 3 - 5) + b"\x00" + b.ZIP.encode()
    suite.accept(f"{key}: padding of FF", "InvalidPkcs1Padding", b.raw(encoded, key), b.ZIP, ring=[key])
    encoded = b"\x00\x02" + b"\x01" * (size - 3 - 5) + b"\x00" + b.ZIP.encode()
    suite.accept(f"{key}: padding of 01", "InvalidPkcs1Padding", b.raw(encoded, key), b.ZIP, ring=[key])
    good = b.pkcs1(b.ZIP, key, number="flip")
    for place, name in ((0, "first"), (size // 2, "middle"), (size - 1, "last")):
        changed = bytearray(good)
        changed[place] ^= 1
        suite.refuse(f"{key}: a bit of the {name} octet flipped", "InvalidPkcs1Padding", bytes(changed), ring=[key])
    reverse = b.search(lambda number: b.pkcs1(b.ZIP, key, number=number)[::-1], lambda made: made[0] < 0x40)
    suite.refuse(f"{key}: the octets in reverse order", "InvalidPkcs1Padding", reverse, ring=[key])


def add_range(suite, key):
    n, size = b.modulus(key), b.block_size(key)

    def refuse(comment, number):
        suite.refuse(f"{key}: {comment}", "Range", number.to_bytes(size, "big"), ring=[key])

    refuse("the number 0", 0)
    refuse("the number 1", 1)
    refuse("the number 2", 2)
    refuse("the modulus less one", n - 1)
    refuse("the modulus less two", n - 2)
    refuse("the modulus", n)
    refuse("the modulus and one", n + 1)
    refuse("all bits set", 2 ** (8 * size) - 1)
    small = b.search(
        lambda number: int.from_bytes(b.pkcs1(b.ZIP, key, number=number), "big") + n, lambda c: c < 2 ** (8 * size)
    )
    refuse("a good value with the modulus added", small)
    good = int.from_bytes(b.pkcs1(b.ZIP, key, number="range"), "big")
    refuse("the modulus less a good value", n - good)


def add_mixed(suite, key):
    """A bad block anywhere spoils the whole value. The text of a good block must not be returned, even in an error."""
    kinds = damaged(key, b"54", "mixed")
    chosen = [
        "first octet 01",
        "block type 01",
        "no zero octet after the padding",
        "7 octets of padding, then zero",
        "no padding at all",
        "text alone, zeros before it",
    ]
    good, more = b.pkcs1("777", key, number="mixed"), b.pkcs1("54", key, number="more")
    for kind in chosen:
        bad = b.raw(kinds[kind], key)
        flags = "MixedBlocks InvalidPkcs1Padding"
        suite.refuse(f"{key}: good, then bad ({kind})", flags, good + bad, ring=[key])
        suite.refuse(f"{key}: bad ({kind}), then good", flags, bad + good, ring=[key])
    bad = b.raw(kinds["block type 01"], key)
    flags = "MixedBlocks InvalidPkcs1Padding"
    suite.refuse(f"{key}: good, bad, good", flags, good + bad + more, ring=[key])
    suite.refuse(f"{key}: bad, good, bad", flags, bad + good + bad, ring=[key])
    large = b.modulus(key).to_bytes(b.block_size(key), "big")
    suite.refuse(f"{key}: good, then the modulus", "MixedBlocks Range", good + large, ring=[key])
    suite.refuse(f"{key}: the modulus, then good", "MixedBlocks Range", large + good, ring=[key])
    suite.refuse(f"{key}: good, then zeros", "MixedBlocks Range", good + bytes(len(good)), ring=[key])


def add_no_integrity(suite):
    """Changes that RSA in blocks cannot detect. Only a signature would show who wrote a value."""
    one, two = b.pkcs1("zip=", number="one"), b.pkcs1("77754", number="two")
    suite.accept("blocks in their order", "NoIntegrity Chunks", one + two, "zip=77754")
    suite.accept("blocks swapped: another text, and no error", "NoIntegrity Chunks", two + one, "77754zip=")
    suite.accept("the second block left out", "NoIntegrity Chunks", one, "zip=")
    suite.accept("a block repeated", "NoIntegrity Chunks", one + two + two, "zip=7775477754")
