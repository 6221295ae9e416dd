import TextCodecs

/// A body that the entitlement service answers with.
///
/// Bodies are JSON (RFC 8259) in UTF-8. A body is refused if it is longer than 8 MiB, contains NUL, has more than 64
/// levels, or if an object at any level has two members of one name. `null` counts as absent. Members that the
/// definition of the body does not name are kept as they were sent.
public protocol ServiceResponse: Sendable {
    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, JSON in UTF-8.
    /// - Throws: `ServiceResponseError` if the body is not this response.
    init(parsing bytes: Span<UInt8>) throws(ServiceResponseError)
}

extension ServiceResponse {
    /// Reads a body from a string.
    ///
    /// - Parameter text: The whole body, JSON.
    /// - Throws: `ServiceResponseError` if the body is not this response.
    public init(parsing text: String) throws(ServiceResponseError) {
        self = try text.withBytes { bytes throws(ServiceResponseError) in try Self(parsing: bytes) }
    }

    /// Reads a body from an array.
    ///
    /// - Parameter bytes: The whole body, JSON in UTF-8.
    /// - Throws: `ServiceResponseError` if the body is not this response.
    public init(parsing bytes: [UInt8]) throws(ServiceResponseError) {
        let slice = bytes[...]
        try self.init(parsing: slice.span)
    }
}
