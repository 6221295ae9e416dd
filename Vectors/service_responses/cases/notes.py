"""The kinds of cases."""

NOTES = {
    "Profile": ("BASIC", "Profiles of REST v2."),
    "Decision": ("BASIC", "Decisions of REST v2."),
    "UserMetadata": ("BASIC", "User metadata of REST v1."),
    "TokenBody": ("BASIC", "Authentication and authorization of REST v1."),
    "ErrorBody": ("BASIC", "Errors, of both versions. New codes may come at any time."),
    "Timestamp": ("FUNCTIONALITY", "Milliseconds as a number or a numeric string; `updated` may be seconds."),
    "AttributeType": ("FUNCTIONALITY", "The attribute's name says how its value is read; the JSON type is kept."),
    "State": ("MISSING_STEP", "How an attribute says that it is encrypted. An unknown way is an error, never plain."),
    "Encrypted": ("FUNCTIONALITY", "Encrypted attributes, and what they decrypt to."),
    "Token": ("AUTH_BYPASS", "An embedded media token, and its verdict."),
    "CrossCheck": ("AUTH_BYPASS", "A good token that says something else than the body around it."),
    "UnknownMember": ("FUNCTIONALITY", "Members, values and names that nobody knows yet are kept."),
    "MissingMember": ("BASIC", "A member is not there, or null."),
    "WrongType": ("BASIC", "A member is there, of the wrong type."),
    "NotJson": ("BASIC", "No JSON text as RFC 8259 has it."),
    "DuplicateMember": ("AUTH_BYPASS", "Two members of one name: readers disagree which one counts."),
    "Depth": ("DENIAL_OF_SERVICE", "64 levels are read, 65 are not."),
    "Unicode": ("FUNCTIONALITY", "Names and texts are compared octet by octet."),
    "Reading": ("FUNCTIONALITY", "The documents leave room; README.md states this reading."),
}

HEADER = [
    "Test vectors of type ServiceResponseDecode check the reading of JSON bodies that entitlement services return.",
    "Every value is invented and every key is test-only. All timestamps that are expected are milliseconds since 1970.",
]
