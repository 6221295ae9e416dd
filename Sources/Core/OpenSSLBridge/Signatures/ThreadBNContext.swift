import CLibrary
import COpenSSL

/// Gives each thread its own scratch memory for big numbers (`BN_CTX`).
///
/// Making one for each verification would take a twelfth of a verification with 1024 bits. Threads share nothing, so
/// threads share neither a lock nor a cache line. The numbers left in it are public: signatures and their powers.
@safe
enum ThreadBNContext {
    /// The calling thread's `BN_CTX`; `nil` if memory ran out.
    static var context: OpaquePointer? {
        guard let slot else { return nil }
        if let kept = unsafe pthread_getspecific(slot) { return OpaquePointer(kept) }
        guard let context = unsafe BN_CTX_new() else { return nil }
        guard unsafe pthread_setspecific(slot, UnsafeRawPointer(context)) == 0 else {
            unsafe BN_CTX_free(context)
            return nil
        }
        return unsafe context
    }

    /// The key under which each thread keeps its own; freed with the thread.
    private static let slot: pthread_key_t? = {
        var slot = pthread_key_t()
        return unsafe pthread_key_create(&slot) { unsafe BN_CTX_free(OpaquePointer($0)) } == 0 ? slot : nil
    }()
}
