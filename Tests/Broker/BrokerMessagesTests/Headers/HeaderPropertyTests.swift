import BrokerMessages
import EntitlementValues
import Testing
import TestVectors

/// What is written is read back the same, for random values; seeded, so that a failure can be repeated.
@Suite struct HeaderPropertyTests {
    /// Checks that a value can be sent and that reading it, and writing what was read, changes nothing.
    ///
    /// Only failures are recorded: `#expect` would take most of the time.
    private func expectSame<Header: BrokerHeader>(
        _ header: Header,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let value = header.headerValue
        let read = try Header(headerValue: value)
        guard value.utf8.allSatisfy({ 0x20...0x7E ~= $0 }), read == header, read.headerValue == value else {
            Issue.record("read as something else: \(value)", sourceLocation: sourceLocation)
            return
        }
    }

    @Test(arguments: 0..<8)
    func `Texts survive`(_ seed: UInt64) throws {
        var random = Noise(seed: seed)
        for _ in 0..<500 {
            try expectSame(try DeviceIdentifier(random.text(upTo: 60, from: 1, controls: false)))
            try expectSame(try TemporaryIdentity(random.text(upTo: 60, from: 1), as: random.text(upTo: 8)))
            try expectSame(try VisitorIdentifier(random.text(of: urlSafeCharacters + "!#$%&'()*+,./:;", count: 1...64)))
            try expectSame(try BearerToken(random.text(of: urlSafeCharacters + ".~+/", count: 1...200)))
            let parts = (0..<3).map { _ in random.text(of: urlSafeCharacters, count: 1...80) }
            try expectSame(try ServiceToken(parts.joined(separator: ".")))
        }
    }

    @Test(arguments: 0..<8)
    func `Device information survives`(_ seed: UInt64) throws {
        var random = Noise(seed: seed)
        for _ in 0..<500 {
            var info = try DeviceInfo([:])
            for _ in 0..<Int.random(in: 0...10, using: &random) {
                let key = DeviceInfo.Key(random.text(upTo: 10, from: 1, controls: false))
                let value: DeviceInfo.Value =
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: .text(random.text(upTo: 30, controls: false))
                    case 1: .number(Int64.random(in: .min ... .max, using: &random))
                    default: .decimal(Double(Int64.random(in: -1 << 40...1 << 40, using: &random)) / 1024)
                    }
                info = try info.setting(key, to: value)
            }
            try expectSame(info)
        }
    }

    @Test(arguments: 0..<8)
    func `Partner statuses survive`(_ seed: UInt64) throws {
        var random = Noise(seed: seed)
        func failure(_ random: inout Noise) -> PartnerFrameworkStatus.Failure {
            .init(code: random.maybe { $0.text(upTo: 10) }, message: random.maybe { $0.text(upTo: 40) })
        }
        for _ in 0..<300 {
            let status = try PartnerFrameworkStatus(
                permission: .init(
                    PartnerAccessStatus(random.text(upTo: 12, from: 1)), failure: random.maybe(failure)),
                provider: .init(
                    mappingID: random.maybe { $0.text(upTo: 20) },
                    expires: random.maybe { Timestamp(milliseconds: .random(in: .min ... .max, using: &$0)) },
                    failure: random.maybe(failure)))
            try expectSame(status)
        }
    }

    /// Any text is read or refused, and what is read can be sent.
    @Test(arguments: 0..<8)
    func `Hostile values are read or refused`(_ seed: UInt64) {
        var random = Noise(seed: seed)
        let values = [
            "fingerprint NmIxZA==", "Bearer abc", "eyJtb2RlbCI6IkEifQ==", "a.b.c", "203.0.113.7", "2001:db8::1",
            "\"1\"",
            "eyJmcmFtZXdvcmtQZXJtaXNzaW9uSW5mbyI6eyJhY2Nlc3NTdGF0dXMiOiJncmFudGVkIn19",
        ]
        for _ in 0..<2000 {
            var scalars = Array((values.randomElement(using: &random) ?? "").unicodeScalars)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let index = Int.random(in: 0..<scalars.count, using: &random)
                scalars[index] = Unicode.Scalar(UInt8.random(in: 0...255, using: &random))
            }
            let text = String(String.UnicodeScalarView(scalars))
            expectSendable(DeviceIdentifier.self, text)
            expectSendable(DeviceInfo.self, text)
            expectSendable(PartnerFrameworkStatus.self, text)
            expectSendable(TemporaryIdentity.self, text)
            expectSendable(ServiceToken.self, text)
            expectSendable(VisitorIdentifier.self, text)
            expectSendable(ClientAddress.self, text)
            expectSendable(BearerToken.self, text)
            expectSendable(UserAgent.self, text)
        }
    }

    private func expectSendable<Header: BrokerHeader>(_ type: Header.Type, _ text: String) {
        guard let header = try? Header(headerValue: text) else { return }
        let value = header.headerValue
        guard value.utf8.allSatisfy({ 0x20...0x7E ~= $0 }), (try? Header(headerValue: value)) == header else {
            Issue.record("read, and not sent as the same: \(text.debugDescription)")
            return
        }
    }
}
