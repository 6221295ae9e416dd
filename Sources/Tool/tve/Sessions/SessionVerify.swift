#if CLI
import ArgumentParser
import EntitlementValues
import MediaTokens
import PlaybackSessions
import TextCodecs

struct SessionVerify: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Decide whether a playback session is good for a requestor and a resource.",
        discussion: """
            Examples:
              tve session verify - --keys session.key --requestor REF30 \\
                  --resource REF30 < session.txt
              tve session verify - --keys public.pem --requestor REF30 \\
                  --any-resource --output json < session.txt

              tve session verify --form legacy-link --keys edge.hex --path /live/demo/ \\
                  "/s/1f2e3d4c/…/1768498500/live/demo/1.ts"
              tve session verify --form edge-token --keys edge.hex \\
                  "/live/demo/1.ts?__token__=…"
              tve session verify --form cat --keys cat.key --audience edge \\
                  --host edge.example.com "/live/demo/1.ts?CAT=…"

            With another --form than jws, give the request as session issue prints it or as a client sends it: its path \
            with its query, or the whole address. With cat, the token alone will do, for the path of --path. In scripts, \
            give the session on standard input: every user of the machine can see arguments. A session that is bound to \
            a client is good only with --client. Whether it was revoked is known to the service alone.

            Exit codes: 0 valid; 10 not a session; 11 bad signature, unknown key, or other issuer or client; 12 \
            expired; 13 not yet valid; 14 other resource; 15 other requestor; 64 usage; 66 no such key file; 69 could \
            not decide; 74 input or output failed; 78 bad key.
            """
    )

    @Argument(help: "The session; - or nothing reads it from standard input.")
    var session: String?

    @Option(
        name: .long, parsing: .upToNextOption,
        help: ArgumentHelp(
            "The keys: files with a secret, a public or private RSA or P-256 key, or a certificate.", valueName: "file"),
        completion: .file())
    var keys: [String]

    @OptionGroup var password: PasswordOptions

    @OptionGroup var edge: EdgeOptions

    @Option(
        name: .long,
        help: ArgumentHelp("The Cookie field of the request, if cookies carry the grant.", valueName: "text"))
    var cookies = ""

    @Option(
        name: .long, help: ArgumentHelp("The requestor that the session must be for; may be repeated.", valueName: "id")
    )
    var requestor: [String] = []

    @Flag(name: .long, help: "Accept a session for any requestor.")
    var anyRequestor = false

    @Option(
        name: .long, help: ArgumentHelp("The resource that the session must be for; may be repeated.", valueName: "id"))
    var resource: [String] = []

    @Flag(name: .long, help: "Accept a session for any resource.")
    var anyResource = false

    @Option(
        name: .long, help: ArgumentHelp("The address of the client that presents the session.", valueName: "address"))
    var client: String?

    @Option(
        name: .long, help: ArgumentHelp("The name of the service that must have issued it (iss).", valueName: "name"))
    var issuer = "tve"

    @Flag(name: .long, help: "Accept a session of any issuer.")
    var anyIssuer = false

    @Option(
        name: .long,
        help: ArgumentHelp("Verify as of this time: RFC 3339 or epoch milliseconds (default: now).", valueName: "time"),
        transform: Timestamp.argument)
    var at: Timestamp?

    @Option(
        name: .long,
        help: ArgumentHelp("Seconds after expiry at which a session still passes, 0 to 600.", valueName: "seconds"))
    var leeway: Int64 = 0

    @Option(name: .long, help: ArgumentHelp("How to show the verdict and failures: text or json.", valueName: "form"))
    var output = OutputForm.text

    func validate() throws {
        try SessionClient.checkArgument(client)
        guard edge.form == .jws else {
            guard requestor.isEmpty, resource.isEmpty, !anyRequestor, !anyResource, leeway == 0 else {
                throw ValidationError("--requestor, --resource and --leeway go with --form jws.")
            }
            if edge.form == .commonAccess, anyIssuer { throw ValidationError("--any-issuer goes with --form jws.") }
            if edge.form == .secureLink, edge.path == nil { throw ValidationError("Give --path, such as /live/demo/.") }
            return
        }
        guard cookies.isEmpty else { throw ValidationError("--cookies goes with another --form than jws.") }
        guard requestor.isEmpty == anyRequestor else {
            throw ValidationError("Give --requestor ID or --any-requestor.")
        }
        guard resource.isEmpty == anyResource else { throw ValidationError("Give --resource ID or --any-resource.") }
        for (name, values) in [("requestor", requestor), ("resource", resource), ("client", client.map { [$0] } ?? [])]
        where values.contains("") {
            throw ValidationError("--\(name) is empty (an unset variable?).")
        }
    }

    func run() throws {
        var paths = keys
        // `--keys` takes every argument up to the next option, so the session may be at its end.
        let trailing = session == nil && paths.count > 1 && paths.last == "-" ? paths.popLast() : nil
        guard edge.form == .jws else {
            let target = try TokenInput.sessionText(session ?? trailing)
            if edge.path == nil, !edge.isRequest(target) {
                throw ValidationError("With a token alone, give --path, such as /live/demo/1.ts.")
            }
            // A link does not say which folder it opens, so its request goes with a path.
            if edge.form != .secureLink { try edge.refusePath(beside: target) }
            let request = Result { () throws(PlaybackSessionError) in
                try edge.request(target, cookies: cookies, client: client.map { .address($0) } ?? .unbound)
            }
            return try edge.verify(
                request, keys: paths, password: password, issuer: issuer, at: at ?? .now, output: output)
        }
        let ring = try password.sessionKeys(paths, of: "--keys")
        let verifier = try PlaybackSessionVerifier(
            keys: SessionKeys(ring), issuer: anyIssuer ? .unchecked : .exactly(issuer), leeway: .seconds(leeway))
        let expectations = PlaybackExpectations(
            requestor: anyRequestor ? .unchecked : .anyOf(requestor.map(RequestorID.init)),
            resource: anyResource ? .unchecked : .anyOf(resource.map(ResourceID.init)),
            client: client.map { .address($0) } ?? .unbound)
        let text = try TokenInput.sessionText(session ?? trailing)
        let verified: VerifiedPlaybackSession
        do throws(PlaybackSessionError) {
            verified = try verifier.verify(text, expecting: expectations, at: at ?? .now)
        } catch {
            return try error.showRefusal(in: output)
        }
        let lines = verified.session.lines + [("signed by", "key \(verified.keyID)")]
        try Console.show("VALID_SESSION  the session is good\n" + aligned(lines), in: output) { object in
            object.member("valid", true)
            object.member("code", "valid")
            object.members(of: verified.session)
            object.member("keyID", verified.keyID)
        }
    }
}

extension PlaybackSessionError {
    /// Shows the verdict on a session or grant, and throws its exit code.
    func showRefusal(in form: OutputForm) throws {
        try Console.show("REFUSED  \(self) [\(code)]\n", in: form, endingWith: ExitCode(status.exitCode)) { object in
            object.member("valid", false)
            object.member("code", code)
            object.member("detail", description)
        }
    }

    /// Shows that a text is no session or grant, and throws the exit code of that.
    func showMisreading(in form: OutputForm) throws {
        let text = "\(status.rawValue)  \(self) [\(code)]\n"
        try Console.show(text, in: form, endingWith: ExitCode(status.exitCode)) { object in
            object.member("verified", false)
            object.member("code", code)
            object.member("detail", description)
        }
    }
}

extension TokenInput {
    /// Takes the argument, or reads standard input; white space around the session, such as a line end, is dropped.
    static func sessionText(_ argument: String?) throws(CommandFailure) -> String {
        let bytes = try bytes(argument)
        let range = bytes.withSpan { $0.trimmingWhiteSpace(0..<$0.count) }
        return String(decoding: bytes[range], as: UTF8.self)
    }
}

extension PlaybackSession {
    /// What the session allows, as lines for people.
    var lines: [(name: String, value: String)] {
        [
            ("ID", id.description), ("requestor", requestor.rawValue), ("resource", resource.rawValue),
            ("MVPD", mvpd.rawValue), ("subscriber", subscriber.rawValue), ("issued", issued.description),
            ("expires", expires.description), ("renewable until", ceiling.description),
        ]
    }
}

extension JSONWriter {
    /// Adds what a session allows.
    mutating func members(of session: PlaybackSession) {
        member("id", session.id.description)
        member("requestor", session.requestor.rawValue)
        member("resource", session.resource.rawValue)
        member("mvpd", session.mvpd.rawValue)
        member("subscriber", session.subscriber.rawValue)
        member("issued", session.issued.milliseconds)
        member("expires", session.expires.milliseconds)
        member("ceiling", session.ceiling.milliseconds)
    }
}
#endif
