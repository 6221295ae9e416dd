#if Service
import MetadataDecryption

extension ServiceSettings {
    /// The keys and the padding that user metadata is decrypted with.
    struct Decryption: Sendable {
        let keys: KeyFiles
        let padding: MetadataPadding

        /// Reads the group `decryption`; `nil` if `decryption.paths` is not set.
        init?(from reader: inout SettingsReader) {
            let passwordFile = reader.text("decryption.passwordFile")
            padding = reader.choice("decryption.padding", default: MetadataPadding.insecurePKCS1v15)
            reader.report(unused: ["decryption.passwordFile", "decryption.padding"], without: "decryption.paths")
            guard let paths = reader.list("decryption.paths") else { return nil }
            keys = KeyFiles(paths: paths, passwordFile: passwordFile)
        }
    }
}
#endif
