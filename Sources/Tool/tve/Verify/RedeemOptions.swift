#if CLI
import ArgumentParser
import HostSystem
import StoreAddresses
import TokenRedemption

/// The store that remembers used tokens.
struct RedeemOptions: ParsableArguments {
    @Option(
        name: .customLong("redeem"),
        help: ArgumentHelp(
            """
            Accept each token only once. Where used tokens are kept: memory:[N] (this process), sqlite:PATH (this \
            host), redis://HOST:PORT[/DB], rediss:// (with TLS), redis+unix://PATH or \
            redis+sentinel://HOST:PORT,HOST:PORT/NAME[/DB] (many hosts).
            """, valueName: "address"))
    var stores: [String] = []

    @Option(
        name: .long, help: ArgumentHelp("A file with the password of the Redis server.", valueName: "file"),
        completion: .file())
    var redeemPasswordFile: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A file with the authorities of the server's certificate (PEM; default: the system's).", valueName: "file"),
        completion: .file())
    var redeemCaFile: String?

    @Option(
        name: .long, help: ArgumentHelp("A file with a certificate for the server (PEM).", valueName: "file"),
        completion: .file())
    var redeemCertificateFile: String?

    @Option(
        name: .long, help: ArgumentHelp("A file with the key of that certificate (PEM).", valueName: "file"),
        completion: .file())
    var redeemKeyFile: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How long a redemption in the server may take, 1 to 60000 milliseconds (default: 250).", valueName: "ms"))
    var redeemTimeout: Int?

    @Option(
        name: .long,
        help: ArgumentHelp("The most connections to the server, 1 to 64 (default: 2).", valueName: "n"))
    var redeemConnections: Int?

    var redeem: String? { stores.first }

    func validate() throws {
        // The parser would take the last one alone, and a token would pass again.
        guard stores.count < 2 else { throw ValidationError("--redeem takes one store.") }
        let address = try address()
        guard redeemPasswordFile == nil || address?.isRedis ?? false else {
            throw ValidationError("--redeem-password-file goes with --redeem redis://….")
        }
        guard (redeemTimeout, redeemConnections) == (nil, nil) || address?.isRedis ?? false else {
            throw ValidationError("--redeem-timeout and --redeem-connections go with --redeem redis://….")
        }
        guard
            [redeemCaFile, redeemCertificateFile, redeemKeyFile].allSatisfy({ $0 == nil })
                || address?.isEncrypted ?? false
        else {
            throw ValidationError(
                "--redeem-ca-file, --redeem-certificate-file and --redeem-key-file go with --redeem rediss://….")
        }
        guard (redeemCertificateFile == nil) == (redeemKeyFile == nil) else {
            throw ValidationError("Give --redeem-certificate-file and --redeem-key-file together.")
        }
        guard redeemTimeout.map((1...60_000).contains) ?? true else {
            throw ValidationError("--redeem-timeout is 1 to 60000 milliseconds.")
        }
        guard redeemConnections.map((1...64).contains) ?? true else {
            throw ValidationError("--redeem-connections is 1 to 64.")
        }
    }

    /// Whether the store ends with this process.
    var isInMemory: Bool { (try? address())?.isInMemory ?? false }

    private var options: ServerStoreOptions {
        var options = ServerStoreOptions()
        options.passwordFile = redeemPasswordFile
        options.authorityFile = redeemCaFile
        options.certificateFile = redeemCertificateFile
        options.keyFile = redeemKeyFile
        options.limits.timeout = redeemTimeout
        options.limits.connections = redeemConnections
        return options
    }

    /// Opens the store, if one was asked for.
    ///
    /// - Throws: `CommandFailure` if it cannot be opened.
    func open() throws -> (any ProbedReplayStore)? {
        guard let address = try address() else { return nil }
        try options.refuseMissingFiles(of: "--redeem")
        return try concerning("--redeem") {
            do {
                return try address.open(options) { warning, code in
                    StandardStreams.report("tve: \(warning) [\(code)]")
                }
            } catch ReplayStoreOpeningError.password(let error) {
                throw CommandFailure.storePassword(error, of: "--redeem-password-file")
            }
        }
    }

    private func address() throws -> ReplayStoreAddress? {
        try redeem.map { try ReplayStoreAddress($0, of: "--redeem") }
    }
}

extension ServerStoreOptions {
    /// Refuses files of an encrypted connection that do not exist; the names of their options begin with `option`.
    func refuseMissingFiles(of option: String) throws(CommandFailure) {
        for (file, name) in [(authorityFile, "ca"), (certificateFile, "certificate"), (keyFile, "key")] {
            if let file { try CommandFailure.refuseMissing(file, of: "\(option)-\(name)-file") }
        }
    }
}

extension ReplayStoreAddress {
    /// Reads the address that an option gives; another text is a wrong command line.
    init(_ text: String, of option: String) throws {
        self = try Result { () throws(ReplayStoreAddressError) in try ReplayStoreAddress(text) }
            .mapError { ValidationError("\(option) \($0)") }.get()
    }
}
#endif
