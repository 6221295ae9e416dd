import EntitlementValues
import OpenSSLBridge
import TextCodecs

/// The outside of a Common Access Token: a COSE structure (RFC 9052) whose payload nobody has read yet.
///
/// Its protected header has the algorithm and nothing else. The name of the key is unprotected, as in the guide of
/// CloudFront Functions ("CWT support"), in Akamai's examples, in Eyevinn's node-cat and in RFC 8392 §A.4. Fastly's
/// rust-cat writes it into the protected header, so it is read there, too.
struct CommonAccessText {
    /// The tag of a CBOR Web Token (RFC 8392 §6), which may stand around that of the structure.
    private static let webTokenTag: UInt64 = 61
    // The members of headers (RFC 9052 §3.1).
    private static let algorithmLabel: Int64 = 1
    private static let keyIDLabel: Int64 = 4

    /// The structure and the algorithm, as the text says them; a verifier goes by its key instead.
    let structure: COSEStructure
    /// The name of the key, as the text says it.
    let keyID: [UInt8]
    private let protectedHeader: [UInt8]
    /// The claims in CBOR, not parsed: a verifier checks the signature first.
    let payload: [UInt8]
    let signature: [UInt8]

    /// Makes the text of a token.
    ///
    /// `sign` gets what is signed, and gives the signature. The text is Base64url without padding.
    static func text<Failure: Error>(
        of payload: [UInt8],
        structure: COSEStructure,
        keyID: String,
        isTagged: Bool,
        signedBy sign: ([UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) -> String {
        let header = TokenCBOR.map([algorithmLabel: .integer(structure.algorithm)]).encoded
        let signature = try sign(structure.signedText(header, payload))
        let value = TokenCBOR.tagged(
            structure.rawValue,
            .array([
                .bytes(header), .map([keyIDLabel: .bytes(Array(keyID.utf8))]), .bytes(payload), .bytes(signature),
            ]))
        return Base64.encodeURLSafe((isTagged ? .tagged(webTokenTag, value) : value).encoded)
    }

    /// Takes a text apart; throws `.tooLarge` or `.malformed`.
    init(_ text: String) throws(PlaybackSessionError) {
        guard text.utf8.count <= CommonAccessTokens.maximumLength else {
            throw .tooLarge(limit: CommonAccessTokens.maximumLength)
        }
        guard let bytes = text.withBytes({ CompactSerialization.decode($0, part: 0..<$0.count) }) else {
            throw .malformed(.notBase64URL)
        }
        var value = TokenCBOR(bytes)
        if case .tagged(Self.webTokenTag, let inner)? = value { value = inner }
        guard case .tagged(let tag, .array(let parts))? = value, let structure = COSEStructure(rawValue: tag),
            parts.count == 4, case .bytes(let protectedHeader) = parts[0], case .map(let unprotected) = parts[1],
            case .bytes(let payload) = parts[2], case .bytes(let signature) = parts[3]
        else { throw .malformed(.fields) }
        guard case .map(let header)? = TokenCBOR(protectedHeader), header.count + unprotected.count == 2,
            header[Self.algorithmLabel] == .integer(structure.algorithm),
            case .bytes(let keyID)? = header[Self.keyIDLabel] ?? unprotected[Self.keyIDLabel]
        else { throw .malformed(.header) }
        (self.structure, self.keyID, self.protectedHeader) = (structure, keyID, protectedHeader)
        (self.payload, self.signature) = (payload, signature)
    }

    /// What the signature is over.
    var signed: [UInt8] { structure.signedText(protectedHeader, payload) }
}

/// The two structures of COSE that these tokens have, by their tags (RFC 9052 §2), each with one algorithm.
enum COSEStructure: UInt64 {
    /// COSE_Mac0 with HS256.
    case mac0 = 17
    /// COSE_Sign1 with ES256.
    case sign1 = 18

    /// The structure for keys of an algorithm; `nil` if these tokens have none.
    init?(for algorithm: SessionAlgorithm) {
        switch algorithm {
        case .hs256: self = .mac0
        case .es256: self = .sign1
        case .rs256: return nil
        }
    }

    /// The number of the algorithm (RFC 9053 §2.1, §3.1).
    var algorithm: Int64 { self == .mac0 ? 5 : -7 }

    /// What is signed (RFC 9052 §4.4, §6.3), without any external data.
    fileprivate func signedText(_ protectedHeader: [UInt8], _ payload: [UInt8]) -> [UInt8] {
        let context = self == .mac0 ? "MAC0" : "Signature1"
        return TokenCBOR.array([.text(context), .bytes(protectedHeader), .bytes([]), .bytes(payload)]).encoded
    }
}

/// What a Common Access Token says: the claims that this library enforces, and no others.
///
/// Numbers of claims, of parts of an address and of ways to compare: Akamai's module `cat` 1.0.2, Eyevinn's node-cat
/// 0.16.4 and Fastly's rust-cat 0.3 have the same ones. They differ in what is not issued: hashes to compare with are
/// bytes, but texts in node-cat, and SHA-512/256 is the start of SHA-512 in rust-cat and all of it in node-cat. An
/// address in `catnip` is bytes with a tag in Akamai's module and node-cat, and a text in rust-cat, which checks none.
struct CommonAccessClaims {
    /// The claims (RFC 8392 §4; CTA-5007-B).
    private enum Claim: Int64 {
        case issuer = 1
        case subject = 2
        case audience = 3
        case expires = 4
        case notBefore = 5
        case issued = 6
        case id = 7
        case replay = 308
        case version = 310
        case networks = 311
        case address = 312
        case methods = 313
    }

    // The parts of an address and the ways to compare them that a grant needs. Others are refused as they are unknown:
    // scheme 0, port 2, query 4, parent path 5, file name 6, stem 7, extension 8; suffix 2, contains 3, regular
    // expression 4, SHA-256 -1, SHA-512/256 -2.
    private static let (host, path): (Int64, Int64) = (1, 3)
    private static let (exact, prefix): (Int64, Int64) = (0, 1)

    /// The methods of requests that read.
    private static let methods = ["GET", "HEAD"]

    let issuer: String?
    let audience: [String]?
    /// The host that the token is for; `nil` for every host.
    let host: String?
    let grant: EdgeGrant
    /// When the token began, by the later of `nbf` and `iat`; `nil` if it has neither.
    let begins: Timestamp?

    /// Writes the claims of a grant in CBOR.
    static func payload(of grant: EdgeGrant, host: String?, issuer: String?, audience: String?) -> [UInt8] {
        let match = grant.path.isFolder ? prefix : exact
        var address: [Int64: TokenCBOR] = [path: .map([match: .text(grant.path.text)])]
        if let host { address[Self.host] = .map([exact: .text(host)]) }
        var claims: [Claim: TokenCBOR] = [
            .expires: .integer(grant.seconds), .version: .integer(1), .address: .map(address),
            .methods: .array(methods.map { .text($0) }),
        ]
        if let issuer { claims[.issuer] = .text(issuer) }
        if let audience { claims[.audience] = .text(audience) }
        if let session = grant.session { claims[.id] = .bytes(session.bytes) }
        if let network = grant.client.ipAddress {
            claims[.networks] = .array([.tagged(network.tag, .bytes(network.bytes))])
        }
        return TokenCBOR.map(Dictionary(uniqueKeysWithValues: claims.map { ($0.rawValue, $1) })).encoded
    }

    /// Reads claims; throws `.malformed` for one that is not known, or that says what is not enforced here.
    init(reading payload: [UInt8]) throws(PlaybackSessionError) {
        guard case .map(let claims)? = TokenCBOR(payload), let read = Self(claims) else { throw .malformed(.claims) }
        self = read
    }

    private init?(_ claims: [Int64: TokenCBOR]) {
        var (issuer, audience): (String?, [String]?)
        var (expires, begins, session): (Timestamp?, Timestamp?, PlaybackSessionID?)
        var client = SessionClient.unbound
        var target: (host: String?, path: EdgePath)?
        for (label, value) in claims {
            switch (Claim(rawValue: label), value) {
            case (.issuer, .text(let text)): issuer = text
            // It names a person or an account, and restricts nothing.
            case (.subject, .text): break
            case (.audience, .text(let text)): audience = [text]
            case (.audience, .array(let values)):
                guard let texts = Self.texts(values) else { return nil }
                audience = texts
            case (.expires, .integer(let seconds)): expires = EdgeGrant.instant(seconds)
            case (.notBefore, .integer(let seconds)), (.issued, .integer(let seconds)):
                guard let instant = EdgeGrant.instant(seconds) else { return nil }
                begins = max(begins ?? instant, instant)
            case (.id, .bytes(let bytes)):
                session = PlaybackSessionID(bytes)
                guard session != nil else { return nil }
            // A replay is permitted: no other value can be kept without a record of each request.
            case (.replay, .integer(0)), (.version, .integer(1)): break
            case (.networks, .array(let networks)):
                guard networks.count == 1, case .tagged(let tag, .bytes(let bytes)) = networks[0],
                    let network = IPAddress(octets: bytes), network.tag == tag
                else { return nil }
                client = .address(network.text)
            case (.address, .map(let parts)):
                target = Self.target(of: parts)
                guard target != nil else { return nil }
            case (.methods, .array(let values)):
                guard let texts = Self.texts(values), Self.methods.allSatisfy(texts.contains) else { return nil }
            default: return nil
            }
        }
        guard let expires, let target,
            let grant = try? EdgeGrant(path: target.path, expires: expires, client: client, session: session)
        else { return nil }
        (self.issuer, self.audience, self.begins) = (issuer, audience, begins)
        (host, self.grant) = (target.host, grant)
    }

    /// The texts of a list; `nil` if something else is in it.
    private static func texts(_ values: [TokenCBOR]) -> [String]? {
        let texts = values.compactMap { if case .text(let text) = $0 { text } else { nil } }
        return texts.count == values.count ? texts : nil
    }

    /// What an address must be; `nil` for other parts or ways to compare than those that are issued.
    private static func target(of parts: [Int64: TokenCBOR]) -> (host: String?, path: EdgePath)? {
        var host: String?
        var path: EdgePath?
        for (part, value) in parts {
            guard case .map(let matches) = value, matches.count == 1, let (match, value) = matches.first,
                case .text(let text) = value
            else { return nil }
            switch (part, match) {
            case (Self.host, exact): host = text
            case (Self.path, exact), (Self.path, prefix):
                // A prefix that does not end with a slash would open folders beside the one that is meant.
                path = EdgePath(text)
                guard path?.isFolder == (match == prefix) else { return nil }
            default: return nil
            }
        }
        return path.map { (host, $0) }
    }
}

extension IPAddress {
    /// The tag that an address has in CBOR, around its bytes (RFC 9164 §3.1).
    fileprivate var tag: UInt64 { isIPv6 ? 54 : 52 }
}
