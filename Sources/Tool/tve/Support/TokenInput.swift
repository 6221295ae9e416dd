#if CLI
import ArgumentParser
import EntitlementKeys
import HostSystem

/// Reads a single token or value from the command line or from standard input.
enum TokenInput {
    /// Takes the argument, or reads standard input if it is `-` or absent.
    ///
    /// A token on standard input is read a little further than any policy accepts, so that a longer one is refused as
    /// too large instead of being cut to fit. Throws if the argument is the name of a file, or standard input cannot be
    /// read.
    static func bytes(_ argument: String?) throws(CommandFailure) -> [UInt8] {
        if let argument, argument != "-" {
            // A short text that names a file is not a token.
            guard argument.utf8.count > 255 || !Files.exists(argument) else {
                throw .usage("\(argument) is a file; read it with: - < FILE", file: argument)
            }
            return Array(argument.utf8)
        }
        return try standardInput("the token", upTo: maximumLength)
    }

    /// Reads standard input up to its end, or to a maximum length in bytes.
    ///
    /// `what` names what is read, for the hint on a terminal. Throws if reading fails.
    static func standardInput(_ what: String, upTo limit: Int) throws(CommandFailure) -> [UInt8] {
        if StandardStreams.inputIsTerminal {
            StandardStreams.report("tve: reading \(what) from standard input; end it with Ctrl-D")
        }
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let more = try using("standard input", file: "-", StandardStreams.read(upTo: limit - bytes.count))
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }

    private static let maximumLength = 1 << 17
}

/// The paths given with `--keys`, after which the token may stand.
struct KeyPaths {
    var paths: [String]

    /// Removes a token, or `-`, from the end of the list; `nil` if the last path is neither.
    ///
    /// `--keys` takes every argument up to the next flag: in `tve verify --keys issuer.pem TOKEN` the token is part of
    /// the list, and would be reported as a missing file.
    mutating func takeToken() -> String? {
        guard paths.count > 1, let last = paths.last, last == "-" || Self.isToken(last) else { return nil }
        paths.removeLast()
        return last
    }

    /// Whether a path starts like a token, plain or encoded.
    private static func isToken(_ path: String) -> Bool {
        ["<signatureInfo>", "PHNpZ25", "%3CsignatureInfo"].contains { path.utf8.starts(with: $0.utf8) }
    }

    /// Reads the keys to verify with.
    ///
    /// Throws `CommandFailure` if a path is a token, or the keys cannot be read.
    func read(_ opener: KeyOpener) throws -> VerificationKeys {
        if paths.contains(where: Self.isToken) {
            throw CommandFailure.usage("--keys takes file names, but one of them is a token")
        }
        return try concerning("--keys") {
            try opener.open { password throws(KeyError) in
                try VerificationKeys(contentsOf: paths, password: password)
            }
        }
    }
}
#endif
