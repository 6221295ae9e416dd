// Verifies any bytes as a token, and checks what must hold for every verdict.

import EntitlementKeys
import EntitlementValues
import MediaTokens

/// Checks one input; libFuzzer calls it.
@c(LLVMFuzzerTestOneInput)
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// The moment at which most vectors are verified.
private let now = Timestamp(milliseconds: 1_768_498_260_000)
private let anything = TokenExpectations(requestor: .unchecked, resource: .unchecked)
private let oneThing = TokenExpectations(requestor: "REF30", resource: "TestChannel")

private let verifier: MediaTokenVerifier = {
    // Read from the source tree, so that the seeds' signatures are good here.
    let keys = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/Vectors/keys/"
    do {
        return MediaTokenVerifier(
            keys: try VerificationKeys(contentsOf: [
                keys + "test-only-issuer-1024.spki.pem", keys + "test-only-issuer-2048.spki.pem",
            ])
        )
    } catch {
        fatalError("\(error)")
    }
}()

private func check(_ bytes: [UInt8]) {
    let verdict = verifier.verdict(on: bytes.span, expecting: anything, at: now)
    checkParts(of: verdict)

    require(isSame(verdict, verifier.verdict(on: bytes.span, expecting: anything, at: now)), "one input, one verdict")
    if let text = String(validating: bytes, as: UTF8.self) {
        require(isSame(verdict, verifier.verdict(on: text, expecting: anything, at: now)), "text and bytes agree")
    }

    let strict = verifier.verdict(on: bytes.span, expecting: oneThing, at: now)
    checkParts(of: strict)
    require(strict.authenticClaims == verdict.authenticClaims, "expectations do not change claims")
    if case .success(let token) = strict.result {
        require(token.requestor == "REF30" && token.resource == "TestChannel", "valid means expected")
        require(verdict.status == .validToken, "an expectation accepts nothing new")
    }

    guard case .success(let token) = verdict.result else { return }
    require(now <= token.expires, "valid means not expired")
    require(token.issued <= now + .seconds(60), "valid means issued")
    // The diagnosis reads `+` as a space only if it can read no claims else: a signature would be needed to confirm that.
    if token.layers.plusWasSpace { return }
    guard let unverified = try? UnverifiedMediaToken(parsing: bytes.span) else {
        fatalError("the diagnosis reads what is valid")
    }
    require(unverified.claims == .success(token.claims), "the diagnosis reads the same claims")
}

private func checkParts(of verdict: MediaTokenVerdict) {
    require((verdict.status == .validToken) == (verdict.code == "valid"), "status and code agree")
    require(verdict.status != .errorUnknown, "every input can be decided")
    require(verdict.authenticClaims == nil || verdict.key != nil, "no claims without a key")
    require(verdict.detail.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "the detail is one line")
    switch verdict.result {
    case .success(let token):
        require(verdict.status == .validToken, "a token means valid")
        require(verdict.authenticClaims == token.claims, "the token says what its claims say")
        require(verdict.key?.fingerprint == token.key.fingerprint, "the token names its key")
    case .failure(let error):
        require(verdict.status != .validToken, "no token means not valid")
        if case .badSignature = error { require(verdict.key == nil, "no key without a signature") }
        if case .tooLarge = error { require(verdict.key == nil, "nothing is known of a text too large") }
    }
}

private func isSame(_ one: MediaTokenVerdict, _ other: MediaTokenVerdict) -> Bool {
    one.status == other.status && one.code == other.code && one.detail == other.detail
        && one.authenticClaims == other.authenticClaims && one.key?.fingerprint == other.key?.fingerprint
}

private func require(_ holds: Bool, _ claim: StaticString) {
    if !holds { fatalError("broken: \(claim)") }
}
