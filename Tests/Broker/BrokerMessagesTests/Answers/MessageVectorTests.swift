import BrokerMessages
import Foundation
import ServiceResponses
import TestVectors
import TextCodecs
import Testing

/// Every vector of the broker's messages has the content or the error that the vector states.
@Suite struct MessageVectorTests {
    static let file = Result { try VectorFile<MessageGroup>.named("broker_messages/broker_message_test.json") }

    /// Empty if the file cannot be read; the test below reports that.
    static let cases =
        (try? file.get())?.testGroups.flatMap { group in
            group.tests.map { MessageCase(kind: group.kind, test: $0) }
        } ?? []

    /// What each kind of body is read as: all answers of the broker.
    ///
    /// The tests of the client ask that each answer of a call has vectors here, by the name of its type.
    static let kinds: [String: any VectorMessage.Type] = [
        "configuration": ConfigurationResponse.self, "session": SessionResponse.self,
        "session-status": SessionStatusResponse.self, "logout": LogoutResponse.self,
        "credentials": ClientCredentials.self, "access-token": AccessToken.self,
        "registration-error": RegistrationError.self, "error": EnhancedError.self,
        "profiles": ProfilesResponse.self, "decisions": DecisionsResponse.self,
    ]

    @Test func `The file holds as many tests of each kind as it says`() throws {
        let file = try Self.file.get()
        #expect(Self.cases.count == file.numberOfTests)
        #expect(Self.cases.count >= 600)
        #expect(Set(Self.cases.map(\.kind)) == Set(Self.kinds.keys).union(["registration-request"]))
        #expect(Self.cases.count { $0.test.flags.contains("BrokenSample") } == 14)
    }

    @Test func `Every kind is fuzzed`() throws {
        let file = Vectors.repository.appending(path: "Fuzz/FuzzBrokerMessages/FuzzBrokerMessages.swift")
        let program = try String(contentsOf: file, encoding: .utf8)
        for (kind, type) in Self.kinds { #expect(program.contains("(\(type).self, bytes)"), "\(kind)") }
    }

    @Test(arguments: cases.filter { $0.kind != "registration-request" })
    func `The outcome is the stated one`(_ vector: MessageCase) throws {
        let kind = try #require(Self.kinds[vector.kind])
        do throws(ServiceResponseError) {
            let message = try kind.init(parsing: vector.test.bytes)
            #expect(vector.test.result == "valid", "\(message)")
            #expect(message.content == vector.test.expected)
            let faults = message.listedFaults.map { MessageTest.Refusal($0) }
            #expect(faults == vector.test.faults ?? [])
            #expect(message.totalFaults == faults.count)
        } catch {
            vector.test.expect(code: error.code, path: error.path, description: error.description)
        }
    }

    @Test(arguments: cases.filter { $0.kind == "registration-request" })
    func `Broken requests are refused`(_ vector: MessageCase) throws {
        do throws(BrokerRequestError) {
            _ = try RegistrationRequest(parsing: vector.test.bytes)
            #expect(vector.test.result == "valid")
        } catch {
            let code = error.code.replacing("request_", with: "", maxReplacements: 1)
            vector.test.expect(code: code, path: error.path, description: error.description)
        }
    }

    static let readable = cases.filter { $0.test.result == "valid" }

    @Test(arguments: readable)
    func `What is written is read back the same`(_ vector: MessageCase) throws {
        let kind = try #require(Self.kinds[vector.kind])
        let message = try kind.init(parsing: vector.test.bytes)
        let written = message.encoded()
        let again = try kind.init(parsing: written)
        #expect(again.content == message.content)
        #expect(again.encoded() == written)
        // Parts that could not be read are not written, and warnings about what was taken come again.
        let warnings = message.listedFaults.filter(\.isWarning)
        #expect(again.listedFaults == warnings)
    }
}

struct MessageGroup: Decodable, Sendable {
    let kind: String
    let tests: [MessageTest]
}

struct MessageTest: Decodable, Sendable {
    struct Refusal: Decodable, Sendable, Hashable {
        let code: String
        let path: String
        /// The byte at which the body stops being JSON.
        let at: Int?

        init(_ error: ServiceResponseError) {
            (code, path, at) = (error.code, error.path?.pointer ?? "", nil)
        }
    }

    let tcId: Int
    let comment: String
    let flags: [String]
    let body: String?
    let bodyHex: String?
    let result: String
    let expected: Normalised?
    let faults: [Refusal]?
    let expectedError: Refusal?

    var bytes: [UInt8] { body.map { Array($0.utf8) } ?? Vectors.bytes(hexadecimal: bodyHex ?? "") }

    func expect(code: String, path: JSONLocation?, description: String) {
        #expect(result == "invalid", "\(description)")
        #expect(code == expectedError?.code, "\(description)")
        #expect((path?.pointer ?? "") == expectedError?.path, "\(description)")
        guard let at = expectedError?.at else { return }
        #expect(description.firstRange(of: /at byte \d+\b/).map { String(description[$0]) } == "at byte \(at)")
    }
}

struct MessageCase: Sendable, CustomTestStringConvertible {
    let kind: String
    let test: MessageTest

    var testDescription: String { "tcId \(test.tcId): \(kind), \(test.comment)" }
}
