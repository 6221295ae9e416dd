import PlaybackSessions
import TVETokens

let verifier = MediaTokenVerifier(keys: try VerificationKeys(contentsOfFile: "issuer.pem"))
let expected = TokenExpectations(requestor: "REF30", resource: "REF30")
let used = InMemoryReplayStore()

let keys = try SessionKeys(contentsOfFiles: ["session.key"])
let lifetimes = try SessionLifetimes(session: .minutes(5), ceiling: .hours(8))
let issuer = try PlaybackSessionIssuer(keys: keys, name: "player", lifetimes: lifetimes)
let sessions = try PlaybackSessionVerifier(keys: keys, issuer: "player")

/// Once for each play: the token is used up, and the player gets a session for it.
func start(_ text: String) async throws -> String {
    let token = try await verifier.verify(text, expecting: expected, redeemingIn: used)
    return try issuer.issue(for: token, client: .unbound).text
}

/// For each segment: no store, no network, microseconds.
func status(of session: String, for resource: ResourceID) -> Int {
    do throws(PlaybackSessionError) {
        let expected = PlaybackExpectations(requestor: "REF30", resource: .exactly(resource), client: .unbound)
        _ = try sessions.verify(session, expecting: expected)
        return 200
    } catch {
        return error.httpStatus
    }
}

let text = readLine() ?? ""
let session = try await start(text)
for segment in 1...3 { print("segment \(segment):", status(of: session, for: "REF30")) }
print("another channel:", status(of: session, for: "NEWS"))
do {
    _ = try await start(text)
} catch let error as MediaTokenError {
    print("a second play:", error.code)
}
