import EntitlementValues
import PlaybackSessions
import Testing
import TextCodecs

@Suite struct `The text of a session` {
    @Test(arguments: SessionAlgorithm.allCases)
    func `Says what was signed`(_ algorithm: SessionAlgorithm) throws {
        let key = try Samples.key(algorithm)
        let session = try Samples.session("a \"resource\" with ü and \u{1}")
        let issued = try Samples.issuer(key).issue(session)
        let verified = try Samples.verifier(key).verify(
            issued.text, expecting: Samples.expectations(session.resource), at: Samples.now)
        #expect(verified.session == session)
        #expect(verified.keyID == key.id)
        let unverified = try UnverifiedPlaybackSession(parsing: issued.text)
        #expect(unverified.session == session)
        #expect(unverified.algorithm == algorithm && unverified.issuer == Samples.issuerName && !unverified.isBound)
    }

    @Test(arguments: SessionAlgorithm.allCases)
    func `Has one spelling: no changed character is good`(_ algorithm: SessionAlgorithm) throws {
        let key = try Samples.key(algorithm)
        let text = try Samples.issuer(key).issue(Samples.session()).text
        let verifier = try Samples.verifier(key)
        #expect(verifier.code(text) == "valid")
        var bytes = Array(text.utf8)
        for index in bytes.indices {
            let good = bytes[index]
            for other in [
                UInt8(ascii: "A"), UInt8(ascii: "w"), UInt8(ascii: "."), UInt8(ascii: "="), good ^ 1, good ^ 0x20,
            ]
            where other != good {
                bytes[index] = other
                #expect(verifier.code(String(decoding: bytes, as: UTF8.self)) != "valid", "byte \(index)")
            }
            bytes[index] = good
        }
    }

    @Test(arguments: SessionAlgorithm.allCases)
    func `Has at most 8,192 bytes, as is known before it is signed`(_ algorithm: SessionAlgorithm) throws {
        let issuer = try Samples.issuer(Samples.key(algorithm))
        let most = PlaybackSessionIssuer.maximumLength
        let about = (most - (try issuer.issue(Samples.session("r")).text.utf8.count)) * 3 / 4
        var lengths: [Int] = []
        for count in about - 8...about + 8 {
            let session = try Samples.session(ResourceID(String(repeating: "r", count: count)))
            do throws(PlaybackSessionError) {
                try issuer.check(session)
                lengths.append(try issuer.issue(session).text.utf8.count)
            } catch {
                #expect(error == .unsuitable(.sessionLength))
                #expect(throws: error) { try issuer.check(session) }
                #expect(error.description.contains("longer than 8192 bytes; take a shorter name"))
            }
        }
        #expect(lengths.count < 17 && most - 3...most ~= lengths.last ?? 0, "\(lengths)")
    }
}
