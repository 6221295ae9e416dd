import TextCodecs

/// A JSON value as it was sent, with its own spelling of numbers, escapes and white space.
///
/// It may be personal data, so neither its description nor its mirror shows it.
public struct JSONText: Sendable, Hashable {
    private let redactedText: Redacted<String>

    /// The JSON of the value.
    public var text: String { redactedText.value }

    /// The text of a JSON string, with escapes resolved; `nil` if the value has another type.
    public var string: String? { text.json { $1.string($0) } }

    init(_ text: String) { redactedText = Redacted(text) }
}

extension JSONText {
    /// Makes a JSON string.
    package init(string: String) {
        self.init(String(decoding: JSONWriter.string(string), as: UTF8.self))
    }

    /// Makes a JSON array of strings.
    package init(strings: [String]) {
        let elements = strings.map { String(decoding: JSONWriter.string($0), as: UTF8.self) }
        self.init("[" + elements.joined(separator: ",") + "]")
    }

    /// Takes a JSON value of any type, as it is spelled; `nil` if it is not JSON.
    package init?(parsing text: String) {
        guard text.json({ _, _ in true }) == true else { return nil }
        self.init(text)
    }
}

extension JSONText: CustomStringConvertible {
    /// The length of the value, not the value.
    public var description: String { "JSON value of \(text.utf8.count) bytes" }
}

/// A member of a JSON object that this library does not know.
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

/// A value that descriptions and mirrors do not show, so that it stays out of logs and crash reports.
package struct Redacted<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The value itself.
    package let value: Value

    /// Hides a value.
    package init(_ value: Value) { self.value = value }
}

extension Redacted: CustomStringConvertible, CustomReflectable {
    /// The same word for every value.
    package var description: String { "redacted" }
    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
