#if CLI
import ArgumentParser
import HostSystem
import StoreAddresses
import TokenRedemption

/// The store that remembers used tokens.
struct RedeemOptions: ParsableArguments {
    @Option(
        name: .customLong("redeem"),
        help: """
            Accept each token only once. Where used tokens are kept: memory:[N] (this process), sqlite:PATH (this \
            host), redis://HOST:PORT[/DB] or redis+unix://PATH (many hosts).
            """)
    var stores: [String] = []

    @Option(name: .long, help: "A file with the password of the Redis server.", completion: .file())
    var redeemPasswordFile: String?

    var redeem: String? { stores.first }

    func validate() throws {
        // The parser would take the last one alone, and a token would pass again.
        guard stores.count < 2 else { throw ValidationError("--redeem takes one store.") }
        let address = try address()
        guard redeemPasswordFile == nil || address?.isRedis ?? false else {
            throw ValidationError("--redeem-password-file goes with --redeem redis://….")
        }
    }

    /// Whether the store ends with this process.
    var isInMemory: Bool { (try? address())?.isInMemory ?? false }

    /// Opens the store, if one was asked for.
    ///
    /// - Throws: `CommandFailure` if it cannot be opened.
    func open() throws -> (any ReplayStore)? {
        guard let address = try address() else { return nil }
        do throws(ReplayStoreOpeningError) {
            return try address.open(passwordFile: redeemPasswordFile) { warning, code in
                StandardStreams.report("tve: \(warning) [\(code)]")
            }
        } catch {
            if case .password(let error) = error { throw CommandFailure(error) }
            let exitCode = error.isTransient ? ExitCode.undecided : .badConfiguration
            throw CommandFailure(error.code, "--redeem: \(error)", file: error.file, exitCode: exitCode)
        }
    }

    private func address() throws -> ReplayStoreAddress? {
        do throws(ReplayStoreAddressError) {
            return try redeem.map(ReplayStoreAddress.init)
        } catch {
            throw ValidationError("--redeem \(error.reason)")
        }
    }
}
#endif
