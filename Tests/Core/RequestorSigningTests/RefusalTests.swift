import EntitlementKeys
import EntitlementValues
import Foundation
import RequestorSigning
import TestVectors
import Testing
import TextCodecs

/// Checks the errors for bad settings, secrets and texts, which never contain the secret.
@Suite struct RefusalTests {
    static let secretText = "test-only-secret-9c1d"

    private func secret() throws -> ClientlessSecret {
        let bytes = Array(Self.secretText.utf8)
        return try ClientlessSecret(bytes.span)
    }

    @Test func `Keys below 2048 bits sign on request only`() throws {
        let path = Vectors.key("test-only-issuer-1024.pkcs8.pem")
        let error = #expect(throws: KeyError.self) { try SigningKey(contentsOfFile: path) }
        #expect(error?.code == "key_too_small")
        let key = try SigningKey(contentsOfFile: path, allowingWeakKeys: true)
        #expect(try RequestorSigner(key: key).sign("REF30").utf8.count == 172)
    }

    @Test func `Secrets show nothing of themselves`() throws {
        let secret = try secret()
        var shown = "\(secret) \(String(reflecting: secret))"
        dump(secret, to: &shown)
        dump(try ClientlessRequestSigner(secret: secret, publicKey: "abc"), to: &shown)
        dump(try ClientlessRequestVerifier(secret: secret, publicKey: "abc"), to: &shown)
        #expect(!shown.contains(Self.secretText))
        #expect(!shown.contains("storage"))
        #expect(!shown.contains("bytes"))
    }

    @Test(arguments: [
        ("test-only", true), ("test-only\n", true), ("test-only\r\n", true), ("test-only\n\n", false),
        ("test-only\r", false), ("", false), ("\n", false), ("test-only ", false), ("a\u{0}b", false),
        (String(repeating: "x", count: 4097), false),
    ])
    func `One line end behind a secret in a file is no part of it`(_ content: String, _ isGood: Bool) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "tve-secret-\(UUID().uuidString)")
        try Data(content.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let request = ClientlessRequest(method: "GET", requestor: "REF30", uri: "/a")
        let now = Timestamp(milliseconds: 1)
        guard isGood else {
            let error = #expect(throws: RequestorSigningError.self) { try ClientlessSecret(contentsOfFile: file.path) }
            #expect(["unsuitable_text", "unreadable_secret"].contains(error?.code))
            return
        }
        let bytes = Array("test-only".utf8)
        let headers = try [ClientlessSecret(contentsOfFile: file.path), ClientlessSecret(bytes.span)].map {
            try ClientlessRequestSigner(secret: $0, publicKey: "abc").authorization(for: request, at: now, nonce: "n")
        }
        #expect(headers[0] == headers[1])
    }

    @Test func `A missing secret file is named`() {
        let error = #expect(throws: RequestorSigningError.self) {
            try ClientlessSecret(contentsOfFile: "/no/such/file")
        }
        #expect(error?.description.hasPrefix("/no/such/file: ") == true)
    }

    @Test func `Settings that make no sense are refused`() throws {
        let secret = try secret()
        for window in [TimeToLive.zero, .seconds(-1), .minutes(61)] {
            #expect(throws: RequestorSigningError.unsuitableSetting(.window(window))) {
                try ClientlessRequestVerifier(secret: secret, publicKey: "abc", window: window)
            }
        }
        for tolerance in [TimeToLive.seconds(-1), .minutes(11)] {
            #expect(throws: RequestorSigningError.unsuitableSetting(.leeway(tolerance))) {
                try JSONWebTokenPolicy(leeway: tolerance)
            }
            #expect(throws: RequestorSigningError.unsuitableSetting(.futureTolerance(tolerance))) {
                try JSONWebTokenPolicy(futureTolerance: tolerance)
            }
        }
        #expect(throws: RequestorSigningError.unsuitableSetting(.maximumLength(0))) {
            try JSONWebTokenPolicy(maximumLength: 0)
        }
    }

    @Test func `Words say what to do`() throws {
        let signer = RequestorSigner(key: try TestKeys.signingKey(TestKeys.issuer))
        let error = #expect(throws: RequestorSigningError.self) { try signer.sign("REF30\n") }
        #expect(error == .unsuitable(field: "requestor ID", .control(scalar: 10, offset: 5)))
        #expect(error?.description.contains("the requestor ID contains a line end at byte 5") == true)
        #expect(error?.description.contains("printf") == true)
        let separator = #expect(throws: RequestorSigningError.self) { try signer.sign("é\u{2028}x") }
        #expect(separator?.description.contains("U+2028 at byte 2") == true)
    }

    @Test func `Nonces are random`() throws {
        let signer = try ClientlessRequestSigner(secret: secret(), publicKey: "abc")
        let request = ClientlessRequest(method: "GET", requestor: "REF30", uri: "/a")
        let headers = try (0..<20).map { _ in try signer.authorization(for: request, at: Timestamp(milliseconds: 1)) }
        #expect(Set(headers).count == 20)
    }

    @Test func `Names of foreign algorithms are cut`() throws {
        let header = Base64.encodeURLSafe(Array("{\"alg\":\"\(String(repeating: "é", count: 900))\"}".utf8))
        let verifier = JSONWebTokenVerifier(keys: try TestKeys.verificationKeys([TestKeys.issuerPublic]))
        let expectations = JSONWebTokenExpectations(issuer: .unchecked, subject: .unchecked, audience: .unchecked)
        let error = #expect(throws: RequestorSigningError.self) {
            try verifier.verify("\(header).e30.AAAA", expecting: expectations)
        }
        #expect(error == .unsupportedAlgorithm(String(repeating: "é", count: 32)))
    }
}
