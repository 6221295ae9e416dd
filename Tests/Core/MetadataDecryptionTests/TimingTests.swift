import EntitlementKeys
import Foundation
import MetadataDecryption
import TestVectors
import Testing
import TextCodecs

/// Measures how long a decryption takes to fail, by the kind of fault; only on request, since it takes minutes.
///
///     TVE_TIMING=10000 swift test -c release --disable-xctest --filter TimingTests
///
/// Every round decrypts one value of each kind, in a new random order. Each value is used only in every 64th round, so that
/// neither the state of the machine nor one unusual value decides the result of a kind.
@Suite(.serialized, .enabled(if: Measuring.count != nil, "set TVE_TIMING to a number of decryptions of each kind"))
struct TimingTests {
    static let attribute = MetadataAttribute.zip

    @Test func `Kinds of failure take the same time`() throws {
        let rounds = try #require(Measuring.count)
        let keys = try TestRing.keys("issuer-\(Measuring.bits)")
        let decrypter = MetadataDecrypter(keys: keys)
        var noise = Noise(seed: 4)
        let kinds = BadBlock.allCases
        let values = try kinds.map { kind in
            try (0..<64).map { _ in Base64.encode(try kind.value(for: keys, &noise)) }
        }
        var times = kinds.map { _ in [Double]() }
        for round in -64..<rounds {
            for index in kinds.indices.shuffled(using: &noise) {
                let value = values[index][(round + 64) % 64]
                let time = Measuring.time { _ = try? decrypter.decrypt(value, of: Self.attribute) }
                if round >= 0 { times[index].append(time) }
            }
        }
        print(
            "\(rounds * kinds.count) decryptions with \(Measuring.bits) bits; medians, and how far they are from firstByte:"
        )
        let reference = times[1]
        for (kind, times) in zip(kinds, times) {
            let difference = times.median - reference.median
            let interval = Self.interval(times, reference, &noise)
            let z = Self.signs(times, reference)
            print(
                "\(kind): \(Self.microseconds(times.median)) us, difference \(Self.microseconds(difference)) us"
                    + " (95 %: \(Self.microseconds(interval.low)) to \(Self.microseconds(interval.high))), sign test z = "
                    + String(format: "%.1f", z))
            // A number above the modulus is visible without the key, and is refused at once.
            if kind != .notBelowModulus { #expect(abs(difference) < 1000, "\(kind)") }
        }
    }

    /// The confidence interval of the difference of two medians, by bootstrap.
    static func interval(_ one: [Double], _ other: [Double], _ noise: inout Noise) -> (low: Double, high: Double) {
        let differences = (0..<200).map { _ in
            let drawn = one.indices.map { _ in Int.random(in: one.indices, using: &noise) }
            return drawn.map { one[$0] }.median - drawn.map { other[$0] }.median
        }
        return differences.middle(0.95)
    }

    /// The sign test: how unlikely it is that one is longer in so many rounds, in standard deviations.
    static func signs(_ one: [Double], _ other: [Double]) -> Double {
        let longer = zip(one, other).count { $0 > $1 }
        let different = zip(one, other).count { $0 != $1 }
        return different == 0 ? 0 : Double(2 * longer - different) / Double(different).squareRoot()
    }

    static func microseconds(_ nanoseconds: Double) -> String { String(format: "%.3f", nanoseconds / 1000) }
}
