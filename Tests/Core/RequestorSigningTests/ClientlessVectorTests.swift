import EntitlementValues
import RequestorSigning
import TestVectors
import Testing

/// Compares headers of clientless requests with those of another implementation, and verifies good and bad ones.
@Suite struct ClientlessVectorTests {
    static let file = Result { try VectorFile<Group>.named("requestor_signing/clientless_request_test.json") }
    static let cases = (try? file.get())?.testGroups.flatMap(\.cases) ?? []
    static let toSign = cases.filter { $0.test.header == nil }
    static let toVerify = cases.filter { $0.test.header != nil }

    @Test func `File holds as many tests as it says`() throws {
        #expect(Self.cases.count == (try Self.file.get()).numberOfTests)
        #expect(Self.toSign.count >= 40)
        #expect(Self.toVerify.count >= 60)
    }

    @Test(arguments: toSign)
    func `Header is the stated one`(_ vector: Case) throws {
        let test = vector.test
        let now = Timestamp(milliseconds: test.at)
        let request = ClientlessRequest(
            method: test.method?.text ?? "", requestor: RequestorID(test.requestor?.text ?? ""),
            uri: test.uri?.text ?? "")
        let secretBytes = Array((test.secret ?? "").utf8)
        let publicKey = test.publicKey ?? ""
        let result = Result { () throws(RequestorSigningError) in
            let secret = try ClientlessSecret(secretBytes.span)
            return try ClientlessRequestSigner(secret: secret, publicKey: publicKey)
                .authorization(for: request, at: now, nonce: test.nonce)
        }
        #expect(code(result) == test.expectedCode)
        let header = try? result.get()
        #expect(header == test.expectedHeader)
        guard let header else { return }
        let verifier = try ClientlessRequestVerifier(
            secret: ClientlessSecret(secretBytes.span), publicKey: publicKey)
        let expectations = ClientlessExpectations(
            method: .exactly(request.method), uri: .exactly(request.uri),
            requestor: .exactly(request.requestor))
        let verified = try verifier.verify(header, expecting: expectations, at: now)
        #expect(verified.request == request)
        #expect(verified.nonce == test.nonce)
        #expect(verified.sent == now)
    }

    @Test(arguments: toVerify)
    func `Verdict is the stated one`(_ vector: Case) throws {
        let test = vector.test
        let secret = Array((vector.secret ?? "").utf8)
        let verifier = try ClientlessRequestVerifier(
            secret: ClientlessSecret(secret.span), publicKey: vector.publicKey ?? "")
        let expectations = ClientlessExpectations(
            method: .init(stated: test.method?.texts), uri: .init(stated: test.uri?.texts),
            requestor: .init(stated: test.requestor?.texts))
        let result = Result { () throws(RequestorSigningError) in
            try verifier.verify(
                test.header ?? "", expecting: expectations, at: Timestamp(milliseconds: test.at))
        }
        #expect(code(result) == test.expectedCode)
        #expect((test.result == "valid") == (test.expectedCode == "valid"))
    }

    struct Group: Decodable, Sendable {
        let secret: String?
        let publicKey: String?
        let tests: [Vector]

        var cases: [Case] { tests.map { Case(secret: secret, publicKey: publicKey, test: $0) } }
    }

    /// One text in a vector that makes a request, the accepted texts in a vector that verifies one.
    enum Texts: Decodable, Sendable {
        case one(String)
        case several([String])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            self = try (try? container.decode(String.self)).map(Texts.one) ?? .several(container.decode([String].self))
        }

        var text: String? { if case .one(let text) = self { text } else { nil } }
        var texts: [String]? { if case .several(let texts) = self { texts } else { nil } }
    }

    struct Vector: Decodable, Sendable {
        let tcId: Int
        let comment: String
        let method: Texts?
        let requestor: Texts?
        let uri: Texts?
        let nonce: String?
        let publicKey: String?
        let secret: String?
        let header: String?
        let at: Int64
        let result: String
        let expectedCode: String
        let expectedHeader: String?
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let secret: String?
        let publicKey: String?
        let test: Vector

        var testDescription: String { "tcId \(test.tcId): \(test.comment)" }
    }
}
