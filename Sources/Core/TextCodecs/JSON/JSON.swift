/// A JSON value of any kind.
///
/// Numbers are exact, and members of objects keep their order. Texts compare byte by byte, unlike Swift's strings. A value
/// may be secret or personal, so descriptions and mirrors show its kind alone.
public enum JSON: Sendable {
    /// JSON's `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number within 64 bits.
    case number(Int64)
    /// Any other number, by its digits: `1.50`. Digits that are no number of JSON are written as a string.
    case otherNumber(String)
    /// A text.
    case string(String)
    /// A list.
    case array([JSON])
    /// An object.
    case object(Object)

    /// The members of an object, in their order.
    ///
    /// Since the order is kept, an object is always written as the same bytes. Two objects are equal if their members are,
    /// in the same order.
    public struct Object: Sendable, Hashable {
        /// The members in their order.
        public private(set) var members: [Member]

        /// Makes an object of members in the given order.
        ///
        /// Give each name once: readers refuse an object that has a name twice.
        ///
        /// - Parameter members: The members.
        public init(_ members: [Member] = []) { self.members = members }

        /// Reads, adds, replaces or (with `nil`) removes the member of a name.
        ///
        /// - Parameter name: The member's name.
        /// - Returns: Its value; `nil` if it is missing.
        public subscript(name: String) -> JSON? {
            get { members.first { $0.name.hasSameBytes(as: name) }?.value }
            set {
                let index = members.firstIndex { $0.name.hasSameBytes(as: name) }
                switch (index, newValue) {
                case (let index?, let value?): members[index] = Member(name: name, value: value)
                case (let index?, nil): members.remove(at: index)
                case (nil, let value?): members.append(Member(name: name, value: value))
                case (nil, nil): break
                }
            }
        }
    }

    /// One member of an object.
    public struct Member: Sendable {
        /// Its name.
        public let name: String
        /// Its value.
        public let value: JSON

        /// Makes a member.
        ///
        /// - Parameters:
        ///   - name: Its name.
        ///   - value: Its value.
        public init(name: String, value: JSON) { (self.name, self.value) = (name, value) }
    }
}

extension JSON {
    /// The bool; `nil` if the value is not one.
    public var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }

    /// The number; `nil` if the value is not a whole number within 64 bits.
    public var number: Int64? { if case .number(let number) = self { number } else { nil } }

    /// The text; `nil` if the value is not one.
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The elements; `nil` if the value is not a list.
    public var array: [JSON]? { if case .array(let elements) = self { elements } else { nil } }

    /// The members; `nil` if the value is not an object.
    public var object: Object? { if case .object(let object) = self { object } else { nil } }

    /// The value of a member; `nil` if there is none, or the value is not an object.
    ///
    /// - Parameter name: The member's name.
    public subscript(name: String) -> JSON? { object?[name] }
}

// MARK: Text

extension JSON {
    /// Values of a text take some hundred bytes each.
    private static let maximumValues = 50_000

    /// Reads JSON of any kind.
    ///
    /// - Parameter text: The JSON; `nil` is returned if it is none, or has a name twice in one object, half a surrogate pair,
    ///   more than 64 levels, 50,000 values, or 10,000 members of an object.
    public init?(json text: String) {
        let value = try? text.withBytes { text throws(JSONFault) in try JSON(text) }
        guard let value else { return nil }
        self = value
    }

    fileprivate init(_ text: Span<UInt8>, as kind: JSONValue.Kind? = nil) throws(JSONFault) {
        let range = 0..<text.count
        self.init(try JSONReader.node(of: text, in: range, as: kind, maximumValues: Self.maximumValues), in: text)
    }

    private init(_ node: JSONNode, in text: Span<UInt8>) {
        switch node.value.kind {
        case .null: self = .null
        case .boolean: self = .bool(node.value.isTrue(in: text))
        case .number:
            let digits = String(copying: text.extracting(node.value.range))
            self = Int64(digits).map(JSON.number) ?? .otherNumber(digits)
        // The reader has refused half a surrogate pair.
        case .string: self = .string(node.value.string(in: text) ?? "")
        case .array: self = .array(node.elements.map { JSON($0, in: text) })
        case .object:
            self = .object(Object(node.members.map { Member(name: $0.name, value: JSON($0.node, in: text)) }))
        }
    }

    /// The value as JSON in UTF-8, on one line and without white space; control and line-end characters are escaped.
    public var json: String { String(decoding: JSONWriter.json(self), as: UTF8.self) }
}

extension JSON.Object {
    /// Reads a JSON object that fills the bytes.
    ///
    /// What ``JSON/init(json:)`` refuses is refused here, too, as are bytes that are not UTF-8 or have a NUL.
    package init(json bytes: [UInt8]) throws(JSONFault) {
        guard bytes.isTextWithoutNUL else { throw JSONFault(reason: "not UTF-8, or NUL in it") }
        let value = try bytes.withSpan { text throws(JSONFault) in try JSON(text, as: .object) }
        self = value.object ?? [:]
    }
}

extension JSONWriter {
    /// Adds a member of any kind.
    package mutating func member(_ name: String, json value: JSON) {
        self.name(name)
        self.value(json: value)
    }

    /// Adds the members of an object.
    package mutating func members(json object: JSON.Object) {
        for member in object.members { self.member(member.name, json: member.value) }
    }

    /// Adds a value of any kind.
    package mutating func value(json value: JSON) {
        switch value {
        case .null: self.value(raw: "null".utf8)
        case .bool(let bool): self.value(bool)
        case .number(let number): self.value(number)
        // Digits that were not read from a text could be any JSON, so they become a string.
        case .otherNumber(let digits) where digits.isNumberOfJSON: self.value(raw: digits.utf8)
        case .otherNumber(let text), .string(let text): self.value(text)
        case .array(let elements):
            array { writer in
                for element in elements { writer.value(json: element) }
            }
        case .object(let object): self.object { $0.members(json: object) }
        }
    }
}

extension String {
    fileprivate var isNumberOfJSON: Bool {
        withBytes { text in
            guard let value = try? JSONReader.value(of: text, in: 0..<text.count) else { return false }
            return value.kind == .number && value.range == 0..<text.count
        }
    }
}

// MARK: Equality, literals, descriptions

extension JSON: Hashable {
    /// Compares kinds and values; texts compare byte by byte.
    public static func == (one: JSON, other: JSON) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.number(let one), .number(let other)): one == other
        case (.otherNumber(let one), .otherNumber(let other)), (.string(let one), .string(let other)):
            one.hasSameBytes(as: other)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        default: false
        }
    }

    /// Hashes the value; of a text, its bytes.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: break
        case .bool(let bool): hasher.combine(bool)
        case .number(let number): hasher.combine(number)
        case .otherNumber(let text), .string(let text): hasher.combine(bytesOf: text)
        case .array(let elements): hasher.combine(elements)
        case .object(let object): hasher.combine(object)
        }
    }
}

extension JSON.Member: Hashable {
    /// Compares names and values; texts compare byte by byte.
    public static func == (one: Self, other: Self) -> Bool {
        one.name.hasSameBytes(as: other.name) && one.value == other.value
    }

    /// Hashes the bytes of the name, and the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytesOf: name)
        hasher.combine(value)
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }

    /// A whole number.
    public init(integerLiteral value: Int64) { self = .number(value) }

    /// A bool.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// A list.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }

    /// An object with the members in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Object(elements.map { Member(name: $0.0, value: $0.1) }))
    }
}

extension JSON.Object: ExpressibleByDictionaryLiteral {
    /// Makes an object with the members in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self.init(elements.map { JSON.Member(name: $0.0, value: $0.1) })
    }
}

extension JSON: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of the value.
    public var description: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number, .otherNumber: "a number"
        case .string: "a string"
        case .array(let elements): "an array of \(elements.count)"
        case .object(let object): object.description
        }
    }

    /// The description.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension JSON.Object: CustomStringConvertible, CustomReflectable {
    /// How many members there are.
    public var description: String { "an object of \(members.count)" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
