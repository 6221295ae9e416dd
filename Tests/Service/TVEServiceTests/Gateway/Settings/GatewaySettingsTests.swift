#if Service
import BrokerSimulation
import Foundation
import RecordChecks
import SealedRecords
import TVEService
import Testing

/// The settings of the gateway: all faults at once, and what `--check` asks the broker.
@Suite struct GatewaySettingsTests {
    private static let simulator = Result { try BrokerSimulator() }

    /// The faults of the settings of a good gateway with some changes, each with its setting and code.
    private static func faults(
        _ changes: [String: String],
        file: String? = nil,
        environment: [String: String] = [:]
    ) async throws -> [String] {
        let folder = try Folder()
        let settings = RunningService.settings
            .merging(try GatewayBench.settings(in: folder, of: try simulator.get())) { $1 }
            .merging(changes) { $1 }
        let faults = await SettingsTests.refusal(of: settings, file: file, environment: environment)?.faults ?? []
        for fault in faults { #expect(!fault.detail.isEmpty && !fault.detail.contains("5ec2e7")) }
        return faults.map { "\($0.setting) \($0.code)" }.sorted()
    }

    @Test func `Good settings have no fault`() async throws {
        #expect(try await Self.faults([:]) == [])
    }

    @Test func `All faults are reported together, those of files and apps included`() async throws {
        let changes = [
            "broker.origin": "http://broker.example", "broker.publicURL": "tv.example.com", "broker.store": "files:/x",
            "broker.keyFile": "/nowhere", "broker.corsOrigins": "https://a.example/path", "broker.deviceTokenDays": "0",
            "broker.devicesPerMinute": "many", "broker.attestationURL": "ftp://x", "broker.events.to": "ftp://x",
            "broker.attestationFailure": "maybe", "broker.clientPortHeader": "X-Port",
            "broker.apps.tv.requestor": "", "broker.apps.tv.statementFile": "/nowhere", "broker.apps.tv.domain": "",
            "broker.apps.tv.returnTo": "javascript:alert(1)", "broker.apps.tv.featuredProviders": "B",
            "broker.apps.tv.providers": "A", "limits.connections": "0",
        ]
        let found = try await Self.faults(changes)
        #expect(
            found == [
                "broker.apps.tv.domain missing", "broker.apps.tv.featuredProviders conflict",
                "broker.apps.tv.requestor missing", "broker.apps.tv.returnTo bad_value",
                "broker.apps.tv.statementFile no_such_file",
                "broker.attestationFailure bad_value", "broker.attestationURL bad_value",
                "broker.clientPortHeader conflict", "broker.corsOrigins bad_value", "broker.deviceTokenDays bad_value",
                "broker.devicesPerMinute bad_value", "broker.events.to bad_value",
                "broker.keyFile sealing_keys_unreadable", "broker.origin bad_value", "broker.publicURL bad_value",
                "broker.store bad_value", "limits.connections bad_value",
            ], "\(found)")
    }

    @Test(arguments: [
        (
            ["broker.publicURL": "", "broker.store": "", "broker.keyFile": ""],
            ["broker.keyFile missing", "broker.publicURL missing", "broker.store missing"]
        ),
        (["broker.keyFile": "/nowhere"], ["broker.keyFile sealing_keys_unreadable"]),
        (["broker.apps.tv.featuredProviders": "B"], ["broker.apps.tv.featuredProviders conflict"]),
        (["broker.apps.tv.statementFile": "/nowhere"], ["broker.apps.tv.statementFile no_such_file"]),
        (["broker.caFile": "/nowhere"], ["broker.caFile unreadable_authorities"]),
        (["broker.store": "sqlite:/nowhere/at/all"], ["broker.store cannot_open"]),
        (["broker.store": "redis://user:5ec2e7@h"], ["broker.store password_in_address"]),
        (["broker.publicURL": "https://tv.example.com/app"], ["broker.publicURL bad_value"]),
        (["broker.clientAddressHeader": "Forwarded"], ["broker.clientAddressHeader bad_value"]),
        (
            ["broker.clientAddressHeader": "X-A", "sessions.clientAddressHeader": "X-B"],
            ["broker.clientAddressHeader conflict"]
        ),
        (["broker.attestationFailure": "pass"], ["broker.attestationFailure conflict"]),
        (["broker.corsOrigins": "*,https://a.example"], ["broker.corsOrigins conflict"]),
        (["broker.corsCredentials": "true"], ["broker.corsCredentials unknown_setting"]),
        (["broker.apps.tv.secret": "x"], ["broker.apps.tv.secret unknown_setting"]),
        (["broker.apps.T V.domain": "x"], ["broker.apps.T V.domain unknown_setting"]),
        (["broker.apps.tv.remembersProvider": "maybe"], ["broker.apps.tv.remembersProvider bad_value"]),
    ])
    func `A bad setting is named`(changes: [String: String], wanted: [String]) async throws {
        #expect(try await Self.faults(changes) == wanted)
    }

    @Test(
        arguments: [
            (["HTTPS_PROXY": "socks5://user:5ec2e7@proxy.example"], ["HTTPS_PROXY malformed_proxy"]),
            (["all_proxy": "http://user:5ec2e7@proxy.example/path"], ["all_proxy malformed_proxy"]),
            (["https_proxy": "http://user:5ec2e7@proxy.example:3128"], []),
            (["HTTP_PROXY": "socks5://proxy.example"], []),
        ] as [([String: String], [String])])
    func `A proxy that cannot be used is named by its variable`(
        environment: [String: String], wanted: [String]
    ) async throws {
        let broker = ["broker.origin": "https://broker.example"]
        #expect(try await Self.faults(broker, environment: environment) == wanted)
        // A service that talks to no broker, or to one on this machine, opens no connection that could go through it.
        #expect(try await Self.faults([:], environment: environment) == [])
        #expect((try? await RunningService.service([:], environment: environment)) != nil)
    }

    @Test(
        arguments: ["broker.keyFile", "broker.apps.tv.statementFile", "broker.caFile"],
        SettingsTests.secrets)
    func `A secret in the place of its file is not shown`(setting: String, secret: String) async throws {
        // `faults` looks at the details.
        let found = try await Self.faults([setting: secret])
        #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix("\(setting) ") }, "\(found)")
    }

    @Test func `Settings of a gateway without a broker have no effect, and say so`() async throws {
        let apps = ["requestor", "statementFile", "domain", "returnTo", "attributes"]
            .flatMap { name in ["tv", "web", "second"].map { ("broker.apps.\($0).\(name)", "") } }
        let others = ["broker.store", "broker.keyFile", "broker.devicesPerMinute", "broker.codesPerMinute"].map {
            ($0, "")
        }
        let changes = Dictionary(uniqueKeysWithValues: apps + others + [("broker.origin", "")])
        #expect(try await Self.faults(changes) == ["broker.publicURL conflict"])
    }

    @Test func `Events are not added to a file that every user may change`() async throws {
        let folder = try Folder()
        let file = folder.path("events")
        #expect(try await Self.faults(["broker.events.to": file]) == [])
        try folder.write("", to: "events")
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
        #expect(try await Self.faults(["broker.events.to": file]) == ["broker.events.to foreign_file"])
    }

    @Test func `What follows from a misspelt name is not reported`() async throws {
        let found = try await Self.faults(["broker.origin": "", "broker.orign": "https://broker.example"])
        #expect(found == ["broker.orign unknown_setting"], "\(found)")
    }

    @Test func `Without an app there is nothing to serve`() async throws {
        let changes = Dictionary(
            uniqueKeysWithValues: ["requestor", "statementFile", "domain", "returnTo", "attributes"]
                .flatMap { name in ["tv", "web", "second"].map { ("broker.apps.\($0).\(name)", "") } })
        #expect(try await Self.faults(changes) == ["broker.apps missing"])
    }

    @Test(arguments: [
        ("https://app.example.com/done", true), ("myapp://done", true), ("https://app.example.com/any", true),
        ("https://app.example.com/any?", true), ("https://app.example.com/any?a=b&c", true),
        // By prefix, by host, by scheme, by case, by encoding, by what browsers drop.
        ("https://app.example.com/done/", false), ("https://app.example.com/done?x", false),
        ("https://app.example.com/done#x", false), ("https://app.example.com.evil.example/done", false),
        ("https://app.example.com@evil.example/done", false), ("http://app.example.com/done", false),
        ("HTTPS://app.example.com/done", false), ("//app.example.com/done", false),
        ("https://app.example.com/d%6Fne", false), ("https:\\\\app.example.com/done", false),
        (" https://app.example.com/done", false), ("https://app.example.com/done\n", false),
        ("myapp://done.evil.example", false), ("myapp://other", false), ("javascript:alert(1)", false), ("", false),
        ("https://app.example.com/anything", false), ("https://app.example.com/any?a=b#evil", false),
        ("https://app.example.com/any?a\r\nSet-Cookie: x=y", false),
    ])
    func `A way back is one of the list byte for byte`(address: String, isAllowed: Bool) async throws {
        let list = ["https://app.example.com/done", "myapp://done", "https://app.example.com/any?*"]
        #expect(ReturnAddresses(checked: list).allows(address) == isAllowed)
    }

    @Test(arguments: [
        "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html;x", "file:///etc/passwd", "vbscript:x",
        "http://app.example.com/done", "https://*.example.com/done", "https://user@app.example.com/", "https://",
        "https:app.example.com", "app.example.com/done", "/done", "https://app.example.com/*",
        "https://app.example.com/?*x", "myapp:", "*",
    ])
    func `A list that would let a browser go anywhere is refused`(entry: String) async throws {
        #expect(try await Self.faults(["broker.apps.tv.returnTo": entry]) == ["broker.apps.tv.returnTo bad_value"])
    }

    @Test(arguments: [
        "http://localhost:8080/done", "http://127.0.0.1/done", "http://[::1]:3000/", "adobepass://ios.app",
        "com.example.tv:/done", "https://app.example.com/done?*",
    ])
    func `A list may name apps, and this machine`(entry: String) async throws {
        #expect(try await Self.faults(["broker.apps.tv.returnTo": entry]) == [])
    }

    // MARK: What the broker says

    @Test func `Domains and addresses that the requestor does not have are found by asking the broker`() async throws {
        let changes = [
            "broker.publicURL": "https://tv.example.net", "broker.apps.tv.domain": "example.net",
            "broker.apps.second.domain": "example.org",
        ]
        try await GatewayBench.with(changes) { bench in
            let found = await bench.service.service.checkBroker()
            #expect(
                found.map { "\($0.fault.setting) \($0.fault.code)" } == [
                    "broker.publicURL unknown_domain", "broker.apps.tv.domain unknown_domain",
                    "broker.publicURL unknown_domain", "broker.publicURL unknown_domain",
                ], "\(found)")
            #expect(found.allSatisfy { !$0.isOpen })
        }
    }

    @Test func `The status page asks once, and shows what is wrong`() async throws {
        try await GatewayBench.with(["broker.apps.tv.domain": "example.net"]) { bench in
            #expect(bench.brokerCalls.isEmpty)
            let look = { try await bench.service.askInternal(request("GET", "/")).text }
            #expect(try await look().contains("The broker is being asked for the domains of the apps."))
            try await bench.service.until { _ in try await look().contains("The broker refuses these settings.") }
            let calls = bench.brokerCalls.count
            #expect(try await look().contains("broker.apps.tv.domain"))
            #expect(calls > 0 && bench.brokerCalls.count == calls)
        }
    }

    @Test func `Good domains are found good, and nothing is kept of the question`() async throws {
        try await GatewayBench.with(["broker.apps.second.domain": "example.org"]) { bench in
            let writes = bench.store.writes
            // The host of this gateway belongs to the first brand alone.
            let found = await bench.service.service.checkBroker()
            #expect(found.map(\.fault.setting) == ["broker.publicURL"])
            #expect(bench.store.writes == writes)
            #expect(
                bench.brokerCalls == Array(repeating: [.register, .token, .configuration], count: 3).flatMap { $0 })
        }
    }

    @Test func `A broker that refuses the statement, and one that does not answer, are told apart`() async throws {
        try await GatewayBench.with { bench in
            let statements = bench.simulator.world.requestors.flatMap(\.statements)
            try bench.simulator.revoke(statement: try #require(statements.first).id)
            let refused = await bench.service.service.checkBroker()
            #expect(refused.contains { $0.fault.setting == "broker.apps.tv.statementFile" && !$0.isOpen }, "\(refused)")
        }
        try await GatewayBench.with { bench in
            bench.simulator.activate(ActiveScenario("away", .network(.dropRequest), endpoints: [.register]))
            let open = await bench.service.service.checkBroker()
            #expect(!open.isEmpty && open.allSatisfy(\.isOpen), "\(open)")
        }
    }

    @Test func `A service that is not a gateway asks no broker`() async throws {
        try await RunningService.with { service in #expect(await service.service.checkBroker().isEmpty) }
    }

    /// A request that took them one after the other would be answered by half of a reload.
    @Test func `Configuration and gateway in use are of the same reload, whenever a request takes them`() async throws {
        let folder = try Folder()
        let settings = try GatewayBench.settings(in: folder, of: try Self.simulator.get())
        @Sendable func write(days: Int) throws -> String {
            try folder.write(#"{"broker": {"deviceTokenDays": \#(days)}}"#, to: "serve.json")
        }
        let service = try await RunningService.service(settings, file: try write(days: 1))
        @Sendable func days() -> Int? {
            let used = service.state.inUse
            let days = used.configuration.settings.gateway?.tokenDays
            #expect(days == used.gateway?.settings.tokenDays)
            return days
        }
        let requests = Task {
            while !Task.isCancelled {
                _ = days()
                await Task.yield()
            }
        }
        for days in 2...20 {
            _ = try write(days: days)
            await service.reload()
        }
        requests.cancel()
        await requests.value
        #expect(days() == 20, "each reload was taken")
    }
}
#endif
