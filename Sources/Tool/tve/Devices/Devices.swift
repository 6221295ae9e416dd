#if CLI
import ArgumentParser
import DeviceRecords
import EntitlementValues
import HostSystem
import SealedRecords
import StoreAddresses

struct Devices: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Look after a store of devices: make its keys, list, show, erase, seal with a new key.",
        discussion: """
            Examples:
              tve devices keys devices.keys
              tve devices list --store sqlite:devices.sqlite
              tve devices show --store sqlite:devices.sqlite living-room-tv
              tve devices erase --store redis://store.example:6379/0 \\
                  --sealing-keys devices.keys --subscriber - --yes < subscriber.txt
              tve devices reseal --store sqlite:devices.sqlite

            A store holds one record for each device: credentials, access token, provider, what is known of the \
            profile. Records are sealed; all commands but list need the keys.

            Exit codes: 0 done; 17 no such device; 64 usage; 66 no such file; 69 the store does not answer; 74 input or \
            output failed; 78 the store or its keys cannot be used, or a record does not open; 130, 143 stopped.
            """,
        subcommands: [DevicesKeys.self, DevicesList.self, DevicesShow.self, DevicesErase.self, DevicesReseal.self]
    )
}

/// The store of devices, its keys, and the form of the output.
struct DeviceStoreOptions: ParsableArguments {
    @Option(
        name: .customLong("store"),
        help: ArgumentHelp(
            """
            Where the records are: sqlite:PATH (this host), redis://HOST:PORT[/DB], rediss:// (with TLS), \
            redis+unix://PATH or redis+sentinel://HOST:PORT,HOST:PORT/NAME[/DB] (many hosts).
            """, valueName: "address"))
    var stores: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The file with the keys that records are sealed with (default: PATH.keys for sqlite:PATH).",
            valueName: "file"),
        completion: .file())
    var sealingKeys: String?

    @Flag(name: .long, help: "The records are not sealed: this is a store for tests.")
    var unsealed = false

    @Option(
        name: .long, help: ArgumentHelp("A file with the password of the Redis server.", valueName: "file"),
        completion: .file())
    var storePasswordFile: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A file with the authorities of the server's certificate (PEM; default: the system's).", valueName: "file"),
        completion: .file())
    var storeCaFile: String?

    @Option(
        name: .long, help: ArgumentHelp("A file with a certificate for the server (PEM).", valueName: "file"),
        completion: .file())
    var storeCertificateFile: String?

    @Option(
        name: .long, help: ArgumentHelp("A file with the key of that certificate (PEM).", valueName: "file"),
        completion: .file())
    var storeKeyFile: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How long the server may take to answer, 1 to 60000 milliseconds (default: 250).", valueName: "ms"))
    var storeTimeout: Int?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "What the server's keys of records begin with (default: the same as the library's).", valueName: "text"))
    var storePrefix: String?

    @Option(name: .long, help: ArgumentHelp("How to show it: text or json.", valueName: "form"))
    var output = OutputForm.text

    func validate() throws {
        guard let store = stores.first, !store.isEmpty else { throw ValidationError("Give --store ADDRESS.") }
        // The parser would take the last one alone.
        guard stores.count == 1 else { throw ValidationError("--store takes one store.") }
        let address = try address()
        guard !address.isInMemory else {
            throw ValidationError("--store: memory: ends with each process, so there is nothing to look at.")
        }
        let serverOptions = [
            storePasswordFile, storeCaFile, storeCertificateFile, storeKeyFile, storeTimeout.map(String.init),
            storePrefix,
        ]
        guard address.isRedis || serverOptions.allSatisfy({ $0 == nil }) else {
            throw ValidationError("The options --store-… go with --store redis://….")
        }
        guard address.isEncrypted || [storeCaFile, storeCertificateFile, storeKeyFile].allSatisfy({ $0 == nil }) else {
            throw ValidationError(
                "--store-ca-file, --store-certificate-file and --store-key-file go with --store rediss://….")
        }
        guard (storeCertificateFile == nil) == (storeKeyFile == nil) else {
            throw ValidationError("Give --store-certificate-file and --store-key-file together.")
        }
        guard storeTimeout.map((1...60_000).contains) ?? true else {
            throw ValidationError("--store-timeout is 1 to 60000 milliseconds.")
        }
        guard !unsealed || sealingKeys == nil else {
            throw ValidationError("Give --sealing-keys or --unsealed, not both.")
        }
    }

    // MARK: Opening

    /// Opens the store for a command that does not open records: the directory can list.
    ///
    /// Throws `CommandFailure` if the store cannot be opened.
    func listing() throws -> DeviceDirectory {
        DeviceDirectory(in: try store(), sealer: .unsealed)
    }

    /// Opens the store with its keys, which are compared with the mark that the store has.
    ///
    /// Throws `CommandFailure` or `DeviceRecordsError` if the store or the keys cannot be used.
    func directory() async throws -> DeviceDirectory {
        let store = try store()
        let directory = DeviceDirectory(in: store, sealer: try sealer())
        try await directory.matchKeys()
        return directory
    }

    private func store() throws -> any RecordStore {
        let address = try address()
        // Looking at a store that is not there must not make one.
        if case .sqlite(let path) = address { try CommandFailure.refuseMissing(path) }
        try serverOptions.refuseMissingFiles(of: "--store")
        return try concerning("--store") {
            do {
                return try address.openRecords(serverOptions, time: .system) { warning, code in
                    StandardStreams.report("tve: \(warning) [\(code)]")
                }
            } catch ReplayStoreOpeningError.password(let error) {
                throw CommandFailure.storePassword(error, of: "--store-password-file")
            }
        }
    }

    private func sealer() throws -> RecordSealer {
        if unsealed { return .unsealed }
        let path = try keyPath()
        try CommandFailure.refuseMissing(path, of: "--sealing-keys")
        return RecordSealer(try concerning("--sealing-keys", file: path) { try SealingKeys(contentsOfFile: path) })
    }

    private func keyPath() throws -> String {
        if let sealingKeys { return sealingKeys }
        guard case .sqlite(let path) = try address() else {
            throw ValidationError("Give --sealing-keys FILE (or --unsealed for a store that is not sealed).")
        }
        return path + ".keys"
    }

    private var serverOptions: ServerStoreOptions {
        var options = ServerStoreOptions()
        options.passwordFile = storePasswordFile
        options.authorityFile = storeCaFile
        options.certificateFile = storeCertificateFile
        options.keyFile = storeKeyFile
        options.limits.timeout = storeTimeout
        options.limits.prefix = storePrefix
        return options
    }

    private func address() throws -> ReplayStoreAddress { try ReplayStoreAddress(stores.first ?? "", of: "--store") }
}
#endif
