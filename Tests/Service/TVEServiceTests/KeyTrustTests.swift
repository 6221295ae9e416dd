#if Service
import EntitlementValues
import Foundation
import PlaybackSessions
import TVEService
import TVETesting
import TestVectors
import Testing

/// Which keys and files a service trusts, and for how long.
@Suite struct KeyTrustTests {
    private static let issuer = Vectors.key("test-only-issuer-2048.spki.pem")
    private static let other = Vectors.key("test-only-other-2048.spki.pem")
    /// SHA-256 of the issuer's SubjectPublicKeyInfo, as `openssl pkey -pubin -outform DER | openssl dgst -sha256` says it.
    private static let fingerprint = "e53325dace595c4093595e9046607df774bded9d640dcc0ca453846b3ee79379"

    private static func text(_ file: String) throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

    private func faults(_ changes: [String: String], file: String? = nil) async -> [String] {
        do {
            _ = try await RunningService.service(changes, file: file)
            return []
        } catch {
            return (error as? ServiceSettingsError)?.faults.map { "\($0.setting) \($0.code)" } ?? ["\(error)"]
        }
    }

    // MARK: Keys that are taken away

    @Test func `A key that is taken away is dropped also beside a bad file`() async throws {
        let (folder, keys) = (try Folder(), try Folder())
        try keys.write(try Self.text(Self.issuer), to: "a.pem")
        try keys.write(try Self.text(Self.other), to: "b.pem")
        let session = folder.path("session.key")
        try Data((0..<32).map { UInt8($0) }).write(to: URL(filePath: session))
        let changes = ["keys.paths": keys.url.path, "sessions.keyFiles": session]
        try await RunningService.with(changes) { service in
            #expect(try await service.passes("/live/1"))
            try keys.write("half a key", to: "c.pem")
            await service.service.reload()
            #expect(try await service.passes("/live/1"), "a bad file changes nothing")
            try FileManager.default.removeItem(atPath: keys.path("a.pem"))
            await service.service.reload()
            #expect(try await service.passes("/live/1") == false)
            #expect(service.log.text.contains("trusted no longer"))
            // The session key's own file is gone, too: nothing starts or passes with it.
            try FileManager.default.removeItem(atPath: session)
            await service.service.reload()
            #expect(try await service.post("/v1/playback-sessions", "{}").code == "no_keys")
            // The last key: nobody can be let in, and the balancer is told.
            try FileManager.default.removeItem(atPath: keys.path("b.pem"))
            await service.service.reload()
            let ready = try await service.askInternal(request("GET", "/readyz"))
            #expect(ready.status == 503 && ready.text.contains("no_keys"))
            #expect(ready.text.contains("no token can be verified"))
            // Mended, everything is as it was.
            try FileManager.default.removeItem(atPath: keys.path("c.pem"))
            try keys.write(try Self.text(Self.issuer), to: "a.pem")
            try Data((0..<32).map { UInt8($0) }).write(to: URL(filePath: session))
            await service.service.reload()
            #expect(try await service.passes("/live/1"))
            #expect(try await service.askInternal(request("GET", "/readyz")).status == 200)
        }
    }

    @Test func `A key that is taken out of the settings is dropped also beside a fault`() async throws {
        let folder = try Folder()
        let sessions = ["one.key", "two.key"].map(folder.path)
        for (number, path) in sessions.enumerated() {
            try Data((0..<32).map { UInt8($0 + number) }).write(to: URL(filePath: path))
        }
        let write = { @Sendable (paths: [String], keys: [String], rest: String) in
            let lists = [paths, keys].map { $0.map { "\"\($0)\"" }.joined(separator: ",") }
            let text = #"{"keys":{"paths":[\#(lists[0])]},"sessions":{"keyFiles":[\#(lists[1])]}\#(rest)}"#
            return try folder.write(text, to: "c.json")
        }
        let fault = #","limits":{"batches":"many"}"#
        let file = try write([Self.issuer, Self.other], sessions, "")
        try await RunningService.with(["keys.paths": ""], file: file) { service in
            #expect(try await service.passes("/live/1"))
            // Half a file changes nothing, nor does a list that is none.
            try folder.write(#"{"keys":{"paths":["\#(Self.other)""#, to: "c.json")
            await service.service.reload()
            #expect(try await service.passes("/live/1"))
            let keyFiles = sessions.map { "\"\($0)\"" }.joined(separator: ",")
            let noList = #"{"keys":{"paths":"\#(Self.other)"},"sessions":{"keyFiles":[\#(keyFiles)]}}"#
            try folder.write(noList, to: "c.json")
            await service.service.reload()
            #expect(try await service.passes("/live/1"))
            // The session key goes, and the issuer's key stays.
            _ = try write([Self.issuer, Self.other], [sessions[1]], fault)
            await service.service.reload()
            #expect(
                service.log.events("keys that were taken away or revoked are trusted no longer").last?.values["dropped"]
                    == "1")
            #expect(try await service.passes("/live/1"))
            _ = try write([Self.other], [sessions[1]], fault)
            await service.service.reload()
            #expect(service.log.text.contains("not reloaded"))
            #expect(try await service.passes("/live/1") == false)
            // Mended, it is as the settings say.
            _ = try write([Self.issuer, Self.other], sessions, "")
            await service.service.reload()
            #expect(try await service.passes("/live/1"))
        }
    }

    @Test func `A good file that has come since takes nothing away`() async throws {
        let folder = try Folder()
        let file = try folder.write(#"{"keys":{"paths":["old.pem"]},"log":{"level":"loud"}}"#, to: "c.json")
        let source = SettingsSource(file: file, environment: [:])
        let content = source.content()
        _ = try folder.write(#"{"keys":{"paths":["new.pem"]}}"#, to: "c.json")
        #expect(throws: ServiceSettingsError.self) { try source.settings(in: content) }
        #expect(source.admission(in: content).issuerFiles == ["old.pem"])
        #expect(source.admission(in: source.content()).issuerFiles == ["new.pem"])
    }

    /// Who misspells the name of a new file must not stop all plays.
    @Test(arguments: [true, false])
    func `A key that is replaced by a misspelt one stays`(_ isOnly: Bool) async throws {
        let folder = try Folder()
        let session = folder.path("session.key")
        let key = Data((0..<32).map { UInt8($0) })
        try key.write(to: URL(filePath: session))
        let write = { @Sendable (issuers: [String], session: String) in
            let list = issuers.map { "\"\($0)\"" }.joined(separator: ",")
            return try folder.write(
                #"{"keys":{"paths":[\#(list)]},"sessions":{"keyFiles":["\#(session)"]}}"#, to: "c.json")
        }
        let others = isOnly ? [] : [Self.other]
        let file = try write([Self.issuer] + others, session)
        try await RunningService.with(["keys.paths": ""], file: file) { service in
            #expect(try await service.passes("/live/1"))
            let new = folder.path("new.pem")
            _ = try write([new] + others, folder.path("nowhere.key"))
            await service.service.reload()
            #expect(try await service.passes("/live/1"))
            #expect(try await service.post("/v1/playback-sessions", "{}").code == "bad_request")
            #expect(service.log.text.contains("not reloaded") && service.log.text.contains("new.pem"))
            #expect(try await service.askInternal(request("GET", "/readyz")).status == 200)
            // The file arrives, by a rename as it should.
            try FileManager.default.copyItem(atPath: Self.issuer, toPath: folder.path(".new.pem"))
            try FileManager.default.moveItem(atPath: folder.path(".new.pem"), toPath: new)
            _ = try write([new] + others, session)
            await service.service.reload()
            #expect(try await service.passes("/live/1"))
            // As a list without keys is, and none at all.
            for paths in [#""paths":[]"#, ""] {
                try folder.write("{\"keys\":{\(paths)}}", to: "c.json")
                await service.service.reload()
                #expect(try await service.passes("/live/1") == false, "\(paths)")
                _ = try write([new] + others, session)
                await service.service.reload()
                #expect(try await service.passes("/live/1"))
            }
        }
    }

    /// A rename leaves no moment without the file.
    @Test func `A key file that is replaced by renaming stays`() async throws {
        let folder = try Folder()
        let key = try folder.write(try Self.text(Self.issuer), to: "a.pem")
        let file = try folder.write(#"{"keys":{"paths":["\#(key)"]}}"#, to: "c.json")
        try await RunningService.with(["keys.paths": ""], file: file) { service in
            for text in [try Self.text(Self.issuer), "\n" + (try Self.text(Self.issuer)), "half a key"] {
                let new = try folder.write(text, to: ".a.pem")
                try await run("mv", new, key)
                await service.service.reload()
                #expect(try await service.passes("/live/1") == (text != "half a key"), "\(text)")
            }
        }
    }

    @Test func `Sessions that are taken out of the settings end also beside a fault`() async throws {
        let folder = try Folder()
        let session = try folder.write(String(repeating: "5ec2e7", count: 8), to: "session.key")
        let write = { @Sendable (text: String) in try folder.write(text, to: "c.json") }
        let good = #"{"sessions":{"keyFiles":["\#(session)"]}}"#
        let status = { @Sendable (service: RunningService) in
            let body = #"{"token":"\#(try RunningService.token())","requestor":null,"resource":null}"#
            return try await service.post("/v1/playback-sessions", body).status
        }
        try await RunningService.with(file: try write(good)) { service in
            #expect(try await status(service) == 200)
            // The name may be the misspelt one, so nothing is known of it; nor is it of a value of another type.
            for slip in [
                #"{"sessions":{"keyFile":["\#(session)"]}}"#, #"{"sessions":{"keyFiles":"\#(session)"}}"#,
                #"{"session":{"keyFiles":["\#(session)"]}}"#, "{",
            ] {
                _ = try write(slip)
                await service.service.reload()
                #expect(try await status(service) == 200, "\(slip)")
            }
            _ = try write(#"{"limits":{"batches":"many"}}"#)
            await service.service.reload()
            #expect(try await service.post("/v1/playback-sessions", "{}").code == "no_keys")
            // What is dropped is told once.
            await service.service.reload()
            let told = service.log.events("keys that were taken away or revoked are trusted no longer")
            #expect(told.map { $0.values["dropped"] } == ["1"])
            _ = try write(good)
            await service.service.reload()
            #expect(try await status(service) == 200)
        }
    }

    /// What a test needed is not admitted any more, although something else is wrong.
    @Test(
        arguments: [
            (#""keys":{"acceptPublishedTestKeys":true}"#, nil),
            (#""verification":{"acceptLegacySHA1":true}"#, TestTokenFault.sha1),
        ] as [(String, TestTokenFault?)])
    func `What was admitted for a test is not beside a fault`(_ setting: String, _ fault: TestTokenFault?) async throws
    {
        let folder = try Folder()
        let write = { @Sendable (text: String) in try folder.write("{\(text)}", to: "c.json") }
        let passes = { @Sendable (service: RunningService) in
            let token = try RunningService.token(fault: fault)
            return try await service.authorize(["X-Media-Token: \(token)"]).status == 200
        }
        let wrong = #""limits":{"batches":"many"}"#
        let changes = fault == nil ? ["keys.acceptPublishedTestKeys": ""] : [:]
        try await RunningService.with(changes, file: try write(setting)) { service in
            #expect(try await passes(service))
            _ = try write("\(setting),\(wrong)")
            await service.service.reload()
            #expect(try await passes(service), "the fault alone changes nothing")
            _ = try write(setting.replacing("true", with: #""no""#))
            await service.service.reload()
            #expect(try await passes(service), "of a value that is wrong nothing is known")
            _ = try write("\(setting.replacing("true", with: "false")),\(wrong)")
            await service.service.reload()
            #expect(try await passes(service) == false)
            _ = try write(setting)
            await service.service.reload()
            #expect(try await passes(service))
        }
    }

    @Test func `A revoked key is never trusted`() async throws {
        let folder = try Folder()
        let write = { @Sendable (revoked: [String], rest: String) in
            let list = revoked.map { "\"\($0)\"" }.joined(separator: ",")
            return try folder.write(#"{"keys":{"revoked":[\#(list)]}\#(rest)}"#, to: "c.json")
        }
        let file = try write([], "")
        let changes = ["keys.paths": "\(Self.issuer),\(Self.other)"]
        try await RunningService.with(changes, file: file) { service in
            #expect(try await service.passes("/live/1"))
            _ = try write([Self.fingerprint.uppercased()], "")
            await service.service.reload()
            #expect(try await service.passes("/live/1") == false)
            _ = try write([], "")
            await service.service.reload()
            #expect(try await service.passes("/live/1"))
            // It applies although the same file has a fault.
            _ = try write([Self.fingerprint, "no fingerprint"], #","limits":{"batches":"many"}"#)
            await service.service.reload()
            #expect(try await service.passes("/live/1") == false)
            #expect(service.log.text.contains("not reloaded"))
        }
        #expect(await faults(["keys.revoked": "12,34"]) == ["keys.revoked bad_value", "keys.revoked bad_value"])
        #expect(await faults(["keys.revoked": Self.fingerprint]) == ["keys.paths no_key"])
    }

    /// As openssl and people write it, and beside what is none.
    @Test(arguments: [
        #"["COLONS"]"#, #"["\t FINGERPRINT \n"]"#, #"["", "FINGERPRINT"]"#, #"[7, "FINGERPRINT"]"#, #""FINGERPRINT""#,
        #"["no fingerprint", "FINGERPRINT"]"#,
    ])
    func `A fingerprint is read as people write it`(_ list: String) async throws {
        let bytes = stride(from: 0, to: 64, by: 2).map { Self.fingerprint.dropFirst($0).prefix(2).uppercased() }
        let folder = try Folder()
        let file = try folder.write("{}", to: "c.json")
        let revoked = list.replacing("COLONS", with: bytes.joined(separator: ":"))
            .replacing("FINGERPRINT", with: Self.fingerprint)
        let changes = ["keys.paths": "\(Self.issuer),\(Self.other)"]
        try await RunningService.with(changes, file: file) { service in
            #expect(try await service.passes("/live/1"))
            try folder.write(#"{"keys":{"revoked":\#(revoked)}}"#, to: "c.json")
            await service.service.reload()
            #expect(try await service.passes("/live/1") == false, "\(revoked)")
        }
    }

    @Test func `A refused configuration is not ready after its grace time`() async throws {
        let folder = try Folder()
        let file = try folder.write("{}", to: "c.json")
        let time = ManualTime(at: .now)
        let changes = ["readiness.refusedGraceSeconds": "600"]
        try await RunningService.with(changes, file: file, time: time.source) { service in
            let isReady = { try await service.askInternal(request("GET", "/readyz")).status == 200 }
            try folder.write("{", to: "c.json")
            await service.service.reload()
            #expect(try await isReady())
            time.advance(by: .seconds(599))
            await service.service.reload()
            #expect(try await isReady())
            time.advance(by: .seconds(1))
            #expect(try await isReady() == false)
            let text = try await service.askInternal(request("GET", "/readyz")).text
            #expect(text.contains("configuration_refused"))
            try folder.write("{}", to: "c.json")
            await service.service.reload()
            #expect(try await isReady())
        }
    }

    // MARK: Keys that everybody has

    @Test func `Published test keys are refused`() async throws {
        let plain = ["keys.acceptPublishedTestKeys": ""]
        #expect(await faults(plain) == ["keys.paths published_test_key"])
        // In whatever form the key comes.
        let certificate = ["keys.paths": Vectors.key("test-only-issuer-2048.cert-v3.pem")]
        #expect(await faults(plain.merging(certificate) { $1 }) == ["keys.paths published_test_key"])
        for file in ["test-only-other-2048.pkcs8.pem", "p256/test-only-other.pkcs8.pem"] {
            let session = ["sessions.keyFiles": Vectors.key(file)]
            #expect(await faults(plain.merging(session) { $1 }).contains("sessions.keyFiles published_test_key"))
        }
        let folder = try Folder()
        try await run("openssl", "genrsa", "-out", folder.path("own.pem"), "2048")
        try await run("openssl", "pkey", "-in", folder.path("own.pem"), "-pubout", "-out", folder.path("public.pem"))
        #expect(await faults(plain.merging(["keys.paths": folder.path("public.pem")]) { $1 }) == [])
    }

    // MARK: Files that others may have written

    @Test func `Files that every user may change are refused`() async throws {
        let folder = try Folder()
        let key = try folder.write(try Self.text(Self.issuer), to: "issuer.pem")
        let secret = try folder.write(String(repeating: "s", count: 40), to: "session.key")
        let changes = ["keys.paths": key, "sessions.keyFiles": secret]
        #expect(await faults(changes) == [])
        for (file, setting) in [(key, "keys.paths"), (secret, "sessions.keyFiles")] {
            try FileManager.default.setAttributes([.posixPermissions: 0o646], ofItemAtPath: file)
            #expect(await faults(changes).contains("\(setting) foreign_file"), "\(file)")
            try FileManager.default.setAttributes([.posixPermissions: 0o664], ofItemAtPath: file)
            #expect(await faults(changes) == [], "a group may write, as on shared volumes")
        }
    }

    @Test func `Settings that every user may change are refused, and nothing in them counts`() async throws {
        let folder = try Folder()
        let file = try folder.write("{}", to: "c.json")
        try await RunningService.with(file: file) { service in
            try folder.write(#"{"keys":{"revoked":["\#(Self.fingerprint)"]}}"#, to: "c.json")
            try FileManager.default.setAttributes([.posixPermissions: 0o646], ofItemAtPath: file)
            await service.service.reload()
            #expect(try await service.passes("/live/1"))
            #expect(service.log.text.contains("foreign_file"))
        }
        #expect(await faults([:], file: file) == ["\(file) foreign_file"])
    }

    @Test(.enabled(if: geteuid() == 0, "only root makes files of other users"))
    func `Strangers' files in shared folders are refused`() async throws {
        let folder = try Folder()
        let key = try folder.write(try Self.text(Self.issuer), to: "issuer.pem")
        try FileManager.default.setAttributes([.ownerAccountID: 4711], ofItemAtPath: key)
        #expect(await faults(["keys.paths": key]) == [])
        try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: folder.url.path)
        #expect(await faults(["keys.paths": key]) == ["keys.paths foreign_file"])
    }

    @Test func `A check tells of open secrets and other mistakes`() async throws {
        let folder = try Folder()
        let secret = try folder.write(String(repeating: "s", count: 40), to: "session.key")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: secret)
        let rules = "/live/* A,/live/1/* B,/vod/{resource} {resource},/vod/x X,/news/x N"
        var changes = ["sessions.keyFiles": secret, "authz.resources": rules]
        #if Redis
        changes["store.address"] = "redis://no-such-host.invalid:6379"
        #endif
        let check = try await ServeProcess.check(changes)
        #expect(check.exitCode == 0)
        #expect(check.error.contains("open_secret") && check.error.contains("session.key"))
        // Each is said once, as text and with its code.
        #expect(check.error.components(separatedBy: "unreachable_rule").count == 3)
        #expect(check.error.components(separatedBy: "no path reaches").count == 3, "\(check.error)")
        #expect(check.error.components(separatedBy: "session.key").count == 2, "\(check.error)")
        #expect(check.error.contains("rule 2") && check.error.contains("rule 4"))
        #if Redis
        #expect(check.error.contains("unresolvable_host"))
        #expect(!check.error.contains("no-such-host"), "an address may have a password in it")
        #endif
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: secret)
        let good = try await ServeProcess.check(["sessions.keyFiles": secret])
        #expect(good.exitCode == 0 && good.error.isEmpty, "\(good.error)")
    }

    @Test func `A check tells of doors that are open, and does not say that nothing is wrong`() async throws {
        let folder = try Folder()
        let secret = try folder.write(String(repeating: "s", count: 40), to: "session.key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret)
        var changes = [
            "internal.host": "0.0.0.0", "sessions.keyFiles": secret, "sessions.corsCredentials": "true",
            "sessions.corsOrigins": "http://play.example.org",
        ]
        let check = try await ServeProcess.check(changes)
        #expect(check.exitCode == 0)
        #expect(check.error.contains("internal.host: lets other hosts connect"), "\(check.error)")
        #expect(check.error.contains("open_internal") && check.error.contains("plain_origin"), "\(check.error)")
        #expect(check.output == "no fault in configuration, keys and store, and 2 warnings\n")
        changes["internal.host"] = nil
        changes["sessions.corsOrigins"] = "http://localhost:3000,https://play.example.org"
        let good = try await ServeProcess.check(changes)
        #expect(good.error.isEmpty && good.output.hasPrefix("nothing is wrong"), "\(good.error)")
    }

    @Test func `A check tells what clients decide unless the proxy does`() async throws {
        let unset = try await ServeProcess.check(["authz.uri": ""])
        #expect(unset.exitCode == 0)
        #expect(unset.error.components(separatedBy: "client_decides").count == 2, "\(unset.error)")
        #expect(unset.error.contains("authz.uri: is not set"))
        let named = try await ServeProcess.check([
            "authz.requestors": "", "authz.requestorHeader": "X-Brand", "authz.resources": "",
            "authz.resourceHeader": "X-Channel", "public.host": "0.0.0.0",
        ])
        #expect(named.exitCode == 0)
        #expect(named.error.components(separatedBy: "client_decides").count == 3, "\(named.error)")
        for words in [
            "authz.requestorHeader: the proxy must set X-Brand", "authz.resourceHeader: the proxy must set X-Channel",
        ] {
            #expect(named.error.contains(words), "\(named.error)")
        }
        #expect(named.error.components(separatedBy: "nothing else may reach public.host").count == 3)
        #expect(!named.error.contains("authz.uri"))
    }

    /// Beside the proxy, a client that reaches the service writes the whole field, its last entry, too.
    @Test func `A check tells of client addresses if not only the proxy reaches the service`() async throws {
        let folder = try Folder()
        let field = [
            "sessions.keyFiles": try folder.write(String(repeating: "s", count: 40), to: "session.key"),
            "sessions.clientAddressHeader": "X-Forwarded-For",
        ]
        let open = try await ServeProcess.check(field.merging(["public.host": "0.0.0.0"]) { $1 })
        #expect(open.exitCode == 0)
        #expect(open.error.components(separatedBy: "client_decides").count == 2, "\(open.error)")
        let words = "sessions.clientAddressHeader: the proxy must set x-forwarded-for"
        #expect(open.error.lowercased().contains(words.lowercased()), "\(open.error)")
        #expect(open.error.contains("nothing else may reach public.host"))
        #expect(open.error.contains("clients choose the address they come from"))
        let alone = try await ServeProcess.check(field)
        #expect(alone.exitCode == 0 && !alone.error.contains("client_decides"), "\(alone.error)")
    }

    /// The log of a service says it once, at the start.
    @Test func `The log tells what clients decide`() async throws {
        try await RunningService.with(["authz.uri": ""]) { service in
            try await service.until {
                $0.log.text.components(separatedBy: "authz.uri: is not set").count == 2
            }
            await service.service.reload()
            #expect(service.log.text.components(separatedBy: "authz.uri: is not set").count == 2)
        }
    }

    /// What is not known is not reported as missing.
    @Test func `Of a file that is no JSON only that is said`() async throws {
        let folder = try Folder()
        let file = try folder.write(#"{"keys": {"paths": ["/x"]},}"#, to: "c.json")
        let nothing = RunningService.settings.mapValues { _ in "" }
        #expect(await faults(nothing, file: file) == ["\(file) not_json"])
        #expect(await faults(nothing, file: folder.path("missing")) == ["\(folder.path("missing")) no_such_file"])
    }

    @Test func `A listener that cannot open says where`() async throws {
        let first = try await ServeProcess([:])
        let second = try await ServeProcess.refused(["public.port": "\(first.publicPort)", "internal.port": "0"])
        #expect(second.exitCode == 69)
        #expect(second.error.contains("public listener"))
        #expect(second.error.contains("127.0.0.1:\(first.publicPort): Address already in use (errno: "))
    }
}
#endif
