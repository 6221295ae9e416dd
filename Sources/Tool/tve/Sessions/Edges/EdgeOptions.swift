#if CLI
import ArgumentParser
import EntitlementKeys
import HostSystem
import PlaybackSessions
import TextCodecs

/// What a session command works on: sessions, or one of the forms of grants that edges check.
enum SessionForm: String, ExpressibleByArgument, CaseIterable {
    case jws
    case legacyLink = "legacy-link"
    case edgeToken = "edge-token"
    case legacyPolicy = "legacy-policy"

    /// The form of grants; `nil` for sessions.
    var grants: EdgeGrantForm? { EdgeGrantForm(rawValue: rawValue) }
}

/// The form, and what edges are configured with.
struct EdgeOptions: ParsableArguments {
    @Option(name: .long, help: "The form: jws, or what edges check: legacy-link, edge-token or legacy-policy.")
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
        help: ArgumentHelp("The names of the keys, in their order (legacy-policy).", valueName: "id"))
    var keyPairID: [String] = []

    @Option(name: .long, help: ArgumentHelp("Scheme and host of the addresses (legacy-policy).", valueName: "url"))
    var origin: String?

    /// Checks that what the form needs is there.
    func validate() throws {
        if form != .legacyPolicy, !keyPairID.isEmpty || origin != nil {
            throw ValidationError("--key-pair-id and --origin go with --form legacy-policy.")
        }
        if form != .edgeToken, saltFile != nil || plainInput {
            throw ValidationError("--salt-file and --plain-input go with --form edge-token.")
        }
        if form == .jws, path != nil { throw ValidationError("--path goes with another --form than jws.") }
    }

    /// The path of the option.
    func requiredPath() throws -> EdgePath {
        guard let path else { throw ValidationError("Give --path, such as /live/demo/.") }
        return try path.hasSuffix("/") ? EdgePath(folder: path) : EdgePath(file: path)
    }

    // MARK: Keys

    func links(_ files: [String]) throws -> LegacySecureLinks {
        try LegacySecureLinks(secrets: EdgeSecrets(Self.secrets(files)), mount: mount)
    }

    func tokens(_ files: [String]) throws -> EdgeTokens {
        let (secrets, salt) = (try Self.secrets(files), try salt())
        return try EdgeTokens(secrets: EdgeSecrets(secrets), name: tokenName, salt: salt, escapesInput: !plainInput)
    }

    func policies(_ files: [String], password: PasswordOptions) throws -> LegacySignedPolicies {
        guard keyPairID.count == files.count, let origin else {
            throw ValidationError("Give --origin, and a --key-pair-id for each key.")
        }
        let keys = try password.sessionKeys(files)
        let pairs = try zip(keyPairID, keys).map { id, key in try LegacyKeyPair(id: id, key: key) }
        return try LegacySignedPolicies(keys: LegacyKeyPairs(pairs), origin: origin)
    }

    /// Reads the secrets of links or tokens, each from a file of its own.
    static func secrets(_ files: [String]) throws -> [EdgeSecret] {
        try files.map { try EdgeSecret(keyFile: $0) }
    }

    private func salt() throws -> String? {
        guard let saltFile else { return nil }
        return try concerning("--salt-file", file: saltFile) { try SecretFile.text(saltFile) }
            .withSpan { String(copying: $0) }
    }
}
#endif
