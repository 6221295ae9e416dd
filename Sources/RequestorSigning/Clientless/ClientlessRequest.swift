public import EntitlementValues

/// Names what a clientless request asks for.
public struct ClientlessRequest: Sendable, Hashable {
    /// The HTTP method in capital letters.
    public var method: String
    /// The brand.
    public var requestor: RequestorID
    /// What is asked for: the full path without the query, as most servers and clients have it.
    public var uri: String

    /// Names a request.
    public init(method: String, requestor: RequestorID, uri: String) {
        self.method = method
        self.requestor = requestor
        self.uri = uri
    }
}

/// The fields of the header, in their order.
enum ClientlessField: String, CaseIterable {
    case requestor = "requestor_id"
    case nonce
    case algorithm = "signature_method"
    case time = "request_time"
    case uri = "request_uri"
    case publicKey = "public_key"
    case signature

    /// Refuses a value that a reader could take for the next field.
    ///
    /// Fields are separated by a comma and a space: a requestor holds no comma, everything else no space.
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

/// Refuses what is no HTTP method in capital letters.
func checkMethod(_ method: String) throws(RequestorSigningError) {
    try checkHeaderValue(method, as: "method") { 0x41...0x5A ~= $0 }
}
