#if Service
import Foundation
import Logging
import TVEService
import TestVectors
import Testing

/// What settings that are refused take away, and what they leave in use.
@Suite struct WithdrawalTests {
    /// What a service trusts because of a file.
    enum Trusted: String, CaseIterable, Sendable {
        case key, session, secret

        /// What its file holds.
        func content() throws -> String {
            switch self {
            case .key: try String(contentsOfFile: Vectors.key("test-only-issuer-2048.spki.pem"), encoding: .utf8)
            case .session: String(repeating: "5ec2e7", count: 8)
            case .secret: String(repeating: "s3", count: 16)
            }
        }

        /// What a file with another key or secret holds.
        func otherContent() throws -> String {
            switch self {
            case .key: try String(contentsOfFile: Vectors.key("test-only-issuer-3072.spki.pem"), encoding: .utf8)
            case .session: String(repeating: "7ab4", count: 10)
            case .secret: String(repeating: "t4", count: 16)
            }
        }

        /// Whether a service trusts it.
        func isTrusted(by service: RunningService) async throws -> Bool {
            switch self {
            case .key: return try await service.passes("/live/1")
            case .session: return try await service.post("/v1/playback-sessions", "{}").code == "bad_request"
            case .secret:
                let value = try await encrypted(#"["94105"]"#)
                let fields = ["Content-Type: application/json", "Authorization: Bearer \(try content())"]
                let bytes = decryption(#"{"value":"\#(value)"}"#, fields: fields)
                return try await service.askInternal(bytes).status == 200
            }
        }
    }

    /// Settings that name one file each for the key, the session key and the secret, and these files.
    private struct NamedFiles: Sendable {
        let folder: Folder

        func path(_ name: String) -> String { "\(folder.url.path)/\(name)" }

        /// Makes a file, or takes the place of an old one by renaming.
        func put(_ content: String, _ name: String) throws {
            try Data(content.utf8).write(to: URL(filePath: path(name)), options: .atomic)
        }

        func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

        /// Makes the files that are named unless a test names others.
        func putAll() throws {
            for trusted in Trusted.allCases { try put(try trusted.content(), trusted.rawValue) }
        }

        /// Writes the settings.
        ///
        /// - Parameters:
        ///   - names: The names of the files that are not named as usual.
        ///   - keys: More members of the group `keys`, after a comma.
        ///   - rest: More groups, after a comma.
        /// - Returns: The file with the settings.
        /// - Throws: An error of Foundation.
        @discardableResult
        func name(_ names: [Trusted: [String]] = [:], keys: String = "", rest: String = "") throws -> String {
            let paths = { (trusted: Trusted) in (names[trusted] ?? [trusted.rawValue]).map { "\"\(path($0))\"" } }
            let issuers = paths(.key).joined(separator: ",")
            let sessions = paths(.session).joined(separator: ",")
            let secret = paths(.secret).first ?? "null"
            return try folder.write(
                """
                {"keys":{"paths":[\(issuers)]\(keys)},"sessions":{"keyFiles":[\(sessions)]},
                "decryption":{"secretFile":\(secret)}\(rest)}
                """, to: "c.json")
        }
    }

    private static let changes = [
        "keys.paths": "", "decryption.paths": Vectors.key("test-only-other-2048.pkcs8.pem"),
    ]
    /// What is wrong elsewhere.
    private static let fault = #","limits":{"batches":"many"}"#
    private static let unchanged = "not reloaded; the old keys and rules stay in use"
    private static let reduced = "not reloaded; the old keys and rules stay in use, but for what was taken away"
    private static let withdrawn = "keys that were taken away or revoked are trusted no longer"

    /// Runs a service that trusts what the files have.
    private static func with(
        _ more: [String: String] = [:],
        _ body: @Sendable (RunningService, NamedFiles) async throws -> Void
    ) async throws {
        let files = NamedFiles(folder: try Folder())
        try files.putAll()
        let file = try files.name()
        try await RunningService.with(changes.merging(more) { $1 }, file: file) { service in
            for trusted in Trusted.allCases { #expect(try await trusted.isTrusted(by: service)) }
            try await body(service, files)
        }
    }

    // MARK: A typing error is no revocation

    @Test(arguments: Trusted.allCases)
    func `A file that is missing or bad takes nothing away`(_ trusted: Trusted) async throws {
        try await Self.with { service, files in
            try files.put("half a key", "bad")
            try files.put(try trusted.otherContent(), "foreign")
            try FileManager.default.setAttributes([.posixPermissions: 0o646], ofItemAtPath: files.path("foreign"))
            for name in ["nowhere", "bad", "foreign"] {
                for rest in ["", Self.fault] {
                    let refusals = service.log.events(Self.unchanged).count
                    try files.name([trusted: [name]], rest: rest)
                    await service.service.reload()
                    #expect(service.log.events(Self.unchanged).count > refusals)
                    for one in Trusted.allCases { #expect(try await one.isTrusted(by: service), "\(one): \(name)") }
                }
            }
            #expect(service.log.events(Self.withdrawn).isEmpty)
        }
    }

    @Test func `A folder whose name is misspelt keeps the keys that are there`() async throws {
        try await Self.with { service, files in
            for folder in ["keys", "empty"] {
                try FileManager.default.createDirectory(atPath: files.path(folder), withIntermediateDirectories: true)
            }
            try files.put(try Trusted.key.content(), "keys/a.pem")
            try files.put(try Trusted.key.otherContent(), "keys/b.pem")
            let isInUse = { (count: Int) in
                try await service.metrics().contains("\ntve_keys{former=\"true\",use=\"tokens\"} \(count)\n")
            }
            try files.name([.key: ["keys/"]])
            await service.service.reload()
            for name in ["kyes", "empty"] {
                try files.name([.key: [name]])
                await service.service.reload()
                #expect(try await isInUse(2), "\(name)")
            }
            try files.remove("keys/b.pem")
            await service.service.reload()
            #expect(try await isInUse(1))
            #expect(try await Trusted.key.isTrusted(by: service))
            // A key that is named is in use, whatever else the list names, and its own file alone.
            try files.name([.key: ["keys/a.pem", "nowhere"]])
            await service.service.reload()
            #expect(try await isInUse(1))
            try files.remove("keys/a.pem")
            await service.service.reload()
            #expect(try await isInUse(0))
        }
    }

    // MARK: What counts at once

    @Test(arguments: Trusted.allCases)
    func `A file that is gone or changed counts beside a typing error`(_ trusted: Trusted) async throws {
        try await Self.with { service, files in
            for isGone in [true, false] {
                try files.name([trusted: ["nowhere"]])
                await service.service.reload()
                #expect(try await trusted.isTrusted(by: service))
                if isGone {
                    try files.remove(trusted.rawValue)
                } else {
                    try files.put(try trusted.otherContent(), trusted.rawValue)
                }
                await service.service.reload()
                for one in Trusted.allCases { #expect(try await one.isTrusted(by: service) == (one != trusted)) }
                // What is gone stays gone until the settings are good again, also if its file is back.
                try files.putAll()
                await service.service.reload()
                #expect(try await trusted.isTrusted(by: service) == false)
                try files.name()
                await service.service.reload()
                #expect(try await trusted.isTrusted(by: service))
            }
        }
    }

    /// What has taken the place of a file's content.
    enum Replacement: String, CaseIterable, Sendable {
        case nothing, folder, pipe, loop, device
        /// Another key, which every user may change.
        case foreign
    }

    @Test(arguments: Trusted.allCases, Replacement.allCases)
    func `A file that cannot have its key any more does not keep it`(
        _ trusted: Trusted, _ replacement: Replacement
    ) async throws {
        try await Self.with { service, files in
            try files.name([trusted: ["nowhere"]])
            await service.service.reload()
            #expect(try await trusted.isTrusted(by: service))
            let own = files.path(trusted.rawValue)
            try files.remove(trusted.rawValue)
            switch replacement {
            case .nothing: try files.put("", trusted.rawValue)
            case .folder: try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
            case .pipe: try await run("mkfifo", own)
            case .loop: try FileManager.default.createSymbolicLink(atPath: own, withDestinationPath: own)
            case .device: try FileManager.default.createSymbolicLink(atPath: own, withDestinationPath: "/dev/null")
            case .foreign:
                try files.put(try trusted.otherContent(), trusted.rawValue)
                try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: own)
            }
            // Also if it is named, and so at fault itself.
            for name in ["nowhere", trusted.rawValue] {
                try files.name([trusted: [name]], rest: Self.fault)
                await service.service.reload()
                for one in Trusted.allCases { #expect(try await one.isTrusted(by: service) == (one != trusted)) }
            }
            #expect(service.log.events(Self.withdrawn).map { $0.values["dropped"] } == ["1"])
            #expect(service.log.events(Self.unchanged).count == 1)
        }
    }

    /// A slip with its rights changes nothing of what it holds.
    @Test(arguments: Trusted.allCases)
    func `A file with its bytes that every user may change keeps its key`(_ trusted: Trusted) async throws {
        try await Self.with { service, files in
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o666], ofItemAtPath: files.path(trusted.rawValue))
            await service.service.reload()
            for one in Trusted.allCases { #expect(try await one.isTrusted(by: service)) }
            #expect(service.log.events(Self.withdrawn).isEmpty)
            #expect(service.log.events(Self.unchanged).map { $0.values["code"] } == ["foreign_file"])
        }
    }

    /// With the former password alone, it cannot be told whether it has another key.
    @Test func `A key store with another password does not keep its key`() async throws {
        let folder = try Folder()
        let (store, password) = (folder.path("store.p12"), try folder.write("test-only", to: "password"))
        try await run("cp", Vectors.key("formats/test-only-3072.modern.p12"), store)
        let name = { @Sendable (paths: String) in
            try folder.write(#"{"keys":{"paths":["\#(paths)"],"passwordFile":"\#(password)"}}"#, to: "c.json")
        }
        try await RunningService.with(["keys.paths": ""], file: try name(store)) { service in
            let isInUse = { (count: Int) in
                try await service.metrics().contains("\ntve_keys{former=\"true\",use=\"tokens\"} \(count)\n")
            }
            // The password may come before the store that it opens.
            try folder.write("another", to: "password")
            await service.service.reload()
            #expect(try await isInUse(1))
            try await run(
                "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=other", "-keyout",
                folder.path("other.key"), "-out", folder.path("other.pem"))
            try await run(
                "openssl", "pkcs12", "-export", "-inkey", folder.path("other.key"), "-in", folder.path("other.pem"),
                "-passout", "pass:third", "-out", store)
            await service.service.reload()
            #expect(try await isInUse(0))
        }
    }

    /// A pipe is not waited for, neither by its own reader nor by that of another file.
    @Test(arguments: ["settings", "key", "password"])
    func `A pipe in the place of a file delays nothing`(_ place: String) async throws {
        let folder = try Folder()
        let pem = { (name: String) in try String(contentsOfFile: Vectors.key("\(name).spki.pem"), encoding: .utf8) }
        let (one, two) = (
            try folder.write(try pem("test-only-issuer-2048"), to: "one.pem"),
            try folder.write(try pem("test-only-other-2048"), to: "two.pem")
        )
        let password = try folder.write("test-only", to: "password")
        // The first that cannot be read is the one that is named.
        let text = #"{"keys":{"paths":["\#(two)","\#(one)"],"passwordFile":"\#(password)"}}"#
        let file = try folder.write(text, to: "c.json")
        try await RunningService.with(["keys.paths": ""], file: file) { service in
            let pipe = ["settings": file, "key": two][place] ?? password
            try FileManager.default.removeItem(atPath: pipe)
            try await run("mkfifo", pipe)
            // A writer that says nothing.
            let silent = try #require(FileHandle(forUpdatingAtPath: pipe))
            try FileManager.default.removeItem(atPath: one)
            await service.service.reload()
            try silent.close()
            #expect(try await service.passes("/live/1") == false)
            #expect(service.log.text.contains("is a pipe or a device"))
            #expect(!service.log.text.contains("whose writer sends nothing"))
        }
    }

    @Test func `A key that is revoked counts beside a typing error`() async throws {
        let fingerprint = "e53325dace595c4093595e9046607df774bded9d640dcc0ca453846b3ee79379"
        try await Self.with { service, files in
            try files.name([.key: ["nowhere"], .session: ["nowhere"]])
            await service.service.reload()
            #expect(try await Trusted.key.isTrusted(by: service))
            try files.name([.key: ["nowhere"], .session: ["nowhere"]], keys: #","revoked":["\#(fingerprint)"]"#)
            await service.service.reload()
            for one in Trusted.allCases { #expect(try await one.isTrusted(by: service) == (one != .key)) }
        }
    }

    /// The lists of the others name files that are missing, which neither keeps this one nor ends those.
    @Test(arguments: Trusted.allCases)
    func `A file that is named no longer counts if all that are named can be read`(_ trusted: Trusted) async throws {
        try await Self.with { service, files in
            try files.put(try trusted.otherContent(), "other")
            var names: [Trusted: [String]] = [:]
            for one in Trusted.allCases { names[one] = one == trusted ? ["other"] : ["nowhere"] }
            try files.name(names, rest: Self.fault)
            await service.service.reload()
            for one in Trusted.allCases { #expect(try await one.isTrusted(by: service) == (one != trusted), "\(one)") }
            #expect(service.log.events(Self.withdrawn).map { $0.values["dropped"] } == ["1"])
        }
    }

    /// The new file is opened with the new password.
    @Test func `A key that is replaced by an encrypted one is dropped`() async throws {
        try await Self.with { service, files in
            try await run("cp", Vectors.key("formats/test-only-3072.modern.p12"), files.path("new.p12"))
            try files.put("test-only", "password")
            for (name, isTrusted) in [("nowhere", true), ("password", false)] {
                let password = #","passwordFile":"\#(files.path(name))""#
                try files.name([.key: ["new.p12"]], keys: password, rest: Self.fault)
                await service.service.reload()
                #expect(try await Trusted.key.isTrusted(by: service) == isTrusted, "\(name)")
            }
        }
    }

    /// By another path, by a link, twice, or in another place: what is named has the key.
    @Test(arguments: Trusted.allCases)
    func `A key that is named in another way stays`(_ trusted: Trusted) async throws {
        try await Self.with { service, files in
            let own = trusted.rawValue
            try FileManager.default.createSymbolicLink(
                atPath: files.path("link"), withDestinationPath: files.path(own))
            for names in [["./\(own)"], ["link"], [own, own]] {
                try files.name([trusted: names], rest: Self.fault)
                await service.service.reload()
                #expect(try await trusted.isTrusted(by: service), "\(names)")
            }
            try await run("mv", files.path(own), files.path("moved"))
            try files.name([trusted: ["moved"]], rest: Self.fault)
            await service.service.reload()
            #expect(try await trusted.isTrusted(by: service))
            // The link leads nowhere now.
            try files.name([trusted: ["link"]], rest: Self.fault)
            await service.service.reload()
            #expect(try await trusted.isTrusted(by: service) == false)
        }
    }

    // MARK: What is told

    @Test func `Log and page and metrics tell which keys are in use`() async throws {
        try await Self.with(["readiness.refusedGraceSeconds": "0"]) { service, files in
            try files.put(try Trusted.key.otherContent(), "b.pem")
            let page = { try await service.askInternal(request("GET", "/")).text }
            let isCounted = { (tokens: Int, isFormer: Bool) async throws -> Bool in
                let metrics = try await service.metrics()
                return metrics.contains("\ntve_keys{former=\"\(isFormer)\",use=\"tokens\"} \(tokens)\n")
                    && metrics.contains("\ntve_keys{former=\"\(isFormer)\",use=\"sessions\"} 1\n")
            }
            try files.name([.key: ["key", "b.pem"]])
            await service.service.reload()
            #expect(try await isCounted(2, false))
            #expect(try await page().contains("The reload at") == false)
            let help = "Whether that reload succeeded; if not, tve_keys tells which keys are in use."
            #expect(try await service.metrics().contains("# HELP tve_reload_success \(help)\n"))

            try files.name([.key: ["key", "nowhere"]])
            await service.service.reload()
            let refusal = try #require(service.log.events(Self.unchanged).last)
            #expect(refusal.level == .error)
            #expect(refusal.values["keys"] == "2" && refusal.values["sessionKeys"] == "1")
            #expect(refusal.values["setting"] == "keys.paths" && refusal.values["code"] == "no_such_file")
            let stay = "failed; the old keys and rules stay in use (keys: 2 for tokens, 1 for sessions)."
            #expect(try await page().contains(stay))
            #expect(try await isCounted(2, true))
            let ready = try await service.askInternal(request("GET", "/readyz")).text
            #expect(ready.contains("the changed configuration is refused; the old keys and rules stay in use"))

            // One is left, and that it is not all is told as long as it is so.
            try files.remove("b.pem")
            for _ in 0..<2 {
                await service.service.reload()
                #expect(service.log.events(Self.reduced).last?.values["keys"] == "1")
                let left = "stay in use, but for what was taken away (keys: 1 for tokens, 1 for sessions)."
                #expect(try await page().contains(left))
                #expect(try await isCounted(1, true))
            }
            #expect(service.log.events(Self.withdrawn).map(\.level) == [.warning])
            #expect(service.log.events(Self.reduced).count == 2)

            try files.remove("key")
            await service.service.reload()
            let withdrawal = try #require(service.log.events(Self.withdrawn).last)
            #expect(withdrawal.level == .error && withdrawal.values["keys"] == "0")
            #expect(service.log.events("not reloaded; no key or secret is left for tokens").last?.level == .error)
            let none = "failed; no key or secret is left for tokens (keys: 0 for tokens, 1 for sessions)."
            #expect(try await page().contains(none))
            #expect(try await isCounted(0, true))
            #expect(try await service.askInternal(request("GET", "/readyz")).text.contains("no_keys"))

            try files.putAll()
            try files.name()
            await service.service.reload()
            #expect(try await isCounted(1, false))
            #expect(try await page().contains("The reload at") == false)
        }
    }

    @Test func `Without a session key nothing about sessions is decided until it is mended`() async throws {
        try await Self.with { service, files in
            let session = try await SessionTests.start(service)
            let cookie = "Cookie: \(SessionTests.cookie)=\(session)"
            let isReady = { try await service.askInternal(request("GET", "/readyz")).status == 200 }
            #expect(try await service.authorize([cookie]).status == 200)
            #expect(try await isReady())
            // The key is rotated, and something else is wrong: the new one is not taken, and the old one ends.
            try files.put(try Trusted.session.otherContent(), "session")
            try files.name(rest: Self.fault)
            await service.service.reload()
            let token = try RunningService.token()
            let start = #"{"token":"\#(token)","requestor":null,"resource":null}"#
            for (path, body) in [
                ("/v1/playback-sessions", start), ("/v1/playback-sessions/renew", #"{"session":"\#(session)"}"#),
                ("/v1/playback-sessions/end", #"{"session":"\#(session)"}"#),
            ] {
                let answer = try await service.post(path, body)
                #expect(answer.status == 503 && answer.code == "no_keys", "\(path): \(answer.text)")
            }
            let keys = try await service.ask(request("GET", "/.well-known/jwks.json"))
            #expect(keys.status == 503 && keys.code == "no_keys")
            let refused = try await service.authorize([cookie])
            #expect(refused.status == 503 && refused["X-TVE-Status"] == "ERROR_UNKNOWN")
            let line = try #require(service.log.events("refused").last)
            #expect(line.level == .error && line.values["code"] == "no_keys" && line.values["credential"] == "session")
            // What needs no session is decided as ever.
            #expect(try await service.authorize([]).status == 401)
            let field = "X-Media-Token: \(try RunningService.token())"
            #expect(try await service.authorize([cookie, field]).status == 200)
            // The token is used up now, and the session may still be good.
            #expect(try await service.authorize([field]).status == 403)
            for fields in [[cookie, field], [field, cookie]] {
                #expect(try await service.authorize(fields).status == 503)
                #expect(service.log.events("refused").last?.values["code"] == "no_keys")
            }
            let ready = try await service.askInternal(request("GET", "/readyz"))
            let reasons = ready.object["reasons"] as? [[String: Any]]
            #expect(ready.status == 503 && reasons?.map { $0["code"] as? String } == ["no_keys"], "\(ready.text)")
            #expect(ready.text.contains("no key is left that can sign playback sessions"))

            try files.name()
            await service.service.reload()
            #expect(try await isReady())
            // It is the other key's now; the token was not used up.
            #expect(try await service.authorize([cookie]).status == 401)
            #expect(try await service.post("/v1/playback-sessions", start).status == 200)
        }
    }

    @Test func `What has no key left is told by what it is for`() async throws {
        try await Self.with { service, files in
            try files.remove("session")
            await service.service.reload()
            #expect(service.log.events(Self.withdrawn).last?.level == .error)
            #expect(service.log.events("not reloaded; no key or secret is left for sessions").count == 1)
            try files.remove("secret")
            await service.service.reload()
            let both = "not reloaded; no key or secret is left for sessions and requests to decrypt"
            #expect(service.log.events(both).last?.values["sessionKeys"] == "0")
            #expect(try await service.metrics().contains(#"tve_keys{former="true",use="sessions"} 0"#))
        }
    }

    /// Who knows the secret is not refused for good, and the rest of the service goes on.
    @Test func `Without the secret of requests to decrypt none is answered`() async throws {
        try await Self.with { service, files in
            try files.remove("secret")
            await service.service.reload()
            for secret in [try Trusted.secret.content(), "another"] {
                let fields = ["Content-Type: application/json", "Authorization: Bearer \(secret)"]
                let answer = try await service.askInternal(decryption(#"{"value":"AAAA"}"#, fields: fields))
                #expect(answer.status == 503 && answer.code == "no_keys")
            }
            #expect(try await service.askInternal(request("GET", "/readyz")).status == 200)
            try files.putAll()
            await service.service.reload()
            #expect(try await Trusted.secret.isTrusted(by: service))
        }
    }
}
#endif
