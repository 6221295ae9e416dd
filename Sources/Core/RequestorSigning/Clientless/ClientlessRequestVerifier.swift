public import EntitlementValues
import OpenSSLBridge
import TextCodecs

/// Verifies the `Authorization` header that a clientless application signed with HMAC-SHA1.
///
/// The checks run in a fixed order — size, form, algorithm, public key, signature (compared in constant time), method,
/// URI, requestor, time — and the first that fails is the error.
///
/// What is *not* checked: that a nonce is used only once. Within the window, a header can be sent again.
public struct ClientlessRequestVerifier: Sendable {
    private let secret: ClientlessSecret
    private let publicKey: String
    private let window: TimeToLive

    /// The maximum length of a header, in bytes.
    public static let maximumLength = 8192

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - secret: The secret that the application shares with the server.
    ///   - publicKey: The name of the secret, which the request must have.
    ///   - window: How far the time of a request may be from now, before or after; up to 1 hour.
    /// - Throws: `.unsuitable` if the public key is not allowed in the header, `.unsuitableSetting` if the window is out of
    ///   range.
    public init(
        secret: ClientlessSecret,
        publicKey: String,
        window: TimeToLive = .minutes(5)
    ) throws(RequestorSigningError) {
        try ClientlessField.publicKey.check(publicKey)
        guard window > .zero, window <= .hours(1) else { throw .unsuitableSetting(.window(window)) }
        self.secret = secret
        self.publicKey = publicKey
        self.window = window
    }

    /// Verifies a header.
    ///
    /// - Parameters:
    ///   - header: The value of `Authorization`.
    ///   - expectations: The method, URI and requestor that the request must have.
    ///   - now: The middle of the window.
    /// - Returns: The request.
    /// - Throws: `RequestorSigningError`, the first check that failed.
    public func verify(
        _ header: String,
        expecting expectations: ClientlessExpectations,
        at now: Timestamp = .now
    ) throws(RequestorSigningError) -> VerifiedClientlessRequest {
        guard expectations.isWellFormed else { throw .undecided(.emptyExpectation) }
        guard header.utf8.count <= Self.maximumLength else { throw .tooLarge(limit: Self.maximumLength) }
        let found = try ClientlessHeader(header)
        guard found.algorithm == clientlessAlgorithm else {
            throw .unsupportedAlgorithm(excerpt(found.algorithm))
        }
        guard found.publicKey == publicKey else { throw .unknownPublicKey }
        let code = try secret.code(of: found.signed)
        guard isEqualInConstantTime(code, found.signature) else { throw .badSignature }
        try expectations.method.check([found.method], field: "method")
        try expectations.uri.check([found.uri], field: ClientlessField.uri.rawValue)
        try expectations.requestor.check([found.requestor], field: ClientlessField.requestor.rawValue)
        guard (now - window...now + window).contains(found.sent) else {
            throw .outsideWindow(sent: found.sent, now: now, window: window)
        }
        return VerifiedClientlessRequest(
            request: ClientlessRequest(
                method: found.method, requestor: RequestorID(found.requestor), uri: found.uri),
            nonce: found.nonce,
            sent: found.sent
        )
    }
}

/// Spells out which method, URI and requestor a clientless request must have.
///
/// All parts are always given: to leave a check out, say `.unchecked`.
public struct ClientlessExpectations: Sendable {
    /// The methods that are accepted.
    public var method: Expectation<String>
    /// The URIs that are accepted; clients differ in how much of the URI they sign.
    public var uri: Expectation<String>
    /// The brands that are accepted.
    public var requestor: Expectation<RequestorID>

    /// Spells out all expectations.
    ///
    /// - Parameters:
    ///   - method: The methods that are accepted.
    ///   - uri: The URIs that are accepted.
    ///   - requestor: The brands that are accepted.
    public init(method: Expectation<String>, uri: Expectation<String>, requestor: Expectation<RequestorID>) {
        self.method = method
        self.uri = uri
        self.requestor = requestor
    }

    var isWellFormed: Bool { method.isWellFormed && uri.isWellFormed && requestor.isWellFormed }
}

/// A clientless request that passed every check at the time it was verified.
///
/// Only a verifier makes one.
public struct VerifiedClientlessRequest: Sendable, Hashable {
    /// The method, requestor and URI.
    public let request: ClientlessRequest
    /// The text that no other request has.
    public let nonce: String
    /// The time of the request.
    public let sent: Timestamp

    init(request: ClientlessRequest, nonce: String, sent: Timestamp) {
        self.request = request
        self.nonce = nonce
        self.sent = sent
    }
}

/// Parses the header of a clientless request: every field once, in a fixed order.
struct ClientlessHeader {
    let method: String
    let requestor: String
    let nonce: String
    let algorithm: String
    let sent: Timestamp
    let uri: String
    let publicKey: String
    let signature: [UInt8]
    /// The signed part: everything before the public key.
    let signed: [UInt8]

    init(_ header: String) throws(RequestorSigningError) {
        let bytes = Array(header.utf8)
        let methodEnd = bytes.firstIndex(of: UInt8(ascii: " ")) ?? 0
        method = String(decoding: bytes[..<methodEnd], as: UTF8.self)
        guard (try? checkMethod(method)) != nil else { throw .malformed(.request(field: "method")) }
        var values: [ClientlessField: String] = [:]
        var position = methodEnd + 1
        var signedEnd = 0
        for field in ClientlessField.allCases {
            if field != .requestor {
                guard bytes[position...].starts(with: separator) else {
                    throw .malformed(.request(field: field.rawValue))
                }
                if field == .publicKey { signedEnd = position }
                position += separator.count
            }
            let name = Array("\(field.rawValue)=".utf8)
            guard bytes[position...].starts(with: name) else { throw .malformed(.request(field: field.rawValue)) }
            position += name.count
            let end = Self.end(of: bytes, from: position)
            let value = String(decoding: bytes[position..<end], as: UTF8.self)
            guard (try? field.check(value)) != nil else { throw .malformed(.request(field: field.rawValue)) }
            values[field] = value
            position = end
        }
        guard position == bytes.count else { throw .malformed(.request(field: ClientlessField.signature.rawValue)) }
        requestor = values[.requestor] ?? ""
        nonce = values[.nonce] ?? ""
        algorithm = values[.algorithm] ?? ""
        uri = values[.uri] ?? ""
        publicKey = values[.publicKey] ?? ""
        signed = Array(bytes[..<signedEnd])
        sent = try Self.time(values[.time] ?? "")
        guard let code = Base64.decode(Array((values[.signature] ?? "").utf8), options: .canonical) else {
            throw .malformed(.request(field: ClientlessField.signature.rawValue))
        }
        signature = code
    }

    /// The index of the next separator, or the end.
    private static func end(of bytes: [UInt8], from start: Int) -> Int {
        var index = start
        while index < bytes.count, !bytes[index...].starts(with: separator) { index += 1 }
        return index
    }

    /// Reads milliseconds since 1970: digits only, without leading zeros.
    private static func time(_ text: String) throws(RequestorSigningError) -> Timestamp {
        guard 1...15 ~= text.utf8.count, text.utf8.allSatisfy(\.isASCIIDigit), text == "0" || text.utf8.first != 0x30,
            let milliseconds = Int64(text)
        else { throw .malformed(.request(field: ClientlessField.time.rawValue)) }
        return Timestamp(milliseconds: milliseconds)
    }
}

private let separator = Array(", ".utf8)
