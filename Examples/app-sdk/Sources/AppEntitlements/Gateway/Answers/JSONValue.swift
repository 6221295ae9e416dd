/// A value of JSON.
///
/// Values may be tokens, addresses and attributes of a viewer, so descriptions and mirrors show their kind alone.
public enum JSONValue: Sendable, Hashable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case decimal(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    /// The text; `nil` if the value is not one.
    public var text: String? { if case .text(let text) = self { text } else { nil } }

    /// The whole number; `nil` if the value is not one.
    public var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

    /// The truth value; `nil` if the value is not one.
    public var boolean: Bool? { if case .boolean(let bool) = self { bool } else { nil } }

    /// The elements; `nil` if the value is not a list.
    public var elements: [JSONValue]? { if case .list(let elements) = self { elements } else { nil } }

    /// The members; `nil` if the value is not an object.
    public var members: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }

    /// The member of a name; `nil` if there is none, or the value is not an object.
    public subscript(_ name: String) -> JSONValue? { members?[name] }
}

extension JSONValue: Codable {
    /// Reads a value.
    ///
    /// - Parameter decoder: Where the value is.
    /// - Throws: `DecodingError` if it is not JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .boolean(bool)
        } else if let number = try? container.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? container.decode(Double.self) {
            self = .decimal(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let elements = try? container.decode([JSONValue].self) {
            self = .list(elements)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Writes the value.
    ///
    /// - Parameter encoder: Takes the value.
    /// - Throws: `EncodingError` for a number that is not finite.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let bool): try container.encode(bool)
        case .integer(let number): try container.encode(number)
        case .decimal(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}

extension JSONValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of the value.
    public var description: String {
        switch self {
        case .null: "nothing"
        case .boolean: "a truth value"
        case .integer, .decimal: "a number"
        case .text: "a text"
        case .list(let elements): "a list of \(elements.count)"
        case .object(let members): "an object of \(members.count)"
        }
    }

    /// The description.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
