#if Service
import EntitlementKeys
import HostSystem
import MetadataDecryption

extension ServiceSettings {
    /// The keys and the padding that user metadata is decrypted with, and who may ask for it.
    struct Decryption: Sendable {
        let keys: KeyFiles
        let padding: MetadataPadding
        /// The listener that takes nothing else; `nil` for the internal one.
        let listener: Binding?
        /// The file with the secret that requests must show; `nil` if they need none.
        let secretFile: String?

        private static let others = [
            "decryption.passwordFile", "decryption.padding", "decryption.host", "decryption.port", "decryption.socket",
            "decryption.secretFile",
        ]

        /// Reads the group `decryption`; `nil` if `decryption.paths` is not set.
        ///
        /// `shared` is the internal listener.
        init?(from reader: inout SettingsReader, beside shared: Address) {
            let passwordFile = reader.text("decryption.passwordFile")
            padding = reader.choice("decryption.padding", default: MetadataPadding.insecurePKCS1v15)
            secretFile = reader.text("decryption.secretFile")
            listener = Self.listener(from: &reader)
            reader.report(unused: Self.others, without: "decryption.paths")
            guard let paths = reader.list("decryption.paths") else { return nil }
            keys = KeyFiles(paths: paths, passwordFile: passwordFile)
            // Without a secret, who can connect can decrypt: that must not be everybody who may look at the metrics.
            guard !reader.isInDoubt("decryption.secretFile") else { return }
            switch listener {
            case nil where !shared.isLoopback && secretFile == nil:
                reader.report(
                    .conflict, of: "decryption.paths",
                    detail: "internal.host lets others connect: set decryption.socket or decryption.port, or "
                        + "decryption.secretFile")
            case .address(let address)? where !address.isLoopback && secretFile == nil:
                reader.report(
                    .conflict, of: "decryption.host", detail: "lets others connect: set decryption.secretFile, too")
            default: break
            }
        }

        private static func listener(from reader: inout SettingsReader) -> Binding? {
            if let path = reader.text("decryption.socket") {
                if reader.isSet("decryption.port") {
                    reader.report(.conflict, of: "decryption.port", detail: "set this or decryption.socket, not both")
                }
                // What sockaddr_un holds, with a NUL, on all systems.
                if path.utf8.count > 103 {
                    reader.report(.badValue, of: "decryption.socket", detail: "is longer than 103 bytes")
                }
                reader.report(unused: ["decryption.host"], without: "decryption.port")
                return .socket(path: path)
            }
            reader.report(unused: ["decryption.host"], without: "decryption.port")
            guard reader.isSet("decryption.port") else { return nil }
            return .address(Address(listener: "decryption", defaultPort: 8082, from: &reader))
        }

        /// Reads the secret, and its file as it was read; `nil` if there is no secret, or a fault was added.
        func secret(faults: inout [SettingsFault]) -> (text: WipedBytes, file: ReadFile?)? {
            guard let secretFile else { return nil }
            // The path is not shown: it may be the secret itself, set by mistake.
            let found = faults.reading("decryption.secretFile") { () throws(FileFailure) in
                let content = try Files.readSecret(secretFile, maximumSize: SecretFile.maximumSize)
                return (content: content, secret: try SecretFile.text(in: content))
            }
            guard let (content, secret) = found else { return nil }
            guard Self.canBeSecret(secret) else {
                faults.append(
                    SettingsFault(
                        .badValue, of: "decryption.secretFile",
                        detail: "the file does not hold \(SecretFile.minimumKeySize) visible ASCII characters or more; "
                            + "make one with: (umask 077 && openssl rand -hex -out FILE 32)"))
                return nil
            }
            // Without its digest, the file counts as changed once a fault is found elsewhere.
            return (secret, try? ReadFile(secretFile, holding: content))
        }

        /// Whether a file's text is long enough for a secret, and can be sent in a header field.
        static func canBeSecret(_ text: WipedBytes) -> Bool {
            text.withSpan { bytes in
                bytes.count >= SecretFile.minimumKeySize && bytes.indices.allSatisfy { 0x21...0x7E ~= bytes[$0] }
            }
        }
    }
}
#endif
