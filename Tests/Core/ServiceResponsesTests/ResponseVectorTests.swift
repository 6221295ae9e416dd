import EntitlementKeys
import EntitlementValues
import Foundation
import MediaTokens
import MetadataDecryption
import ServiceResponses
import TestVectors
import Testing

/// Every vector of response bodies has the content or the error that the vector states.
@Suite struct ResponseVectorTests {
    static let file = Result {
        try VectorFile<ResponseGroup>.named("service_responses/service_response_test.json")
    }

    @Test func `File holds as many tests as it says`() throws {
        let file = try Self.file.get()
        let count = file.testGroups.map(\.tests.count).reduce(0, +)
        #expect(count == file.numberOfTests)
        #expect(count >= 500)
    }

    /// Empty if the file cannot be read; the test above reports that.
    static let cases =
        (try? file.get())?.testGroups.flatMap { group in
            group.tests.map { ResponseCase(kind: group.kind, at: Timestamp(milliseconds: group.at), test: $0) }
        } ?? []

    /// All groups have the same keys; reading them takes longer than most tests.
    static let keys = Result {
        let group = try #require(try file.get().testGroups.first)
        return Keys(
            decrypter: MetadataDecrypter(keys: try DecryptionKeys(contentsOf: group.keys.map(Vectors.key))),
            verifier: MediaTokenVerifier(keys: try VerificationKeys(contentsOf: group.issuers.map(Vectors.key)))
        )
    }

    struct Keys {
        let decrypter: MetadataDecrypter
        let verifier: MediaTokenVerifier
    }

    @Test(arguments: cases)
    func `Outcome is the stated one`(_ vector: ResponseCase) throws {
        let test = vector.test
        let body = test.bytes
        let reading = ResponseReader(keys: try Self.keys.get(), at: vector.at)
        do throws(ServiceResponseError) {
            let (content, faults) = try reading.content(of: body.span, kind: vector.kind)
            // A fault in one part does not lose the others, so it is reported instead of thrown.
            if let fault = faults.first(where: { !$0.isWarning }) {
                test.expectRefusal(fault)
            } else {
                #expect(test.result != "invalid", "\(content)")
                #expect(content == test.expected.map(vector.comparable))
            }
        } catch {
            test.expectRefusal(error)
        }
    }
}

struct ResponseGroup: Decodable, Sendable {
    let kind: String
    let keys: [String]
    let issuers: [String]
    let at: Int64
    let tests: [ResponseTest]
}

struct ResponseTest: Decodable, Sendable {
    struct Refusal: Decodable, Sendable {
        let code: String
        let path: String
    }

    let tcId: Int
    let comment: String
    let body: String?
    let bodyHex: String?
    let result: String
    let expected: Normalised?
    let expectedError: Refusal?

    var bytes: [UInt8] { body.map { Array($0.utf8) } ?? Vectors.bytes(hexadecimal: bodyHex ?? "") }

    func expectRefusal(_ error: ServiceResponseError) {
        #expect(result != "valid", "\(error)")
        // The error is stated only for bodies that must be refused.
        guard result == "invalid" else { return }
        #expect(error.code == expectedError?.code, "\(error)")
        #expect((error.path?.pointer ?? "") == expectedError?.path || error.code == "not_json", "\(error)")
    }
}

struct ResponseCase: Sendable, CustomTestStringConvertible {
    let kind: String
    let at: Timestamp
    let test: ResponseTest

    var testDescription: String { "tcId \(test.tcId): \(kind), \(test.comment)" }

    /// Vectors state a verdict on the token of every decision, but a decision that is not authorized is not verified.
    func comparable(_ expected: Normalised) -> Normalised {
        guard kind == "decisions", let decisions = expected["decisions"]?.elements else { return expected }
        var expected = expected
        expected["decisions"] = .list(
            decisions.map { decision in
                guard decision["authorized"] == .boolean(false), var token = decision["token"] else { return decision }
                token["verdict"] = nil
                token["crossCheck"] = nil
                var decision = decision
                decision["token"] = token
                return decision
            })
        return expected
    }
}

/// Reads bodies into the form of the vectors.
struct ResponseReader {
    let keys: ResponseVectorTests.Keys
    let at: Timestamp

    func content(
        of body: Span<UInt8>,
        kind: String
    ) throws(ServiceResponseError) -> (Normalised, [ServiceResponseError]) {
        switch kind {
        case "profiles":
            let response = try ProfilesResponse(parsing: body)
            let profiles = response.profiles.map(profile)
            return (
                .object(["profiles": .list(profiles), "other": .fields(response.unknownFields)]), response.faults
            )
        case "decisions":
            let response = try DecisionsResponse(parsing: body)
            let decisions = response.decisions.map(decision)
            return (
                .object(["decisions": .list(decisions), "other": .fields(response.unknownFields)]), response.faults
            )
        case "usermetadata":
            let response = try UserMetadataResponse(parsing: body)
            return (
                .object([
                    "updated": response.updated.map { Normalised($0) }, "attributes": attributes(response.attributes),
                    "other": .fields(response.unknownFields),
                ]), response.faults
            )
        case "authentication":
            let response = try AuthenticationResponse(parsing: body)
            return (
                .object([
                    "requestor": .text(response.requestor.rawValue), "mvpd": .text(response.mvpd.rawValue),
                    "userId": response.userID.map { .text($0) }, "expires": Normalised(response.expires),
                    "other": .fields(response.unknownFields),
                ]), response.faults
            )
        case "authorization":
            let response = try AuthorizationResponse(parsing: body)
            return (
                .object([
                    "requestor": .text(response.requestor.rawValue), "mvpd": .text(response.mvpd.rawValue),
                    "resource": .text(response.resource.rawValue), "expires": Normalised(response.expires),
                    "proxyMvpd": response.proxyMVPD.map { .text($0.rawValue) },
                    "other": .fields(response.unknownFields),
                ]), response.faults
            )
        default: return (Normalised(try EnhancedError(parsing: body)), [])
        }
    }

    private func attributes(_ attributes: UserMetadata) -> Normalised {
        (try? Normalised.attributes(attributes, keys.decrypter)) ?? .null
    }

    private func profile(_ profile: Profile) -> Normalised {
        .object([
            "mvpd": .text(profile.mvpd.rawValue), "notBefore": Normalised(profile.notBefore),
            "notAfter": Normalised(profile.notAfter), "issuer": profile.issuer.map { .text($0) },
            "type": profile.type.map { .text($0.rawValue) }, "attributes": attributes(profile.attributes),
            "other": .fields(profile.unknownFields),
        ])
    }

    private func decision(_ decision: Decision) -> Normalised {
        var token: [String: Normalised?] = Normalised.verdict { () throws(ResponseTokenError) in
            try decision.verified(by: keys.verifier, expecting: .unchecked, at: at)
        }
        if let sent = decision.token {
            token["serializedToken"] = .text(sent.serializedToken)
            token["notBefore"] = sent.notBefore.map { Normalised($0) }
            token["notAfter"] = sent.notAfter.map { Normalised($0) }
            token["issuedAt"] = sent.issuedAt.map { Normalised($0) }
            token["other"] = Normalised.fields(sent.unknownFields)
        }
        return .object([
            "resource": .text(decision.resource.rawValue), "mvpd": .text(decision.mvpd.rawValue),
            "serviceProvider": .text(decision.serviceProvider.rawValue),
            "source": decision.source.map { .text($0.rawValue) }, "authorized": .boolean(decision.isAuthorized),
            "notBefore": decision.notBefore.map { Normalised($0) },
            "notAfter": decision.notAfter.map { Normalised($0) }, "error": decision.error.map { Normalised($0) },
            "token": decision.token == nil ? nil : .object(token), "other": .fields(decision.unknownFields),
        ])
    }
}
