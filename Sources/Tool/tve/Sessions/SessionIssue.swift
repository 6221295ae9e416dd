#if CLI
import ArgumentParser
import EntitlementValues
import PlaybackSessions
import TextCodecs

struct SessionIssue: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "issue",
        abstract: "Issue a playback session: a JSON Web Signature, or a grant in a form that edges check.",
        discussion: """
            Examples, each with its key first and its check last:
              (umask 077; openssl rand -out session.key 32)
              tve session issue --key session.key --requestor REF30 \\
                  --resource REF30 --mvpd TestMVPD --subscriber SUBSCRIBER \\
                  --lifetime 300 --ceiling 28800 --client 192.0.2.1 > session.txt
              tve session verify - --keys session.key --requestor REF30 \\
                  --resource REF30 --client 192.0.2.1 < session.txt

              (umask 077; openssl rand -hex -out edge.hex 32)
              tve session issue --form legacy-link --key edge.hex \\
                  --path /live/demo/ > link.txt
              tve session verify - --form legacy-link --keys edge.hex \\
                  --path /live/demo/ < link.txt
              tve session issue --form edge-token --key edge.hex \\
                  --path /live/demo/ > token.txt
              tve session verify - --form edge-token --keys edge.hex < token.txt

              (umask 077; openssl genrsa -out private.pem 2048)
              tve session issue --form policy --key private.pem \\
                  --key-pair-id K2JCJMDEHXQW5F \\
                  --origin https://d1.cloudfront.net --path /live/demo/ > policy.txt
              tve session verify - --form policy --keys private.pem \\
                  --key-pair-id K2JCJMDEHXQW5F \\
                  --origin https://d1.cloudfront.net < policy.txt

              (umask 077; openssl rand -out cat.key 32)
              tve session issue --form cat --key cat.key --path /live/demo/ \\
                  --host edge.example.com --audience edge > cat.txt
              tve session verify - --form cat --keys cat.key \\
                  --host edge.example.com --audience edge < cat.txt

            A secret of 32 to 4096 bytes signs with HS256, a private RSA key with RS256, one of P-256 with ES256. The \
            service issues sessions for media tokens by itself; this command is for tests.

            Exit codes: 0 issued; 64 usage, or a value that cannot be used; 66 no such key file; 69 OpenSSL failed; \
            74 output failed; 78 bad key.
            """
    )

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The key: a file with a secret or a private RSA or P-256 key; for legacy-link and edge-token, one with "
                + "64 to 128 hexadecimal digits.",
            valueName: "file"),
        completion: .file())
    var key: String

    @OptionGroup var edge: EdgeOptions

    @OptionGroup var password: PasswordOptions

    @Option(name: .long, help: ArgumentHelp("The requestor of the session (aud).", valueName: "id"))
    var requestor: String?

    @Option(name: .long, help: ArgumentHelp("The resource that may be played.", valueName: "id"))
    var resource: String?

    @Option(name: .long, help: ArgumentHelp("The provider that authorized the play.", valueName: "id"))
    var mvpd: String?

    @Option(
        name: .long, help: ArgumentHelp("The subscriber: the session GUID of the media token (sub).", valueName: "name")
    )
    var subscriber: String?

    @Option(name: .long, help: ArgumentHelp("The name of the issuing service (iss).", valueName: "name"))
    var issuer = "tve"

    @Option(
        name: .long, help: ArgumentHelp("Seconds until the session expires, 1 up to --ceiling.", valueName: "seconds"))
    var lifetime: Int64 = 300

    @Option(name: .long, help: ArgumentHelp("Seconds until renewals end, up to 604800 (7 days).", valueName: "seconds"))
    var ceiling: Int64 = 43_200

    @Option(name: .long, help: ArgumentHelp("Bind the session to this client address.", valueName: "address"))
    var client: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The ID of the session (jti): 22 characters of Base64url (default: a random one).", valueName: "id"))
    var id: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Issue as of this time: RFC 3339 or epoch milliseconds (default: now).", valueName: "time"),
        transform: Timestamp.argument)
    var at: Timestamp?

    @Option(name: .long, help: ArgumentHelp("How to show the session and failures: text or json.", valueName: "form"))
    var output = OutputForm.text

    func validate() throws {
        try SessionClient.checkArgument(client)
        let names = [requestor, resource, mvpd, subscriber].compactMap(\.self)
        if edge.form == .jws, names.count < 4 {
            throw ValidationError("Give --requestor, --resource, --mvpd and --subscriber.")
        }
        if edge.form != .jws, !names.isEmpty {
            throw ValidationError("--requestor, --resource, --mvpd and --subscriber go with --form jws.")
        }
        if edge.form != .jws, edge.path == nil { throw ValidationError("Give --path, such as /live/demo/.") }
    }

    func run() throws {
        try CommandFailure.refuseRepaired(
            [requestor, resource, mvpd, subscriber, client, edge.path, edge.host, edge.audience].map { $0 ?? "" }
                + [issuer])
        guard edge.form == .jws else {
            let path = try edge.requiredPath()
            return try edge.issue(
                try grant(for: path), key: key, password: password, issuer: issuer, output: output)
        }
        let key = try password.sessionKeys([key], of: "--key")[0]
        let lifetimes = try SessionLifetimes(session: .seconds(lifetime), ceiling: .seconds(ceiling))
        let issued = try PlaybackSessionIssuer(keys: SessionKeys([key]), name: issuer, lifetimes: lifetimes)
            .issue(session(lasting: lifetimes))
        try Console.show("\(issued.text)\n", in: output) { object in
            object.member("session", issued.text)
            object.member("id", issued.session.id.description)
            object.member("expires", issued.session.expires.milliseconds)
            object.member("ceiling", issued.session.ceiling.milliseconds)
            object.member("key", key.label)
        }
    }

    private func grant(for path: EdgePath) throws(PlaybackSessionError) -> EdgeGrant {
        let given = id.map { PlaybackSessionID(text: $0) }
        if let given, given == nil { throw .unsuitable(.malformedID) }
        let lifetimes = try SessionLifetimes(session: .seconds(lifetime), ceiling: SessionLifetimes.maximumCeiling)
        return try EdgeGrant(
            path: path, expires: (at ?? .now) + lifetimes.session, client: client.map { .address($0) } ?? .unbound,
            session: given ?? nil)
    }

    private func session(lasting lifetimes: SessionLifetimes) throws(PlaybackSessionError) -> PlaybackSession {
        let now = at ?? .now
        let given = id.map { PlaybackSessionID(text: $0) }
        guard let given else { return try session(.random(), from: now, lasting: lifetimes) }
        guard let id = given else { throw .unsuitable(.malformedID) }
        return session(id, from: now, lasting: lifetimes)
    }

    private func session(
        _ id: PlaybackSessionID,
        from now: Timestamp,
        lasting lifetimes: SessionLifetimes
    ) -> PlaybackSession {
        PlaybackSession(
            id: id, requestor: RequestorID(requestor ?? ""), resource: ResourceID(resource ?? ""),
            mvpd: MVPDID(mvpd ?? ""), subscriber: SessionGUID(subscriber ?? ""), issued: now,
            expires: now + lifetimes.session,
            ceiling: now + lifetimes.ceiling, client: client.map { .address($0) } ?? .unbound)
    }
}
#endif
