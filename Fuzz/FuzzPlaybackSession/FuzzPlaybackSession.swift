// Presents texts as playback sessions, and bytes as the claims of sessions that are well signed. No text that was not
// issued may pass, and what passes must be the one text that the issuer writes for it.

import EntitlementValues
import HostSystem
import OpenSSLBridge
import PlaybackSessions
import TextCodecs

/// Checks one input; libFuzzer calls it.
@c(LLVMFuzzerTestOneInput)
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    checkAsText(input)
    checkAsClaims(input)
    return 0
}

private let secret = [UInt8](repeating: 7, count: 32)
private let sessionKey = AuthenticationKey(WipedBytes(secret), digest: .sha256)
private let expectations = PlaybackExpectations(requestor: .unchecked, resource: .unchecked, client: .unbound)

private struct Parties {
    let key: SessionKey
    let issuer: PlaybackSessionIssuer
    let verifier: PlaybackSessionVerifier
    let header: String
}

private let parties: Parties = {
    do {
        let key = try SessionKey(secret, named: "fuzz")
        let keys = try SessionKeys([key])
        let now = Timestamp(milliseconds: 1_768_498_200_000)
        let issuer = try PlaybackSessionIssuer(keys: keys, name: "tve", lifetimes: .standard)
        let session = PlaybackSession(
            id: try .random(), requestor: "R", resource: "R", mvpd: "M", subscriber: "S", issued: now,
            expires: now + .minutes(5), ceiling: now + .hours(1), client: .unbound)
        let header = try issuer.issue(session).text.prefix { $0 != "." }
        return Parties(
            key: key, issuer: issuer, verifier: try PlaybackSessionVerifier(keys: keys, issuer: .unchecked),
            header: String(header))
    } catch {
        fatalError("\(error)")
    }
}()

/// No input can have a good signature, since the fuzzer does not know the key.
private func checkAsText(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let verified = try? parties.verifier.verify(text, expecting: expectations, at: Timestamp(milliseconds: 0))
    require(verified == nil, "a text without a good signature passes")
    if let shown = try? UnverifiedPlaybackSession(parsing: text) {
        require(shown.session.expires > shown.session.issued, "a session that is shown ends before it begins")
        _ = "\(shown) \(shown.session)"
    }
}

/// Claims under a good signature: if they pass, the issuer writes the same bytes.
private func checkAsClaims(_ claims: [UInt8]) {
    let signed = "\(parties.header).\(Base64.encodeURLSafe(claims))"
    guard let code = try? sessionKey.code(of: Array(signed.utf8)) else { return }
    let text = "\(signed).\(Base64.encodeURLSafe(code))"
    guard let shown = try? UnverifiedPlaybackSession(parsing: text) else {
        require(
            (try? parties.verifier.verify(text, expecting: expectations, at: Timestamp(milliseconds: 0))) == nil,
            "the verifier takes claims that the parser refuses")
        return
    }
    let session = shown.session
    let verified = try? parties.verifier.verify(text, expecting: expectations, at: session.issued)
    require((verified == nil) == shown.isBound, "the verifier and the parser disagree")
    guard verified != nil else { return }
    require(verified?.session == session, "the verifier and the parser read another session")
    guard let keys = try? SessionKeys([parties.key]),
        let issuer = try? PlaybackSessionIssuer(keys: keys, name: shown.issuer, lifetimes: .standard),
        let again = try? issuer.issue(session)
    else { return require(false, "a session that passes cannot be issued") }
    require(again.text == text, "two texts for one session")
    let late = try? parties.verifier.verify(text, expecting: expectations, at: session.expires)
    require(late == nil, "a session passes after its end")
}

private func require(_ condition: Bool, _ message: String) {
    if !condition { fatalError(message) }
}
