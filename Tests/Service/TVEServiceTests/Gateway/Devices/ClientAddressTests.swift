#if Service
import BrokerMessages
import BrokerSimulation
import Foundation
import HTTPTypes
import ServiceResponses
import TVEService
import Testing

/// Where a request comes from: at one provider the address alone signs a household in, so no app and no viewer may choose
/// it.
@Suite struct ClientAddressTests {
    private static let header = [
        "broker.clientAddressHeader": "X-Forwarded-For", "broker.clientPortHeader": "X-Client-Port",
    ]

    /// Registers a device that lies about its connection, and asks the broker something for it.
    private static func ask(_ bench: GatewayBench, fields: [String]) async throws -> Answer {
        let lies =
            #"{"model":"TV-1000","version":"2","osName":"tvOS","osVersion":"18","connectionType":"LAN","#
            + #""primaryHardwareType":"TV","connectionIp":"198.51.100.66","connectionPort":666,"connectionSecure":"true"}"#
        let registered = try await bench.ask(
            "POST", "/v1/devices", #"{"app":"tv","deviceInfo":\#(lies)}"#, fields: fields)
        guard let token = registered.object["deviceToken"] as? String else { return registered }
        return try await bench.ask(
            "POST", "/v1/authentication", #"{"mvpd":"SampleCable","secondScreen":true}"#, token: token, fields: fields)
    }

    /// The information on the device that the broker got last.
    private static func lastInfo(_ bench: GatewayBench) throws -> DeviceInfo {
        try DeviceInfo(headerValue: try #require(bench.sent.values(of: DeviceInfo.name).last))
    }

    @Test func `What an app says of its connection is overwritten with the end of the connection itself`() async throws
    {
        try await GatewayBench.with { bench in
            let answer = try await Self.ask(bench, fields: ["X-Forwarded-For: 203.0.113.9", "X-Client-Port: 1"])
            #expect(answer.status == 200, "\(answer.text)")
            let addresses = Set(bench.sent.values(of: ClientAddress.name))
            #expect(addresses == ["127.0.0.1"])
            let info = try Self.lastInfo(bench)
            #expect(info[.connectionIP] == "127.0.0.1")
            #expect(info[.connectionPort].flatMap { Int($0) } ?? 1 > 1)
            #expect(info[.connectionSecure] == nil)
            #expect(info[.model] == "TV-1000")
        }
    }

    @Test func `Only the entry that the trusted proxy added counts, whatever was written before it`() async throws {
        try await GatewayBench.with(Self.header) { bench in
            let forged = "X-Forwarded-For: 198.51.100.66, 192.0.2.1,\t203.0.113.9 "
            #expect(try await Self.ask(bench, fields: [forged, "X-Client-Port: 4711"]).status == 200)
            #expect(Set(bench.sent.values(of: ClientAddress.name)) == ["203.0.113.9"])
            let info = try Self.lastInfo(bench)
            #expect(info[.connectionIP] == "203.0.113.9")
            #expect(info[.connectionPort] == "4711")
            #expect(info[.connectionSecure] == nil)
        }
    }

    @Test(arguments: [
        ("203.0.113.9:4711", "203.0.113.9", "4711"), ("[2001:db8::9]:4711", "2001:db8::9", "4711"),
        ("[2001:DB8::9]", "2001:db8::9", nil), ("::ffff:203.0.113.9", "203.0.113.9", nil),
        ("::ffff:203.0.113.9:4711", "203.0.113.9", "4711"), ("2001:0DB8:0:0::9", "2001:db8::9", nil),
    ])
    func `An address may come with its port, as some proxies write it`(entry: String, address: String, port: String?)
        async throws
    {
        try await GatewayBench.with(Self.header) { bench in
            #expect(try await Self.ask(bench, fields: ["X-Forwarded-For: 198.51.100.66, \(entry)"]).status == 200)
            #expect(Set(bench.sent.values(of: ClientAddress.name)) == [address])
            let info = try Self.lastInfo(bench)
            #expect(info[.connectionIP] == address)
            #expect(info[.connectionPort] == port)
        }
    }

    @Test(arguments: [
        [], ["X-Forwarded-For:"], ["X-Forwarded-For: unknown"], ["X-Forwarded-For: 203.0.113.9, unknown"],
        ["X-Forwarded-For: 203.0.113.9,"], ["X-Forwarded-For: 203.0.113.9:x"], ["X-Forwarded-For: 203.0.113.09"],
        ["X-Forwarded-For: 203.0.113.9 198.51.100.66"], ["X-Forwarded-For: 2001:db8::9:70000:1"],
        ["X-Forwarded-For: 203.0.113.9", "X-Forwarded-For: 203.0.113.10"], ["X-Forwarded-For: [203.0.113.9]:4711"],
        ["X-Forwarded-For: fe80::9%eth0"],
    ])
    func `A request whose address is missing, unclear or none at all is refused`(fields: [String]) async throws {
        try await GatewayBench.with(Self.header) { bench in
            let answer = try await Self.ask(bench, fields: fields)
            #expect(answer.status == 400, "\(answer.text)")
            #expect(answer.code == "no_client_address")
            #expect(!bench.sent.values(of: ClientAddress.name).contains("198.51.100.66"))
        }
    }

    @Test func `What the app calls itself goes to the broker, also when a browser comes back; nothing else is made up`()
        async throws
    {
        try await GatewayBench.spread { bench in
            let earlier = bench.sent.requests.count
            let registered = try await bench.ask("POST", "/v1/devices", #"{"app":"tv"}"#)
            let token = try #require(registered.object["deviceToken"] as? String)
            let app = "Mozilla/5.0 (Linux; Android 9; AFTMM) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/94.0"
            let begun = try await bench.ask(
                "POST", "/v1/authentication",
                #"{"mvpd":"SampleCable","returnTo":"\#(GatewayBench.returnTo)","secondScreen":false}"#, token: token,
                fields: ["User-Agent: \(app)", #"Sec-CH-UA-Model: "Pixel 8""#])
            let back = try bench.logIn(at: try #require(begun.object["url"] as? String))
            let asked = bench.sent.requests.count
            let returned = try await Browser(of: bench).open(back, fields: ["User-Agent: Mozilla/5.0 (iPhone)"])
            #expect(returned.status == 303, "\(returned.text)")
            let sent = bench.sent.requests.dropFirst(earlier)
            #expect(bench.sent.requests.count > asked && asked > earlier)
            #expect(sent.allSatisfy { $0.headerFields[values: .userAgent] == [app] })
            let infos = sent.flatMap { request in
                request.headerFields.filter { $0.name.rawName == DeviceInfo.name }.map(\.value)
            }
            #expect(!infos.isEmpty)
            for info in infos {
                #expect(try DeviceInfo(headerValue: info).fields.map(\.name) == ["connectionIp"])
            }
        }
    }

    @Test(arguments: ["", String(repeating: "x", count: 1025), "Sample\tTV"])
    func `What cannot be sent on as the program of an app is left out`(program: String) async throws {
        try await GatewayBench.with(Self.header) { bench async throws in
            let fields = ["X-Forwarded-For: 203.0.113.9", "User-Agent: \(program)"]
            #expect(try await Self.ask(bench, fields: fields).status == 200)
            let programs = bench.sent.values(of: "User-Agent")
            #expect(!programs.isEmpty && programs.allSatisfy { $0.hasPrefix("swift-tve-tokens/") })
        }
    }

    @Test func `Playback sessions and the gateway take the address from the same field`() async throws {
        try await GatewayBench.with(["sessions.clientAddressHeader": "X-Real-IP"]) { bench async throws in
            #expect(try await Self.ask(bench, fields: ["X-Real-IP: 203.0.113.9"]).status == 200)
            #expect(Set(bench.sent.values(of: ClientAddress.name)) == ["203.0.113.9"])
        }
    }
}
#endif
