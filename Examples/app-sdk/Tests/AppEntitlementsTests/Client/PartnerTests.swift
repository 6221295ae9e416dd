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
}
