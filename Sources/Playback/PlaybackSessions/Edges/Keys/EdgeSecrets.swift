import TextCodecs

/// The secrets that the service shares with edges: the first one signs, and all of them verify.
///
/// To rotate, give the new secret to all edges, put it first here, and take the old one out once the last grant that it
/// signed has ended.
public struct EdgeSecrets: Sendable {
    /// How many secrets there may be.
    public static let maximumCount = 8

    /// The secrets, of which the first one signs.
    public let secrets: [EdgeSecret]

    /// The secret that signs.
    let first: EdgeSecret

    /// Makes a ring.
    ///
    /// - Parameter secrets: The secrets; the first one signs.
    /// - Throws: `.noKeys` for an empty ring; `.unusableKey` if a secret is there twice, or there are too many.
    public init(_ secrets: [EdgeSecret]) throws(PlaybackSessionError) {
        guard let first = secrets.first else { throw .noKeys }
        guard secrets.count <= Self.maximumCount else {
            throw .unusableKey(
                file: secrets[Self.maximumCount].label.printable, code: "too_many_keys",
                reason: "there are at most \(Self.maximumCount) secrets; take out those that are not used")
        }
        for (index, secret) in secrets.enumerated() where secrets[..<index].contains(where: { $0.id == secret.id }) {
            throw .unusableKey(
                file: secret.label.printable, code: "repeated_key",
                reason: "this secret is there already; leave one out")
        }
        (self.secrets, self.first) = (secrets, first)
    }

    /// Reads a ring from files, each with one secret.
    ///
    /// - Parameter paths: The files; the first one has the secret that signs.
    /// - Throws: `.unusableKey` or `.noKeys`.
    public init(contentsOfFiles paths: [String]) throws(PlaybackSessionError) {
        var secrets: [EdgeSecret] = []
        for path in paths { secrets.append(try EdgeSecret(contentsOfFile: path)) }
        try self.init(secrets)
    }
}
