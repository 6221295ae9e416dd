import COpenSSL

/// Holds octets that may be secret, and overwrites them when released.
@safe
package final class WipedBytes: @unchecked Sendable {
    // The memory is written in the initialisers and in deinit alone, when no other thread can hold the object; in
    // between it is only read.
    private let storage: UnsafeMutableBufferPointer<UInt8>

    /// Copies octets; the source is the caller's to wipe.
    package init(_ octets: Span<UInt8>) {
        unsafe storage = .allocate(capacity: octets.count)
        for index in octets.indices { unsafe storage.initializeElement(at: index, to: octets[index]) }
    }

    /// Copies C memory, which the caller frees.
    init(copying source: UnsafeBufferPointer<UInt8>) {
        unsafe storage = .allocate(capacity: source.count)
        _ = unsafe storage.initialize(fromContentsOf: source)
    }

    package var count: Int { unsafe storage.count }

    /// Lends the octets in place.
    package func withSpan<Success, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Success
    ) throws(Failure) -> Success {
        try body(unsafe UnsafeBufferPointer(storage).span)
    }

    deinit {
        unsafe OPENSSL_cleanse(storage.baseAddress, storage.count)
        unsafe storage.deallocate()
    }
}
