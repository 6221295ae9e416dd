#if Client
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues
import HTTPTypes
import SealedRecords
import ServiceResponses
import Testing

struct BrokerErrorTests {
    private static let words = "words-for-people <b>details</b>"

    private func refusal(_ body: String, status: Int, of call: BrokerCall<String> = .profiles) -> BrokerError {
        call.endpoint.refusal(of: HTTPAnswer(body, status: status), at: Self.now)
    }

    private static let now = Timestamp(milliseconds: 1_768_480_200_000)

    @Test func `A refusal shows code, statuses, action and trace, and none of the words`() {
        let error = refusal(
            """
            {"status": 412, "code": "authenticated_profile_expired", "message": "\(Self.words)", "details": "\(Self.words)",
             "helpUrl": "https://example.org/\(Self.words.count)", "action": "authentication", "trace": "5f0c-21-ab",
             "other": "\(Self.words)"}
            """, status: 403)
        #expect(error.code == "refused")
        #expect(
            error.description
                == "the broker refused the call: authenticated_profile_expired, status 403, status 412 in "
                + "the body, action authentication, trace 5f0c-21-ab; let the user sign in")
        expectSilence(of: error, about: ["words", "<b>", "example.org"])
        guard case .refused(let object, status: 403) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(object.message == Self.words)
        #expect(object.details == Self.words)
    }

    @Test(arguments: [
        "ABC1234", "abc.def.ghi", String(repeating: "a", count: 97), "a b", "töken", "", "not_a_documented_code",
    ])
    func `A text in the place of a code is not shown`(text: String) {
        let error = refusal(
            #"{"status": 400, "code": "\#(text)", "action": "\#(text)", "trace": "\#(text) x"}"#, status: 400)
        #expect(error.description.contains("(a text that is not shown), status 400, action (a text that is not shown)"))
        if !text.isEmpty { expectSilence(of: error, about: [text]) }
    }

    @Test(arguments: [
        ("12f6fef9-d2e0-422b-a9d7-60d799abe353", true), (String(repeating: "a", count: 64), false), ("user-17", false),
    ])
    func `Only what can be an identifier is shown as the trace`(trace: String, isShown: Bool) {
        let error = refusal(
            #"{"status": 400, "code": "invalid_integration", "trace": "\#(trace)"}"#, status: 400)
        #expect(error.description.contains("trace \(trace)") == isShown)
        if !isShown { expectSilence(of: error, about: [trace]) }
    }

    @Test(arguments: [
        (#"{"profiles": {"ABC1234": {"attributes": {}}}}"#, #"profiles["*"].notBefore is missing"#),
        (#"{"profiles": {"ABC1234": []}}"#, #"profiles["*"] is not an object"#),
        (#"{"profiles": {"ABC1234": {"notBefore": 1, "notAfter": 2, "attributes": {"ABC1234": 1.5e}}}}"#, "not JSON"),
        (#"{"profiles": []}"#, "profiles is not an object"),
    ])
    func `Names that the broker chooses are not shown`(body: String, expected: String) {
        let answer = HTTPAnswer(body)
        let fault: ServiceResponseError?
        do throws(ServiceResponseError) {
            fault = try ProfilesResponse(parsing: answer.body).faults.first { !$0.isWarning }
        } catch {
            fault = error
        }
        let error = BrokerError.unreadable(UnreadableAnswer(answer, fault: fault))
        #expect(error.description.contains(expected))
        expectSilence(of: error, about: ["ABC1234"])
    }

    @Test func `A wrapped error object is read`() {
        let error = refusal(#"{"error": {"status": 400, "code": "invalid_integration"}}"#, status: 400)
        guard case .refused(let object, status: 400) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(object.code == .invalidIntegration)
    }

    @Test(arguments: ["{}", "{", "[]", "", #"{"decisions": []}"#, #"{"error": "invalid_request"}"#])
    func `An error's body that says nothing is unreadable, with the reason`(body: String) {
        let error = refusal(body, status: 400)
        guard case .unreadable(let answer) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(answer.status == 400)
        #expect(answer.fault != nil)
        #expect(error.description.contains("status 400, application/json: "))
    }

    @Test func `Words in another encoding do not hide the code beside them`() {
        let enhanced = Array(#"{"status": 400, "code": "invalid_integration", "message": "Z"#.utf8)
        let plain = Array(#"{"error": "invalid_client", "error_description": "Z"#.utf8)
        let rest = [0xFC] + Array(#"rich"}"#.utf8)
        let head = HTTPAnswer("", status: 400).head
        let refusal = BrokerEndpoint.profiles.refusal(of: HTTPAnswer(head, body: enhanced + rest), at: Self.now)
        guard case .refused(let object, status: 400) = refusal else {
            Issue.record("\(refusal)")
            return
        }
        #expect(object.code == .invalidIntegration)
        #expect(object.message == "Z\u{FFFD}rich")
        let registration = BrokerEndpoint.token.refusal(of: HTTPAnswer(head, body: plain + rest), at: Self.now)
        #expect(registration.code == "registration_ended")
    }

    @Test(
        arguments: [
            ("text/html; charset=utf-8", "text/html"), ("TEXT/HTML", "text/html"), (nil, nil), ("", nil), ("text", nil),
            ("text/", nil), ("/html", nil), ("a/b/c", nil), ("application/\u{7F}json", nil),
            (String(repeating: "a", count: 64) + "/b", nil), ("secret token/x=1", nil),
        ] as [(String?, String?)])
    func `Only a well-formed content type is kept`(field: String?, expected: String?) {
        let answer = UnreadableAnswer(HTTPAnswer("", status: 200, type: field))
        #expect(answer.contentType == expected)
    }

    @Test(
        arguments: [
            ("application/json", true), ("application/json;charset=UTF-8", true), ("Application/Problem+JSON", true),
            ("text/json", false), ("application/jsonp", false), ("text/html", false), (nil, false),
        ] as [(String?, Bool)])
    func `Only JSON is read as JSON`(field: String?, isJSON: Bool) {
        #expect(HTTPAnswer("{}", type: field).isJSON == isJSON)
    }

    @Test func `A fault of a body is named by its place, without values`() throws {
        let answer = HTTPAnswer(#"{"decisions": [], "secret": "value"}"#)
        let outcome = Result { () throws(BrokerError) in try ProfilesResponse(reading: answer) }
        let error = try #require(outcome.error)
        guard case .unreadable(let unreadable) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(unreadable.place?.pointer == "/profiles")
        #expect(unreadable.status == 200)
        expectSilence(of: error, about: ["secret", "value"])
    }

    @Test func `The statuses of success are the endpoint's`() throws {
        for status in [200, 201, 204, 206, 301, 302, 304] {
            let outcome = Result { () throws(BrokerError) in
                try BrokerCall<String>.profiles.value(of: HTTPAnswer("{}", status: status), at: Self.now)
            }
            if status == 200 {
                #expect(outcome == .success("{}"))
            } else {
                #expect(outcome.error?.code == "unreadable_answer")
            }
        }
    }

    @Test func `Each error has a code of its own and a description in one line`() {
        let errors: [BrokerError] = [
            .request(.missingField(name: "X-Device-Info")), .throttled(retryAfter: nil),
            .throttled(retryAfter: .milliseconds(1500)), .pollSkipped(retryAfter: .milliseconds(20)),
            .transport(TransportFailure(.reset, mayHaveBeenSent: true)), .cancelled,
            .store(.store(.unavailable(reason: "the store does not answer"))),
            .unreadable(UnreadableAnswer(HTTPAnswer.html(500))),
            refusal(#"{"status": 401, "code": "invalid_access_token_client_application"}"#, status: 401),
            refusal(#"{"status": 400, "code": "invalid_integration"}"#, status: 400),
            .unavailable(status: 503, retryAfter: nil), .unavailable(status: 503, retryAfter: .milliseconds(1500)),
            .unsafeAddress(.scheme), .borrowedTokenRefused,
        ]
        #expect(Set(errors.map(\.code)).count == errors.count - 2)
        for error in errors {
            #expect(!error.description.isEmpty && !error.description.contains("\n"))
            #expect(error.debugDescription == error.description)
        }
        for error in [errors[2], errors[11]] { #expect(error.description.contains("in 2 s")) }
        #expect(errors[8].description.contains("ends all of its logins"))
    }

    private func expectSilence(of error: BrokerError, about texts: [String]) {
        var dumped = ""
        dump(error, to: &dumped)
        for text in texts {
            for shown in [
                error.description, "\(error)", String(reflecting: error), dumped, "\([error])", "\(error as any Error)",
            ] {
                #expect(!shown.contains(text))
            }
        }
    }
}
#endif
