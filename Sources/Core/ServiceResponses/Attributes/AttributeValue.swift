package import MetadataDecryption
import TextCodecs

/// The value of an attribute, as text and by its type.
///
/// It is personal data, so neither its description nor its mirror shows it.
public struct AttributeValue: Sendable, Hashable {
    private let redactedText: Redacted<String>
    private let redactedContent: Redacted<AttributeContent>

    /// The string that was sent or decrypted; for other types of values, their JSON.
    public var text: String { redactedText.value }

    /// The value by the attribute's type, or by its JSON type if it does not fit that.
    public var content: AttributeContent { redactedContent.value }

    init(_ text: String, _ content: AttributeContent) {
        redactedText = Redacted(text)
        redactedContent = Redacted(content)
    }
}

extension AttributeValue: CustomStringConvertible {
    /// The same text for every value.
    public var description: String { "attribute value" }
}

/// The value of an attribute, by the attribute's type or by its JSON type.
@nonexhaustive
public enum AttributeContent: Sendable, Hashable {
    /// A text.
    case text(String)
    /// A list of texts; a number in it is the text of its digits, as they were sent.
    case list([String])
    /// A bool.
    case boolean(Bool)
    /// The members of an object, in the order they were sent.
    case object([JSONField])
    /// A number, as the text of its digits.
    case number(String)
    /// JSON's `null`: the provider has no value.
    case null
    /// A list of anything but texts and numbers; only the value's text is available.
    case other
}

// MARK: Reading

extension AttributeValue {
    /// Reads a value that was sent unencrypted.
    init(_ text: Span<UInt8>, _ node: JSONNode, of attribute: MetadataAttribute) {
        if let string = node.string(text) {
            self.init(text: string, of: attribute)
        } else {
            let raw = node.raw(text)
            self.init(raw, Self.content(text, node, of: attribute))
        }
    }

    /// Reads the text of a value, which was decrypted or sent as a JSON string.
    ///
    /// The attribute says which type the text should have.
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

    /// Reads a JSON array, or the bare text of one element; postal codes may also be separated by commas.
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
    /// The type that the service documents.
    ///
    /// It is the attribute's shape, except for `is_hoh`, which is documented as a text although only `1` is known.
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
    /// Parses the text as JSON and passes it to a closure; `nil` if it is not JSON.
    func json<Result>(_ read: (Span<UInt8>, JSONNode) -> Result?) -> Result? {
        withBytes { bytes in
            guard let node = try? JSONReader.node(of: bytes, in: 0..<bytes.count) else { return nil }
            return read(bytes, node)
        }
    }

    /// The text without white space around it, and without quotes if it is a JSON string.
    fileprivate var unquoted: String {
        let trimmed = self[...].trimmingWhiteSpace
        guard trimmed.utf8.first == UInt8(ascii: "\"") else { return trimmed }
        return trimmed.json { $1.string($0) } ?? trimmed
    }
}

extension Substring {
    fileprivate var trimmingWhiteSpace: String {
        let bytes = Array(utf8)[...]
        let range = bytes.span.trimmingWhiteSpace(0..<bytes.count)
        return String(decoding: bytes[range], as: UTF8.self)
    }
}
