"""Base64 around the token: strict, except for the changes that channels are known to make."""

from . import builder as b
from .container import BOM, TOKEN


def add(suite):
    add_spellings(suite)
    add_alphabets(suite)
    add_layers(suite)
    add_lost_plus(suite)
    add_url_safe_end(suite)


def sized_body(remainder):
    """A body whose token's length is `remainder` modulo 3, which decides how its Base64 ends."""
    providers = ["TestMVPD", "TestMVPDa", "TestMVPDab"]
    provider = next(name for name in providers if len(b.token(b.body(mvpdId=name))) % 3 == remainder)
    return b.body(mvpdId=provider), b.claims(mvpdId=provider)


def sized(remainder):
    """The same, as Base64 and claims. The Base64 ends in `==` for 1, in `=` for 2, in nothing for 0."""
    text, claims = sized_body(remainder)
    return b.standard(b.token(text)), claims


def add_spellings(suite):
    no_pad, claims0 = sized(0)
    two_pads, claims1 = sized(1)
    one_pad, claims2 = sized(2)
    accepted = [
        ("two = at the end", two_pads, claims1),
        ("one = at the end", one_pad, claims2),
        ("no = needed", no_pad, claims0),
        ("one = left out", b.unpadded(one_pad), claims2),
        ("two = left out", b.unpadded(two_pads), claims1),
        ("a tab after every 10 symbols", b.wrapped(two_pads, 10, b"\t"), claims1),
        ("CR alone as line end", b.wrapped(two_pads, 64, b"\r"), claims1),
        ("empty lines between the lines", b.wrapped(two_pads, 64, b"\n\r\n\n"), claims1),
        ("a line end after every symbol", b.wrapped(two_pads, 1), claims1),
        ("line end between the two =", two_pads[:-1] + b"\n=", claims1),
        ("line end before the two =", two_pads[:-2] + b"\r\n==", claims1),
        ("a space after the padding", two_pads + b" ", claims1),
        ("spaces and line ends after the padding", two_pads + b" \r\n  \n", claims1),
        ("a space after text that needs no padding", no_pad + b" ", claims0),
        ("a space where two = were left out", b.unpadded(two_pads) + b" ", claims1),
        ("a line end where one = was left out", b.unpadded(one_pad) + b"\n", claims2),
        ("a tab where one = was left out", b.unpadded(one_pad) + b"\t", claims2),
    ]
    for comment, data, claims in accepted:
        suite.accept(comment, "Base64", data, claims)
    nonzero = two_pads[:-3] + next_symbol(two_pads[-3:-2]) + b"=="
    refused = [
        ("non-zero trailing bits, two =", nonzero),
        ("non-zero trailing bits, one =", one_pad[:-2] + next_symbol(one_pad[-2:-1]) + b"="),
        ("non-zero trailing bits, no =", b.unpadded(nonzero)),
        ("one = where two are needed", two_pads[:-1]),
        ("two = where one is needed", one_pad + b"="),
        ("three = where two are needed", two_pads + b"="),
        ("= where none is needed", no_pad + b"="),
        ("four = where none is needed", no_pad + b"===="),
        ("a space between the two =", two_pads[:-1] + b" ="),
        ("a space before the two =", two_pads[:-2] + b" =="),
        ("text after the padding", two_pads + b"QQ=="),
        ("a second token after the padding", two_pads + two_pads),
        ("= in the middle", two_pads[:40] + b"=" + two_pads[40:]),
        ("= in front", b"=" + two_pads),
        ("a single left-over symbol", no_pad + b"A"),
        ("one symbol missing in the middle", two_pads[:40] + two_pads[41:]),
        ("one space too many in the middle", two_pads[:40] + b" " + two_pads[40:]),
        ("an exclamation mark inside", two_pads[:40] + b"!" + two_pads[41:]),
        ("an asterisk inside", two_pads[:40] + b"*" + two_pads[41:]),
        ("a full stop inside", two_pads[:40] + b"." + two_pads[41:]),
        ("a comma inside", two_pads[:40] + b"," + two_pads[41:]),
        ("NUL inside", two_pads[:40] + b"\x00" + two_pads[40:]),
        ("vertical tab inside", two_pads[:40] + b"\v" + two_pads[40:]),
        ("form feed at the end", two_pads + b"\f"),
        ("byte order mark inside", two_pads[:40] + BOM + two_pads[40:]),
        ("no-break space at the end", two_pads + b"\xc2\xa0"),
        ("backslash n instead of line ends", b.wrapped(two_pads, 64, b"\\n")),
        ("full-width letters", "ＰＨＮｐ".encode() + two_pads[4:]),
        ("only ====", b"===="),
        ("only =", b"="),
        ("only A", b"A"),
        ("only AAAA", b"AAAA"),
        ("hexadecimal", TOKEN.hex().encode()),
        ("quoted-printable", TOKEN.replace(b"=", b"=3D").replace(b"<", b"=3C")),
        ("-----BEGIN lines around it", b"-----BEGIN TOKEN-----\n" + two_pads + b"\n-----END TOKEN-----\n"),
    ]
    for comment, data in refused:
        suite.add(comment, "Base64", data, "malformed")


def next_symbol(symbol):
    """The next symbol of the alphabet: it differs in the lowest bit only, since that bit was zero."""
    alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    index = alphabet.index(symbol)
    assert index % 2 == 0
    return alphabet[index + 1 : index + 2]


def add_alphabets(suite):
    """A token whose Base64 has both symbols in which the two alphabets differ."""
    wide = b.body(resourceID="Why???????")
    data, claims = b.token(wide), b.claims(resourceID="Why???????")
    encoded = b.standard(data)
    assert b"+" in encoded and b"/" in encoded
    options = {"resource": "Why???????"}
    suite.accept("both + and /", "Base64", encoded, claims, **options)
    suite.accept("both - and _", "Base64", b.url_safe(data), claims, **options)
    suite.add("+ and _ in one layer", "Base64", encoded.replace(b"/", b"_"), "malformed", **options)
    suite.add("- and / in one layer", "Base64", encoded.replace(b"+", b"-"), "malformed", **options)
    suite.add("one - among the +", "Base64", encoded.replace(b"+", b"-", 1), "malformed", **options)
    text = encoded.replace(b"/", b"\\/")
    suite.add("a backslash before each slash, as in JSON", "Base64", text, "malformed", **options)
    comment = "a space in the URL-safe alphabet: a space stands for +, so both alphabets are in one layer"
    suite.add(comment, "Base64 LostPlus", b.url_safe(data).replace(b"-", b" ", 1), "malformed", **options)
    text = b.standard(b.url_safe(data))
    suite.accept("URL-safe inside standard", "Base64", text, claims, **options)
    text = b.unpadded(b.url_safe(b.unpadded(encoded)))
    suite.accept("standard inside URL-safe, neither padded", "Base64", text, claims, **options)


def add_layers(suite):
    once, claims = sized(1)
    accepted = {
        "white space in front inside the layer": b.standard(b" \r\n" + b.token(sized_body(1)[0])),
        "byte order mark inside the layer": b.standard(BOM + b.token(sized_body(1)[0])),
        "byte order mark and line end inside the first of two layers": b.standard(BOM + b"\n" + once),
        "line end behind the token inside the layer": b.standard(b.token(sized_body(1)[0]) + b"\n"),
        "line end behind the inner of two layers": b.standard(once + b"\n"),
    }
    for comment, data in accepted.items():
        suite.accept(comment, "Base64", data, claims)
    refused = {
        "Base64 three times": b.standard(b.standard(once)),
        "Base64 of nothing but white space": b.standard(b" \n"),
        "Base64 of a byte order mark": b.standard(BOM),
        "Base64 of other text": b.standard(b"The quick brown fox jumps over the lazy dog."),
        "Base64 twice of other text": b.standard(b.standard(b"The quick brown fox")),
        "Base64 of noise": b.standard(b.hashlib.shake_256(b"noise").digest(600)),
        "Base64 of the token's second half": b.standard(b.token(sized_body(1)[0])[300:]),
        "Base64 of percent-encoded text": b.standard(b.percent(TOKEN)),
        "Base64 of a quoted token": b.standard(b'"' + TOKEN + b'"'),
        "non-zero trailing bits in the inner layer": b.standard(once[:-3] + next_symbol(once[-3:-2]) + b"=="),
        "inner layer cut": b.standard(once[:-7]),
    }
    for comment, data in refused.items():
        suite.add(comment, "Base64", data, "malformed")
    comment = "letters inside the layer, in front of the token"
    suite.add(comment, "Base64", b.standard(b"x" + TOKEN), "malformed")


def add_lost_plus(suite):
    """A token of 3n bytes ends in `>`, so its Base64 ends in `+`, the symbol that gets lost."""
    encoded, claims = sized(0)
    assert encoded.endswith(b"+")
    cut = encoded[:-1]
    flags = "LostPlus Base64"
    accepted = {
        "final + turned into a space": cut + b" ",
        "final + turned into a space, another space behind it": cut + b"  ",
        "final + turned into a space, a line end behind it": cut + b" \n",
        "final + turned into a space, a line end before it": cut + b"\n ",
        "every + turned into a space, the final one too": encoded.replace(b"+", b" "),
        "final + of the inner layer turned into a space": b.standard(cut + b" "),
        "every + lost, and the lines wrapped": b.wrapped(encoded.replace(b"+", b" "), 76, b"\r\n"),
    }
    for comment, data in accepted.items():
        suite.accept(comment, flags, data, claims)
    comment = "final + dropped altogether: what is left decodes, but the last > is gone"
    suite.add(comment, flags, cut, "bad_signature")
    suite.add("final + dropped, line end behind it", flags, cut + b"\r\n", "bad_signature")
    unpadded = b.unpadded(sized(2)[0])
    comment = "one = left out and a space at the end: read as a lost +, so one octet too many"
    suite.add(comment, flags, unpadded + b" ", "bad_signature")


def add_url_safe_end(suite):
    def one_pad_and_its_own_symbols(made):
        return made.count(b"=") == 1 and (b"-" in made or b"_" in made)

    def numbered(number):
        return b.url_safe(b.token(b.body(resourceID="Why?????", mvpdId="TestMVPD" + "x" * number)))

    encoded = b.search(numbered, one_pad_and_its_own_symbols)
    comment = "URL-safe, one = left out, a space at the end: that space would be a +, of the other alphabet"
    suite.add(comment, "LostPlus Base64", b.unpadded(encoded) + b" ", "malformed", resource="Why?????")
