import TextCodecs

/// A request as it came to an edge: its path, its query parameters, its cookies and its client.
public struct EdgeRequest: Sendable {
    /// The longest target or `Cookie` field that is read, in bytes.
    public static let maximumLength = 8192

    /// The path as it arrived, escapes and all, without the query.
    public let path: String
    /// The parameters of the query, values as they arrived.
    public let parameters: [EdgeField]
    /// The cookies, values as they arrived.
    public let cookies: [EdgeField]
    /// The value of its field `CTA-Common-Access-Token`; `nil` if there is none.
    public let accessToken: String?
    /// The client that sent it, by its address if grants are bound.
    public let client: SessionClient

    /// Splits a request.
    ///
    /// - Parameters:
    ///   - target: The target of the request as it arrived: a path, and a query after `?` if there is one.
    ///   - cookies: The value of its `Cookie` field; empty if there is none.
    ///   - accessToken: The value of its field `CTA-Common-Access-Token`; `nil` if there is none.
    ///   - client: The client that sent it.
    /// - Throws: `.tooLarge`; `.otherPath` for a path that servers read in more than one way.
    public init(
        target: String,
        cookies: String = "",
        accessToken: String? = nil,
        client: SessionClient = .unbound
    ) throws(PlaybackSessionError) {
        guard target.utf8.count <= Self.maximumLength, cookies.utf8.count <= Self.maximumLength else {
            throw .tooLarge(limit: Self.maximumLength)
        }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts.first ?? "")
        guard RequestPath.isPlain(path) else { throw .otherPath }
        parameters = (parts.count > 1 ? parts[1] : "").split(separator: "&").map(EdgeField.init(written:))
        self.cookies = cookies.split(separator: ";").map { EdgeField(written: $0.drop { $0 == " " }) }
        (self.accessToken, self.client) = (accessToken, client)
    }

    private init(_ other: EdgeRequest, path: String, parameters: [EdgeField]) {
        (self.path, self.parameters) = (path, parameters)
        (cookies, accessToken, client) = (other.cookies, other.accessToken, other.client)
    }

    /// The request that is left if what stands before its path is read as parameters.
    ///
    /// `mount` is the first segments, such as `/s`, and `names` are those of the segments after them. `nil` if the path
    /// is not below the mount, or too short.
    func takingSegments(after mount: String, as names: [String]) -> EdgeRequest? {
        guard path.utf8.starts(with: "\(mount)/".utf8) else { return nil }
        let parts = path.utf8.dropFirst(mount.utf8.count + 1)
            .split(separator: UInt8(ascii: "/"), maxSplits: names.count, omittingEmptySubsequences: false)
        guard parts.count == names.count + 1 else { return nil }
        let fields = zip(names, parts).map { EdgeField($0, String(Substring($1))) }
        return EdgeRequest(self, path: "/" + String(Substring(parts[names.count])), parameters: fields + parameters)
    }
}

extension EdgeField {
    /// Splits a field as it was written.
    fileprivate init(written text: Substring) {
        let name = text.prefix { $0 != "=" }
        self.init(String(name), String(text.dropFirst(name.count + 1)))
    }
}

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
