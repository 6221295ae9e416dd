"""Text of elements: references, CDATA, line ends, characters. Every token here has a good signature."""

from . import builder as b


def add(suite):
    add_references(suite)
    add_bad_references(suite)
    add_cdata(suite)
    add_line_ends(suite)
    add_characters(suite)


def accept_resource(suite, comment, raw, value):
    """The raw content of resourceID, and the value that comes out."""
    claims = b.claims(resourceID=value)
    suite.accept(comment, "CharacterData", b.token(b.body(resourceID=raw)), claims, resource=value)


def refuse_resource(suite, comment, raw):
    suite.add(comment, "CharacterData", b.token(b.body(resourceID=raw)), "malformed", resource=None)


def add_references(suite):
    references = [
        ("all five predefined entities", "&lt;&gt;&amp;&apos;&quot;", "<>&'\""),
        ("decoded once only: entity", "a&amp;amp;b", "a&amp;b"),
        ("decoded once only: number", "&#38;#65;&amp;#x41;", "&#65;&#x41;"),
        ("decimal", "&#65;&#228;&#128250;", "A\u00e4\U0001f4fa"),
        ("hexadecimal, both cases of digits", "&#x41;&#xe4;&#x1F4fA;", "A\u00e4\U0001f4fa"),
        ("leading zeros", "&#00065;&#x00041;", "AA"),
        ("very many leading zeros", f"&#{'0' * 100}65;", "A"),
        ("tab, LF, CR", "a&#9;b&#10;c&#13;d", "a\tb\nc\rd"),
        ("first character that is allowed from the controls on", "&#x20;x", " x"),
        ("DEL and C1 controls, which XML allows", "&#127;&#x85;&#x9f;", "\x7f\x85\x9f"),
        ("last before the surrogates", "&#xD7FF;", "\ud7ff"),
        ("first behind the surrogates", "&#xE000;", "\ue000"),
        ("U+FFFD", "&#xFFFD;", "\ufffd"),
        ("first of the second plane", "&#x10000;", "\U00010000"),
        ("last of all, U+10FFFF", "&#1114111;", "\U0010ffff"),
        ("U+1FFFE, a non-character that XML allows", "&#x1FFFE;", "\U0001fffe"),
    ]
    for comment, raw, value in references:
        accept_resource(suite, f"references: {comment}", raw, value)
    text = b.body(ttl="4&#50;0000", issueTime="2026-01-15&#x20;09:30:00 -0800", requestorID="&#82;EF30")
    suite.accept("references in ttl, issueTime and requestorID", "CharacterData", b.token(text))


def add_bad_references(suite):
    references = {
        "bare &": "a & b",
        "bare & at the end": "a &",
        "bare & before a letter": "AT&T",
        "& alone": "&",
        "&;": "&;",
        "no semicolon": "&amp b",
        "no semicolon at the end": "&lt",
        "space before the semicolon": "&amp ;",
        "space behind the &": "& amp;",
        "entity in other case": "&AMP;",
        "entity of HTML": "&nbsp;",
        "entity of HTML, accented": "&eacute;",
        "unknown entity": "&x;",
        "number without digits": "&#;",
        "hexadecimal without digits": "&#x;",
        "upper-case X": "&#X41;",
        "letters in a decimal number": "&#4A;",
        "G in a hexadecimal number": "&#x4G;",
        "sign in a number": "&#+65;",
        "negative number": "&#-65;",
        "space in a number": "&# 65;",
        "number without semicolon": "&#65 b",
        "digits that are not ASCII": "&#\u0666\u0665;",
        "full-width digits": "&#\uff16\uff15;",
        "zero": "&#0;",
        "hexadecimal zero": "&#x000;",
        "U+0001": "&#1;",
        "U+0008": "&#8;",
        "U+000B": "&#xB;",
        "U+001F": "&#x1F;",
        "first surrogate": "&#xD800;",
        "last surrogate": "&#57343;",
        "surrogate pair": "&#xD83D;&#xDCFA;",
        "U+FFFE": "&#xFFFE;",
        "U+FFFF": "&#65535;",
        "U+110000": "&#x110000;",
        "2 to the 32nd and 65": "&#4294967361;",
        "2 to the 64th and 65": "&#18446744073709551681;",
        "many digits": f"&#{'9' * 200};",
        "nested": "&#&#54;5;",
        "percent sign": "%26amp%3B&",
    }
    for comment, raw in references.items():
        refuse_resource(suite, f"references: {comment}", raw)


def add_cdata(suite):
    sections = [
        ("whole value", "<![CDATA[TestChannel]]>", "TestChannel"),
        ("a part of the value", "Test<![CDATA[Chan]]>nel", "TestChannel"),
        ("two in a row", "<![CDATA[Test]]><![CDATA[Channel]]>", "TestChannel"),
        ("empty beside text", "Test<![CDATA[]]>Channel", "TestChannel"),
        ("markup and references are text", "<![CDATA[<a>&amp;&#65;</b>]]>", "<a>&amp;&#65;</b>"),
        ("bare &", "<![CDATA[News & Sports]]>", "News & Sports"),
        ("an end tag inside is text", "<![CDATA[</resourceID><ttl>1</ttl>]]>", "</resourceID><ttl>1</ttl>"),
        ("a start of section inside is text", "<![CDATA[<![CDATA[x]]>", "<![CDATA[x"),
        ("brackets at its end", "<![CDATA[x]]]]>", "x]]"),
        ("]]> in the form of the wire", "<![CDATA[a]]]]>><![CDATA[b]]>", "a]]>b"),
        ("]]> in the usual form", "<![CDATA[a]]]]><![CDATA[>b]]>", "a]]>b"),
        ("]]> with the > escaped", "a]]&gt;b", "a]]>b"),
        ("]] outside, > inside", "a]]<![CDATA[>b]]>", "a]]>b"),
        ("] and > apart", "a]b>c]] >d", "a]b>c]] >d"),
        ("]] at the end of the text", "a]]", "a]]"),
    ]
    for comment, raw, value in sections:
        accept_resource(suite, f"CDATA: {comment}", raw, value)
    text = b.body(ttl="<![CDATA[420000]]>", issueTime=f"<![CDATA[{b.ISSUE_TIME}]]>", requestorID="<![CDATA[REF30]]>")
    suite.accept("CDATA in ttl, issueTime and requestorID", "CharacterData", b.token(text))
    text = b.body(ttl="420<![CDATA[]]>000", mvpdId="Test<![CDATA[MVPD]]>")
    suite.accept("CDATA between the digits of ttl", "CharacterData", b.token(text))
    bad = {
        "not ended": "<![CDATA[TestChannel",
        "ended in ] >": "<![CDATA[TestChannel]] >",
        "in lower case": "<![cdata[TestChannel]]>",
        "without the second bracket": "<![CDATA TestChannel]]>",
        "with a space before the bracket": "<![CDATA [TestChannel]]>",
        "with a space behind <": "< ![CDATA[TestChannel]]>",
        "end of section without a start": "TestChannel]]>",
        "end of section alone": "]]>",
        "ended twice": "<![CDATA[TestChannel]]>]]>",
        "four brackets and >, without a start": "a]]]]>b",
    }
    for comment, raw in bad.items():
        refuse_resource(suite, f"CDATA: {comment}", raw)


def add_line_ends(suite):
    line_ends = [
        ("LF stays", "a\nb", "a\nb"),
        ("CR LF becomes LF", "a\r\nb", "a\nb"),
        ("CR becomes LF", "a\rb", "a\nb"),
        ("CR CR LF LF", "a\r\r\n\nb", "a\n\n\nb"),
        ("CR LF in CDATA becomes LF", "<![CDATA[a\r\nb\rc]]>", "a\nb\nc"),
        ("a reference to CR stays CR", "a&#13;b", "a\rb"),
        ("a reference to CR before LF stays", "a&#13;\nb", "a\r\nb"),
        ("CR before a reference to LF", "a\r&#10;b", "a\n\nb"),
        ("CR at the end of CDATA, LF behind it", "<![CDATA[a\r]]>\nb", "a\n\nb"),
        ("white space at both ends stays", " \t a \n", " \t a \n"),
    ]
    for comment, raw, value in line_ends:
        accept_resource(suite, f"line ends: {comment}", raw, value)
    claims = b.claims(resourceID="a\nb")
    data = b.token(b.body(resourceID="a\r\nb"))
    comment = "line ends: CR LF in the token, CR LF expected"
    suite.add(comment, "CharacterData Resource", data, "resource_mismatch", claims, resource="a\r\nb")


def add_characters(suite):
    allowed = [
        ("quotes and >", "'a' \"b\" > c"),
        ("DEL and C1 controls", "a\x7fb\x85c"),
        ("byte order mark inside", "a\ufeffb"),
        ("zero-width and bidirectional characters", "a\u200b\u202eb\u2066"),
        ("line separator", "a\u2028b"),
        ("private use", "\ue000\U000f0000"),
        ("U+FFFD", "\ufffd"),
        ("last of all, U+10FFFF", "\U0010ffff"),
        ("U+1FFFE", "\U0001fffe"),
        ("right-to-left text", "\u0627\u0644\u0642\u0646\u0627\u0629"),
        ("a family in emoji", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),
        ("a backslash and a percent sign", "a\\u0000%00%s"),
    ]
    for comment, value in allowed:
        accept_resource(suite, f"characters: {comment}", value, value)
    refused = ["\x01", "\x08", "\x0b", "\x0c", "\x0e", "\x1b", "\x1f", "\ufffe", "\uffff"]
    for character in refused:
        name = f"U+{ord(character):04X}"
        refuse_resource(suite, f"characters: {name}", f"a{character}b")
        refuse_resource(suite, f"characters: {name} in CDATA", f"<![CDATA[a{character}b]]>")
    text = b.body(extra="<x><![CDATA[\x02]]></x>")
    suite.add("characters: U+0002 in an unknown element", "CharacterData", b.token(text), "malformed")
