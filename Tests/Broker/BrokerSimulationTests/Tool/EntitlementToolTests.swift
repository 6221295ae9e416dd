#if Client && CLI
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementKeys
import EntitlementValues
import Foundation
import ServiceResponses
import TestVectors
import Testing

@Suite("tve broker authorize, preauthorize and metadata") struct EntitlementToolTests {
    /// Writes the key with which media tokens are verified.
    private static func writeKey(of tool: BrokerTool) throws -> String {
        try tool.write(tool.simulator.keys.media.publicKeyPEM, to: "issuer.pem")
        return tool.folder.appending(path: "issuer.pem").path
    }

    /// A world in which the provider denies a resource with markup and terminal codes in its text.
    private static var denyingWorld: SimulatedWorld {
        var world = SimulatedWorld.sample
        let details = "<b>Upgrade</b> \u{1B}[31mnow\u{7} at <a href=\"https://example.com/up\">here</a>"
        world.rules = [
            SimulatedRule("no", resources: "gold", effect: .deny(.authorizationDeniedByMVPD, details: details))
        ]
        return world
    }

    // MARK: Authorize

    @Test func `A permit is verified and used up, and its token is shown only where it is asked for`() async throws {
        let tool = try await BrokerTool()
        try await tool.signIn()
        let keys = try Self.writeKey(of: tool)
        let store = "sqlite:" + tool.folder.appending(path: "used.sqlite").path
        let text = try await tool.run("authorize", ["news", "--keys", keys, "--redeem", store])
        #expect(text.exitCode == 0 && text.output.hasPrefix("permitted\n"), "\(text.error)")
        #expect(text.output.contains("verified, and used up, until "))
        let json = try await tool.run("authorize", ["news", "--keys", keys, "--output", "json"])
        #expect(json.object["permitted"] as? Bool == true && json.object["verified"] as? Bool == true)
        #expect(json.object["redeemed"] as? Bool == false && json.object["mvpd"] as? String == "SampleCable")
        let token = try #require(json.object["token"] as? String)
        let only = try await tool.run("authorize", ["news", "--token-only", "--trace"])
        #expect(only.exitCode == 0 && only.output.split(separator: "\n").count == 1)
        #expect(only.output.utf8.count > 400 && only.output.hasPrefix(token.prefix(16)))
        // Neither the text nor the trace has the token.
        for shown in [text.output, text.error, json.error, only.error] { #expect(!shown.contains(token.prefix(16))) }
    }

    @Test(
        arguments: [
            (.badSignature, 11), (.otherKey, 11), (.expired, 12), (.notYetValid, 13), (.otherResource, 14),
            (.otherRequestor, 15), (.requestorMissing, 10),
        ] as [(MediaTokenDefect, Int32)])
    func `A token that is not good has the exit code of tve verify, and is not shown`(
        _ defect: MediaTokenDefect, _ exitCode: Int32
    ) async throws {
        let tool = try await BrokerTool()
        try await tool.signIn()
        tool.simulator.activate(ActiveScenario("bad", .token(defect)))
        let arguments = ["news", "--keys", try Self.writeKey(of: tool)]
        for form in ["text", "json"] {
            let outcome = try await tool.run("authorize", arguments + ["--output", form])
            #expect(outcome.exitCode == exitCode && outcome.output.isEmpty, "\(outcome.error)")
            #expect(!outcome.error.contains("PHNpZ25"))
        }
    }

    @Test func `A denial says why, and what a provider writes cannot act on the terminal`() async throws {
        let tool = try await BrokerTool(world: Self.denyingWorld)
        try await tool.signIn()
        let text = try await tool.run("authorize", ["gold"])
        #expect(text.exitCode == 22 && text.output.hasPrefix("denied\n"), "\(text.error)")
        #expect(text.output.contains("authorization_denied_by_mvpd") && text.output.contains("Upgrade"))
        #expect(text.output.contains("https://example.com/up"))
        #expect(!text.output.contains("\u{1B}") && !text.output.contains("\u{7}") && !text.output.contains("<b>"))
        let json = try await tool.run("authorize", ["gold", "--output", "json"])
        #expect(json.exitCode == 22 && json.object["permitted"] as? Bool == false)
        #expect(json.object["code"] as? String == "authorization_denied_by_mvpd")
        #expect(json.object["links"] as? [String] == ["https://example.com/up"])
        #expect((json.object["details"] as? String).map { $0.contains("<") || $0.contains("\u{1B}") } == false)
        let only = try await tool.run("authorize", ["gold", "--token-only"])
        #expect(only.exitCode == 22 && only.output.isEmpty && only.error.contains("[authorization_denied_by_mvpd]"))
        let named = try await tool.run("authorize", ["sim:deny"])
        #expect(named.exitCode == 22)
    }

    // MARK: Preauthorize

    @Test func `Preauthorization names permits and denials in the order of the command line`() async throws {
        let tool = try await BrokerTool(world: Self.denyingWorld)
        try await tool.signIn()
        let text = try await tool.run("preauthorize", ["news", "gold", "a\u{1B}b"])
        #expect(text.exitCode == 0, "\(text.error)")
        let first = text.output.split(separator: "\n").filter { !$0.hasPrefix(" ") }
        #expect(first == ["permitted  news", "denied     gold", #"permitted  a\u{1b}b"#])
        #expect(!text.output.contains("\u{1B}"))
        let json = try await tool.run("preauthorize", ["news", "gold", "a\u{1B}b", "--output", "json"])
        #expect(json.object["permitted"] as? [String] == ["news", "a\u{1B}b"])
        let denied = json.object["denied"] as? [[String: Any]]
        #expect(denied?.map { $0["resource"] as? String } == ["gold"])
        #expect(denied?.first?["code"] is String)
        #expect(try await tool.run("preauthorize", ["gold"]).exitCode == 22)
        #expect(json.object["notMentioned"] as? [String] == [])
        let open = try await tool.run("preauthorize", ["sim:not-gated", "--output", "json"])
        #expect(open.exitCode == 22 && open.object["notMentioned"] as? [String] == ["sim:not-gated"], "\(open.error)")
        #expect((open.object["denied"] as? [Any])?.isEmpty == true)
        #expect(try await tool.run("preauthorize", ["sim:not-gated"]).output == "not mentioned  sim:not-gated\n")
    }

    // MARK: Metadata

    @Test func `Metadata is an attribute, all of them, or an end`() async throws {
        let tool = try await BrokerTool()
        try await tool.signIn()
        let zip = try await tool.run("metadata", ["zip"])
        #expect(zip.exitCode == 0 && zip.output.contains("77754"), "\(zip.error)")
        let json = try await tool.run("metadata", ["zip", "--output", "json"])
        #expect(json.object["name"] as? String == "zip" && json.object["encrypted"] as? Bool == false)
        #expect(json.object["value"] as? [String] == ["77754"])
        let all = try await tool.run("metadata", ["METADATA_USER_META", "--output", "json"])
        let value = all.object["value"] as? [String: Any]
        #expect(all.exitCode == 0 && (value?["data"] as? [String: Any])?["zip"] != nil, "\(all.output)")
        let end = try await tool.run("metadata", ["METADATA_AUTHENTICATION", "--output", "json"])
        #expect((end.object["value"] as? Int64).map { $0 > Timestamp.now.milliseconds } == true)
        let device = try await tool.run("metadata", ["METADATA_DEVICE_ID"])
        #expect(device.output == "\(try #require(try await tool.record()?.identifier).text)\n")
        let none = try await tool.run("metadata", ["shoeSize", "--output", "json"])
        #expect(none.exitCode == 17 && none.object["value"] is NSNull)
        #expect(try await tool.run("metadata", ["shoeSize"]).exitCode == 17)
        #expect(tool.count(.profiles) + tool.count(.profile) == 1)
    }

    @Test func `The end of a decision is known once there was one`() async throws {
        let tool = try await BrokerTool()
        try await tool.signIn()
        let arguments = ["METADATA_AUTHORIZATION", "--resource", "news"]
        #expect(try await tool.run("metadata", arguments).exitCode == 17)
        #expect(try await tool.run("authorize", ["news"]).exitCode == 0)
        let known = try await tool.run("metadata", arguments)
        #expect(known.exitCode == 0 && known.output.hasPrefix("20"), "\(known.error)")
    }

    @Test func `An encrypted attribute needs the key`() async throws {
        var world = SimulatedWorld.sample
        let file = Vectors.key("test-only-metadata-2056.spki.pem")
        world.requestors[0].metadataCertificate = try String(contentsOfFile: file, encoding: .utf8)
        let tool = try await BrokerTool(world: world)
        try await tool.signIn(as: "encrypted")
        let key = Vectors.key("test-only-metadata-2056.pkcs8.pem")
        let plain = try await tool.run("metadata", ["zip", "--key", key])
        #expect(plain.exitCode == 0 && plain.output.contains("77754"), "\(plain.error)")
        let none = try await tool.run("metadata", ["zip"])
        #expect(none.exitCode == 20 && none.output.isEmpty && none.error.contains("--key"))
        let json = try await tool.run("metadata", ["zip", "--output", "json"])
        #expect(json.exitCode == 20 && json.object["encrypted"] as? Bool == true)
        let other = Vectors.key("test-only-other-2048.pkcs8.pem")
        #expect(try await tool.run("metadata", ["zip", "--key", other]).exitCode == 20)
        #expect(try await tool.run("metadata", ["zip", "--key", "/nowhere.pem"]).exitCode == 66)
    }
}
#endif
