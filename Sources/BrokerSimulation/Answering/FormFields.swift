#if Client
import TextCodecs

/// The fields of a form or a query (`application/x-www-form-urlencoded`).
struct FormFields: Sendable, Hashable {
    private var fields: [String: String] = [:]

    /// Reads a form.
    ///
    /// - Parameter bytes: The form; `nil` is returned if an escape is broken, a text is not UTF-8, or a name occurs
    ///   twice.
    init?(_ bytes: some Sequence<UInt8>) {
        for field in Array(bytes).split(separator: UInt8(ascii: "&")) {
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.text(parts[0]), let value = parts.count == 2 ? Self.text(parts[1]) : "",
                fields.updateValue(value, forKey: name) == nil
            else { return nil }
        }
    }

    /// The value of a field; `nil` if it is absent or empty, which the broker treats alike.
    subscript(name: String) -> String? { fields[name].flatMap { $0.isEmpty ? nil : $0 } }

    private static func text(_ part: ArraySlice<UInt8>) -> String? {
        let part = Array(part)
        return part.withSpan { span in
            Percent.decode(span, in: 0..<span.count, plusIsSpaceFrom: 0)
        }.flatMap { bytes in bytes.withSpan { String(validating: $0) } }
    }
}
#endif
