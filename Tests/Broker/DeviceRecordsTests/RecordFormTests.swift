import DeviceRecords
import EntitlementValues
import HostSystem
import SealedRecords
import ServiceResponses
import TVETesting
import Testing
import TextCodecs

/// How a record is stored: what was written is read again, and what a newer release wrote is kept.
@Suite struct RecordFormTests {
    let time = ManualTime(at: Samples.now)
    let store: InMemoryRecordStore
    let directory: DeviceDirectory

    init() {
        store = InMemoryRecordStore(time: time.source)
        directory = DeviceDirectory(in: store, sealer: .unsealed, time: time.source)
    }

    private func place(of device: DeviceKey = "d") throws -> RecordKey {
        try RecordSealer.unsealed.key(of: device.rawValue, for: .device)
    }

    /// The stored JSON: it comes after a header of eight bytes.
    private func json(of device: DeviceKey = "d") throws -> String {
        let stored = try #require(store.record(at: place(of: device)))
        return String(decoding: stored.bytes.dropFirst(8), as: UTF8.self)
    }

    private func put(_ json: String, schema: UInt32 = 1) throws {
        let key = try place()
        let context = RecordContext(purpose: .device, schema: schema, key: key, version: 1)
        let bytes = try Array(json.utf8).withSpan { content throws(SealingError) in
            try RecordSealer.unsealed.seal(content, in: context)
        }
        store.remove(at: key)
        let record = StoredRecord(bytes: bytes, version: 1, expires: time.now + .hours(400 * 24))
        #expect(try store.replace(at: key, expecting: nil, with: record, durability: .normal))
    }

    @Test func `Every part comes back`() async throws {
        let full = try Samples.full()
        try await directory.change(full.device) { record in record = full }
        let read = try #require(try await directory.record(of: full.device))
        #expect(read == full)
        let profile = try #require(read[Samples.requestor].profile?.profile)
        #expect(try profile.attributes["zip"]?.value.get().text == "secret-zip")
        #expect(profile.unknownFields.map(\.name) == ["later"])
        #expect(read[Samples.requestor].provider?.displayName == "Größte \u{2028} TV")
        // Writing it again gives the same bytes.
        let before = try json(of: full.device)
        try await directory.change(full.device) { record in record.subject = nil }
        try await directory.change(full.device) { record in record.subject = full.subject }
        #expect(try json(of: full.device) == before)
    }

    @Test func `The last sign-in comes back beside the profile`() async throws {
        func lastSignIn() async throws -> MVPDID? { try await directory.record(of: "d")?["A"].lastSignIn }
        let profile = try Samples.profile()
        try await directory.change("d") { record in record["A"].adopt(profile, askedAt: Samples.now) }
        // As releases wrote it that did not know the member.
        #expect(try !json().contains("lastSignIn"))
        #expect(try await lastSignIn() == "MVPD")
        try await directory.change("d") { record in record["A"].noteFailedSignIn() }
        #expect(try await lastSignIn() == nil)
        try await directory.change("d") { record in record["A"].adopt(profile, askedAt: Samples.now) }
        try await directory.change("d") { record in record["A"].adopt(nil, askedAt: Samples.now) }
        #expect(try await lastSignIn() == "MVPD")
    }

    /// Such a release raises the epoch with each sign-in and logout, and leaves what it does not know.
    @Test(arguments: [(1, "MVPD"), (2, nil)] as [(Int, MVPDID?)])
    func `A last sign-in is void once an earlier release has gone on`(epoch: Int, expected: MVPDID?) async throws {
        let part = #"{"epoch":\#(epoch),"lastSignIn":"MVPD","lastSignInEpoch":1}"#
        try put(#"{"device":"d","registrations":[],"requestors":{"A":\#(part)}}"#)
        #expect(try await directory.record(of: "d")?["A"].lastSignIn == expected)
    }

    @Test func `Members of a newer release are kept at every level`() async throws {
        let full = try Samples.full()
        try await directory.change("d") { record in
            record.adopt(Samples.credentials("a"), for: Samples.scope)
            record[Samples.requestor] = full[Samples.requestor]
        }
        let places = [
            "\"device\":", "\"origin\":\"https://broker.example\",\"application\"", "\"client_id\":",
            "\"epoch\":1,\"asked\"",
            "\"id\":\"MVPD\"", "\"mvpd\":\"MVPD\",\"answer\"", "\"code\":\"", "\"decided\":", "\"said\":",
            "\"poller\":",
        ]
        var text = try json()
        for (number, place) in places.enumerated() {
            let range = try #require(text.firstRange(of: place), "\(place)")
            text.replaceSubrange(range, with: "\"new\(number)\":[{\"a\":\(number)}],\(place)")
        }
        try put(text)
        try await directory.change("d") { record in record.subject = "someone" }
        let written = try json()
        for number in places.indices {
            #expect(written.contains("\"new\(number)\":[{\"a\":\(number)}]"), "\(places[number])")
        }
        #expect(written.contains("\"subject\":\"someone\""))
    }

    @Test(arguments: [
        ("", "$"), ("[]", "$"), ("{", "$"), ("{}", "device"),
        (#"{"device":1,"registrations":[],"requestors":{}}"#, "device"),
        (#"{"device":"d","requestors":{}}"#, "registrations"), (#"{"device":"d","registrations":[]}"#, "requestors"),
        (#"{"device":"d","device":"e","registrations":[],"requestors":{}}"#, "$"),
        (#"{"device":"d","registrations":[{"origin":"o"}],"requestors":{}}"#, "registrations[0].application"),
        (#"{"device":"d","registrations":[],"requestors":{"A":[]}}"#, "requestors.A"),
        (#"{"device":"d","registrations":[],"requestors":{"A":{"epoch":"x"}}}"#, "requestors.A.epoch"),
        (
            #"{"device":"d","registrations":[],"requestors":{"A":{"code":{"code":"c","until":1}}}}"#,
            "requestors.A.code.epoch"
        ),
        (#"{"device":"d","registrations":[],"requestors":{"A":{"logouts":{"M":"x"}}}}"#, "requestors.A.logouts.M"),
        (
            #"{"device":"d","registrations":[],"requestors":{"A":{"otherProfiles":{"M":"x"}}}}"#,
            "requestors.A.otherProfiles.M"
        ),
        (#"{"device":"d","registrations":[],"requestors":{"A":{"identity":"secret"}}}"#, "requestors.A.identity"),
        (
            #"{"device":"d","registrations":[],"requestors":{"A":{"decisions":[{}]}}}"#,
            "requestors.A.decisions[0].resource"
        ),
        (#"{"device":"d","identifier":"","registrations":[],"requestors":{}}"#, "identifier"),
        (#"{"device":"e","registrations":[],"requestors":{}}"#, "device"),
    ])
    func `A damaged record is an error at its place and stays as it is`(_ json: String, _ place: String) async throws {
        try put(json)
        for _ in 0..<2 {
            do {
                try await directory.change("d") { record in record.subject = "x" }
                Issue.record("the record was read")
            } catch DeviceRecordsError.damaged(let location) {
                #expect(location.description == place)
            }
        }
        #expect(try self.json() == json)
    }

    @Test func `A form that this release does not know stays as it is`() async throws {
        try put(#"{"anything": 1}"#, schema: 2)
        let expected = DeviceRecordsError.newerSchema(found: 2, known: 1)
        await #expect(throws: expected) { try await directory.record(of: "d") }
        await #expect(throws: expected) { try await directory.change("d") { record in record.subject = "x" } }
        #expect(try json() == #"{"anything": 1}"#)
    }

    @Test func `Nothing shows a secret`() throws {
        let record = try Samples.full()
        var shown = "\(record) \(String(reflecting: record))"
        dump(record, to: &shown)
        for (_, registration) in record.registrations {
            shown += "\(registration)"
            dump(registration, to: &shown)
        }
        for requestor in record.requestors.values {
            shown += "\(requestor) \(requestor.profile as Any) \(requestor.pendingCode as Any)"
            dump(requestor, to: &shown)
            dump(requestor.profile, to: &shown)
            dump(requestor.pendingCode, to: &shown)
            dump(requestor.partner, to: &shown)
            dump(requestor.identity, to: &shown)
        }
        #expect(!shown.replacing("clientSecret", with: "").replacing("redactedSecret", with: "").contains("secret"))
    }
}
