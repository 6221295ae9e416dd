#if Redis
package import Foundation
import TestVectors

/// A folder with an authority and certificates of it, made by the command `openssl`; it is removed with the object.
package final class Certificates: Sendable {
    package let folder: URL

    /// Makes the authority.
    ///
    /// - Throws: `POSIXError` if `openssl` fails.
    package init() throws {
        folder = URL(filePath: "/tmp/tve-certificates-\(UUID().uuidString.prefix(13))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
            path("authority.key"), "-out", authority, "-subj", "/CN=Test authority", "-days", "30")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The path of the authority's own certificate.
    package var authority: String { path("authority.pem") }

    /// The paths of a certificate and its key.
    package struct Pair: Sendable {
        package let certificate: String
        package let key: String
    }

    /// Makes a certificate.
    ///
    /// - Parameters:
    ///   - name: The name of its files.
    ///   - subject: Its names, such as `DNS:localhost,IP:127.0.0.1`.
    ///   - days: How long it is valid; 0 for one that has expired by the time it is used. OpenSSL 3.5 makes none that ends
    ///     before it begins.
    /// - Returns: The paths of its files.
    /// - Throws: `POSIXError` if `openssl` fails.
    package func make(_ name: String, for subject: String = "DNS:localhost,IP:127.0.0.1", days: Int = 30) throws -> Pair
    {
        let pair = Pair(certificate: path("\(name).pem"), key: path("\(name).key"))
        try openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", pair.key, "-out",
            path("\(name).csr"), "-subj", "/CN=\(name)", "-addext", "subjectAltName=\(subject)")
        try openssl(
            "x509", "-req", "-in", path("\(name).csr"), "-CA", authority, "-CAkey", path("authority.key"), "-days",
            "\(days)", "-copy_extensions", "copy", "-out", pair.certificate)
        return pair
    }

    /// Encrypts a key file under a password.
    ///
    /// - Parameter key: The path of the key.
    /// - Returns: The path of the encrypted key.
    /// - Throws: `POSIXError` if `openssl` fails.
    package func encrypt(_ key: String) throws -> String {
        try openssl("pkey", "-in", key, "-aes256", "-passout", "pass:geheim", "-out", key + ".encrypted")
        return key + ".encrypted"
    }

    /// Writes a file of the folder.
    ///
    /// - Returns: Its path.
    /// - Throws: The error of the file system.
    package func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: folder.appending(path: name))
        return path(name)
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    private func openssl(_ arguments: String...) throws {
        let program = try StartedProgram(URL(filePath: "/usr/bin/env"), ["openssl"] + arguments)
        guard try program.holdUntilItEnds() == 0 else { throw POSIXError(.EINVAL) }
    }
}
#endif
