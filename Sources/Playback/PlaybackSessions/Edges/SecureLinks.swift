public import EntitlementValues
import HostSystem
import OpenSSLBridge
import TextCodecs

/// Issues and verifies links that nginx checks by itself with its module `secure_link`.
///
/// The module compares a parameter with the MD5 of an expression of the configuration, in Base64url without padding, and
/// an end in seconds with its clock. The expression is ours to choose. The paths, the address (`-` if there is none) and
/// the secret stand between spaces, which none of them has, so that no byte can move from one to the next; the secret
/// stands last, so that an attacker cannot continue a known hash:
///
/// ```nginx
/// secure_link     $tve_md5,$tve_expires;
/// secure_link_md5 "$secure_link_expires $tve_folder $remote_addr $tve_secret";
/// ```
///
/// MD5 no longer resists collisions, and this is not an HMAC: it is what nginx takes. The secret has 64 digits at least,
/// and the paths come from the configuration, so a collision would be of no use to a client.
///
/// A link is in the path (`/s/KEY/MD5/EXPIRES/live/a/1.ts`), which relative addresses in playlists inherit, or in the
/// query (`?key=…&md5=…&expires=…`). `KEY` names the secret, so that nginx can take the old one beside the new one.
///
/// Source: nginx.org/en/docs/http/ngx_http_secure_link_module.html.
public struct SecureLinks: Sendable {
    /// The secrets, of which the first one signs.
    public let secrets: EdgeSecrets
    /// What links in paths begin with.
    public let mount: String

    /// Takes secrets.
    ///
    /// - Parameters:
    ///   - secrets: The secrets, of which the first one signs.
    ///   - mount: What links in paths begin with: segments as in an ``EdgePath``, without `/` at the end.
    /// - Throws: `.unsuitable` for another mount.
    public init(secrets: EdgeSecrets, mount: String = "/s") throws(PlaybackSessionError) {
        self.mount = try EdgePath(file: mount).text
        self.secrets = secrets
    }

    /// Issues a link.
    ///
    /// - Parameter grant: What it opens.
    /// - Returns: The link, with its parameters and its prefix for paths.
    /// - Throws: `.undecided`, also where the system's policy forbids MD5.
    public func issue(_ grant: EdgeGrant) throws(PlaybackSessionError) -> IssuedEdgeGrant {
        let key = secrets.first
        let hash = try hash(grant, with: key)
        let fields = zip(Self.names, [key.id, hash, "\(grant.seconds)"]).map { EdgeField($0, $1) }
        return IssuedEdgeGrant(
            grant: grant, parameters: fields, cookies: [],
            pathPrefix: ([mount] + fields.map(\.value)).joined(separator: "/"))
    }

    /// Verifies the link of a request, in its path or its query.
    ///
    /// The checks run in this order: form, secret, hash, time, path. The paths and the client are part of the hash, so
    /// a link for others has a bad signature.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - path: The paths that the link must open, which it does not say itself; nginx knows them from its location.
    ///   - now: The instant at which it must be good.
    /// - Returns: The grant.
    /// - Throws: `PlaybackSessionError`, the first check that failed.
    public func verify(
        _ request: EdgeRequest,
        opening path: EdgePath,
        at now: Timestamp = .now
    ) throws(PlaybackSessionError) -> VerifiedEdgeGrant {
        let fields = try Fields(request, mount: mount)
        guard let key = secrets.secrets.first(where: { $0.id.hasSameBytes(as: fields.keyID) }) else {
            throw .unknownKey
        }
        let grant: EdgeGrant
        do throws(PlaybackSessionError) {
            grant = try EdgeGrant(path: path, expires: fields.expires, client: request.client)
        } catch .unsuitable(.edgeAddress) {
            throw .otherClient
        }
        guard isEqualInConstantTime(Array(fields.hash.utf8), Array(try hash(grant, with: key).utf8)) else {
            throw .badSignature
        }
        try EdgeGrant.check(fields.expires, at: now)
        guard path.opens(fields.path) else { throw .otherPath }
        return VerifiedEdgeGrant(grant: grant, keyID: key.id)
    }

    /// The parameters, in the order in which they stand in a path.
    private static let names = ["key", "md5", "expires"]

    /// What a request says, in its path or its query.
    struct Fields {
        let keyID: String
        let hash: String
        let expires: Timestamp
        /// The path that is asked for, without the link.
        let path: String

        init(_ request: EdgeRequest, mount: String) throws(PlaybackSessionError) {
            let request = request.takingSegments(after: mount, as: names) ?? request
            guard let keyID = try request.parameters.only(names[0]), let hash = try request.parameters.only(names[1]),
                let end = try request.parameters.only(names[2]), let expires = EdgeGrant.instant(end)
            else { throw .malformed(.fields) }
            (self.keyID, self.hash, self.expires, path) = (keyID, hash, expires, request.path)
        }
    }

    private func hash(_ grant: EdgeGrant, with key: EdgeSecret) throws(PlaybackSessionError) -> String {
        var message = Array("\(grant.seconds) \(grant.path.text) \(grant.address ?? "-") ".utf8)
        key.text.withSpan { message.append(copying: $0) }
        return Base64.encodeURLSafe(try PlaybackSessionError.mapping(insecureMD5(message)))
    }
}
