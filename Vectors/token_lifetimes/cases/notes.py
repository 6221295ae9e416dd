"""The flags of the tests. `bugType` uses Wycheproof's words."""


def note(bug_type, description):
    return {"bugType": bug_type, "description": description}


NOTES = {
    "Normal": note("BASIC", "Ordinary events and questions."),
    "Reading": note("FUNCTIONALITY", "The documents leave room: the answer is this project's reading. See README.md."),
    "Boundary": note("EDGE_CASE", "Instants at and next to a limit, and at the ends of 64 bits."),
    "Key": note("AUTH_BYPASS", "Requestors, MVPDs and resources that look alike, or would be the same if joined."),
    "Newer": note("FUNCTIONALITY", "Several records of one tuple, in order and out of order."),
    "Leaving": note("MISSING_STEP", "Logout, cancelling, another MVPD: what goes and what stays."),
    "Device": note("MISSING_STEP", "Binding to a device, and its change."),
    "Server": note("MISSING_STEP", "What the server says counts for more than the clock."),
    "Issuer": note("MISSING_STEP", "Issuers that the requestor does not allow, or no longer."),
    "Clock": note("AUTH_BYPASS", "A clock that steps back must not revive anything."),
    "Margin": note("FUNCTIONALITY", "Refresh margins."),
    "Expiries": note("FUNCTIONALITY", "The next expiry, what is expired, and sweeping."),
    "StaticMetadata": note("FUNCTIONALITY", "Expiry of an authentication, of an authorization, and the device ID."),
    "Unit": note("KNOWN_BUG", "Seconds where milliseconds are due."),
    "Body": note("FUNCTIONALITY", "Bodies of responses."),
    "Token": note("FUNCTIONALITY", "Signed AuthN and AuthZ tokens."),
    "MediaToken": note("AUTH_BYPASS", "Media tokens are never stored, and are no authorization."),
    "Snapshot": note("FUNCTIONALITY", "Written out and read again."),
    "Combination": note("FUNCTIONALITY", "Several rules at once."),
    "Date": note("FUNCTIONALITY", "Dates in the form of AuthN and AuthZ tokens."),
    "LeapYear": note("EDGE_CASE", "Leap years, and years that are none."),
    "Offset": note("KNOWN_BUG", "The offset rules, whatever the letters GMT say."),
    "SummerTime": note("EDGE_CASE", "Both sides of a change to or from summer time."),
    "Unreadable": note("AUTH_BYPASS", "What is no such date must never be read as one: it counts as expired."),
    "InputForm": note("FUNCTIONALITY", "Forms in which channels hand a token over."),
    "Signature": note("AUTH_BYPASS", "Nothing counts that no trusted key signed, as it was signed."),
    "Ampersand": note("AUTH_BYPASS", "A bare & is repaired for reading, never for the signature."),
    "CharacterData": note("FUNCTIONALITY", "Text of elements: references, CDATA."),
    "Structure": note("AUTH_BYPASS", "The shape of the signed text."),
    "RequiredElement": note("MISSING_STEP", "Elements that are missing, empty or doubled."),
    "ForeignToken": note("AUTH_BYPASS", "Another kind of token. Some carry a good signature of the same key."),
}
