package import HostSystem
import COpenSSL

/// Says why something encrypted was not opened.
package enum UnlockFailure: Error, Sendable, Hashable {
    /// It is encrypted and no password was given.
    case passwordRequired
    /// The password does not fit.
    case badPassword
    /// The provider with the old algorithms is not installed; this is the file that was looked for.
    case noLegacyProvider(file: String)
    /// The file asks for more work than is done for any key.
    case tooMuchWork(String)
    /// The algorithm is not known here, or not to this OpenSSL.
    case unsupported(String)
    /// The structure is damaged.
    case damaged
    /// The file has no integrity code, so nothing says that it is what its maker wrote.
    case noIntegrityCode
    /// OpenSSL could not do it for reasons of its own.
    case failed(OpenSSLFailure)
}

/// Bounds what a key file can make this process do.
package struct WorkLimits: Sendable {
    /// Rounds of key derivation for all of one file: 1.5 seconds per million.
    package var iterations = 5_000_000
    /// Bytes that one scrypt may fill.
    package var scryptMemory = 64 << 20

    package init() {}
}

/// Opens what is encrypted under one password, for the length of one reading of one file.
///
/// Counts the work asked for by the file as a whole, and loads the legacy provider when the first old algorithm shows.
package final class Unlocker {
    package let password: WipedBytes?
    private let scryptMemory: Int
    private var iterationsLeft: Int
    private let providerFolder: String?
    private var legacy: LegacyContext?

    /// Prepares a reading.
    ///
    /// - Parameters:
    ///   - password: The bytes of the password, UTF-8.
    ///   - limits: How much work the file may ask for.
    ///   - providerFolder: Where the legacy provider is looked for; `nil` for where this OpenSSL has it.
    package init(password: WipedBytes?, limits: WorkLimits = WorkLimits(), providerFolder: String? = nil) {
        self.password = password
        self.providerFolder = providerFolder
        iterationsLeft = limits.iterations
        scryptMemory = limits.scryptMemory
    }

    /// Reads the password, where there is a usable one.
    ///
    /// C strings end at NUL, so a password with one in it would be cut short by some tools and not by others.
    func usablePassword() throws(UnlockFailure) -> WipedBytes {
        guard let password else { throw .passwordRequired }
        let hasNUL = password.withSpan { bytes in bytes.indices.contains { bytes[$0] == 0 } }
        guard !hasNUL, password.count <= Int(Int32.max) else { throw .badPassword }
        return password
    }

    /// Takes the work of a scheme off what is left, before any of it is done.
    func charge(_ scheme: EncryptionScheme) throws(UnlockFailure) {
        try charge(iterations: scheme.iterations, memory: scheme.memory)
    }

    func charge(iterations: Int, memory: Int = 0) throws(UnlockFailure) {
        guard iterations <= iterationsLeft else {
            throw .tooMuchWork("asks for \(iterations) or more iterations of key derivation")
        }
        guard memory <= scryptMemory else {
            throw .tooMuchWork("asks for a scrypt of more than \(scryptMemory >> 20) MiB")
        }
        iterationsLeft -= iterations
    }

    /// The context that knows a scheme: the default one (`nil`), or the private one with the old algorithms.
    func context(for scheme: EncryptionScheme) throws(UnlockFailure) -> OpaquePointer? {
        guard scheme.isLegacy else { return nil }
        return unsafe try legacyContext().raw
    }

    func legacyContext() throws(UnlockFailure) -> LegacyContext {
        if let legacy { return legacy }
        let loaded = try LegacyContext(providersIn: providerFolder)
        legacy = loaded
        return loaded
    }

    /// Says what a failed decryption means, from the records that it left.
    func failure(opening scheme: EncryptionScheme) -> UnlockFailure {
        var isUnsupported = false
        var isOutOfMemory = false
        while true {
            let code = ERR_get_error()
            if code == 0 { break }
            if copenssl_is_unsupported(code) == 1 { isUnsupported = true }
            if copenssl_is_allocation_failure(code) == 1 { isOutOfMemory = true }
        }
        if isOutOfMemory { return .failed(OpenSSLFailure("decrypting a key")) }
        return isUnsupported ? .unsupported(scheme.name) : .badPassword
    }
}

extension WipedBytes {
    /// Lends the bytes as C characters, never as a null pointer, with their count.
    func withCharacters<Success>(_ body: (UnsafePointer<CChar>, Int32) -> Success) -> Success {
        withSpan { bytes in
            unsafe bytes.withUnsafeBufferPointer { buffer in
                guard let start = buffer.baseAddress, buffer.count > 0 else { return unsafe body("", 0) }
                return unsafe start.withMemoryRebound(to: CChar.self, capacity: buffer.count) {
                    unsafe body($0, Int32(clamping: buffer.count))
                }
            }
        }
    }
}
