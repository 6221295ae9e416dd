public import EntitlementValues
import OpenSSLBridge

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
