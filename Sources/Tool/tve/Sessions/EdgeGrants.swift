#if CLI
import ArgumentParser
import EntitlementKeys
import EntitlementValues
import HostSystem
import MediaTokens
import PlaybackSessions
import TextCodecs

/// What a session command works on: sessions, or one of the forms of grants that edges check.
enum SessionForm: String, ExpressibleByArgument, CaseIterable {
    case jws
    case secureLink = "legacy-link"
    case edgeToken = "edge-token"
    case signedPolicy = "policy"
    case legacySignedPolicy = "legacy-policy"
    case commonAccess = "cat"

    /// The form of grants; `nil` for sessions.
    var grants: EdgeGrantForm? { EdgeGrantForm(rawValue: rawValue) }

    var isPolicy: Bool { self == .signedPolicy || self == .legacySignedPolicy }
}

/// The form, and what edges are configured with.
struct EdgeOptions: ParsableArguments {
    @Option(
        name: .long, help: "The form: jws, or what edges check: legacy-link, edge-token, policy, legacy-policy or cat.")
    var form = SessionForm.jws

    @Option(
        name: .long,
        help: ArgumentHelp("The folder, with a slash at its end, or the file that a grant opens.", valueName: "path"))
    var path: String?

    @Option(name: .long, help: ArgumentHelp("What links in paths begin with (legacy-link).", valueName: "path"))
    var mount = "/s"

    @Option(
        name: .long, help: ArgumentHelp("The parameter or cookie that holds the token (edge-token).", valueName: "name")
    )
    var tokenName = "__token__"

    @Option(
        name: .long, help: ArgumentHelp("A file with the salt of tokens (edge-token).", valueName: "file"),
        completion: .file())
    var saltFile: String?

    @Flag(name: .long, help: "The edge does not escape the token's input (edge-token).")
    var plainInput = false

    @Option(
        name: .long, parsing: .upToNextOption,
        help: ArgumentHelp("The names of the keys, in their order (policy, legacy-policy).", valueName: "id"))
    var keyPairID: [String] = []

    @Option(
        name: .long, help: ArgumentHelp("Scheme and host of the addresses (policy, legacy-policy).", valueName: "url"))
    var origin: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The host that tokens are for (cat; without it, they name none).", valueName: "host"))
    var host: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The name of the edge that tokens are for (cat; without it, they name none).", valueName: "name"))
    var audience: String?

    /// Checks that what the form needs is there.
    func validate() throws {
        if !form.isPolicy, !keyPairID.isEmpty || origin != nil {
            throw ValidationError("--key-pair-id and --origin go with --form policy or legacy-policy.")
        }
        if form != .edgeToken, saltFile != nil || plainInput {
            throw ValidationError("--salt-file and --plain-input go with --form edge-token.")
        }
        if form != .commonAccess, host != nil || audience != nil {
            throw ValidationError("--host and --audience go with --form cat.")
        }
        if let host, !host.canBeHost || host.contains(":") || host != host.lowercased() {
            throw ValidationError(
                "--host takes a host in lower case, such as edge.example.com, without scheme, port and path.")
        }
        if form == .jws, path != nil { throw ValidationError("--path goes with another --form than jws.") }
    }

    /// The path of the option.
    func requiredPath() throws -> EdgePath {
        guard let path else { throw ValidationError("Give --path, such as /live/demo/.") }
        return try concerning("--path") {
            try path.hasSuffix("/") ? EdgePath(folder: path) : EdgePath(file: path)
        }
    }

    // MARK: Requests

    /// Whether a text is a request, its path included, and not the token of `cat` alone.
    func isRequest(_ text: String) -> Bool {
        form != .commonAccess || text.hasPrefix("/") || WrittenAddress(text) != nil
    }

    /// Refuses the option `--path` beside a request, which has a path: it is not clear which of both is meant.
    func refusePath(beside text: String) throws(ValidationError) {
        guard path != nil, isRequest(text) else { return }
        throw ValidationError("The request has its path already: leave --path out.")
    }

    /// The request that a text stands for: its target or its whole address, or of `cat` also the token alone, for the path
    /// of the option.
    func request(
        _ text: String,
        cookies: String,
        client: SessionClient = .unbound
    ) throws(PlaybackSessionError) -> EdgeRequest {
        guard isRequest(text) else {
            return try EdgeRequest(target: path ?? "/", cookies: cookies, accessToken: text, client: client)
        }
        guard let address = WrittenAddress(text) else {
            return try EdgeRequest(target: text, cookies: cookies, client: client)
        }
        guard isOfEdge(address) else { throw .otherPath }
        return try EdgeRequest(target: address.target, cookies: cookies, client: client)
    }

    /// Whether an address is at the host that the options name; of forms whose grants are for no host, any is.
    private func isOfEdge(_ address: WrittenAddress) -> Bool {
        if form.isPolicy { return origin.map { $0 == "\(address.scheme)://\(address.authority)" } ?? true }
        return host.map { $0 == address.host } ?? true
    }

    // MARK: Keys

    func links(_ files: [String], of option: String) throws -> SecureLinks {
        let secrets = try EdgeSecrets(Self.secrets(files, of: option))
        return try concerning("--mount") { try SecureLinks(secrets: secrets, mount: mount) }
    }

    func tokens(_ files: [String], of option: String) throws -> EdgeTokens {
        let (secrets, salt) = (try Self.secrets(files, of: option), try salt())
        return try EdgeTokens(secrets: EdgeSecrets(secrets), name: tokenName, salt: salt, escapesInput: !plainInput)
    }

    func policies(_ files: [String], of option: String, password: PasswordOptions) throws -> SignedPolicies {
        guard keyPairID.count == files.count, let origin else {
            throw ValidationError("Give --origin, and a --key-pair-id for each key.")
        }
        let keys = try password.sessionKeys(files, of: option)
        let pairs = try zip(keyPairID, keys).map { id, key in try PolicyKeyPair(id: id, key: key) }
        let keyPairs = try PolicyKeyPairs(pairs)
        do {
            return try SignedPolicies(keys: keyPairs, origin: origin, usingLegacySHA1: form == .legacySignedPolicy)
        } catch PlaybackSessionError.unsuitable(let value) {
            // Else the keys are at fault, which the error names.
            return try concerning("--origin") { throw PlaybackSessionError.unsuitable(value) }
        }
    }

    func accessTokens(
        _ files: [String],
        of option: String,
        password: PasswordOptions,
        issuer: String
    ) throws -> CommonAccessTokens {
        let keys = try SessionKeys(password.sessionKeys(files, of: option))
        return try CommonAccessTokens(keys: keys, host: host, issuer: issuer, audience: audience)
    }

    /// Reads the secrets of links or tokens, each from a file of its own.
    static func secrets(_ files: [String], of option: String?) throws -> [EdgeSecret] {
        try files.map { file in try concerning(option) { try EdgeSecret(keyFile: file) } }
    }

    private func salt() throws -> String? {
        guard let saltFile else { return nil }
        guard Files.exists(saltFile) else { throw CommandFailure(missing: "salt", option: "--salt-file") }
        return try concerning("--salt-file", file: saltFile) { try SecretFile.text(saltFile) }
            .withSpan { String(copying: $0) }
    }
}

extension EdgeOptions {
    /// Issues a grant, and shows it.
    ///
    /// `file` is that of the key, which `password` opens; `issuer` is named by tokens of `cat`. Throws `CommandFailure`
    /// or `ValidationError`.
    func issue(
        _ grant: EdgeGrant,
        key file: String,
        password: PasswordOptions,
        issuer: String,
        output: OutputForm
    ) throws {
        let issued: IssuedEdgeGrant
        switch form.grants {
        case .secureLink:
            let links = try links([file], of: "--key")
            issued = try links.issue(grant)
        case .edgeToken:
            let tokens = try tokens([file], of: "--key")
            issued = try tokens.issue(grant)
        case .commonAccess:
            let tokens = try accessTokens([file], of: "--key", password: password, issuer: issuer)
            issued = try tokens.issue(grant)
        case .signedPolicy, .legacySignedPolicy, nil:
            let policies = try policies([file], of: "--key", password: password)
            issued = try policies.issue(grant)
        }
        guard output == .json else { return try Console.write("\(address(of: issued))\n") }
        var object = JSONWriter()
        object.member("form", form.rawValue)
        object.member("path", grant.path.text)
        object.member("expires", grant.expires.milliseconds)
        object.member("query", issued.parameters.query)
        if let prefix = issued.pathPrefix { object.member("pathPrefix", prefix) }
        if !issued.cookies.isEmpty {
            object.member("cookies", issued.cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; "))
        }
        try Console.write(object)
    }

    /// The address that a client asks for: of a folder, the folder itself.
    private func address(of issued: IssuedEdgeGrant) -> String {
        let path = issued.grant.path.text
        if let prefix = issued.pathPrefix { return prefix + path }
        return "\(origin ?? "")\(path)?\(issued.parameters.query)"
    }
}

extension EdgeOptions {
    /// Decides on the grant of a request, and shows the verdict.
    ///
    /// The request is its fault if it is not one. `files` are those of the keys, which `password` opens; `issuer` must
    /// have issued a token of `cat`. Throws the exit code of the verdict, `CommandFailure` or `ValidationError`.
    func verify(
        _ request: Result<EdgeRequest, PlaybackSessionError>,
        keys files: [String],
        password: PasswordOptions,
        issuer: String,
        at now: Timestamp,
        output: OutputForm
    ) throws {
        let verify: (EdgeRequest) throws(PlaybackSessionError) -> VerifiedEdgeGrant
        switch form.grants {
        case .secureLink:
            let (links, path) = (try links(files, of: "--keys"), try requiredPath())
            verify = { request throws(PlaybackSessionError) in try links.verify(request, opening: path, at: now) }
        case .edgeToken:
            let tokens = try tokens(files, of: "--keys")
            verify = { request throws(PlaybackSessionError) in try tokens.verify(request, at: now) }
        case .commonAccess:
            let tokens = try accessTokens(files, of: "--keys", password: password, issuer: issuer)
            verify = { request throws(PlaybackSessionError) in try tokens.verify(request, at: now) }
        case .signedPolicy, .legacySignedPolicy, nil:
            let policies = try policies(files, of: "--keys", password: password)
            verify = { request throws(PlaybackSessionError) in try policies.verify(request, at: now) }
        }
        let verified: VerifiedEdgeGrant
        do throws(PlaybackSessionError) {
            verified = try verify(try request.get())
        } catch {
            return try error.showRefusal(in: output)
        }
        let grant = verified.grant
        let lines = [
            ("opens", grant.path.text), ("expires", grant.expires.description), ("client", "\(grant.client)"),
            ("signed by", "key \(verified.keyID)"),
        ]
        try Console.show("VALID_SESSION  the grant is good\n" + aligned(lines), in: output) { object in
            object.member("valid", true)
            object.member("code", "valid")
            object.member("path", grant.path.text)
            object.member("expires", grant.expires.milliseconds)
            if let session = grant.session { object.member("id", session.description) }
            object.member("keyID", verified.keyID)
        }
    }

    /// Shows what the grant of a request says.
    func inspect(_ request: Result<EdgeRequest, PlaybackSessionError>, output: OutputForm) throws {
        let grant: UnverifiedEdgeGrant
        do throws(PlaybackSessionError) {
            grant = try UnverifiedEdgeGrant(
                parsing: try request.get(), as: form.grants ?? .edgeToken, mount: mount, tokenNamed: tokenName)
        } catch {
            return try error.showMisreading(in: output)
        }
        let lines = [
            ("form", grant.form.rawValue), ("expires", grant.expires.description), ("opens", grant.opens ?? "not said"),
            ("client", grant.address ?? "not said"), ("session", grant.session?.description ?? "not said"),
            ("key", grant.keyID ?? "not said"),
        ]
        let heading = "UNVERIFIED  a grant, parsed without a key; anyone can write such a text\n"
        try Console.show(heading + aligned(lines.map { ($0, $1.printable) }), in: output) { object in
            object.member("verified", false)
            object.member("type", grant.form.rawValue)
            object.member("expires", grant.expires.milliseconds)
            if let opens = grant.opens { object.member("opens", opens) }
            if let address = grant.address { object.member("client", address) }
            if let session = grant.session { object.member("id", session.description) }
            if let keyID = grant.keyID { object.member("keyID", keyID) }
        }
    }
}
#endif
