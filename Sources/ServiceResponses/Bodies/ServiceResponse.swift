/// A body that the service answers with.
///
/// Bodies are JSON (RFC 8259) in UTF-8. Refused whole: more than 8 MiB, NUL, a member that occurs twice at any level,
/// more than 64 levels. `null` counts as absent. What a definition does not know is kept, as it stands in the body.
public protocol ServiceResponse: Sendable {
    /// Reads a body.
    ///
    /// - Throws: `ServiceResponseError` where nothing can be had from it.
    init(parsing bytes: Span<UInt8>) throws(ServiceResponseError)
}

extension ServiceResponse {
    /// Reads a body given as text.
    ///
    /// - Throws: `ServiceResponseError` where nothing can be had from it.
    public init(parsing text: String) throws(ServiceResponseError) {
        let bytes = Array(text.utf8)
        try self.init(parsing: bytes.span)
    }
}
