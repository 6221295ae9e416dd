"""ttl, issueTime, and the moments next to the limits. Every token here has a good signature."""

from . import builder as b


def add(suite):
    add_ttl(suite)
    add_bad_ttl(suite)
    add_issue_times(suite)
    add_bad_issue_times(suite)
    add_limits(suite)
    add_extremes(suite)


def add_ttl(suite):
    flags = "TTL"
    for comment, raw, ttl in [
        ("1 ms", "1", 1),
        ("24 h, the largest", "86400000", 86_400_000),
        ("one leading zero", "0420000", 420_000),
        ("18 digits with leading zeros", "000000000000420000", 420_000),
        ("18 digits, value 1", "000000000000000001", 1),
    ]:
        suite.accept(f"ttl: {comment}", flags, b.token(b.body(ttl=raw)), b.claims(ttl=ttl), at=b.ISSUED + 1)
    data = b.token(b.body(ttl="1"))
    suite.add("ttl: 1 ms, over", flags, data, "expired", b.claims(ttl=1), at=b.ISSUED + 2)


def add_bad_ttl(suite):
    values = {
        "zero": "0",
        "many zeros": "000000",
        "1 ms above the largest": "86400001",
        "a year": "31536000000",
        "18 nines": "999999999999999999",
        "19 digits with leading zeros": "0000000000000420000",
        "largest Int64": "9223372036854775807",
        "above Int64": "9223372036854775808",
        "420000 modulo 2 to the 64th": "18446744073709971616",
        "420000 modulo 2 to the 32nd, 18 digits": "000004295387296000",
        "negative": "-420000",
        "minus one": "-1",
        "minus zero": "-0",
        "plus sign": "+1",
        "plus sign, ordinary value": "+420000",
        "exponent": "1e6",
        "exponent in capitals": "42E4",
        "hexadecimal": "0x668A0",
        "hexadecimal without prefix": "668A0",
        "octal prefix": "0o1464240",
        "decimal point": "420000.0",
        "decimal comma": "420000,0",
        "thousands comma": "420,000",
        "thousands underscore": "420_000",
        "thousands space": "420 000",
        "unit": "420000ms",
        "space in front": " 420000",
        "space behind": "420000 ",
        "line end behind": "420000\n",
        "line end in front": "\r\n420000",
        "tab as a reference behind": "420000&#9;",
        "no-break space behind": "420000\u00a0",
        "zero-width space behind": "420000\u200b",
        "Arabic digits": "\u0664\u0662\u0660\u0660\u0660\u0660",
        "full-width digits": "\uff14\uff12\uff10\uff10\uff10\uff10",
        "a superscript digit": "42000\u00b2",
        "NaN": "NaN",
        "infinity": "inf",
        "a word": "never",
        "a sum": "1+1",
        "in quotes": '"420000"',
        "a date": "2026-01-15 09:37:00 -0800",
    }
    for comment, raw in values.items():
        suite.add(f"ttl: {comment}", "TTL", b.token(b.body(ttl=raw)), "malformed", at=b.ISSUED)


# Comment, text, milliseconds since 1970.
ISSUE_TIMES = [
    ("T as separator", "2026-01-15T09:30:00 -0800", 1_768_498_200_000),
    ("ISO 8601 with offset", "2026-01-15T09:30:00-08:00", 1_768_498_200_000),
    ("ISO 8601 with Z", "2026-01-15T17:30:00Z", 1_768_498_200_000),
    ("ISO style of old documents", "2026-01-15T17:30:00+0000", 1_768_498_200_000),
    ("space and Z", "2026-01-15 17:30:00Z", 1_768_498_200_000),
    ("space, space and Z", "2026-01-15 17:30:00 Z", 1_768_498_200_000),
    ("no space before the offset", "2026-01-15 09:30:00-0800", 1_768_498_200_000),
    ("colon in the offset", "2026-01-15 09:30:00 -08:00", 1_768_498_200_000),
    ("GMT before the offset, which rules", "2026-01-15 09:30:00 GMT -0800", 1_768_498_200_000),
    ("GMT before an offset with colon", "2026-01-15 09:30:00 GMT -08:00", 1_768_498_200_000),
    ("_GMT before the offset", "2026-01-15 09:30:00_GMT -0800", 1_768_498_200_000),
    ("_GMT before an offset with colon", "2026-01-15 09:30:00_GMT +00:00", 1_768_469_400_000),
    ("GMT before +0000", "2026-01-15 17:30:00 GMT +0000", 1_768_498_200_000),
    ("slashes", "2026/01/15 09:30:00 -0800", 1_768_498_200_000),
    ("slashes, T, Z", "2026/01/15T17:30:00Z", 1_768_498_200_000),
    ("slashes and GMT, the form of AuthN tokens", "2026/01/15 09:30:00 GMT -0800", 1_768_498_200_000),
    ("slashes and _GMT", "2026/01/15 09:30:00_GMT -0800", 1_768_498_200_000),
    ("T and GMT", "2026-01-15T09:30:00 GMT -0800", 1_768_498_200_000),
    ("fraction of 1 digit", "2026-01-15T17:30:00.5Z", 1_768_498_200_500),
    ("fraction of 2 digits", "2026-01-15T17:30:00.05Z", 1_768_498_200_050),
    ("fraction of 3 digits", "2026-01-15 09:30:00.125 -0800", 1_768_498_200_125),
    ("fraction of 6 digits, cut", "2026-01-15 09:30:00.999999-08:00", 1_768_498_200_999),
    ("fraction of 9 digits, cut", "2026-01-15T17:30:00.000999999Z", 1_768_498_200_000),
    ("fraction and GMT", "2026-01-15 09:30:00.250 GMT -0800", 1_768_498_200_250),
    ("epoch milliseconds", "1768498200000", 1_768_498_200_000),
    ("epoch milliseconds, not a whole second", "1768498200001", 1_768_498_200_001),
    ("epoch milliseconds, all zeros", "0000000000000", 0),
    ("epoch milliseconds, 1973, leading zero", "0100000000000", 100_000_000_000),
    ("epoch milliseconds, all nines", "9999999999999", 9_999_999_999_999),
    ("-0000", "2026-01-15 17:30:00 -0000", 1_768_498_200_000),
    ("-00:00", "2026-01-15 17:30:00-00:00", 1_768_498_200_000),
    ("largest offset, +1400", "2026-01-16 07:30:00 +1400", 1_768_498_200_000),
    ("smallest offset, -14:00", "2026-01-15 03:30:00 -14:00", 1_768_498_200_000),
    ("offset of half an hour", "2026-01-15 23:00:00 +0530", 1_768_498_200_000),
    ("offset of three quarters", "2026-01-16 06:15:00 +12:45", 1_768_498_200_000),
    ("negative offset with minutes", "2026-01-15 14:00:00 -0330", 1_768_498_200_000),
    ("offset +1359", "2026-01-16 07:29:00 +1359", 1_768_498_200_000),
    ("summer time, -0700", "2026-07-15 09:30:00 -0700", 1_784_133_000_000),
    ("midnight", "2026-01-15 00:00:00 +0000", 1_768_435_200_000),
    ("last second of a year", "2025-12-31 23:59:59 +0000", 1_767_225_599_000),
    ("offset that moves it into the next year", "2025-12-31 23:30:00 -0800", 1_767_252_600_000),
    ("29 February of a leap year", "2024-02-29 12:00:00 +0000", 1_709_208_000_000),
    ("29 February 2000", "2000-02-29 00:00:00 +0000", 951_782_400_000),
    ("the hour that summer time skips, in its own offset", "2026-03-08 02:30:00 -0800", 1_772_965_800_000),
    ("1970", "1970-01-01T00:00:00Z", 0),
    ("before 1970", "1969-12-31 23:59:59.5 +0000", -500),
    ("first year", "0001-01-01 00:00:00 +0000", -62_135_596_800_000),
    ("first year, and earlier by its offset", "0001-01-01 00:00:00 +1400", -62_135_647_200_000),
    ("last year", "9999-12-31 23:59:59 +0000", 253_402_300_799_000),
    ("last year, and later by its offset", "9999-12-31 23:59:59 -1400", 253_402_351_199_000),
]


def add_issue_times(suite):
    for comment, text, issued in ISSUE_TIMES:
        data = b.token(b.body(issueTime=text))
        suite.accept(f"issueTime: {comment}", "IssueTime", data, b.claims(issued=issued), at=issued + 1000)
    text = "2026-01-15<![CDATA[T]]>17:30:00&#90;"
    suite.accept("issueTime: from CDATA and a reference", "IssueTime", b.token(b.body(issueTime=text)))


BAD_ISSUE_TIMES = {
    "no zone": "2026-01-15 09:30:00",
    "no zone, T": "2026-01-15T17:30:00",
    "no zone, fraction": "2026-01-15T17:30:00.000",
    "bare GMT": "2026-01-15 17:30:00 GMT",
    "bare _GMT": "2026-01-15 17:30:00_GMT",
    "GMT and a space": "2026-01-15 17:30:00 GMT ",
    "GMT without a space before the offset": "2026-01-15 09:30:00 GMT-0800",
    "GMT without a space before it": "2026-01-15 09:30:00GMT -0800",
    "_GMT without a space before the offset": "2026-01-15 09:30:00_GMT-0800",
    "a space and _GMT": "2026-01-15 09:30:00 _GMT -0800",
    "GMT and two spaces": "2026-01-15 09:30:00 GMT  -0800",
    "GMT and Z": "2026-01-15 17:30:00 GMT Z",
    "gmt": "2026-01-15 09:30:00 gmt -0800",
    "GMT behind the offset": "2026-01-15 09:30:00 -0800 GMT",
    "UTC": "2026-01-15 17:30:00 UTC",
    "UTC before the offset": "2026-01-15 09:30:00 UTC -0800",
    "PST": "2026-01-15 09:30:00 PST",
    "a zone's name": "2026-01-15T09:30:00-08:00[America/Los_Angeles]",
    "zone in brackets": "2026-01-15 09:30:00 -0800 (PST)",
    "small z": "2026-01-15T17:30:00z",
    "small t": "2026-01-15t17:30:00Z",
    "Z and an offset": "2026-01-15T17:30:00Z+0000",
    "two spaces in the middle": "2026-01-15  09:30:00 -0800",
    "two spaces before the zone": "2026-01-15 09:30:00  -0800",
    "tab as separator": "2026-01-15\t09:30:00 -0800",
    "no-break space as separator": "2026-01-15\u00a009:30:00 -0800",
    "underscore as separator": "2026-01-15_09:30:00 -0800",
    "no separator": "2026-01-1509:30:00 -0800",
    "space in front": " 2026-01-15 09:30:00 -0800",
    "space behind": "2026-01-15 09:30:00 -0800 ",
    "line end behind": "2026-01-15 09:30:00 -0800\n",
    "month 13": "2026-13-15 09:30:00 -0800",
    "month 00": "2026-00-15 09:30:00 -0800",
    "day 00": "2026-01-00 09:30:00 -0800",
    "day 32": "2026-01-32 09:30:00 -0800",
    "31 April": "2026-04-31 09:30:00 -0700",
    "30 February": "2024-02-30 09:30:00 -0800",
    "29 February of an ordinary year": "2026-02-29 09:30:00 -0800",
    "29 February 1900": "1900-02-29 09:30:00 -0800",
    "year 0000": "0000-01-01 00:00:00 +0000",
    "hour 24": "2026-01-15 24:00:00 -0800",
    "hour 25": "2026-01-15 25:00:00 -0800",
    "minute 60": "2026-01-15 09:60:00 -0800",
    "leap second": "2016-12-31 23:59:60 +0000",
    "second 61": "2026-01-15 09:30:61 -0800",
    "second 99": "2026-01-15 09:30:99 -0800",
    "year of 2 digits": "26-01-15 09:30:00 -0800",
    "year of 3 digits": "026-01-15 09:30:00 -0800",
    "year of 5 digits": "12026-01-15 09:30:00 -0800",
    "year with a sign": "+2026-01-15 09:30:00 -0800",
    "negative year": "-2026-01-15 09:30:00 -0800",
    "month of 1 digit": "2026-1-15 09:30:00 -0800",
    "day of 1 digit": "2026-01-5 09:30:00 -0800",
    "hour of 1 digit": "2026-01-15 9:30:00 -0800",
    "day of 3 digits": "2026-01-015 09:30:00 -0800",
    "hour filled with a space": "2026-01-15  9:30:00 -0800",
    "no seconds": "2026-01-15 09:30 -0800",
    "no time": "2026-01-15",
    "no time, zone": "2026-01-15 -0800",
    "no date": "09:30:00 -0800",
    "hyphen and slash mixed": "2026-01/15 09:30:00 -0800",
    "full stops in the date": "2026.01.15 09:30:00 -0800",
    "full stops in the time": "2026-01-15 09.30.00 -0800",
    "day first": "15/01/2026 09:30:00 -0800",
    "basic form": "20260115T173000Z",
    "week date": "2026-W03-4T17:30:00Z",
    "ordinal date": "2026-015T17:30:00Z",
    "afternoon": "2026-01-15 09:30:00 AM -0800",
    "RFC 1123": "Thu, 15 Jan 2026 17:30:00 GMT",
    "RFC 1123 with offset": "Thu, 15 Jan 2026 09:30:00 -0800",
    "Java's toString": "Thu Jan 15 09:30:00 PST 2026",
    "fraction with comma": "2026-01-15T17:30:00,5Z",
    "fraction without digits": "2026-01-15T17:30:00.Z",
    "fraction of 10 digits": "2026-01-15T17:30:00.0000000000Z",
    "fraction of minutes": "2026-01-15T17:30.5Z",
    "fraction behind the zone": "2026-01-15 09:30:00 -0800.5",
    "sign in the fraction": "2026-01-15T17:30:00.-5Z",
    "offset of hours only": "2026-01-15 09:30:00 -08",
    "offset of 1 digit": "2026-01-15 09:30:00 -8",
    "offset of 3 digits": "2026-01-15 09:30:00 -080",
    "offset of 3 digits with colon": "2026-01-15 09:30:00 -08:0",
    "offset of 5 digits": "2026-01-15 09:30:00 -08000",
    "offset with seconds": "2026-01-15 09:30:00 -08:00:00",
    "offset without a sign": "2026-01-15 09:30:00 0800",
    "offset with two signs": "2026-01-15 09:30:00 --0800",
    "offset with a real minus sign": "2026-01-15 09:30:00 \u22120800",
    "offset with a space behind its sign": "2026-01-15 09:30:00 - 0800",
    "offset +1401": "2026-01-15 09:30:00 +1401",
    "offset +14:30": "2026-01-15 09:30:00 +14:30",
    "offset -1500": "2026-01-15 09:30:00 -1500",
    "offset +2400": "2026-01-15 09:30:00 +2400",
    "offset with 60 minutes": "2026-01-15 09:30:00 -0860",
    "offset with 99 minutes": "2026-01-15 09:30:00 +1399",
    "full-width digits": "２０２６-01-15 09:30:00 -0800",
    "Arabic digits": "\u0662\u0660\u0662\u0666-01-15 09:30:00 -0800",
    "letters": "yyyy-MM-dd HH:mm:ss Z",
    "epoch seconds": "1768498200",
    "epoch of 12 digits": "999999999999",
    "epoch of 14 digits": "17684982000000",
    "epoch microseconds": "1768498200000000",
    "epoch of 14 digits, leading zero": "01768498200000",
    "epoch with a sign": "+1768498200000",
    "negative epoch": "-768498200000",
    "epoch with a fraction": "1768498200000.0",
    "epoch with a space in front": " 1768498200000",
    "epoch with a line end behind": "1768498200000\n",
    "epoch with an exponent": "1.768498200e12",
    "epoch with a unit": "1768498200000L",
    "epoch in full-width digits": "１７６８４９８２０００００",
    "a word": "now",
}


def add_bad_issue_times(suite):
    for comment, text in BAD_ISSUE_TIMES.items():
        suite.add(f"issueTime: {comment}", "IssueTime", b.token(b.body(issueTime=text)), "malformed")


def add_limits(suite):
    flags, data, claims = "Boundary", b.token(b.body()), b.claims()

    def at(comment, code, moment, leeway=0):
        suite.add(comment, flags, data, code, claims, at=moment, leeway=leeway)

    at("at the moment of issue", "valid", b.ISSUED)
    at("at the moment of expiry", "valid", b.EXPIRES)
    at("1 ms before expiry", "valid", b.EXPIRES - 1)
    at("1 ms after expiry", "expired", b.EXPIRES + 1)
    at("leeway 1 s: at its end", "valid", b.EXPIRES + 1000, 1000)
    at("leeway 1 s: 1 ms after its end", "expired", b.EXPIRES + 1001, 1000)
    at("leeway 60 s: at its end", "valid", b.EXPIRES + 60_000, 60_000)
    at("leeway 60 s: 1 ms after its end", "expired", b.EXPIRES + 60_001, 60_000)
    at("leeway 600 s: at its end", "valid", b.EXPIRES + 600_000, 600_000)
    at("leeway 600 s: 1 ms after its end", "expired", b.EXPIRES + 600_001, 600_000)
    at("issued 1 ms ahead", "valid", b.ISSUED - 1)
    at("issued 60 s ahead", "valid", b.ISSUED - 60_000)
    at("issued 60 s and 1 ms ahead", "not_yet_valid", b.ISSUED - 60_001)
    at("issued 60 s and 1 ms ahead: leeway does not help", "not_yet_valid", b.ISSUED - 60_001, 600_000)
    at("issued 60 s ahead, with leeway", "valid", b.ISSUED - 60_000, 1000)
    at("a day late", "expired", b.EXPIRES + 86_400_000)
    at("a day early", "not_yet_valid", b.ISSUED - 86_400_000)
    at("offset read as GMT would make it expired", "valid", b.ISSUED + 1000)
    fraction = b.token(b.body(issueTime="2026-01-15 09:30:00.9999 -0800", ttl="1000"))
    claims_of = b.claims(issued=b.ISSUED + 999, ttl=1000)
    comment = "the fraction counts in milliseconds: at expiry"
    suite.add(comment, flags, fraction, "valid", claims_of, at=b.ISSUED + 1999)
    comment = "the fraction is cut, not rounded: 1 ms after expiry"
    suite.add(comment, flags, fraction, "expired", claims_of, at=b.ISSUED + 2000)
    comment = "the fraction is cut, not rounded: 60 s ahead and 1 ms"
    suite.add(comment, flags, fraction, "not_yet_valid", claims_of, at=b.ISSUED + 998 - 60_000)
    day = b.token(b.body(ttl="86400000"))
    claims_of = b.claims(ttl=86_400_000)
    suite.add("24 h: at expiry", flags, day, "valid", claims_of, at=b.ISSUED + 86_400_000)
    suite.add("24 h: 1 ms after expiry", flags, day, "expired", claims_of, at=b.ISSUED + 86_400_001)


def add_extremes(suite):
    flags = "Boundary"
    ends = {"smallest Int64": -(2**63), "largest Int64": 2**63 - 1}
    tokens = [
        ("an ordinary token", b.token(b.body()), b.claims()),
        ("a token of year 1", b.token(b.body(issueTime="0001-01-01 00:00:00 +1400")), b.claims(-62_135_647_200_000)),
        ("a token of year 9999", b.token(b.body(issueTime="9999-12-31 23:59:59 -1400")), b.claims(253_402_351_199_000)),
    ]
    for comment, data, claims in tokens:
        late = f"{comment}, the clock at the largest Int64"
        early = f"{comment}, the clock at the smallest Int64"
        suite.add(late, flags, data, "expired", claims, at=ends["largest Int64"], leeway=600_000)
        suite.add(early, flags, data, "not_yet_valid", claims, at=ends["smallest Int64"], leeway=600_000)
    (_, old, old_claims), (_, new, new_claims) = tokens[1:]
    suite.add("far past: year 1", flags, old, "expired", old_claims)
    suite.add("far future: year 9999", flags, new, "not_yet_valid", new_claims)
    epoch = b.token(b.body(issueTime="0000000000000"))
    suite.add("far past: 1970", flags, epoch, "expired", b.claims(0))
    suite.accept("1970, the clock before 1970, within the tolerance", flags, epoch, b.claims(0), at=-60_000)
    comment = "1970, the clock before 1970, outside the tolerance"
    suite.add(comment, flags, epoch, "not_yet_valid", b.claims(0), at=-60_001)
