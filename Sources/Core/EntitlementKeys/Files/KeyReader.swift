import EntitlementValues
import HostSystem
package import OpenSSLBridge
import TextCodecs

/// Reads key files by their content, not by their names.
package struct KeyReader {
    /// Opens what is encrypted; ignored if nothing is.
    var password: KeyPassword?
    /// Whether encrypted private keys are decrypted; verification does not need them, and then needs no password.
    var takesPrivateKeys = true
    /// Limits the work that a file can ask for.
    package var limits = WorkLimits()
    /// The folder with OpenSSL's legacy provider; `nil` for the one that this OpenSSL was built with.
    package var providerFolder: String?

    package init(password: KeyPassword? = nil, takesPrivateKeys: Bool = true) {
        self.password = password
        self.takesPrivateKeys = takesPrivateKeys
    }

    /// Reads all keys and certificates of a file.
    func items(inFile file: String) throws(KeyError) -> [KeyItem] {
        try items(in: Self.content(of: file), named: file)
    }

    private static func content(of file: String) throws(KeyError) -> WipedBytes {
        try refuseEmptyName(file)
        return try rethrowing(Files.read(file, maximumSize: maximumFileSize)) { (failure: FileFailure) in
            KeyError(failure, reading: file)
        }
    }

    /// Reads all keys and certificates of what a file holds; the name is for errors.
    func items(in content: WipedBytes, named file: String) throws(KeyError) -> [KeyItem] {
        try blamingMemory(for: file) { () throws(KeyError) in
            guard openSSLOffersRSA else {
                throw KeyError.unreadable(
                    file: file, reason: "OpenSSL offers no RSA or SHA-256 in this process; check OPENSSL_CONF")
            }
        }
        let unlocker = Unlocker(password: password?.bytes, limits: limits, providerFolder: providerFolder)
        let parser = KeyFileParser(file: file, unlocker: unlocker, takesPrivateKeys: takesPrivateKeys)
        let items = try blamingMemory(for: file) { () throws(KeyError) in
            try Self.items(in: content, for: parser)
        }
        guard !items.isEmpty else { throw .noKey(file: file, reason: "holds no key or certificate") }
        return items
    }

    private static func items(in content: WipedBytes, for parser: KeyFileParser) throws(KeyError) -> [KeyItem] {
        let file = parser.file
        return try content.withSpan { bytes throws(KeyError) in
            if bytes.indices.allSatisfy({ bytes[$0].isWhiteSpace }) {
                throw .noKey(file: file, reason: "is empty")
            }
            if bytes.looksLikeUTF16 { throw .unreadable(file: file, reason: "is \(ForeignEncoding.utf16)") }
            if let store = JavaKeyStore(recognising: bytes) { return try store.items(of: content, for: parser) }
            if let foreign = ForeignKeyFile(recognising: bytes) { throw foreign.error(for: file) }
            return bytes.position(of: "-----BEGIN ") != nil
                ? try parser.items(inPEM: bytes) : try parser.items(inDER: bytes)
        }
    }

    private static func refuseEmptyName(_ path: String) throws(KeyError) {
        if path.isEmpty { throw .unreadable(file: "(empty)", reason: "the name is empty; an unset variable?") }
    }

    /// Lists the files of a path: the file itself, or the visible files of a folder.
    static func files(at path: String) throws(KeyError) -> [String] {
        try refuseEmptyName(path)
        do throws(FileFailure) {
            guard try Files.kind(of: path) == .folder else { return [path] }
            let files = try Files.visibleFiles(in: path)
            guard files.isEmpty else { return files }
        } catch {
            throw KeyError(error, reading: path)
        }
        throw .noKey(file: path, reason: "is a folder without visible files")
    }

    /// Reads files and folders one after the other, and makes keys of what each file holds, in the order of the files.
    ///
    /// `refused` collects the errors of bad files; if it is `nil`, the first bad file ends the reading. Throws `.noKey`
    /// if there are no paths.
    func read<Made>(
        _ paths: [String],
        refused: inout [KeyError]?,
        _ make: (ReadFile, [KeyItem]) throws(KeyError) -> [Made]
    ) throws(KeyError) -> [Made] {
        guard !paths.isEmpty else { throw .noKey(file: "", reason: "no key file was given") }
        var made: [Made] = []
        for path in paths {
            do throws(KeyError) {
                for file in try Self.files(at: path) {
                    do throws(KeyError) {
                        made += try blamingMemory(for: file) { () throws(KeyError) -> [Made] in
                            let content = try Self.content(of: file)
                            return try make(ReadFile(file, holding: content), items(in: content, named: file))
                        }
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
        // A set without keys would refuse everything later, and the reason would not be clear.
        if made.isEmpty, let first = refused?.first { throw first }
        return made
    }
}

/// Larger than any chain of certificates, and small enough to refuse other files at once.
private let maximumFileSize = 1 << 20

/// Reads a key file, and blames the file only if memory lasted: libcrypto takes a good file for a damaged one without it.
///
/// `read` is called twice if it finds the file damaged. Throws what `read` throws, or `.undecided` if memory ran
/// out meanwhile.
func blamingMemory<Success>(
    for file: String,
    _ read: () throws(KeyError) -> Success
) throws(KeyError) -> Success {
    let count = allocationFailureCount
    do throws(KeyError) {
        return try read()
    } catch {
        if allocationFailureCount != count {
            throw .undecided(file: file, reason: "memory ran out while the key was read; try again")
        }
        // Some of libcrypto's decoders leave no word of a failed allocation. A stream cannot be read once more.
        guard case .unreadable = error, (try? Files.kind(of: file)) != .stream else { throw error }
        return try read()
    }
}

extension Span<UInt8> {
    /// Whether the bytes are meant as a key or certificate in PEM or DER, although they may be damaged: with one wrong byte
    /// anywhere, cut off at their end, or with anything behind the length in their first bytes.
    ///
    /// They must not be used as a secret: another copy of them may be public. So are keys of kinds that this OpenSSL does not
    /// know. Of random contents of 131 to 258 bytes, one
    /// in 2^24 looks like this; of others, up to 4096 bytes, fewer than one in 2^31.
    package var looksLikeKeyFile: Bool {
        let beginsLikeOne = keyBeginnings.contains { beginning in
            guard count >= beginning.count else { return false }
            let known = beginning.indices.filter { beginning[$0] != nil }
            let wrong = known.count { beginning[$0] != self[$0] }
            return wrong == 0 || wrong == 1 && known.count >= 6
        }
        // A wrong byte can be in one line of PEM, or in one object identifier, and the others still tell.
        return beginsLikeOne || isOneLongSequence || keyMarks.contains { position(of: $0) != nil }
    }

    /// Whether the bytes begin as a DER sequence of 128 bytes or more does, and are as long as it says.
    private var isOneLongSequence: Bool {
        guard count >= 131, self[0] == 0x30 else { return false }
        if self[1] == 0x81 { return Int(self[2]) + 3 == count }
        return self[1] == 0x82 && Int(self[2]) << 8 + Int(self[3]) + 4 == count
    }
}

/// What key files have somewhere: the ends of PEM blocks; the object identifiers of RSA and PKCS, of EC keys, of P-256 and of
/// NIST's algorithms (ML-DSA, SLH-DSA, ML-KEM).
private let keyMarks: [[UInt8]] =
    ["-----BEGIN", "-----END "].map { Array($0.utf8) } + [
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01], [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01],
        [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01], [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04],
    ]

/// How key files in DER begin, in hexadecimal digits, with dots for lengths: at least five bytes, or six of which one may be
/// wrong.
private let keyBeginnings: [[UInt8?]] = [
    // EC private keys (RFC 5915) of P-256, of longer curves, and of curves that are described by numbers.
    "30..0201010420", "3081..02010104", "3082....02010104",
    // PKCS#8.
    "30..02010030..06", "3081..02010030", "3082....02010030",
    // SubjectPublicKeyInfo of EC, Edwards curves, NIST's algorithms, GOST and RSA; with the latter, encrypted PKCS#8.
    "30..30..06..2a8648ce3d", "3082....3082....06..2a8648ce", "30..30..06032b65", "30..30..06..6086480165",
    "30..30..06..2a850307", "3081..30..06..2a850307", "30..30..06..2a864886f7", "3081..30..06..2a864886f7",
    "3082....30..06..2a864886f7",
    // PKCS#1: a private key, and public ones of any size, 2047 bits and more, 1024, 2048, 3072, 4096 and 8192 bits.
    "3082....02010002", "3082....0282....00", "3082....028201", "3082....028202", "30818902818100",
    "3082010a0282010100", "3082018a0282018100", "3082020a0282020100", "3082040a0282040100",
    // Certificates of versions 3 and 1.
    "3082....3082....a003020102", "3082....3081..a003020102", "3082....3082....02", "3082....3081..02",
    // PKCS#12 and PKCS#7, with definite and indefinite lengths; Java key stores.
    "3082....02010330", "30800201033080", "3082....06..2a864886f7", "308006..2a864886f7", "feedfeed000000",
    "cececece000000",
].map { text in
    let digits = Array(text)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
}
