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

/// The public half of a test key, whose signature is in DER.
private let p256 = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAESfi/4/6oQ4dr+Oc7EO2JDmqMUvMG
    uHK+Vzx/joFE5MrG0mho8wcPIAC/+X3ai36nXw5lsRfrB3ee6azy4f+vGg==
    -----END PUBLIC KEY-----
    """

private struct Forms {
    let links: SecureLinks
    let tokens: EdgeTokens
    let policies: [SignedPolicies]
    let folder: EdgePath
}

private let forms: Forms = {
    do {
        let secrets = try EdgeSecrets([EdgeSecret(digits, named: "fuzz")])
        let keys = try [
            ("K2JCJMDEHXQW5F", SigningKey.generated(named: "fuzz").publicKeyPEM), ("K3P256", p256),
        ].map { id, key in try PolicyKeyPair(id: id, key: SessionKey(Array(key.utf8), named: "fuzz")) }
        let origin = "https://d111111abcdef8.cloudfront.net"
        return Forms(
            links: try SecureLinks(secrets: secrets), tokens: try EdgeTokens(secrets: secrets),
            policies: [
                try SignedPolicies(keys: PolicyKeyPairs(keys), origin: origin),
                try SignedPolicies(keys: PolicyKeyPairs([keys[0]]), origin: origin, usingLegacySHA1: true),
            ],
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
    let policies = forms.policies.compactMap { try? $0.verify(request, at: now) }
    require(link == nil && token == nil && policies.isEmpty, "a grant without a good signature passes")
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
