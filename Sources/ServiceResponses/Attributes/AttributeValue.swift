import TextCodecs
package import MetadataDecryption

/// The value of an attribute: as text, and as what its definition says it is.
///
/// It stands for a person: neither its description nor its mirror shows it.
public struct AttributeValue: Sendable, Hashable {
    private let withheldText: Redacted<String>
    private let withheldContent: Redacted<AttributeContent>

    /// The text, as it was sent or decrypted; the JSON of a value that is not a text.
    public var text: String { withheldText.value }

    /// The value by the attribute's definition, or by its JSON type where that says something else.
    public var content: AttributeContent { withheldContent.value }

    init(_ text: String, _ content: AttributeContent) {
        withheldText = Redacted(text)
        withheldContent = Redacted(content)
    }
}

extension AttributeValue: CustomStringConvertible {
    /// Nothing of the value.
    public var description: String { "attribute value" }
}

/// The value of an attribute, by the attribute's definition or by its JSON type.
@nonexhaustive
public enum AttributeContent: Sendable, Hashable {
    /// A text.
    case text(String)
    /// A list of texts; numbers in it keep the digits they came in with.
    case list([String])
    /// A bool value.
    case boolean(Bool)
    /// An object's members, in their order.
    case object([JSONField])
    /// A number, with the digits it came in with.
    case number(String)
    /// JSON's `null`: the provider has nothing to say.
    case null
    /// A list of other things than texts and numbers. The value's text is all there is.
    case other
}

// MARK: Reading

extension AttributeValue {
    /// Reads a value that came as it is.
    init(_ text: Span<UInt8>, _ node: JSONNode, of attribute: MetadataAttribute) {
        if let string = node.string(text) {
            self.init(text: string, of: attribute)
        } else {
            let raw = node.raw(text)
            self.init(raw, Self.content(text, node, of: attribute))
        }
    }

    /// Reads the text of a value, decrypted or sent as a JSON string.
    package init(text: String, of attribute: MetadataAttribute) {
        let content: AttributeContent
        switch attribute.type {
        case .text: content = .text(text)
        case .boolean: content = Self.boolean(text).map(AttributeContent.boolean) ?? .text(text)
        case .list: content = Self.list(text, of: attribute).map(AttributeContent.list) ?? .text(text)
        case .object: content = text.json { $1.object($0) }.map(AttributeContent.object) ?? .text(text)
        }
        self.init(text, content)
    }

    private static func content(
        _ text: Span<UInt8>,
        _ node: JSONNode,
        of attribute: MetadataAttribute
    ) -> AttributeContent {
        switch node.value.kind {
        case .boolean: node.boolean(text).map(AttributeContent.boolean) ?? .other
        case .array: node.texts(text).map(AttributeContent.list) ?? .other
        case .object: .object(node.fields(text))
        case .number: number(node.raw(text), of: attribute)
        case .null: .null
        case .string: .other
        }
    }

    private static func number(_ digits: String, of attribute: MetadataAttribute) -> AttributeContent {
        guard attribute.type == .boolean, let bool = boolean(digits) else { return .number(digits) }
        return .boolean(bool)
    }

    static func boolean(_ text: String) -> Bool? {
        switch text.unquoted.lowercased() {
        case "true", "1": true
        case "false", "0": false
        default: nil
        }
    }

    /// A JSON array, or the bare text of its elements: postal codes may stand between commas, other elements hold them.
    private static func list(_ text: String, of attribute: MetadataAttribute) -> [String]? {
        let bare = text.unquoted
        switch bare.utf8.first {
        case UInt8(ascii: "["): return text.json { $1.texts($0) }
        case UInt8(ascii: "{"): return nil
        default: break
        }
        let elements = attribute == .zip ? bare.split(separator: ",", omittingEmptySubsequences: false) : [bare[...]]
        let trimmed = elements.map { $0.trimmingWhiteSpace }
        return trimmed.contains("") ? nil : trimmed
    }
}

extension MetadataAttribute {
    /// The type by the service's list.
    ///
    /// It is the shape of a plausible text, but for `is_hoh`, which is listed as a text, though none but `1` is known.
    var type: MetadataShape { self == .isHeadOfHousehold ? .text : shape }
}

extension JSONNode {
    /// The elements of an array of texts and numbers.
    fileprivate func texts(_ text: Span<UInt8>) -> [String]? {
        guard value.kind == .array else { return nil }
        var texts: [String] = []
        for element in elements {
            switch element.value.kind {
            case .string:
                guard let string = element.string(text) else { return nil }
                texts.append(string)
            case .number: texts.append(element.raw(text))
            default: return nil
            }
        }
        return texts
    }

    fileprivate func object(_ text: Span<UInt8>) -> [JSONField]? {
        value.kind == .object ? fields(text) : nil
    }
}

extension String {
    /// What a reading makes of the text as JSON; `nil` where it is none.
    func json<Result>(_ reading: (Span<UInt8>, JSONNode) -> Result?) -> Result? {
        let bytes = Array(utf8)
        guard let node = try? JSONReader.node(of: bytes.span, in: 0..<bytes.count) else { return nil }
        return reading(bytes.span, node)
    }

    /// The text without white space around it, and without the quotes of a JSON string.
    fileprivate var unquoted: String {
        let trimmed = self[...].trimmingWhiteSpace
        guard trimmed.utf8.first == UInt8(ascii: "\"") else { return trimmed }
        return trimmed.json { $1.string($0) } ?? trimmed
    }
}

extension Substring {
    fileprivate var trimmingWhiteSpace: String {
        let bytes = Array(utf8)
        let range = bytes.span.trimmingWhiteSpace(0..<bytes.count)
        return String(decoding: bytes[range], as: UTF8.self)
    }
}
