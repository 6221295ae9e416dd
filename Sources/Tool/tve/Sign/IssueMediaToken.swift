#if CLI
import ArgumentParser
import EntitlementValues
import MediaTokens
import TVETesting
import TextCodecs

struct Issue: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issue",
        abstract: "Make test tokens with a key of your own.",
        subcommands: [IssueMediaToken.self]
    )
}

struct IssueMediaToken: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "media-token",
        abstract: "Make a media token for tests: valid, or with one named fault.",
        discussion: """
            Examples:
              openssl genpkey -algorithm RSA \\
                  -pkeyopt rsa_keygen_bits:2048 -out test-key.pem
              tve issue media-token --key test-key.pem \\
                  --requestor REF30 --resource REF30 > token.txt
              tve issue media-token --key test-key.pem \\
                  --requestor REF30 --resource REF30 --fault expired
              tve issue media-token --list-faults

            Real tokens come from the broker. No verifier in production may trust a test key.

            Exit codes: 0 done; 64 usage; 66 no such key file; 69 libcrypto could not sign; 74 output failed; 78 bad key.
            """
    )

    @OptionGroup var signing: SigningKeyOptions

    @Option(name: .long, help: ArgumentHelp("The requestor it is for.", valueName: "id"))
    var requestor: String?

    @Option(name: .long, help: ArgumentHelp("The resource it is for; MRSS goes into CDATA.", valueName: "id"))
    var resource: String?

    @Option(name: .long, help: ArgumentHelp("The provider.", valueName: "id"))
    var mvpd = "TestMVPD"

    @Option(name: .long, help: ArgumentHelp("The proxy provider (default: none).", valueName: "id"))
    var proxyMvpd: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The subscriber's pseudonymous hash (default: a random one).", valueName: "hash"))
    var sessionGuid: String?

    @Option(
        name: .long, help: ArgumentHelp("Seconds until the token expires; any number, for tests.", valueName: "seconds")
    )
    var ttl: Int64 = 420

    @Option(
        name: .long,
        help: ArgumentHelp("Time of issue: RFC 3339 or epoch milliseconds (default: now).", valueName: "time"),
        transform: Timestamp.argument)
    var issuedAt: Timestamp?

    @Option(name: .long, help: ArgumentHelp("A text to write as the ttl; it may be invalid.", valueName: "text"))
    var ttlText: String?

    @Option(name: .long, help: ArgumentHelp("A text to write as the issueTime; it may be invalid.", valueName: "text"))
    var issueTimeText: String?

    @Option(name: .long, help: "The root element: authToken (the wire) or shortAuthorizationToken (the documents).")
    var root = TestTokenLayout.Root.authToken

    @Option(name: .long, help: "The second marker: opening (the wire) or closing.")
    var secondMarker = TestTokenLayout.SecondMarker.opening

    @Option(name: .long, help: ArgumentHelp("Layers of Base64 around it: 0, 1 or 2.", valueName: "n"))
    var base64Layers = 0

    @Flag(name: .long, help: "Use the URL-safe alphabet for the Base64 layers.")
    var urlSafe = false

    @Option(
        name: .long, help: ArgumentHelp("Wrap the Base64 layers after so many characters, 1 or more.", valueName: "n"))
    var lineLength: Int?

    @Flag(name: .long, help: "Percent-encode the plain text.")
    var percentEncoded = false

    @Option(name: .long, help: "Add this fault (--list-faults shows the names).")
    var fault: TestTokenFault?

    @Flag(name: .long, help: "List the faults, and how a verifier answers them.")
    var listFaults = false

    func validate() throws {
        if listFaults { return }
        try signing.requireKey()
        guard requestor != nil, resource != nil else {
            throw ValidationError("Give --requestor ID and --resource ID.")
        }
        guard 0...2 ~= base64Layers else { throw ValidationError("--base64-layers takes 0, 1 or 2.") }
        guard base64Layers > 0 || (lineLength == nil && !urlSafe) else {
            throw ValidationError("--line-length and --url-safe go with --base64-layers 1 or 2.")
        }
        guard lineLength.map({ $0 > 0 }) ?? true else {
            throw ValidationError("--line-length takes a number above 0.")
        }
    }

    func run() throws {
        if listFaults {
            try Console.write(
                aligned(
                    TestTokenFault.allCases.map {
                        ($0.rawValue, "\($0.expectedStatus.rawValue) \($0.expectedCode)")
                    }))
            return
        }
        guard let requestor, let resource else { return }
        let issuer = TestMediaTokenIssuer(key: try signing.read())
        var claims = TestTokenClaims(
            requestor: RequestorID(requestor), resource: ResourceID(resource), issued: issuedAt ?? .now)
        if let sessionGuid { claims.sessionGUID = SessionGUID(sessionGuid) }
        claims.mvpd = MVPDID(mvpd)
        claims.proxyMVPD = proxyMvpd.map(MVPDID.init)
        claims.ttl = .seconds(ttl)
        claims.ttlText = ttlText
        claims.issueTimeText = issueTimeText
        var layout = TestTokenLayout()
        layout.root = root
        layout.secondMarker = secondMarker
        layout.base64Layers = base64Layers
        layout.isURLSafe = urlSafe
        layout.lineLength = lineLength
        layout.isPercentEncoded = percentEncoded
        try Console.write(try issuer.issue(claims, layout: layout, fault: fault) + [UInt8(ascii: "\n")])
    }
}
#endif
