#if Service
import EntitlementValues
import Foundation
import NIOCore
import Synchronization
import TVEService
import TVETesting
import TestVectors
import Testing

/// A request to decrypt, as a program sends it.
func decryption(
    _ body: String,
    host: String = "localhost",
    fields: [String] = ["Content-Type: application/json"]
) -> [UInt8] {
    let bytes = request("POST", "/v1/user-metadata/decrypt", fields: fields, body: Array(body.utf8))
    let text = String(decoding: bytes, as: UTF8.self)
    return Array(text.replacing("Host: localhost", with: "Host: \(host)").utf8)
}

/// Who may have user metadata decrypted, and how often it may fail.
@Suite struct DecryptionListenerTests {
    private static let keys = Vectors.key("test-only-other-2048.pkcs8.pem")
    /// Sends its second argument to the Unix socket that is the first.
    private static let client = """
        import socket, sys
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(sys.argv[1])
            connection.sendall(sys.argv[2].encode())
            while piece := connection.recv(65536):
                sys.stdout.write(piece.decode())
        """
    private static let json = ["Content-Type: application/json"]

    private func body(_ text: String = #"["94105"]"#) async throws -> String {
        #"{"value":"\#(try await encrypted(text))"}"#
    }

    /// A page whose name leads to this host, or that sends a form, must not have values decrypted.
    @Test func `Requests of web pages are refused`() async throws {
        let body = try await body()
        try await RunningService.with(["decryption.paths": Self.keys]) { service in
            let ask = { (bytes: [UInt8]) in try await service.askInternal(bytes) }
            let port = service.internalPort
            for host in ["localhost", "localhost:\(port)", "127.0.0.1:\(port)", "[::1]:\(port)", "127.1.2.3"] {
                #expect(try await ask(decryption(body, host: host)).status == 200, "\(host)")
            }
            for host in ["evil.example", "evil.example:\(port)", "127.0.0.1.evil.example", "localhost.evil.example"] {
                let answer = try await ask(decryption(body, host: host))
                #expect(answer.status == 403 && answer.code == "foreign_page", "\(host)")
            }
            for field in ["Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"] {
                #expect(try await ask(decryption(body, fields: Self.json + [field])).status == 403, "\(field)")
            }
            for fields in [[], ["Content-Type: text/plain"], ["Content-Type: application/x-www-form-urlencoded"]] {
                let answer = try await ask(decryption(body, fields: fields))
                #expect(answer.status == 415 && answer.code == "unsupported_media_type", "\(fields)")
            }
            let charset = ["Content-Type: application/json; charset=utf-8"]
            #expect(try await ask(decryption(body, fields: charset)).status == 200)
        }
        try await RunningService.with(["sessions.keyFiles": try sessionKey(), "sessions.store": "memory:"]) {
            service async throws in
            let revoke = { (fields: [String]) in
                try await service.askInternal(
                    request(
                        "POST", "/v1/playback-sessions/revoke", fields: fields,
                        body: Array(#"{"subscriber":"x"}"#.utf8)))
            }
            #expect(try await revoke([]).status == 200)
            #expect(try await revoke(["Origin: http://evil.example"]).status == 403)
        }
    }

    @Test func `A listener of its own takes nothing else`() async throws {
        let body = try await body()
        try await RunningService.with(["decryption.paths": Self.keys, "decryption.port": "0"]) { service in
            let port = try #require(service.decryptionPort)
            #expect(try await service.askInternal(decryption(body)).status == 404)
            #expect(try await RunningService.ask(port, decryption(body)).status == 200)
            for path in ["/metrics", "/readyz", "/", "/v1/playback-sessions/revoke", "/v1/authz"] {
                #expect(try await RunningService.ask(port, request("GET", path)).status == 404, "\(path)")
            }
            #expect(try await RunningService.ask(port, decryption(body, host: "evil.example")).status == 403)
        }
    }

    @Test func `A socket is reached through its file`() async throws {
        let folder = try Folder()
        let path = folder.path("decrypt.sock")
        for _ in 0..<2 {
            // The second time there is the file of the first.
            try await RunningService.with(["decryption.paths": Self.keys, "decryption.socket": path]) { service in
                #expect(service.decryptionPort == 0)
                let text = String(decoding: decryption(try await body()), as: UTF8.self)
                let answer = try await run("python3", "-c", Self.client, path, text)
                #expect(answer.contains("94105"))
                #expect(try await service.askInternal(decryption(try await body())).status == 404)
            }
        }
    }

    @Test func `The secret of the file is needed`() async throws {
        let folder = try Folder()
        let (secret, other) = (String(repeating: "s3", count: 16), String(repeating: "t4", count: 16))
        let file = try folder.write(secret + "\n", to: "secret")
        try await RunningService.with(["decryption.paths": Self.keys, "decryption.secretFile": file]) { service in
            let ask = { (fields: [String]) in
                try await service.askInternal(decryption(try await body(), fields: Self.json + fields))
            }
            #expect(try await ask(["Authorization: Bearer \(secret)"]).status == 200)
            for value in ["", "Bearer \(other)", "Basic \(secret)", "Bearer "] {
                let fields = value.isEmpty ? [] : ["Authorization: \(value)"]
                let answer = try await ask(fields)
                #expect(answer.status == 401 && answer.code == "unauthorized", "\(fields)")
                #expect(!answer.text.contains(secret))
            }
            // Another secret is taken up by a reload.
            try folder.write(other, to: "secret")
            await service.service.reload()
            #expect(try await ask(["Authorization: Bearer \(other)"]).status == 200)
            #expect(try await ask(["Authorization: Bearer \(secret)"]).status == 401)
            #expect(!service.log.text.contains(secret))
        }
    }

    /// As with keys, an operator who takes a secret away need not mend first what else is wrong.
    @Test func `A secret that is taken away admits nobody`() async throws {
        let (folder, keys) = (try Folder(), try Folder())
        let (secret, other) = (String(repeating: "s3", count: 16), String(repeating: "t4", count: 16))
        let file = try folder.write(secret, to: "secret")
        try keys.write(try String(contentsOfFile: Self.keys, encoding: .utf8), to: "a.pem")
        let changes = ["decryption.paths": keys.url.path, "decryption.secretFile": file]
        try await RunningService.with(changes) { service in
            let status = { (text: String) in
                try await service.askInternal(
                    decryption(try await body(), fields: Self.json + ["Authorization: Bearer \(text)"])
                ).status
            }
            try keys.write("half a key", to: "b.pem")
            await service.service.reload()
            #expect(try await status(secret) == 200, "a bad file changes nothing")
            try folder.write(other, to: "secret")
            await service.service.reload()
            for text in [secret, other, ""] { #expect(try await status(text) == 503) }
            try FileManager.default.removeItem(atPath: keys.path("b.pem"))
            await service.service.reload()
            #expect(try await status(other) == 200)
            try keys.write("half a key", to: "b.pem")
            try FileManager.default.removeItem(atPath: file)
            await service.service.reload()
            for text in [other, ""] { #expect(try await status(text) == 503) }
        }
    }

    /// The file with the secret in use is still there, and the settings name another one.
    @Test func `A secret in a file that is not named any more admits nobody`() async throws {
        let folder = try Folder()
        let (secret, other) = (String(repeating: "s3", count: 16), String(repeating: "t4", count: 16))
        let files = try [
            folder.write(secret, to: "one"), folder.write(other, to: "two"), folder.write(secret, to: "copy"),
        ]
        let write = { @Sendable (path: String, rest: String) in
            try folder.write(#"{"decryption":{"secretFile":"\#(path)"}\#(rest)}"#, to: "c.json")
        }
        let wrong = #","limits":{"batches":"many"}"#
        try await RunningService.with(["decryption.paths": Self.keys], file: try write(files[0], "")) { service in
            let status = { (text: String) in
                try await service.askInternal(
                    decryption(try await body(), fields: Self.json + ["Authorization: Bearer \(text)"])
                ).status
            }
            // One with the same secret changes nothing.
            _ = try write(files[2], wrong)
            await service.service.reload()
            #expect(try await status(secret) == 200)
            // Nor does a file that is not there, whose name may be misspelt.
            _ = try write(folder.path("nowhere"), wrong)
            await service.service.reload()
            #expect(try await status(secret) == 200)
            _ = try write(files[1], wrong)
            await service.service.reload()
            for text in [secret, other, ""] { #expect(try await status(text) == 503) }
            _ = try write(files[0], "")
            await service.service.reload()
            #expect(try await status(secret) == 200)
            // So does a setting that is left out, unless it may be the misspelt one.
            try folder.write(#"{"decryption":{"secretfile":"x"}\#(wrong)}"#, to: "c.json")
            await service.service.reload()
            #expect(try await status(secret) == 200)
            try folder.write(#"{"limits":{"batches":"many"}}"#, to: "c.json")
            await service.service.reload()
            for text in [secret, ""] { #expect(try await status(text) == 503) }
            _ = try write(files[1], "")
            await service.service.reload()
            #expect(try await status(other) == 200)
        }
    }

    @Test func `Who may connect must be limited`() async throws {
        let open = ["decryption.paths": Self.keys, "internal.host": "0.0.0.0"]
        for (changes, setting) in [
            (open, "decryption.paths"),
            (["decryption.paths": Self.keys, "decryption.port": "0", "decryption.host": "0.0.0.0"], "decryption.host"),
            (["decryption.paths": Self.keys, "decryption.port": "0", "decryption.socket": "/x"], "decryption.port"),
            (["decryption.paths": Self.keys, "decryption.host": "127.0.0.1"], "decryption.host"),
            (["decryption.port": "0"], "decryption.port"), (["decryption.secretFile": "/x"], "decryption.secretFile"),
        ] {
            let error = await #expect(throws: ServiceSettingsError.self) { try await RunningService.service(changes) }
            #expect(error?.faults.contains { $0.setting == setting && $0.code == "conflict" } == true, "\(changes)")
        }
        let short = try Folder().write("short", to: "secret")
        let error = await #expect(throws: ServiceSettingsError.self) {
            try await RunningService.service(["decryption.paths": Self.keys, "decryption.secretFile": short])
        }
        #expect(error?.faults.map(\.setting) == ["decryption.secretFile"])
        _ = try await RunningService.service(open.merging(["decryption.port": "0"]) { $1 })
    }

    /// All failures together are answered ten a second, and who is right does not wait.
    @Test func `Failures are slowed down`() async throws {
        let time = ManualTime(at: .now)
        try await RunningService.with(["decryption.paths": Self.keys], time: time.source) { service in
            let bad = decryption(#"{"value":"AAAA"}"#)
            for _ in 0..<10 { #expect(try await service.askInternal(bad).code == "wrong_length") }
            async let eleventh = service.askInternal(bad)
            try await eventually { time.sleepers > Self.sleepersOfTheService }
            #expect(try await service.askInternal(decryption(try await body())).status == 200)
            time.advance(by: .milliseconds(100))
            #expect(try await eleventh.code == "wrong_length")
        }
    }

    /// Many failures at once must not fill the service with requests that wait.
    @Test func `While many failures wait others are sent away`() async throws {
        let time = ManualTime(at: .now)
        try await RunningService.with(["decryption.paths": Self.keys], time: time.source) { service in
            let bad = decryption(#"{"value":"AAAA"}"#)
            for _ in 0..<10 { #expect(try await service.askInternal(bad).code == "wrong_length") }
            try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<50 { group.addTask { try await service.askInternal(bad).code } }
                try await eventually { time.sleepers >= Self.sleepersOfTheService + 50 }
                let sentAway = try await service.askInternal(bad)
                #expect(sentAway.status == 429 && sentAway.code == "too_many_failures", "\(sentAway.text)")
                #expect(try await service.askInternal(decryption(try await body())).status == 429)
                time.advance(by: .seconds(5))
                for try await code in group { #expect(code == "wrong_length") }
            }
            #expect(try await service.askInternal(decryption(try await body())).status == 200)
        }
    }

    /// Else as many could fail at once as there are connections whose bodies come last.
    @Test func `A request whose body comes slowly is sent away if many have failed meanwhile`() async throws {
        let time = ManualTime(at: .now)
        let settings = ["decryption.paths": Self.keys, "limits.requestSeconds": "120"]
        try await RunningService.with(settings, time: time.source) { service in
            let bad = decryption(#"{"value":"AAAA"}"#)
            let isFull = Mutex(false)
            let slow = Task {
                try await RawConnection.to(service.internalPort) { inbound, outbound in
                    try await outbound.write(ByteBuffer(bytes: bad.dropLast()))
                    try await eventually { isFull.withLock { $0 } }
                    try await outbound.write(ByteBuffer(bytes: bad.suffix(1)))
                    return await RawConnection.read(inbound)
                }
            }
            try await eventually { try await service.metrics().contains("tve_requests_in_flight 2") }
            for _ in 0..<10 { #expect(try await service.askInternal(bad).code == "wrong_length") }
            try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<50 { group.addTask { try await service.askInternal(bad).code } }
                try await eventually { time.sleepers >= Self.sleepersOfTheService + 50 }
                isFull.withLock { $0 = true }
                let answer = try #require(Answer.all(in: try await slow.value).first)
                #expect(answer.status == 429 && answer.code == "too_many_failures", "\(answer.text)")
                time.advance(by: .seconds(5))
                for try await code in group { #expect(code == "wrong_length") }
            }
        }
    }

    /// Strangers who try out secrets do not delay clients that know it.
    @Test func `Wrong secrets do not shut out the right one`() async throws {
        let (folder, time) = (try Folder(), ManualTime(at: .now))
        let secret = String(repeating: "s3", count: 16)
        let settings = ["decryption.paths": Self.keys, "decryption.secretFile": try folder.write(secret, to: "secret")]
        try await RunningService.with(settings, time: time.source) { service in
            let wrong = decryption(try await body(), fields: Self.json + ["Authorization: Bearer wrong"])
            let right = decryption(try await body(), fields: Self.json + ["Authorization: Bearer \(secret)"])
            let bad = decryption(
                #"{"value":"AAAA"}"#, fields: Self.json + ["Authorization: Bearer \(secret)"])
            for _ in 0..<10 { #expect(try await service.askInternal(wrong).status == 401) }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 { group.addTask { try await service.askInternal(wrong).status } }
                try await eventually { time.sleepers >= Self.sleepersOfTheService + 50 }
                #expect(try await service.askInternal(wrong).status == 429)
                #expect(try await service.askInternal(right).status == 200)
                #expect(try await service.askInternal(bad).code == "wrong_length")
                time.advance(by: .seconds(5))
                for try await status in group { #expect(status == 401) }
            }
        }
    }

    /// The service itself waits for its next check of files.
    private static let sleepersOfTheService = 1

    private func sessionKey() throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "tve-\(UUID().uuidString).key").path
        try Data((0..<32).map { UInt8($0) }).write(to: URL(filePath: file))
        return file
    }
}
#endif
