import Foundation
import Testing
#if CLI && Client
import SealedRecords
import tve
#endif

/// A file that does not exist has one code and one exit code, in every command.
@Suite struct MissingFileTests {
    private static let sign = ["--key", Tool.privateKey]

    @Test(arguments: [
        ["verify", "-", "--keys", "nowhere.pem", "--any-requestor", "--any-resource"],
        ["decrypt", "-", "--keys", "nowhere.pem"],
        ["decrypt", "--batch", "--keys", Tool.privateKey, "--field", "zip", "--pseudonymise", "nowhere.key"],
        ["issue", "media-token", "--key", "nowhere.pem", "--requestor", "A", "--resource", "B"],
        ["sign", "requestor-id", "A", "--key", Tool.privateKey, "--password-file", "nowhere"],
        ["sign", "check", "A", "--signature", "AAAA", "--keys", "nowhere.pem"],
        [
            "sign", "clientless", "--secret-file", "nowhere", "--public-key", "K", "--method", "GET", "--uri", "/a",
            "--requestor", "A",
        ],
        [
            "session", "issue", "--key", "nowhere.pem", "--requestor", "A", "--resource", "B", "--mvpd", "C",
            "--subscriber", "D",
        ],
        ["session", "verify", "-", "--keys", "nowhere.pem", "--any-requestor", "--any-resource"],
        ["session", "keys", "nowhere.pem"],
        ["keys", "convert", "nowhere.pem"], ["keys", "match", "nowhere.pem", Tool.privateKey],
        ["keys", "match", Tool.publicKey, "nowhere.pem"],
        ["keys", "convert", Tool.privateKey, "--private", "--new-password-file", "nowhere"],
        ["ttl", "list", "--state", "nowhere.sqlite"],
        ["resource", "match", "<rss><channel><title>A</title></channel></rss>", "nowhere.xml"],
        ["devices", "list", "--store", "sqlite:nowhere.sqlite"],
        ["devices", "keys", "new.keys", "--from", "nowhere.keys"],
        ["speed", "verify", "--key", "nowhere.pem"],
        ["keys", "inspect", Tool.publicKey, "--password-env", "TVE_NOWHERE"],
    ])
    func `Is reported alike`(_ arguments: [String]) async throws {
        // These two write text alone.
        let form = ["convert", "media-token"].contains(arguments[1]) ? [] : ["--output", "json"]
        let outcome = try await Tool.run(arguments + form, environment: ["TVE_NOWHERE": "nowhere.txt"])
        #expect(outcome.exitCode == 66, "\(outcome.error)")
        #expect(outcome.error.contains("no_such_file"), "\(outcome.error)")
        #expect(outcome.output.isEmpty)
        #expect(!outcome.error.contains("No such file"))
    }

    // MARK: Secrets in the place of a name

    /// What people paste: a key, a part of one, a secret in hexadecimal digits and in Base64, a ring, a token.
    private static let secrets: [String] = [
        (try? String(contentsOfFile: Tool.privateKey, encoding: .utf8)) ?? "",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEA",
        "5ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2",
        "Xr9/5ec2e7+sT0kWmJ7Yk3yN1bq5f0aVhPz2c8dLr4o=",
        "tve-sealing-keys 1\nindex 5ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2",
        "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiI1ZWMyZTcifQ.c2lnbmF0dXJl", #"{"kty":"oct","k":"NWVjMmU3NWVjMmU3"}"#,
    ]

    /// Each option that names a file with a secret, or a key, at the end of its command line; the option that the error names.
    private static let secretFiles: [([String], String?)] = {
        let session = ["--requestor", "A", "--resource", "B", "--mvpd", "C", "--subscriber", "D"]
        let edge = ["session", "issue", "--path", "/live/", "--form"]
        let anything = ["--any-requestor", "--any-resource"]
        var all: [([String], String?)] = [
            (["verify", "-"] + anything + ["--keys"], "--keys"), (["decrypt", "-", "--keys"], "--keys"),
            (["decrypt", "--batch", "--field", "zip", "--keys"], "--keys"),
            (["decrypt", "--batch", "--keys", Tool.privateKey, "--field", "zip", "--pseudonymise"], "--pseudonymise"),
            (["issue", "media-token", "--requestor", "A", "--resource", "B", "--key"], "--key"),
            (["sign", "requestor-id", "A", "--key"], "--key"),
            (["sign", "check", "A", "--signature", "AAAA", "--keys"], "--keys"),
            (
                [
                    "sign", "clientless", "--public-key", "K", "--method", "GET", "--uri", "/a", "--requestor", "A",
                    "--secret-file",
                ], "--secret-file"
            ),
            (["session", "issue"] + session + ["--key"], "--key"), (edge + ["legacy-link", "--key"], "--key"),
            (edge + ["edge-token", "--key"], "--key"),
            (["session", "verify", "-"] + anything + ["--keys"], "--keys"), (["session", "keys"], nil),
            (["session", "keys", "--form", "edge-token"], nil), (["keys", "convert"], nil),
            (["keys", "match", Tool.publicKey], nil), (["keys", "inspect"], nil), (["doctor", "--keys"], nil),
            (["doctor", "--key"], nil), (["speed", "verify", "--key"], nil),
            (["devices", "keys", "new.keys", "--from"], "--from"), (["ttl", "list", "--state"], nil),
            (["keys", "inspect", Tool.privateKey, "--password-file"], "--password-file"),
            (["keys", "inspect", Tool.privateKey, "--password-env"], "--password-env"),
            (["keys", "convert", Tool.privateKey, "--private", "--new-password-file"], "--new-password-file"),
        ]
        #if Redis
        let verify = ["verify", "-", "--keys", Tool.publicKey] + anything + ["--redeem", "rediss://127.0.0.1:1"]
        let devices = ["devices", "list", "--store", "rediss://127.0.0.1:1"]
        for (command, option) in [(verify, "--redeem"), (devices, "--store")] {
            for file in ["ca", "password"] {
                all.append((command + ["\(option)-\(file)-file"], "\(option)-\(file)-file"))
            }
            let certificate = ["\(option)-certificate-file", Tool.publicKey]
            all.append((command + certificate + ["\(option)-key-file"], "\(option)-key-file"))
        }
        #endif
        #if Client
        let broker = [
            "broker", "providers", "--requestor", "A", "--at", "http://127.0.0.1:1", "--state", "/dev/null/x",
        ]
        all.append((broker + ["--statement"], "--statement"))
        #endif
        return all
    }()

    @Test(arguments: secretFiles) func `A secret in the place of a file's name is not shown`(
        _ arguments: [String], _ option: String?
    ) async throws {
        for (index, secret) in Self.secrets.enumerated() {
            // These two write text alone.
            let takesForm = arguments[1] != "convert" && arguments[1] != "media-token"
            let form = takesForm ? ["--output", index.isMultiple(of: 2) ? "json" : "text"] : []
            let outcome =
                if let last = arguments.last, last.hasPrefix("--") {
                    // With an equals sign, since a key begins with hyphens.
                    try await Tool.run(arguments.dropLast() + form + ["\(last)=\(secret)"])
                } else {
                    try await Tool.run(arguments + form + ["--", secret])
                }
            #expect(outcome.exitCode != 0, "\(arguments)")
            let said = outcome.output + outcome.error
            expectNothing(of: secret, in: said)
            if let option { #expect(said.contains(option), "\(arguments): \(said)") }
        }
    }

    /// Line ends are escaped in what is said, so each part of the secret is looked for.
    private func expectNothing(of secret: String, in said: String) {
        let parts = secret.split { !$0.isLetter && !$0.isNumber }.filter { $0.count > 10 }
        #expect(!parts.isEmpty)
        for part in parts { #expect(!said.contains(part), "\(said)") }
    }

    @Test func `A salt in the place of its file is not shown`() async throws {
        let folder = try TemporaryFolder()
        try folder.write(String(repeating: "0123456789abcdef", count: 4), to: folder.path("edge.key"))
        let arguments = [
            "session", "issue", "--path", "/live/", "--form", "edge-token", "--key", folder.path("edge.key"),
        ]
        for secret in Self.secrets {
            let outcome = try await Tool.run(arguments + ["--salt-file=\(secret)"])
            #expect(outcome.exitCode == 66 && outcome.error.contains("--salt-file"), "\(outcome.error)")
            expectNothing(of: secret, in: outcome.error)
        }
    }

    @Test func `A sealing key in the place of its file is not shown`() async throws {
        let sample = try await DeviceStoreSample()
        for secret in Self.secrets {
            let outcome = try await Tool.run([
                "devices", "show", "--store", sample.address, "--sealing-keys=\(secret)", "tv-0",
            ])
            #expect(outcome.exitCode == 66, "\(outcome.error)")
            #expect(
                outcome.error.hasPrefix("tve: --sealing-keys: (not shown): this is not the name of a file; "),
                "\(outcome.error)")
        }
    }

    @Test(arguments: [
        "hunter2 secret", "2hunter", "hunter-2", "5ec2e75ec2e75ec2e75ec2e75ec2e7a1", "c2VjcmV0IG9mIG1pbmUhISE5",
    ])
    func `A password in the place of a variable is not shown`(_ name: String) async throws {
        for form in ["text", "json"] {
            let outcome = try await Tool.run(
                ["doctor", "--key", Tool.privateKey, "--password-env", name, "--output", form])
            #expect(outcome.exitCode == 78)
            let said = outcome.output + outcome.error
            #expect(
                !said.contains(name) && said.contains("--password-env: (not shown): this is not the name of an env"))
        }
    }

    // MARK: Files that cannot be reached

    @Test(
        .enabled(if: geteuid() != 0, "root may look into every folder"),
        arguments: [["ttl", "list", "--state"], ["devices", "list", "--store"]])
    func `A store that may not be reached is not called missing`(_ arguments: [String]) async throws {
        let folder = try TemporaryFolder()
        let locked = folder.path("locked")
        try FileManager.default.createDirectory(atPath: locked, withIntermediateDirectories: false)
        try folder.setPermissions(0, of: locked)
        defer { try? folder.setPermissions(0o700, of: locked) }
        let path = "\(locked)/a.sqlite"
        let outcome = try await Tool.run(arguments + [arguments[0] == "ttl" ? path : "sqlite:\(path)"])
        #expect(outcome.exitCode == 78)
        #expect(outcome.error.contains("\(path) cannot be used: Permission denied;"), "\(outcome.error)")
        #expect(outcome.error.contains("[cannot_open]"))
    }

    #if Redis
    @Test(arguments: ["ca", "certificate", "key"])
    func `A file of an encrypted connection is named with its option`(_ missing: String) async throws {
        let verify = ["verify", "-", "--keys", Tool.publicKey, "--any-requestor", "--any-resource"]
        for (command, option) in [(verify, "--redeem"), (["devices", "list"], "--store")] {
            var arguments = command + [option, "rediss://127.0.0.1:1"]
            for file in ["ca", "certificate", "key"] {
                arguments += ["\(option)-\(file)-file", file == missing ? "/nowhere.pem" : Tool.privateKey]
            }
            let outcome = try await Tool.run(arguments)
            #expect(outcome.exitCode == 66, "\(outcome.error)")
            #expect(
                outcome.error
                    == "tve: \(option)-\(missing)-file: /nowhere.pem: no such file or folder [no_such_file]\n")
        }
    }
    #endif

    // MARK: Password files

    private static let redeemed = [
        "--redeem", "redis://127.0.0.1:1", "--redeem-password-file", "hunter2",
    ]

    /// The commands, each with the option at fault and its exit code.
    private static let passwords: [([String], String, Int32)] = {
        let ofKeys: [([String], String, Int32)] = [
            (["keys", "inspect", Tool.privateKey, "--password-file", "hunter2"], "--password-file", 66),
            (["keys", "inspect", Tool.privateKey, "--password-env", "TVE_NOWHERE"], "$TVE_NOWHERE", 66),
            (
                ["keys", "convert", Tool.privateKey, "--private", "--new-password-file", "hunter2"],
                "--new-password-file", 66
            ),
        ]
        #if Redis
        let verify = ["verify", "-", "--keys", Tool.publicKey, "--any-requestor", "--any-resource"]
        return ofKeys + [
            (verify + Self.redeemed, "--redeem-password-file", 66),
            // It lists what would fail, and that is one of them.
            (["doctor"] + Self.redeemed, "--redeem-password-file", 78),
            (
                ["devices", "list", "--store", "redis://127.0.0.1:1", "--store-password-file", "hunter2"],
                "--store-password-file", 66
            ),
        ]
        #else
        return ofKeys
        #endif
    }()

    /// Some give the password itself.
    @Test(arguments: passwords)
    func `A file of a password is named by its option alone`(
        _ arguments: [String], _ option: String, _ exitCode: Int32
    ) async throws {
        let outcome = try await Tool.run(arguments, environment: ["TVE_NOWHERE": "hunter2"])
        #expect(outcome.exitCode == exitCode, "\(outcome.error)")
        #expect(outcome.error.contains("tve: \(option): the file does not exist"), "\(outcome.error)")
        #expect(outcome.error.contains("[no_such_file]"), "\(outcome.error)")
        #expect(!outcome.error.contains("hunter2") && !outcome.output.contains("hunter2"))
    }

    #if Redis
    @Test(arguments: [
        (["devices", "list", "--store", "redis://127.0.0.1:1", "--store-password-file"], "--store-password-file"),
        (
            [
                "verify", "-", "--keys", Tool.publicKey, "--any-requestor", "--any-resource", "--redeem",
                "redis://127.0.0.1:1", "--redeem-password-file",
            ], "--redeem-password-file"
        ),
    ])
    func `A file of a password that cannot be read is named with its option`(
        _ arguments: [String], _ option: String
    ) async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Tool.run(arguments + [folder.url.path])
        #expect(outcome.exitCode == 78, "\(outcome.error)")
        #expect(outcome.error.contains("tve: \(option): \(folder.url.path): the password file: "), "\(outcome.error)")
    }
    #endif

    @Test func `Is reported alike where files are listed`() async throws {
        for arguments in [["keys", "inspect", "nowhere.pem"], ["doctor", "--keys", "nowhere.pem"]] {
            #expect(try await Tool.run(arguments).output.contains("nowhere.pem: no such file or folder [no_such_file]"))
        }
    }

    @Test func `A folder in place of a resource is not missing`() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Tool.run(["resource", "match", folder.url.path, "<rss/>"])
        #expect(outcome.exitCode == 74)
        #expect(outcome.error.contains("is a folder, not a file [io]"), "\(outcome.error)")
    }

    #if CLI && Client
    /// With other keys no record of the store would open, and a file of them would look like the one that was lost.
    @Test func `Keys that a store has just lost are not made anew`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("state.sqlite.keys")
        let failure = try #require(throws: CommandFailure.self) {
            _ = try BrokerState.keys(at: path, isNew: false)
        }
        #expect(failure.exitStatus == 66 && failure.code == "no_such_file")
        #expect(failure.detail == "--state: \(path): no such file or folder")
        #expect(!FileManager.default.fileExists(atPath: path))
        let made = try BrokerState.keys(at: path, isNew: true)
        for isNew in [true, false] {
            let kept = try BrokerState.keys(at: path, isNew: isNew)
            #expect(kept.isSame(as: made), "another process was first")
        }
    }
    #endif
}
