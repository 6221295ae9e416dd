package import TextCodecs

// Times as they are stored: numbers of milliseconds.

extension JSONObject {
    /// A member that is an instant, in milliseconds since the Unix epoch; `nil` if the member is absent.
    package func instant(_ name: String, in text: Span<UInt8>) throws(JSONFault) -> Timestamp? {
        try integer(name, in: text).map { Timestamp(milliseconds: $0) }
    }

    /// A member that is an instant, and must be there.
    package func requiredInstant(_ name: String, in text: Span<UInt8>) throws(JSONFault) -> Timestamp {
        try required(name, try instant(name, in: text))
    }

    /// A member that is a length of time in milliseconds; `nil` if the member is absent.
    package func length(_ name: String, in text: Span<UInt8>) throws(JSONFault) -> TimeToLive? {
        try integer(name, in: text).map { TimeToLive(milliseconds: $0) }
    }
}
