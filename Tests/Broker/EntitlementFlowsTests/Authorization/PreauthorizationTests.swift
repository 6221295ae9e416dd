#if Client
import BrokerClient
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import Synchronization
import Testing

@Suite("Preauthorization")
struct PreauthorizationTests {
    private static let many = (1...12).map { ResourceID("r\($0)") }

    @Test func `Groups of five, in the order of the call, and permits only`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        let log = EventLog(of: bench.session)
        let list = Self.many + ["sim:deny", "sim:deny-parental"]
        #expect(await bench.session.checkPreauthorizedResources(list) == Self.many)
        #expect(bench.requests == [.preauthorize, .preauthorize, .preauthorize])
        let events = await log.next()
        #expect(events.count == 1)
        guard case .preauthorized(let told)? = events.first else {
            Issue.record("no event with the list")
            return
        }
        #expect(told == Self.many)
    }

    @Test func `Permits that are remembered and answers of the broker come in the order of the call`() {
        let reason = EnhancedError(status: 403, code: .preauthorizationDeniedByMVPD)
        let decisions: [ResourceID: Decision] = [
            "open": Decision(resource: "open", serviceProvider: "REF30", mvpd: "M", isAuthorized: true),
            "closed": Decision(
                resource: "closed", serviceProvider: "REF30", mvpd: "M", isAuthorized: false, error: reason),
            // What is remembered counts, since the broker was not asked about it.
            "kept": Decision(resource: "kept", serviceProvider: "REF30", mvpd: "M", isAuthorized: false),
        ]
        let merged = Preauthorization(of: ["closed", " kept ", "open", "unanswered", "kept"], remembering: ["kept"]) {
            decisions[$0]
        }
        #expect(
            merged.answers == [
                PreauthorizedResource("closed", isPermitted: false, because: reason),
                PreauthorizedResource(" kept ", isPermitted: true, isCached: true),
                PreauthorizedResource("open", isPermitted: true),
                PreauthorizedResource("unanswered", isPermitted: false, isNotMentioned: true),
                PreauthorizedResource("kept", isPermitted: true, isCached: true),
            ])
    }

    @Test func `What the broker leaves out is not denied, unless a part of its answer is not readable`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        let answer = try await bench.session.preauthorize(["news", "sim:not-gated", "sim:deny"])
        #expect(answer.notMentioned == ["sim:not-gated"] && answer.permitted == ["news"])
        #expect(answer.answers.map(\.isNotMentioned) == [false, true, false])
        #expect(answer.answers[1].description == "sim:not-gated: not mentioned" && answer.answers[1].error == nil)
        // Nothing is remembered of it, and a play is decided as any other.
        #expect(try await bench.session.preauthorize(["sim:not-gated"]).notMentioned == ["sim:not-gated"])
        let damaged = Preauthorization(of: ["a"], remembering: [], isWhole: false) { _ in nil }
        #expect(damaged.answers == [PreauthorizedResource("a", isPermitted: false)] && damaged.notMentioned.isEmpty)
    }

    @Test func `Answers have the broker's reasons`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        let log = EventLog(of: bench.session)
        let answer = try await bench.session.preauthorize(["sim:deny", "news", " news ", "sim:timeout"])
        #expect(answer.answers.map(\.isPermitted) == [false, true, true, false])
        #expect(
            answer.answers.map(\.error?.code) == [.preauthorizationDeniedByMVPD, nil, nil, .networkConnectionTimeout])
        #expect(answer.permitted == ["news", " news "])
        #expect(await log.names() == [])
    }

    @Test func `Permits and denials are remembered, and asked for anew if the caller says so`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        let first = try await bench.session.preauthorize(["a", "b", "sim:deny"])
        bench.forgetRequests()
        let answer = try await bench.session.preauthorize(["b", "sim:deny", "a"])
        #expect(answer.answers.map(\.isCached) == [true, false, true])
        #expect(answer.answers[1] == first.answers[2], "as the broker said it")
        #expect(try await bench.session.preauthorize([" sim:deny "]).answers[0].error == first.answers[2].error)
        #expect(bench.requests == [])
        let anew = try await bench.session.preauthorize(["sim:deny"], usingCache: false)
        #expect(anew.answers.map(\.isPermitted) == [false] && bench.requests == [.preauthorize])
        bench.forgetRequests()
        #expect(await bench.session.checkPreauthorizedResources(["b", "a"]) == ["b", "a"])
        #expect(bench.requests == [])
        #expect(await bench.session.checkPreauthorizedResources(["b", "a"], cache: false) == ["b", "a"])
        #expect(bench.requests == [.preauthorize])
    }

    @Test func `A permit that is denied when asked anew is forgotten`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        _ = try await bench.session.preauthorize(["a"])
        bench.activate(.decision(.authorizationDeniedByMVPD), at: .preauthorize)
        #expect(await bench.session.checkPreauthorizedResources(["a"], cache: false) == [])
        #expect(await bench.session.checkPreauthorizedResources(["a"]) == [])
    }

    @Test func `Permits end after half an hour`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        _ = try await bench.session.preauthorize(["a"])
        bench.advance(by: .seconds(1799))
        _ = try await bench.session.preauthorize(["a"])
        #expect(bench.requests == [.preauthorize])
        bench.advance(by: .seconds(1))
        _ = try await bench.session.preauthorize(["a"])
        #expect(bench.requests == [.preauthorize, .preauthorize])
    }

    @Test func `Denials end after a minute, and are no decision for a play`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        _ = try await bench.session.preauthorize(["sim:deny"])
        #expect(try await bench.session.checkAuthorization("sim:deny").denial != nil)
        #expect(bench.requests == [.preauthorize, .authorize])
        bench.forgetRequests()
        bench.advance(by: .seconds(59))
        _ = try await bench.session.preauthorize(["sim:deny"])
        #expect(bench.requests == [])
        bench.advance(by: .seconds(2))
        #expect(try await bench.session.preauthorize(["sim:deny"]).permitted == [])
        #expect(bench.requests == [.preauthorize])
        bench.forgetRequests()
        // One that is a permit when it is asked for anew is forgotten.
        bench.activate(.decision(.authorizationDeniedByParentalControls), at: .preauthorize, times: 1)
        #expect(
            try await bench.session.preauthorize(["a"]).answers[0].error?.code
                == .authorizationDeniedByParentalControls)
        #expect(try await bench.session.preauthorize(["a"]).permitted == [])
        #expect(try await bench.session.preauthorize(["a"], usingCache: false).permitted == ["a"])
        #expect(try await bench.session.preauthorize(["a"]).permitted == ["a"])
        #expect(bench.requests == [.preauthorize, .preauthorize])
    }

    @Test(arguments: ["sim:timeout", "sim:too-many"] as [ResourceID])
    func `What is to be tried again, or was asked for wrongly, is not remembered`(resource: ResourceID) async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        for _ in 0..<2 {
            #expect(try await bench.session.preauthorize([resource]).permitted == [])
            #expect(!bench.requests.isEmpty)
            bench.forgetRequests()
        }
        #expect(await bench.session.state.permits.denialCount == 0)
    }

    /// What ends permits and denials.
    enum End: CaseIterable {
        case logout, otherProvider, otherProfile, newEpoch, deadProfile
    }

    @Test(arguments: End.allCases, ["a", "sim:deny"] as [ResourceID])
    func `Permits and denials end with the sign-in`(end: End, resource: ResourceID) async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        _ = try await bench.session.preauthorize([resource])
        switch end {
        case .logout: try await bench.session.logout()
        case .otherProvider: try await bench.change { $0.adopt(nil, askedAt: .init(milliseconds: .max)) }
        case .otherProfile:
            bench.simulator.expire(.profiles)
            bench.advance(by: .seconds(60))
        case .newEpoch: try await bench.change { $0.raiseEpoch() }
        case .deadProfile:
            bench.activate(.decision(.authenticatedProfileInvalidated), at: .authorize, times: 1)
            _ = try await bench.session.checkAuthorization("a")
        }
        switch end {
        case .otherProfile, .logout, .deadProfile: try await bench.signIn()
        case .otherProvider:
            try await bench.change { $0 = RequestorRecord() }
            try await bench.signIn("SampleFiber")
        case .newEpoch: bench.forgetRequests()
        }
        #expect(try await bench.session.preauthorize([resource]).permitted == (resource == "a" ? ["a"] : []))
        #expect(bench.requests == [.preauthorize])
    }

    @Test func `Who is not signed in: the old form is empty, the new one throws`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.change { $0.adopt(nil, askedAt: AuthorizationBench.start) }
        let log = EventLog(of: bench.session)
        #expect(await bench.session.checkPreauthorizedResources(["a"]) == [])
        #expect(await log.names() == ["0 resources are preauthorized", "status N000 (Info)"])
        await #expect(throws: EntitlementFlowError.notAuthenticated) { try await bench.session.preauthorize(["a"]) }
        #expect(await log.names() == [])
        #expect(bench.requests == [])
    }

    @Test(arguments: [
        Scenario.network(.dropAnswer), .status(500), .throttled(retryAfter: nil), .malformed(.truncated),
    ])
    func `A failed call: the old form is empty, the new one throws`(scenario: Scenario) async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.activate(scenario, at: .preauthorize)
        let log = EventLog(of: bench.session)
        #expect(await bench.session.checkPreauthorizedResources(["a"]) == [])
        #expect(await log.names() == ["0 resources are preauthorized", "status P100 (Error)"])
        let error = await #expect(throws: EntitlementFlowError.self) { try await bench.session.preauthorize(["a"]) }
        #expect(error?.isBroker == true)
        #expect(try await bench.record().profile != nil)
    }

    @Test func `A request that fails leaves the permits of those before it`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        let requests = Mutex(0)
        bench.transport.onAnswer { path, answer in
            guard path.contains("/preauthorize/") else { return answer }
            let number = requests.withLock { requests in
                requests += 1
                return requests
            }
            return number == 1 ? answer : HTTPAnswer(answer.head, body: [])
        }
        await #expect(throws: EntitlementFlowError.self) { try await bench.session.preauthorize(Self.many) }
        bench.transport.onAnswer(nil)
        bench.forgetRequests()
        #expect(try await bench.session.preauthorize(Self.many).permitted == Self.many)
        // Five of twelve are remembered.
        #expect(bench.requests == [.preauthorize, .preauthorize])
    }

    @Test func `Too many resources are reported`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        let answer = try await bench.session.preauthorize(Self.many, groupSize: 12)
        #expect(answer.answers.allSatisfy { $0.error?.code == .tooManyResources })
        #expect(bench.requests == [.preauthorize])
        let log = EventLog(of: bench.session)
        #expect(await bench.session.checkPreauthorizedResources(["sim:too-many", "a"]) == ["a"])
        #expect(await log.names() == ["1 resources are preauthorized", "status P100 (Error)"])
    }

    @Test func `No resources, and groups of none`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        #expect(try await bench.session.preauthorize([]).answers.isEmpty)
        await #expect(throws: EntitlementFlowError.broker(.request(.badGroupSize))) {
            try await bench.session.preauthorize(["a"], groupSize: 0)
        }
        #expect(bench.requests == [])
    }

    @Test func `A profile that is dead at the broker ends the sign-in`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.simulator.expire(.profiles)
        await #expect(throws: EntitlementFlowError.notAuthenticated) { try await bench.session.preauthorize(["a"]) }
        #expect(try await bench.record().profile == nil)
    }

    @Test func `A logout in the middle`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        let directory = bench.directory
        bench.transport.onAnswer { path, answer in
            if path.contains("/preauthorize/") {
                _ = try? await directory.change("device-key") { $0["REF30"].raiseEpoch() }
            }
            return answer
        }
        await #expect(throws: EntitlementFlowError.superseded) { try await bench.session.preauthorize(["a"]) }
        #expect(await bench.session.state.permits.count == 0)
    }

    @Test func `Permits count for one sign-in, and a change of attributes is none`() {
        var cache = PermitCache()
        let (hint, other) = (ProfileHint(ofUnknownEnd: "M"), ProfileHint(ofUnknownEnd: "N"))
        func isPermitted(_ mvpd: MVPDID = "M", epoch: Int64 = 1) -> Bool {
            cache.permits("a", with: cache.mark(requestor: "R", mvpd: mvpd, epoch: epoch, notBefore: nil), at: .zero)
        }
        func permit() {
            let mark = cache.mark(requestor: "R", mvpd: "M", epoch: 1, notBefore: nil)
            cache.replace(["a"], permitting: ["a"], with: mark, at: .zero)
        }
        permit()
        #expect(isPermitted() && !isPermitted("N") && !isPermitted(epoch: 2))
        cache.profileChanged(from: hint, to: hint)
        cache.profileChanged(from: nil, to: nil)
        #expect(isPermitted())
        let changes: [(ProfileHint?, ProfileHint?)] = [(hint, other), (hint, nil), (nil, hint)]
        for (before, after) in changes {
            permit()
            cache.profileChanged(from: before, to: after)
            #expect(!isPermitted(), "\(before?.mvpd.rawValue ?? "nobody")")
        }
        permit()
        cache.signInChanged()
        #expect(!isPermitted())
    }

    @Test func `A denial holds to the last instant, for its question alone, and denials are bounded`() {
        var cache = PermitCache()
        let mark = cache.mark(requestor: "R", mvpd: "M", epoch: 1, notBefore: nil)
        let all = (0..<PermitCache.denialCapacity + 10).map { ResourceID("\($0)") }
        let denials = all.map { Decision(resource: $0, serviceProvider: "R", mvpd: "M", isAuthorized: false) }
        func denies(_ question: PermitCache.Question, _ seconds: Int, epoch: Int64 = 1) -> Bool {
            let mark = cache.mark(requestor: "R", mvpd: "M", epoch: epoch, notBefore: nil)
            return cache.denial(of: " 0", by: question, with: mark, at: .seconds(seconds)) != nil
        }
        cache.replaceDenials(of: all, by: .preauthorize, with: denials, mark, at: .zero)
        #expect(cache.denialCount == PermitCache.denialCapacity)
        #expect(denies(.preauthorize, 60) && !denies(.preauthorize, 61) && !denies(.preauthorize, 0, epoch: 2))
        #expect(!denies(.authorize, 0) && !cache.permits("0", with: mark, at: .zero))
        // Those that have ended make room.
        cache.replaceDenials(of: ["0"], by: .authorize, with: [denials[0]], mark, at: .seconds(61))
        #expect(cache.denialCount == 1 && denies(.authorize, 71) && !denies(.authorize, 72))
        cache.signInChanged()
        #expect(!denies(.authorize, 61))
        cache.removeAll()
        #expect(cache.denialCount == 0)
    }

    @Test func `The memory of permits is bounded`() {
        var cache = PermitCache()
        let mark = cache.mark(requestor: "R", mvpd: "M", epoch: 1, notBefore: nil)
        let all = (0..<PermitCache.capacity + 10).map { ResourceID("\($0)") }
        cache.replace(all, permitting: all, with: mark, at: .zero)
        #expect(cache.count == PermitCache.capacity)
        #expect(cache.permits("0", with: mark, at: .zero))
    }
}
#endif
