package import TextCodecs

extension ClaimSet {
    /// Reads a JSON object that fills the bytes.
    ///
    /// Repeated members, more than 64 levels, NUL and bytes that are not UTF-8 are refused at every level.
    package init(json bytes: [UInt8]) throws(JSONFault) {
        guard bytes.isTextWithoutNUL else { throw JSONFault(reason: "not UTF-8, or NUL in it") }
        self = try bytes.withSpan { text throws(JSONFault) in try ClaimSet(text, in: 0..<text.count) }
    }

    fileprivate init(_ text: Span<UInt8>, in range: Range<Int>) throws(JSONFault) {
        let found = try JSONReader.members(of: text, in: range)
        var members: [Member] = []
        // Their order is part of what was signed.
        for member in found.list {
            members.append(Member(name: member.name, value: try ClaimValue(text, member.value)))
        }
        self.init(members)
    }
}

extension ClaimValue {
    fileprivate init(_ text: Span<UInt8>, _ value: JSONValue) throws(JSONFault) {
        switch value.kind {
        case .object:
            self = .object(try ClaimSet(text, in: value.range))
        case .array:
            var elements: [ClaimValue] = []
            for element in try JSONReader.elements(of: text, in: value.range) {
                elements.append(try ClaimValue(text, element))
            }
            self = .array(elements)
        case .string:
            guard let bytes = value.bytes(in: text) else {
                throw JSONFault(reason: "half a surrogate pair")
            }
            self = .string(String(decoding: bytes, as: UTF8.self))
        case .number:
            let digits = String(decoding: value.range.map { text[$0] }, as: UTF8.self)
            self = value.integer(in: text).map(ClaimValue.number) ?? .otherNumber(digits)
        case .boolean:
            self = .bool(text[value.range.lowerBound] == UInt8(ascii: "t"))
        case .null:
            self = .null
        }
    }
}
