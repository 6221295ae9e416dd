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
