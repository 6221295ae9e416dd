import BrokerMessages
import DeviceRecords
import EntitlementValues
import ServiceResponses

/// Values that the tests of records share.
///
/// All texts with `secret` in them must show nowhere.
enum Samples {
    static let now = Timestamp(milliseconds: 1_768_498_200_000)
    static let scope = RegistrationScope(origin: "https://broker.example", application: "app")
    static let requestor: RequestorID = "REF30"

    static func credentials(_ name: String) -> ClientCredentials {
        ClientCredentials(clientID: "client-\(name)", clientSecret: "secret-\(name)", issuedAt: now)
    }

    static func token(_ name: String, created: Timestamp = now) throws -> AccessToken {
        AccessToken(try BearerToken("secret-\(name)"), createdAt: created, lifetime: .hours(6))
    }

    static func profile(_ mvpd: MVPDID = "MVPD", from start: Timestamp = now, zip: String = "secret-zip") throws
        -> ProfileHint
    {
        let body = """
            {"profiles": {"\(mvpd)": {"notBefore": \(start.milliseconds), "notAfter": \((start + .hours(9)).milliseconds),
            "attributes": {"zip": {"value": "\(zip)", "state": "plain"}, "new": {"value": 1}}, "later": [1]}}}
            """
        guard let profile = try ProfilesResponse(parsing: body).profiles.first else { throw SampleFailure() }
        return ProfileHint(profile)
    }

    static func code(_ text: String, epoch: Int64, until end: Timestamp = now + .minutes(30)) -> PendingCode {
        PendingCode(AuthenticationCode("secret-\(text)"), until: end, epoch: epoch)
    }

    /// A record in which every part is there.
    static func full() throws -> DeviceRecord {
        var record = DeviceRecord(of: "device-secret")
        record.subject = "subscriber-secret"
        record.adopt(try DeviceIdentifier("identifier-secret"))
        record.adopt(credentials("a"), for: scope)
        record.adopt(try token("a"), madeWith: credentials("a"), for: scope)
        record.adopt(credentials("b"), for: RegistrationScope(origin: "https://other.example", application: "app"))
        var part = RequestorRecord()
        part.provider = ChosenProvider(
            id: "MVPD", displayName: "Größte \u{2028} TV", logoURL: "https://logo.example/a.png",
            enablesPlatformServices: true, boardingStatus: .supported, isTemporary: false,
            origin: "https://broker.example")
        part.adopt(code("code", epoch: part.raiseEpoch()))
        _ = part.takeLease(as: "poller", at: now)
        part.adopt(try profile(), askedAt: now)
        part.adopt(DecisionTime(on: "<rss>\"x\"</rss>", mvpd: "MVPD", decided: now, notAfter: now + .hours(1)))
        part.adopt(DecisionTime(on: "TNT", mvpd: "MVPD", decided: now, notAfter: nil))
        part.adopt(
            PartnerStatusHint(
                try PartnerFrameworkStatus(
                    json:
                        #"{"frameworkPermissionInfo":{"accessStatus":"granted"},"frameworkProviderInfo":{"id":"secret"}}"#
                ),
                said: now, until: now + .hours(1)))
        part.identity = try TemporaryIdentity("secret@example.org")
        record[requestor] = part
        var other = RequestorRecord()
        other.logOut(mvpd: "OTHER", at: now)
        other.rememberProfile(mvpd: "FURTHER", at: now)
        record["REF31"] = other
        return record
    }
}

struct SampleFailure: Error {}
