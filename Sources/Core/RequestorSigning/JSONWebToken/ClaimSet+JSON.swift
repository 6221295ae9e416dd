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

/// Says why a claim cannot be written.
@nonexhaustive
public enum ClaimFault: Sendable, Hashable {
    /// Its name is empty.
    case unnamed
    /// The signer writes a claim of this name itself.
    case reserved
    /// The name occurs twice in one object.
    case repeated
    /// Its value is nested deeper than 32 levels.
    case tooDeep
    /// It is a number, but not a whole number within 64 bits.
    case notWhole
}

extension ClaimFault: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .unnamed: "has no name"
        case .reserved: "is written by the signer itself; leave it out"
        case .repeated: "occurs twice in one object"
        case .tooDeep: "is nested deeper than 32 levels"
        case .notWhole: "is not a whole number within 64 bits; write it as a string"
        }
    }
}

private let maximumDepth = 32

extension ClaimSet {
    /// Writes the object as JSON: members in their order, no white space.
    func json() throws(RequestorSigningError) -> [UInt8] {
        var writer = JSONWriter(escaping: .minimal)
        try write(to: &writer, within: nil, depth: 1)
        return writer.finished
    }

    /// Writes the members; errors name the outermost member that they are part of.
    fileprivate func write(
        to writer: inout JSONWriter,
        within claim: String?,
        depth: Int
    ) throws(RequestorSigningError) {
        var names: Set<[UInt8]> = []
        for member in members {
            let claim = claim ?? member.name
            guard !member.name.isEmpty else { throw .unsuitableClaim(name: claim, .unnamed) }
            guard names.insert(Array(member.name.utf8)).inserted else {
                throw .unsuitableClaim(name: claim, .repeated)
            }
            writer.name(member.name)
            try member.value.write(to: &writer, within: claim, depth: depth)
        }
    }
}

extension ClaimValue {
    fileprivate func write(
        to writer: inout JSONWriter,
        within claim: String,
        depth: Int
    ) throws(RequestorSigningError) {
        switch self {
        case .string(let text): writer.value(text)
        case .number(let number): writer.value(number)
        case .otherNumber: throw .unsuitableClaim(name: claim, .notWhole)
        case .bool(let bool): writer.value(bool)
        case .null: writer.value(raw: "null".utf8)
        case .object(let members):
            guard depth < maximumDepth else { throw .unsuitableClaim(name: claim, .tooDeep) }
            try writer.object { writer throws(RequestorSigningError) in
                try members.write(to: &writer, within: claim, depth: depth + 1)
            }
        case .array(let elements):
            guard depth < maximumDepth else { throw .unsuitableClaim(name: claim, .tooDeep) }
            try writer.array { writer throws(RequestorSigningError) in
                for element in elements { try element.write(to: &writer, within: claim, depth: depth + 1) }
            }
        }
    }
}
