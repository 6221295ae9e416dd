import Foundation
import Synchronization
import TVETokens

/// The number of cores to use.
public let processorCount = ProcessInfo.processInfo.activeProcessorCount

extension Workload {
    /// The parts of a verification that can be timed through public calls.
    ///
    /// The cost of decoding is the difference between Base64 and plain.
    static func phases(_ issuer: Issuer) throws -> [Workload] {
        let plain = try issuer.token()
        let wrapped = try issuer.token(base64Layers: 1)
        let signed = try TokenParts(of: plain).signed
        let floor = issuer.floor
        let requestors = RequestorVerifier(keys: issuer.keys)
        let signature = try RequestorSigner(key: issuer.signing).sign("REF30")
        return [
            Workload("phase: SHA-256 of the signed bytes, libcrypto alone", floor: issuer.floorName) {
                floor.digest(signed)
            },
            Workload("phase: RSA (a signed requestor ID), \(issuer.bits) bits", floor: issuer.floorName) {
                try requestors.verify(signature, of: "REF30").bits == issuer.bits
            },
            Workload("phase: scanning, with a text made of each element (plain)", floor: issuer.floorName) {
                try UnverifiedMediaToken(parsing: plain.span).elements.count > 5
            },
            Workload("phase: decoding and scanning, with a text made of each element (Base64)", floor: issuer.floorName)
            {
                try UnverifiedMediaToken(parsing: wrapped.span).elements.count > 5
            },
            Workload("phase: a date", floor: issuer.floorName) {
                Timestamp("2026-11-20 10:00:00 -0800") != nil
            },
        ]
    }

    /// The step that makes a verified token pass once.
    static var redemption: Workload {
        Workload(
            "redeem: in memory, beside a million live redemptions",
            repeated: { times in
                try UsedTokens.shared.get().redeem(times)
            })
    }

    static func decryptions(_ issuer: Issuer) throws -> [Workload] {
        let floor = issuer.floor
        let keys = try DecryptionKeys(contentsOfFile: issuer.path)
        let decrypter = MetadataDecrypter(keys: keys)
        let remembering = MetadataDecrypter(keys: keys, memo: MetadataMemo(capacity: 1000))
        let name = "floor: EVP_PKEY_decrypt of one block, \(issuer.bits) bits"
        let block = try floor.encrypt(Array("77754".utf8))
        let short = Data(block).base64EncodedString()
        // Enough postal codes to fill two blocks and a part of a third.
        let list = "[\((10_000..<10_070).map { "\"\($0)\"" }.joined(separator: ","))]"
        let bytes = Array(list.utf8)
        let room = issuer.bits / 8 - 11
        let blocks = try stride(from: 0, to: bytes.count, by: room).flatMap {
            try floor.encrypt(Array(bytes[$0..<min($0 + room, bytes.count)]))
        }
        guard blocks.count == 3 * block.count else { throw WorkloadError.wrongOutcome("three blocks") }
        let long = Data(blocks).base64EncodedString()
        return [
            Workload(name, isLong: true, repeated: { floor.decrypt(block, times: $0) }),
            Workload("decrypt: one block, \(issuer.bits) bits", floor: name, isLong: true) {
                try decrypter.decrypt(short, of: .zip).text == "77754"
            },
            Workload("decrypt: three blocks, \(issuer.bits) bits", floor: name, isLong: true) {
                try decrypter.decrypt(long, of: .zip).text == list
            },
            Workload("decrypt: one block, remembered", floor: name) {
                try remembering.decrypt(short, of: .zip).text == "77754"
            },
        ]
    }

    static func signing(_ issuer: Issuer) -> [Workload] {
        let floor = issuer.floor
        let signer = RequestorSigner(key: issuer.signing)
        let text = Array("REF30".utf8)
        let name = "floor: SHA-256 and EVP_PKEY_sign, \(issuer.bits) bits"
        return [
            Workload(name, isLong: true) { floor.sign(text) },
            Workload("sign: a requestor ID, \(issuer.bits) bits", floor: name, isLong: true) {
                try !signer.sign("REF30").isEmpty
            },
        ]
    }
}

/// A store with a million live redemptions, made when it is first used: with each new redemption, an old one expires.
private final class UsedTokens: Sendable {
    static let shared = Result { try UsedTokens() }

    /// How long a redemption is held: a token's 7 minutes, and the 15 that a verifier adds.
    private static let held = TimeToLive.minutes(22)

    private let time = PassingTime(microsecondsPerStep: UsedTokens.held.milliseconds * 1000 / 1_000_000)
    private let store: InMemoryReplayStore

    private init() throws {
        store = InMemoryReplayStore(capacity: 2_000_000, time: time.source)
        // The second million replaces the first.
        guard try redeem(2_000_000) else { throw WorkloadError.wrongOutcome("redeeming") }
    }

    /// Redeems new IDs, which are as evenly distributed as digests but cheaper to make.
    func redeem(_ times: Int) throws -> Bool {
        var state = UInt64.random(in: 0 ... .max)
        var bytes = [UInt8](repeating: 0, count: 32)
        for _ in 0..<times {
            bytes.withUnsafeMutableBytes { room in
                for offset in stride(from: 0, to: 32, by: 8) {
                    state &+= 0x9E37_79B9_7F4A_7C15
                    var word = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
                    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
                    room.storeBytes(of: word ^ word >> 31, toByteOffset: offset, as: UInt64.self)
                }
            }
            time.step()
            let now = time.now
            guard let id = ReplayID(digest: bytes.span),
                try store.redeem(id, until: now + Self.held, at: now) == .first
            else { return false }
        }
        return true
    }
}

/// A clock that advances with each redemption.
private final class PassingTime: Sendable {
    private let microseconds = Atomic(Timestamp.now.milliseconds * 1000)
    private let stepWidth: Int64

    init(microsecondsPerStep: Int64) { stepWidth = microsecondsPerStep }

    var now: Timestamp { Timestamp(milliseconds: microseconds.load(ordering: .relaxed) / 1000) }

    func step() { microseconds.add(stepWidth, ordering: .relaxed) }

    /// The time as a store takes it: without a leap of the time of day, which a store would not believe.
    var source: TimeSource { TimeSource(EvenClock(time: self)) { self.now } }

    private struct EvenClock: Clock {
        struct Instant: InstantProtocol {
            let uptime: Duration

            func advanced(by duration: Duration) -> Instant { Instant(uptime: uptime + duration) }
            func duration(to other: Instant) -> Duration { other.uptime - uptime }
            static func < (one: Instant, other: Instant) -> Bool { one.uptime < other.uptime }
        }

        let time: PassingTime

        var now: Instant { Instant(uptime: .microseconds(time.microseconds.load(ordering: .relaxed))) }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
    }
}
