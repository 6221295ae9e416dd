// Verifies a token a fixed number of times; .ci/cost_check.py runs it under valgrind to count instructions and
// allocations.

import EntitlementKeys
import EntitlementValues
import MediaTokens
import TVETesting

@main
enum VerificationWork {
    /// Takes a private key file, the number of verifications, and `good` or `malformed`.
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let count = Int(arguments[2]), ["good", "malformed"].contains(arguments[3]) else {
            print("usage: VerificationWork KEYFILE COUNT good|malformed")
            return
        }
        let issued = Timestamp(milliseconds: 1_768_498_200_000)
        let issuer = TestMediaTokenIssuer(key: try SigningKey(contentsOfFile: arguments[1], allowingWeakKeys: true))
        let claims = TestTokenClaims(requestor: "REF30", resource: "TestChannel", issued: issued)
        var token = try issuer.issue(claims)
        if arguments[3] == "malformed" { token.removeFirst() }
        let verifier = MediaTokenVerifier(keys: try issuer.verificationKeys)
        let expectations = TokenExpectations(requestor: "REF30", resource: "TestChannel")
        var passed = 0
        for _ in 0..<count {
            if (try? verifier.verify(token.span, expecting: expectations, at: issued)) != nil { passed += 1 }
        }
        print(passed)
    }
}
