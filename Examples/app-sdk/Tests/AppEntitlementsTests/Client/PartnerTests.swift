import AppEntitlements
import Foundation
import Testing

/// The single sign-on of the device's system.
@MainActor @Suite struct PartnerTests {
    /// Answers what the test says.
    final class Partner: PartnerFramework {
        var says: PartnerStatus?
        var replies: [PartnerReply]
        private(set) var questions: [PartnerQuestion] = []
        private(set) var interruptions: [Bool] = []

        init(_ says: PartnerStatus?, _ replies: PartnerReply...) { (self.says, self.replies) = (says, replies) }

        func status(mayInterrupt: Bool) async -> PartnerStatus? {
            interruptions.append(mayInterrupt)
            return says
        }

        func ask(_ question: PartnerQuestion) async -> PartnerReply {
            questions.append(question)
            return replies.isEmpty ? .cancelled : replies.removeFirst()
        }
    }

    nonisolated static let granted = PartnerStatus(.granted, provider: "m-1", expires: 1_900_000_000_000)
    nonisolated static let confirm = #"""
        {"code":"partner","question":"confirm","channel":"c","verificationToken":"v","attributeNames":["a"],
         "allowsInterruption":false}
        """#
    nonisolated static let pick = #"""
        {"code":"partner","question":"pick","channel":"c","supported":["m-1","m-2","m-3"],"featured":["m-3"]}
        """#

    @Test func `A viewer of the device's account is signed in silently at the start`() async throws {
        let partner = Partner(Self.granted, .answer(Self.granted, response: "<saml/>"))
        let bench = try Bench(partner: partner)
        bench.transport.on("PUT /v1/partner", .ok(Self.confirm))
        bench.transport.on("POST /v1/authentication/partner", .ok(Bench.signedIn))
        bench.client.setRequestor("tv")
        #expect(try await bench.recorder.until("setRequestorComplete") == ["setRequestorComplete 1"])
        #expect(partner.interruptions == [false])
        let wanted = PartnerQuestion.confirm(
            channel: "c", verificationToken: "v", attributeNames: ["a"], mayInterrupt: false)
        #expect(partner.questions == [wanted])
        let status = JSONValue.object([
            "frameworkPermissionInfo": .object(["accessStatus": .text("granted")]),
            "frameworkProviderInfo": .object(["id": .text("m-1"), "expirationDate": .text("1900000000000")]),
        ])
        #expect(
            bench.transport.sent.map(\.body).suffix(2) == [
                .object(["status": status]), .object(["status": status, "response": .text("<saml/>")]),
            ])
        bench.transport.on("GET /v1/authentication", .fails(.notConnected))
        bench.client.checkAuthentication()
        try await bench.recorder.until("setAuthenticationStatus 1")
    }

    @Test(
        arguments: [
            (PartnerStatus(.denied), "VSA403"), (PartnerStatus(.restricted), "VSA403"),
            (PartnerStatus(.notDetermined), "VSA404"),
            (nil, "VSA503"),
        ] as [(PartnerStatus?, String)])
    func `What the account does not permit is a status, and no failure`(
        status: PartnerStatus?, code: String
    ) async throws {
        let bench = try Bench(partner: Partner(status))
        bench.transport.on(
            "PUT /v1/partner", .refused(403, "invalid_header_pfs_permission_access_not_granted", "sign_in"))
        bench.client.setRequestor("tv")
        #expect(
            try await bench.recorder.until("setRequestorComplete") == ["status \(code) info", "setRequestorComplete 1"])
    }

    @Test func `The picker of the system shows the providers of the filter, and its choice goes on`() async throws {
        let partner = Partner(nil, .status(Self.granted), .answer(Self.granted, response: "r"))
        let bench = try Bench(partner: partner)
        try await bench.start()
        bench.transport.on(
            "GET /v1/providers",
            .ok(
                #"""
                {"code":"providers","providers":[{"id":"A","name":"A","partner":{"mappingId":"m-1"}},
                 {"id":"B","name":"B","partner":{"mappingId":"m-2"}},{"id":"C","name":"C"},
                 {"id":"D","name":"D","partner":{"mappingId":"m-9"}}]}
                """#))
        bench.transport.on("POST /v1/authentication", .ok(Self.pick))
        bench.transport.on("POST /v1/authentication/partner", .ok(Self.confirm), .ok(Bench.signedIn))
        let filter = ["TV_PROVIDERS": ["B", "C", "D", "A", "unknown"], "FEATURED_TV_PROVIDERS": ["A"]]
        bench.client.getAuthentication(andFilter: filter)
        try await bench.recorder.until("setAuthenticationStatus 1")
        #expect(partner.questions.first == .pick(channel: "c", supported: ["m-2", "m-1"], featured: ["m-1"]))
        #expect(partner.questions.count == 2)
    }

    @Test(
        arguments: [
            (
                .cancelled, ["outcome": .text("cancelled")], #"{"code":"not_authenticated"}"#,
                "setAuthenticationStatus 0 Provider not Selected Error"
            ),
            (
                .otherProvider, ["outcome": .text("other")], AuthenticationTests.choose,
                "displayProviderDialog SampleFiber SampleCable"
            ),
            (
                .unsupported(mappingID: "m-2"), ["unsupportedProvider": .text("m-2")], AuthenticationTests.open,
                "navigateToUrl https://login.example.com/x"
            ),
        ] as [(PartnerReply, [String: JSONValue], String, String)])
    func `Each other reply of the picker has its next step`(
        reply: PartnerReply, members: [String: JSONValue], answer: String, wanted: String
    ) async throws {
        let bench = try Bench(partner: Partner(nil, reply))
        try await bench.start()
        bench.transport.on("POST /v1/authentication", .ok(Self.pick))
        bench.transport.on("POST /v1/authentication/partner", .ok(answer))
        bench.client.getAuthentication()
        try await bench.recorder.until(wanted)
        #expect(bench.transport.sent.last?.body == .object(members.merging(["returnTo": .text(Bench.returnTo)]) { $1 }))
    }

    // MARK: Permission

    nonisolated static let choose = #"""
        {"code":"choose","providers":[{"id":"A","name":"A","partner":{"mappingId":"m-1","platformServices":true}},
         {"id":"B","name":"B","partner":{}}],"events":[{"event":"choose_provider"}]}
        """#
    nonisolated static let undecided = PartnerStatus(.notDetermined)

    /// A client whose device's system has not asked the viewer yet.
    private func bench(_ partner: Partner, choosing answer: String) async throws -> Bench {
        let bench = try Bench(partner: partner)
        bench.transport.on("PUT /v1/partner", .ok(#"{"code":"not_authenticated"}"#))
        bench.transport.on("POST /v1/authentication", .ok(answer), .ok(Self.pick))
        bench.client.setRequestor("tv")
        try await bench.recorder.until("setRequestorComplete 1")
        return bench
    }

    @Test func `A system that has said nothing yet is asked in getAuthentication, and then its picker comes`()
        async throws
    {
        let partner = Partner(nil, .status(Self.granted))
        let bench = try await bench(partner, choosing: Self.choose)
        bench.transport.on("POST /v1/authentication/partner", .ok(Bench.signedIn))
        partner.says = PartnerStatus(.granted)
        bench.client.getAuthentication()
        let lines = try await bench.recorder.until("setAuthenticationStatus 1")
        #expect(!lines.contains { $0.hasPrefix("displayProviderDialog") })
        #expect(partner.interruptions == [false, true])
        #expect(partner.questions.map { if case .pick = $0 { true } else { false } } == [true])
        let told = bench.transport.sent.last { $0.call == "PUT /v1/partner" }?.body
        #expect(told?["status"]?["frameworkPermissionInfo"]?["accessStatus"]?.text == "granted")
    }

    @Test func `A viewer who was not asked for permission is asked by the system's picker, and by nothing else`()
        async throws
    {
        let partner = Partner(Self.undecided, .status(PartnerStatus(.denied)))
        let bench = try await bench(partner, choosing: Self.pick)
        partner.says = PartnerStatus(.denied)
        let events = #"[{"event":"status","status":"VSA403","level":"Info"},{"event":"choose_provider"}]"#
        bench.transport.on(
            "POST /v1/authentication/partner",
            .ok(Self.choose.replacingOccurrences(of: #"[{"event":"choose_provider"}]"#, with: events)))
        bench.client.getAuthentication()
        let lines = try await bench.recorder.until("displayProviderDialog")
        #expect(lines == ["status VSA403 info", "displayProviderDialog A B"])
        #expect(partner.interruptions == [false] && partner.questions.count == 1)
        // What the reply has said is known: nothing is told or begun once more.
        bench.transport.on("POST /v1/authentication", .ok(Self.choose))
        bench.client.getAuthentication()
        try await bench.recorder.until("displayProviderDialog")
        #expect(bench.transport.calls.count { $0 == "PUT /v1/partner" } == 1)
        #expect(bench.transport.calls.count { $0 == "POST /v1/authentication" } == 2)
    }

    @Test func `A viewer who does not decide is not asked once more by the system's picker`() async throws {
        let partner = Partner(nil)
        let bench = try await bench(partner, choosing: Self.choose)
        partner.says = Self.undecided
        bench.client.getAuthentication()
        let lines = try await bench.recorder.until("displayProviderDialog")
        #expect(lines == ["status VSA404 info", "displayProviderDialog A B"])
        #expect(partner.interruptions == [false, true] && partner.questions.isEmpty)
        #expect(!bench.transport.calls.contains("PUT /v1/partner"))
    }

    @Test(arguments: [(undecided, "status"), (PartnerStatus(.granted), "outcome")])
    func `Without a provider to choose there, the picker of the system is not shown`(
        status: PartnerStatus, member: String
    ) async throws {
        let partner = Partner(status)
        let bench = try await bench(partner, choosing: Self.pick)
        let events = #"[{"event":"status","status":"N003","level":"Info"},{"event":"choose_provider"}]"#
        bench.transport.on(
            "POST /v1/authentication/partner",
            .ok(Self.choose.replacingOccurrences(of: #"[{"event":"choose_provider"}]"#, with: events)))
        bench.client.getAuthentication(andFilter: ["Unknown"])
        #expect(try await bench.recorder.until("displayProviderDialog") == ["displayProviderDialog A B"])
        #expect(partner.interruptions == [false] && partner.questions.isEmpty)
        #expect(bench.transport.sent.last?.body?[member] != nil)
    }

    @Test func `A viewer who denies it sees the picker of the app, once`() async throws {
        let partner = Partner(nil)
        let bench = try await bench(partner, choosing: Self.choose)
        bench.transport.on("POST /v1/authentication", .ok(Self.choose))
        partner.says = PartnerStatus(.denied)
        bench.client.getAuthentication()
        #expect(try await bench.recorder.until("displayProviderDialog") == ["displayProviderDialog A B"])
        _ = await bench.client.preauthorize([])
        #expect(try await bench.recorder.rest().allSatisfy { !$0.hasPrefix("displayProviderDialog") })
        #expect(partner.interruptions == [false, true] && partner.questions.isEmpty)
    }

    @Test(
        arguments: [
            (PartnerStatus(.granted), choose, nil), (undecided, AuthenticationTests.choose, nil),
            (undecided, Bench.signedIn, nil), (undecided, choose, ["TV_PROVIDERS": ["B"]]),
        ] as [(PartnerStatus, String, [String: [String]]?)])
    func `Permission is not asked for if it is there, if no provider would use it, or if the viewer is signed in`(
        status: PartnerStatus, answer: String, filter: [String: [String]]?
    ) async throws {
        let partner = Partner(status)
        let bench = try await bench(partner, choosing: answer)
        bench.client.getAuthentication(andFilter: filter)
        _ = await bench.client.preauthorize([])
        #expect(partner.interruptions == [false] && partner.questions.isEmpty)
    }

    @Test func `The older form of the filter is a list of providers`() async throws {
        let partner = Partner(nil, .cancelled)
        let bench = try await bench(partner, choosing: Self.pick)
        bench.transport.on(
            "GET /v1/providers",
            .ok(#"{"code":"providers","providers":[{"id":"A","name":"A","partner":{"mappingId":"m-1"}}]}"#))
        bench.transport.on("POST /v1/authentication/partner", .ok(#"{"code":"not_authenticated"}"#))
        bench.client.getAuthentication(andFilter: ["A", "unknown"])
        try await bench.recorder.until("setAuthenticationStatus 0 Provider not Selected Error")
        #expect(try await bench.recorder.until("status") == ["status N005 info"])
        #expect(partner.questions == [.pick(channel: "c", supported: ["m-1"], featured: [])])
    }

    @Test func `An app without a partner shows its own picker, and tells nothing of the system's`() async throws {
        let bench = try Bench()
        try await bench.start()
        bench.transport.on("POST /v1/authentication", .ok(Self.pick))
        let events = #"""
            "events":[{"event":"status","status":"N003","level":"Info"},{"event":"choose_provider"},
             {"event":"status","status":"N000","level":"Info"}]
            """#
        bench.transport.on(
            "POST /v1/authentication/partner",
            .ok(Self.choose.replacingOccurrences(of: #""events":[{"event":"choose_provider"}]"#, with: events)))
        bench.client.getAuthentication()
        #expect(try await bench.recorder.until("status") == ["displayProviderDialog A B", "status N000 info"])
        #expect(bench.transport.sent.last?.body?["outcome"]?.text == "other")
    }
}
