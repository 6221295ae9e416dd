"""Which key of a ring decrypts."""

from . import builder as b
from .sizes import sample

SIZES = ["issuer-1024", "metadata-1536", "issuer-2048", "issuer-3072", "issuer-4096"]


def add(suite):
    add_positions(suite)
    add_rotation(suite)
    add_sizes(suite)
    add_blocks_of_several_keys(suite)


def add_positions(suite):
    others = ["other-2048", "issuer-2048-e3"]
    for position, name in enumerate(("first", "in the middle", "last")):
        ring = others[:position] + ["issuer-2048"] + others[position:]
        for text in ("77754", "Zoë's account", sample(400)):
            comment = f"the right key {name} of three, {len(text.encode())} octets"
            value = b.pkcs1(text, number=f"{name} of three")
            suite.accept(comment, "KeyRing", value, text, ring=ring, key="issuer-2048")
    text = '["77754"]'
    ring = ["other-2048", "issuer-2048-e3", "issuer-2048-e32bits", "issuer-2048-high", "ca-2048", "issuer-2048"]
    value = b.pkcs1(text)
    suite.accept("the last of six", "KeyRing", value, text, ring=ring, key="issuer-2048", attribute="zip")
    suite.refuse("none of five", "KeyRing", value, ring=ring[:-1], attribute="zip")
    suite.refuse("one key, the wrong one", "KeyRing", value, ring=["other-2048"], attribute="zip")
    suite.refuse("two blocks, the wrong key", "KeyRing Chunks", b.pkcs1(sample(300)), ring=["other-2048"])
    suite.refuse("three octets, the wrong key", "KeyRing", b.pkcs1("abc"), ring=["other-2048"])


def add_rotation(suite):
    new, old = "issuer-2048", "other-2048"
    for key, name in ((new, "new"), (old, "old")):
        for text in ("10001", "upstream user 17"):
            value = b.pkcs1(text, key, number="rotation")
            comment = f"rotation: {len(text)} octets under the {name} key"
            suite.accept(comment, "KeyRing", value, text, ring=[new, old], key=key)
            suite.accept(f"{comment}, old key first", "KeyRing", value, text, ring=[old, new], key=key)
    value = b.pkcs1("10001", old, number="rotation")
    suite.refuse("rotation: the old key was taken out too early", "KeyRing", value, ring=[new])
    value = b.pkcs1("10001", new, number="rotation")
    suite.refuse("rotation: the new key is not there yet", "KeyRing", value, ring=[old])
    ring = ["issuer-4096", "issuer-1024"]
    for key in ring:
        value = b.pkcs1("a larger key replaces a small one", key)
        comment = f"rotation to a larger key: a value under {key}"
        suite.accept(comment, "KeyRing", value, "a larger key replaces a small one", ring=ring, key=key)


def add_sizes(suite):
    for ring in (SIZES, SIZES[::-1]):
        order = "smallest" if ring is SIZES else "largest"
        for key in ring:
            for text in (b.ZIP, sample(b.largest_chunk(key) + 1)):
                comment = f"five sizes, the {order} first: {len(text)} octets under {key}"
                suite.accept(comment, "KeyRing", b.pkcs1(text, key, number=f"{order} first"), text, ring=ring, key=key)
    ring = ["metadata-2047", "issuer-2048"]
    for key in ring:
        value = b.pkcs1("the same number of octets", key)
        suite.accept(
            f"2047 and 2048 bits: under {key}", "KeyRing", value, "the same number of octets", ring=ring, key=key
        )
    ring = ["issuer-2048", "metadata-2056"]
    for key in ring:
        value = b.pkcs1("one octet more or less", key)
        suite.accept(f"2048 and 2056 bits: under {key}", "KeyRing", value, "one octet more or less", ring=ring, key=key)
    value = b.pkcs1(sample(200), "issuer-1024")
    suite.refuse("two blocks of 1024 bits look like one of 2048", "KeyRing", value, ring=["issuer-2048"])
    value = b.pkcs1(b.ZIP, "issuer-4096")
    suite.refuse("one block of 4096 bits looks like two of 2048", "KeyRing", value, ring=["issuer-2048"])
    suite.refuse("one block of 4096 bits looks like four of 1024", "KeyRing", value, ring=["issuer-1024"])
    value = b.pkcs1(b.ZIP, "issuer-3072")
    suite.refuse(
        "one block of 3072 bits fits neither key",
        "KeyRing Length",
        value,
        "wrong_length",
        ring=["issuer-2048", "issuer-4096"],
    )
    suite.refuse("only the wrong key has the right size", "KeyRing", b.pkcs1(b.ZIP), ring=["issuer-4096", "other-2048"])
    value = b.pkcs1(b.ZIP, "metadata-2056")
    suite.refuse("one octet more than the key's block", "KeyRing Length", value, "wrong_length")


def add_blocks_of_several_keys(suite):
    ring = ["issuer-2048", "other-2048"]
    one, other = b.pkcs1("777", ring[0]), b.pkcs1("54", ring[1])
    suite.refuse("first block under the new key, second under the old", "KeyRing MixedBlocks", one + other, ring=ring)
    suite.refuse("first block under the old key, second under the new", "KeyRing MixedBlocks", other + one, ring=ring)
    value = b.pkcs1(b.ZIP, "issuer-1024") + b.pkcs1(b.ZIP, "issuer-2048")
    suite.refuse("blocks of two sizes joined", "KeyRing Length", value, ring=["issuer-2048", "issuer-1024"])
