import EntitlementKeys
import EntitlementValues
import MediaTokens
import OpenSSLBridge
import Synchronization
import TVETesting
import TestVectors
import Testing
import TextCodecs
import TokenRedemption

/// Verifying with one-time use.
@Suite struct RedeemingTests {
    static let now = Timestamp(milliseconds: 1_768_498_200_000)
    static let expectations = TokenExpectations(requestor: "REF30", resource: "DemoChannel")
    static let claims = TestTokenClaims(requestor: "REF30", resource: "DemoChannel", issued: now)

    let issuer: TestMediaTokenIssuer
    let verifier: MediaTokenVerifier

    init() throws {
        issuer = TestMediaTokenIssuer(
            key: try SigningKey(contentsOfFile: Vectors.key("test-only-issuer-2048.pkcs8.pem")))
        verifier = MediaTokenVerifier(keys: try issuer.verificationKeys)
    }

    private func store() -> InMemoryReplayStore {
        InMemoryReplayStore(capacity: 1000, time: .fixed(at: Self.now))
    }

    @Test func `A token passes once`() async throws {
        let token = try issuer.issueText(Self.claims)
        let store = store()
        let first = await verifier.verdict(
            on: token, expecting: Self.expectations, at: Self.now, redeemingIn: store)
        let second = await verifier.verdict(
            on: token, expecting: Self.expectations, at: Self.now, redeemingIn: store)
        #expect(first.code == "valid")
        #expect(second.code == "replayed")
        #expect(second.status == .tokenReplayed)
        #expect(second.status.rawValue == "TOKEN_REPLAYED")
        #expect(second.status.httpStatus == 403)
        #expect(second.status.exitCode == 16)
        #expect(second.authenticClaims == first.authenticClaims)
        #expect(second.key != nil)
        await #expect(throws: MediaTokenError.replayed) {
            try await verifier.verify(token, expecting: Self.expectations, at: Self.now, redeemingIn: store)
        }
        let bytes = Array(token.utf8)
        await #expect(throws: MediaTokenError.replayed) {
            try await verifier.verify(bytes.span, expecting: Self.expectations, at: Self.now, redeemingIn: store)
        }
        await #expect(throws: MediaTokenError.replayed) {
            try await verifier.verify(bytes, expecting: Self.expectations, at: Self.now, redeemingIn: store)
        }
    }

    /// Else a store that counts by its own clock would forget it too early, if the clock here was ahead.
    @Test(arguments: [-20, 0, 300]) func `A token is remembered for all of its life`(secondsAfterIssue: Int64)
        async throws
    {
        let store = AskedStore()
        let now = Self.now + .seconds(secondsAfterIssue)
        let token = try await verifier.verify(
            try issuer.issueText(Self.claims), expecting: Self.expectations, at: now, redeemingIn: store)
        let (until, at) = try #require(store.last.withLock { $0 })
        #expect(until == token.replayableUntil && until >= token.expires + .minutes(15))
        #expect(at == min(now, token.issued))
    }

    /// Keeps what it was asked for last.
    private final class AskedStore: ReplayStore {
        let last = Mutex<(until: Timestamp, at: Timestamp)?>(nil)

        func redeem(
            _ id: ReplayID,
            until expiry: Timestamp,
            at now: Timestamp
        ) async throws(ReplayStoreError) -> Redemption {
            last.withLock { $0 = (expiry, now) }
            return .first
        }
    }

    @Test func `Another token of the same subscriber is another token`() async throws {
        let store = store()
        var claims = Self.claims
        for second in 0..<3 {
            claims.issued = Self.now - .seconds(Int64(second))
            let token = try issuer.issueText(claims)
            _ = try await verifier.verify(token, expecting: Self.expectations, at: Self.now, redeemingIn: store)
        }
        #expect(store.count == 3)
    }

    /// Everything that a client can change in a token without the issuer's key.
    static let spellings: [(name: String, change: @Sendable (String) -> String)] = [
        ("as issued", { $0 }),
        ("Base64", { Base64.encode(Array($0.utf8)) }),
        ("Base64 twice", { Base64.encode(Array(Base64.encode(Array($0.utf8)).utf8)) }),
        ("URL-safe Base64, unpadded", { Base64.encodeURLSafe(Array($0.utf8)) }),
        ("wrapped Base64", { wrapped(Base64.encode(Array($0.utf8))) }),
        ("Base64 of it with white space at both ends", { " \(Base64.encode(Array($0.utf8)))\r\n" }),
        ("Base64 with a space for each plus", { spaced(Base64.encode(Array($0.utf8))) }),
        ("percent-encoded", { percentEncoded($0) }),
        ("the other second marker", { replacingSecondMarker($0) }),
        ("white space in the signature", { replacing("<signatureInfo>", by: "<signatureInfo> \n", in: $0) }),
        ("white space after the signed text", { $0 + " \r\n\t" }),
        ("white space in front", { "\n  " + $0 }),
        ("a byte order mark", { "\u{FEFF}" + $0 }),
    ]

    @Test(arguments: spellings.indices)
    func `Every spelling of a token is the same token`(_ index: Int) async throws {
        let spelling = Self.spellings[index]
        let token = try issuer.issueText(Self.claims)
        let store = store()
        let changed = spelling.change(token)
        let plain = try verifier.verify(token, expecting: Self.expectations, at: Self.now)
        let other = try verifier.verify(changed, expecting: Self.expectations, at: Self.now)
        #expect(plain.replayID == other.replayID, "\(spelling.name)")
        _ = try await verifier.verify(changed, expecting: Self.expectations, at: Self.now, redeemingIn: store)
        await #expect(throws: MediaTokenError.replayed, "\(spelling.name)") {
            try await verifier.verify(token, expecting: Self.expectations, at: Self.now, redeemingIn: store)
        }
    }

    @Test func `A form's plus is repaired before the token is told apart`() throws {
        let token = try issuer.issueText(Self.claims)
        let form = token.replacing(" ", with: "+")
        let one = try verifier.verify(token, expecting: Self.expectations, at: Self.now)
        let other = try verifier.verify(Self.percentEncoded(form), expecting: Self.expectations, at: Self.now)
        #expect(other.layers.plusWasSpace)
        #expect(one.replayID == other.replayID)
    }

    @Test func `The ID is the digest of the signed text whatever signed it`() throws {
        let signed = "<authToken>"
        let token = try issuer.issueText(Self.claims)
        let text = Array(signed.utf8) + Array(try #require(token.components(separatedBy: signed)).utf8)
        let digest = try Digest.sha256.hash(text.span, in: 0..<text.count)
        let parsed = ReplayID(digest: digest.span)
        let id = try #require(parsed)
        #expect(try verifier.verify(token, expecting: Self.expectations, at: Self.now).replayID == id)
        #expect(id.bytes == digest)

        let lenient = MediaTokenVerifier(
            keys: try issuer.verificationKeys, policy: try VerificationPolicy(acceptsLegacySHA1: true))
        let old = try issuer.issueText(Self.claims, fault: .sha1)
        #expect(old != token)
        #expect(try lenient.verify(old, expecting: Self.expectations, at: Self.now).replayID == id)
    }

    @Test(arguments: TestTokenFault.allCases)
    func `A refused token stays unused`(_ fault: TestTokenFault) async throws {
        let store = store()
        let bad = try issuer.issue(Self.claims, fault: fault)
        let verdict = await verifier.verdict(
            on: bad, expecting: Self.expectations, at: Self.now, redeemingIn: store)
        let plain = verifier.verdict(on: bad.span, expecting: Self.expectations, at: Self.now)
        #expect(verdict.code == plain.code)
        #expect(store.count == (plain.status == .validToken ? 1 : 0))
    }

    @Test func `A token refused for its resource is good for the right one`() async throws {
        let store = store()
        let token = try issuer.issueText(Self.claims)
        let other = TokenExpectations(requestor: "REF30", resource: "OtherChannel")
        let refused = await verifier.verdict(on: token, expecting: other, at: Self.now, redeemingIn: store)
        #expect(refused.code == "resource_mismatch")
        _ = try await verifier.verify(token, expecting: Self.expectations, at: Self.now, redeemingIn: store)
    }

    @Test func `A store that cannot answer refuses the token`() async throws {
        let token = try issuer.issueText(Self.claims)
        let verdict = await verifier.verdict(
            on: token, expecting: Self.expectations, at: Self.now, redeemingIn: BrokenStore())
        #expect(verdict.code == "store_unavailable")
        #expect(verdict.status == .errorUnknown)
        #expect(verdict.status.httpStatus == 503)
        #expect(verdict.status.exitCode == 69)
        #expect(verdict.detail.contains("the plug is out"))
        #expect(verdict.authenticClaims?.requestor == "REF30")
        #expect(verdict.key != nil)
        await #expect(throws: MediaTokenError.storeUnavailable(reason: "the plug is out")) {
            try await verifier.verify(token, expecting: Self.expectations, at: Self.now, redeemingIn: BrokenStore())
        }
    }

    @Test func `A full store refuses the token`() async throws {
        let token = try issuer.issueText(Self.claims)
        let full = InMemoryReplayStore(capacity: 0, time: .fixed(at: Self.now))
        let verdict = await verifier.verdict(
            on: token, expecting: Self.expectations, at: Self.now, redeemingIn: full)
        #expect(verdict.code == "store_unavailable")
    }

    /// All hosts must use the same instant, even if their leeways differ.
    @Test func `A redemption lasts as long as any verifier could let the token pass`() async throws {
        let token = try issuer.issueText(Self.claims)
        for leeway in [TimeToLive.zero, .minutes(10)] {
            let store = NotingStore()
            _ = try await verifier.with(leeway: leeway)
                .verify(token, expecting: Self.expectations, at: Self.now, redeemingIn: store)
            let (until, now) = try #require(store.noted)
            #expect(until == Self.now + .minutes(7 + 10 + 5))
            #expect(now == Self.now)
        }
    }

    @Test func `A token in its leeway is still seen`() async throws {
        let time = ManualTime(at: Self.now)
        let store = InMemoryReplayStore(capacity: 20, time: time.source)
        let token = try issuer.issueText(Self.claims)
        let lenient = try verifier.with(leeway: .minutes(10))
        _ = try await verifier.verify(token, expecting: Self.expectations, at: time.now, redeemingIn: store)
        time.set(Self.now + .minutes(17))
        for number in 0..<40 {
            _ = try? store.redeem(.numbered(number), until: time.now + .hours(1), at: time.now)
        }
        await #expect(throws: MediaTokenError.replayed) {
            try await lenient.verify(token, expecting: Self.expectations, at: time.now, redeemingIn: store)
        }
    }
}

extension RedeemingTests {
    private static func wrapped(_ text: String) -> String {
        var lines = ""
        for (index, character) in text.enumerated() { lines += index % 76 == 75 ? "\(character)\r\n" : "\(character)" }
        return lines
    }

    private static func spaced(_ text: String) -> String { text.replacing("+", with: " ") }

    private static func percentEncoded(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            if scalar == "+" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
                return "\(scalar)"
            }
            let hexadecimal = String(scalar.value, radix: 16, uppercase: true)
            return "%" + (hexadecimal.count == 1 ? "0" : "") + hexadecimal
        }.joined()
    }

    private static func replacing(_ part: String, by other: String, in text: String) -> String {
        text.replacing(part, with: other, maxReplacements: 1)
    }

    private static func replacingSecondMarker(_ text: String) -> String {
        "<signatureInfo>" + text.dropFirst(15).replacing("<signatureInfo>", with: "</signatureInfo>")
    }
}

extension String {
    /// The rest after the first occurrence of a text.
    fileprivate func components(separatedBy text: String) -> String? {
        firstRange(of: text).map { String(self[$0.upperBound...]) }
    }
}

private struct BrokenStore: ReplayStore {
    func redeem(_ id: ReplayID, until: Timestamp, at now: Timestamp) throws(ReplayStoreError) -> Redemption {
        throw .unavailable(reason: "the plug is out")
    }
}

private final class NotingStore: ReplayStore {
    private let note = Mutex<(Timestamp, Timestamp)?>(nil)

    var noted: (until: Timestamp, now: Timestamp)? { note.withLock { $0 } }

    func redeem(_ id: ReplayID, until: Timestamp, at now: Timestamp) throws(ReplayStoreError) -> Redemption {
        note.withLock { $0 = (until, now) }
        return .first
    }
}

extension ReplayID {
    /// An ID as evenly spread as a digest, without the cost of one.
    static func numbered(_ number: Int) -> ReplayID {
        var noise = Noise(seed: UInt64(truncatingIfNeeded: number))
        let bytes = (0..<4).flatMap { _ in
            let word = noise.next()
            return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
        guard let id = ReplayID(digest: bytes.span) else { preconditionFailure("32 bytes are a digest") }
        return id
    }
}
