import COpenSSL

/// Holds octets that may be secret, and overwrites them when released.
@safe
package final class WipedBytes: @unchecked Sendable {
    // The memory is written in the initialisers and in deinit alone, when no other thread can hold the object; in
    // between it is only read.
    private let storage: UnsafeMutableBufferPointer<UInt8>
    package let count: Int

    /// Copies octets; the source is the caller's to wipe.
    package init(_ octets: Span<UInt8>) {
        unsafe storage = .allocate(capacity: octets.count)
        count = octets.count
        for index in octets.indices { unsafe storage.initializeElement(at: index, to: octets[index]) }
    }

    /// Copies C memory, which the caller frees.
    init(copying source: UnsafeBufferPointer<UInt8>) {
        unsafe storage = .allocate(capacity: source.count)
        count = source.count
        _ = unsafe storage.initialize(fromContentsOf: source)
    }

    /// Makes room and lets C write into it.
    ///
    /// - Parameters:
    ///   - capacity: How much may be written at most.
    ///   - fill: Writes, and returns how much it wrote; `nil` makes the initialiser fail.
    init?(capacity: Int, fill: (UnsafeMutableBufferPointer<UInt8>) -> Int?) {
        unsafe storage = .allocate(capacity: capacity)
        unsafe storage.initialize(repeating: 0)
        guard let count = unsafe fill(storage), 0...capacity ~= count else {
            unsafe OPENSSL_cleanse(storage.baseAddress, storage.count)
            unsafe storage.deallocate()
            return nil
        }
        self.count = count
    }

    /// Puts octets one after the other.
    package convenience init(joining parts: [WipedBytes]) {
        self.init(parts)
    }

    private init(_ parts: [WipedBytes]) {
        count = parts.reduce(0) { $0 + $1.count }
        unsafe storage = .allocate(capacity: count)
        var position = 0
        for part in parts {
            part.withSpan { octets in
                for index in octets.indices {
                    unsafe storage.initializeElement(at: position + index, to: octets[index])
                }
            }
            position += part.count
        }
    }

    /// Lends the octets in place.
    package func withSpan<Success, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Success
    ) throws(Failure) -> Success {
        try body(unsafe UnsafeBufferPointer(rebasing: storage[..<count]).span)
    }

    deinit {
        unsafe OPENSSL_cleanse(storage.baseAddress, storage.count)
        unsafe storage.deallocate()
    }
}
