public import EntitlementValues

/// Gathers the facts about the wire that a verifier relies on: markers, root names, element names, date forms.
///
/// The issuer promises nothing about the format. Should it change, change this value and not the verifier:
///
/// ```swift
/// var format = MediaTokenFormat.wire
/// format.roots.append("mediaToken")
/// let verifier = MediaTokenVerifier(keys: keys, format: format)
/// ```
///
/// The order of checks, the strictness of the scanner and the signature rule are not facts about the wire and cannot be
/// changed here.
public struct MediaTokenFormat: Sendable, Hashable {
    /// Stands before the signature.
    public var openingMarker = "<signatureInfo>"
    /// Stand between the signature and the signed text.
    ///
    /// The wire has a second opening marker; a closing one is read too.
    public var closingMarkers = ["<signatureInfo>", "</signatureInfo>"]
    /// Names of the signed text's root.
    ///
    /// The wire has `authToken`, the public documents have the other.
    public var roots = ["authToken", "shortAuthorizationToken"]
    /// Roots of other tokens that the same key signs by the same rule.
    ///
    /// They are never media tokens.
    public var foreignRoots = ["simpleAuthenticationToken", "simpleAuthorizationToken"]
    /// Names of the elements.
    public var elements = ElementNames()
    /// Spellings of the issue time that are read.
    public var issueTimeForms: DateForms = .all

    /// The names of the elements inside the root; each occurs at most once, in any order.
    public struct ElementNames: Sendable, Hashable {
        /// Pseudonymous subscriber.
        public var sessionGUID = "sessionGUID"
        /// Programmer's brand.
        public var requestorID = "requestorID"
        /// What was authorized.
        public var resourceID = "resourceID"
        /// Milliseconds of validity.
        public var ttl = "ttl"
        /// Instant of issue.
        public var issueTime = "issueTime"
        /// Provider.
        public var mvpdID = "mvpdId"
        /// Proxy provider; the one element that may be absent or empty.
        public var proxyMVPDID = "proxyMvpdId"
    }

    /// What is on the wire, and what the public documents show.
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

/// The format as bytes, made once per verifier; a class, since everything that reads a token holds it.
final class FormatBytes: Sendable {
    let openingMarker: [UInt8]
    /// The opening marker with `<` and `>` as `%3C` and `%3E`.
    let percentMarker: [UInt8]
    let closingMarkers: [[UInt8]]
    /// For each byte, whether it is the second one of a marker.
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

    /// The name of an element, by its place in `elements`.
    func name(at index: Int) -> String {
        String(decoding: elements[index], as: UTF8.self)
    }

    /// Whether a name is that of a root, ours or foreign: roots have no place inside a root.
    func isRoot(_ text: Span<UInt8>, _ name: Range<Int>) -> Bool {
        roots.contains { text.equals($0, in: name) } || foreignRoots.contains { text.equals($0, in: name) }
    }
}

extension Span where Element == UInt8 {
    /// Tells whether some bytes stand at a position.
    package func has(_ bytes: [UInt8], at position: Int) -> Bool {
        guard count - position >= bytes.count else { return false }
        for offset in bytes.indices where self[position + offset] != bytes[offset] { return false }
        return true
    }

    /// Tells whether a range is exactly some bytes.
    package func equals(_ bytes: [UInt8], in range: Range<Int>) -> Bool {
        range.count == bytes.count && has(bytes, at: range.lowerBound)
    }
}
