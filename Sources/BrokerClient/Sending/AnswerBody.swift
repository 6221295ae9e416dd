#if Client
import HTTPTypes
import ServiceResponses
import TextCodecs

// What an answer's body is: its media type, and the broker's error object.
extension HTTPAnswer {
    private static let maximumTypeLength = 64

    /// The type and subtype of the body, in lower case, without parameters; `nil` if the field is missing, appears twice
    /// or is not well-formed.
    var mediaType: String? {
        guard let field = head.headerFields[.contentType] else { return nil }
        let end = field.utf8.firstIndex(of: UInt8(ascii: ";")) ?? field.utf8.endIndex
        var type = field.utf8[..<end]
        while let last = type.last, last.isBlank { type.removeLast() }
        while let first = type.first, first.isBlank { type.removeFirst() }
        let parts = type.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard type.count <= Self.maximumTypeLength, parts.count == 2,
            parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isMediaTypeCharacter) })
        else { return nil }
        return String(decoding: Array(type), as: UTF8.self).lowercased()
    }

    /// Whether the content type says that the body is JSON.
    var isJSON: Bool {
        // Nearly all answers have this spelling; the others are looked at more closely.
        if head.headerFields[.contentType] == "application/json" { return true }
        guard let mediaType else { return false }
        return mediaType == "application/json" || mediaType.hasSuffix("+json")
    }

    /// The broker's error object; `nil` if the body is something else.
    var enhancedError: EnhancedError? { try? readEnhancedError() }

    /// Reads the broker's error object; `nil` if the content type says that the body is something else.
    ///
    /// - Throws: `ServiceResponseError` if the body is JSON, and not an error object.
    func readEnhancedError() throws(ServiceResponseError) -> EnhancedError? {
        if isJSON { return try EnhancedError(parsing: errorBody) }
        // Errors that come from in front of the broker may have no content type.
        return head.headerFields[.contentType] == nil ? try? EnhancedError(parsing: errorBody) : nil
    }

    /// The body of an error, with replacement characters for what is not UTF-8.
    ///
    /// A text for people may have another encoding, and must not hide the code beside it.
    var errorBody: [UInt8] { Array(String(decoding: body, as: UTF8.self).utf8) }
}

extension UInt8 {
    /// A space or a tab.
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    /// Whether RFC 6838 §4.2 has the byte in the name of a media type.
    fileprivate var isMediaTypeCharacter: Bool {
        isASCIILetter || isASCIIDigit || "!#$&-^_.+".utf8.contains(self)
    }
}
#endif
