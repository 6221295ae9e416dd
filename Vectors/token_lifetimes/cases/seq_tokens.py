"""Signed tokens that feed the ledger, and those that must not."""

from . import signing
from .replay import case
from .steps import *

E = signing.EXPIRES
LEFT = E - T
MEDIA = (
    "<authToken><sessionGUID>5f2b8c0de1a94736b0c2d4e6f8091a2b</sessionGUID><requestorID>REF30</requestorID>"
    "<resourceID>TestChannel</resourceID><ttl>420000</ttl><issueTime>2026-01-15 09:30:00 -0800</issueTime>"
    "<mvpdId>TestMVPD</mvpdId></authToken>"
)
AUTHN = signing.signed(signing.authn())
AUTHZ = signing.signed(signing.authz())
UNDATED = signing.signed(signing.authz(simpleTokenTTL="2026-02-15"))


def add(suite):
    add_good(suite)
    add_refused(suite)
    add_media_tokens(suite)
    add_dates(suite)
    add_devices(suite)
    add_mixed(suite)


def add_good(suite):
    case(suite, "an AuthN token", "Token", token(AUTHN), is_authn(valid(LEFT, E)), is_authz(UNKNOWN),
         authn_expiry(E), next_expiry(E), clock(E - 1), is_authn(valid(1, E)), clock(E), is_authn(expired(0, E)))
    case(suite, "an AuthZ token", "Token", token(AUTHZ), is_authz(valid(LEFT, E)), is_authn(UNKNOWN), authz_expiry(E),
         clock(E), is_authz(expired(0, E)), are_expired(an_authz()))
    case(suite, "both", "Token", token(AUTHN), token(AUTHZ), is_authn(valid(LEFT, E)), is_authz(valid(LEFT, E)))
    case(suite, "AuthZ tokens of two resources", "Token", token(AUTHZ),
         token(signing.signed(signing.authz(simpleTokenResourceID="TestChannel "))), is_authz(valid(LEFT, E)),
         is_authz(valid(LEFT, E), "TestChannel "), is_authz(UNKNOWN, "testchannel"))
    case(suite, "an escaped AuthN token", "Token InputForm", token(signing.escaped(AUTHN)), is_authn(valid(LEFT, E)))
    case(suite, "an AuthZ token in Base64", "Token InputForm", token(signing.base64_text(AUTHZ)),
         is_authz(valid(LEFT, E)))
    raw = signing.signed(signing.authz(simpleTokenResourceID="News & Sports"))
    case(suite, "an AuthZ token whose resource has a bare &", "Token Ampersand", token(raw),
         is_authz(valid(LEFT, E), "News & Sports"), is_authz(UNKNOWN, "News &amp; Sports"))
    case(suite, "an AuthZ token with MRSS in CDATA", "Token CharacterData",
         token(signing.signed(signing.authz(simpleTokenResourceID="<![CDATA[<rss><title>A & B</title></rss>]]>"))),
         is_authz(valid(LEFT, E), "<rss><title>A & B</title></rss>"))
    case(suite, "ttl in seconds does not count", "Token", token(signing.signed(signing.authn(extra="<ttl>1</ttl>"))),
         clock(T + DAY), is_authn(valid(LEFT - DAY, E)))
    case(suite, "zAll authorizes no other resource", "Token Reading",
         token(signing.signed(signing.authz(extra="<zAll>true</zAll>"))), is_authz(valid(LEFT, E)),
         is_authz(UNKNOWN, X2))


def add_refused(suite):
    forged = signing.signed(signing.authz(), key="other-2048")
    case(suite, "a forged AuthZ token changes nothing", "Token Signature", authz(T + HOUR),
         token(forged, "bad_signature"), is_authz(valid(HOUR, T + HOUR)), next_expiry(T + HOUR))
    case(suite, "a forged AuthZ token is not stored", "Token Signature", token(forged, "bad_signature"),
         is_authz(UNKNOWN), are_expired(), is_device(None))
    longer = signing.assemble(signing.sign(signing.authn()), signing.authn().replace("2026/02", "2036/02"))
    case(suite, "an AuthN token with a changed date", "Token Signature", token(longer, "bad_signature"),
         is_authn(UNKNOWN))
    case(suite, "an AuthZ token without a resource", "Token RequiredElement", authz(T + HOUR),
         token(signing.signed(signing.authz(simpleTokenResourceID=None)), "malformed"),
         is_authz(valid(HOUR, T + HOUR)))
    case(suite, "no token at all", "Token", authn(T + HOUR), token("", "malformed"), token("token", "malformed"),
         is_authn(valid(HOUR, T + HOUR)))
    case(suite, "a token of an MVPD outside the list", "Token Issuer", allow(M2), token(AUTHN), token(AUTHZ),
         is_authn(UNKNOWN), is_authz(UNKNOWN))


def add_media_tokens(suite):
    media = signing.signed(MEDIA)
    case(suite, "a media token is never stored", "Token MediaToken", token(media, "foreign_token"), is_authz(UNKNOWN),
         is_authn(UNKNOWN), next_expiry(None), are_expired())
    case(suite, "a media token does not replace an authorization", "Token MediaToken", token(AUTHZ),
         token(media, "foreign_token"), is_authz(valid(LEFT, E)), next_expiry(E))
    case(suite, "a media token does not revive an expired authorization", "Token MediaToken", authz(T),
         token(media, "foreign_token"), is_authz(expired(0, T)))
    case(suite, "a media token in Base64", "Token MediaToken", token(signing.base64_text(media), "foreign_token"),
         is_authz(UNKNOWN))
    short = MEDIA.replace("authToken", "shortAuthorizationToken")
    case(suite, "a media token under its documented root", "Token MediaToken",
         token(signing.signed(short), "foreign_token"), is_authz(UNKNOWN))
    mixed = MEDIA.replace("</authToken>", signing.elements(signing.AUTHZ) + "</authToken>")
    case(suite, "a media token with the elements of an AuthZ token", "Token MediaToken",
         token(signing.signed(mixed), "foreign_token"), is_authz(UNKNOWN))


def add_dates(suite):
    case(suite, "an AuthZ token whose date cannot be read counts as expired", "Token Unreadable", token(UNDATED),
         is_authz(EXPIRED_EVER), are_expired(an_authz()), next_expiry(None), authz_expiry(None))
    case(suite, "a date that cannot be read takes the place of a good one", "Token Unreadable Newer", token(AUTHZ),
         token(UNDATED), is_authz(EXPIRED_EVER))
    case(suite, "a good date takes the place of one that cannot be read", "Token Unreadable Newer", token(UNDATED),
         token(AUTHZ), is_authz(valid(LEFT, E)))
    case(suite, "epoch seconds where a date is due", "Token Unreadable Unit",
         token(signing.signed(signing.authn(simpleTokenExpires=str(E // 1000)))), is_authn(EXPIRED_EVER))
    dated = signing.signed(signing.authn(simpleTokenExpires="2026/01/15 17:30:00 GMT -0800"))
    case(suite, "GMT is noise: 8 hours later than it looks", "Token Offset", token(dated),
         is_authn(valid(8 * HOUR, T + 8 * HOUR)))
    dated = signing.signed(signing.authn(simpleTokenExpires="2026/01/15 18:30:00 GMT +0200"))
    case(suite, "GMT is noise: 2 hours earlier than it looks", "Token Offset", token(dated),
         is_authn(expired(HOUR, T - HOUR)))


def add_devices(suite):
    case(suite, "a token names the device", "Token Device Reading", token(AUTHN), is_device(signing.DEVICE))
    case(suite, "a token is bound to its device", "Token Device", device_changed(signing.DEVICE), token(AUTHN),
         token(AUTHZ), is_authn(valid(LEFT, E)), device_changed(TABLET), is_authn(UNKNOWN), is_authz(UNKNOWN))
    case(suite, "a token of another device", "Token Device Reading", device_changed(TABLET), token(AUTHN),
         token(AUTHZ), is_authn(UNKNOWN), is_authz(UNKNOWN), is_device(TABLET))
    fingerprint = signing.signed(signing.authn(simpleTokenDeviceID=None, simpleTokenFingerprint=signing.DEVICE))
    case(suite, "a token is bound to its fingerprint", "Token Device", device_changed(signing.DEVICE),
         token(fingerprint), is_authn(valid(LEFT, E)), device_changed(TABLET), is_authn(UNKNOWN))


def add_mixed(suite):
    case(suite, "explicit instants replace a token's", "Token Newer", token(AUTHZ), authz(T + HOUR),
         is_authz(valid(HOUR, T + HOUR)))
    case(suite, "a token replaces explicit instants", "Token Newer", authz(T + HOUR), token(AUTHZ),
         is_authz(valid(LEFT, E)))
    case(suite, "a token after logout", "Token Leaving", token(AUTHN), LOGOUT, is_authn(UNKNOWN), token(AUTHN),
         is_authn(valid(LEFT, E)))
    case(suite, "a token after a 410", "Token Server", token(AUTHZ), answered_authz(410), is_authz(UNKNOWN),
         token(AUTHZ), is_authz(valid(LEFT, E)))
    case(suite, "tokens survive a snapshot", "Token Snapshot", token(AUTHN), token(UNDATED), SNAPSHOT,
         is_authn(valid(LEFT, E)), is_authz(EXPIRED_EVER))
