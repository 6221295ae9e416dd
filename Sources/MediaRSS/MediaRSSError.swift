/// Says why a text cannot be compared as an MRSS resource.
///
/// No case carries text of the resource.
@nonexhaustive
public enum MediaRSSError: Error, Sendable, Hashable {
    /// The text is longer than ``MediaRSSResource/maximumBytes``. Nothing was read.
    case tooLarge(bytes: Int, limit: Int)
    /// The text holds `<!DOCTYPE` or `<!ENTITY`, in whatever case and place. Nothing was parsed.
    case doctypeRefused
    /// The text is no MRSS fragment: most often a plain resource such as `TNT`.
    case notMediaRSS(NotMediaRSSReason)
    /// The text is XML with the root `rss`, but its parts are such that two readers may understand them differently.
    case ambiguous(AmbiguousPart)

    /// The stable name of the error: what programs and log searches should look at.
    public var code: String {
        switch self {
        case .tooLarge: "too_large"
        case .doctypeRefused: "doctype_refused"
        case .notMediaRSS: "not_media_rss"
        case .ambiguous: "ambiguous_media_rss"
        }
    }
}

/// Says why a text is no MRSS fragment.
@nonexhaustive
public enum NotMediaRSSReason: Sendable, Hashable {
    /// Nothing, or only white space.
    case empty
    /// The text does not start with `<`: a plain resource.
    case plainText
    /// The text starts with `&lt;`: the fragment was escaped once more than needed.
    case entityEscaped
    /// A NUL, which no XML holds.
    case notText
    /// An XML declaration that is not of version 1.0, or that names an encoding other than UTF-8.
    case declaration
    /// Not well-formed XML, with namespaces.
    case notWellFormed
    /// The root element is not `rss`.
    case root
}

/// Names the part of an MRSS fragment that two readers may understand differently.
///
/// Paths are as in ``MediaRSSDifference/path``; names are of known elements only, in lower case.
@nonexhaustive
public enum AmbiguousPart: Sendable, Hashable {
    /// An element that must be there, `channel` or `channel/title`, is not.
    case missing(path: String)
    /// A second element where one is allowed: a channel, or the title or guid of one channel or item.
    case repeated(path: String)
    /// A known element outside its place, such as a rating of the channel, a title inside a description or an item
    /// inside an item; or one whose name is known but for the case of its letters.
    case misplaced(element: String)
    /// An element inside a title, a guid or a rating.
    case elementInText(path: String)
    /// Text directly inside `rss`, `channel` or `item`.
    case strayText
    /// A channel, item, title or guid in another namespace than the root, such as `media:title`.
    case namespace(element: String)
    /// An attribute of a rating that is `scheme` but for a prefix or the case of its letters.
    case scheme(path: String)
    /// A comment, or a processing instruction: `<?` anywhere but at the start of an XML declaration, in CDATA too.
    case markup
    /// Elements nested more deeply than any MRSS fragment's are.
    case tooDeep(limit: Int)
}

extension MediaRSSError: CustomStringConvertible {
    /// What is wrong and what to do, in one line.
    public var description: String {
        switch self {
        case .tooLarge(let bytes, let limit):
            "the resource has \(bytes) bytes, at most \(limit) are read as MRSS"
        case .doctypeRefused:
            "the resource has a DOCTYPE or an entity declaration, which no MRSS resource needs: remove it"
        case .notMediaRSS(let reason):
            reason.description
        case .ambiguous(let part):
            "\(part.description), so the MRSS resource could be read in more than one way"
        }
    }
}

extension NotMediaRSSReason: CustomStringConvertible {
    /// What is wrong and what to do, in one line.
    public var description: String {
        switch self {
        case .empty: "the resource is empty, not MRSS"
        case .plainText: "a plain resource, not MRSS: compare it byte by byte, with .exactly"
        case .entityEscaped: "the resource's markup is escaped (&lt;): unescape the document that carried it first"
        case .notText: "the resource holds a NUL: binary data, or damaged on its way"
        case .declaration: "the XML declaration is not of version 1.0 and UTF-8: leave it out"
        case .notWellFormed:
            "not well-formed XML: look for a bare & (write &amp;), a prefix without xmlns, a tag that is cut off or doubled"
        case .root: "XML, but its root is not rss"
        }
    }
}

extension AmbiguousPart: CustomStringConvertible {
    /// What is odd about the fragment, in one line.
    public var description: String {
        switch self {
        case .missing(let path): "there is no \(path)"
        case .repeated(let path): "there is more than one \(path)"
        case .misplaced(let element): "an element named \(element), or nearly so, stands where it has no meaning"
        case .elementInText(let path): "there is an element inside \(path)"
        case .strayText: "there is text between the elements"
        case .namespace(let element): "an element named \(element) is in another namespace than rss"
        case .scheme(let path): "\(path) has an attribute that is nearly scheme, by prefix or case"
        case .markup: "there is a comment or a processing instruction"
        case .tooDeep(let limit): "elements are nested more than \(limit) deep"
        }
    }
}
