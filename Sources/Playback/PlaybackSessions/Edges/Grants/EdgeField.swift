import TextCodecs

/// A query parameter or a cookie that carries a grant.
///
/// Its description shows the name only: the value opens a stream.
public struct EdgeField: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// Its name, which needs no escape.
    public let name: String
    /// Its value as it is written: nothing in it needs an escape.
    public let value: String

    /// Makes a field.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - value: Its value.
    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    /// The name.
    public var description: String { name }

    /// Shows the name only.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

extension [EdgeField] {
    /// The fields as a query, without `?`.
    public var query: String { map { "\($0.name)=\($0.value)" }.joined(separator: "&") }

    /// The value of a field that may be there once; `nil` if it is missing.
    ///
    /// Throws `.malformed` if it is there twice: edges take different ones.
    func only(_ name: String) throws(PlaybackSessionError) -> String? {
        let found = filter { $0.name.hasSameBytes(as: name) }
        guard found.count <= 1 else { throw .malformed(.fields) }
        return found.first?.value
    }
}
