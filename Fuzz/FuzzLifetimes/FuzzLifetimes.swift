// Everything that a ledger reads: AuthN and AuthZ tokens under a good signature, their dates, snapshots.

import EntitlementKeys
import EntitlementValues
import MediaTokens
import OpenSSLBridge
import TextCodecs
import TokenLifetimes

/// Checks one input; libFuzzer calls it.
@c(LLVMFuzzerTestOneInput)
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    // Signing takes most of the time of an input, so only a possible signed text is signed.
    if bytes.first == UInt8(ascii: "<") { checkToken(bytes) }
    checkUnsigned(bytes)
    checkDate(String(decoding: bytes, as: UTF8.self))
    checkSnapshot(String(decoding: bytes, as: UTF8.self))
    return 0
}

private let time = TimeSource.fixed(at: Timestamp(milliseconds: 1_768_498_200_000))

private struct Issuer {
    let key: SigningKey
    let verifier: EntitlementTokenVerifier
}

private let issuer: Issuer = {
    let folder = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    do {
        // 1024 bits, which is fast: the code is the same for all sizes.
        let path = folder + "/Vectors/keys/test-only-issuer-1024.pkcs8.pem"
        let key = try SigningKey(contentsOfFile: path, allowingWeakKeys: true)
        return Issuer(key: key, verifier: EntitlementTokenVerifier(keys: try VerificationKeys(of: key)))
    } catch {
        fatalError("\(error)")
    }
}()

private let marker = Array("<signatureInfo>".utf8)

// MARK: Tokens

private func checkToken(_ signedText: [UInt8]) {
    let signature: [UInt8]
    do {
        let digest = try Digest.sha256.hash(signedText.span, in: 0..<signedText.count)
        signature = try issuer.key.sign(digest: digest, algorithm: .sha256)
    } catch {
        fatalError("\(error)")
    }
    let plain = marker + Array(Base64.encode(signature).utf8) + marker + signedText
    let token = outcome(plain)
    require(token != .failure("bad_signature"), "a good signature is good with any text")
    require(token != .failure("internal"), "every input can be decided")
    if String(validating: plain, as: UTF8.self) != nil, !plain.contains(0) {
        require(token == outcome(escaped(plain)), "escaped or not, it is the same token")
    }
    let media = UnverifiedRoot(plain)
    if media.isMediaToken { require(!token.isGood, "a media token is never taken") }
}

/// The result of a verification, in a form that can be compared.
private enum Outcome: Equatable {
    case grant(Entitlement, Timestamp?, DeviceID?)
    case failure(String)

    var isGood: Bool { if case .grant = self { true } else { false } }
}

private func outcome(_ bytes: [UInt8]) -> Outcome {
    do throws(EntitlementTokenError) {
        let token = try issuer.verifier.verify(bytes.span)
        checkRecording(token)
        return .grant(token.entitlement, token.expires, token.device)
    } catch {
        require(error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "an error is one line")
        return .failure(error.code)
    }
}

private func checkRecording(_ token: VerifiedEntitlementToken) {
    let ledger = EntitlementLedger(time: time)
    do throws(LedgerError) {
        let outcome = try ledger.record(token)
        require(outcome == .recorded, "an empty ledger takes every token")
        require(ledger.expiry(of: token.entitlement) == token.expires, "the end is the token's")
        let isGood = token.expires.map { $0 > time.now } ?? false
        require(ledger.status(of: token.entitlement).isGood == isGood, "good until the end")
        let again = try EntitlementLedger(snapshot: ledger.snapshot, time: time)
        require(again.entries == ledger.entries && again.device == ledger.device, "a snapshot holds everything")
    } catch {
        fatalError("broken: a verified token is recorded: \(error)")
    }
}

private func escaped(_ bytes: [UInt8]) -> [UInt8] {
    bytes.flatMap { byte -> [UInt8] in
        switch byte {
        case UInt8(ascii: "<"): Array("&lt;".utf8)
        case UInt8(ascii: ">"): Array("&gt;".utf8)
        case UInt8(ascii: "&"): Array("&amp;".utf8)
        default: [byte]
        }
    }
}

/// The result of the diagnosis of media tokens.
private struct UnverifiedRoot {
    let isMediaToken: Bool

    init(_ bytes: [UInt8]) {
        let root = (try? UnverifiedMediaToken(parsing: bytes.span))?.root
        isMediaToken = root == "authToken" || root == "shortAuthorizationToken"
    }
}

/// Without a good signature no text is a token.
private func checkUnsigned(_ bytes: [UInt8]) {
    // A text with a good signature in it may be a seed.
    guard case .grant = outcome(bytes) else { return }
    require(bytes.count > 100, "a grant takes a signature")
}

// MARK: Dates and snapshots

private func checkDate(_ text: String) {
    guard let instant = Timestamp(tokenDate: text) else { return }
    require(Timestamp(text) == instant, "one date, one instant")
    require(!instant.description.isEmpty, "an instant can be shown")
}

private func checkSnapshot(_ text: String) {
    // With a correct checksum, so that the fields are reached.
    for candidate in [text, summed(text)] {
        do throws(LedgerError) {
            let ledger = try EntitlementLedger(snapshot: candidate, time: time)
            let snapshot = ledger.snapshot
            let again = try EntitlementLedger(snapshot: snapshot, time: time)
            require(again.snapshot.utf8.elementsEqual(snapshot.utf8), "a snapshot of a snapshot is the same")
            require(again.entries == ledger.entries, "a snapshot holds everything")
        } catch {
            require(error.code.hasPrefix("snapshot_"), "a text is a snapshot or is named")
        }
    }
}

private func summed(_ text: String) -> String {
    var bytes = Array(text.utf8)
    // A seed has a last member already.
    if bytes.count > 31, bytes.suffix(31).starts(with: Array(",\"checksum\":\"".utf8)) { bytes.removeLast(31) }
    var sum: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let digits = String(sum, radix: 16)
    let padding = String(repeating: "0", count: 16 - digits.utf8.count)
    return String(decoding: bytes, as: UTF8.self) + ",\"checksum\":\"\(padding)\(digits)\"}"
}

private func require(_ holds: Bool, _ claim: StaticString) {
    if !holds { fatalError("broken: \(claim)") }
}
