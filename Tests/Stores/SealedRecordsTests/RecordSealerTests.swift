import EntitlementValues
import HostSystem
import SealedRecords
import TestVectors
import Testing
import TextCodecs

@Suite struct RecordSealerTests {
    static let content = Array("{\"clientSecret\":\"very secret\"}".utf8)

    let keys: SealingKeys
    let sealer: RecordSealer
    let context: RecordContext

    init() throws {
        keys = try SealingKeys.generate(id: "first")
        sealer = RecordSealer(keys)
        context = RecordContext(
            purpose: .device, schema: 1, key: try sealer.key(of: "device 1", for: .device), version: 7)
    }

    private func seal(_ sealer: RecordSealer? = nil) throws -> [UInt8] {
        try Self.content.withSpan { content throws(SealingError) in
            try (sealer ?? self.sealer).seal(content, in: context)
        }
    }

    private func open(
        _ stored: [UInt8],
        with sealer: RecordSealer? = nil,
        in context: RecordContext? = nil
    ) throws(SealingError) -> [UInt8] {
        try (sealer ?? self.sealer).open(stored, in: context ?? self.context)
            .withSpan { bytes in bytes.indices.map { bytes[$0] } }
    }

    // MARK: Sealing

    @Test func `What is sealed opens and shows nothing`() throws {
        let stored = try seal()
        #expect(try open(stored) == Self.content)
        #expect(!String(decoding: stored, as: UTF8.self).contains("secret"))
        // Neither the same bytes nor the same salt twice.
        let again = try seal()
        #expect(again != stored)
        #expect(again.count == stored.count)
        #expect(again[14..<42] != stored[14..<42])
    }

    @Test func `A record opens nowhere else`() throws {
        let stored = try seal()
        let other = try sealer.key(of: "device 2", for: .device)
        let places = [
            RecordContext(purpose: .device, schema: 1, key: other, version: 7),
            RecordContext(purpose: .device, schema: 1, key: context.key, version: 8),
            RecordContext(purpose: .device, schema: 2, key: context.key, version: 7),
            RecordContext(purpose: .subject, schema: 1, key: context.key, version: 7),
            RecordContext(purpose: "devic", schema: 0x6500_0001, key: context.key, version: 7),
        ]
        for place in places {
            #expect(throws: SealingError.doesNotOpen(keyID: "first")) { try open(stored, in: place) }
        }
    }

    @Test func `The schema in the header is bound too`() throws {
        var stored = try seal()
        #expect(try RecordSealer.schema(of: stored) == 1)
        stored[7] = 2
        #expect(try RecordSealer.schema(of: stored) == 2)
        let claimed = RecordContext(purpose: .device, schema: 2, key: context.key, version: 7)
        #expect(throws: SealingError.doesNotOpen(keyID: "first")) { try open(stored, in: claimed) }
    }

    // MARK: Keys

    @Test func `Every key of the ring opens and the newest seals`() throws {
        let rotated = try keys.addingKey(id: "second")
        let old = try seal()
        let new = try seal(RecordSealer(rotated))
        #expect(try open(old, with: RecordSealer(rotated)) == Self.content)
        #expect(try open(new, with: RecordSealer(rotated)) == Self.content)
        #expect(throws: SealingError.unknownKey(id: "second")) { try open(new) }
        #expect(String(decoding: new, as: UTF8.self).contains("second"))
        #expect(try RecordSealer(rotated).key(of: "device 1", for: .device) == context.key)
    }

    @Test func `Another key of the same name does not open`() throws {
        let other = try SealingKeys.generate(id: "first")
        let stored = try seal()
        let error = #expect(throws: SealingError.doesNotOpen(keyID: "first")) {
            try open(stored, with: RecordSealer(other))
        }
        #expect(error?.code == "record_does_not_open")
        #expect(error?.description.contains("first") == true)
    }

    @Test func `Sealed and unsealed records are not mixed up`() throws {
        let sealed = try seal(), plain = try seal(.unsealed)
        #expect(try open(plain, with: .unsealed) == Self.content)
        #expect(throws: SealingError.notSealed) { try open(plain) }
        #expect(throws: SealingError.isSealed(keyID: "first")) { try open(sealed, with: .unsealed) }
        // A sealed record that is made to look unsealed gives nothing to read.
        var disguised = sealed
        disguised[3] = 0
        #expect(throws: SealingError.notSealed) { try open(disguised) }
    }

    @Test func `Places tell nothing and depend on name and purpose`() throws {
        let names: [(String, RecordPurpose)] = [
            ("a", .device), ("a", .subject), ("a", .activationCode), ("b", .device), ("", .device),
            ("e\u{301}", .device),
            ("\u{E9}", .device), ("cea", "devi"), ("a", "device\u{0}"),
        ]
        let places = try names.map { try sealer.key(of: $0.0, for: $0.1) }
        #expect(Set(places).count == names.count)
        let others = try names.map { try RecordSealer(SealingKeys.generate(id: "first")).key(of: $0.0, for: $0.1) }
        #expect(Set(places).isDisjoint(with: others))
        let unsealed = try names.map { try RecordSealer.unsealed.key(of: $0.0, for: $0.1) }
        #expect(Set(unsealed).count == names.count)
        #expect(unsealed == (try names.map { try RecordSealer.unsealed.key(of: $0.0, for: $0.1) }))
    }

    // MARK: Damage

    @Test func `No other form is read`() throws {
        let stored = try seal()
        for count in 0..<42 {
            #expect(throws: SealingError.malformedRecord) { try open(Array(stored.prefix(count))) }
        }
        for count in 42..<stored.count {
            #expect(throws: SealingError.doesNotOpen(keyID: "first")) { try open(Array(stored.prefix(count))) }
        }
        var newer = stored
        newer[3] = 2
        #expect(throws: SealingError.newerForm) { try open(newer) }
        var unnamed = stored
        unnamed[8] = 0
        #expect(throws: SealingError.malformedRecord) { try open(unnamed) }
        var strange = stored
        strange[9] = 0x1B
        #expect(throws: SealingError.malformedRecord) { try open(strange) }
    }

    /// Bits are flipped, bytes changed, removed, repeated and moved.
    @Test func `Of ten thousand changed records none opens`() throws {
        let rotated = RecordSealer(try keys.addingKey(id: "first.2"))
        let stored = [try seal(), try seal(rotated)]
        var random = Noise(seed: 5)
        var codes: [String: Int] = [:]
        for turn in 0..<10_000 {
            let original = stored[turn % 2]
            var changed = original
            for _ in 0...Int.random(in: 0...3, using: &random) {
                let place = changed.isEmpty ? 0 : Int.random(in: changed.indices, using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0 where !changed.isEmpty: changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 1 where !changed.isEmpty: changed[place] = .random(in: 0...255, using: &random)
                case 2 where !changed.isEmpty: changed.remove(at: place)
                case 3: changed.insert(.random(in: 0...255, using: &random), at: place)
                case 4: changed.removeLast(min(changed.count, Int.random(in: 0...40, using: &random)))
                default: changed.swapAt(changed.startIndex, place)
                }
                if changed.isEmpty { changed = [0] }
            }
            guard changed != original else { continue }
            do throws(SealingError) {
                _ = try open(changed, with: rotated)
                Issue.record("a changed record opened: \(Hex.encode(changed))")
            } catch {
                codes[error.code, default: 0] += 1
            }
        }
        #expect(codes.values.reduce(0, +) > 9000)
        let expected: Set = [
            "record_does_not_open", "record_malformed", "record_newer_form", "record_not_sealed", "sealing_key_unknown",
        ]
        #expect(Set(codes.keys).isSubset(of: expected))
        #expect(codes["record_does_not_open", default: 0] > 3000)
    }
}
