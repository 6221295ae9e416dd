"""Each input form with each kind of resource; the other dimensions are spread so that all pairs occur."""

import itertools
import unicodedata

from . import builder as b

FORMS = {
    "plain": lambda token: token,
    "Base64": b.standard,
    "Base64, not padded": lambda token: b.unpadded(b.standard(token)),
    "URL-safe Base64": b.url_safe,
    "URL-safe Base64, not padded": lambda token: b.unpadded(b.url_safe(token)),
    "Base64 in lines of 64, LF": lambda token: b.wrapped(b.standard(token), 64, b"\n"),
    "Base64 in lines of 64, CR LF": lambda token: b.wrapped(b.standard(token), 64, b"\r\n"),
    "Base64 in lines of 76, LF": lambda token: b.wrapped(b.standard(token), 76, b"\n"),
    "Base64 in lines of 76, CR LF": lambda token: b.wrapped(b.standard(token), 76, b"\r\n"),
    "Base64 twice": lambda token: b.standard(b.standard(token)),
    "Base64 twice, both wrapped": lambda token: b.wrapped(
        b.standard(b.wrapped(b.standard(token), 76, b"\r\n")), 64, b"\n"
    ),
    "Base64, + lost": lambda token: b.plus_lost(b.standard(token)),
    "Base64 twice, + lost inside": lambda token: b.standard(b.plus_lost(b.standard(token))),
    "percent-encoded": b.percent,
    "form-encoded": b.form,
}

MRSS_HEAD = '<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>REF30</title><item>'
MRSS_TAIL = '<guid>id-4711</guid><media:rating scheme="urn:v-chip">tv-pg</media:rating></item></channel></rss>'
MRSS = f"{MRSS_HEAD}<title>Pilot</title>{MRSS_TAIL}"
MRSS_WITH_CDATA = f"{MRSS_HEAD}<title><![CDATA[Pilot & more]]></title>{MRSS_TAIL}"


COMPOSED = unicodedata.normalize("NFC", "T\u00e9l\u00e9fran\u00e7ais")
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)
EMOJI = "TV \U0001f4fa \U0001f468\u200d\U0001f469\u200d\U0001f467"


def in_cdata(text):
    """One CDATA section. An inner end of section is split in the form that is on the wire."""
    return f"<![CDATA[{text.replace(']]>', ']]]]>><![CDATA[')}]]>"


# Raw content of resourceID -> the value; None if the content is malformed.
RESOURCES = {
    "plain resource": ("TestChannel", "TestChannel"),
    "MRSS in CDATA": (in_cdata(MRSS), MRSS),
    "MRSS with inner CDATA": (in_cdata(MRSS_WITH_CDATA), MRSS_WITH_CDATA),
    "&amp;": ("News &amp; Sports", "News & Sports"),
    "numeric references": ("News &#38; Sp&#x6f;rts", "News & Sports"),
    "NFC": (COMPOSED, COMPOSED),
    "NFD": (DECOMPOSED, DECOMPOSED),
    "emoji": (EMOJI, EMOJI),
    "bare &": ("News & Sports", None),
}

KEYS = ["issuer-1024", "issuer-2048", "issuer-4096"]
ZONES = [
    ("2026-07-15 09:30:00 -0700", 1_784_133_000_000),
    ("2026-01-15 09:30:00 -0800", 1_768_498_200_000),
    ("2026-03-01 12:00:00 +0000", 1_772_366_400_000),
]
# Code, and the moment relative to the issue time.
MOMENTS = [("valid", 90_000), ("expired", 3_600_000), ("not_yet_valid", -120_000)]
ROOTS = ["authToken", "shortAuthorizationToken"]
MARKERS = [("opening", b.OPENING), ("closing", b.CLOSING)]


def add(suite):
    chosen = [choose(form, resource) for form in range(len(FORMS)) for resource in range(len(RESOURCES))]
    assert_all_pairs(chosen)
    for choice in chosen:
        add_case(suite, *choice)


def choose(form, resource):
    """Indices for all seven dimensions. The divisors only have to give all pairs, which is asserted."""
    return (
        form,
        resource,
        (form + resource) % len(KEYS),
        (form + resource // 3) % len(ZONES),
        (form // 3 + resource) % len(MOMENTS),
        (form // 2 + resource // 2) % len(ROOTS),
        (form // 4 + resource) % len(MARKERS),
    )


def assert_all_pairs(chosen):
    sizes = [len(FORMS), len(RESOURCES), len(KEYS), len(ZONES), len(MOMENTS), len(ROOTS), len(MARKERS)]
    for first, second in itertools.combinations(range(len(sizes)), 2):
        pairs = {(choice[first], choice[second]) for choice in chosen}
        assert len(pairs) == sizes[first] * sizes[second], (first, second, len(pairs))


def add_case(suite, form, resource, key, zone, moment, root, marker):
    form_name, encode = list(FORMS.items())[form]
    resource_name, (raw, value) = list(RESOURCES.items())[resource]
    issue_time, issued = ZONES[zone]
    code, offset = MOMENTS[moment]
    marker_name, second = MARKERS[marker]
    text = b.body(root=ROOTS[root], resourceID=raw, issueTime=issue_time)
    claims = b.claims(issued=issued, resourceID=value)
    if value is None:
        # A bare & is malformed, even under a good signature, and that is found before the time is checked.
        code, claims, value = "malformed", None, "News & Sports"
    zone_name = issue_time[-5:]
    comment = f"{form_name}; {resource_name}; {KEYS[key]}; {zone_name}; {ROOTS[root]}; {marker_name} marker; {code}"
    suite.add(
        comment,
        "Matrix",
        encode(b.token(text, KEYS[key], second)),
        code,
        claims,
        keys=(f"{KEYS[key]}.spki.pem",),
        at=issued + offset,
        resource=value,
    )
