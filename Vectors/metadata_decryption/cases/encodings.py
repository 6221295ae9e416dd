"""Base64 around the value, and values that are something else."""

from . import builder as b

NO_PAD, ONE_PAD, TWO_PADS = "issuer-3072", "issuer-1024", "issuer-2048"


def add(suite):
    add_accepted(suite)
    add_refused(suite)
    add_alphabets(suite)
    add_lost_plus(suite)
    add_lengths(suite)
    add_foreign(suite)


def value(key, number="encodings"):
    return b.standard(b.pkcs1(b.ZIP, key, number=number))


def add_accepted(suite):
    none, one, two = value(NO_PAD), value(ONE_PAD), value(TWO_PADS)
    accepted = [
        ("two = at the end", two, TWO_PADS),
        ("one = at the end", one, ONE_PAD),
        ("no = needed", none, NO_PAD),
        ("two = left out", two.rstrip("="), TWO_PADS),
        ("one = left out", one.rstrip("="), ONE_PAD),
        ("wrapped at 76 with LF, as Android does", b.wrapped(two), TWO_PADS),
        ("wrapped at 76 with CR LF, as MIME does", b.wrapped(two, newline="\r\n"), TWO_PADS),
        ("wrapped at 64 without a last line end", b.wrapped(two, 64)[:-1], TWO_PADS),
        ("wrapped with CR alone", b.wrapped(two, 60, "\r"), TWO_PADS),
        ("wrapped and unpadded", b.wrapped(two.rstrip("=")), TWO_PADS),
        ("empty lines between the lines", b.wrapped(two, 76, "\n\r\n"), TWO_PADS),
        ("a tab after every ten symbols", b.wrapped(two, 10, "\t"), TWO_PADS),
        ("spaces in front and behind", f"  {two}  ", TWO_PADS),
        ("line ends in front and behind", f"\r\n{two}\r\n", TWO_PADS),
        ("tab in front, space behind", f"\t{none} ", NO_PAD),
        ("line end between the two =", f"{two[:-1]}\n=", TWO_PADS),
    ]
    for comment, text, key in accepted:
        suite.accept(comment, "Base64", text, b.ZIP, ring=[key])


def next_symbol(symbol):
    """The next symbol of the alphabet: it differs in the lowest bit only, since that bit was zero."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    index = alphabet.index(symbol)
    assert index % 2 == 0
    return alphabet[index + 1]


def add_refused(suite):
    none, one, two = value(NO_PAD), value(ONE_PAD), value(TWO_PADS)
    nonzero = two[:-3] + next_symbol(two[-3]) + "=="
    refused = [
        ("only ====", "====", TWO_PADS),
        ("only =", "=", TWO_PADS),
        ("a single symbol", "A", TWO_PADS),
        ("non-zero trailing bits, two =", nonzero, TWO_PADS),
        ("non-zero trailing bits, one =", one[:-2] + next_symbol(one[-2]) + "=", ONE_PAD),
        ("non-zero trailing bits, no =", nonzero.rstrip("="), TWO_PADS),
        ("one = where two are needed", two[:-1], TWO_PADS),
        ("two = where one is needed", one + "=", ONE_PAD),
        ("three = where two are needed", two + "=", TWO_PADS),
        ("= where none is needed", none + "=", NO_PAD),
        ("==== where none is needed", none + "====", NO_PAD),
        ("text after =", two + "QUJD", TWO_PADS),
        ("two padded blocks joined as text", two + two, TWO_PADS),
        ("= in the middle", two[:100] + "=" + two[101:], TWO_PADS),
        ("= in front", "=" + two, TWO_PADS),
        ("a space between the two =", two[:-1] + " =", TWO_PADS),
        ("a single left-over symbol", none + "A", NO_PAD),
        ("an exclamation mark inside", two[:50] + "!" + two[51:], TWO_PADS),
        ("a comma inside", two[:50] + "," + two[51:], TWO_PADS),
        ("a full stop inside", two[:50] + "." + two[51:], TWO_PADS),
        ("an asterisk inside", two[:50] + "*" + two[51:], TWO_PADS),
        ("NUL inside", two[:50] + "\x00" + two[50:], TWO_PADS),
        ("NUL at the end", two + "\x00", TWO_PADS),
        ("vertical tab inside", two[:50] + "\v" + two[50:], TWO_PADS),
        ("form feed at the end", two + "\f", TWO_PADS),
        ("no-break space at the end", two + "\u00a0", TWO_PADS),
        ("zero-width space inside", two[:50] + "\u200b" + two[50:], TWO_PADS),
        ("a byte order mark in front", "\ufeff" + two, TWO_PADS),
        ("full-width letters", "".join(chr(ord(c) + 0xFEE0) for c in two[:4]) + two[4:], TWO_PADS),
        ("percent-encoded", two.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D"), TWO_PADS),
        ("only the = percent-encoded", two.replace("=", "%3D"), TWO_PADS),
        ("in quotation marks", f'"{two}"', TWO_PADS),
        ("as a JSON array", f'["{two}"]', TWO_PADS),
        ("backslash n instead of line ends", b.wrapped(two, 76, "\\n"), TWO_PADS),
        ("a backslash before each slash", two.replace("/", "\\/"), TWO_PADS),
        ("a data URL", "data:;base64," + two, TWO_PADS),
        ("PEM lines around it", f"-----BEGIN MESSAGE-----\n{b.wrapped(two, 64)}-----END MESSAGE-----\n", TWO_PADS),
        ("the plain text of an unencrypted attribute", "TV-14 (suggestive dialogue)", TWO_PADS),
    ]
    for comment, text, key in refused:
        suite.refuse(comment, "Base64", text, "not_base64", ring=[key])
    for comment, text in {"empty": "", "only a space": " ", "only line ends": "\r\n\n"}.items():
        suite.refuse(comment, "Base64 Length", text, "wrong_length", other_codes=["not_base64"])


def add_alphabets(suite):
    data = b.search(
        lambda number: b.pkcs1(b.ZIP, number=number), lambda made: {"+", "/"} <= set(b.standard(made)[40:])
    )
    text = b.standard(data)
    suite.accept("both + and /", "Base64", text, b.ZIP)
    suite.accept("both - and _", "Base64", b.url_safe(data), b.ZIP)
    suite.accept("URL-safe and unpadded, as JSON Web Tokens write it", "Base64", b.url_safe(data).rstrip("="), b.ZIP)
    suite.accept("URL-safe and wrapped", "Base64", b.wrapped(b.url_safe(data)), b.ZIP)
    suite.refuse("+ and _ in one value", "Base64", text.replace("/", "_"), "not_base64")
    suite.refuse("- and / in one value", "Base64", text.replace("+", "-"), "not_base64")
    comment = "a space in the URL-safe alphabet: a space stands for +, so both alphabets are in one value"
    suite.refuse(comment, "Base64 LostPlus", b.url_safe(data).replace("-", " "), "not_base64")


def add_lost_plus(suite):
    def found(key, wanted):
        return b.search(lambda number: value(key, number), wanted)

    flags = "LostPlus Base64"
    text = found("issuer-2048", lambda made: made.count("+") > 2 and made[0] != "+")
    suite.accept("every + inside became a space", flags, text.replace("+", " "), b.ZIP)
    suite.accept("one + of several became a space", flags, text.replace("+", " ", 1), b.ZIP)
    lost = b.wrapped(text.replace("+", " "), newline="\r\n")
    suite.accept("every + became a space, then wrapped", flags, lost, b.ZIP)
    text = found("issuer-2048", lambda made: "++" in made)
    suite.accept("two + side by side became spaces", flags, text.replace("+", " "), b.ZIP)
    text = found("issuer-2048-high", lambda made: made[0] == "+" and made[1] != "+")
    high = ["issuer-2048-high"]
    suite.accept("the first + became a space, = shows the length", flags, " " + text[1:], b.ZIP, ring=high)
    comment = "the first + became a space and the two = were left out"
    suite.accept(comment, flags, " " + text[1:-2], b.ZIP, code="not_base64", ring=high)
    text = found("issuer-3072", lambda made: made[-1] == "+" and made[-2] != "+")
    ring = ["issuer-3072"]
    suite.accept("the last + became a space, no = needed", flags, text[:-1] + " ", b.ZIP, ring=ring)
    suite.accept("the last + became a space, a line end behind it", flags, text[:-1] + " \n", b.ZIP, ring=ring)
    suite.refuse(
        "the last + dropped altogether",
        flags + " Length",
        text[:-1],
        "wrong_length",
        other_codes=["not_base64"],
        ring=ring,
    )
    text = found("issuer-2048", lambda made: "+" not in made)
    suite.refuse("a space too many inside", flags, text[:40] + " " + text[40:], "not_base64")
    suite.refuse("a symbol became a space that was no +", flags, text[:40] + " " + text[41:], "undecryptable")


def add_lengths(suite):
    good = b.pkcs1(b.ZIP)
    lengths = {
        "one octet less, cut at the end": good[:-1],
        "one octet less, cut in front": good[1:],
        "one octet more": good + b"\x00",
        "a leading zero octet added": b"\x00" + good,
        "cut in the middle": good[:128],
        "one octet": good[:1],
        "one block and a half": good + good[:128],
        "two blocks less an octet": (good + good)[:-1],
        "two blocks and an octet": good + good + b"\x00",
    }
    for comment, data in lengths.items():
        suite.refuse(comment, "Length", data, "wrong_length")
    leading = b.search(lambda number: b.pkcs1(b.ZIP, number=number), lambda made: made[0] == 0)
    suite.accept("the ciphertext begins with a zero octet", "Range", leading, b.ZIP)
    suite.refuse("the same, its leading zero octet dropped", "Length", leading[1:], "wrong_length")
    suite.refuse("a hexadecimal text, which is Base64 of another length", "Length", good.hex(), "wrong_length")
    suite.refuse("Base64 twice", "Length Base64", b.standard(b.standard(good).encode()), "wrong_length")
    suite.refuse("the plain text of a ZIP code of eight symbols", "Length", "77754123", "wrong_length")
    for name in ("issuer-1024", "metadata-1536", "issuer-3072", "issuer-8192"):
        size = b.block_size(name)
        if size % 256:
            suite.refuse(f"a value under {name}", "Length", b.pkcs1(b.ZIP, name), "wrong_length")


JWE_HEADER = b.url_safe(b'{"alg":"RSA-OAEP","enc":"A256GCM"}').rstrip("=")
JWE = ".".join([JWE_HEADER] + [b.url_safe(b.stream(count, "jwe", count)).rstrip("=") for count in (256, 12, 17, 16)])


def add_foreign(suite):
    def refuse(comment, text, code, **options):
        suite.refuse(comment, "ForeignValue", text, code, **options)

    parts = JWE.split(".")
    refuse("JSON Web Encryption, five parts", JWE, "is_jwe")
    refuse("the same for a known attribute", JWE, "is_jwe", attribute="zip")
    refuse("the same under OAEP", JWE, "is_jwe", padding="oaep-sha256")
    refuse("five parts, white space around them", f" {JWE}\r\n", "is_jwe")
    refuse("five parts, no encrypted key", f"{parts[0]}..{'.'.join(parts[2:])}", "is_jwe")
    refuse("five parts, header without eyJ", "AAAA." + ".".join(parts[1:]), "is_jwe", other_codes=["not_base64"])
    refuse("five empty parts", "....", "not_base64", other_codes=["is_jwe"])
    refuse("four parts", ".".join(parts[:4]), "not_base64")
    refuse("six parts", JWE + ".AAAA", "not_base64")
    refuse("three parts, a signed JSON Web Token", ".".join(parts[:3]), "not_base64")
    good = b.pkcs1("77754", number="foreign")
    refuse("encryptedZip: another party's key", good, "foreign_scheme", attribute="encryptedZip")
    refuse("encryptedZip, not Base64", "?!", "foreign_scheme", attribute="encryptedZip")
    refuse("encryptedZip, empty", "", "foreign_scheme", attribute="encryptedZip")
    refuse("encryptedZip, wrong length", "AAAA", "foreign_scheme", attribute="encryptedZip")
    refuse("encryptedZip, five parts", JWE, "foreign_scheme", attribute="encryptedZip")
    refuse("encryptedZip under OAEP", good, "foreign_scheme", attribute="encryptedZip", padding="oaep-sha1")
    for name in ("encryptedzip", "EncryptedZip", "encryptedZip ", "encryptedZip2"):
        suite.accept(f"{name!r} is another name", "ForeignValue", good, "77754", attribute=name)
