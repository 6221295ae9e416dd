/// A header of a request to the broker: a value with one spelling to send, and one way to read it.
///
/// A value can only be made if it may be sent: it has no control characters and is not longer than its type says. Some
/// spellings that other clients send are read as well; each type says which.
public protocol BrokerHeader: Sendable, Hashable {
    /// The header's name as it is sent; names compare without regard to case (RFC 9110 §5.1).
    static var name: String { get }

    /// The header's value as it is sent.
    var headerValue: String { get }

    /// Reads a header's value.
    ///
    /// - Parameter headerValue: The value, without white space around it.
    /// - Throws: `BrokerHeaderError` if this is not a value of the header.
    init(headerValue: String) throws(BrokerHeaderError)
}
