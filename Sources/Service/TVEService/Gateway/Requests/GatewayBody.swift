#if Service
import TextCodecs

/// The body of an app's request: a JSON object whose members are read by name and type.
///
/// A member of another name than those that the request takes is refused, since it may be a misspelt one.
struct GatewayBody: Sendable {
    /// The most bytes that a string of an app has, in UTF-8: of a resource, a provider, an address.
    ///
    /// Such strings are copied into records, events and calls of the broker, so one must not be as long as a whole
    /// body.
    static let maximumTextLength = 4096

    private let text: ArraySlice<UInt8>
    private let object: JSONObject

    /// Reads JSON in UTF-8 whose members may have the given names; throws with the status 400 if it is not that.
    ///
    /// Nothing at all counts as an object without members.
    init(_ bytes: [UInt8], taking names: Set<String>) throws(RequestError) {
        let text = bytes.isEmpty ? Array("{}".utf8)[...] : bytes[...]
        self.text = text
        guard text.span.isTextWithoutNUL else { throw .badRequest("the body is not UTF-8") }
        object = try RequestError.reading { () throws(JSONFault) in
            let object = try JSONObject(text.span, in: text.span.afterByteOrderMark, nulls: .areValues)
            try object.allowOnly(names)
            return object
        }
    }

    /// Whether there is a member of a name.
    func contains(_ name: String) -> Bool { object.node(name) != nil }

    /// A member that is a string of at most `limit` bytes; `nil` if it is absent.
    func string(_ name: String, upTo limit: Int) throws(RequestError) -> String? {
        try checked(name, upTo: limit) { () throws(JSONFault) in try object.string(name, in: text.span) }
    }

    /// A member that is a string of 1 to `limit` bytes; `nil` if it is absent.
    func identifier(_ name: String, upTo limit: Int = maximumTextLength) throws(RequestError) -> String? {
        try checked(name, upTo: limit) { () throws(JSONFault) in try object.identifier(name, in: text.span) }
    }

    /// A member that must be there, a string of 1 to ``maximumTextLength`` bytes.
    func requiredIdentifier(_ name: String) throws(RequestError) -> String {
        try checked(name, upTo: Self.maximumTextLength) { () throws(JSONFault) in
            try object.requiredIdentifier(name, in: text.span)
        }
    }

    /// A member that is `true` or `false`; `nil` if it is absent.
    func boolean(_ name: String) throws(RequestError) -> Bool? {
        try RequestError.reading { () throws(JSONFault) in try object.boolean(name, in: text.span) }
    }

    /// A member that is a whole number; `nil` if it is absent.
    func integer(_ name: String) throws(RequestError) -> Int64? {
        try RequestError.reading { () throws(JSONFault) in try object.integer(name, in: text.span) }
    }

    /// The strings of a member that must be there, an array; each has 1 to ``maximumTextLength`` bytes.
    func identifiers(_ name: String) throws(RequestError) -> [String] {
        let values = try RequestError.reading { () throws(JSONFault) in try object.identifiers(name, in: text.span) }
        for value in values { try Self.check(value, in: name, upTo: Self.maximumTextLength) }
        return values
    }

    private func checked<Value>(
        _ name: String,
        upTo limit: Int,
        _ read: () throws(JSONFault) -> Value
    ) throws(RequestError) -> Value {
        let value = try RequestError.reading(read)
        if let text = value as? String { try Self.check(text, in: name, upTo: limit) }
        return value
    }

    /// Refuses a text that is too long, and one with an escaped NUL, at which the broker and other stores would cut it.
    private static func check(_ value: String, in name: String, upTo limit: Int) throws(RequestError) {
        guard value.utf8.count <= limit else { throw .badRequest("\(name) has a text of more than \(limit) bytes") }
        if value.utf8.contains(0) { throw .badRequest("\(name) holds a NUL") }
    }

    /// The JSON of a member that is an object; `nil` if it is absent.
    func objectText(_ name: String) throws(RequestError) -> String? {
        guard let value = object.node(name)?.value else { return nil }
        guard value.kind == .object else { throw .badRequest("\(name) is not an object") }
        let start = text.startIndex
        return String(
            decoding: text[start + value.range.lowerBound..<start + value.range.upperBound], as: UTF8.self)
    }
}
#endif
