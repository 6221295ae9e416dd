import EntitlementValues
import ServiceResponses
import TestVectors
import Testing

/// Bad input of every kind ends in a typed error, in time.
@Suite struct AnswerBadInputTests {
    /// For each kind, the longest body that is read without a fault.
    static let bodies: [(kind: String, body: [UInt8])] = MessageVectorTests.kinds.keys.sorted().compactMap { kind in
        let readable = MessageVectorTests.readable.filter { $0.kind == kind && $0.test.faults == nil }
        return readable.map(\.test.bytes).max { $0.count < $1.count }.map { (kind, $0) }
    }

    @Test func `Every kind has a body`() { #expect(Self.bodies.map(\.kind) == MessageVectorTests.kinds.keys.sorted()) }

    @Test(arguments: bodies.indices)
    func `A body that is cut short is not read`(_ index: Int) throws {
        let (kind, body) = Self.bodies[index]
        let type = try #require(MessageVectorTests.kinds[kind])
        for end in 0..<body.count - 1 {
            do throws(ServiceResponseError) {
                _ = try type.init(parsing: Array(body[..<end]))
                Issue.record("\(end) bytes of a \(kind) body were read")
            } catch {
                #expect(error.code == "not_json")
            }
        }
    }

    /// A changed byte makes another answer or an error; what is read can be written and read again.
    @Test(arguments: bodies.indices)
    func `Every byte may be wrong`(_ index: Int) throws {
        let (kind, body) = Self.bodies[index]
        let type = try #require(MessageVectorTests.kinds[kind])
        var read = 0
        for position in body.indices {
            for byte in [0x00, 0x22, 0x2C, 0x30, 0x7D] as [UInt8] where byte != body[position] {
                var changed = body
                changed[position] = byte
                guard let message = try? type.init(parsing: changed) else { continue }
                read += 1
                let written = message.encoded()
                #expect(try type.init(parsing: written).encoded() == written)
            }
        }
        #expect(read > 0)
    }

    @Test(arguments: MessageVectorTests.kinds.keys.sorted())
    func `A body over the limit is not read`(_ kind: String) throws {
        let type = try #require(MessageVectorTests.kinds[kind])
        let body = [UInt8](repeating: UInt8(ascii: " "), count: ResponseLimits.maximumLength + 1)
        #expect(throws: ServiceResponseError.tooLarge(limit: ResponseLimits.maximumLength)) {
            _ = try type.init(parsing: body)
        }
    }

    @Test func `As many providers as allowed are read`() throws {
        let limit = ConfigurationResponse.maximumProviders
        let mvpd = #"{"id":"M","displayName":"m","logoUrl":"l","isTempPass":false,"isProxy":true,"x":1}"#
        let body =
            #"{"requestor":{"id":"W","mvpds":["# + repeatElement(mvpd, count: limit).joined(separator: ",") + "]}}"
        var count = 0
        try timed("a configuration with as many providers as allowed") {
            count = try ConfigurationResponse(parsing: body).requestor.mvpds.count
        }
        #expect(count == limit)
    }

    @Test func `Faults are counted and only the first are listed`() throws {
        let body = #"{"requestor":{"id":"W","mvpds":["# + repeatElement("7", count: 2999).joined(separator: ",") + "]}}"
        let answer = try ConfigurationResponse(parsing: body)
        #expect(answer.requestor.mvpds.isEmpty)
        #expect(answer.faultCount == 2999)
        #expect(answer.faults.count == ResponseLimits.maximumFaults)
        #expect(answer.faults.last?.path?.pointer == "/requestor/mvpds/99")
    }

    @Test func `A long member name costs no more than its length`() throws {
        let name = String(repeating: "n", count: 1 << 20)
        let body = #"{"logouts":{"\#(name)":7,"M":{"actionName":"complete","actionType":"none"}}}"#
        let answer = try LogoutResponse(parsing: body)
        #expect(answer.logouts.map(\.key) == ["M"])
        #expect(answer.description.utf8.count < 1000)
    }

    @Test func `The field of a missing parameter is the one of the form`() {
        #expect(MissingParameter.domain.fieldName == "domainName")
        #expect(MissingParameter.domainName.fieldName == "domainName")
        #expect(MissingParameter.mvpd.fieldName == "mvpd")
        #expect(MissingParameter("x").fieldName == "x")
    }
}
