#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import RecordChecks
import Synchronization
import TestVectors
import TVETesting
import Testing

/// What was asked about a device counts for that device as it was: not for one that was erased, or for a later sign-in.
@Suite("Answers that come too late")
struct LateAnswerTests {
    /// Each way to ask the broker whose answer is kept in the record, or given because of the record.
    enum Question: String, Sendable, CaseIterable {
        case profile, decisionThatTells, permit, preauthorization, session, silentSession, partnerProfile

        /// A part of the path of its request.
        var path: String {
            switch self {
            case .profile: "/profiles/"
            case .decisionThatTells, .permit: "/decisions/authorize/"
            case .preauthorization: "/decisions/preauthorize/"
            case .session: "/sessions"
            case .silentSession: "/sessions/sso"
            case .partnerProfile: "/profiles/sso"
            }
        }
    }

    /// The record of a device that was erased counts its epochs anew, so that the same number comes again.
    @Test(arguments: Question.allCases, [true, false])
    func `An answer about an erased device is not kept by the one that has begun anew`(
        to question: Question,
        isSeen: Bool
    ) async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        let (asking, ask) = try await Self.prepare(question, bench, session)
        let (other, once) = (bench.otherProcess, Once())
        bench.transport.onAnswer { path, answer in
            guard path.contains(question.path), once.take() else { return answer }
            await Self.beginAnew(other)
            // Anything that waits for no turn reads the record.
            if isSeen { _ = try? await asking.selectedProvider() }
            return answer
        }
        await #expect(throws: EntitlementFlowError.superseded) { try await ask() }
        #expect(once.isTaken, "the answer was not seen")
        let record = try #require(try await other.broker.records.record(of: "device"))
        #expect(record[FlowBench.requestor].profile == nil && record[FlowBench.requestor].pendingCode == nil)
        #expect(record[FlowBench.requestor].decisions.isEmpty)
        #expect(session.application.broker.records.notedDecisions(requestor: FlowBench.requestor, of: "device").isEmpty)
    }

    /// Brings the device to where the question is put, and says by which session, and how.
    private static func prepare(
        _ question: Question,
        _ bench: FlowBench,
        _ session: EntitlementSession
    ) async throws -> (EntitlementSession, @Sendable () async throws -> Void) {
        switch question {
        case .profile: return (session, { _ = try await session.checkAuthentication(.broker) })
        case .permit: return (session, { _ = try await session.checkAuthorization("news") })
        case .preauthorization: return (session, { _ = try await session.preauthorize(["news"]) })
        case .session: return (session, { _ = try await session.setSelectedProvider("SampleCable") })
        case .decisionThatTells:
            // The provider is known, and the broker was never asked for the profile.
            try await session.change(requestor: FlowBench.requestor) { record in
                let provider = record.provider
                record = RequestorRecord()
                record.provider = provider
            }
            return (session, { _ = try await session.checkAuthorization("news") })
        case .partnerProfile:
            try await session.logout()
            let framework = PartnerFramework(mappingID: "sample-satellite")
            let status = try framework.status(at: bench.time.now)
            var options = SessionOptions()
            options.partnerSignIn = .silent
            await session.setOptions(options)
            guard case .confirm(let confirmation)? = try await session.synchronize(partner: status).question else {
                throw BenchFault.notSignedIn
            }
            let saml = try #require(framework.samlResponse(to: confirmation.verificationToken))
            let reply = PartnerReply.answer(status, response: PartnerResponse(saml))
            return (session, { _ = try await session.partnerReplied(reply) })
        case .silentSession:
            try await session.logout()
            _ = try await signInAtBroker(bench, session)
            var options = SessionOptions()
            options.partnerSignIn = .silent
            let fresh = try bench.newSession(options: options)
            return (fresh, { _ = try await fresh.setRequestor(FlowBench.requestor) })
        }
    }

    /// Erases the device, registers it anew, and counts as many epochs as before.
    private static func beginAnew(_ application: EntitlementApplication) async {
        let records = application.broker.records
        let epoch = (try? await records.record(of: "device"))?[FlowBench.requestor].epoch ?? 0
        _ = try? await records.forget("device")
        let device = try? Device(
            key: "device", identifier: DeviceIdentifier("identifier of device"), info: DeviceInfo([.model: "Model"]))
        guard let device else { return }
        let caller = application.broker.caller(device, from: nil)
        _ = try? await caller.profiles(requestor: FlowBench.requestor)
        _ = try? await records.change("device") { record in
            while record[FlowBench.requestor].epoch < epoch { record[FlowBench.requestor].raiseEpoch() }
        }
    }

    // MARK: What one sign-in ends of another

    @Test func `A sign-in that fails does not end the request of a newer one`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        guard case .needsAuthentication = try await session.getAuthorization("first") else { return }
        _ = try await session.setSelectedProvider("SampleCable")
        try await eventually { bench.time.rests(with: 1) }
        // The code ends at its time: the next read belongs to the note of the failure.
        let second = Box<PendingAuthorization>()
        bench.store.actOnce(.beforeRead) { second.put(await Self.request("second", session)) }
        bench.time.advance(by: .minutes(30))
        try await eventually { second.value != nil }
        try await eventually { await !session.isWaiting && !session.queue.isBusy }
        #expect(
            await session.state.pending === second.value,
            "the failure of the first sign-in has ended the second request")
    }

    @Test func `A cancel does not end the request that came after it`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        guard case .needsAuthentication = try await session.getAuthorization("first") else { return }
        let second = Box<PendingAuthorization>()
        bench.store.actOnce(.afterWrite) { second.put(await Self.request("second", session)) }
        _ = try await session.setSelectedProvider(nil)
        let request = try #require(second.value)
        #expect(await session.state.pending === request, "the cancel has ended the request that came after it")
    }

    /// The success of a wait gets its turn after the commands that came before it.
    @Test func `A sign-in that succeeds does not decide the request of a newer one`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        guard case .needsAuthentication = try await session.getAuthorization("first") else { return }
        let step = try await session.setSelectedProvider("SampleCable")
        try await eventually { bench.time.rests(with: 1) }
        #expect(await session.queue.enter())
        let second = Task { await Self.request("second", session) }
        try await eventually { session.queue.waitingCount == 1 }
        try bench.logIn(step)
        bench.time.advance(by: .seconds(6))
        try await eventually { session.queue.waitingCount == 2 }
        #expect(await !session.isWaiting)
        // When the second request gets its turn, the user is signed out again.
        try await bench.session(of: bench.otherProcess).logout()
        session.queue.leave()
        let request = try #require(await second.value)
        try await eventually { !session.queue.isBusy }
        #expect(await session.state.pending === request, "the first sign-in has ended the second request")
    }

    @Test func `A return that has read an old record does not end the wait for a newer code`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        _ = try await session.setSelectedProvider("SampleCable")
        try await eventually { bench.time.rests(with: 1) }
        let waiting = Box<Task<SignIn, any Error>>()
        bench.store.actOnce(.afterRead) {
            await Task.detached {
                _ = try? await session.setSelectedProvider("SampleFiber")
                waiting.put(Task { try await session.awaitAuthentication() })
                try? await eventually { await session.state.wait?.listeners == 1 }
            }.value
        }
        await #expect(throws: EntitlementFlowError.superseded) {
            try await session.handleExternalURL(FlowBench.redirect)
        }
        #expect(await session.state.wait?.listeners == 1, "the wait for the newer code has ended")
        await session.stopWaiting()
        _ = await waiting.value?.result
    }

    @Test func `A code is not shown if its sign-in is cancelled before`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        let (log, made) = (EventLog(of: session), Box<AuthenticationCode>())
        bench.transport.onAnswer { path, answer in
            if path.hasSuffix("/sessions"), let code = String(decoding: answer.body, as: UTF8.self).memberNamedCode {
                made.put(AuthenticationCode(code))
            }
            return answer
        }
        bench.store.actOnce(.beforeAlias) { _ = try? await session.setSelectedProvider(nil) }
        await #expect(throws: EntitlementFlowError.superseded) { try await session.setSelectedProvider("SampleCable") }
        #expect(await !log.names().contains("the device shows a code"))
        #expect(await !session.isWaiting)
        let code = try #require(made.value)
        #expect(try await bench.application.broker.records.device(showing: code) == nil, "its place has stayed")
    }

    /// The ways to begin a sign-in, each of which reads the record first.
    enum Beginning: Sendable, CaseIterable {
        case choice, code, partner
    }

    @Test(arguments: Beginning.allCases)
    func `A sign-in does not begin that is cancelled while its beginning is written`(
        _ beginning: Beginning
    ) async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        // Registered, so that the first change is that of the beginning.
        _ = try await session.checkAuthentication(.broker)
        if beginning == .partner { _ = try await Self.signInAtBroker(bench, session) }
        bench.store.actOnce(.beforeWrite) { _ = try? await session.setSelectedProvider(nil) }
        await #expect(throws: EntitlementFlowError.superseded) {
            switch beginning {
            case .choice: _ = try await session.setSelectedProvider("SampleCable")
            case .code: _ = try await session.requestCode()
            case .partner: _ = try await session.getAuthentication()
            }
        }
        let record = try #require(try await bench.application.broker.records.record(of: "device"))
        let entry = record[FlowBench.requestor]
        #expect(entry.pendingCode == nil && entry.provider == nil && entry.profile == nil)
        #expect(await !session.isWaiting)
    }

    /// A change of the provider that logs out at the one before, and a forced sign-in, begin with a logout.
    @Test(arguments: [true, false])
    func `Nobody is logged out at a provider by a sign-in that is cancelled before`(isForced: Bool) async throws {
        let bench = try FlowBench()
        var options = SessionOptions()
        options.loggingOutPrevious = true
        let session = try await bench.session(options: options)
        try await bench.signIn(session)
        bench.store.actOnce(.beforeWrite) { _ = try? await session.setSelectedProvider(nil) }
        await #expect(throws: EntitlementFlowError.superseded) {
            if isForced {
                _ = try await session.getAuthentication(forced: true)
            } else {
                _ = try await session.setSelectedProvider("SampleFiber")
            }
        }
        #expect(!bench.requests().contains(.logout) && !bench.requests().contains(.startSession))
        #expect(try await session.checkAuthentication(.localOnly) != .notAuthenticated)
    }

    @Test func `A choice at the partner's picker that is cancelled while lists are asked for is void`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        let once = Once()
        bench.transport.onAnswer { path, answer in
            if path.contains("/configuration"), once.take() { _ = try? await session.setSelectedProvider(nil) }
            return answer
        }
        let reply = PartnerReply.unsupported(mappingID: "sample-satellite")
        await #expect(throws: EntitlementFlowError.superseded) { try await session.partnerReplied(reply) }
        #expect(once.isTaken && !bench.requests().contains(.startSession))
    }

    @Test func `A logout that is marked is not tried again while a code is shown, which may be used just now`()
        async throws
    {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        try await bench.signIn(session, with: "SampleFiber")
        bench.activate(.status(503), at: .logout)
        #expect(try await bench.flowing { try await session.logout() }.unconfirmed.map(\.mvpd) == ["SampleFiber"])
        _ = try await bench.flowing { try await session.setSelectedProvider("SampleCable") }
        bench.forgetRequests()
        _ = try? await bench.flowing { try await session.checkAuthentication(.broker) }
        #expect(!bench.requests().contains(.logout) && bench.requests().contains(.profile))
        await session.stopWaiting()
    }

    /// A code is for any provider: one whose logout fails for long must not keep the user from all others.
    @Test func `A logout that is not confirmed keeps the old profile from a code, and no other`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        try await bench.signIn(session)
        bench.activate(.status(503), at: .logout)
        #expect(try await bench.flowing { try await session.logout() }.unconfirmed.map(\.mvpd) == ["SampleCable"])
        let answered = Mutex("SampleCable")
        bench.transport.onAnswer { path, answer in
            guard path.hasSuffix("/sessions") else { return answer }
            let mvpd = answered.withLock { $0 }
            guard !mvpd.isEmpty else { return answer }
            let text =
                #"{"actionName":"authorize","actionType":"direct","reasonType":"authenticated","mvpd":"\#(mvpd)","#
                + #""serviceProvider":"REF30"}"#
            return HTTPAnswer(answer.head, body: Array(text.utf8))
        }
        await #expect(throws: EntitlementFlowError.self) { try await bench.flowing { try await session.requestCode() } }
        #expect(try await session.record(requestor: FlowBench.requestor).profile == nil)
        answered.withLock { $0 = "" }
        let step = try await bench.flowing { try await session.requestCode() }
        guard case .showCode = step else {
            Issue.record("no code: \(step)")
            return
        }
        await session.stopWaiting()
    }

    // MARK: What another process does while the broker is asked

    @Test func `A silent sign-in does not take the place of what another process found meanwhile`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        let other = try await bench.session(of: bench.otherProcess)
        _ = try await Self.signInAtBroker(bench, session)
        let (once, now) = (Once(), bench.time.now)
        bench.transport.onAnswer { path, answer in
            guard path.contains("/sessions/sso"), once.take() else { return answer }
            _ = try? await other.change(requestor: FlowBench.requestor) {
                $0.adopt(ProfileHint(ofUnknownEnd: "SampleCable"), askedAt: now)
            }
            return answer
        }
        let fresh = try bench.newSession()
        #expect(try await fresh.setRequestor(FlowBench.requestor) == nil)
        #expect(once.isTaken, "the answer was not seen")
        #expect(try await fresh.record(requestor: FlowBench.requestor).profile?.mvpd == "SampleCable")
    }

    @Test func `A sign-in by the broker's word is not told if a later answer counts for more`() async throws {
        var world = SimulatedWorld.sample
        world.rules = [SimulatedRule("degraded", mvpd: "SampleCable", effect: .admitAll)]
        let bench = try FlowBench([world])
        let session = try await bench.session()
        let other = try await bench.session(of: bench.otherProcess)
        let (once, later) = (Once(), bench.time.now + .seconds(1))
        bench.transport.onAnswer { path, answer in
            guard path.hasSuffix("/sessions"), once.take() else { return answer }
            _ = try? await other.change(requestor: FlowBench.requestor) { $0.adopt(nil, askedAt: later) }
            return answer
        }
        let log = EventLog(of: session)
        await #expect(throws: EntitlementFlowError.superseded) { try await session.setSelectedProvider("SampleCable") }
        #expect(once.isTaken, "the answer was not seen")
        #expect(await !log.names().contains("authenticated"))
    }

    @Test func `A forced sign-in signs out of the profile that the record has as it is written`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        let (other, now) = (try await bench.session(of: bench.otherProcess), bench.time.now)
        bench.store.actOnce(.beforeWrite) {
            _ = try? await other.change(requestor: FlowBench.requestor) {
                $0.adopt(ProfileHint(ofUnknownEnd: "SampleFiber"), askedAt: now)
            }
        }
        _ = try await session.getAuthentication(forced: true)
        #expect(bench.transport.requests.contains { $0.path?.contains("/logout/SampleFiber") == true })
        #expect(try await session.record(requestor: FlowBench.requestor).profile == nil)
    }

    @Test func `A forced sign-in does not go on after its logout page if it was cancelled in another process`()
        async throws
    {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        guard case .openUserAgent = try await session.getAuthentication(forced: true) else {
            Issue.record("no visit")
            return
        }
        _ = try await bench.session(of: bench.otherProcess).setSelectedProvider(nil)
        let log = EventLog(of: session)
        await #expect(throws: EntitlementFlowError.superseded) {
            try await session.handleExternalURL(FlowBench.redirect)
        }
        #expect(await log.names().isEmpty)
    }

    @Test func `A code that ends just as another process finds its user is no failure`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        let step = try await session.setSelectedProvider("SampleCable")
        let waiting = Task { try await session.awaitAuthentication() }
        try await eventually { await session.state.wait?.listeners == 1 }
        try await eventually { bench.time.rests(with: 1) }
        try bench.logIn(step)
        let other = try await bench.session(of: bench.otherProcess)
        guard case .authenticated = try await other.handleExternalURL(FlowBench.redirect) else {
            Issue.record("not signed in")
            return
        }
        // No look at the record comes between.
        bench.time.advance(by: .minutes(31))
        #expect(try await waiting.value.mvpd == "SampleCable")
        let record = try await bench.application.broker.records.record(of: "device")
        #expect(record?[FlowBench.requestor].lastSignIn == "SampleCable")
    }

    // MARK: Support

    /// Lets the device's partner sign the user in at the broker, while the record knows only what the partner says.
    ///
    /// - Returns: What the partner answered.
    private static func signInAtBroker(_ bench: FlowBench, _ session: EntitlementSession) async throws -> PartnerReply {
        let framework = PartnerFramework(mappingID: "sample-satellite")
        let status = try framework.status(at: bench.time.now)
        var options = SessionOptions()
        options.partnerSignIn = .silent
        let other = try await bench.session(of: bench.otherProcess, options: options)
        guard case .confirm(let confirmation)? = try await other.synchronize(partner: status).question else {
            throw BenchFault.notSignedIn
        }
        let saml = try #require(framework.samlResponse(to: confirmation.verificationToken))
        let reply = PartnerReply.answer(status, response: PartnerResponse(saml))
        guard case .authenticated? = try await other.partnerReplied(reply) else { throw BenchFault.notSignedIn }
        let now = bench.time.now
        try await session.change(requestor: FlowBench.requestor) { record in
            record = RequestorRecord()
            record.adopt(PartnerStatusHint(status, said: now, until: now + .hours(1)))
        }
        return reply
    }

    /// Asks for a decision in a task of its own, and gives the request that waits.
    private static func request(_ resource: ResourceID, _ session: EntitlementSession) async -> PendingAuthorization? {
        await Task.detached {
            guard case .needsAuthentication(_, let request)? = try? await session.getAuthorization(resource) else {
                return nil
            }
            return request
        }.value
    }
}

/// Holds what one task finds for another one.
private final class Box<Value: Sendable>: Sendable {
    private let state = Mutex<Value?>(nil)

    var value: Value? { state.withLock { $0 } }

    func put(_ value: Value?) { state.withLock { $0 = value } }
}

/// Something that is done once.
private final class Once: Sendable {
    private let state = Mutex(false)

    var isTaken: Bool { state.withLock { $0 } }

    /// Whether this is the first time.
    func take() -> Bool {
        state.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }
}

extension String {
    /// The member `code` in the text of a JSON object.
    fileprivate var memberNamedCode: String? {
        let parts = split(separator: "\"code\"", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let quoted = parts[1].split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
        return quoted.count == 3 ? String(quoted[1]) : nil
    }
}
#endif
