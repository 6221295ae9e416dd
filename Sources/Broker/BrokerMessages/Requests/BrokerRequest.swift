import TextCodecs

/// The body of a request to the broker.
///
/// A client writes it, and a simulated broker reads it. Reading what was written gives the same request. Members and
/// fields that the definition does not name are ignored.
public protocol BrokerRequest: Sendable, Hashable {
    /// The value of `Content-Type`.
    static var mediaType: String { get }

    /// Writes the body.
    ///
    /// - Returns: The bytes of the body.
    func encoded() -> [UInt8]

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body.
    /// - Throws: `BrokerRequestError` if the body is not this request.
    init(parsing bytes: Span<UInt8>) throws(BrokerRequestError)
}

extension BrokerRequest {
    /// Reads a body from an array.
    ///
    /// - Parameter bytes: The whole body.
    /// - Throws: `BrokerRequestError` if the body is not this request.
    public init(parsing bytes: [UInt8]) throws(BrokerRequestError) {
        self = try bytes.withSpan { bytes throws(BrokerRequestError) in try Self(parsing: bytes) }
    }

    /// Reads a body from a string.
    ///
    /// - Parameter text: The whole body.
    /// - Throws: `BrokerRequestError` if the body is not this request.
    public init(parsing text: String) throws(BrokerRequestError) {
        self = try text.withBytes { bytes throws(BrokerRequestError) in try Self(parsing: bytes) }
    }
}
