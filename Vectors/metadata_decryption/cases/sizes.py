"""Key sizes and lengths: one byte to three blocks."""

from . import builder as b

KEYS = [
    "issuer-1024",
    "issuer-1025",
    "metadata-1536",
    "metadata-2047",
    "issuer-2048",
    "metadata-2056",
    "issuer-3072",
    "issuer-4096",
]
UNUSUAL_KEYS = ["issuer-2048-e3", "issuer-2048-e32bits", "issuer-2048-high", "issuer-8192"]


def add(suite):
    for key in KEYS:
        add_lengths(suite, key)
    for key in UNUSUAL_KEYS:
        for text in (b.ZIP, sample(b.largest_chunk(key) + 1)):
            suite.accept(f"{key}, {len(text)} octets", "Size", b.pkcs1(text, key), text, ring=[key])
    for key in ("issuer-1024", "issuer-2048"):
        add_chunks(suite, key)
        add_straddling(suite, key)


def sample(count):
    """Readable text of this many bytes, in which a swapped or lost byte is visible."""
    return "".join(f"{number:x}." for number in range(count))[:count]


def add_lengths(suite, key):
    most = b.largest_chunk(key)
    lengths = {
        1: "one octet",
        2: "two octets",
        most - 1: "one less than fills a block",
        most: "exactly one block: eight octets of padding",
        most + 1: "one more than fits in a block",
        2 * most: "exactly two blocks",
        2 * most + 1: "two blocks and an octet",
        3 * most: "exactly three blocks",
    }
    for count, meaning in lengths.items():
        text = sample(count)
        comment = f"{b.modulus(key).bit_length()} bits: {meaning}"
        suite.accept(comment, "Size", b.pkcs1(text, key), text, ring=[key])


def add_chunks(suite, key):
    def accept(comment, chunks):
        text = b"".join(map(b.bytes_of, chunks)).decode()
        suite.accept(f"{key}: {comment}", "Chunks", b.pkcs1_chunks(chunks, key), text, ring=[key])

    accept("three blocks of one octet", ["a", "b", "c"])
    accept("100 octets in each block", b.cut(sample(250).encode(), 100))
    accept("blocks of 117 octets, which fill 1024 bits", b.cut(sample(300).encode(), 117))
    accept("uneven blocks", ["A zip:", sample(90), "-", "77754"])
    accept("a short block, then a full one", ["7", sample(b.largest_chunk(key))])
    accept("sixteen blocks", [f"block {number:02}." for number in range(16)])
    accept("the same block twice", ["77754,", "77754,"])
    for comment, chunks in {
        "an empty block at the end": ["77754", ""],
        "an empty block in front": ["", "77754"],
        "an empty block in the middle": ["777", "", "54"],
    }.items():
        suite.refuse(f"{key}: {comment}", "Chunks Plausibility", b.pkcs1_chunks(chunks, key), ring=[key])


def add_straddling(suite, key):
    for name, character in {"two": "é", "three": "€", "four": "😀"}.items():
        data = character.encode()
        for split in range(1, len(data)):
            front = "a" * (b.largest_chunk(key) - split)
            text = f"{front}{character}z"
            comment = f"{key}: a character of {name} octets, {split} of them in the first block"
            value = b.pkcs1(text, key)
            suite.accept(comment, "StraddlingCharacter Chunks", value, text, ring=[key])
    text = "Zoë 😀"
    value = b.pkcs1(text, key, size=1)
    suite.accept(f"{key}: every octet in its own block", "StraddlingCharacter Chunks", value, text, ring=[key])
    value = b.pkcs1("a" + text, key, size=3)
    suite.accept(f"{key}: three octets in each block", "StraddlingCharacter Chunks", value, "a" + text, ring=[key])
    cut = b.pkcs1("Zoë".encode()[:-1], key)
    suite.refuse(f"{key}: the second half of a character never comes", "StraddlingCharacter NotUtf8", cut, ring=[key])
    value = b.pkcs1_chunks(["Zo".encode(), "ë".encode()[1:]], key)
    suite.refuse(f"{key}: the first half of a character is missing", "StraddlingCharacter NotUtf8", value, ring=[key])
