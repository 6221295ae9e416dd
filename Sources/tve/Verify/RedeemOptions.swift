#if CLI
import HostSystem
import TokenRedemption
import ArgumentParser
import StoreAddresses

/// Where used tokens are remembered.
struct RedeemOptions: ParsableArguments {
    @Option(
        name: .customLong("redeem"),
        help: """
            Let each token pass once: memory:[N], sqlite:PATH, redis://HOST:PORT[/DB] or redis+unix://PATH.
            """)
    var stores: [String] = []

    @Option(name: .long, help: "A file with the password of the Redis server.", completion: .file())
    var redeemPasswordFile: String?

    var redeem: String? { stores.first }

    func validate() throws {
        // With the last one alone, a token would pass once for each.
        guard stores.count < 2 else { throw ValidationError("--redeem takes one store.") }
        let address = try address()
        guard redeemPasswordFile == nil || address?.isRedis ?? false else {
            throw ValidationError("--redeem-password-file goes with --redeem redis://….")
        }
    }

    /// Whether the store ends with this process.
    var isInMemory: Bool { (try? address())?.isInMemory ?? false }

    /// Opens the store, if one was asked for.
    func open(_ form: OutputForm) throws -> (any ReplayStore)? {
        guard let address = try address() else { return nil }
        do throws(ReplayStoreOpeningError) {
            return try address.open(passwordFile: redeemPasswordFile) { warning, code in
                StandardStreams.report("tve: \(warning) [\(code)]")
            }
        } catch {
            if case .password(let error) = error { throw Console.fail(error, form) }
            let exitCode = error.isTransient ? ExitCode.undecided : .badConfiguration
            throw Console.fail(error.code, file: error.file, "--redeem: \(error)", form, exitCode)
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
