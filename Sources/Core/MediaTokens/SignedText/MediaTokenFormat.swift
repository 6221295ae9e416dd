public import EntitlementValues

/// The facts about the wire format that a verifier relies on: markers, names of elements, forms of dates.
///
/// The issuer does not promise to keep the format. If it changes, change this value and keep the verifier:
///
/// ```swift
/// var format = MediaTokenFormat.wire
/// format.roots.append("mediaToken")
/// let verifier = MediaTokenVerifier(keys: keys, format: format)
/// ```
///
/// The order of checks, the strictness of the scanner and the signature rule cannot be changed here.
///
/// Sources: the service's public documentation for programmers (its page on media tokens, and the token sections of its
/// SDK overviews), and genuine tokens of the years 2015 to 2021, whose signatures verify by this rule. Where they differ,
/// both are read.
public struct MediaTokenFormat: Sendable, Hashable {
    /// The marker before the signature.
    ///
    /// Source: documentation and tokens.
    public var openingMarker = "<signatureInfo>"
    /// The possible markers between the signature and the signed text.
    ///
    /// Source: documentation and tokens have a second opening marker. The closing one was never seen; it is accepted in
    /// case the issuer corrects the markup.
    public var closingMarkers = ["<signatureInfo>", "</signatureInfo>"]
    /// The possible names of the signed text's root.
    ///
    /// Source: the tokens have `authToken`, the documentation has `shortAuthorizationToken`.
    public var roots = ["authToken", "shortAuthorizationToken"]
    /// Roots of other tokens that the same key signs by the same rule: AuthN and AuthZ tokens.
    ///
    /// They are refused. Source: genuine AuthN tokens, whose signature verifies with the key of the media tokens.
    public var foreignRoots = ["simpleAuthenticationToken", "simpleAuthorizationToken"]
    /// The names of the elements.
    public var elements = ElementNames()
    /// The accepted forms of the issue time.
    ///
    /// Source: the tokens have `2017-03-16 07:39:48 -0700`, the server's local time with its offset. The other forms occur
    /// in AuthN and AuthZ tokens and in documents.
    public var issueTimeForms: DateForms = .all

    /// The names of the elements inside the root; each occurs at most once, in any order.
    ///
    /// Source: the documentation, which has them in this order, and the tokens.
    public struct ElementNames: Sendable, Hashable {
        /// The subscriber, by a pseudonymous hash: 32 hexadecimal digits.
        public var sessionGUID = "sessionGUID"
        /// The programmer's brand.
        public var requestorID = "requestorID"
        /// What was authorized: a plain text, or MRSS in a CDATA section.
        public var resourceID = "resourceID"
        /// How long the token is good, in milliseconds.
        ///
        /// AuthN tokens have an element of the same name in seconds.
        public var ttl = "ttl"
        /// When the token was issued.
        public var issueTime = "issueTime"
        /// The provider.
        public var mvpdID = "mvpdId"
        /// The proxy provider; the only element that may be absent or empty.
        ///
        /// Source: the documentation; none of the tokens has it.
        public var proxyMVPDID = "proxyMvpdId"
    }

    /// The format of genuine tokens, and the variants in the documentation.
    public static let wire = MediaTokenFormat()

    private init() {}
}

/// The elements that a verifier reads.
enum TokenElement: Int, CaseIterable, Sendable {
    case sessionGUID
    case requestorID
    case resourceID
    case ttl
    case issueTime
    case mvpdID
    case proxyMVPDID
}

/// The format as bytes, made once per verifier; a class, since everything that reads a token shares it.
final class FormatBytes: Sendable {
    let openingMarker: [UInt8]
    /// The opening marker with `<` and `>` as `%3C` and `%3E`.
    let percentMarker: [UInt8]
    let closingMarkers: [[UInt8]]
    /// For each byte value, whether a marker has it as its second byte.
    let isSecondOfMarker: [Bool]
    let roots: [[UInt8]]
    let foreignRoots: [[UInt8]]
    /// In the order of `TokenElement`.
    let elements: [[UInt8]]
    let issueTimeForms: DateForms

    init(_ format: MediaTokenFormat) {
        openingMarker = Array(format.openingMarker.utf8)
        percentMarker = openingMarker.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "<"): Array("%3C".utf8)
            case UInt8(ascii: ">"): Array("%3E".utf8)
            default: [byte]
            }
        }
        closingMarkers = format.closingMarkers.map { Array($0.utf8) }
        let seconds = ([openingMarker] + closingMarkers).compactMap { $0.dropFirst().first }
        isSecondOfMarker = (UInt8.min...UInt8.max).map(seconds.contains)
        roots = format.roots.map { Array($0.utf8) }
        foreignRoots = format.foreignRoots.map { Array($0.utf8) }
        let names = format.elements
        elements = TokenElement.allCases.map { element in
            switch element {
            case .sessionGUID: Array(names.sessionGUID.utf8)
            case .requestorID: Array(names.requestorID.utf8)
            case .resourceID: Array(names.resourceID.utf8)
            case .ttl: Array(names.ttl.utf8)
            case .issueTime: Array(names.issueTime.utf8)
            case .mvpdID: Array(names.mvpdID.utf8)
            case .proxyMVPDID: Array(names.proxyMVPDID.utf8)
            }
        }
        issueTimeForms = format.issueTimeForms
    }

    /// The name of an element, by its index in `elements`.
    func name(at index: Int) -> String {
        String(decoding: elements[index], as: UTF8.self)
    }

    /// Whether a name is that of a root, of a media token or another one: no root may be inside a root.
    func isRoot(_ text: Span<UInt8>, _ name: Range<Int>) -> Bool {
        roots.contains { text.equals($0, in: name) } || foreignRoots.contains { text.equals($0, in: name) }
    }
}

extension Span where Element == UInt8 {
    /// Tells whether some bytes start at a position and are all there.
    package func has(_ bytes: [UInt8], at position: Int) -> Bool {
        guard count - position >= bytes.count else { return false }
        for offset in bytes.indices where self[position + offset] != bytes[offset] { return false }
        return true
    }

    /// Tells whether a range consists of exactly some bytes.
    package func equals(_ bytes: [UInt8], in range: Range<Int>) -> Bool {
        range.count == bytes.count && has(bytes, at: range.lowerBound)
    }
}
