#if CLI
import EntitlementKeys
import HostSystem
import RowBatches

extension Pseudonyms {
    /// Reads the key from a file: all its bytes, including a line end.
    init(contentsOfFile path: String) throws(CommandFailure) {
        do throws(SecretFileFailure) {
            self.init(key: try SecretFile.key(path))
        } catch {
            switch error {
            case .unreadable(let failure) where failure.isMissing:
                throw CommandFailure(missing: "key", option: "--pseudonymise")
            case .unreadable:
                throw CommandFailure("unreadable_key", "\(path): \(error)", file: path, exitCode: .badConfiguration)
            case .keyTooSmall:
                throw CommandFailure("key_too_small", "\(path): \(error)", file: path, exitCode: .badConfiguration)
            }
        }
    }
}
#endif
