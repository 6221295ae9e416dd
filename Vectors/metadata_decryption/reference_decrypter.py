"""A plain decrypter of metadata, for tests only.

It knows both ways in which libraries answer wrong padding: an error, and the made-up text of implicit rejection. Every
case has to end the same in both.
"""

import base64
import functools
import hashlib
import hmac
import json
import re
from dataclasses import dataclass

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding as asymmetric

STANDARD = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
URL_SAFE = STANDARD - set("+/") | set("-_")

SHAPES = {
    "zip": "postal codes",
    "channelID": "list",
    "hba_status": "boolean",
    "allowMirroring": "boolean",
    "maxRating": "object",
}

OAEP = {
    "oaep-sha1": (hashes.SHA1, hashes.SHA1),
    "oaep-sha256": (hashes.SHA256, hashes.SHA256),
    "oaep-sha256-mgf1-sha1": (hashes.SHA256, hashes.SHA1),
}


class Refusal(Exception):
    """The first step that failed, by its code."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


@dataclass
class Key:
    """A private key of `cryptography`, with the values that are needed often."""

    label: str
    private: object

    def __post_init__(self):
        numbers = self.private.private_numbers()
        self.n, self.d = numbers.public_numbers.n, numbers.d
        self.p, self.q, self.dp, self.dq, self.qinv = numbers.p, numbers.q, numbers.dmp1, numbers.dmq1, numbers.iqmp
        self.size = (self.n.bit_length() + 7) // 8
        self.power = functools.cache(self.compute)

    def compute(self, block):
        """The private operation; None if the number is not below the modulus."""
        c = int.from_bytes(block, "big")
        if c >= self.n:
            return None
        one, two = pow(c, self.dp, self.p), pow(c, self.dq, self.q)
        number = two + (one - two) * self.qinv % self.p * self.q
        return number.to_bytes(self.size, "big")


def decrypt(value, attribute, padding, keys, *, implicit_rejection):
    """The text and the label of the key. `keys` are tried in their order."""
    if attribute == "encryptedZip":
        raise Refusal("foreign_scheme")
    if is_encrypted_token(value):
        raise Refusal("is_jwe")
    data = base64_decoded(value)
    fitting = [key for key in keys if data and len(data) % key.size == 0]
    if not fitting:
        raise Refusal("wrong_length")
    for key in fitting:
        plain = decrypted(data, padding, key, implicit_rejection)
        if plain is not None and is_plausible(plain, SHAPES.get(attribute, "text")):
            return plain.decode(), key.label
    raise Refusal("undecryptable")


def is_encrypted_token(value):
    """Five parts with full stops between them: the compact form of RFC 7516. A part may be empty, the first not."""
    return re.fullmatch(r"[\w-]+(\.[\w-]*){4}", value.strip(" \t\r\n"), re.ASCII) is not None


# --- Base64 ---------------------------------------------------------------------------------------------------


def base64_decoded(value):
    """Either alphabet, padded or not, line ends anywhere, white space around it, a space for a lost `+`."""
    text = re.sub(r"[\t\r\n]", "", value)
    symbols = text.strip(" ").replace(" ", "+")
    padded = "=" in symbols
    if text.startswith(" ") and padded and len(symbols) % 4 == 3:
        symbols = "+" + symbols
    elif text.endswith(" ") and not padded and len(symbols) % 4 == 3:
        symbols += "+"
    if not padded:
        symbols += "=" * (-len(symbols) % 4)
    used = set(symbols.rstrip("="))
    if not (used <= STANDARD or used <= URL_SAFE):
        raise Refusal("not_base64")
    symbols = symbols.replace("-", "+").replace("_", "/")
    try:
        data = base64.b64decode(symbols, validate=True)
    except ValueError:
        raise Refusal("not_base64") from None
    # The library accepts several spellings. Only the one that it writes itself is accepted here.
    if base64.b64encode(data).decode() != symbols:
        raise Refusal("not_base64")
    return data


# --- RSA ------------------------------------------------------------------------------------------------------


def decrypted(data, padding, key, implicit_rejection):
    """All blocks, joined; None if one of them is refused or empty."""
    blocks = [data[start : start + key.size] for start in range(0, len(data), key.size)]
    one = pkcs1_block if padding == "pkcs1" else oaep_block
    plain = [one(block, padding, key, implicit_rejection) for block in blocks]
    return None if None in plain or b"" in plain else b"".join(plain)


def pkcs1_block(block, _, key, implicit_rejection):
    encoded = key.power(block)
    if encoded is None:
        return None
    end = encoded.find(b"\x00", 2)
    if encoded[:2] == b"\x00\x02" and end >= 10:
        return encoded[end + 1 :]
    return made_up(block, key) if implicit_rejection else None


def oaep_block(block, padding, key, _):
    digest, mask = OAEP[padding]
    scheme = asymmetric.OAEP(asymmetric.MGF1(mask()), digest(), None)
    try:
        return key.private.decrypt(block, scheme)
    except ValueError:
        return None


# --- Implicit rejection ---------------------------------------------------------------------------------------


def made_up(block, key):
    """The text that OpenSSL makes up from 3.2 on if the padding is wrong: always the same for one key and block."""
    hidden = hashlib.sha256(key.d.to_bytes(key.size, "big")).digest()
    derived = hmac.digest(hidden, block, "sha256")
    lengths = pseudo_random(derived, b"length", 256)
    text = pseudo_random(derived, b"message", key.size)
    longest = key.size - 10
    mask = (1 << longest.bit_length()) - 1
    length = 0
    for index in range(0, len(lengths), 2):
        candidate = int.from_bytes(lengths[index : index + 2], "big") & mask
        if candidate < longest:
            length = candidate
    return text[key.size - length :]


def pseudo_random(key, label, count):
    parts = []
    for index in range((count + 31) // 32):
        parts.append(hmac.digest(key, index.to_bytes(2, "big") + label + (8 * count).to_bytes(2, "big"), "sha256"))
    return b"".join(parts)[:count]


# --- Plausibility ---------------------------------------------------------------------------------------------


def is_plausible(plain, shape):
    """Whether the bytes can be the text of an attribute of this shape. See README.md."""
    try:
        text = plain.decode("utf-8", "strict")
    except UnicodeDecodeError:
        return False
    if not text or any(is_control(ord(character), shape) for character in text):
        return False
    return {
        "text": lambda text: True,
        "postal codes": is_postal_codes,
        "list": is_list,
        "boolean": is_boolean,
        "object": is_object,
    }[shape](text)


def is_control(scalar, shape):
    if scalar in (0x09, 0x0A, 0x0D):
        return shape not in ("postal codes", "list", "object")
    return scalar < 0x20 or 0x7F <= scalar < 0xA0 or scalar & 0xFFFE == 0xFFFE or 0xFDD0 <= scalar <= 0xFDEF


def json_value(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def is_postal_codes(text):
    if text.lstrip()[:1] == "[":
        value = json_value(text)
        return isinstance(value, list) and all(is_postal_code(str(element)) for element in value)
    return all(is_postal_code(element.strip()) for element in text.split(","))


def is_postal_code(text):
    return 3 <= len(text) <= 10 and re.fullmatch(r"(?=.*[0-9])[A-Za-z0-9]+([ -][A-Za-z0-9]+)*", text) is not None


def is_list(text):
    if text.lstrip()[:1] in ("[", "{"):
        value = json_value(text)
        return isinstance(value, list) and all(type(element) in (str, int, float) for element in value)
    return not any(character in "\t\r\n" for character in text)


def is_boolean(text):
    return text in ("true", "false", '"true"', '"false"', "1", "0", '"1"', '"0"')


def is_object(text):
    return isinstance(json_value(text), dict)
