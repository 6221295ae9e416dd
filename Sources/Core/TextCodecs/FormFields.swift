/// The fields of a form in `application/x-www-form-urlencoded` (WHATWG URL §5), each with a name of its own.
///
/// A repeated field is a fault: readers choose different ones.
package struct FormFields: Sendable, Equatable {
    /// What kind of text this is.
    package static let mediaType = "application/x-www-form-urlencoded"
    /// The most fields that are read.
    package static let maximumFields = 64

    /// A field.
    package struct Field: Sendable, Equatable {
        /// Its name.
        package let name: String
        /// Its value; may be empty.
        package let value: String
    }

    /// The fields in their order.
    package private(set) var fields: [Field] = []

    /// Makes a form without fields.
    package init() {}

    /// Adds a field, unless its value is `nil`; the caller makes sure that its name is new.
    package mutating func append(_ name: String, _ value: String?) {
        if let value { fields.append(Field(name: name, value: value)) }
    }

    /// The value of a field; `nil` if it is missing.
    package subscript(name: String) -> String? {
        fields.first { $0.name.hasSameBytes(as: name) }?.value
    }

    // MARK: Text

    /// Reads a form.
    ///
    /// Fields that are empty altogether (`&&`) are skipped, and one without `=` has an empty value, as browsers read it.
    /// Unlike there, a `%` without two hexadecimal digits and bytes that are not UTF-8 are faults.
    package init(parsing text: Span<UInt8>) throws(FormFault) {
        var start = 0
        while start < text.count {
            let end = text.firstIndex(of: UInt8(ascii: "&"), in: start..<text.count) ?? text.count
            if start < end { try appendField(text, start..<end) }
            start = end + 1
        }
    }

    private mutating func appendField(_ text: Span<UInt8>, _ range: Range<Int>) throws(FormFault) {
        guard fields.count < Self.maximumFields else { throw .tooManyFields(limit: Self.maximumFields) }
        let separator = text.firstIndex(of: UInt8(ascii: "="), in: range) ?? range.upperBound
        let name = try Self.decode(text, range.lowerBound..<separator)
        guard self[name] == nil else { throw .repeatedField(number: fields.count + 1) }
        let value = try Self.decode(text, min(separator + 1, range.upperBound)..<range.upperBound)
        fields.append(Field(name: name, value: value))
    }

    private static func decode(_ text: Span<UInt8>, _ range: Range<Int>) throws(FormFault) -> String {
        guard let bytes = Percent.decode(text, in: range, plusIsSpaceFrom: 0) else {
            throw .brokenEscape(offset: range.lowerBound)
        }
        guard let string = bytes.withSpan({ String(validating: $0) }) else { throw .notUTF8(offset: range.lowerBound) }
        return string
    }

    /// The form as text: each byte is escaped once, and spaces are written as `+`.
    package func encoded() -> [UInt8] {
        Array(fields.map { "\(Self.encode($0.name))=\(Self.encode($0.value))" }.joined(separator: "&").utf8)
    }

    private static func encode(_ text: String) -> String {
        // A space is plain for `encode`, and the only one that it leaves; each `+` of the text has become `%2B`.
        let escaped = Percent.encode(text.utf8) { $0.isPlainInForm || $0 == UInt8(ascii: " ") }
        return String(decoding: escaped.utf8.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }, as: UTF8.self)
    }
}

extension UInt8 {
    /// Whether the byte stays as it is in a form (WHATWG URL §1.3, the percent-encode set of forms).
    fileprivate var isPlainInForm: Bool { isURLSafe || self == UInt8(ascii: "*") || self == UInt8(ascii: ".") }
}
