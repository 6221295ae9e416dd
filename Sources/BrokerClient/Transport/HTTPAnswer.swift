#if Client
public import HTTPTypes

/// What a server answered.
public struct HTTPAnswer: Sendable {
    /// The status and the header fields.
    public let head: HTTPResponse
    /// The body, decompressed.
    public let body: [UInt8]

    /// Makes an answer.
    ///
    /// - Parameters:
    ///   - head: The status and the header fields.
    ///   - body: The body, decompressed.
    public init(_ head: HTTPResponse, body: [UInt8] = []) {
        (self.head, self.body) = (head, body)
    }
}
#endif
