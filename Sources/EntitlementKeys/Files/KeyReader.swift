import TextCodecs
import HostSystem
package import OpenSSLBridge

/// Reads key files by content and not by name.
package struct KeyReader {
    /// Opens what is encrypted; ignored where nothing is.
    var password: KeyPassword?
    /// Whether encrypted private keys are decrypted.
    ///
    /// Verification does without, and then asks for no password.
    var takesPrivateKeys = true
    /// Bounds the work that a file can ask for.
    package var limits = WorkLimits()
    /// Where OpenSSL's legacy provider is looked for; `nil` for where this OpenSSL has it.
    package var providerFolder: String?

    package init(password: KeyPassword? = nil, takesPrivateKeys: Bool = true) {
        self.password = password
        self.takesPrivateKeys = takesPrivateKeys
    }

    /// Reads everything in a file.
    func items(inFile file: String) throws(KeyError) -> [KeyItem] {
        try Self.refuseKeyText(file)
        let content: WipedBytes
        do throws(FileFailure) {
            content = try Files.read(file, maximumSize: maximumFileSize)
        } catch {
            throw error.isMissing ? .noSuchFile(file: file) : .unreadable(file: file, reason: error.reason)
        }
        return try items(in: content, named: file)
    }

    /// Reads everything in some bytes; the name is for errors.
    func items(in content: WipedBytes, named file: String) throws(KeyError) -> [KeyItem] {
        guard openSSLOffersRSA else {
            throw .unreadable(
                file: file, reason: "OpenSSL offers no RSA or SHA-256 in this process; look at OPENSSL_CONF")
        }
        let unlocker = Unlocker(password: password?.bytes, limits: limits, providerFolder: providerFolder)
        let reading = KeyFileParser(file: file, unlocker: unlocker, takesPrivateKeys: takesPrivateKeys)
        let items = try content.withSpan { bytes throws(KeyError) in
            if bytes.indices.allSatisfy({ bytes[$0].isWhiteSpace }) {
                throw .noKey(file: file, reason: "is empty")
            }
            if let store = JavaKeyStore(recognising: bytes) { return try store.items(of: content, reading) }
            return bytes.contains(pemBegin) ? try reading.items(inPEM: bytes) : try reading.items(inDER: bytes)
        }
        guard !items.isEmpty else { throw .noKey(file: file, reason: "holds no key or certificate") }
        return items
    }

    /// Refuses the text of a key where the name of its file is due: the name stands in errors, the text must not.
    private static func refuseKeyText(_ path: String) throws(KeyError) {
        if path.isEmpty { throw .unreadable(file: "(empty)", reason: "the name is empty; an unset variable?") }
        if path.utf8.count > 4096 || path.utf8.contains(UInt8(ascii: "\n")) {
            throw .unreadable(
                file: "(not shown)", reason: "this is no file name; give the file's name, not the key's text")
        }
    }

    /// Reads a path: a file, or the visible files of a folder.
    static func files(at path: String) throws(KeyError) -> [String] {
        try refuseKeyText(path)
        do throws(FileFailure) {
            guard try Files.kind(of: path) == .folder else { return [path] }
            let files = try Files.visibleFiles(in: path)
            guard files.isEmpty else { return files }
        } catch {
            throw error.isMissing ? .noSuchFile(file: path) : .unreadable(file: path, reason: error.reason)
        }
        throw .noKey(file: path, reason: "is a folder without visible files")
    }

    /// Reads files and folders one after the other, and makes something of the entries of each.
    ///
    /// - Parameters:
    ///   - paths: Files and folders.
    ///   - refused: `nil` where the first bad file ends it all; else it collects the errors of bad files.
    ///   - make: Gets a file's name and its entries.
    /// - Returns: What was made, in the order of the files.
    /// - Throws: `KeyError`; `.noKey` where there are no paths.
    func read<Made>(
        _ paths: [String],
        refused: inout [KeyError]?,
        _ make: (String, [KeyItem]) throws(KeyError) -> [Made]
    ) throws(KeyError) -> [Made] {
        guard !paths.isEmpty else { throw .noKey(file: "", reason: "no key file was given") }
        var made: [Made] = []
        for path in paths {
            do throws(KeyError) {
                for file in try Self.files(at: path) {
                    do throws(KeyError) {
                        made += try make(file, items(inFile: file))
                    } catch {
                        guard refused != nil else { throw error }
                        refused?.append(error)
                    }
                }
            } catch {
                guard refused != nil else { throw error }
                refused?.append(error)
            }
        }
        // A set without keys would refuse everything later, and nobody would know why.
        if made.isEmpty, let first = refused?.first { throw first }
        return made
    }
}

/// Larger than any chain of certificates, small enough to refuse at once what is no key file.
private let maximumFileSize = 1 << 20

private let pemBegin = Array("-----BEGIN ".utf8)

extension Span where Element == UInt8 {
    fileprivate func contains(_ bytes: [UInt8]) -> Bool {
        guard count >= bytes.count else { return false }
        return (0...count - bytes.count).contains { start in
            bytes.indices.allSatisfy { self[start + $0] == bytes[$0] }
        }
    }
}
