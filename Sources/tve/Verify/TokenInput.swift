#if CLI
import HostSystem
import ArgumentParser
import EntitlementKeys

/// Where a single token comes from.
enum TokenInput {
    /// Takes the argument, or reads standard input where it is `-` or absent.
    ///
    /// Reads a little more than any policy accepts, so that a longer token is refused as too large and not cut to fit.
    static func bytes(_ argument: String?, _ form: OutputForm) throws -> [UInt8] {
        if let argument, argument != "-" {
            // A short text that names a file is no token.
            guard argument.utf8.count > 255 || !Files.exists(argument) else {
                throw Console.fail(
                    "usage", file: argument, "\(argument) is a file; read it with: - < FILE", form, .usage)
            }
            return Array(argument.utf8)
        }
        return try standardInput("the token", upTo: limit, form)
    }

    /// Reads standard input to its end, and no more than some bytes of it.
    static func standardInput(_ what: String, upTo limit: Int, _ form: OutputForm) throws -> [UInt8] {
        if StandardStreams.inputIsTerminal {
            StandardStreams.report("tve: reading \(what) from standard input; end it with Ctrl-D")
        }
        var bytes: [UInt8] = []
        do throws(FileFailure) {
            while bytes.count < limit {
                let more = try StandardStreams.read(upTo: limit - bytes.count)
                if more.isEmpty { break }
                bytes += more
            }
        } catch {
            throw Console.fail("io", file: "-", "standard input: \(error.reason)", form, .io)
        }
        return bytes
    }

    private static let limit = 1 << 17
}

/// The keys to verify with, and the token that may have slipped in behind them.
struct KeyPaths {
    var paths: [String]

    /// Takes a token off the end of the list: `--keys` takes every path up to the next flag, so that in
    /// `tve verify --keys issuer.pem TOKEN` the token stands in the list, and would be shown as a missing file.
    mutating func takeToken() -> String? {
        guard paths.count > 1, let last = paths.last, last == "-" || Self.isToken(last) else { return nil }
        paths.removeLast()
        return last
    }

    /// Whether a path starts like a token, plain or encoded.
    private static func isToken(_ path: String) -> Bool {
        ["<signatureInfo>", "PHNpZ25", "%3CsignatureInfo"].contains { path.utf8.starts(with: $0.utf8) }
    }

    func read(_ opener: KeyOpener, _ form: OutputForm) throws -> VerificationKeys {
        if paths.contains(where: Self.isToken) {
            throw Console.fail("usage", file: nil, "--keys takes file names; a token stands there", form, .usage)
        }
        return try opener.open(form) { password throws(KeyError) in
            try VerificationKeys(contentsOf: paths, password: password)
        }
    }
}
#endif
