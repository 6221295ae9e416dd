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
