"""The flags of the cases, and the header of the file. `bugType` uses Wycheproof's words."""

HEADER = [
    "Test vectors of type MediaTokenVerify check the verification of short media tokens.",
    "All keys, sessions, requestors and providers are invented. `at`, `leeway`, `ttl`, `issued` and `expires` are",
    "milliseconds, all but the durations since 1970. A requestor or resource of null is not checked.",
]


def note(bug_type, description):
    return {"bugType": bug_type, "description": description}


NOTES = {
    "Normal": note("BASIC", "An ordinary token."),
    "Matrix": note(
        "FUNCTIONALITY", "Covers each pair of key size, input form, resource, zone, time, root and second marker."
    ),
    "KeySet": note("FUNCTIONALITY", "Several trusted keys, or unusual sizes, exponents and files of keys."),
    "InputForm": note("FUNCTIONALITY", "A form in which channels hand the token over, or one that looks like it."),
    "Base64": note("MALLEABILITY", "Base64 outside the token: strict, but for what channels are known to do to it."),
    "LostPlus": note("FUNCTIONALITY", "A + that a form decoder turned into a space."),
    "PercentEncoding": note("FUNCTIONALITY", "The token percent-encoded, as old integrations put it into a query."),
    "Encoding": note("MISSING_STEP", "NUL, invalid UTF-8, byte order marks and other character encodings."),
    "ForeignToken": note("AUTH_BYPASS", "Another kind of token. Some carry a good signature of the same key."),
    "NotAToken": note("FUNCTIONALITY", "A text that holds the token, or holds none: the body of a response, a quote."),
    "Markers": note("AUTH_BYPASS", "The two markers around the signature: exactly two, exactly spelled."),
    "SignatureText": note("SIGNATURE_MALLEABILITY", "The spelling of the signature between the markers."),
    "SignatureValue": note("AUTH_BYPASS", "A signature of the wrong length, range or key."),
    "SignedBytes": note("AUTH_BYPASS", "A signature over other octets than those after the second marker."),
    "InvalidPkcs1Padding": note("AUTH_BYPASS", "An encoded message that deviates from PKCS#1 v1.5."),
    "BerEncodedDigestInfo": note("BER_ENCODING", "DigestInfo in BER: lengths that are not the shortest."),
    "MissingNull": note("LEGACY", "DigestInfo without its NULL. Some verifiers take it; this one refuses."),
    "WrongHash": note("WEAK_PARAMS", "A hash other than SHA-256. SHA-1 counts only where it was asked for."),
    "WrongAlgorithm": note("AUTH_BYPASS", "A signature of another scheme, or one that the token itself names."),
    "LowExponentForgery": note("KNOWN_BUG", "Forged without the private key where a verifier reads padding leniently.")
    | {"cves": ["CVE-2006-4339", "CVE-2014-1568", "CVE-2016-1494"]},
    "CheckOrder": note("MISSING_STEP", "Several things are wrong: the first failing step is the answer."),
    "Structure": note("AUTH_BYPASS", "The shape of the signed body: a root with flat, known children."),
    "Comment": note("AUTH_BYPASS", "Comments, processing instructions and declarations inside the signed body.")
    | {"cves": ["CVE-2017-11427", "CVE-2018-0489"]},
    "EntityExpansion": note("AUTH_BYPASS", "DOCTYPE and entity declarations: refused unread."),
    "CharacterData": note("FUNCTIONALITY", "Text of elements: references, CDATA, line ends, characters."),
    "RequiredElement": note("MISSING_STEP", "Elements that are missing, empty or doubled."),
    "TTL": note("MISSING_STEP", "Spellings and limits of the ttl."),
    "IssueTime": note("FUNCTIONALITY", "Spellings of the issue time."),
    "Boundary": note("EDGE_CASE", "Moments at and next to a limit."),
    "Requestor": note("AUTH_BYPASS", "Requestors that look alike."),
    "Resource": note("AUTH_BYPASS", "Resources that look alike."),
    "Size": note("EDGE_CASE", "Large input, and input made to cost time."),
}
