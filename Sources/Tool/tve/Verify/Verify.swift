#if CLI
import ArgumentParser
import EntitlementKeys
import EntitlementValues
import MediaRSS
import MediaTokens
import RowBatches
import TextCodecs
import TokenRedemption

struct Verify: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Decide whether a media token is good for a requestor and a resource.",
        discussion: """
            Examples:
              tve verify - --keys issuer.pem --requestor REF30 \\
                  --resource REF30 < token.txt
              printf %s "$TOKEN" | tve verify - --keys keys/ \\
                  --requestor REF30 --any-resource --output json
              tve verify --batch --keys issuer.pem < rows.ndjson

            A token may be plain text, Base64 of it (up to two layers), or percent-encoded. In scripts, give it on \
            standard input: every user of the machine can see arguments, and a token that starts with a dash would be \
            read as an option. tve help rows describes the rows of --batch.

            Exit codes: 0 valid (or batch done); 10 not a media token; 11 bad signature; 12 expired; 13 not yet \
            valid; 14 other resource; 15 other requestor; 16 used before; 69 could not decide; 2 too many rows \
            without a verdict (all, --strict, --max-failures); 64 usage; 66 no such key or password file; 74 input or output \
            failed; 78 bad key or store.
            """
    )

    @Argument(help: "The token; - or nothing reads it from standard input.")
    var token: String?

    @Option(
        name: .long, parsing: .upToNextOption,
        help: ArgumentHelp("Certificates or public keys: files or folders.", valueName: "path"),
        completion: .file())
    var keys: [String]

    @OptionGroup var password: PasswordOptions

    @Option(
        name: .long, help: ArgumentHelp("The requestor that the token must be for; may be repeated.", valueName: "id"))
    var requestor: [String] = []

    @Flag(name: .long, help: "Accept a token for any requestor.")
    var anyRequestor = false

    @Option(
        name: .long, help: ArgumentHelp("The resource that the token must be for; may be repeated.", valueName: "id"))
    var resource: [String] = []

    @Flag(name: .long, help: "Accept a token for any resource.")
    var anyResource = false

    @Flag(name: .long, help: "Compare an MRSS resource by structure, not byte by byte.")
    var mediaRss = false

    @Option(
        name: .long,
        help: ArgumentHelp("Verify as of this time: RFC 3339 or epoch milliseconds (default: now).", valueName: "time"),
        transform: Timestamp.argument)
    var at: Timestamp?

    @Option(
        name: .long,
        help: ArgumentHelp("Seconds after expiry at which a token still passes, 0 to 600.", valueName: "seconds"))
    var leeway: Int64 = 0

    @Flag(name: .long, help: "Also accept SHA-1 signatures. For archives only.")
    var allowSha1 = false

    @OptionGroup var used: RedeemOptions

    @Flag(name: .long, help: "Verify many tokens: one JSON object per line.")
    var batch = false

    @OptionGroup var rows: RowOptions

    @Option(name: .long, help: ArgumentHelp("How to show the verdict and failures: text or json.", valueName: "form"))
    var output = OutputForm.text

    func validate() throws {
        let hasExpectations = !requestor.isEmpty || anyRequestor || !resource.isEmpty || anyResource || mediaRss
        if batch {
            guard !hasExpectations else {
                throw ValidationError("With --batch, each row names its requestor and resource (null: unchecked).")
            }
            guard token == nil || token == "-" else {
                throw ValidationError("With --batch, rows are read from standard input.")
            }
        } else {
            guard requestor.isEmpty == anyRequestor else {
                throw ValidationError("Give --requestor ID or --any-requestor.")
            }
            guard resource.isEmpty == anyResource else {
                throw ValidationError("Give --resource ID or --any-resource.")
            }
            guard !used.isInMemory else {
                throw ValidationError(
                    "--redeem memory: ends with this run, so any token would pass again; use sqlite:PATH, or --batch."
                )
            }
            guard rows.isUntouched else {
                throw ValidationError("--jobs, --skip-rows, --log-every, --strict and --max-failures go with --batch.")
            }
            for (name, values) in [("requestor", requestor), ("resource", resource)] where values.contains("") {
                throw ValidationError("--\(name) is empty (an unset variable?); for any, say --any-\(name).")
            }
            guard !mediaRss || resource.count == 1 else {
                throw ValidationError("--media-rss goes with one --resource.")
            }
        }
        guard password.descriptor != 0 || (!batch && token != nil && token != "-") else {
            throw ValidationError("--password-fd 0 is standard input, which the token or the rows come from.")
        }
        _ = try policy()
    }

    func run() throws {
        var paths = KeyPaths(paths: keys)
        let trailing = token == nil && !batch ? paths.takeToken() : nil
        let keys = try paths.read(try password.read())
        let verifier = MediaTokenVerifier(keys: keys, policy: try policy())
        if batch {
            let redemption = try used.open().map { store in
                RowRedemption(store: store, inOrder: used.isInMemory, after: rows.skipRows)
            }
            let verdicts = VerdictRows(verifier: verifier, at: at, redemption: redemption)
            let batch = BatchRun(rows: verdicts, names: ["token"], options: rows, form: output)
            return try awaiting { try await batch.run() }
        }
        let bytes = try TokenInput.bytes(token ?? trailing)
        let store = try used.open()
        let now = at ?? .now
        var verdict = verifier.verdict(on: bytes, expecting: try expectations(), at: now)
        if let store { verdict = try awaiting { [verdict] in await verdict.redeemed(in: store, at: now) } }
        try Console.show(
            text(verdict, keys), or: verdict.object(), in: output, endingWith: ExitCode(verdict.status.exitCode))
    }

    private func policy() throws -> VerificationPolicy {
        try argument(of: "--leeway") {
            try VerificationPolicy(leeway: .seconds(leeway), acceptsLegacySHA1: allowSha1)
        }
    }

    private func expectations() throws -> TokenExpectations {
        TokenExpectations(
            requestor: anyRequestor ? .unchecked : .anyOf(requestor.map(RequestorID.init)),
            resource: anyResource ? .unchecked : try resourceExpectation()
        )
    }

    private func resourceExpectation() throws -> Expectation<ResourceID> {
        guard mediaRss, let resource = resource.first else { return .anyOf(resource.map(ResourceID.init)) }
        return try rethrowing(.mediaRSS(ResourceID(resource))) { (error: MediaRSSError) in
            CommandFailure.usage(
                "--resource is not an MRSS fragment (\(error.code)); for a plain resource, leave out --media-rss")
        }
    }

    private func text(_ verdict: MediaTokenVerdict, _ keys: VerificationKeys) -> String {
        let text = "\(verdict.status.rawValue)  \(verdict.detail)\n"
        var lines = verdict.authenticClaims?.lines ?? []
        if let key = verdict.key {
            lines.append(("signed by", key.isWeak ? "\(key) — weak: below 2048 bits" : "\(key)"))
        }
        if verdict.status == .invalidSignature { lines += keys.keys.map { ("key tried", "\($0)") } }
        return text + aligned(lines)
    }
}

extension MediaTokenClaims {
    /// The claims as lines for people.
    var lines: [(name: String, value: String)] {
        var lines = [
            ("requestor", requestor.rawValue), ("resource", resource.rawValue), ("MVPD", mvpd.rawValue),
            ("session GUID", sessionGUID.rawValue), ("issued", issued.description),
            ("expires", "\(expires) (ttl \(ttl))"),
        ]
        if let proxyMVPD { lines.insert(("proxy MVPD", proxyMVPD.rawValue), at: 3) }
        return lines
    }
}
#endif
