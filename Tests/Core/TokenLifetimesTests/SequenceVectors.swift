import EntitlementValues
import Testing
import TokenLifetimes

// The members of `Vectors/token_lifetimes/sequences.json`, as its README describes them.

struct SequenceGroup: Decodable, Sendable {
    let tests: [SequenceTest]
}

struct SequenceTest: Decodable, Sendable, CustomTestStringConvertible {
    let tcId: Int
    let comment: String
    let at: Int64
    let refreshMargin: Int64
    let clockMargin: Int64
    let steps: [SequenceStep]

    var testDescription: String { "tcId \(tcId): \(comment)" }
}

struct SequenceStep: Decodable, Sendable {
    let event: String?
    let ask: String?
    let answer: SequenceAnswer?
    let expectedError: String?
    let reports: [String]?
    let by: Int64?
    let at: Int64?
    let requestor: String?
    let mvpd: String?
    let resource: String?
    let notBefore: Int64?
    let expires: Int64?
    let device: String?
    let issuer: String?
    let issuers: [String]?
    let token: String?
    let keys: [String]?
    let scope: String?
    let about: String?
    let status: Int?
    let swept: [StatedEntry]?

    enum CodingKeys: CodingKey {
        case event, ask, answer, expectedError, reports, by, at, requestor, mvpd, resource, notBefore, expires, device,
            issuer, issuers, token, keys, scope, about, status, swept
    }

    /// The answer null says that the answer is empty; without an answer nothing is checked.
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        event = try members.decodeIfPresent(String.self, forKey: .event)
        ask = try members.decodeIfPresent(String.self, forKey: .ask)
        answer = members.contains(.answer) ? try SequenceAnswer(from: members.superDecoder(forKey: .answer)) : nil
        expectedError = try members.decodeIfPresent(String.self, forKey: .expectedError)
        reports = try members.decodeIfPresent([String].self, forKey: .reports)
        by = try members.decodeIfPresent(Int64.self, forKey: .by)
        at = try members.decodeIfPresent(Int64.self, forKey: .at)
        requestor = try members.decodeIfPresent(String.self, forKey: .requestor)
        mvpd = try members.decodeIfPresent(String.self, forKey: .mvpd)
        resource = try members.decodeIfPresent(String.self, forKey: .resource)
        notBefore = try members.decodeIfPresent(Int64.self, forKey: .notBefore)
        expires = try members.decodeIfPresent(Int64.self, forKey: .expires)
        device = try members.decodeIfPresent(String.self, forKey: .device)
        issuer = try members.decodeIfPresent(String.self, forKey: .issuer)
        issuers = try members.decodeIfPresent([String].self, forKey: .issuers)
        token = try members.decodeIfPresent(String.self, forKey: .token)
        keys = try members.decodeIfPresent([String].self, forKey: .keys)
        scope = try members.decodeIfPresent(String.self, forKey: .scope)
        about = try members.decodeIfPresent(String.self, forKey: .about)
        status = try members.decodeIfPresent(Int.self, forKey: .status)
        swept = try members.decodeIfPresent([StatedEntry].self, forKey: .swept)
    }

    var requestorID: RequestorID { RequestorID(requestor ?? "") }

    /// The entitlement of the step.
    var entitlement: Entitlement {
        StatedEntry(requestor: requestor ?? "", mvpd: mvpd ?? "", resource: resource).entitlement
    }
}

struct StatedEntry: Decodable, Sendable {
    let requestor: String
    let mvpd: String
    let resource: String?

    var entitlement: Entitlement {
        let requestor = RequestorID(requestor)
        let mvpd = MVPDID(mvpd)
        guard let resource else { return .authentication(requestor: requestor, mvpd: mvpd) }
        return .authorization(requestor: requestor, mvpd: mvpd, resource: ResourceID(resource))
    }
}

struct StatedStatus: Decodable, Sendable {
    let status: String
    let ms: Int64?
    let instant: Int64?
}

enum SequenceAnswer: Decodable, Sendable {
    case nothing
    case text(String)
    case instant(Int64)
    case status(StatedStatus)
    case entries([StatedEntry])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .nothing
        } else if let instant = try? value.decode(Int64.self) {
            self = .instant(instant)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let entries = try? value.decode([StatedEntry].self) {
            self = .entries(entries)
        } else {
            self = .status(try value.decode(StatedStatus.self))
        }
    }
}
