#if Service
import Foundation
import Logging
import TVEService
import TestVectors
import Testing

/// The sources of settings, and the faults that are reported.
@Suite struct SettingsTests {
    static func faults(
        _ changes: [String: String] = [:],
        without names: [String] = [],
        file: String? = nil,
        environment: [String: String] = [:]
    ) async -> [String] {
        let settings = RunningService.settings.merging(changes) { $1 }.filter { !names.contains($0.key) }
        let refusal = await refusal(of: settings, file: file, environment: environment)
        return refusal?.faults.map { "\($0.setting) \($0.code)" }.sorted() ?? []
    }

    /// Why no service starts with these settings, or `nil` if one does.
    ///
    /// Empty ones are left out.
    static func refusal(
        of settings: [String: String],
        file: String? = nil,
        environment: [String: String] = [:]
    ) async -> ServiceSettingsError? {
        let source = SettingsSource(
            file: file, environment: environment,
            overrides: settings.filter { !$0.value.isEmpty }.map { (name: $0.key, value: $0.value) })
        do throws(ServiceSettingsError) {
            _ = try VerificationService(
                try await source.read(), from: source, logger: Logger(label: "test") { _ in LogLines() })
            return nil
        } catch {
            return error
        }
    }

    @Test func `All faults are reported together`() async throws {
        let folder = try Folder()
        let file = try folder.write(
            #"{"public":{"prot":1,"host":7},"nothing":{"x":1},"limits":{"batches":0},"log":{"level":"loud"}}"#,
            to: "c.json")
        let changes = [
            "keys.paths": "", "store.address": "", "authz.requestors": "", "authz.resources": "", "log.level": "",
        ]
        #expect(
            await Self.faults(changes, file: file) == [
                "authz.requestors missing", "authz.resources missing", "keys.paths missing",
                "limits.batches bad_value",
                "log.level bad_value", "nothing unknown_setting", "public.host bad_value",
                "public.prot unknown_setting",
                "store.address missing",
            ])
    }

    @Test(arguments: [
        (["authz.requestorHeader": "X-A"], ["authz.requestors conflict"]),
        (["authz.resourceHeader": "X-A"], ["authz.resources conflict"]),
        (["authz.resources": "DemoChannel"], ["authz.resources bad_value"]),
        (["authz.resources": "/a/*/b R"], ["authz.resources bad_value"]),
        (["authz.resources": "/a/{resource} R"], ["authz.resources bad_value"]),
        (["authz.resources": "/a {resource}"], ["authz.resources bad_value"]),
        (["authz.tokenParameter": "a&b"], ["authz.tokenParameter bad_value"]),
        (["authz.uri": "anywhere"], ["authz.uri bad_value"]),
        (["store.address": "memory:0"], ["store.address bad_value"]),
        (["store.address": "redis://user:5ec2e7@h"], ["store.address password_in_address"]),
        (["store.address": "sqlite:/nowhere/at/all"], ["store.address cannot_open"]),
        (["store.passwordFile": "x"], ["store.passwordFile conflict"]),
        (
            ["store.connections": "3", "store.timeoutMilliseconds": "3", "store.prefix": "x", "store.caFile": "x"],
            [
                "store.caFile conflict", "store.connections conflict", "store.prefix conflict",
                "store.timeoutMilliseconds conflict",
            ]
        ),
        (["store.address": "none", "sessions.keyFiles": "x"], ["sessions.keyFiles conflict", "x no_such_file"]),
        (["sessions.keyFiles": "/nowhere"], ["/nowhere no_such_file"]),
        (["keys.paths": "/nowhere"], ["keys.paths no_such_file"]),
        (["keys.passwordFile": "5ec2e7"], ["keys.passwordFile no_such_file"]),
        (["internal.port": "1", "public.port": "1"], ["internal.port conflict"]),
        (["verification.leewaySeconds": "601"], ["verification.leewaySeconds bad_value"]),
        (
            ["sessions.lifetimeSeconds": "1", "sessions.cookie": "c", "sessions.parameter": "p"],
            ["sessions.cookie conflict", "sessions.lifetimeSeconds conflict", "sessions.parameter conflict"]
        ), (["sessions.clientAddressHeader": "X-A"], ["sessions.clientAddressHeader conflict"]),
        (
            ["decryption.passwordFile": "/nowhere", "decryption.padding": "pkcs1"],
            ["decryption.padding conflict", "decryption.passwordFile conflict"]
        ),
        (
            ["sessions.keyFiles": "/nowhere", "sessions.parameter": "media_token"],
            ["/nowhere no_such_file", "sessions.parameter conflict"]
        ),
        (
            ["limits.batches": "0", "keys.paths": "/nowhere", "store.address": "sqlite:/nowhere/at/all"],
            ["keys.paths no_such_file", "limits.batches bad_value", "store.address cannot_open"]
        ),
        (["public.host": "0.0.0.0:8080"], ["public.host bad_value"]),
        (["public.host": "[::1]"], ["public.host bad_value"]),
        (["internal.host": "http://here"], ["internal.host bad_value"]),
        (["internal.host": "a b"], ["internal.host bad_value"]),
        (["public.host": "::1", "internal.host": "fe80::1%eth0"], []), (["public.host": "play_1.example.org"], []),
        (["public.port": "x"], ["public.port bad_value"]), (["no.such": "1"], ["no.such unknown_setting"]),
    ])
    func `Every fault has its name`(_ changes: [String: String], _ faults: [String]) async {
        #expect(await Self.faults(changes) == faults)
    }

    /// Faults of sessions whose keys are good.
    @Test(arguments: [
        (["sessions.ceilingSeconds": "10"], ["sessions.ceilingSeconds conflict"]),
        (["sessions.ceilingSeconds": "604801"], ["sessions.ceilingSeconds bad_value"]),
        (["sessions.cookie": "a b"], ["sessions.cookie bad_value"]),
        (["sessions.cookie": "__Host-a", "sessions.cookiePath": "/a"], ["sessions.cookie conflict"]),
        (["sessions.cookiePath": "/a;b"], ["sessions.cookiePath bad_value"]),
        (["sessions.cookiePath": "a"], ["sessions.cookiePath bad_value"]),
        (["sessions.cookieDomain": "a b"], ["sessions.cookieDomain bad_value"]),
        (["sessions.sameSite": "x"], ["sessions.sameSite bad_value"]),
        (["sessions.sharedCookie": "x"], ["sessions.sharedCookie bad_value"]),
        (["sessions.store": "nowhere"], ["sessions.store bad_value"]),
        (["sessions.store": "sqlite:/nowhere/at/all"], ["sessions.store cannot_open"]),
        (["sessions.streams": "3"], ["sessions.streams conflict"]),
        (["sessions.streams": "101", "sessions.store": "memory:"], ["sessions.streams bad_value"]),
        (["sessions.storeFailure": "x", "sessions.store": "memory:"], ["sessions.storeFailure bad_value"]),
        (["sessions.clientAddressHeader": "forwarded"], ["sessions.clientAddressHeader bad_value"]),
        (["sessions.clientAddressHeader": "a b"], ["sessions.clientAddressHeader bad_value"]),
        (["sessions.corsOrigins": "*", "sessions.corsCredentials": "true"], ["sessions.corsOrigins conflict"]),
        (["sessions.corsOrigins": "https://a.example/"], ["sessions.corsOrigins bad_value"]),
        (["sessions.corsOrigins": "a.example"], ["sessions.corsOrigins bad_value"]),
        (["sessions.corsCredentials": "true"], ["sessions.corsCredentials conflict"]),
        (["sessions.keyFiles": Vectors.key("test-only-issuer-2048.spki.pem")], ["sessions.keyFiles cannot_sign"]),
        (
            ["sessions.keyFiles": "\(sessionKey),\(sessionKey)", "sessions.parameter": "media_token"],
            ["sessions.keyFiles repeated_key", "sessions.parameter conflict"]
        ), (["sessions.store": "redis://127.0.0.1:1", "store.timeoutMilliseconds": "3"], []),
    ])
    func `Every fault of sessions has its name`(_ changes: [String: String], _ faults: [String]) async {
        let changes = ["sessions.keyFiles": Self.sessionKey].merging(changes) { $1 }
        #expect(await Self.faults(changes) == faults)
    }

    private static let sessionKey = Vectors.key("test-only-issuer-2048.pkcs8.pem")

    @Test(arguments: ["1.5", "99999999999999999999", "1e300", "-0.1"])
    func `Numbers that are not whole are faults`(_ number: String) async throws {
        let folder = try Folder()
        let file = try folder.write(#"{"limits":{"batches":\#(number)}}"#, to: "c.json")
        #expect(await Self.faults(file: file) == ["limits.batches bad_value"])
    }

    private static func details(_ changes: [String: String] = [:], file: String? = nil) async -> [String] {
        let source = SettingsSource(
            file: file, environment: changes.filter { $0.key.hasPrefix("TVE_") },
            overrides: RunningService.settings.merging(changes.filter { !$0.key.hasPrefix("TVE_") }) { $1 }
                .filter { !$0.value.isEmpty }.map { (name: $0.key, value: $0.value) })
        do throws(ServiceSettingsError) {
            _ = try await source.read()
            return []
        } catch {
            return error.faults.map(\.detail)
        }
    }

    @Test(arguments: [
        ("{\n  \"public\": {\"port\": 1,},\n}", "not JSON at line 2, column 24"),
        ("{\"log\": {\"lével\": x}}", "not JSON at line 1, column 19"),
        ("{\"keys\": {\"paths\": [],\n\"paths\": []}}", "keys.paths occurs twice, the second time at line 2, column 1"),
        ("{\"a\": 1, \"a\": 2}", "a occurs twice, the second time at line 1, column 10"),
        ("[]", "is not a JSON object"),
    ])
    func `A text that is no JSON is told by its line and column`(_ text: String, _ detail: String) async throws {
        let folder = try Folder()
        #expect(await Self.details(file: try folder.write(text, to: "c.json")) == [detail])
        // A byte order mark is in no column.
        #expect(await Self.details(file: try folder.write("\u{FEFF}\(text)", to: "c.json")) == [detail])
    }

    @Test func `A byte order mark says nothing, and UTF-16 is named`() async throws {
        let folder = try Folder()
        #expect(await Self.details(file: try folder.write("\u{FEFF}{}", to: "c.json")) == [])
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
            let bytes = try #require("\u{FEFF}{}".data(using: encoding))
            try bytes.write(to: folder.url.appending(path: "c.json"))
            #expect(await Self.details(file: folder.path("c.json")) == ["is UTF-16; save it as UTF-8"])
        }
    }

    /// What is missing since a name is misspelt, or a value is wrong, is not told as a fault of its own.
    @Test(arguments: [
        (
            #"{"keys":{"path":["x"]},"authz":{"requestor":["A"]},"sessions":{"keyFile":["y"],"cookie":"c"}}"#,
            ["authz.requestor unknown_setting", "keys.path unknown_setting", "sessions.keyFile unknown_setting"]
        ),
        (
            #"{"kyes":{"paths":["x"]},"authz":{"requestorHeader":"a b"}}"#,
            ["authz.requestorHeader bad_value", "kyes unknown_setting"]
        ),
        (#"{"keys":{"paths":[]},"authz":{"requestors":[]}}"#, ["authz.requestors bad_value", "keys.paths bad_value"]),
    ])
    func `Only causes are reported`(_ text: String, _ faults: [String]) async throws {
        let folder = try Folder()
        let file = try folder.write(text, to: "c.json")
        #expect(await Self.faults(without: ["keys.paths", "authz.requestors"], file: file) == faults)
        let details = await Self.details(["keys.paths": "", "authz.requestors": ""], file: file)
        #expect(!details.contains { $0.contains("leave it out") }, "\(details)")
    }

    @Test func `A store without an address is told once`() async throws {
        let folder = try Folder()
        let session = try folder.write(String(repeating: "s", count: 40), to: "session.key")
        let file = try folder.write(
            #"{"store":{"address":"","prefix":"x"},"sessions":{"keyFiles":["\#(session)"]}}"#, to: "c.json")
        #expect(await Self.faults(without: ["store.address"], file: file) == ["store.address bad_value"])
    }

    @Test(arguments: [
        (["limits.batchs": "1"], "limits.batches"), (["public.prot": "1"], "public.port"),
        (["session.keyFiles": "x"], "sessions.keyFiles"), (["broker.apps.tv.domian": "x"], "broker.apps.tv.domain"),
        (["TVE_LIMITS_BATCH": "1"], "TVE_LIMITS_BATCHES"),
    ])
    func `A misspelt name is told with what it may be`(_ changes: [String: String], _ meant: String) async {
        let details = await Self.details(changes)
        #expect(details.contains("the setting is unknown; did you mean \(meant)?"), "\(details)")
    }

    @Test func `Variables outweigh the file and flags outweigh both`() async throws {
        let folder = try Folder()
        let file = try folder.write(#"{"limits":{"batches":0,"connections":0,"bodyBytes":0}}"#, to: "c.json")
        let environment = ["TVE_LIMITS_BATCHES": "1", "TVE_LIMITS_CONNECTIONS": "x", "TVE_LIMITS_BODY_BYTES": "y"]
        #expect(
            await Self.faults(["limits.connections": "5"], file: file, environment: environment)
                == ["limits.bodyBytes bad_value"])
        #expect(await Self.faults(file: folder.path("nothing")).map { $0.hasSuffix(" no_such_file") } == [true])
    }

    @Test func `Misspelt variables are faults`() async {
        let environment = [
            "TVE_LIMITS_BATCH": "1", "TVE_KEYS_PASSWORDFILE": "x", "TVE_VERIFICATION_ACCEPT_LEGACY_SHA1": "false",
            // Variables of other programs: of the platform that runs the service, and of tests.
            "TVE_PORT": "tcp://10.0.0.1:80", "TVE_SERVICE_HOST": "10.0.0.1", "TVE_WYCHEPROOF": "x", "HOME": "/",
        ]
        #expect(
            await Self.faults(environment: environment) == [
                "TVE_KEYS_PASSWORDFILE unknown_setting", "TVE_LIMITS_BATCH unknown_setting",
            ])
    }

    /// What people set by mistake: a key, a secret in hexadecimal digits and in Base64, a JSON Web Key.
    static let secrets = [
        "-----BEGIN PRIVATE KEY-----\nMIIE5ec2e7BADANBgkqhkiG9w0BAQEFAASC\n",
        "MIIE5ec2e7BADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEA",
        "5ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2",
        "Xr9/5ec2e7+sT0kWmJ7Yk3yN1bq5f0aVhPz2c8dLr4o=",
        #"{"kty":"oct","k":"5ec2e7"}"#,
    ]

    @Test(arguments: [
        "keys.paths", "keys.passwordFile", "sessions.keyFiles", "sessions.legacyLinkSecretFiles",
        "sessions.edgeTokenSecretFiles", "sessions.edgeTokenSaltFile", "sessions.policyKeyFiles",
        "sessions.legacyPolicyKeyFiles", "sessions.catKeyFiles", "decryption.paths", "decryption.passwordFile",
        "decryption.secretFile", "store.passwordFile", "store.keyFile", "store.certificateFile", "store.caFile",
    ])
    func `A secret in the place of its file is not shown`(_ setting: String) async throws {
        let folder = try Folder()
        let secretFile = try folder.write(String(repeating: "ab", count: 32), to: "secret")
        let group = String(setting.prefix { $0 != "." })
        // Each setting with those that it needs; the files of the others are good.
        let needed = [
            "sessions.edgeTokenSaltFile": ["sessions.edgeTokenSecretFiles": secretFile],
            "sessions.policyKeyFiles": ["sessions.policyOrigin": "https://d1.example"],
            "sessions.legacyPolicyKeyFiles": ["sessions.legacyPolicyOrigin": "https://d1.example"],
            "decryption.passwordFile": ["decryption.paths": secretFile],
            "decryption.secretFile": ["decryption.paths": secretFile],
        ]
        for secret in Self.secrets {
            let prefix = setting.lowercased().hasSuffix("policykeyfiles") ? "K2JC " : ""
            var changes = [setting: prefix + secret].merging(needed[setting] ?? [:]) { one, _ in one }
            if setting.hasPrefix("sessions."), setting != "sessions.keyFiles" {
                changes["sessions.keyFiles"] = secretFile
            }
            if setting.hasPrefix("store.") { changes["store.address"] = "rediss://127.0.0.1:1" }
            if setting == "store.keyFile" {
                changes["store.certificateFile"] = Vectors.key("test-only-bundle-certs.pem")
            }
            if setting == "store.certificateFile" { changes["store.keyFile"] = secretFile }
            let error = await Self.refusal(of: RunningService.settings.merging(changes) { $1 })
            #expect(error?.description.contains("5ec2e7") == false, "\(setting)")
            let isNamed = error?.faults.contains { $0.setting.hasPrefix("\(group).") } ?? false
            #expect(isNamed, "\(setting)")
        }
    }

    @Test func `No fault shows a secret`() async {
        let changes = ["store.address": "redis://user:5ec2e7@h", "keys.passwordFile": "5ec2e7"]
        let error = await Self.refusal(of: RunningService.settings.merging(changes) { $1 })
        #expect(error?.faults.count == 2)
        #expect(error?.description.contains("5ec2e7") == false)
    }
}
#endif
