#if CLI
import ArgumentParser
import SealedRecords

struct DevicesKeys: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make a ring of keys that records of devices are sealed with.",
        discussion: """
            Examples:
              tve devices keys devices.keys
              tve devices keys --from devices.keys --id 2026-11 devices-new.keys

            The first makes a ring with one key, the second one that has a further key, which seals from now on. Only \
            the owner may read the file; a file that is there is not overwritten. Keep a copy: without the ring every \
            device has to register and sign in anew.

            Exit codes: 0 done; 64 usage; 66 no such file; 74 the file cannot be written; 78 the ring cannot be used.
            """
    )

    @Argument(help: "The file to make.", completion: .file())
    var file: String

    @Option(
        name: .long, help: ArgumentHelp("A ring whose keys the new one has, too.", valueName: "file"),
        completion: .file())
    var from: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The name of the new key: letters, digits, dots, hyphens and underscores.", valueName: "id"))
    var id = "1"

    @Option(name: .long, help: ArgumentHelp("The form of errors: text or json.", valueName: "form"))
    var output = OutputForm.text

    func run() throws {
        if let from { try CommandFailure.refuseMissing(from, of: "--from") }
        let ring = try concerning(file: from) {
            if let from { return try SealingKeys(contentsOfFile: from).addingKey(id: id) }
            return try SealingKeys.generate(id: id)
        }
        try concerning(file: file, exitCode: .io) { try ring.write(to: file) }
    }
}
#endif
