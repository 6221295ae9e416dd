import EntitlementValues
import ServiceResponses
import Synchronization
import TVETesting
import TestVectors
import Testing
import TokenLifetimes

/// A ledger records what responses grant, and erases what they refuse.
@Suite struct RecordingTests {
    private static let authentication = Entitlement.authentication(requestor: "REF30", mvpd: "TestMVPD")

    private static func authorization(_ resource: ResourceID) -> Entitlement {
        .authorization(requestor: "REF30", mvpd: "TestMVPD", resource: resource)
    }

    /// A ledger with an authentication and two authorizations that are good.
    private func ledger() throws -> EntitlementLedger {
        let ledger = EntitlementLedger(time: .fixed(at: Fixtures.now))
        let period = EntitlementPeriod(notAfter: Fixtures.now + .hours(1))
        for entitlement in [Self.authentication, Self.authorization("one"), Self.authorization("two")] {
            try ledger.record(entitlement, period)
        }
        return ledger
    }

    private func error(_ members: String) throws -> EnhancedError {
        try EnhancedError(parsing: "{\(members)}")
    }

    @Test(arguments: [
        (#""status":404,"message":"Not Found""#, 2), (#""status":"410""#, 2), (#""status":412"#, 0),
        (#""status":403,"code":"authorization_denied_by_mvpd","action":"none""#, 2),
        (#""status":403,"code":"authenticated_profile_expired","action":"authentication""#, 0),
        (#""status":403,"code":"authentication_session_missing""#, 0), (#""status":500"#, 3), (#""status":401"#, 3),
        (#""status":403,"code":"network_received_error","action":"retry""#, 3),
        (#""status":403,"code":"too_many_resources","action":"configuration""#, 3),
        (#""code":"something_new""#, 3),
    ])
    func `Refusals end what they speak of`(members: String, left: Int) throws {
        let ledger = try ledger()
        let erased = ledger.record(try error(members), about: Self.authorization("one"))
        #expect(ledger.count == left)
        #expect(erased == 3 - left)
        #expect(ledger.status(of: Self.authorization("one")).isGood == (left == 3))
    }

    @Test func `These codes end the authentication, whatever the status`() throws {
        let found = try EnhancedErrorCode.documented.filter { code in
            try ledger().record(EnhancedError(status: 500, code: code), about: Self.authorization("one")) == 3
        }
        #expect(
            found == [
                "authenticated_profile_missing", "authenticated_profile_expired", "authenticated_profile_invalidated",
                "authentication_session_missing", "authentication_session_expired",
                "authentication_session_invalidated", "preauthorization_authentication_session_missing",
                "preauthorization_authentication_session_expired",
            ])
    }

    @Test func `A refusal about the authentication takes the authorizations too`() throws {
        let ledger = try ledger()
        ledger.record(try error(#""status":404"#), about: Self.authentication)
        #expect(ledger.count == 0)
    }

    @Test func `A denied decision ends its authorization only`() throws {
        func recorded(_ error: String) throws -> EntitlementLedger {
            let ledger = try ledger()
            try ledger.record(
                try DecisionsResponse(
                    parsing: #"{"decisions":[{"resource":"one","serviceProvider":"REF30","mvpd":"TestMVPD","#
                        + #""authorized":false\#(error)}]}"#))
            return ledger
        }
        #expect(try recorded("").entries.map(\.entitlement) == [Self.authentication, Self.authorization("two")])
        let unreachable = #","error":{"status":403,"code":"network_connection_timeout","action":"retry"}"#
        #expect(try recorded(unreachable).count == 3)
    }

    @Test func `A full ledger is reported`() throws {
        let ledger = EntitlementLedger(policy: try LedgerPolicy(capacity: 1), time: .fixed(at: Fixtures.now))
        let response = try AuthenticationResponse(
            parsing: #"{"requestor":"REF30","mvpd":"a","expires":"1750003600000"}"#)
        try ledger.record(response)
        let other = try AuthorizationResponse(
            parsing: #"{"requestor":"REF30","mvpd":"a","resource":"r","expires":"1750003600000"}"#)
        let error = #expect(throws: ResponseRecordingError.self) { try ledger.record(other) }
        #expect(error == .ledger(.full(capacity: 1)))
    }

    // MARK: Vectors

    /// The sequences of the ledger's vectors that record bodies; the others need no responses.
    static let sequences: [Sequence] =
        ((try? VectorFile<SequenceGroup>.named("token_lifetimes/sequences.json"))?.testGroups.flatMap(\.tests) ?? [])
        .filter { $0.steps.contains { $0.event == "record_body" } }

    @Test func `There are sequences`() {
        #expect(Self.sequences.count >= 60)
    }

    @Test(arguments: sequences)
    func `Bodies are recorded as stated`(_ sequence: Sequence) throws {
        let time = ManualTime(at: Timestamp(milliseconds: sequence.at))
        let reports = Mutex<[String]>([])
        let ledger = EntitlementLedger(
            policy: try LedgerPolicy(
                refreshMargin: TimeToLive(milliseconds: sequence.refreshMargin),
                clockMargin: TimeToLive(milliseconds: sequence.clockMargin)
            ),
            time: time.source,
            report: { report in reports.withLock { $0.append(report.code) } }
        )
        _ = ledger.count
        for step in sequence.steps {
            reports.withLock { $0 = [] }
            try step.run(on: ledger, time)
            if let expected = step.reports { #expect(Set(reports.withLock { $0 }) == Set(expected)) }
        }
    }
}

struct SequenceGroup: Decodable, Sendable {
    let tests: [Sequence]
}

struct Sequence: Decodable, Sendable, CustomTestStringConvertible {
    let tcId: Int
    let comment: String
    let at: Int64
    let refreshMargin: Int64
    let clockMargin: Int64
    let steps: [Step]

    var testDescription: String { "tcId \(tcId): \(comment)" }
}

struct Step: Decodable, Sendable {
    let event: String?
    let ask: String?
    let at: Int64?
    let kind: String?
    let body: String?
    let requestor: String?
    let mvpd: String?
    let resource: String?
    let notBefore: Int64?
    let expires: Int64?
    let issuers: [String]?
    let reports: [String]?
    let expectedError: String?
    let answer: Normalised?

    private var entitlement: Entitlement {
        let requestor = RequestorID(requestor ?? "")
        let mvpd = MVPDID(mvpd ?? "")
        return resource.map { .authorization(requestor: requestor, mvpd: mvpd, resource: ResourceID($0)) }
            ?? .authentication(requestor: requestor, mvpd: mvpd)
    }

    func run(on ledger: EntitlementLedger, _ time: ManualTime) throws {
        switch event ?? ask {
        case "clock":
            time.set(Timestamp(milliseconds: try #require(at)))
            _ = ledger.count
        case "record_authentication", "record_authorization":
            let period = EntitlementPeriod(
                notBefore: notBefore.map { Timestamp(milliseconds: $0) },
                notAfter: expires.map { Timestamp(milliseconds: $0) }
            )
            try ledger.record(entitlement, period)
        case "allowed_issuers":
            ledger.allow(issuers: issuers.map { Set($0.map { MVPDID($0) }) }, for: RequestorID(requestor ?? ""))
        case "record_body":
            #expect(try recordingError(ledger) == expectedError)
        case "authentication", "authorization":
            expectStatus(ledger.status(of: entitlement))
        case "next_expiry":
            #expect((ledger.nextExpiry.map { .integer($0.milliseconds) } ?? .null) == (answer ?? .null))
        case "expired":
            let entries = ledger.expired.map(\.entitlement).map { entitlement -> Normalised in
                .object([
                    "kind": .text(entitlement.resource == nil ? "authentication" : "authorization"),
                    "requestor": .text(entitlement.requestor.rawValue), "mvpd": .text(entitlement.mvpd.rawValue),
                    "resource": entitlement.resource.map { .text($0.rawValue) },
                ])
            }
            #expect(Set(entries) == Set(answer?.elements ?? []))
        default:
            Issue.record("a step that this runner does not know: \(event ?? ask ?? "")")
        }
    }

    /// The code of the refusal; `nil` if the body was recorded.
    private func recordingError(_ ledger: EntitlementLedger) throws -> String? {
        let body = body ?? ""
        do {
            switch kind {
            case "v2_profiles":
                try ledger.record(try ProfilesResponse(parsing: body), for: RequestorID(try #require(requestor)))
            case "v2_decisions": try ledger.record(try DecisionsResponse(parsing: body))
            case "v1_authn": try ledger.record(try AuthenticationResponse(parsing: body))
            case "v1_authz": try ledger.record(try AuthorizationResponse(parsing: body))
            default: Issue.record("a body that this runner does not know: \(kind ?? "")")
            }
            return nil
        } catch let error as ServiceResponseError {
            return error.code
        } catch let error as ResponseRecordingError {
            return error.code
        }
    }

    private func expectStatus(_ status: EntitlementStatus) {
        #expect(status.code == answer?["status"]?.string)
        guard let duration = answer?["ms"] else { return }
        switch status {
        case .valid(let time), .expiring(let time), .notYetValid(let time):
            #expect(.integer(time.milliseconds) == duration)
        case .expired(let instant):
            #expect(.integer(instant.milliseconds) == answer?["instant"])
        case .unknown: break
        }
    }
}
