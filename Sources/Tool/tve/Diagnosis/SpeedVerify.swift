#if CLI
import ArgumentParser
import EntitlementKeys
import EntitlementValues
import MediaTokens
import OpenSSLReference
import TVETesting
import TextCodecs

struct SpeedVerify: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Time whole verifications of media tokens.",
        discussion: """
            Examples:
              tve speed verify
              tve speed verify --key programmer.key --seconds 10

            ours is a whole verification, from the text to the verified token. floor is SHA-256 and EVP_PKEY_verify of \
            the same bytes, with digest, context and signature prepared in advance: the least that EVP needs. usual is \
            EVP_DigestVerifyInit and EVP_DigestVerify, as in OpenSSL's manual. The private key only makes the token.

            Exit codes: 0 done; 64 usage; 66 no such key file; 69 OpenSSL failed; 74 output failed; 78 bad key.
            """
    )

    @OptionGroup var speed: SpeedOptions
    var output: OutputForm { speed.output }

    func run() throws {
        try speed.run(measure)
    }

    private func measure(_ key: SigningKey) throws -> SpeedResult {
        let issued = Timestamp(milliseconds: 1_768_498_200_000)
        let issuer = TestMediaTokenIssuer(key: key)
        let claims = TestTokenClaims(requestor: "REF30", resource: "TestChannel", issued: issued)
        guard let token = try? issuer.issue(claims), let keys = try? issuer.verificationKeys,
            let start = token.firstIndex(of: UInt8(ascii: ">")),
            let signatureEnd = token[start...].firstIndex(of: UInt8(ascii: "<")),
            let textStart = token[signatureEnd...].firstIndex(of: UInt8(ascii: ">")),
            let signature = Base64.decode(Array(token[(start + 1)..<signatureEnd]), options: .canonical),
            let reference = try? ReferenceVerifier(key: ReferenceKey(copying: key.storage.key))
        else { throw SpeedOptions.failed }
        let text = Array(token[(textStart + 1)...])
        let verifier = MediaTokenVerifier(keys: keys)
        let expectations = TokenExpectations(requestor: "REF30", resource: "TestChannel")
        let times = SpeedRounds(seconds: speed.seconds).times([
            {
                if case .success = verifier.verdict(on: token, expecting: expectations, at: issued).result {
                    true
                } else {
                    false
                }
            },
            { reference.verifyPrepared(signature, of: text) },
            { reference.verifyUsual(signature, of: text) },
        ])
        guard let times else { throw SpeedOptions.failed }
        return SpeedResult(
            operation: "verify", bits: key.bits, ours: times[0], floor: times[1],
            other: ("usual", times[2]))
    }
}
#endif
