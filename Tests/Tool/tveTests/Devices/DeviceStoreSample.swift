import BrokerMessages
import DeviceRecords
import EntitlementValues
import SQLiteStores
import SealedRecords
import ServiceResponses

/// A store of devices in a folder of its own.
///
/// All that must never show has `secret` in it.
struct DeviceStoreSample {
    let folder: TemporaryFolder
    let keys: SealingKeys

    var path: String { folder.path("devices.sqlite") }
    var keysPath: String { path + ".keys" }
    var address: String { "sqlite:\(path)" }

    /// Makes a store with devices: `tv-0` and so on.
    init(devices count: Int = 1) async throws {
        folder = try TemporaryFolder()
        keys = try SealingKeys.generate(id: "old")
        try keys.write(to: folder.path("devices.sqlite.keys"))
        let directory = try directory()
        try await directory.checkKeys()
        for number in 0..<count {
            let filled = try Self.record(of: DeviceKey("tv-\(number)"))
            try await directory.change(filled.device) { record in record = filled }
        }
    }

    func directory(_ keys: SealingKeys? = nil) throws -> DeviceDirectory {
        DeviceDirectory(in: try SQLiteRecordStore(path: path), sealer: RecordSealer(keys ?? self.keys))
    }

    /// A record in which every part is there.
    static func record(of device: DeviceKey) throws -> DeviceRecord {
        var record = DeviceRecord(of: device)
        record.subject = "subscriber-secret"
        record.adopt(try DeviceIdentifier("identifier-secret"))
        let scope = RegistrationScope(origin: "https://broker.example", application: "app")
        let credentials = ClientCredentials(clientID: "client-secret", clientSecret: "password-secret")
        record.adopt(credentials, for: scope)
        let token = AccessToken(try BearerToken("bearer-secret"), createdAt: .now, lifetime: .hours(6))
        record.adopt(token, madeWith: credentials, for: scope)
        var part = RequestorRecord()
        part.provider = ChosenProvider(id: "TestMVPD", displayName: "Test TV", origin: "https://broker.example")
        let epoch = part.raiseEpoch()
        part.adopt(PendingCode(AuthenticationCode("CODE-secret"), until: .now + .minutes(30), epoch: epoch))
        _ = part.takeLease(as: "poller-secret", at: .now)
        let body = """
            {"profiles": {"TestMVPD": {"notBefore": 1, "notAfter": 4102444800000, "type": "regular",
            "attributes": {"zip": {"value": "zip-secret", "state": "plain"}}}}}
            """
        part.adopt(try ProfilesResponse(parsing: body).profiles.first.map { ProfileHint($0) }, askedAt: .now)
        part.rememberProfile(mvpd: "LeftMVPD", at: .now)
        part.adopt(DecisionTime(on: "channel-secret", mvpd: "TestMVPD", decided: .now, notAfter: .now + .hours(1)))
        part.identity = try TemporaryIdentity("mail-secret@example.org")
        record["REF30"] = part
        var other = RequestorRecord()
        other.logOut(mvpd: "OtherMVPD", at: .now)
        record["REF31"] = other
        return record
    }
}
