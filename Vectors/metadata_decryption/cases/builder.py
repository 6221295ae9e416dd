"""Encrypts with plain arithmetic, so that padding can be right, wrong, and the same in every run.

Nothing here is random: if padding needs random bytes, they come from a hash of the key, the text and a number.
"""

import base64
import functools
import hashlib
import pathlib

from cryptography.hazmat.primitives import serialization

KEYS = pathlib.Path(__file__).resolve().parents[2] / "keys"

ZIP = "77754"


def bytes_of(text):
    return text if isinstance(text, bytes) else text.encode()


@functools.cache
def private_key(name):
    return serialization.load_pem_private_key((KEYS / key_file(name)).read_bytes(), None)


def key_file(name):
    return f"test-only-{name}.pkcs8.pem"


@functools.cache
def public_numbers(name):
    public = private_key(name).public_key().public_numbers()
    return public.n, public.e


def modulus(name):
    return public_numbers(name)[0]


def block_size(name):
    """Bytes of the modulus."""
    return (modulus(name).bit_length() + 7) // 8


def largest_chunk(name):
    """The largest text in one block under PKCS#1 v1.5."""
    return block_size(name) - 11


def stream(count, *seed):
    """Bytes that look random. The length of each part of the seed counts, too."""
    parts = [bytes_of(part) if isinstance(part, (str, bytes)) else str(part).encode() for part in seed]
    joined = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return hashlib.shake_256(joined).digest(count)


def nonzero(count, *seed):
    data = bytes(byte for byte in stream(2 * count + 64, *seed) if byte)
    assert len(data) >= count
    return data[:count]


def raw(encoded, key):
    """RSA on a whole encoded message, right or wrong: exactly one block, not reduced first."""
    n, e = public_numbers(key)
    assert len(encoded) == block_size(key)
    number = int.from_bytes(encoded, "big")
    assert number < n, "an encoded message as large as the modulus does not come back"
    return pow(number, e, n).to_bytes(block_size(key), "big")


# --- PKCS#1 v1.5 (RFC 8017, section 7.2.1) --------------------------------------------------------------------


def pkcs1_encoded(chunk, key, number=0):
    chunk = bytes_of(chunk)
    padding = nonzero(block_size(key) - 3 - len(chunk), "pkcs1", key, chunk, number)
    assert len(padding) >= 8, "the chunk is too long for one block"
    return b"\x00\x02" + padding + b"\x00" + chunk


def pkcs1(text, key="issuer-2048", size=None, number=0):
    """A whole text in blocks of at most `size` bytes, the largest possible unless stated otherwise."""
    chunks = cut(bytes_of(text), size or largest_chunk(key))
    return pkcs1_chunks(chunks, key, number)


def pkcs1_chunks(chunks, key="issuer-2048", number=0):
    return b"".join(raw(pkcs1_encoded(chunk, key, f"{number}.{index}"), key) for index, chunk in enumerate(chunks))


def cut(data, size):
    return [data[start : start + size] for start in range(0, len(data), size)] or [b""]


# --- OAEP (RFC 8017, section 7.1.1) ---------------------------------------------------------------------------

# Name of the padding -> hash of the label, hash of the mask generation function.
OAEP = {"oaep-sha1": ("sha1", "sha1"), "oaep-sha256": ("sha256", "sha256"), "oaep-sha256-mgf1-sha1": ("sha256", "sha1")}


def mgf1(seed, count, name):
    blocks = (hashlib.new(name, seed + index.to_bytes(4, "big")).digest() for index in range(count // 20 + 1))
    return b"".join(blocks)[:count]


def xor(one, other):
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def largest_oaep_chunk(key, padding):
    return block_size(key) - 2 - 2 * hashlib.new(OAEP[padding][0]).digest_size


def oaep_encoded(chunk, key, padding, label=b"", number=0, damage=None, first=0):
    """`damage` changes the data block before it is masked; `first` replaces the leading zero."""
    chunk = bytes_of(chunk)
    digest, mask = OAEP[padding]
    label_hash = hashlib.new(digest, label).digest()
    size = len(label_hash)
    filler = bytes(block_size(key) - len(chunk) - 2 * size - 2)
    data = label_hash + filler + b"\x01" + chunk
    if damage:
        data = damage(data)
    seed = stream(size, "oaep", padding, key, chunk, label, number)
    masked = xor(data, mgf1(seed, len(data), mask))
    return bytes([first]) + xor(seed, mgf1(masked, size, mask)) + masked


def oaep(text, padding, key="issuer-2048", size=None, number=0, **options):
    chunks = cut(bytes_of(text), size or largest_oaep_chunk(key, padding))
    encoded = (oaep_encoded(chunk, key, padding, number=f"{number}.{i}", **options) for i, chunk in enumerate(chunks))
    return b"".join(raw(block, key) for block in encoded)


def encrypt(text, padding="pkcs1", key="issuer-2048", **options):
    return pkcs1(text, key, **options) if padding == "pkcs1" else oaep(text, padding, key, **options)


# --- Spellings of Base64 --------------------------------------------------------------------------------------


def standard(data):
    return base64.b64encode(data).decode()


def url_safe(data):
    return base64.urlsafe_b64encode(data).decode()


def wrapped(text, width=76, newline="\n"):
    return newline.join(text[start : start + width] for start in range(0, len(text), width)) + newline


def search(make, wanted):
    """The first of make(0), make(1), … that has a property which only some ciphertexts have."""
    return next(made for made in map(make, range(100_000)) if wanted(made))
