#if CLI
import ArgumentParser
import PlaybackSessions
import TextCodecs

struct SessionKeysList: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "List the keys of playback sessions by their names, or write the JWK set for edges.",
        discussion: """
            Examples:
              tve session keys session.key old.key
              tve session keys private.pem --jwks > jwks.json
              tve session keys --form legacy-link edge.hex old.hex
              tve session keys --form cat cat.key

            The names are those in sessions (kid), and reveal nothing of the keys. The JWK set holds public keys \
            only: an edge that checks HS256 needs the secret itself.

            Exit codes: 0 all keys can be used; 64 usage; 66 no such file; 74 output failed; 78 a key that cannot be \
            used, or the same key twice.
            """
    )

    @Argument(help: "Key files, as in sessions.keyFiles: the first one signs.", completion: .file())
    var paths: [String]

    @OptionGroup var password: PasswordOptions

    @Option(name: .long, help: "What the keys are for: jws, legacy-link, edge-token, policy, legacy-policy or cat.")
    var form = SessionForm.jws

    @Flag(name: .long, help: "Write the public keys as a JWK set.")
    var jwks = false

    @Option(name: .long, help: ArgumentHelp("How to show the list and failures: text or json.", valueName: "form"))
    var output = OutputForm.text

    func validate() throws {
        if jwks, form != .jws { throw ValidationError("--jwks goes with --form jws.") }
    }

    func run() throws {
        if form == .secureLink || form == .edgeToken { return try listSecrets() }
        let keys = try password.sessionKeys(paths, of: nil)
        let ring = try SessionKeys(keys)
        try checkUse(of: ring)
        if jwks {
            return try Console.write("\(try ring.jwkSet())\n")
        }
        let texts = ring.keys.map { "\($0.label.printable)\n" + aligned(lines(of: $0, in: ring)) }
        try Console.show(texts.joined(), in: output) {
            $0.member("keys", ring.keys.map { object(of: $0, in: ring) })
        }
    }

    /// Refuses keys that the form cannot use, as issuing does.
    private func checkUse(of ring: SessionKeys) throws(PlaybackSessionError) {
        if form == .commonAccess { _ = try CommonAccessTokens(keys: ring) }
        guard form.isPolicy else { return }
        // The names of the keys and the addresses are not known here; any will do.
        var pairs: [PolicyKeyPair] = []
        for key in ring.keys { pairs.append(try PolicyKeyPair(id: "\(pairs.count)", key: key)) }
        _ = try SignedPolicies(
            keys: PolicyKeyPairs(pairs), origin: "https://a", usingLegacySHA1: form == .legacySignedPolicy)
    }

    /// Lists the secrets of links and tokens, whose first one signs.
    private func listSecrets() throws {
        let secrets = try EdgeOptions.secrets(paths, of: nil)
        _ = try EdgeSecrets(secrets)
        var objects: [JSONWriter] = []
        for (index, secret) in secrets.enumerated() {
            guard output == .json else {
                let use = index == 0 ? "signs and verifies" : "verifies"
                try Console.write("\(secret.label.printable)\n" + aligned([("key ID", secret.id), ("use", use)]))
                continue
            }
            var object = JSONWriter()
            object.member("file", secret.label)
            object.member("keyID", secret.id)
            object.member("signs", index == 0)
            objects.append(object)
        }
        guard output == .json else { return }
        var object = JSONWriter()
        object.member("keys", objects)
        try Console.write(object)
    }

    private func signs(_ key: SessionKey, in ring: SessionKeys) -> Bool { key.canSign && key.id == ring.ids.first }

    private func lines(of key: SessionKey, in ring: SessionKeys) -> [(name: String, value: String)] {
        let use = signs(key, in: ring) ? "signs and verifies" : "verifies"
        return [("key ID", key.id), ("algorithm", key.algorithm.rawValue), ("use", use)]
    }

    private func object(of key: SessionKey, in ring: SessionKeys) -> JSONWriter {
        var object = JSONWriter()
        object.member("file", key.label)
        object.member("keyID", key.id)
        object.member("algorithm", key.algorithm.rawValue)
        object.member("canSign", key.canSign)
        object.member("signs", signs(key, in: ring))
        return object
    }
}
#endif
