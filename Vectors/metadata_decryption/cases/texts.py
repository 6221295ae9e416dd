"""Decrypted texts, compared byte by byte, and decrypted bytes that are not text."""

import json

from . import builder as b
from .sizes import sample


def add(suite):
    add_texts(suite)
    add_not_utf8(suite)
    add_controls(suite)
    add_zip(suite)
    add_other_shapes(suite)


def value(text):
    return b.pkcs1(text, number="texts")


def add_texts(suite):
    texts = {
        "a household": "hh-0a1b2c3d",
        "Base64 inside": "bm90IGEgcmVhbCB1c2Vy",
        "a space in front and behind": " 77754 ",
        "quotation marks and backslash": '"\\"',
        "looks like markup": "<b>&amp;</b>",
        "looks like SQL and a shell": "'; drop table users; $(reboot) `ls`",
        "German, composed": "Zürich Straße",
        "decomposed: not the same octets": "Zu\u0308rich",
        "Kelvin sign": "\u212a",
        "Greek, Russian, Chinese": "αβγ где 電視",
        "Arabic and Hebrew": "مرحبا שלום",
        "beyond the first plane": "😀𝔘",
        "joined emoji": "👩\u200d👩\u200d👧",
        "the replacement character, well encoded": "\ufffd",
        "the last character": "\U0010fffd",
        "a private-use character": "\ue000",
        "a combining mark alone": "\u0308",
        "a soft hyphen": "a\u00adb",
        "one space": " ",
        "a no-break space": "\u00a0",
        "the digit 0": "0",
        "null as a word": "null",
        "JSON text where none is due": '{"zip":["77754"]}',
        "JSON that is broken": '["77754"',
        "1,000 octets": sample(1000),
    }
    for comment, text in texts.items():
        suite.accept(comment, "Text", value(text), text)
    for comment, text in {
        "a byte order mark in front": "\ufeff77754",
        "a mark that turns the direction of writing": "\u202e45777",
        "a line separator": "a\u2028b",
    }.items():
        suite.accept(comment, "Text Plausibility", value(text), text, code="undecryptable")
    for attribute in ("userID", "householdID", "upstreamUserID", "primaryOID", "typeID", "language", "mvpd", "onNet"):
        suite.accept(f"{attribute}: text", "Text Shape", value("TestUser-17"), "TestUser-17", attribute=attribute)
    suite.accept("is_hoh: text", "Text Shape", value("1"), "1", attribute="is_hoh")
    for name in ("favouriteColour", "", "zip\u00a0", "Zip", "ＺＩＰ", "x" * 300):
        comment = f"an attribute that nobody knows, {len(name)} characters"
        suite.accept(comment, "Text Shape", value('["blue'), '["blue', attribute=name)


def add_not_utf8(suite):
    cases = {
        "Latin-1": b"Z\xfcrich",
        "a lone continuation octet": b"7775\x80",
        "a lead octet at the end": b"7775\xc3",
        "a lead octet before a letter": b"\xc3a",
        "overlong slash, two octets": b"\xc0\xaf",
        "overlong NUL, as Java writes it": b"a\xc0\x80b",
        "overlong, three octets": b"\xe0\x80\xaf",
        "overlong, four octets": b"\xf0\x80\x80\xaf",
        "half a surrogate pair": b"\xed\xa0\x80",
        "a surrogate pair in six octets": b"\xed\xa0\xbd\xed\xb8\x80",
        "above U+10FFFF": b"\xf4\x90\x80\x80",
        "five octets": b"\xf8\x88\x80\x80\x80",
        "FE and FF": b"\xfe\xff",
        "UTF-16, big end first": "Zürich".encode("utf-16-be"),
        "UTF-16 with its mark": "77754".encode("utf-16"),
        "UTF-32": "77754".encode("utf-32-le"),
        "GB 18030": "電視".encode("gb18030"),
        "compressed": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
        "noise": b.stream(64, "noise"),
    }
    for comment, data in cases.items():
        suite.refuse(comment, "NotUtf8", value(data))
        if comment in ("Latin-1", "a lead octet at the end", "noise"):
            suite.refuse(f"{comment}, for a ZIP code", "NotUtf8 Shape", value(data), attribute="zip")
    data = b.pkcs1_chunks(["77754", b"\xff"], number="texts")
    suite.refuse("text, then a block that is no UTF-8", "NotUtf8 Chunks", data)


def add_controls(suite):
    for comment, text in {
        "empty": "",
        "one NUL": "\x00",
        "NUL at the end": "77754\x00",
        "NUL in front": "\x0077754",
        "NUL in the middle": "777\x0054",
        "NUL as the second half of UTF-16": "7\x007\x00",
    }.items():
        suite.refuse(comment, "NotUtf8" if text else "Plausibility", value(text))
        if len(text) < 7:
            suite.refuse(f"{comment}, for a ZIP code", "Shape", value(text), attribute="zip")
    suite.refuse("two empty blocks", "Plausibility Chunks", b.pkcs1_chunks(["", ""]))
    for scalar in (0x01, 0x07, 0x08, 0x0B, 0x0C, 0x1B, 0x1F, 0x7F, 0x80, 0x85, 0x9F):
        suite.refuse(f"U+{scalar:04X} inside", "Plausibility", value(f"777{chr(scalar)}54"))
    for scalar in (0xFFFE, 0xFFFF, 0xFDD0, 0x1FFFE, 0x10FFFF):
        comment = f"U+{scalar:04X}, a noncharacter"
        suite.refuse(comment, "Plausibility", value(f"777{chr(scalar)}54"))
    for name, text in {"TAB": "a\tb", "LF": "a\nb", "LF at the end": "77754\n", "CR LF": "a\r\nb"}.items():
        suite.refuse(f"{name} in a text", "Plausibility", value(text))


def add_zip(suite):
    def accept(comment, text, flags="Shape", **options):
        suite.accept(f"zip: {comment}", flags, value(text), text, attribute="zip", **options)

    def refuse(comment, text, flags="Shape Plausibility"):
        suite.refuse(f"zip: {comment}", flags, value(text), attribute="zip")

    accept("bare", "77754")
    accept("a leading zero", "02134")
    accept("nine digits", "77754-1234")
    accept("nine digits without hyphen", "777541234")
    accept("Canadian", "K1A 0B1")
    accept("Canadian without space", "K1A0B1")
    accept("British", "SW1A 1AA")
    accept("an array of one", '["77754"]')
    accept("an array of two", '["77754","10001"]')
    accept("an array with spaces", '[ "77754", "K1A 0B1" ]')
    accept("an array on several lines", '[\n  "77754",\r\n\t"10001"\n]')
    accept("an array with an escape", '["\\u0037\\u0037754"]')
    accept("an array of thirty", json.dumps([f"{10001 + index}" for index in range(30)]))
    accept("an array of numbers", "[77754,10001]", "Shape Plausibility", code="undecryptable")
    accept("an empty array", "[]", "Shape Plausibility", code="undecryptable")
    accept("a quoted text", '"77754"', "Shape Plausibility", code="undecryptable")
    accept("several, with commas", "77754,10001", "Shape Plausibility")
    accept("several, with commas and spaces", "77754, K1A 0B1", "Shape Plausibility")
    accept("the first half of a Canadian one", "K1A", "Shape Plausibility")
    for text in (
        "#",
        "7",
        "ab",
        "Springfield",
        "77754 Springfield, TX",
        "12345678901",
        "77754,",
        "77754--1234",
        "*****",
    ):
        refuse(repr(text), text)
    refuse("an array with a word", '["77754","Springfield"]')
    refuse("an array in an array", '[["77754"]]')
    refuse("an array with true", "[true]")
    refuse("other digits", "٧٧٧٥٤")
    refuse("full-width digits", "７７７５４")
    refuse("an array cut short", '["77754"')
    refuse("an array with text behind it", '["77754"]x')
    refuse("two arrays", '["77754"]["10001"]')
    refuse("a trailing comma", '["77754",]')
    refuse("single quotation marks", "['77754']")
    refuse("an object", '{"zip":"77754"}')
    refuse("an object cut short", '{"zip"')
    refuse("a control character", "777\x1b54")
    suite.accept("channelID: an array", "Shape", value('["TNT","TBS"]'), '["TNT","TBS"]', attribute="channelID")
    suite.accept("channelID: bare", "Shape", value("TNT"), "TNT", attribute="channelID")
    suite.refuse("channelID: an array of objects", "Shape Plausibility", value('[{"TNT":1}]'), attribute="channelID")
    suite.refuse("channelID: an array of truth values", "Shape Plausibility", value("[true]"), attribute="channelID")
    suite.refuse("channelID: an object", "Shape Plausibility", value('{"TNT":1}'), attribute="channelID")


def add_other_shapes(suite):
    for attribute in ("hba_status", "allowMirroring"):
        for text in ("true", "false"):
            suite.accept(f"{attribute}: {text}", "Shape", value(text), text, attribute=attribute)
        for text in ('"true"', '"false"', "1", "0", '"1"', '"0"'):
            suite.accept(f"{attribute}: {text}", "Shape", value(text), text, attribute=attribute)
        for text in ("TRUE", "True", " true"):
            flags = "Shape Plausibility"
            reading = {"code": "undecryptable"}
            suite.accept(f"{attribute}: {text!r}", flags, value(text), text, attribute=attribute, **reading)
        for text in ("maybe", "77754", "truer", "t", "2", '["true"]', "null", "{}", '"true'):
            suite.refuse(f"{attribute}: {text}", "Shape Plausibility", value(text), attribute=attribute)
    for text in (
        '{"MPAA":"PG-13","VCHIP":"TV-14","URL":"http://example.com/max"}',
        '{"MPAA":"R"}',
        '{"MPAA":"NC-17","unknown":{"nested":[1,2,3]}}',
        '{\n  "VCHIP": "TV-Y7"\n}',
        '{"MPAA":"Ü"}',
    ):
        suite.accept(f"maxRating: {text!r}", "Shape", value(text), text, attribute="maxRating")
    suite.accept("maxRating: an empty object", "Shape Plausibility", value("{}"), "{}", attribute="maxRating")
    for text in (
        "TV-14",
        "77754",
        '["TV-14"]',
        '"TV-14"',
        '{"MPAA":"R"',
        "{MPAA:R}",
        '{"MPAA":"R"}}',
        "null",
        "true",
        "1",
    ):
        suite.refuse(f"maxRating: {text}", "Shape Plausibility", value(text), attribute="maxRating")
    large = json.dumps({"MPAA": "PG-13", "URL": "http://example.com/" + "x" * 400})
    suite.accept("maxRating: three blocks", "Shape Chunks", value(large), large, attribute="maxRating")
