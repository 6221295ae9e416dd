"""The kinds of cases."""

NOTES = {
    "Configuration": ("BASIC", "The providers of a service provider."),
    "Session": ("BASIC", "Authentication sessions, started, resumed or with a partner."),
    "SessionStatus": ("BASIC", "What a session has and lacks."),
    "Logout": ("BASIC", "What is left to do to log a user out."),
    "Registration": ("BASIC", "Client credentials, access tokens and their errors (RFC 7591, RFC 6749)."),
    "ErrorBody": ("BASIC", "The broker's error object, bare or wrapped."),
    "AttributeError": ("BASIC", "An attribute with an error instead of its value."),
    "Spelling": ("FUNCTIONALITY", "The same content in another spelling that brokers use."),
    "Timestamp": ("FUNCTIONALITY", "Instants as a number or a numeric string; each field has its own unit."),
    "MissingMember": ("BASIC", "A member is absent, or null."),
    "WrongType": ("BASIC", "A member has the wrong type."),
    "UnknownMember": ("FUNCTIONALITY", "Unknown members and names are kept."),
    "Neighbours": ("FUNCTIONALITY", "A broken item is a fault, and the others are read."),
    "BrokenSample": ("BASIC", "The kinds of mistakes in the samples of the broker's reference."),
    "NotJson": ("BASIC", "Not JSON as RFC 8259 defines it."),
    "DuplicateMember": ("AUTH_BYPASS", "Two members of one name: readers disagree which one counts."),
    "Depth": ("DENIAL_OF_SERVICE", "64 levels are read, 65 are not."),
    "Size": ("DENIAL_OF_SERVICE", "More items than are read."),
}

HEADER = [
    "Test vectors of type BrokerMessageDecode check the reading of the JSON bodies of a TV Everywhere broker.",
    "Every value is invented. All expected instants are milliseconds since 1970.",
]
