import COpenSSL
package import HostSystem

/// Says why an encrypted key or container was not opened.
package enum UnlockFailure: Error, Sendable, Hashable {
    /// No password was given.
    case passwordRequired
    /// The password is wrong, or the content is damaged in a way that looks like it.
    case badPassword
    /// OpenSSL's legacy provider is not installed; `file` is the one that was looked for.
    case noLegacyProvider(file: String)
    /// The key derivation takes more work than ``WorkLimits`` allow; the text says what the file asks for.
    case tooMuchWork(String)
    /// The algorithm, which is named, is not known to this library or to this OpenSSL.
    case unsupported(String)
    /// The algorithm of the integrity code (MAC), which is named, is not known to this OpenSSL; the rest may be.
    case unsupportedIntegrityCode(String)
    /// The structure is damaged.
    case damaged
    /// The PKCS#12 file has no integrity code, so a change to it would not be noticed.
    case noIntegrityCode
    /// libcrypto failed.
    case failed(OpenSSLFailure)
}

/// Limits the work that one key file can ask for.
package struct WorkLimits: Sendable {
    /// Iterations of key derivation for all entries of a file together; a million takes about 1.5 seconds.
    package var maximumIterations = 5_000_000
    /// Bytes of memory that one scrypt may use.
    package var maximumScryptMemory = 64 << 20

    package init() {}
}

/// Opens the encrypted parts of one file with one password.
///
/// It adds up the work that the whole file asks for, and loads the legacy provider when the first old algorithm is found.
package final class Unlocker {
    package let password: WipedBytes?
    private let maximumScryptMemory: Int
    private var iterationsLeft: Int
    private let providerFolder: String?
    private var oldCiphers: OldCipherContext?

    /// Prepares the reading of one file.
    ///
    /// The password is UTF-8; `nil` if none was given. `providerFolder` holds the legacy provider; `nil` is the one
    /// that this OpenSSL was built with.
    package init(password: WipedBytes?, limits: WorkLimits = WorkLimits(), providerFolder: String? = nil) {
        self.password = password
        self.providerFolder = providerFolder
        iterationsLeft = limits.maximumIterations
        maximumScryptMemory = limits.maximumScryptMemory
    }

    /// The password; throws `.passwordRequired` if there is none, `.badPassword` if it has a NUL in it.
    ///
    /// C strings end at NUL, so some tools would cut a password with a NUL short and others would not.
    func usablePassword() throws(UnlockFailure) -> WipedBytes {
        guard let password else { throw .passwordRequired }
        let hasNUL = password.withSpan { bytes in bytes.indices.contains { bytes[$0] == 0 } }
        guard !hasNUL, password.count <= Int(Int32.max) else { throw .badPassword }
        return password
    }

    /// Subtracts the work of a scheme from what the file may still ask for, before any of it is done; throws
    /// `.tooMuchWork`.
    func charge(_ scheme: EncryptionScheme) throws(UnlockFailure) {
        guard scheme.iterations <= iterationsLeft else {
            throw .tooMuchWork("asks for \(scheme.iterations) or more iterations of key derivation")
        }
        guard scheme.memory <= maximumScryptMemory else {
            throw .tooMuchWork("asks for a scrypt of more than \(maximumScryptMemory >> 20) MiB")
        }
        iterationsLeft -= scheme.iterations
    }

    /// The library context for a scheme: the default one (`nil`), or the private one with the legacy provider.
    func context(for scheme: EncryptionScheme) throws(UnlockFailure) -> OpaquePointer? {
        guard scheme.usesOldCipher else { return nil }
        return unsafe try oldCipherContext().raw
    }

    func oldCipherContext() throws(UnlockFailure) -> OldCipherContext {
        if let oldCiphers { return oldCiphers }
        let loaded = try OldCipherContext(providersIn: providerFolder)
        oldCiphers = loaded
        return loaded
    }

    /// Finds out what a failed decryption means, and empties the error queue.
    ///
    /// `.unsupported` or `.failed` if a record says so, else `.badPassword`.
    func failure(opening scheme: EncryptionScheme) -> UnlockFailure {
        var isUnsupported = false
        var isOutOfMemory = false
        while true {
            guard let code = nextRecord() else { break }
            if copenssl_is_unsupported(code) == 1 { isUnsupported = true }
            if copenssl_is_allocation_failure(code) == 1 { isOutOfMemory = true }
        }
        if isOutOfMemory { return .failed(OpenSSLFailure("decrypting a key")) }
        return isUnsupported ? .unsupported(scheme.name) : .badPassword
    }
}
