#if Client
import TextCodecs

/// A value that the operator's library handed to an application: what JSON can say.
///
/// Values may be tokens, addresses, codes and attributes, so neither descriptions nor mirrors show them.
public enum LegacyValue: Sendable, Hashable {
    /// Nothing: `nil`, `null`.
    case null
    /// A truth value, `BOOL`.
    case boolean(Bool)
    /// A whole number, `int`.
    case integer(Int64)
    /// Another number, by the digits with which it was sent.
    case decimal(String)
    /// A text, `NSString`.
    case text(String)
    /// A list, `NSArray`.
    case list([LegacyValue])
    /// Values by name, `NSDictionary`.
    case dictionary([String: LegacyValue])

    /// The text; `nil` if the value is none.
    public var text: String? { if case .text(let text) = self { text } else { nil } }

    /// The elements; `nil` if the value is not a list.
    public var elements: [LegacyValue]? { if case .list(let elements) = self { elements } else { nil } }

    /// The value of a name; `nil` if the value is not a dictionary, or does not have the name.
    public subscript(_ name: String) -> LegacyValue? {
        if case .dictionary(let members) = self { members[name] } else { nil }
    }

    /// A text, or ``null`` if there is none.
    ///
    /// - Parameter text: The text.
    public init(_ text: String?) { self = text.map(LegacyValue.text) ?? .null }
}

// MARK: JSON

extension LegacyValue {
    /// Reads JSON of any kind.
    ///
    /// - Parameter json: The JSON; `nil` is returned if it is none.
    public init?(json: String) {
        let value: LegacyValue? = json.withBytes { bytes in
            guard let node = try? JSONReader.node(of: bytes, in: 0..<bytes.count, maximumValues: 50_000) else {
                return nil
            }
            return LegacyValue(node, in: bytes)
        }
        guard let value else { return nil }
        self = value
    }

    private init(_ node: JSONNode, in text: Span<UInt8>) {
        switch node.value.kind {
        case .null: self = .null
        case .boolean: self = .boolean(text[node.value.range.lowerBound] == UInt8(ascii: "t"))
        case .string: self = LegacyValue(node.value.string(in: text))
        case .number:
            let digits = String(copying: text.extracting(node.value.range))
            self = Int64(digits).map(LegacyValue.integer) ?? .decimal(digits)
        case .array: self = .list(node.elements.map { LegacyValue($0, in: text) })
        case .object:
            var members: [String: LegacyValue] = [:]
            for member in node.members {
                members[member.name] = LegacyValue(member.node, in: text)
            }
            self = .dictionary(members)
        }
    }

    /// The value as JSON on one line; the names of a dictionary are in the order of their bytes.
    public var json: String { String(decoding: encoded, as: UTF8.self) }

    /// The value as JSON, in UTF-8.
    package var encoded: [UInt8] {
        switch self {
        case .null: return Array("null".utf8)
        case .boolean(let bool): return Array((bool ? "true" : "false").utf8)
        case .integer(let number): return Array(String(number).utf8)
        case .decimal(let digits): return Array(digits.utf8)
        case .text(let text): return JSONWriter.string(text)
        case .list(let elements):
            return Array("[".utf8) + Array(elements.map(\.encoded).joined(separator: ",".utf8)) + Array("]".utf8)
        case .dictionary(let members):
            var object = JSONWriter()
            for (name, value) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                object.member(name, raw: value.encoded)
            }
            return object.finished
        }
    }
}

extension LegacyValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of the value.
    public var description: String {
        switch self {
        case .null: "nothing"
        case .boolean: "a truth value"
        case .integer, .decimal: "a number"
        case .text: "a text"
        case .list(let elements): "a list of \(elements.count)"
        case .dictionary(let members): "a dictionary of \(members.count)"
        }
    }

    /// The description.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
