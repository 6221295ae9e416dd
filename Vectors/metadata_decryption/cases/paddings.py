"""OAEP in its spellings, and each padding when another one was asked for."""

from . import builder as b
from .sizes import sample

PADDINGS = ["pkcs1", *b.OAEP]


def add(suite):
    for padding in b.OAEP:
        for key in ("issuer-1024", "issuer-2048", "issuer-3072", "issuer-4096"):
            add_lengths(suite, padding, key)
        add_forms(suite, padding)
        add_damage(suite, padding)
    add_mismatches(suite)


def add_lengths(suite, padding, key):
    most = b.largest_oaep_chunk(key, padding)
    for count in (1, most, most + 1, 3 * most):
        text = sample(count)
        comment = f"{padding}, {key}, {count} octets"
        suite.accept(comment, "Oaep Size", b.oaep(text, padding, key), text, ring=[key], padding=padding)


def add_forms(suite, padding):
    def accept(comment, flags, value, text, **options):
        suite.accept(f"{padding}: {comment}", f"Oaep {flags}", value, text, padding=padding, **options)

    text = "a" * (b.largest_oaep_chunk("issuer-2048", padding) - 1) + "é"
    accept("a character in two blocks", "StraddlingCharacter", b.oaep(text, padding), text)
    text = '["77754","10001"]'
    accept("blocks of four octets", "Chunks", b.oaep(text, padding, size=4), text, attribute="zip")
    ring = ("other-2048", "issuer-4096", "issuer-2048")
    accept("the right key last", "KeyRing", b.oaep(b.ZIP, padding), b.ZIP, ring=ring, key="issuer-2048")
    value = b.wrapped(b.url_safe(b.oaep(b.ZIP, padding)), newline="\r\n").replace("=", "")
    accept("URL-safe, wrapped, unpadded", "Base64", value, b.ZIP)


def add_damage(suite, padding):
    def refuse(comment, flags, value, **options):
        suite.refuse(f"{padding}: {comment}", f"Oaep {flags}", value, padding=padding, **options)

    size = 20 if padding == "oaep-sha1" else 32
    cases = {
        "a label": {"label": b"zip"},
        "a label of one zero octet": {"label": b"\x00"},
        "first octet 01": {"first": 1},
        "hash of the label wrong in its first bit": {
            "damage": lambda data: b.xor(data, b"\x80" + bytes(len(data) - 1))
        },
        "hash of the label wrong in its last bit": {
            "damage": lambda data: b.xor(data, bytes(size - 1) + b"\x01" + bytes(len(data) - size))
        },
        "no 01 before the text": {"damage": lambda data: data.replace(b"\x01" + b.ZIP.encode(), bytes(6))},
        "02 instead of 01": {"damage": lambda data: data.replace(b"\x01" + b.ZIP.encode(), b"\x02" + b.ZIP.encode())},
        "a one among the zeros": {"damage": lambda data: data[: size + 5] + b"\x80" + data[size + 6 :]},
    }
    for comment, options in cases.items():
        refuse(comment, "InvalidOaepPadding", b.oaep(b.ZIP, padding, **options))
    refuse("empty text", "Plausibility", b.oaep("", padding))
    refuse("no UTF-8", "NotUtf8", b.oaep(b"caf\xe9", padding))
    refuse("the wrong key", "KeyRing", b.oaep(b.ZIP, padding), ring=["other-2048"])
    good, bad = b.oaep("777", padding), b.oaep("54", padding, label=b"x")
    refuse("a good block, then one with a label", "MixedBlocks InvalidOaepPadding", good + bad)
    refuse("a block with a label, then a good one", "MixedBlocks InvalidOaepPadding", bad + good)
    refuse("one octet missing", "Length", b.oaep(b.ZIP, padding)[:-1], code="wrong_length")
    refuse("the number one", "Range InvalidOaepPadding", bytes(255) + b"\x01")
    refuse("above the modulus", "Range", b"\xff" * 256)


def add_mismatches(suite):
    """No fallback from one padding to another: an attacker would choose the weakest."""
    for asked in PADDINGS:
        for used in PADDINGS:
            if asked == used:
                continue
            comment = f"{used} where {asked} was asked for"
            for text in ("77754", '["77754","10001"]'):
                value = b.encrypt(text, used, number="mismatch")
                suite.refuse(f"{comment}, {len(text)} octets", "PaddingMismatch", value, padding=asked)
