import PlaybackSessions
import TVETokens

let verifier = MediaTokenVerifier(keys: try VerificationKeys(contentsOfFile: "issuer.pem"))
let expected = TokenExpectations(requestor: "REF30", resource: "REF30")
let used = InMemoryReplayStore()

let keys = try SessionKeys(contentsOfFiles: ["session.key"])
let lifetimes = try SessionLifetimes(session: .minutes(5), ceiling: .hours(8))
let issuer = try PlaybackSessionIssuer(keys: keys, name: "player", lifetimes: lifetimes)

/// Once for each play: the token is used up, and the player gets a session for it.
func start(_ text: String) async throws -> String {
    let token = try await verifier.verify(text, expecting: expected, redeemingIn: used)
    return try issuer.issue(for: token, client: .unbound).text
}

let session = try await start(readLine() ?? "")
print("play with", session.prefix(16))
