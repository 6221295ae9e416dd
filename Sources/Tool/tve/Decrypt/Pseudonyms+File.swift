#if CLI
import EntitlementKeys
import HostSystem
import RowBatches

extension Pseudonyms {
    /// Reads the key from a file: all its bytes, including a line end.
    ///
    /// Throws `CommandFailure`.
    init(contentsOfFile path: String) throws {
        guard Files.exists(path) else { throw CommandFailure(missing: "key", option: "--pseudonymise") }
        self.init(key: try concerning(path, file: path) { try SecretFile.key(path) })
    }
}
#endif
