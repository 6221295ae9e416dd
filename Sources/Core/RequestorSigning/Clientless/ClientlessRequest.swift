public import EntitlementValues

/// The method, requestor and URI of a clientless request.
public struct ClientlessRequest: Sendable, Hashable {
    /// The HTTP method in capital letters.
    public var method: String
    /// The brand.
    public var requestor: RequestorID
    /// The requested URI: for most servers and clients, the full path without the query.
    public var uri: String

    /// Describes a request.
    ///
    /// - Parameters:
    ///   - method: The HTTP method in capital letters.
    ///   - requestor: The brand.
    ///   - uri: The requested URI: for most servers and clients, the full path without the query.
    public init(method: String, requestor: RequestorID, uri: String) {
        self.method = method
        self.requestor = requestor
        self.uri = uri
    }
}

/// The fields of the header, in their order.
///
/// Source: three independent open-source clients agree on this form; the service's public documentation no longer has it.
enum ClientlessField: String, CaseIterable {
    case requestor = "requestor_id"
    case nonce
    case algorithm = "signature_method"
    case time = "request_time"
    case uri = "request_uri"
    case publicKey = "public_key"
    case signature

    /// Refuses a value that could be mistaken for the next field.
    ///
    /// Fields are separated by a comma and a space, so a requestor may not contain a comma, and other values no space.
    func check(_ value: String) throws(RequestorSigningError) {
        try checkHeaderValue(value, as: rawValue) { byte in
            switch self {
            case .requestor: 0x20...0x7E ~= byte && byte != UInt8(ascii: ",")
            default: 0x21...0x7E ~= byte
            }
        }
    }
}

let clientlessAlgorithm = "HMAC-SHA1"

/// Refuses texts that are not an HTTP method in capital letters.
func checkMethod(_ method: String) throws(RequestorSigningError) {
    try checkHeaderValue(method, as: "method") { 0x41...0x5A ~= $0 }
}
