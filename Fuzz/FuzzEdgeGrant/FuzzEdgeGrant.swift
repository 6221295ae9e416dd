// Presents requests with grants to the verifiers of all forms. No grant that was not issued may pass, and what passes
// under a good signature must be the one text that is issued for it. The first byte says which check is made.

import EntitlementKeys
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
    let text = String(decoding: input.dropFirst(), as: UTF8.self)
    switch first % 4 {
    case 0: checkAsRequest(text, cookies: "")
    case 1: checkAsRequest("/live/a/1.ts", cookies: text)
    case 2: checkAsToken(text)
    default: checkAsPath(text)
    }
    return 0
}

private let now = Timestamp(milliseconds: 1_768_498_200_000)
private let digits = [UInt8](repeating: UInt8(ascii: "7"), count: 64)
// The key that tokens have under the secret of these digits.
private let tokenKey = AuthenticationKey(WipedBytes([UInt8](repeating: 0x77, count: 32)), digest: .sha256)

private struct Forms {
    let links: SecureLinks
    let tokens: EdgeTokens
    let policies: SignedPolicies
    let folder: EdgePath
}

private let forms: Forms = {
    do {
        let secrets = try EdgeSecrets([EdgeSecret(digits, named: "fuzz")])
        let key = try SigningKey.generated(named: "fuzz").publicKeyPEM
        let pair = try PolicyKeyPair(id: "K2JCJMDEHXQW5F", key: SessionKey(Array(key.utf8), named: "fuzz"))
        return Forms(
            links: try SecureLinks(secrets: secrets), tokens: try EdgeTokens(secrets: secrets),
            policies: try SignedPolicies(
                keys: PolicyKeyPairs([pair]), origin: "https://d111111abcdef8.cloudfront.net"),
            folder: try EdgePath(folder: "/live/a/"))
    } catch {
        fatalError("\(error)")
    }
}()

/// No request can have a good signature, since the fuzzer does not know the keys.
private func checkAsRequest(_ target: String, cookies: String) {
    guard let request = try? EdgeRequest(target: target, cookies: cookies) else { return }
    let link = try? forms.links.verify(request, opening: forms.folder, at: now)
    let token = try? forms.tokens.verify(request, at: now)
    let policy = try? forms.policies.verify(request, at: now)
    require(link == nil && token == nil && policy == nil, "a grant without a good signature passes")
}

/// The fields of a token under a good HMAC: if they pass, the same token is issued for what they say.
private func checkAsToken(_ fields: String) {
    guard let code = try? tokenKey.code(of: Array(fields.utf8)) else { return }
    let text = "\(fields)~hmac=\(Hex.encode(code))"
    for client in [SessionClient.unbound, .address("192.0.2.7"), .address("2001:db8::77")] {
        guard
            let request = try? EdgeRequest(
                target: "/live/a/1.ts", cookies: "__token__=\(text)", client: client),
            let verified = try? forms.tokens.verify(request, at: now)
        else { continue }
        require(verified.grant.client == client, "a token passes for another client")
        require(now < verified.grant.expires, "a token passes after its end")
        let again = try? forms.tokens.issue(verified.grant)
        require(again?.cookies.first?.value == text, "two texts for one token")
    }
}

/// A path that is taken opens itself alone, or what is below it.
private func checkAsPath(_ text: String) {
    for path in [try? EdgePath(folder: text), try? EdgePath(file: text)] {
        guard let path, let grant = try? EdgeGrant(path: path, expires: now + .minutes(5)),
            let issued = try? forms.links.issue(grant), let prefix = issued.pathPrefix
        else { continue }
        for (target, isOpen) in [
            (path.text, true), ("\(path.text)x", path.isFolder), ("/x\(path.text)", false),
            (String(path.text.dropLast()), false),
        ] {
            guard let request = try? EdgeRequest(target: prefix + target) else {
                require(!isOpen, "a path of a grant cannot be asked for")
                continue
            }
            let verified = try? forms.links.verify(request, opening: path, at: now)
            require((verified != nil) == isOpen, "a link opens the wrong path")
        }
    }
}

private func require(_ condition: Bool, _ message: String) {
    if !condition { fatalError(message) }
}
