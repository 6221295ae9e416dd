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
            padding = reader.choice("decryption.padding", default: Padding.pkcs1).padding
            reader.report(unused: ["decryption.passwordFile", "decryption.padding"], without: "decryption.paths")
            guard let paths = reader.list("decryption.paths") else { return nil }
            keys = KeyFiles(paths: paths, passwordFile: passwordFile)
        }
    }

    private enum Padding: String, CaseIterable {
        case pkcs1
        case oaepSHA1 = "oaep-sha1"
        case oaepSHA256 = "oaep-sha256"

        var padding: MetadataPadding {
            switch self {
            case .pkcs1: .insecurePKCS1v15
            case .oaepSHA1: .oaepSHA1
            case .oaepSHA256: .oaepSHA256
            }
        }
    }
}
#endif
