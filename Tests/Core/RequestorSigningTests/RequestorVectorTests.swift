import EntitlementKeys
import EntitlementValues
import RequestorSigning
import TestVectors
import Testing

/// Compares signed requestor IDs with those of another implementation, byte by byte.
@Suite struct RequestorSignVectorTests {
    static let file = Result { try VectorFile<Group>.named("requestor_signing/requestor_sign_test.json") }
    static let cases = (try? file.get())?.testGroups.flatMap(\.cases) ?? []

    @Test func `File holds as many tests as it says`() throws {
        #expect(Self.cases.count == (try Self.file.get()).numberOfTests)
        #expect(Self.cases.count >= 87)
    }

    @Test(arguments: cases)
    func `Signature is the stated one`(_ vector: Case) throws {
        let test = vector.test
        let signer = RequestorSigner(key: try TestKeys.signingKey(vector.key))
        let bytes = bytes(test.requestor, test.requestorHex)
        guard let expected = test.expectedSignature else {
            let error = #expect(throws: RequestorSigningError.self) { try signer.sign(bytes.span) }
            #expect(error?.code == "unsuitable_text")
            #expect(error.map(fault) == test.expectedFault)
            if let requestor = test.requestor {
                let same = #expect(throws: RequestorSigningError.self) { try signer.sign(RequestorID(requestor)) }
                #expect(same == error)
            }
            return
        }
        let requestor = RequestorID(test.requestor ?? "")
        let signature = try signer.sign(requestor)
        let wrapped = try signer.sign(requestor, options: .legacyLineWrapped)
        let sha1 = try signer.sign(requestor, options: .legacySHA1)
        #expect(signature == expected)
        #expect(wrapped == test.expectedWrapped)
        #expect(sha1 == test.expectedSHA1)
        #expect(try signer.sign(bytes.span) == expected)
        #expect(try signer.sign(bytes) == expected)

        let keys = try TestKeys.verificationKeys([vector.publicKey])
        let verifier = RequestorVerifier(keys: keys, acceptsLegacySHA1: true)
        for text in [signature, wrapped, sha1] {
            let key = try verifier.verify(text, of: requestor)
            #expect(key.label == vector.publicKey)
        }
    }

    private func fault(_ error: RequestorSigningError) -> String {
        switch error {
        case .unsuitable(_, .empty): "empty"
        case .unsuitable(_, .notUTF8): "notUTF8"
        case .unsuitable(_, .outerWhiteSpace): "outerWhiteSpace"
        case .unsuitable(_, .control): "control"
        default: "\(error)"
        }
    }

    struct Group: Decodable, Sendable {
        let key: String
        let publicKey: String
        let tests: [Vector]

        var cases: [Case] { tests.map { Case(key: key, publicKey: publicKey, test: $0) } }
    }

    struct Vector: Decodable, Sendable {
        let tcId: Int
        let comment: String
        let requestor: String?
        let requestorHex: String?
        let expectedSignature: String?
        let expectedWrapped: String?
        let expectedSHA1: String?
        let expectedFault: String?
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let key: String
        let publicKey: String
        let test: Vector

        var testDescription: String { "tcId \(test.tcId): \(test.comment)" }
    }
}

/// Verifies texts that are, or are not, the signature of a requestor ID.
@Suite struct RequestorVerifyVectorTests {
    static let file = Result { try VectorFile<Group>.named("requestor_signing/requestor_verify_test.json") }
    static let cases = (try? file.get())?.testGroups.flatMap(\.cases) ?? []

    @Test func `File holds as many tests as it says`() throws {
        #expect(Self.cases.count == (try Self.file.get()).numberOfTests)
        #expect(Self.cases.count >= 60)
    }

    @Test(arguments: cases)
    func `Verdict is the stated one`(_ vector: Case) throws {
        let test = vector.test
        let keys = try TestKeys.verificationKeys(vector.keys)
        let verifier = RequestorVerifier(keys: keys, acceptsLegacySHA1: test.allowSHA1)
        let bytes = bytes(test.requestor, test.requestorHex)
        let result = Result { () throws(RequestorSigningError) in try verifier.verify(test.signature, of: bytes) }
        #expect(code(result) == test.expectedCode)
        #expect((test.result == "valid") == (test.expectedCode == "valid"))
    }

    struct Group: Decodable, Sendable {
        let keys: [String]
        let tests: [Vector]

        var cases: [Case] { tests.map { Case(keys: keys, test: $0) } }
    }

    struct Vector: Decodable, Sendable {
        let tcId: Int
        let comment: String
        let requestor: String?
        let requestorHex: String?
        let signature: String
        let allowSHA1: Bool
        let result: String
        let expectedCode: String
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let keys: [String]
        let test: Vector

        var testDescription: String { "tcId \(test.tcId): \(test.comment)" }
    }
}
