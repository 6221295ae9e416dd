import HostSystem
import OpenSSLBridge

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
