/// A JSON value as it stands in the body, digits, escapes and white space included.
///
/// It may hold personal data, so neither its description nor its mirror shows it.
public struct JSONText: Sendable, Hashable {
    private let withheld: Redacted<String>

    /// The value's bytes in the body.
    public var text: String { withheld.value }

    /// The text of a JSON string, escapes resolved; `nil` where the value is something else.
    public var string: String? { text.json { $1.string($0) } }

    init(_ text: String) { withheld = Redacted(text) }
}

extension JSONText: CustomStringConvertible {
    /// Only the length.
    public var description: String { "JSON value of \(text.utf8.count) bytes" }
}

/// A member that the definition of a body does not know.
public struct JSONField: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// Its value.
    public let value: JSONText

    /// Makes a member of a response.
    package init(name: String, value: JSONText) {
        (self.name, self.value) = (name, value)
    }
}

/// Keeps a value out of descriptions and mirrors, and so out of logs and crash texts.
struct Redacted<Value: Sendable & Hashable>: Sendable, Hashable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension Redacted: CustomStringConvertible, CustomReflectable {
    var description: String { "withheld" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
