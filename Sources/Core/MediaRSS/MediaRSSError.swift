/// The reason why a text cannot be compared as an MRSS resource.
///
/// No case contains text of the resource.
@nonexhaustive
public enum MediaRSSError: Error, Sendable, Hashable {
    /// The text is longer than ``MediaRSSResource/maximumBytes``. It was not read.
    case tooLarge(bytes: Int, limit: Int)
    /// The text contains `<!DOCTYPE` or `<!ENTITY`, in upper or lower case. It was not parsed.
    case doctypeRefused
    /// The text is not an MRSS fragment; usually it is a plain resource such as `TNT`.
    case notMediaRSS(NotMediaRSSReason)
    /// The text is XML with the root `rss`, but two readers could find different facts in it.
    case ambiguous(AmbiguousPart)

    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .tooLarge: "too_large"
        case .doctypeRefused: "doctype_refused"
        case .notMediaRSS: "not_media_rss"
        case .ambiguous: "ambiguous_media_rss"
        }
    }
}

/// The reason why a text is not an MRSS fragment.
@nonexhaustive
public enum NotMediaRSSReason: Sendable, Hashable {
    /// The text is empty, or only white space.
    case empty
    /// The text does not start with `<`: a plain resource.
    case plainText
    /// The text starts with `&lt;`: the fragment was escaped once more than needed.
    case entityEscaped
    /// The text contains a NUL, which XML does not allow.
    case notText
    /// The text begins with a byte order mark (U+FEFF), which is a character of a resource like any other.
    case byteOrderMark
    /// The XML declaration names another version than 1.0, or another encoding than UTF-8.
    case declaration
    /// The text is not well-formed XML with namespaces.
    case notWellFormed
    /// The root element is not `rss`.
    case root
}

/// The part of an MRSS fragment that two readers could understand differently.
///
/// Paths are as in ``MediaRSSDifference/path``. Names are those of known elements, in lower case.
@nonexhaustive
public enum AmbiguousPart: Sendable, Hashable {
    /// A required element is missing: `channel` or `channel/title`.
    case missing(path: String)
    /// An element that may occur once occurs twice: the channel, or the title or guid of a channel or item.
    case repeated(path: String)
    /// A known element is in a place where it has no meaning, or its name is known but for the case of its letters.
    ///
    /// Examples are a rating of the channel, a title inside a description, and an item inside an item.
    case misplaced(element: String)
    /// A title, a guid or a rating contains an element.
    case elementInText(path: String)
    /// There is text directly inside `rss`, `channel` or `item`.
    case strayText
    /// A channel, item, title or guid is in another namespace than the root, such as `media:title`.
    case namespace(element: String)
    /// A rating has an attribute that differs from `scheme` only in a prefix or in case.
    case scheme(path: String)
    /// There is a comment or a processing instruction: `<?`, even inside CDATA, other than in the XML declaration.
    case markup
    /// Elements are nested more deeply than in any MRSS fragment.
    case tooDeep(limit: Int)
}

extension MediaRSSError: CustomStringConvertible {
    /// What is wrong and what to do, in one line.
    public var description: String {
        switch self {
        case .tooLarge(let bytes, let limit):
            "the resource has \(bytes) bytes; an MRSS resource has at most \(limit)"
        case .doctypeRefused:
            "the resource has a DOCTYPE or an entity declaration; remove it, since MRSS does not need it"
        case .notMediaRSS(let reason):
            reason.description
        case .ambiguous(let part):
            "\(part.description), so two readers could understand the MRSS resource differently"
        }
    }
}

extension NotMediaRSSReason: CustomStringConvertible {
    /// What is wrong and what to do, in one line.
    public var description: String {
        switch self {
        case .empty: "the resource is empty, not MRSS"
        case .plainText: "the resource is plain text, not MRSS; compare it byte by byte, with .exactly"
        case .entityEscaped:
            "the resource's markup is escaped (&lt;); unescape it once, where it is taken from a document"
        case .notText:
            "the resource contains a NUL, so it is UTF-16 (convert it: iconv -f UTF-16 -t UTF-8), binary data, or was "
                + "damaged"
        case .byteOrderMark:
            "the resource begins with a byte order mark (U+FEFF), which is a character of it; leave it out where the "
                + "resource is read from a file"
        case .declaration: "the XML declaration does not say version 1.0 and UTF-8; leave it out"
        case .notWellFormed:
            "the resource is not well-formed XML; look for a bare & (write &amp;), a prefix without xmlns, an open tag"
        case .root: "the resource is XML, but its root element is not rss"
        }
    }
}

extension AmbiguousPart: CustomStringConvertible {
    /// What makes the fragment ambiguous, in one line.
    public var description: String {
        switch self {
        case .missing(let path): "there is no \(path)"
        case .repeated(let path): "there is more than one \(path)"
        case .misplaced(let element): "an element named \(element), or nearly so, is where it has no meaning"
        case .elementInText(let path): "there is an element inside \(path)"
        case .strayText: "there is text between the elements"
        case .namespace(let element): "an element named \(element) is in another namespace than rss"
        case .scheme(let path): "\(path) has an attribute that differs from scheme only in a prefix or in case"
        case .markup: "there is a comment or a processing instruction"
        case .tooDeep(let limit): "elements are nested more than \(limit) deep"
        }
    }
}
