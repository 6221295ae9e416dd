public import EntitlementKeys
public import EntitlementValues
import OpenSSLBridge
import TextCodecs

/// Signs requestor IDs: SHA-256 with RSA (PKCS#1 v1.5) over the exact UTF-8 bytes.
///
/// ```swift
/// let signer = RequestorSigner(key: try SigningKey(contentsOfFile: "programmer.key"))
/// let signed = try signer.sign("REF30")
/// ```
///
/// The result is Base64 (RFC 4648 §4, padded, one line); percent-encode it if it goes into a form. It never changes for one
/// key and ID, and anyone who sees it can use it, so it proves nothing about the client that sends it.
///
/// Source: public sample code for the SDKs before version 3.0, and captured requests.
public struct RequestorSigner: Sendable {
    private let key: SigningKey

    /// Makes a signer for one key.
    ///
    /// - Parameter key: At least 2048 bits, unless it was read with `allowingWeakKeys`.
    public init(key: SigningKey) {
        self.key = key
    }

    /// Signs a requestor ID.
    ///
    /// - Parameters:
    ///   - requestor: The ID, which is signed exactly as given.
    ///   - options: Variants for old clients.
    /// - Returns: The signature in Base64.
    /// - Throws: `.unsuitable` for an ID that is empty, starts or ends with white space, or holds control characters;
    ///   `.undecided` if libcrypto failed.
    public func sign(
        _ requestor: RequestorID,
        options: RequestorSignatureOptions = []
    ) throws(RequestorSigningError) -> String {
        try requestor.rawValue.withBytes { bytes throws(RequestorSigningError) in
            try sign(bytes, options: options)
        }
    }

    /// Signs a requestor ID given as UTF-8 bytes.
    ///
    /// - Parameters:
    ///   - bytes: The ID, of which every byte is signed.
    ///   - options: Variants for old clients.
    /// - Returns: The signature in Base64.
    /// - Throws: As for a `RequestorID`; `.unsuitable` also if the bytes are not UTF-8.
    public func sign(
        _ bytes: Span<UInt8>,
        options: RequestorSignatureOptions = []
    ) throws(RequestorSigningError) -> String {
        try checkSignable(bytes, as: "requestor ID")
        let signature = try key.signature(over: bytes, options.digest)
        let text = Base64.encode(signature)
        return options.contains(.legacyLineWrapped) ? SignatureText.wrapped(text) : text
    }

    /// Signs a requestor ID given as an array of UTF-8 bytes.
    ///
    /// - Parameters:
    ///   - bytes: The ID, of which every byte is signed.
    ///   - options: Variants for old clients.
    /// - Returns: The signature in Base64.
    /// - Throws: As for a `RequestorID`; `.unsuitable` also if the bytes are not UTF-8.
    public func sign(
        _ bytes: [UInt8],
        options: RequestorSignatureOptions = []
    ) throws(RequestorSigningError) -> String {
        try bytes.withSpan { bytes throws(RequestorSigningError) in try sign(bytes, options: options) }
    }
}

/// Variants of a signed requestor ID that old clients need.
public struct RequestorSignatureOptions: OptionSet, Sendable, Hashable {
    /// One bit for each option.
    public let rawValue: UInt8

    /// Makes a set from one bit for each option.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Breaks the Base64 with a line feed after every 76 symbols and at the end, as Android's default flag did.
    public static let legacyLineWrapped = RequestorSignatureOptions(rawValue: 1 << 0)
    /// Signs with SHA-1 instead of SHA-256.
    ///
    /// Only for archives: the service uses SHA-256.
    public static let legacySHA1 = RequestorSignatureOptions(rawValue: 1 << 1)

    var digest: Digest { contains(.legacySHA1) ? .insecureSHA1 : .sha256 }
}

extension SigningKey {
    /// Signs bytes with a digest and PKCS#1 v1.5.
    func signature(over bytes: Span<UInt8>, _ algorithm: Digest) throws(RequestorSigningError) -> [UInt8] {
        let digest = try rethrowing(algorithm.hash(bytes, in: 0..<bytes.count), as: RequestorSigningError.init(_:))
        return try rethrowing(sign(digest: digest, algorithm: algorithm), as: RequestorSigningError.init(_:))
    }
}

/// Writes and reads the Base64 of a signature: on one line, or in lines of 76 symbols as Android's default flag makes them.
enum SignatureText {
    private static let lineLength = 76
    private static let lineFeed = UInt8(ascii: "\n")

    /// The maximum length of the Base64, in bytes: more than the wrapped signature of the largest key (8192 bits) has.
    static let maximumLength = 2048

    /// Adds a line feed after every 76 symbols and at the end.
    static func wrapped(_ text: String) -> String {
        let symbols = Array(text.utf8)
        var lines: [UInt8] = []
        for start in stride(from: 0, to: symbols.count, by: lineLength) {
            lines += symbols[start..<min(start + lineLength, symbols.count)]
            lines.append(lineFeed)
        }
        return String(decoding: lines, as: UTF8.self)
    }

    /// Decodes either form; `nil` for any other spelling.
    ///
    /// The last line feed may be missing, since form fields are often trimmed.
    static func bytes(_ text: String) -> [UInt8]? {
        var lines = Array(text.utf8).split(separator: lineFeed, omittingEmptySubsequences: false)
        if lines.count > 1 {
            if lines.last?.isEmpty == true { lines.removeLast() }
            guard let last = lines.last, 1...lineLength ~= last.count,
                lines.dropLast().allSatisfy({ $0.count == lineLength })
            else { return nil }
        }
        return Base64.decode(Array(lines.joined()), options: .canonical)
    }
}
