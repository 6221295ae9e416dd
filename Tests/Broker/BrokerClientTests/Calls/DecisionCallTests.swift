#if Client
import BrokerClient
import EntitlementValues
import HTTPTypes
import ServiceResponses
import Synchronization
import TextCodecs
import Testing

/// How questions about resources are cut into requests, and how the answers find back to what was asked.
@Suite struct DecisionCallTests {
    static let denied = Bodies.error("preauthorization_denied_by_mvpd", status: 403)
    static let failed = Bodies.error("network_received_error", status: 503, action: "retry")

    /// The resources of a request's body.
    static func resources(in body: String) -> [String] {
        body.split(separator: "[")[1].split(separator: "]")[0].split(separator: ",")
            .map { $0.filter { $0 != "\"" } }
    }

    /// A broker that permits what it is asked for, in the opposite order.
    static var permitting: BrokerRecorder {
        BrokerRecorder { _, body in HTTPAnswer(Bodies.decisions(resources(in: body).reversed().map { ($0, nil) })) }
    }

    @Test(arguments: [
        (1, nil, [1]), (5, nil, [5]), (6, nil, [5, 1]), (12, nil, [5, 5, 2]), (4, 3, [3, 1]), (3, 1, [1, 1, 1]),
    ])
    func `A preauthorization asks for five at once, or as many as are said`(
        count: Int, groupSize: Int?, groups: [Int]
    ) async throws {
        let test = try TestBroker(Self.permitting)
        let resources = (0..<count).map { ResourceID("R\($0)") }
        let decisions =
            if let groupSize {
                try await test.caller.preauthorize(
                    resources, mvpd: "TestMVPD", requestor: "REF30", groupSize: groupSize,
                    timeLimit: .seconds(60))
            } else {
                try await test.caller.preauthorize(
                    resources, mvpd: "TestMVPD", requestor: "REF30", timeLimit: .seconds(60))
            }
        #expect(test.recorder.calls.map { Self.resources(in: $0.body).count } == groups)
        #expect(decisions.resources == resources)
        #expect(decisions.decisions.map(\.resource) == resources)
        #expect(decisions.unanswered.isEmpty && decisions.unexpected.isEmpty && decisions.faults.isEmpty)
    }

    @Test func `An authorization asks for one at a time, or as many as are said`() async throws {
        let test = try TestBroker(Self.permitting)
        let decisions = try await test.caller.authorize(["A", "B"], mvpd: "TestMVPD", requestor: "REF30")
        #expect(test.recorder.calls.map(\.body) == [#"{"resources":["A"]}"#, #"{"resources":["B"]}"#])
        #expect(decisions.decisions.map(\.resource) == ["A", "B"])
        _ = try await test.caller.authorize(["A", "B"], mvpd: "TestMVPD", requestor: "REF30", groupSize: 9)
        #expect(test.recorder.calls.last?.body == #"{"resources":["A","B"]}"#)
    }

    @Test func `A resource is asked for once, in its first spelling`() async throws {
        let test = try TestBroker(Self.permitting)
        let decisions = try await test.caller.preauthorize(
            ["B", " A", "A", "B ", "A\n", "a"], mvpd: "TestMVPD", requestor: "REF30")
        #expect(test.recorder.calls.map { Self.resources(in: $0.body) } == [["B", " A", "a"]])
        #expect(decisions.resources == ["B", " A", "a"])
        #expect(decisions["A"]?.isAuthorized == true)
        #expect(decisions["b"] == nil)
    }

    @Test func `Answers are matched by trimmed text, and what is missing or extra is told`() async throws {
        let body = Bodies.decisions([("B ", nil), ("X", nil), (" A", Self.denied), ("A", nil)])
        let test = try TestBroker(BrokerRecorder(answering: body))
        let decisions = try await test.caller.preauthorize(["A", "B", "C"], mvpd: "TestMVPD", requestor: "REF30")
        #expect(decisions.decisions.map(\.resource) == [" A", "B "])
        #expect(decisions["A"]?.error?.code == .preauthorizationDeniedByMVPD)
        #expect(decisions["B"]?.isAuthorized == true)
        #expect(decisions.unanswered == ["C"])
        #expect(decisions.unexpected.map(\.resource) == ["X", "A"])
        #expect("\(decisions)".contains("C: no answer"))
    }

    @Test(arguments: [BrokerEndpoint.authorize, .preauthorize], [true, false])
    func `A denial wins over a permit, whichever comes first`(
        endpoint: BrokerEndpoint,
        isDenialFirst: Bool
    ) async throws {
        let items: [(resource: String, error: String?)] =
            isDenialFirst ? [("A", Self.denied), ("A", nil)] : [("A", nil), ("A", Self.denied)]
        let test = try TestBroker(BrokerRecorder(answering: Bodies.decisions(items)))
        let decisions =
            endpoint == .authorize
            ? try await test.caller.authorize(["A"], mvpd: "TestMVPD", requestor: "REF30")
            : try await test.caller.preauthorize(["A"], mvpd: "TestMVPD", requestor: "REF30")
        #expect(decisions["A"]?.isAuthorized == false)
        #expect(decisions["A"]?.error?.code == .preauthorizationDeniedByMVPD)
        #expect(decisions.unexpected.map(\.isAuthorized) == [true])
    }

    @Test(arguments: [BrokerEndpoint.authorize, .preauthorize], [("OtherMVPD", "REF30"), ("TestMVPD", "OTHER")])
    func `An answer about another brand or provider is not read`(
        endpoint: BrokerEndpoint,
        names: (mvpd: String, requestor: String)
    ) async throws {
        let body = Bodies.decisions([("A", nil)], mvpd: names.mvpd, requestor: names.requestor)
        let test = try TestBroker(BrokerRecorder(answering: body))
        let error = await #expect(throws: BrokerError.self) {
            _ =
                endpoint == .authorize
                ? try await test.caller.authorize(["A"], mvpd: "TestMVPD", requestor: "REF30")
                : try await test.caller.preauthorize(["A"], mvpd: "TestMVPD", requestor: "REF30")
        }
        guard case .unreadable(let answer)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(answer.fault?.code == "other_than_asked")
        #expect(answer.place?.pointer == "/decisions")
        #expect(!"\(answer)".contains("OtherMVPD"))
        #expect(test.recorder.calls.count == 1)
    }

    @Test func `The broker's own spelling of brand and provider counts`() async throws {
        let body = Bodies.decisions([("A", nil)], mvpd: " testmvpd", requestor: "ref30\\n")
        let test = try TestBroker(BrokerRecorder(answering: body))
        let decisions = try await test.caller.authorize(["A"], mvpd: "TestMVPD", requestor: "REF30")
        #expect(decisions["A"]?.isAuthorized == true)
    }

    @Test func `A permit with a denial's error needs a token that decides`() async throws {
        let body = Bodies.decisions([("A", nil)]).replacing(
            #""authorized": true"#, with: #""authorized": true, "error": \#(Self.denied)"#)
        let test = try TestBroker(BrokerRecorder(answering: body))
        let listed = try await test.caller.preauthorize(["A"], mvpd: "TestMVPD", requestor: "REF30")
        #expect(listed["A"]?.isAuthorized == false)
        let played = try await test.caller.authorize(["A"], mvpd: "TestMVPD", requestor: "REF30")
        #expect(played["A"]?.isAuthorized == true)
    }

    @Test func `A broken decision leaves its neighbours`() async throws {
        let good = Bodies.decisions([("A", nil)]).dropFirst(#"{"decisions": ["#.count).dropLast(2)
        let test = try TestBroker(BrokerRecorder(answering: #"{"decisions": [{"resource": "B"}, \#(good)]}"#))
        let decisions = try await test.caller.preauthorize(["A", "B"], mvpd: "TestMVPD", requestor: "REF30")
        #expect(decisions["A"]?.isAuthorized == true)
        #expect(decisions.unanswered == ["B"])
        #expect(decisions.faults.count == 1)
    }

    @Test func `Too many resources are reported, whichever way the broker says it`() async throws {
        let item = Bodies.error("too_many_resources", status: 400)
        let items = try TestBroker(BrokerRecorder(answering: Bodies.decisions([("A", item)])))
        let decisions = try await items.caller.preauthorize(["A"], mvpd: "TestMVPD", requestor: "REF30")
        #expect(decisions["A"]?.error?.code == .tooManyResources)

        let empty = try TestBroker(BrokerRecorder(answering: #"{"decisions": []}"#))
        let none = try await empty.caller.preauthorize(["A"], mvpd: "TestMVPD", requestor: "REF30")
        #expect(none.unanswered == ["A"])

        let whole = try TestBroker(BrokerRecorder(answering: item, status: 400))
        await #expect(throws: BrokerError.refused(try EnhancedError(parsing: item), status: 400)) {
            try await whole.caller.preauthorize(["A"], mvpd: "TestMVPD", requestor: "REF30")
        }
    }

    @Test(arguments: [
        "authenticated_profile_missing", "authenticated_profile_expired", "authorization_denied_by_mvpd",
        "identity_not_recognized_by_mvpd", "temporary_access_duration_limit_exceeded",
    ])
    func `A verdict about the user is that of each resource, bare, wrapped or in the items`(code: String) async throws {
        let error = Bodies.error(code, status: 403)
        for (body, status) in [
            (error, 403), (#"{"error": \#(error)}"#, 403), (Bodies.decisions([("A", error), ("B", error)]), 200),
        ] {
            let test = try TestBroker(BrokerRecorder(answering: body, status: status))
            let decisions = try await test.caller.authorize(
                ["A", "B"], mvpd: "TestMVPD", requestor: "REF30", groupSize: 2)
            #expect(decisions.decisions.map(\.resource) == ["A", "B"])
            #expect(decisions.decisions.allSatisfy { !$0.isAuthorized && $0.error?.code?.rawValue == code })
            #expect(decisions.decisions.allSatisfy { $0.serviceProvider == "REF30" && $0.mvpd == "TestMVPD" })
        }
    }

    @Test func `Only what failed is asked for again, at most twice`() async throws {
        let rounds = Mutex(0)
        let recorder = BrokerRecorder { _, body in
            let round = rounds.withLock { rounds in
                rounds += 1
                return rounds
            }
            let items = Self.resources(in: body).map { resource -> (resource: String, error: String?) in
                switch resource {
                case "never": (resource, Self.failed)
                case "later": (resource, round < 2 ? Self.failed : nil)
                case "denied": (resource, Self.denied)
                default: (resource, nil)
                }
            }
            return HTTPAnswer(Bodies.decisions(items))
        }
        let test = try TestBroker(recorder)
        let decisions = try await test.caller.preauthorize(
            ["good", "later", "denied", "never"], mvpd: "TestMVPD", requestor: "REF30")
        #expect(
            test.recorder.calls.map { Self.resources(in: $0.body) }
                == [["good", "later", "denied", "never"], ["later", "never"], ["never"]])
        #expect(decisions.decisions.map(\.isAuthorized) == [true, true, false, false])
        #expect(decisions["never"]?.error?.code == .networkReceivedError)
    }

    @Test func `Decisions stay if the request for what failed is refused`() async throws {
        let recorder = BrokerRecorder { _, body in
            guard Self.resources(in: body).count > 1 else {
                return HTTPAnswer(Bodies.error("invalid_integration", status: 400), status: 400)
            }
            return HTTPAnswer(Bodies.decisions([("A", nil), ("B", Self.failed)]))
        }
        let test = try TestBroker(recorder)
        let decisions = try await test.caller.preauthorize(["A", "B"], mvpd: "TestMVPD", requestor: "REF30")
        #expect(test.recorder.calls.map { Self.resources(in: $0.body) } == [["A", "B"], ["B"]])
        #expect(decisions["A"]?.isAuthorized == true && decisions["B"]?.error?.code == .networkReceivedError)
        #expect(decisions.failure == nil)
    }

    @Test func `Temporary access asks for nothing twice`() async throws {
        let body = Bodies.decisions([("A", Self.failed)], mvpd: "TempPass")
        let said = try TestBroker(BrokerRecorder(answering: body))
        _ = try await said.caller.authorize(["A"], mvpd: "TempPass", requestor: "REF30", isTemporary: true)
        #expect(said.recorder.calls.count == 1)

        let promotional = try TestBroker(BrokerRecorder(answering: body))
        _ = try await promotional.knowingCaller.authorize(["A"], mvpd: "TempPass", requestor: "REF30")
        #expect(promotional.recorder.calls.count == 1)

        let answered = try TestBroker(
            BrokerRecorder(answering: Bodies.decisions([("A", Self.failed)], source: "temppass", mvpd: "TempPass")))
        _ = try await answered.caller.authorize(["A"], mvpd: "TempPass", requestor: "REF30")
        #expect(answered.recorder.calls.count == 1)

        let broken = try TestBroker(
            BrokerRecorder { _, _ throws(TransportFailure) in throw TransportFailure(.reset, mayHaveBeenSent: true) })
        await #expect(throws: BrokerError.transport(TransportFailure(.reset, mayHaveBeenSent: true))) {
            try await broken.caller.authorize(["A"], mvpd: "TempPass", requestor: "REF30", isTemporary: true)
        }
        #expect(broken.recorder.calls.count == 1)
        await #expect(throws: BrokerError.self) {
            try await broken.caller.authorize(["A"], mvpd: "TestMVPD", requestor: "REF30")
        }
        #expect(broken.recorder.calls.count == 4)
    }

    @Test func `One time limit is for all groups`() async throws {
        let test = try TestBroker(Self.permitting)
        let resources = (0..<30).map { ResourceID("R\($0)") }
        // Ten calls go out in advance, two of them for the registration; then there is one a second.
        let decisions = try await test.caller.preauthorize(
            resources, mvpd: "TestMVPD", requestor: "REF30", groupSize: 1, timeLimit: .seconds(5))
        #expect((10...16).contains(test.recorder.calls.count))
        #expect(decisions.failure != nil)
        #expect(decisions.decisions.count == test.recorder.calls.count)
    }

    @Test func `A request that fails leaves the answers of those before it`() async throws {
        let recorder = BrokerRecorder { _, body in
            let resources = Self.resources(in: body)
            guard !resources.contains("C") else {
                return HTTPAnswer(Bodies.error("invalid_integration", status: 400), status: 400)
            }
            return HTTPAnswer(Bodies.decisions(resources.map { ($0, nil) }))
        }
        let test = try TestBroker(recorder)
        let decisions = try await test.caller.authorize(["A", "B", "C", "D"], mvpd: "TestMVPD", requestor: "REF30")
        #expect(decisions.decisions.map(\.resource) == ["A", "B"])
        #expect(decisions.unanswered == ["C", "D"])
        #expect(decisions.failure?.code == "refused")
        #expect("\(decisions)".contains("invalid_integration"))
        #expect(test.recorder.calls.count == 3)
        // The first has nothing to leave.
        await #expect(throws: BrokerError.self) {
            try await test.caller.authorize(["C", "A"], mvpd: "TestMVPD", requestor: "REF30")
        }
        #expect(test.recorder.calls.count == 4)
    }

    @Test func `An impossible question is not asked`() async throws {
        let test = try TestBroker(Self.permitting)
        await #expect(throws: BrokerError.request(.noResources)) {
            try await test.caller.authorize([], mvpd: "TestMVPD", requestor: "REF30")
        }
        await #expect(throws: BrokerError.request(.noResources)) {
            try await test.caller.preauthorize([], mvpd: "TestMVPD", requestor: "REF30")
        }
        for size in [0, -1, Int.min] {
            await #expect(throws: BrokerError.request(.badGroupSize)) {
                try await test.caller.preauthorize(["A"], mvpd: "TestMVPD", requestor: "REF30", groupSize: size)
            }
        }
        await #expect(throws: BrokerError.request(.badIdentifier(name: "mvpd"))) {
            try await test.caller.authorize(["A"], mvpd: "..", requestor: "REF30")
        }
        #expect(test.recorder.sent.isEmpty)
    }
}
#endif
