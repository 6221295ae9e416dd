// Gives bytes to the reader of CBOR, and to verifiers of Common Access Tokens: as tokens, and as claims under a good HMAC.
// What is read has one spelling. No token that was not issued may pass, and what passes opens what its claims say. The
// first byte says which check is made.

import EntitlementValues
import HostSystem
import OpenSSLBridge
import PlaybackSessions
import TextCodecs

/// Checks one input; libFuzzer calls it.
@c(LLVMFuzzerTestOneInput)
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    switch first % 4 {
    case 0: checkAsCBOR(bytes)
    case 1: checkAsToken(Base64.encodeURLSafe(bytes))
    case 2: checkAsToken(String(decoding: bytes, as: UTF8.self))
    default: checkAsClaims(bytes)
    }
    return 0
}

private let now = Timestamp(milliseconds: 1_768_498_200_000)
private let secret = [UInt8](repeating: 0x77, count: 32)
private let code = AuthenticationKey(WipedBytes(secret), digest: .sha256)

private let (tokens, named): (CommonAccessTokens, CommonAccessTokens) = {
    do {
        let keys = try SessionKeys([SessionKey(secret, named: "fuzz")])
        return (
            try CommonAccessTokens(keys: keys, hasWebTokenTag: false),
            try CommonAccessTokens(
                keys: keys, host: "edge.example.org", issuer: "play.example.org", audience: "edge",
                hasWebTokenTag: false)
        )
    } catch {
        fatalError("\(error)")
    }
}()

/// What is read is written as it was.
private func checkAsCBOR(_ bytes: [UInt8]) {
    guard let value = TokenCBOR(bytes) else { return }
    require(value.encoded == bytes, "two spellings of one value")
    require(TokenCBOR(value.encoded) == value, "a value that is written is another when it is read")
}

/// No token can have a good signature, since the fuzzer does not know the key.
private func checkAsToken(_ text: String) {
    guard let request = try? EdgeRequest(target: "/live/a/1.ts", accessToken: text) else { return }
    require((try? tokens.verify(request, at: now)) == nil, "a token without a good signature passes")
    _ = try? UnverifiedEdgeGrant(parsing: request, as: .commonAccess)
}

/// Claims under a good HMAC: if they pass, they say what is issued for the same grant, and restrict nothing more.
private func checkAsClaims(_ payload: [UInt8]) {
    let header = TokenCBOR.map([1: .integer(5)]).encoded
    let signed = TokenCBOR.array([.text("MAC0"), .bytes(header), .bytes([]), .bytes(payload)]).encoded
    guard let signature = try? code.code(of: signed) else { return }
    let keyID = Array(tokens.keys.ids[0].utf8)
    let token = TokenCBOR.tagged(
        17, .array([.bytes(header), .map([4: .bytes(keyID)]), .bytes(payload), .bytes(signature)]))
    let text = Base64.encodeURLSafe(token.encoded)
    for verifier in [tokens, named] {
        for client in [SessionClient.unbound, .address("192.0.2.7"), .address("2001:db8::77")] {
            guard let request = try? EdgeRequest(target: "/live/a/1.ts", accessToken: text, client: client),
                let grant = try? verifier.verify(request, at: now).grant
            else { continue }
            require(grant.client == client, "a token passes for another client")
            require(now < grant.expires, "a token passes after its end")
            require(["/live/", "/live/a/", "/live/a/1.ts"].contains(grant.path.text), "a token opens another path")
            require(restricts(payload, no: verifier, moreThan: grant), "a token restricts more than is enforced")
        }
    }
}

/// Whether the claims are those that are issued for a grant, but for those that restrict nothing.
private func restricts(_ payload: [UInt8], no verifier: CommonAccessTokens, moreThan grant: EdgeGrant) -> Bool {
    guard case .map(let claims)? = TokenCBOR(payload), let issued = try? verifier.issue(grant).parameters.first,
        let bytes = Base64.decode(Array(issued.value.utf8), options: [.urlSafe, .unpadded]),
        case .tagged(_, .array(let parts))? = TokenCBOR(bytes), case .bytes(let again) = parts[2],
        case .map(let own)? = TokenCBOR(again)
    else { return false }
    // The audience may be one of several, the times are over, and methods may be more or none.
    let free: Set<Int64> = [2, 3, 5, 6, 308, 310, 313]
    return claims.filter { !free.contains($0.key) } == own.filter { !free.contains($0.key) }
}

private func require(_ condition: Bool, _ message: String) {
    if !condition { fatalError(message) }
}
