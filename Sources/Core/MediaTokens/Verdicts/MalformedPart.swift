public import EntitlementValues
import TextCodecs

/// Names the part of a text that is not as a media token must have it.
///
/// Offsets count bytes of the signed text from 0.
@nonexhaustive
public enum MalformedPart: Sendable, Hashable {
    // Found while decoding.

    /// Nothing, or only white space.
    case empty
    /// A text that neither starts with a marker nor is Base64.
    case notAToken
    /// Base64 of something else, after one or two layers were removed.
    case layers
    /// Bytes that are not UTF-8, or a NUL.
    case notText
    /// A `%` without two hexadecimal digits.
    case percentEncoding
    /// A percent-encoded Base64 text: decode the URL's escapes first.
    case percentEncodedBase64
    /// Quotation marks around the token.
    case quoted
    /// A word before the token, such as `Bearer` or `token=`.
    case labelled
    /// `&lt;signatureInfo&gt;`: unescape the document that carried the token first.
    case entityEscaped
    /// The whole response of the service instead of the `serializedToken` inside it.
    case serviceResponse
    /// XML without a marker before it: a part of a token, or another document.
    case missingMarker
    /// An encoding that is not taken off, such as UTF-16 or the escapes of a log.
    case encoded(ForeignEncoding)

    // Found while splitting.

    /// Not exactly two markers with a signature between them and a signed text after them.
    case markers
    /// The signature is empty or not canonical Base64.
    case signatureText

    // Found after the signature proved good.

    /// The signed text does not start with one of the root elements.
    case root
    /// Markup that is not allowed in a signed text: a comment, a processing instruction, a DOCTYPE, an attribute, an
    /// element inside an element, a tag that is cut off.
    case markup(offset: Int)
    /// Text between elements, or after the root.
    case strayText(offset: Int)
    /// A bare `&`, an unknown entity, or a reference to a character that XML does not allow.
    case reference(offset: Int)
    /// A character that XML does not allow, or `]]>` outside CDATA.
    case character(offset: Int)
    /// A required element is missing.
    case missingElement(String)
    /// A required element has no text.
    case emptyElement(String)
    /// A known element occurs twice.
    case repeatedElement(String)
    /// The TTL is not 1 to 18 digits, is 0, or is above the policy's maximum.
    case ttl
    /// The issue time has none of the known forms, or the date does not exist.
    case issueTime
}

extension MalformedPart: CustomStringConvertible {
    /// What is wrong and what to do, in one line.
    public var description: String {
        switch self {
        case .empty: "the token is empty"
        case .notAToken: "neither a media token nor Base64 of one; pass the whole text that the client received"
        case .layers: "Base64, but its content is not a media token; at most two layers are removed"
        case .notText: "the token contains a NUL or is not UTF-8: it is binary data, or was damaged on its way"
        case .percentEncoding: "the token's percent-encoding is damaged: a % is not followed by two hexadecimal digits"
        case .percentEncodedBase64: "percent-encoded Base64: decode the percent-encoding before you pass the token"
        case .quoted: "quotation marks around the token: pass the token without them"
        case .labelled: "a word before the token (such as Bearer or token=): pass the token alone"
        case .entityEscaped: "the token's markup is entity-escaped (&lt;): unescape the document that carried it first"
        case .serviceResponse: "the whole response of the service: pass only the value of its serializedToken"
        case .encoded(let encoding): "the token is \(encoding)"
        case .missingMarker: "XML without the signature before it: pass the whole text that the client received"
        case .markers:
            "the token does not have exactly two signatureInfo markers, a signature between them and a text after them"
        case .signatureText:
            "the signature is empty or not canonical Base64: the token was cut off or damaged on its way"
        case .root: "the signed text does not start with the root element of a media token"
        case .markup(let offset): "markup that media tokens do not have, at byte \(offset) of the signed text"
        case .strayText(let offset): "text outside the elements, at byte \(offset) of the signed text"
        case .reference(let offset): "a bare & or a bad character reference, at byte \(offset) of the signed text"
        case .character(let offset): "a character that XML does not allow, at byte \(offset) of the signed text"
        case .missingElement(let name): "the signed text has no \(name)"
        case .emptyElement(let name): "the signed text's \(name) is empty"
        case .repeatedElement(let name): "the signed text has more than one \(name)"
        case .ttl: "the ttl is not a number of milliseconds from 1 to the policy's maximum"
        case .issueTime:
            "the issueTime is not of a known form (yyyy-MM-dd HH:mm:ss ±hhmm), or the date does not exist"
        }
    }
}
