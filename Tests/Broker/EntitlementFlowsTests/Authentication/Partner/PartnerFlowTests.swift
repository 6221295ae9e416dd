#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import ServiceResponses
import TestVectors
import TVETesting
import Testing

@Suite("Partner sign-on")
struct PartnerFlowTests {
    private let framework = PartnerFramework(mappingID: "sample-satellite")

    private func onDemand() -> SessionOptions {
        var options = SessionOptions()
        options.partnerSignIn = .onDemand
        return options
    }

    /// A session that knows that the user permits access, and no provider yet.
    private func session(_ bench: FlowBench) async throws -> EntitlementSession {
        let session = try await bench.session(options: onDemand())
        let undecided = PartnerFramework(mappingID: "", choice: .other)
        _ = try await session.synchronize(partner: try undecided.status(at: bench.time.now))
        bench.forgetRequests()
        return session
    }

    @Test func `From the device's picker to the profile`() async throws {
        let bench = try FlowBench()
        let session = try await session(bench)
        let log = EventLog(of: session)
        guard case .askPartner(.pick(let pick)) = try await session.getAuthentication() else {
            Issue.record("no picker of the partner")
            return
        }
        #expect(pick == PartnerPick(supporting: ["sample-satellite", "sample-wireless"], featuring: []))
        let status = try framework.status(at: bench.time.now)
        guard case .askPartner(.confirm(let question))? = try await session.partnerReplied(.status(status)) else {
            Issue.record("no request")
            return
        }
        #expect(question.allowsInterruption && question.attributeNames == ["userID", "householdID"])
        let saml = try #require(framework.samlResponse(to: question.verificationToken))
        let reply = PartnerReply.answer(status, response: PartnerResponse(saml))
        guard case .authenticated(let signIn)? = try await session.partnerReplied(reply) else {
            Issue.record("not signed in")
            return
        }
        #expect(signIn.mvpd == "SampleSatellite")
        #expect(bench.requests() == [.configuration, .startPartnerSession, .createPartnerProfile])
        #expect(
            await log.names() == [
                "the device asks its partner", "the device asks its partner", "authenticated",
                "tracking of authentication",
            ])
        #expect(try await session.selectedProvider()?.boardingStatus == .supported)
    }

    @Test(arguments: [PartnerFramework.Choice?.none, .undetermined])
    func `Who was not asked for permission is asked by the partner's picker, and signed in`(
        choice: PartnerFramework.Choice?
    ) async throws {
        let bench = try FlowBench()
        var options = onDemand()
        options.hasPartner = true
        let session = try await bench.session(options: options)
        if let choice {
            let status = try PartnerFramework(mappingID: "", choice: choice).status(at: bench.time.now)
            _ = try await session.synchronize(partner: status)
        }
        let log = EventLog(of: session)
        guard
            case .needsAuthentication(.askPartner(.pick(let pick)), let request) =
                try await session.getAuthorization("news")
        else {
            Issue.record("no picker of the partner")
            return
        }
        #expect(pick.supported == ["sample-satellite", "sample-wireless"])
        // No status VSA404: the picker asks.
        #expect(await log.names() == ["the device asks its partner"])
        let status = try framework.status(at: bench.time.now)
        guard case .askPartner(.confirm(let question))? = try await session.partnerReplied(.status(status)) else {
            Issue.record("no request")
            return
        }
        let saml = try #require(framework.samlResponse(to: question.verificationToken))
        guard
            case .authenticated? = try await session.partnerReplied(
                .answer(status, response: PartnerResponse(saml)))
        else {
            Issue.record("not signed in")
            return
        }
        #expect(try await request.outcome().playback != nil)
    }

    @Test(
        arguments: [
            (#"{"model":"M","osName":"tvOS"}"#, nil, true), (#"{"model":"M","osName":"iPadOS"}"#, nil, true),
            (#"{"model":"M","osName":"iOS","browserName":"Safari"}"#, nil, false),
            (#"{"model":"M","osName":"Android"}"#, nil, false), (#"{"model":"M","osName":"tvOS"}"#, false, false),
        ] as [(String, Bool?, Bool)])
    func `Of whom nothing is known is asked if the device is of the partner's platform`(
        info: String,
        hasPartner: Bool?,
        asks: Bool
    ) async throws {
        let bench = try FlowBench()
        let device = Device(
            key: "device", identifier: try DeviceIdentifier("identifier of device"), info: try DeviceInfo(json: info))
        var options = onDemand()
        options.hasPartner = hasPartner
        let session = EntitlementSession(of: device, for: bench.application, options: options)
        try await session.setRequestor(FlowBench.requestor)
        let step = try await session.getAuthentication()
        let isPick = if case .askPartner(.pick) = step { true } else { false }
        #expect(isPick == asks)
    }

    @Test func `The filter orders the partner's picker, and skips what the partner does not support`() async throws {
        let bench = try FlowBench()
        let session = try await session(bench)
        let filter = try ProviderFilter(
            ["SampleWireless", "SampleCable", "SampleSatellite"], featuring: ["SampleSatellite", "SampleCable"])
        guard case .askPartner(.pick(let pick)) = try await session.getAuthentication(filter: filter) else {
            Issue.record("no picker of the partner")
            return
        }
        #expect(
            pick
                == PartnerPick(
                    supporting: ["sample-wireless", "sample-satellite"], featuring: ["sample-satellite"]))
        // If the partner supports none of them, the filter means nothing.
        let none = try ProviderFilter(["SampleCable"])
        guard case .chooseProvider(let choice) = try await session.getAuthentication(filter: none) else {
            Issue.record("no picker")
            return
        }
        #expect(choice.providers.count == 6)
        #expect(throws: EntitlementFlowError.unsupported(.featuredNotSupported)) {
            try ProviderFilter(["A"], featuring: ["B"])
        }
    }

    @Test func `A subscriber of the device's own account is signed in without a word`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        let log = EventLog(of: session)
        let status = try framework.status(at: bench.time.now)
        let state = try await session.synchronize(partner: status)
        guard state.status == .notAuthenticated, case .confirm(let question)? = state.question else {
            Issue.record("no question")
            return
        }
        #expect(!question.allowsInterruption)
        let saml = try #require(framework.samlResponse(to: question.verificationToken))
        _ = try await session.partnerReplied(.answer(status, response: PartnerResponse(saml)))
        #expect(await log.names().isEmpty)
        guard case .authenticated = try await session.checkAuthentication(.broker) else {
            Issue.record("not signed in")
            return
        }
        // At the next start nothing is asked, and after the broker's profile has ended, the question comes again.
        let next = try await bench.session(of: bench.otherProcess)
        #expect(try await next.setRequestor(FlowBench.requestor) == nil)
        bench.simulator.expire(.profiles)
        guard case .confirm? = try await next.setRequestor(FlowBench.requestor) else {
            Issue.record("no question")
            return
        }
        #expect(try await next.partnerReplied(.cancelled) == nil)
    }

    @Test func `Another process takes the reply to a silent question as one`() async throws {
        let bench = try FlowBench()
        let status = try framework.status(at: bench.time.now)
        let first = try await bench.session()
        guard case .confirm? = try await first.synchronize(partner: status).question else {
            Issue.record("no question")
            return
        }
        var options = SessionOptions()
        // What a gateway keeps of the partner counts, whichever process knows it.
        (options.partnerSignIn, options.partnerStatus) = (.onDemand, status)
        let other = try await bench.session(of: bench.otherProcess, options: options)
        #expect(try await other.partnerReplied(.cancelled, toSilentQuestion: true) == nil)
        let reply = PartnerReply.answer(status, response: PartnerResponse("<not/>"))
        #expect(try await other.partnerReplied(reply, toSilentQuestion: true) == nil)
        guard case .chooseProvider? = try await other.partnerReplied(reply, toSilentQuestion: false) else {
            Issue.record("no picker after a question that was not silent")
            return
        }
    }

    @Test func `A partner's status from elsewhere goes before that of the record`() async throws {
        let bench = try FlowBench()
        var options = SessionOptions()
        (options.partnerSignIn, options.partnerStatus) = (.onDemand, try framework.status(at: bench.time.now))
        let session = try await bench.session(options: options)
        guard case .askPartner(.confirm) = try await session.getAuthentication() else {
            Issue.record("no request")
            return
        }
    }

    @Test func `On demand, nothing is asked before an authentication is`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(options: onDemand())
        let status = try framework.status(at: bench.time.now)
        #expect(try await session.synchronize(partner: status).question == nil)
        #expect(bench.requests() == [.profiles])
        guard case .askPartner(.confirm) = try await session.getAuthentication() else {
            Issue.record("no request")
            return
        }
        #expect(bench.requests() == [.profiles, .startPartnerSession])
    }

    @Test(arguments: [
        (PartnerFramework.Choice.denied, "status VSA403 (Info)"), (.undetermined, "status VSA404 (Info)"),
        (.expired, "status VSA503 (Info)"), (.cancel, "status VSA503 (Info)"),
    ])
    func `A status that permits nothing leads to the picker`(
        choice: PartnerFramework.Choice,
        told: String
    ) async throws {
        let bench = try FlowBench()
        let session = try await session(bench)
        _ = try await session.getAuthentication()
        let log = EventLog(of: session)
        let status = try PartnerFramework(mappingID: "sample-satellite", choice: choice).status(at: bench.time.now)
        guard case .chooseProvider? = try await session.partnerReplied(.status(status)) else {
            Issue.record("no picker")
            return
        }
        #expect(await log.names() == [told, "the user chooses a provider", "status N000 (Info)"])
        #expect(bench.requests() == [.configuration])
    }

    @Test func `A provider that signs in at the provider itself needs no picker`() async throws {
        let bench = try FlowBench()
        let session = try await session(bench)
        _ = try await session.getAuthentication()
        let log = EventLog(of: session)
        let reply = PartnerReply.unsupported(mappingID: "sample-wireless")
        guard case .openUserAgent? = try await session.partnerReplied(reply) else {
            Issue.record("no visit")
            return
        }
        #expect(try await session.selectedProvider()?.id == "SampleWireless")
        #expect(await log.names().first == "status N004 (Info)")
        guard case .chooseProvider? = try await session.partnerReplied(.unsupported(mappingID: "unknown")) else {
            Issue.record("no picker")
            return
        }
    }

    @Test func `Another provider leads to the picker, and a closed picker to no provider`() async throws {
        let bench = try FlowBench()
        let session = try await session(bench)
        _ = try await session.getAuthentication()
        let log = EventLog(of: session)
        guard case .chooseProvider? = try await session.partnerReplied(.otherProvider) else {
            Issue.record("no picker")
            return
        }
        #expect(
            await log.names() == ["status N003 (Info)", "the user chooses a provider", "status N000 (Info)"])
        #expect(try await session.partnerReplied(.cancelled) == nil)
        #expect(
            await log.names() == ["status N005 (Info)", "not authenticated"])
    }

    @Test func `What the broker cannot sign on with the partner falls back to the provider's page`() async throws {
        let bench = try FlowBench()
        let session = try await session(bench)
        _ = try await session.getAuthentication()
        let status = try PartnerFramework(mappingID: "sample-wireless").status(at: bench.time.now)
        guard case .openUserAgent? = try await session.partnerReplied(.status(status)) else {
            Issue.record("no visit")
            return
        }
        #expect(try await session.record(requestor: FlowBench.requestor).pendingCode != nil)
        let unknown = try PartnerFramework(mappingID: "nowhere").status(at: bench.time.now)
        guard case .chooseProvider? = try await session.partnerReplied(.status(unknown)) else {
            Issue.record("no picker")
            return
        }
    }

    @Test func `A refused answer of the partner leads to the picker, and a malformed one is an error`() async throws {
        let bench = try FlowBench()
        let session = try await session(bench)
        let status = try framework.status(at: bench.time.now)
        let log = EventLog(of: session)
        let forged = PartnerReply.answer(status, response: PartnerResponse("<samlp:Response/>"))
        guard case .chooseProvider? = try await session.partnerReplied(forged) else {
            Issue.record("no picker")
            return
        }
        #expect(await log.names().first == "status AAPL (Error)")
        await #expect(throws: EntitlementFlowError.unsupported(.malformedResponse)) {
            try await session.partnerReplied(.answer(status, response: PartnerResponse("???")))
        }
    }

    /// How a session may come upon a profile that it did not wait for.
    enum Finding: Sendable, CaseIterable {
        case foreground, question

        func run(on session: EntitlementSession) async throws {
            switch self {
            case .foreground: _ = try await session.synchronize()
            case .question: _ = try await session.checkAuthentication(.broker)
            }
        }
    }

    @Test(arguments: Finding.allCases)
    func `A profile that the broker has is told once, and carries on what waits`(finding: Finding) async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        guard case .needsAuthentication(_, let pending) = try await session.getAuthorization("news") else {
            Issue.record("signed in")
            return
        }
        _ = try await session.setSelectedProvider("SampleCable")
        let waiting = Task { try await session.awaitAuthentication() }
        try await eventually { await session.state.wait?.listeners == 1 }
        try await grantProfile(of: "SampleCable", bench)
        let log = EventLog(of: session)
        try await finding.run(on: session)
        try #require(await !session.isWaiting)
        #expect(try await waiting.value.mvpd == "SampleCable")
        guard case .permitted = try await pending.outcome() else {
            Issue.record("not permitted")
            return
        }
        #expect(await log.names().prefix(3) == ["authenticated", "tracking of authentication", "permitted"])
    }

    /// The user has signed in with a provider elsewhere, and the broker knows it.
    private func grantProfile(of mvpd: MVPDID, _ bench: FlowBench) async throws {
        let client = try #require(
            try await bench.application.broker.records.record(of: "device")?.registrations.values.first?.credentials
                .clientID
        )
        try bench.simulator.grantProfile(of: mvpd, client: client, device: "identifier of device")
    }

    /// An authorization waits for the user's choice: there is no code yet, and so no wait for one.
    private func waitingAuthorization(_ session: EntitlementSession) async throws -> PendingAuthorization? {
        guard case .needsAuthentication(.chooseProvider, let pending) = try await session.getAuthorization("news")
        else { return nil }
        return pending
    }

    @Test func `Who comes upon a profile while a provider is to be chosen carries on what waits`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        let pending = try #require(try await waitingAuthorization(session))
        try await grantProfile(of: "SampleCable", bench)
        let log = EventLog(of: session)
        #expect(try await session.checkAuthentication(.broker).isAuthenticated)
        try #require(await session.state.pending == nil)
        guard case .permitted = try await pending.outcome() else {
            Issue.record("not permitted")
            return
        }
        #expect(
            await log.names() == [
                "authenticated", "tracking of authentication", "permitted", "tracking of authorization",
            ])
    }

    @Test func `A silent sign-in carries on what waits, and tells nothing but the decision`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        let pending = try #require(try await waitingAuthorization(session))
        let status = try framework.status(at: bench.time.now)
        guard case .confirm(let question)? = try await session.synchronize(partner: status).question else {
            Issue.record("no question")
            return
        }
        let saml = try #require(framework.samlResponse(to: question.verificationToken))
        let log = EventLog(of: session)
        _ = try await session.partnerReplied(.answer(status, response: PartnerResponse(saml)))
        try #require(await session.state.pending == nil)
        guard case .permitted = try await pending.outcome() else {
            Issue.record("not permitted")
            return
        }
        #expect(await log.names() == ["permitted", "tracking of authorization"])
    }

    @Test func `So does one that the broker finds done already`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        let pending = try #require(try await waitingAuthorization(session))
        try await grantProfile(of: "SampleSatellite", bench)
        // The foreground asks for the profile with this provider, and finds none.
        try await session.change(requestor: FlowBench.requestor) { $0.provider = ChosenProvider(id: "SampleCable") }
        let log = EventLog(of: session)
        let state = try await session.synchronize(partner: try framework.status(at: bench.time.now))
        #expect(state.question == nil && state.status.isAuthenticated)
        try #require(await session.state.pending == nil)
        guard case .permitted = try await pending.outcome() else {
            Issue.record("not permitted")
            return
        }
        #expect(await log.names() == ["permitted", "tracking of authorization"])
    }
}
#endif
